"""The measure of strength measures: a bug is refuted, a right tokenizer is not, a weakened claim is noticed."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from implementations.loader import resolve
from properties import claims as registry
from properties.__main__ import app
from properties.budgets import Budget
from properties.claims import all_claims
from properties.runner import drawn_programs, profile_of, try_claim
from properties.strength.command import asked_under
from properties.strength.document import KEPT
from properties.strength.matrix import Matrix, jobs_of, order_of
from properties.strength.ratchet import blind_claims, calibration, complaints, read_record, record_of
from properties.strength.runs import ORDER, Job, Run, implementations_of, run_all, run_here
from properties.strength.table import Row

WRONG = """
import time
from tests.known_wrong.base import Base

class BadDropsLast(Base):
    def encode(self, text):
        return super().encode(text)[:-1]

class BadDies(Base):
    def encode(self, text):
        import os
        os._exit(3)

class BadSleeps(Base):
    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        time.sleep(0.3)

class RightBase(Base):
    pass
"""
FEW = ("ENC-1", "TRN-1", "DEC-1")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    return path


def strength(*arguments):
    return CliRunner().invoke(app, ["strength", *map(str, arguments)])


def jobs(file, glob, claims=FEW, budget="quick", **fields):
    found = resolve(f"{file}:{glob}")
    by_name = {(one.spec, one.name): one for one in found}
    return [Job(one.spec, one.name, tuple(claims), 0, budget, 5.0, **fields) for one in found], by_name


# --- one run -------------------------------------------------------------------------------------------------------


def test_a_bug_is_refuted_and_its_counterexample_shrunk(file):
    [job], found = jobs(file, "BadDropsLast")
    run = run_here(job, next(iter(found.values())))

    assert (run.refuted, run.claim) == (True, "ENC-1")
    assert run.examples == 1
    assert 0 < run.size < 20


def test_a_right_tokenizer_is_not_refuted(file):
    [job], found = jobs(file, "RightBase")
    run = run_here(job, next(iter(found.values())))

    assert run.refuted is False
    assert run.examples > 50


def test_each_job_has_a_process_of_its_own_and_one_that_dies_is_told(file):
    some, found = jobs(file, "BadD*")
    runs = {job.name: run for job, run in run_all(some, found)}

    assert runs["wrong.BadDropsLast"].refuted is True
    assert runs["wrong.BadDies"].refuted is None
    assert runs["wrong.BadDies"].note == "the process ended without an answer"


def test_one_that_takes_too_long_is_killed(file):
    some, found = jobs(file, "BadSleeps", limit=1.0)
    start = time.monotonic()
    [(_, run)] = run_all(some, found)

    assert run.refuted is None
    assert run.note == "killed after 1 seconds"
    assert time.monotonic() - start < 5


def test_a_journal_is_gone_on_from(file, tmp_path):
    some, found = jobs(file, "BadDropsLast")
    journal = tmp_path / "journal"
    first = [run for _, run in run_all(some, found, journal=journal)]
    journal.write_text(journal.read_text() + '{"key": "cut sho')

    assert [run for _, run in run_all(some, {}, journal=journal)] == first


def test_a_journal_of_another_file_is_not(file, tmp_path):
    some, found = jobs(file, "BadDropsLast")
    list(run_all(some, found, journal=tmp_path / "journal"))
    other = file.with_name("other.py")
    other.write_text(WRONG + "\n")
    again, _ = jobs(other, "BadDropsLast")

    assert again[0].key != some[0].key


# --- the command ---------------------------------------------------------------------------------------------------


def test_the_command_writes_a_table_and_json(file, tmp_path):
    out = tmp_path / "out.json"
    result = strength(f"{file}:BadDropsLast", "--claims=ENC-1", "--budget=quick", "--json", out)

    assert result.exit_code == 0
    assert "wrong.BadDropsLast" in result.stdout
    assert "1 of 1 refuted, as expected" in result.stdout
    [row] = json.loads(out.read_text())
    assert {"name", "expected", "refuted", "claim", "examples", "seconds", "counterexample"} <= set(row)
    assert (row["name"], row["expected"], row["refuted"], row["claim"]) == (
        "wrong.BadDropsLast",
        "refuted",
        True,
        "ENC-1",
    )
    assert row["counterexample"].startswith("vocabulary=Vocabulary(")


def test_what_does_not_go_as_expected_fails(file):
    survivor = strength(f"{file}:RightBase", "--claims=ENC-15", "--budget=quick")
    false_alarm = strength(f"{file}:BadDropsLast", "--claims=ENC-1", "--budget=quick", "--expect=passed")

    assert (survivor.exit_code, false_alarm.exit_code) == (1, 1)
    assert "not as expected: wrong.RightBase" in survivor.stdout
    assert "REFUTED" in false_alarm.stdout


def test_several_seeds_give_medians_and_the_share_that_did_not_refute(file):
    result = strength(f"{file}:BadDropsLast", "--claims=ENC-1", "--budget=quick", "--seeds=3")

    assert "0/3 seeds" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.py:Bad"], "there is no file"),
        (["--expect=perhaps"], "refuted, passed"),
        (["--budget=huge"], "no budget named 'huge'"),
        (["--claims=XYZ-*"], "no claim matches"),
    ],
)
def test_a_mistake_is_told(arguments, said):
    result = strength(*arguments)

    assert result.exit_code == 2
    assert said in result.output


def test_files_are_found_by_a_star_in_the_path():
    names = {one.name for one in implementations_of("tests/known_wrong/*.py:Bad*")}

    assert {"merging.BadLongestMatch", "ties.BadTiesBySet"} <= names


# --- the matrix and the ratchet ------------------------------------------------------------------------------------


def entered(*cells):
    matrix = Matrix()
    for name, claim, refuted, seconds in cells:
        matrix.add(Job("spec", name, (claim,)), Run(name, 0, refuted, claim, 1, seconds))
    return matrix


def test_the_matrix_knows_what_a_claim_alone_refutes():
    matrix = entered(
        ("one", "A", True, 1),
        ("one", "B", True, 2),
        ("two", "A", False, 1),
        ("two", "B", True, 1),
        ("three", "A", False, 1),
    )

    assert matrix.killed_by("B") == ["one", "two"]
    assert matrix.killed_alone_by("B") == ["two"]
    assert matrix.survivors == ["three"]


def test_a_refutation_with_the_larger_budget_is_entered():
    matrix = entered(("one", "A", False, 1), ("one", "A", True, 9), ("one", "A", False, 1))

    assert matrix.killers("one") == ["A"]


def test_claims_that_refute_much_in_little_time_come_first():
    slow, broad, narrow = [("x", "S", True, 9), ("y", "S", True, 9)], [("x", "B", True, 1), ("y", "B", True, 1)], []
    narrow = [("x", "N", True, 1), ("y", "N", False, 1)]

    assert order_of(entered(*slow, *broad, *narrow))[0] == "B"


def test_the_ratchet_notices_a_claim_weakened_on_purpose(monkeypatch):
    """What CI does, on one claim: it refutes a planted bug; its assertion taken out, it is named as blind."""
    found = implementations_of("tests/known_wrong/merging.py:BadHighestRankFirst")
    by_name = {(one.spec, one.name): one for one in found}
    [claim] = [claim for claim in all_claims() if claim.id == "ENC-2"]
    asked = jobs_of(found, [claim], "quick", 5.0, 60.0)
    matrix = Matrix()
    runs = list(run_all(asked, by_name))
    for job, run in runs:
        matrix.add(job, run)
    record = record_of(matrix, [Row(run.name, "refuted", (run,)) for _, run in runs], calibration())

    assert record["witnesses"] == {"ENC-2": ["merging.BadHighestRankFirst"]}
    assert blind_claims(record, runs) == []

    def weakened(impl, vocabulary, text):
        impl(vocabulary).encode(text)  # and the result is compared with nothing

    monkeypatch.setitem(registry.CLAIMS, "ENC-2", replace(claim, check=weakened))

    assert blind_claims(record, list(run_all(asked, by_name))) == ["ENC-2"]


def test_the_ratchet_complains_of_survivors_blind_claims_and_slowness():
    record = {"loop": 0.01, "seconds": 1.0, "witnesses": {}}
    good = Row("good", "refuted", (Run("good", 0, True, "A", 1, 1.0),))
    bad = Row("bad", "refuted", (Run("bad", 0, False, "", 1, 1.0),))

    assert complaints(record, [good], [], 0.01) == []
    assert complaints(record, [good, bad], ["ENC-2"], 0.01) == [
        "survives: bad",
        "refutes nothing any more of what it is recorded to refute: ENC-2",
    ]
    assert complaints(record, [good], [], 0.004) == ["the median time to the refutation is 2.5 times the recorded one"]


def test_a_machine_that_is_twice_as_slow_is_no_weaker_suite():
    record = {"loop": 0.01, "seconds": 1.0, "witnesses": {}}
    row = Row("slow", "refuted", (Run("slow", 0, True, "A", 1, 3.0),))

    assert complaints(record, [row], [], 0.03) == []


def test_what_a_tokenizer_prints_is_no_part_of_the_table(file):
    file.write_text(WRONG + "\nclass BadPrints(BadDropsLast):\n    def decode(self, ids):\n        print('rubbish')\n")
    result = strength(f"{file}:BadPrints", "--claims=ENC-1", "--budget=quick")

    assert "rubbish" not in result.output
    assert Path(file).exists()


def test_later_seeds_ask_only_what_they_draw_where_passing_is_expected():
    claims = [claim for claim in all_claims() if claim.id in ("ENC-1", "EXH-1")]

    assert asked_under(0, claims, "passed") == ("ENC-1", "EXH-1")
    assert asked_under(1, claims, "passed") == ("ENC-1",)
    assert asked_under(1, claims, "refuted") == ("ENC-1", "EXH-1")


def test_every_claim_refutes_a_planted_bug_or_says_why_it_is_kept():
    refuting = set(read_record()["witnesses"])
    ids = {claim.id for claim in all_claims()}

    assert refuting <= ids
    assert refuting | set(KEPT) == ids
    assert not refuting & set(KEPT)


def test_every_claim_has_its_place_in_the_order():
    order = json.loads(ORDER.read_text())

    assert set(order) | set(KEPT) == {claim.id for claim in all_claims()}


@pytest.mark.parametrize("claim_id", ["ENC-2", "TRN-4", "SPC-1", "DEC-1", "OBJ-2", "FIL-1"])
def test_programs_drawn_once_build_the_cases_that_hypothesis_would_draw(claim_id):
    [claim] = (claim for claim in all_claims() if claim.id == claim_id)
    [heap] = resolve("heap")
    profile, budget, drawn = profile_of(heap), Budget("few", 60, 60.0), []
    bare = replace(claim.domain, listed=lambda profile: iter(()))
    kept = replace(claim, check=lambda impl, **case: drawn.append(case), domain=bare)
    try_claim(kept, heap, budget, profile=profile, seed_number=3)
    programs = drawn_programs(claim, 3, budget.of(claim.share).cases)
    assert drawn == [claim.domain.case(profile, each) for each in programs]
    first, drawn[:] = list(drawn), []
    try_claim(kept, heap, budget, profile=profile, seed_number=3, programs=programs)
    assert drawn == first
    assert drawn_programs(claim, 4, 20) != programs[:20]

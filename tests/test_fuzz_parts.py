"""The parts of the fuzzing half, each on its own."""

import errno
import json
import os
import random
import subprocess
import sys
from hashlib import sha256
from itertools import islice

import pytest

from fuzz import store
from fuzz.blind import LONG_BYTE, Blind, seeds
from fuzz.examine import Shrinker
from fuzz.failures import signature_of
from fuzz.findings import BrokenFinding, Finding, arguments_of, case_of, keep, stored
from fuzz.journal import LONGEST, Counts, Journal
from fuzz.mined import constants, own_modules
from fuzz.mutate import CHANGES, crossed, mutated
from fuzz.once import Request, ask
from fuzz.store import Folder, FolderBusy, Infrastructure, locked, write_whole
from fuzz.targets import SEAM, NoSuchTarget, targets
from fuzz.worker import Job
from implementations.loader import resolve
from properties.cases.programs import Profile, from_bytes, to_bytes
from properties.cases.tables import PIECE_LENGTHS
from properties.counterexample.shrink import canonical_id
from properties.runner import failure, profile_of
from properties.stored.regressions import loads
from properties.stored.replay import fitting
from reference.model import Vocabulary

EVERY = targets()
DRAWN = [target for target in EVERY if target.drawn]
of_each_target = pytest.mark.parametrize("target", DRAWN, ids=[target.name for target in DRAWN])


@pytest.fixture(scope="module")
def heap():
    [implementation] = resolve("heap")
    return implementation


@pytest.fixture(scope="module")
def profile(heap):
    return profile_of(heap)


# --- bytes and cases


@of_each_target
def test_every_byte_string_is_a_case_that_belongs_to_the_domain(target, profile):
    source = random.Random(target.name)
    runs = b"\x00\x00\x00\x01\x80" + b"\xef" * 40  # a run of a run of a run …
    odd = [
        b"",
        runs,
        SEAM,
        SEAM * 30,
        bytes(range(256)),
        b"\xdf" * 80,
        bytes([LONG_BYTE]) + SEAM + bytes([LONG_BYTE]) * 40,
    ]

    for data in [*odd, *(source.randbytes(source.randrange(120)) for _ in range(20))]:
        case = target.case(profile, data)
        assert set(case) == set(target.claim.domain.arguments)
        if target.name != "ENC-6":  # it draws tokens whose bytes are no text too, and its check passes over them
            assert target.claim.domain.admits(case), data


@of_each_target
def test_blind_cases_hold_of_a_right_tokenizer(target, profile, heap):
    source = Blind(3, target)

    for index in range(4):
        assert failure(target.claim, heap, target.case(profile, source.data(index))) is None


@of_each_target
def test_a_finding_gives_back_the_case(target, profile, tmp_path):
    """Every argument of every claim survives the file, so that any finding can be kept."""
    source = Blind(5, target)
    drawn = (target.case(profile, source.data(index)) for index in range(0, 60, 7))
    for case in [*drawn, *islice(target.claim.domain.listed(profile), 3)]:
        if any(isinstance(value, Vocabulary) and len(value.merges) > 300 for value in case.values()):
            continue
        made = Finding("f00", arguments_of(case), target.name, "must", "heap", "heap", "AssertionError")
        read = Finding.load(made.save(tmp_path))

        assert case_of(read.arguments, target.claim) == case
        assert read == made


def test_case_i_of_seed_s_is_always_the_same_case():
    """Pinned: a finding is a pair of numbers, on every machine and in every version that keeps this test."""
    [target] = targets(["ENC-2"])

    assert [sha256(Blind(0, target).data(index)).hexdigest()[:12] for index in (0, 1, 1000)] == PINNED
    backwards = Blind(0, target)
    assert [backwards.data(index) for index in (40, 3, 40)] == [Blind(0, target).data(index) for index in (40, 3, 40)]


PINNED = ["1cf30544f46e", "d3b090adefb7", "06f442406f81"]


def test_a_local_edit_stays_local():
    [target] = targets(["ENC-2"])
    case = target.case(Profile(), b"\x00\x00\x01\x80\x81" + SEAM + b"hello world")
    edited = target.case(Profile(), b"\x00\x00\x01\x80\x81" + SEAM + b"hellO world")

    assert (case["text"], edited["text"]) == ("hello world", "hellO world")
    assert case["vocabulary"] == edited["vocabulary"]


def test_programs_and_bytes_are_the_same():
    every = bytes(range(256))

    assert to_bytes(from_bytes(every)) == every


def test_the_long_mode_is_reached_by_the_blind_engine(profile):
    [target] = targets(["ENC-2"])
    source = Blind(0, target)
    lengths = [len(target.case(profile, source.data(index))["text"]) for index in range(3000)]

    assert max(lengths) > 1000
    assert sorted(lengths)[len(lengths) // 2] < 100


def test_a_program_may_hold_the_constants_of_the_code(heap):
    [target] = targets(["ENC-1"])
    mined = Profile(constants=("\x7fBPE",), lengths=(77,))

    assert target.case(mined, SEAM + b"a\xd2\x00")["text"] == "a\x7fBPE"
    assert len(target.case(mined, SEAM + b"\xdf\x01\xd8" + bytes([len(PIECE_LENGTHS)]))["text"]) == 77


def test_seeds_are_programs_of_printable_bytes_and_operations():
    assert len(seeds()) >= 15
    assert not any(SEAM in seed for seed in seeds())


def test_an_unknown_target_names_the_choices():
    with pytest.raises(NoSuchTarget, match=r"no target matches 'ENK-2'; there are VOC-\*.* state, files, ids"):
        targets(["ENK-2"])


def test_constants_are_mined_from_the_plug_in_alone(tmp_path):
    path = tmp_path / "magic.py"
    path.write_text(
        '"""Doc."""\n'
        "from implementations.naive import Tokenizer as Naive\n"
        "class Tokenizer(Naive):\n"
        '    """Docstring."""\n'
        "    def encode(self, text):\n"
        '        if text.startswith("\\x7fBPE") or len(text) == 1024: return []\n'
        "        return super().encode(text)\n"
    )
    [implementation] = resolve(str(path))
    texts, numbers = constants(implementation)

    assert "\x7fBPE" in texts
    assert "Docstring." not in texts
    assert {1023, 1024, 1025} <= set(numbers)
    assert not {module.__name__ for module in own_modules(implementation)} & {
        "reference.model",
        "properties.cases.domains",
    }


@pytest.mark.parametrize("change", sorted(set(CHANGES), key=lambda change: change.__name__))
def test_changes_are_total(change):
    source = random.Random(0)

    for length in range(12):
        assert isinstance(change(source.randbytes(length), source), bytes)


def test_mutated_and_crossed_inputs_keep_the_limit():
    [target] = targets(["OBJ-1"])
    source = random.Random(1)
    for _ in range(300):
        one, other = source.randbytes(source.randrange(90)), source.randbytes(source.randrange(90))
        assert len(mutated(one, 64, source, Blind(0, target), lambda data, longest: data[:longest])) <= 64
        assert len(crossed(one, other, 64, source)) <= 64


# --- journals


def test_a_journal_outlives_its_writer(tmp_path):
    writer = (
        "import os, signal, sys; from pathlib import Path; from fuzz.journal import Journal, Counts;"
        "journal = Journal(Path(sys.argv[1]), 3); journal.set_counts(2, Counts(10, 1, 2, 33, 0.5));"
        "journal.begin(2, 32, b'in hand', 1); os.kill(os.getpid(), signal.SIGKILL)"
    )
    process = subprocess.run([sys.executable, "-c", writer, str(tmp_path / "j")], check=False)
    journal = Journal(tmp_path / "j", 3)
    seen = journal.in_hand()

    assert process.returncode == -9
    assert (seen.target, seen.index, seen.data, seen.kind) == (2, 32, b"in hand", "listed")
    assert journal.counts(2) == Counts(10, 1, 2, 33, 0.5)


def test_a_journal_keeps_no_more_than_it_has_room_for(tmp_path):
    journal = Journal(tmp_path / "j", 1)
    journal.begin(0, 0, b"x" * (LONGEST + 5))

    assert journal.in_hand().data == b"x" * LONGEST
    journal.end()
    assert journal.in_hand() is None


def test_a_journal_on_a_full_disk_is_noticed_before_the_search(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)

    with pytest.raises(Infrastructure, match=r"cannot make the journal .*No space left on device"):
        Journal(tmp_path / "j", 1)


# --- the folder


def test_a_write_on_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "campaign.json"
    write_whole(path, "old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store.os, "fsync", full)

    with pytest.raises(
        Infrastructure, match=r"cannot write .*campaign\.json: No space left on device; what stood there"
    ):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["campaign.json"]


def test_a_folder_holds_one_campaign(tmp_path):
    folder = Folder.at(tmp_path)
    with (
        locked(folder),
        pytest.raises(FolderBusy, match=f"in use by the campaign of process {os.getpid()}"),
        locked(folder),
    ):
        pass


def test_a_broken_state_is_set_aside_and_not_overwritten(tmp_path):
    folder = Folder.at(tmp_path)
    folder.campaign.write_text('{"half')

    assert folder.read(folder.campaign) == {}
    assert (tmp_path / "campaign.json.corrupt").read_text() == '{"half'


def test_a_broken_finding_is_named_and_left(tmp_path):
    (tmp_path / "abc.toml").write_text("[[case]\n")
    found, broken = stored(tmp_path)

    assert found == []
    assert len(broken) == 1
    assert "abc.toml is no finding" in broken[0]
    with pytest.raises(BrokenFinding):
        Finding.load(tmp_path / "abc.toml")
    assert (tmp_path / "abc.toml").exists()


# --- findings


def test_a_finding_reads_as_a_regression_and_more(tmp_path):
    made = Finding(
        "0123456789",
        {"text": 'a\ud800"\\\x7f', "merges": ((b"a", b"b"),)},
        "ENC-16",
        "must",
        "heap",
        "heap",
        "AssertionError",
        message='odd \ud800 \x00 """ \U000f0080',
        explanation=["line \\ one", ""],
        first_found="2026-01-01 10:00",
    )
    path = made.save(tmp_path)
    [case] = loads(path.read_text().partition("\n[finding]\n")[0] + "\n")

    assert case.arguments == made.arguments
    assert Finding.load(path).explanation == made.explanation
    assert "python -m fuzz replay" in path.read_text()


def test_a_kept_finding_is_asked_of_its_claim_again(tmp_path, heap, profile):
    case = {"vocabulary": Vocabulary(((b"a", b"b"),)), "text": "abab", "other": "b"}
    finding = Finding(
        canonical_id("ENC-7", case), arguments_of(case), "ENC-7", "must", "heap", "heap", "AssertionError"
    )
    finding.first_found = "2026-01-01 10:00"
    regressions = tmp_path / "regressions"
    regressions.mkdir()
    regression, new = keep(finding.save(tmp_path), "Because.", regressions)
    asked = {claim.id: case for claim, case in fitting([t.claim for t in EVERY], regression, heap, profile)}

    assert asked["ENC-7"] == case
    assert (tmp_path / "kept" / f"{finding.id}.toml").exists()
    assert (regression.why, new) == ("Because.", True)


@pytest.mark.parametrize("name", ["VOC-2", "ENC-8", "ENC-12", "ENC-14", "TRN-4", "TRN-5", "TRN-8", "TRN-12", "SPC-4"])
def test_kept_findings_of_every_shape_are_asked_of_their_claim(name, tmp_path, heap, profile):
    [target] = targets([name])
    case = target.case(profile, Blind(1, target).data(3))
    finding = Finding(
        "abc", arguments_of(case), name, "must", "heap", "heap", "AssertionError", first_found="2026-01-01"
    )
    asked = list(fitting([target.claim], finding.regression("Why."), heap, profile))

    assert case in [asked_case for _, asked_case in asked]


@pytest.mark.parametrize("name", ["state", "files", "ids"])
def test_kept_findings_beyond_the_claims_are_asked_again(name, heap, profile):
    [target] = targets([name])
    case = target.case(profile, Blind(1, target).data(3))
    finding = Finding(
        "abc", arguments_of(case), name, "must", "heap", "heap", "AssertionError", first_found="2026-01-01"
    )

    assert (target.claim, case) in list(fitting([target.claim], finding.regression("Why."), heap, profile))


def test_a_signature_tells_where_in_the_plug_in(heap):
    def raised(text):
        try:
            heap(Vocabulary()).encode(text)
        except UnicodeEncodeError as error:
            return signature_of("ENC-1", error)
        return ""

    assert raised("\ud800").startswith("ENC-1 UnicodeEncodeError")
    assert raised("\ud800") == raised("ab\udfff")


@pytest.mark.parametrize(("body", "kind"), [("ctypes.string_at(0)", "killed by SIGSEGV"), ("os._exit(9)", "exit 9")])
def test_what_ends_the_process_is_shrunk_in_children(body, kind, tmp_path):
    path = tmp_path / "deadly.py"
    path.write_text(
        "import ctypes, os\nfrom implementations.naive import Tokenizer as Naive\nclass Tokenizer(Naive):\n"
        f"    def encode(self, text):\n        if 'x' in text:\n            {body}\n"
        "        return super().encode(text)\n"
    )
    [target] = targets(["ENC-1"])
    case = {"vocabulary": Vocabulary(((b"a", b"b"), (b"ab", b"c"))), "text": "hello xyz abc"}
    job = Job(str(path), "deadly", str(tmp_path), str(tmp_path), [], [])
    shrinker = Shrinker(target, resolve(str(path))[0], {kind}, job)
    small = shrinker.smallest(case, lambda case, kinds: True)

    assert small == {"vocabulary": Vocabulary(), "text": "x"}


def test_a_fresh_process_answers_for_one_that_dies(tmp_path):
    path = tmp_path / "deadly.py"
    path.write_text(
        "import os\nfrom implementations.naive import Tokenizer as Naive\nclass Tokenizer(Naive):\n"
        "    def encode(self, text):\n        os.abort()\n"
    )
    verdict = ask(Request(str(path), "deadly", "ENC-1", data=(SEAM + b"ab").hex(), call_limit=2))

    assert verdict.kind == "killed by SIGABRT"


def test_a_job_survives_its_file(tmp_path):
    job = Job("heap", "heap", str(tmp_path), str(tmp_path), ["ENC-1"], [0], profile={"patterns": [None]})

    assert Job.load(job.save(tmp_path / "job.json")) == job
    assert json.loads((tmp_path / "job.json").read_text())["names"] == ["ENC-1"]

"""Expected failures: read, played, told apart, and written anew."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.heap import Tokenizer as Heap
from implementations.loader import resolve
from implementations.plugged import Implementation
from properties.budgets import BUDGETS
from properties.claims import all_claims
from properties.runner import Outcome, try_claim
from properties.stored.apart import KNOWN
from properties.stored.expectations import (
    Expectation,
    Expectations,
    MalformedExpectation,
    arguments_of,
    expectation_of,
    in_range,
    read,
    signature_of,
    write,
)
from properties.stored.regressions import Regression
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = {claim.id: claim for claim in all_claims()}


@pytest.fixture
def plugin(tmp_path) -> Path:
    return Path(shutil.copy(ROOT / "tests" / "plugins" / "known.py", tmp_path / "known.py"))


def implementation(plugin: Path, name: str = "Bare") -> Implementation:
    return resolve(f"{plugin}:{name}")[0]


def run(*options, only="properties", **environment):
    command = [sys.executable, "-m", "pytest", only, "-p", "no:cacheprovider", *options]
    cleared = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        command, cwd=ROOT, env=cleared | environment, capture_output=True, text=True, timeout=500, check=False
    )
    return done.returncode, done.stdout + done.stderr


def listed(plugin: Path, *, signature: str | None = None, versions: str = ">=1.2,<2") -> Path:
    """The file beside the plug-in, with DEC-2 in it."""
    outcome = try_claim(CLAIMS["DEC-2"], implementation(plugin), BUDGETS["quick"])
    made = expectation_of(outcome)
    stored = Regression("known-bare-dec-2", "It says so.", "its manual", made.stored.arguments, ("DEC-2",))
    path = plugin.with_name("known.expected.toml")
    write(path, [Expectation(stored, signature or made.signature, versions)])
    return path


def test_an_entry_reads_back_and_its_witness_is_the_case(plugin):
    path = listed(plugin)
    [entry] = read(path)
    assert entry.claim == "DEC-2"
    assert entry.case(CLAIMS["DEC-2"], implementation(plugin)) == {"vocabulary": Vocabulary(), "ids": [256]}
    assert entry.signature == "AssertionError after decode([256]) -> ''"


def test_what_fails_as_listed_is_expected(plugin):
    listed(plugin)
    expected = Expectations.of(implementation(plugin))
    played = expected.play(CLAIMS["DEC-2"], implementation(plugin))
    assert (played.complaint, played.outcome.status, played.outcome.cases) == ("", "refuted", 1)


def test_a_run_with_expected_failures_passes_and_says_so(plugin):
    listed(plugin)
    status, output = run(f"--impl={plugin}:Bare", "--claims=DEC-2", "--claims=ENC-1", "--budget=quick", "-rx")
    assert status == 0, output
    assert "1 passed" in output
    assert "1 xfailed" in output
    assert "expected: It says so. (its manual)" in output
    assert "as expected: DEC-2" in output
    assert "refuted: DEC-2" not in output


def test_no_expect_searches(plugin):
    listed(plugin)
    status, output = run(f"--impl={plugin}:Bare", "--claims=DEC-2", "--budget=quick", "--no-expect")
    assert status == 1
    assert "DEC-2 (must) is refuted by known.Bare" in output


def test_what_holds_in_spite_of_its_entry_fails_the_run(plugin):
    listed(plugin)
    status, output = run(f"--impl={plugin}:Bare", "--claims=DEC-2", KNOWN_WAY="right")
    assert status == 1
    assert "its witness now holds: remove the entry, or run with --expect-fix" in output


def test_what_fails_otherwise_fails_the_run(plugin):
    listed(plugin)
    status, output = run(f"--impl={plugin}:Bare", "--claims=DEC-2", KNOWN_WAY="other")
    assert status == 1
    assert "AssertionError after decode([256]) -> ''\nand its witness now fails with" in output
    assert "AssertionError after decode([256]) -> '?'" in output


def test_an_entry_for_other_versions_is_not_in_force(plugin):
    listed(plugin)
    status, output = run(f"--impl={plugin}:Bare", "--claims=DEC-2", "--budget=quick", KNOWN_VERSION="2.0")
    assert status == 1
    assert "1 expected failures are listed for other versions than 2.0" in output


def test_an_entry_of_another_attribute_is_not_in_force(plugin):
    listed(plugin)
    assert Expectations.of(implementation(plugin, "LeavesOutUnknown")).entries == {}


@pytest.mark.parametrize(
    "option", ["--claims=DEC-*", "--budget=quick", "-kENC", "--no-expect"], ids=lambda option: option.strip("-=*")
)
def test_fixing_refuses_a_partial_run(plugin, option):
    path = listed(plugin)
    before = path.read_text()
    status, output = run(f"--impl={plugin}:Bare", "--expect-fix", option)
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "--expect-fix takes a whole run, and this one has" in output
    assert path.read_text() == before


def test_fixing_refuses_a_run_of_one_file(plugin):
    path = listed(plugin)
    before = path.read_text()
    _, output = run(f"--impl={plugin}:Bare", "--expect-fix", only="properties/test_files.py")
    assert "not written for known.Bare" in output
    assert "claims were not asked" in output
    assert path.read_text() == before


def test_fixing_writes_the_file_anew_and_keeps_the_words(plugin):
    path = listed(plugin, signature="something else")
    kept = path.read_text()
    status, output = run(f"--impl={plugin}:Bare", "--expect-fix", "-q")
    assert "expected failures of known.Bare" in output, output[-2000:]
    assert path.read_text() != kept
    entries = {entry.claim: entry for entry in read(path)}
    assert entries["DEC-2"].stored.why == "It says so."
    assert entries["DEC-2"].signature == "AssertionError after decode([256]) -> ''"
    status, output = run(f"--impl={plugin}:Bare", "-q", "--budget=quick")
    assert status == 0, output[-3000:]


def test_an_entry_made_anew_sets_apart_what_its_counterexample_is_one_of():
    [heap] = resolve("heap")
    [claim] = (claim for claim in all_claims() if claim.id == "SPC-5")
    case = {"vocabulary": Vocabulary((), {"<s>": 300, "<s>>": 301})}
    outcome = Outcome(claim, heap, 0, "refuted", case=case, error=ValueError("no"))
    before = Expectation(expectation_of(outcome).stored, "another", "", ("overlapping special tokens",))
    assert expectation_of(outcome, before).apart == before.apart
    outcome.case = {"vocabulary": Vocabulary((), {"<s>": 300})}  # another fault: the search must go on to find it
    assert expectation_of(outcome, before).apart == ()


def test_the_ranges_of_versions():
    assert in_range("1.2.3", "==1.2")
    assert in_range("1.2.3", ">=1.2, <1.3")
    assert not in_range("1.3", "<1.3")
    assert in_range("1.3", "")
    with pytest.raises(ValueError, match="is no version with"):
        in_range("1", "~1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[failure]]\nid = 'a'", "failure 1"),
        ("[[failure", "Expected"),
        ("[[failure]]\nid='a'\ntext='a'\nwhy='b'\nfound='c'\nclaims=['ENC-1']", "and a signature"),
        ("[[failure]]\nid='a'\ntext='a'\nwhy='b'\nfound='c'\nclaims=['ENC-1']\nsignature='x'\nversions='new'", "'new'"),
        ("[[failure]]\nid='a'\ntext='a'\nwhy='b'\nfound='c'\nclaims=['ENC-1']\nsignature='x'\napart=['y']", "some of"),
    ],
)
def test_a_malformed_file_is_told_with_its_place(tmp_path, text, said):
    path = tmp_path / "x.expected.toml"
    path.write_text(text)
    with pytest.raises(MalformedExpectation, match=r"x\.expected\.toml") as caught:
        read(path)
    assert said in str(caught.value)


def test_a_vocabulary_is_stored_by_its_fields():
    vocabulary = Vocabulary(((b"a", b"b"),), {"<s>": 300}, r"\w+")
    assert arguments_of({"vocabulary": vocabulary, "text": "a"}) == {
        "merges": ((b"a", b"b"),),
        "special_tokens": {"<s>": 300},
        "pattern": r"\w+",
        "text": "a",
    }


def test_a_death_has_a_signature_without_its_address():
    from properties.isolating import isolate_each

    [deadly] = isolate_each(resolve("tests/plugins/deadly.py:Segfaults"))
    outcome = try_claim(CLAIMS["ENC-1"], deadly, BUDGETS["quick"])
    assert signature_of(outcome) == "CallCrashed: SIGSEGV"
    deadly.close()


class ShorterFirst(Heap):
    """Of two special tokens that begin at one place it takes the shorter; and, if told to, loses the letter x."""

    loses = False

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.specials = vocabulary.special_tokens

    def encode(self, text):
        for special in sorted(self.specials, key=len):
            head, found, tail = text.partition(special)
            if found:
                return [*self.encode(head), self.specials[special], *self.encode(tail)]
        return super().encode(text.replace("x", "") if self.loses else text)


def apart_from_overlaps(make):
    overlaps = {"merges": (), "special_tokens": {"a": 256, "aa": 257}, "text": "aa"}
    stored = Regression("x", "Shorter first.", "its manual", overlaps, ("ENC-2",))
    signature = "AssertionError after encode('aa') -> [256, 256]"
    entry = Expectation(stored, signature, apart=("overlapping special tokens",))
    implementation = Implementation.of(make)
    expected = Expectations(None, [entry])
    search = lambda claim: try_claim(claim, implementation, BUDGETS["quick"])  # noqa: E731
    return expected.outcome(CLAIMS["ENC-2"], implementation, search)


def test_other_cases_than_those_set_apart_are_searched():
    outcome, alike = apart_from_overlaps(ShorterFirst)
    assert (alike, outcome.status, outcome.expected) == (True, "refuted", True)
    assert outcome.cases > 10

    outcome, alike = apart_from_overlaps(type("Loses", (ShorterFirst,), {"loses": True}))
    assert (alike, outcome.status, outcome.expected) == (False, "refuted", False)
    assert "x" in outcome.case["text"]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("special tokens", {"vocabulary": Vocabulary((), {"<s>": 256})}),
        ("several special tokens", {"vocabulary": Vocabulary((), {"<s>": 256, "t": 257})}),
        ("overlapping special tokens", {"vocabulary": Vocabulary((), {"<s>": 256, "<s>>": 257})}),
        ("special tokens that are tokens", {"vocabulary": Vocabulary((), {"a": 256})}),
        ("special tokens beyond ASCII", {"vocabulary": Vocabulary((), {"<é>": 256})}),
        ("fewer pairs than merges", {"corpus": ("ab",), "num_merges": 2}),
        ("nothing", {"vocabulary": Vocabulary(), "ids": []}),
        ("patterns with $", {"vocabulary": Vocabulary(pattern=r"\s+$|\S+|\s")}),
        ("texts of 500 bytes", {"text": "a" * 500}),
        ("U+0000", {"texts": ["a", "\0b"]}),
        ("U+0085", {"text": "a\x85"}),
        ("U+2581", {"vocabulary": Vocabulary((), {"\u2581": 256})}),
        ("U+FEFF", {"vocabulary": Vocabulary(), "ids": [0xEF, 0xBB, 0xBF]}),
        ("U+FFFD", {"vocabulary": Vocabulary(), "ids": [0xEF]}),
    ],
)
def test_what_is_set_apart(name, case):
    assert KNOWN[name](case)
    plain = {"vocabulary": Vocabulary(), "text": "a", "ids": [97], "corpus": ("ab",), "num_merges": 1}
    assert not any(known(plain) for known in KNOWN.values())


def test_every_kind_that_is_set_apart_has_a_case_here():
    [mark] = [mark for mark in test_what_is_set_apart.pytestmark if mark.name == "parametrize"]
    assert [name for name, _ in mark.args[1]] == list(KNOWN)


def test_a_witness_is_played_without_what_earlier_calls_left(tmp_path):
    from properties.isolating import isolate_each

    [leaves] = isolate_each(resolve("tests/plugins/deadly.py:KeepsWhatWasLeft"))
    stored = Regression("x", "It keeps it.", "its manual", {"merges": (), "ids": (195,)}, ("DEC-1",))
    path = tmp_path / "x.expected.toml"
    write(path, [Expectation(stored, "AssertionError after decode([195]) -> ''")])
    expected = Expectations(path, read(path))
    for _ in range(3):
        assert not expected.play(CLAIMS["DEC-1"], leaves).complaint
        leaves(Vocabulary()).decode([97, 195])
    leaves.close()


def test_every_file_that_is_shipped_reads():
    for path in sorted((ROOT / "implementations" / "adapters").glob("*.expected.toml")):
        for entry in read(path):
            assert entry.claim in CLAIMS
            assert entry.stored.why

"""A plug-in that dies, hangs or eats memory is a refuted claim with its input, and the run goes on."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from implementations.isolation import IsolatedImplementation, isolated
from implementations.loader import resolve
from implementations.plugged import CallCrashed, CallHung, NotApplicable
from properties.budgets import BUDGETS, Budget
from properties.claims import all_claims
from properties.isolating import PRELOAD, isolate_each
from properties.report.explain import calls_of, explanation
from properties.runner import profile_of, try_claim
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
DEADLY = "tests/plugins/deadly.py"
CLAIMS = {claim.id: claim for claim in all_claims()}
SHORT = Budget("short", cases=60, seconds=3, shrink_seconds=4)
HUNG = {"HangsInC", "Sleeps"}


def deadly(name: str, *, call_limit: float = 5.0, memory_limit: float = 1.0) -> IsolatedImplementation:
    [implementation] = resolve(f"{DEADLY}:{name}")
    implementation.call_limit = call_limit
    made = isolated(implementation, memory_limit=memory_limit, preload=PRELOAD)
    assert isinstance(made, IsolatedImplementation)
    return made


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Segfaults", "the process was ended by SIGSEGV in encode"),
        ("Aborts", "the process was ended by SIGABRT in encode; it wrote:\nabout to abort"),
        ("ExitsAtOnce", "the process exited with 3 in encode"),
        ("HangsInC", "encode did not return within 0.5 seconds and was killed"),
        ("Sleeps", "encode('aa') did not return within 0.5 seconds"),
        ("EatsMemory", "it used more than 0.5 GiB of memory in encode and was killed"),
        ("RecursesToDeath", "the process was ended by SIGSEGV in encode"),
        ("Panics", "encode('aa') raised no Exception but PanicException: index out of bounds"),
    ],
)
def test_each_way_to_die_is_named_and_the_next_call_is_served(name, said):
    implementation = deadly(name, call_limit=0.5 if name in HUNG else 5.0, memory_limit=0.5)
    with pytest.raises(CallHung if name in HUNG else CallCrashed) as caught:
        implementation(Vocabulary()).encode("aa")

    assert said in str(caught.value)
    assert implementation(Vocabulary()).encode("ab") == [97, 98]
    implementation.close()


@pytest.mark.parametrize("name", ["Segfaults", "Aborts", "ExitsAtOnce", "EatsMemory", "HangsInC"])
def test_a_death_is_a_refuted_claim_shrunk_and_the_other_claims_are_tried(name):
    implementation = deadly(name, call_limit=1.0, memory_limit=0.3)
    profile = profile_of(implementation)
    outcome = try_claim(CLAIMS["ENC-1"], implementation, SHORT, profile=profile)

    assert outcome.status == "refuted"
    if name not in ("EatsMemory", "HangsInC"):  # each of these tries takes a second
        assert len(outcome.case["text"]) == 2
        assert outcome.case["vocabulary"] == Vocabulary()
    assert not outcome.stateful
    assert "The smallest counterexample found" in explanation(outcome, "pytest")
    assert try_claim(CLAIMS["DEC-1"], implementation, SHORT, profile=profile).status == "passed"
    implementation.close()


def test_an_isolated_tokenizer_is_what_it_is_in_this_process():
    [here] = resolve("heap")
    there = isolated(here, preload=PRELOAD)
    vocabulary = Vocabulary(((b"a", b"b"),), {"<s>": 300}, r"\w+|\W+")
    one, other = here(vocabulary), there(vocabulary)
    for member, argument in [
        ("encode", "ab <s>ab"),
        ("encode_ordinary", "<s>"),
        ("encode_batch", ["ab", "", "b"]),
        ("pretokenize", "ab ab"),
        ("decode", [256, 300, 97]),
        ("decode_bytes", [256, 255]),
        ("stream_decode", [256, 300]),
    ]:
        assert getattr(one, member)(argument) == getattr(other, member)(argument)
    assert (here.can, here.tie_rules, here.version, here.rank_by) == (
        there.can,
        there.tie_rules,
        there.version,
        there.rank_by,
    )
    lesson = {"pattern": None, "tie_rule": "first-seen"}
    assert here.train(["abab"], 2, **lesson) == there.train(iter(["abab"]), 2, **lesson)
    with pytest.raises(Exception, match="999"):
        other.decode([999])
    there.close()


def test_saving_and_loading_crosses(tmp_path):
    there = isolated(resolve("heap")[0], preload=PRELOAD)
    there(Vocabulary(((b"a", b"b"),))).save(tmp_path / "saved")
    assert there.load(tmp_path / "saved").encode("ab") == [256]
    there.close()


@pytest.mark.parametrize("id", ["OBJ-1", "OBJ-2", "OBJ-4", "TRN-13", "FIL-1", "ENC-17"])
def test_claims_on_objects_threads_and_files_hold_in_the_worker(id):
    there = deadly("Safe")
    outcome = try_claim(CLAIMS[id], there, BUDGETS["quick"])
    assert (outcome.status, outcome.error) == ("passed", None)
    assert outcome.cases
    there.close()


def test_aliasing_is_seen_where_it_happens():
    there = deadly("SharesItsResults")
    outcome = try_claim(CLAIMS["OBJ-1"], there, SHORT)
    assert outcome.status == "refuted"
    assert [call.member for call in calls_of(outcome)][:2] == ["Tokenizer", "encode"]
    there.close()


def test_an_exception_that_cannot_be_pickled_keeps_its_name_words_and_kind():
    there = deadly("Unpicklable")
    with pytest.raises(ValueError, match="odd") as caught:
        there(Vocabulary()).encode("aa")
    assert type(caught.value).__name__ == "OddError"
    assert caught.value.__notes__ == ["in encode('aa')"]
    assert there.restarts == 0
    there.close()


def test_a_refusal_is_not_applicable_there_too():
    there = isolated(resolve("tests/plugins/misbehaving.py:OnlyOnePiece")[0], preload=PRELOAD)
    with pytest.raises(NotApplicable, match="splits no text"):
        there(Vocabulary(pattern=r"\w+|\W+"))
    there.close()


def many_times(function, argument):
    for _ in range(200_000):
        function(argument)


def test_a_death_between_two_calls_is_told_as_such():
    there = deadly("DiesLater")
    tokenizer = there(Vocabulary())
    tokenizer.encode("b")
    with pytest.raises(CallCrashed, match="SIGPROF"):
        many_times(tokenizer.encode, "a" * 100)
    there.close()


def test_a_large_vocabulary_crosses_once():
    from properties.cases.domains import many_merges

    there = deadly("Safe")
    large = many_merges(20_000)
    first = time.perf_counter()
    there(large).encode("!I")
    first = time.perf_counter() - first
    worker = there._worker
    assert len(worker._kept) == 1
    there.kept_from = 3_000
    tokenizer = there(large)
    start = time.perf_counter()
    for _ in range(20):
        tokenizer.encode("!I")
    assert time.perf_counter() - start < 20 * first
    assert len(worker._kept) == 1
    there.close()


def test_a_plug_in_that_no_other_process_can_load_is_refused():
    from implementations.plugged import Implementation

    class Local:
        def __init__(self, vocabulary): ...

    with pytest.raises(ValueError, match="Local"):
        isolated(Implementation.of(Local))


def test_a_program_has_its_own_process_already():
    [program] = resolve("cmd:some-program --serve")
    assert isolated(program) is program


def test_the_ways_to_isolate():
    def ways(way: str) -> list[bool]:
        plugs = [*resolve("heap"), *resolve(f"{DEADLY}:Safe")]
        return [isinstance(i, IsolatedImplementation) for i in isolate_each(plugs, way)]

    assert (ways("auto"), ways("process"), ways("none")) == ([False, True], [True, True], [False, False])
    with pytest.raises(ValueError, match="no way to isolate named 'thread'; there are auto, process, none"):
        ways("thread")
    with pytest.raises(ValueError, match="more than 0 GiB"):
        isolate_each([], "none", 0)


def test_no_process_is_left_behind():
    script = (
        "from implementations.loader import resolve\n"
        "from implementations.isolation import isolated\n"
        "from reference.model import Vocabulary\n"
        "i = isolated(resolve('heap')[0]); i(Vocabulary()).encode('a'); print(i._worker.process_id)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_a_run_of_pytest_goes_on_after_a_death():
    command = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "-rN", "--budget=quick"]
    command += [f"--impl={DEADLY}:Segfaults", "--claims=ENC-1", "--claims=ENC-2", "--claims=DEC-1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.count("What was raised: CallCrashed: the process was ended by SIGSEGV in encode") == 2
    assert "2 failed, 1 passed" in done.stdout

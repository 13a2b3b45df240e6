"""Every call to a plugged-in implementation is guarded: what it does wrong is named, and the suite goes on."""

import threading
import time

import pytest

from implementations import plugged
from implementations.plugged import (
    CallCrashed,
    CallFailed,
    CallHung,
    Implementation,
    NotApplicable,
    WrongType,
)
from reference.model import Vocabulary


def plug(limit=10.0, **members):
    """An implementation whose tokenizer has these members besides an encode and a decode that do."""
    kept = {"encode": lambda self, text: [1], "decode": lambda self, ids: "", "__init__": lambda self, vocabulary: None}
    implementation = Implementation.of(type("Odd", (), kept | members))
    implementation.call_limit = limit
    return implementation


def message_of(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


# The time limit


def forever(self, text):
    while True:
        pass


def forever_swallowing_exceptions(self, text):
    while True:
        try:  # noqa: SIM105
            sum(range(100))
        except Exception:
            pass


def forever_swallowing_everything(self, text):
    while True:
        try:
            for _ in range(10):
                pass
        except:  # noqa: E722
            pass


def late_but_quiet(self, text):
    try:
        time.sleep(5)
    except BaseException:
        return [1]


def late_and_loud(self, text):
    try:
        time.sleep(5)
    except BaseException:
        raise ValueError("something came in between") from None


@pytest.mark.parametrize(
    "encode",
    [forever, forever_swallowing_exceptions, forever_swallowing_everything, late_but_quiet, late_and_loud],
)
def test_a_call_that_does_not_return_is_hung(encode):
    start = time.monotonic()
    message = message_of(CallHung, lambda: plug(0.2, encode=encode)(Vocabulary()).encode("ab"))
    assert message == "encode('ab') did not return within 0.2 seconds"
    assert time.monotonic() - start < 60  # what swallows everything has to be met outside of its `try`, by chance


def test_a_constructor_that_hangs_is_hung():
    implementation = plug(0.2, __init__=forever)
    assert message_of(CallHung, lambda: implementation(Vocabulary())).startswith("Tokenizer(Vocabulary(")
    assert implementation.can == frozenset()  # then its class is asked


def test_a_stream_that_never_ends_is_hung():
    def stream_decode(self, ids):
        while True:
            yield ""

    tokenizer = plug(0.2, stream_decode=stream_decode)(Vocabulary())
    assert message_of(CallHung, lambda: tokenizer.stream_decode([1])).startswith("stream_decode([1]) did not return")


def test_the_alarm_is_off_after_the_call_and_a_foreign_one_goes_on():
    rang = []
    signal = plugged.signal
    old = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.5)
        with pytest.raises(CallHung):
            plug(0.05, encode=forever)(Vocabulary()).encode("")
        assert not rang
        deadline = time.monotonic() + 10
        while not rang and time.monotonic() < deadline:
            time.sleep(0.05)
        assert rang == [True]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_foreign_alarm_that_rings_between_two_calls_is_passed_on():
    rang = []
    signal = plugged.signal
    old = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    tokenizer = plug(5)(Vocabulary())
    try:
        with plugged.alarms_answered():
            tokenizer.encode("a")
            signal.raise_signal(signal.SIGALRM)
            tokenizer.encode("a")
        assert rang == [True]
        signal.raise_signal(signal.SIGALRM)
        assert rang == [True, True]
    finally:
        signal.signal(signal.SIGALRM, old)


def pause(self, text):
    end = time.monotonic() + float(text)
    while time.monotonic() < end:
        time.sleep(0.01)
    return [1]


def test_the_timer_runs_on_from_call_to_call_and_each_has_its_own_limit():
    signal = plugged.signal
    slow, quick = plug(0.5, encode=pause)(Vocabulary()), plug(0.2, encode=pause)(Vocabulary())
    with plugged.alarms_answered():
        assert slow.encode("0") == [1]
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        for _ in range(4):  # longer than the limit together
            assert slow.encode("0.2") == [1]
        message_of(CallHung, lambda: quick.encode("60"))
        message_of(CallHung, lambda: slow.encode("60"))
        message_of(CallHung, lambda: slow.encode("60"))
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_alarm_between_two_calls_is_nobody_s_and_the_next_call_has_its_limit():
    signal = plugged.signal
    rang = []
    old = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    slow = plug(0.2, encode=pause)(Vocabulary())
    try:
        with plugged.alarms_answered():
            slow.encode("0")
            pause(None, "0.5")
            assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
            message_of(CallHung, lambda: slow.encode("60"))
    finally:
        signal.signal(signal.SIGALRM, old)
    assert not rang


def test_no_limit_where_none_is_set_and_in_other_threads():
    slow = plug(0.02, encode=lambda self, text: time.sleep(0.1) or [2])
    results = []
    thread = threading.Thread(target=lambda: results.append(slow(Vocabulary()).encode("a")))
    thread.start()
    thread.join()
    slow.call_limit = 0
    assert [*results, slow(Vocabulary()).encode("a")] == [[2], [2]]


def test_a_call_within_a_call_keeps_the_outer_limit():
    inner = plug(0)(Vocabulary())
    outer = plug(0.2, encode=lambda self, text: inner.encode(text) and forever(self, text))
    with pytest.raises(CallHung):
        outer(Vocabulary()).encode("a")


# Crashes and exceptions


class Panic(BaseException):
    pass


@pytest.mark.parametrize("crash", [Panic("index out of bounds"), SystemExit(2), GeneratorExit()])
def test_what_is_no_exception_is_a_crash(crash):
    def decode(self, ids):
        raise crash

    message = message_of(CallCrashed, lambda: plug(decode=decode)(Vocabulary()).decode([7]))
    assert message == f"decode([7]) raised no Exception but {type(crash).__name__}: {crash}"


def test_a_keyboard_interrupt_passes():
    def decode(self, ids):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plug(decode=decode)(Vocabulary()).decode([])


def test_its_own_exception_passes_unchanged_with_the_call_noted():
    own = KeyError("ab")

    def encode(self, text):
        raise own

    with pytest.raises(KeyError) as caught:
        plug(encode=encode)(Vocabulary()).encode("x" * 1000)
    assert caught.value is own
    (note,) = own.__notes__
    assert note.startswith("in encode('xxx")
    assert len(note) < 250


def test_every_failed_call_is_an_assertion_error_and_not_applicable_is_none():
    assert issubclass(CallFailed, AssertionError)
    for kind in (CallHung, CallCrashed, WrongType, plugged.CommandFailed):
        assert issubclass(kind, CallFailed)
    assert not issubclass(NotApplicable, AssertionError)


# What is not offered


def refuse(self, *_):
    raise NotImplementedError("only the pattern of GPT-2")


def test_not_implemented_is_not_applicable():
    assert message_of(NotApplicable, lambda: plug(__init__=refuse)(Vocabulary())) == "only the pattern of GPT-2"
    assert (
        message_of(NotApplicable, lambda: plug(encode=refuse)(Vocabulary()).encode("")) == "only the pattern of GPT-2"
    )


@pytest.mark.parametrize(
    "member", ["decode_bytes", "encode_ordinary", "encode_batch", "pretokenize", "stream_decode", "save"]
)
def test_a_member_that_is_absent_is_not_applicable(member):
    tokenizer = plug()(Vocabulary())
    assert message_of(NotApplicable, lambda: getattr(tokenizer, member)([])) == f"offers no {member}"


def test_training_and_loading_that_are_absent_are_not_applicable():
    implementation = plug()
    train = lambda: implementation.train([], 1, pattern=None, tie_rule="first-seen")  # noqa: E731
    assert message_of(NotApplicable, train) == "offers no train"
    assert message_of(NotApplicable, lambda: implementation.load("x")) == "offers no load"


@pytest.mark.parametrize("member", ["encode", "decode"])
def test_a_member_that_is_required_is_missed(member):
    tokenizer = plug(**{member: None})(Vocabulary())
    assert message_of(WrongType, lambda: getattr(tokenizer, member)([])).endswith(
        f"has no {member}; the contract requires it"
    )


def test_what_it_can_do_is_found_at_the_object_or_else_at_the_class():
    full = {"decode_bytes": lambda self, ids: b"", "save": lambda self, path: None, "train": staticmethod(list)}
    assert plug(**full).can == {"decode_bytes", "train"}  # saving without loading is of no use
    assert plug(**full, load=classmethod(lambda cls, path: cls(None))).can == {"decode_bytes", "train", "save"}
    assert plug(**full, __init__=refuse).can == {"decode_bytes", "train"}

    def by_instance(vocabulary):
        tokenizer = type("Bare", (), {})()
        tokenizer.pretokenize = str.split
        return tokenizer

    assert Implementation.of(by_instance).can == {"pretokenize"}


def test_nothing_runs_before_it_is_asked_for():
    made = []
    implementation = Implementation.of(made.append)
    assert made == []
    assert implementation.name == "append"


# Wrong types


@pytest.mark.parametrize(
    ("member", "argument", "result", "said"),
    [
        ("encode", "ab", (1, 2), "encode('ab') returned a tuple: (1, 2); the contract says list[int]"),
        ("encode", "ab", [True], "encode('ab') returned a list: [True]; the contract says list[int]"),
        ("encode", "ab", None, "encode('ab') returned a NoneType: None; the contract says list[int]"),
        ("encode_ordinary", "", [1.0], "encode_ordinary('') returned a list: [1.0]; the contract says list[int]"),
        ("decode", [1], b"a", "decode([1]) returned a bytes: b'a'; the contract says str"),
        ("decode_bytes", [1], "a", "decode_bytes([1]) returned a str: 'a'; the contract says bytes"),
        (
            "encode_batch",
            ["a"],
            [(1,)],
            "encode_batch(['a']) returned a list: [(1,)]; the contract says list[list[int]]",
        ),
        ("pretokenize", "a", "a", "pretokenize('a') returned a str: 'a'; the contract says list[str]"),
        ("stream_decode", [1], "a", "stream_decode([1]) returned a str: 'a'; the contract says an iterable of str"),
        (
            "stream_decode",
            [1],
            [b""],
            "stream_decode([1]) returned a list: [b'']; the contract says an iterable of str",
        ),
    ],
)
def test_a_wrong_type_is_named(member, argument, result, said):
    tokenizer = plug(**{member: lambda self, argument: result})(Vocabulary())
    assert message_of(WrongType, lambda: getattr(tokenizer, member)(argument)) == said


@pytest.mark.parametrize("result", [None, {}, [b"ab"], [("a", "b")], [(b"a",)], iter([])])
def test_training_must_give_pairs_of_bytes(result):
    implementation = plug(train=staticmethod(lambda corpus, num_merges, **options: result))
    with pytest.raises(WrongType, match="the contract says a sequence of pairs of bytes"):
        implementation.train(["a"], 1, pattern=None, tie_rule="first-seen")


def test_training_gives_a_tuple_of_tuples_and_passes_everything_on():
    got = []

    def train(corpus, num_merges, **options):
        got.append((list(corpus), num_merges, options))
        return [[b"a", b"b"]]

    implementation = plug(train=staticmethod(train))
    merges = implementation.train(iter(["x"]), 3, pattern="p", tie_rule="t", special_tokens=("s",))
    assert merges == ((b"a", b"b"),)
    assert got == [(["x"], 3, {"pattern": "p", "tie_rule": "t", "special_tokens": ("s",)})]


def test_the_list_of_encode_is_the_implementation_s_own():
    shared = [1]
    tokenizer = plug(encode=lambda self, text: shared)(Vocabulary())
    assert tokenizer.encode("a") is shared


def test_attributes_and_their_defaults():
    bare = plug()
    attributes = (
        bare.version,
        bare.algorithm,
        bare.rank_by,
        bare.whole_piece_first,
        bare.own_vocabulary,
        bare.tie_rules,
    )
    assert attributes == ("", "bpe", "pair", False, False, None)
    told = plug(version=2, algorithm="unigram", rank_by="bytes", whole_piece_first=True, tie_rules=["first-seen"])
    attributes = (told.version, told.algorithm, told.rank_by, told.whole_piece_first, told.tie_rules)
    assert attributes == ("2", "unigram", "bytes", True, ("first-seen",))


def test_attributes_of_a_wrong_kind_are_named():
    assert message_of(WrongType, lambda: plug(tie_rules="first-seen").tie_rules) == (
        "tie_rules is 'first-seen'; the contract says a tuple of str"
    )
    assert message_of(WrongType, lambda: plug(rank_by="rank").rank_by) == (
        "rank_by is 'rank'; the contract says 'pair' or 'bytes'"
    )


def test_an_implementation_with_its_own_vocabulary():
    own = plug(own_vocabulary=True, size=3, normalize=lambda self, text: text.lower())
    assert message_of(NotApplicable, lambda: own(Vocabulary())) == "brings its own vocabulary"
    assert (own(None).size, own(None).normalize("A")) == (3, "a")
    assert plug(own_vocabulary=True)(None).normalize("A") == "A"
    assert message_of(WrongType, lambda: plug(own_vocabulary=True)(None).size) == "size is None; the contract says int"


def test_a_guarded_call_costs_microseconds():
    tokenizer = plug()(Vocabulary())
    start = time.process_time()
    for _ in range(10_000):
        tokenizer.encode("")
    assert (time.process_time() - start) / 10_000 < 100e-6  # about 6 on an idle machine

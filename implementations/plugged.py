"""One plugged-in implementation: what the suite knows of it, and every call to it guarded.

Foreign code may raise, hang, kill the interpreter or return something else than it promised. The suite must tell these
apart, name the call, and go on. The names of the members and attributes are in docs/implementations.md.

    NotApplicable   the implementation does not offer this: the claim says nothing about it
    CallFailed      the call broke the contract: it crashed, hung, or returned a wrong type
    anything else   the implementation's own exception, unchanged, with a note of the call that raised it
"""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from reprlib import Repr
from typing import Any, TypeGuard, TypeVar

from implementations.patience import Patience
from reference.model import Merge, Token, Vocabulary

DEFAULT_CALL_LIMIT = 10.0  # seconds
T = TypeVar("T")
OPTIONAL_MEMBERS = ("decode_bytes", "encode_ordinary", "encode_batch", "pretokenize", "stream_decode")


class NotApplicable(Exception):
    """The implementation does not offer what was asked of it; the message says why."""


class CallFailed(AssertionError):
    """A call broke the contract in a way that no claim has to spell out."""


class CallCrashed(CallFailed):
    """A call raised something that is no `Exception`, such as a panic or `SystemExit`."""


class CallHung(CallFailed):
    """A call did not return within the time limit."""


class WrongType(CallFailed):
    """A call returned something of another type than the contract says."""


class CommandFailed(CallFailed):
    """A `cmd:` program exited, answered rubbish, or answered nothing in time."""


class Implementation:
    """One implementation, as the suite sees it. `implementation(vocabulary)` gives a `GuardedTokenizer`.

    What it offers is found out when first asked for, so that plugging in runs nothing of it.

    >>> class Bytes:
    ...     version = "1"
    ...     def __init__(self, vocabulary): ...
    ...     def encode(self, text): return list(text.encode())
    ...     def decode(self, ids): return bytes(ids).decode(errors="replace")
    >>> implementation = Implementation.of(Bytes)
    >>> implementation.name, implementation.version, sorted(implementation.can), implementation.tie_rules
    ('Bytes', '1', [], None)
    >>> implementation(Vocabulary()).encode("ab")
    [97, 98]
    >>> implementation(Vocabulary()).pretokenize("ab")
    Traceback (most recent call last):
        ...
    implementations.plugged.NotApplicable: offers no pretokenize
    """

    def __init__(self, make: Callable[..., Any], *, name: str, spec: str, origin: str) -> None:
        self.make = make
        self.name = name  # short: it stands in test ids
        self.spec = spec  # what was written after --impl
        self.origin = origin  # where it comes from, for people
        self.call_limit = DEFAULT_CALL_LIMIT  # seconds; 0 for none
        self.kept_from: int | None = None  # merges; tokenizers of vocabularies that large are made once and kept
        self._kept: dict[Vocabulary, GuardedTokenizer] = {}

    @classmethod
    def of(
        cls, make: Callable[..., Any], *, name: str | None = None, spec: str | None = None, origin: str | None = None
    ) -> Implementation:
        """An implementation made from any callable that takes a vocabulary."""
        short = name or getattr(make, "__name__", None) or type(make).__name__
        place = f"{getattr(make, '__module__', '?')}:{getattr(make, '__qualname__', short)}"
        return cls(make, name=short, spec=spec or place, origin=origin or place)

    def __repr__(self) -> str:
        return f"<Implementation {self.name} ({self.origin})>"

    # What it says of itself. Looked up through the guard: an attribute of foreign code is foreign code too.

    @cached_property
    def title(self) -> str:
        """Its own name where it gives one, for reports."""
        return str(self._attribute("name") or self.name)

    @cached_property
    def version(self) -> str:
        """Its version, or the empty string."""
        return str(self._attribute("version") or "")

    @cached_property
    def algorithm(self) -> str:
        """`bpe` unless it says otherwise."""
        return str(self._attribute("algorithm") or "bpe")

    @cached_property
    def rank_by(self) -> str:
        """`pair` or `bytes`: how a pair of tokens is looked up. Raises `WrongType` for anything else."""
        rank_by = self._attribute("rank_by") or "pair"
        if rank_by not in ("pair", "bytes"):
            raise WrongType(f"rank_by is {rank_by!r}; the contract says 'pair' or 'bytes'")
        return str(rank_by)

    @cached_property
    def whole_piece_first(self) -> bool:
        """Whether a piece that is itself a token is emitted without merging."""
        return bool(self._attribute("whole_piece_first"))

    @cached_property
    def own_vocabulary(self) -> bool:
        """Whether it brings its own vocabulary."""
        return bool(self._attribute("own_vocabulary"))

    @cached_property
    def near_linear(self) -> bool:
        """Whether it says that its time grows nearly in proportion to the text."""
        return bool(self._attribute("near_linear"))

    @cached_property
    def tie_rules(self) -> tuple[str, ...] | None:
        """The tie rules that its training offers; `None` where it names none. Raises `WrongType` for no names."""
        rules = self._attribute("tie_rules")
        if rules is None:
            return None
        if isinstance(rules, str) or not all(isinstance(rule, str) for rule in rules):
            raise WrongType(f"tie_rules is {shortened(rules)}; the contract says a tuple of str")
        return tuple(rules)

    @cached_property
    def can(self) -> frozenset[str]:
        """The optional members that it offers: `train`, `save` (with `load`) and those of `OPTIONAL_MEMBERS`."""
        offers = self._member_test()
        found = {member for member in OPTIONAL_MEMBERS if offers(member)}
        if callable(self._attribute("train")):
            found.add("train")
        if offers("save") and callable(self._attribute("load")):
            found.add("save")
        return frozenset(found)

    def _member_test(self) -> Callable[[str], bool]:
        try:
            sample = self(None if self.own_vocabulary else Vocabulary()).raw
        except Exception:  # it refuses this vocabulary, or fails at it: then ask the class
            if not isinstance(self.make, type):
                return lambda member: True  # nothing to look at: each call will tell
            sample = self.make
        return lambda member: callable(getattr(sample, member, None))

    def _attribute(self, name: str) -> Any:
        return self.guard(name, getattr, self.make, name, None)

    # Calls

    def __call__(self, vocabulary: Vocabulary | None) -> GuardedTokenizer:
        """A tokenizer for `vocabulary`; `None` for the implementation's own."""
        if self.own_vocabulary and vocabulary is not None:
            raise NotApplicable("brings its own vocabulary")
        if vocabulary is None or self.kept_from is None or len(vocabulary.merges) < self.kept_from:
            return GuardedTokenizer(self, self.guard("Tokenizer", self.make, vocabulary))
        if vocabulary not in self._kept:
            made = GuardedTokenizer(self, self.guard("Tokenizer", self.make, vocabulary))
            self._kept = dict([*self._kept.items()][-3:]) | {vocabulary: made}  # some take hundreds of megabytes
        return self._kept[vocabulary]

    def train(
        self,
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Iterable[str] = (),
    ) -> tuple[Merge, ...]:
        """The merges that it learns, as a tuple of pairs of bytes."""
        train = self._attribute("train")
        if train is None:
            raise NotApplicable("offers no train")

        def run(corpus: Iterable[str], num_merges: int) -> Any:
            return train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)

        merges = self.guard("train", run, corpus, num_merges)
        if not isinstance(merges, Sequence) or not all(map(_is_merge, merges)):
            raise _wrong("train", corpus, merges, "a sequence of pairs of bytes")
        return tuple((left, right) for left, right in merges)

    def load(self, path: str | os.PathLike[str]) -> GuardedTokenizer:
        """The tokenizer that was saved at `path`."""
        load = self._attribute("load")
        if load is None:
            raise NotApplicable("offers no load")
        return GuardedTokenizer(self, self.guard("load", load, path))

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function(self, *arguments)` returns. An isolated implementation runs it where its code lives."""
        return function(self, *arguments)

    def restart(self) -> None:
        """Forget what earlier calls have left behind, where that is possible: where it has a process of its own."""

    def guard(self, member: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function(*arguments)` returns; raises as the head of this module says."""
        try:
            return self._run(function, arguments)
        except NotImplementedError as error:
            raise NotApplicable(str(error) or f"does not implement {member}") from error
        except (KeyboardInterrupt, NotApplicable):
            raise
        except _TimeUp:
            limit = f"{self.call_limit:g} seconds"
            raise CallHung(f"{described(member, arguments)} did not return within {limit}") from None
        except Exception as error:
            error.add_note(f"in {described(member, arguments)}")
            raise
        except BaseException as error:
            crash = f"{type(error).__name__}: {error}"
            raise CallCrashed(f"{described(member, arguments)} raised no Exception but {crash}") from error

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        return call_within(self.call_limit, function, arguments)


class GuardedTokenizer:
    """A tokenizer with the members of the contract, guarded and their types checked. `raw` is the plug-in's object."""

    __slots__ = ("implementation", "raw")

    def __init__(self, implementation: Implementation, raw: Any) -> None:
        self.implementation = implementation
        self.raw = raw

    def encode(self, text: str) -> list[Token]:
        """The ids of a text, special tokens recognised: the very list that the implementation returned."""
        return self._ask("encode", text, _are_ids, "list[int]")

    def decode(self, ids: Iterable[Token]) -> str:
        """The text of ids."""
        return self._ask("decode", ids, _is_text, "str")

    def decode_bytes(self, ids: Iterable[Token]) -> bytes:
        """The bytes of ids."""
        return self._ask("decode_bytes", ids, _is_bytes, "bytes")

    def encode_ordinary(self, text: str) -> list[Token]:
        """The ids of a text, special tokens taken for text."""
        return self._ask("encode_ordinary", text, _are_ids, "list[int]")

    def encode_batch(self, texts: Sequence[str]) -> list[list[Token]]:
        """The ids of each text."""
        return self._ask("encode_batch", texts, _are_batch, "list[list[int]]")

    def pretokenize(self, text: str) -> list[str]:
        """The pieces of a text."""
        return self._ask("pretokenize", text, _are_texts, "list[str]")

    def stream_decode(self, ids: Iterable[Token]) -> list[str]:
        """The parts of the text of ids. All are taken within the guard, hence a list."""
        stream = self._member("stream_decode")
        parts = self.implementation.guard("stream_decode", lambda ids: _listed(stream(ids)), ids)
        if not _are_texts(parts):
            raise _wrong("stream_decode", ids, parts, "an iterable of str")
        return parts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to `path`, for `Implementation.load`."""
        self.implementation.guard("save", self._member("save"), path)

    @property
    def size(self) -> int:
        """The size of the vocabulary that the tokenizer brought itself."""
        size = self.implementation.guard("size", getattr, self.raw, "size", None)
        if type(size) is not int:
            raise WrongType(f"size is {shortened(size)}; the contract says int")
        return size

    def normalize(self, text: str) -> str:
        """The form to which the round trip is held; the text itself where the implementation declares none."""
        if getattr(self.raw, "normalize", None) is None:
            return text
        return self._ask("normalize", text, _is_text, "str")

    def _ask(self, member: str, argument: Any, good: Callable[[object], TypeGuard[T]], promised: str) -> T:
        result = self.implementation.guard(member, self._member(member), argument)
        if not good(result):
            raise _wrong(member, argument, result, promised)
        return result

    def _member(self, member: str) -> Callable[[Any], Any]:
        found: Callable[[Any], Any] | None = getattr(self.raw, member, None)
        if found is None:
            if member in ("encode", "decode"):
                raise WrongType(f"the tokenizer, {shortened(self.raw)}, has no {member}; the contract requires it")
            raise NotApplicable(f"offers no {member}")
        return found


# The time limit


class _TimeUp(BaseException):
    """Raised inside a call whose time is up. No `Exception`, so that `except Exception:` in there lets it through."""


class _Alarm:
    armed = False  # a call is under way
    rang = False
    limit = math.inf
    patience: Patience
    answered = False  # our handler is in place
    others: Any = None  # the handler before it
    set_for = 0.0  # the limit that the timer was set to, and runs on from call to call; 0 where it is not ours
    due = math.inf  # when it may ring first


_alarm = _Alarm()
_HAS_TIMER = hasattr(signal, "setitimer")
_MAIN_THREAD = threading.main_thread().ident
_REPEAT = 0.1  # seconds: a foreign `except:` may swallow one alarm, hardly all; and the first may come too early


@contextmanager
def alarms_answered() -> Iterator[None]:
    """Answer SIGALRM for all calls within, and keep the timer running from one to the next.

    A claim makes hundreds of calls, and each would spend most of its time on setting both up.
    """
    if _alarm.answered or not _HAS_TIMER or threading.get_ident() != _MAIN_THREAD:
        yield
        return
    _alarm.others = signal.signal(signal.SIGALRM, _ring)
    _alarm.answered = True
    try:
        yield
    finally:
        if _alarm.set_for:
            _stop_timer()
        _alarm.answered = False
        signal.signal(signal.SIGALRM, signal.SIG_DFL if _alarm.others is None else _alarm.others)


def call_within(limit: float, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What `function(*arguments)` returns; raises `_TimeUp` after `limit` seconds, as `patience.py` counts them.

    Only in the main thread, where Python delivers signals: elsewhere there is no limit. Nor is there one for code that
    does not come back to the interpreter.
    """
    if not 0 < limit < math.inf or not _HAS_TIMER or threading.get_ident() != _MAIN_THREAD or _alarm.armed:
        return function(*arguments)
    if not _alarm.answered:
        with alarms_answered():
            return call_within(limit, function, arguments)
    start = time.monotonic()
    _alarm.rang, _alarm.limit, _alarm.patience = False, limit, Patience(os.getpid(), start)
    foreign_delay = 0.0
    try:
        _alarm.armed = True
        if _alarm.set_for != limit:
            foreign_delay = _set_timer(limit, start)
        result = function(*arguments)
    except BaseException:
        if _alarm.rang:
            raise _TimeUp from None  # whatever the call made of it
        raise
    finally:
        _alarm.armed = False  # first of all: an alarm that rings from here on is ignored
        if foreign_delay:  # someone else's alarm, such as that of a test's timeout, goes on where it was
            _stop_timer()
            signal.setitimer(signal.ITIMER_REAL, max(foreign_delay - (time.monotonic() - start), 1e-6))
    if _alarm.rang:
        raise _TimeUp  # the call swallowed the alarm and returned all the same
    return result


def _set_timer(limit: float, now: float) -> float:
    """Set the timer; gives the seconds after which someone else's would have rung, 0 where there is none."""
    ours = _alarm.set_for
    _alarm.set_for, _alarm.due = limit, now + limit
    delay, _ = signal.setitimer(signal.ITIMER_REAL, limit, _REPEAT)
    return 0.0 if ours else delay


def _stop_timer() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    _alarm.set_for, _alarm.due = 0.0, math.inf


def _ring(*details: Any) -> None:
    if _alarm.armed:
        left = _alarm.limit - _alarm.patience.used()
        if _alarm.rang or left <= 0:
            _alarm.rang = True
            raise _TimeUp
        signal.setitimer(signal.ITIMER_REAL, max(left, _REPEAT), _REPEAT)  # it was set for an earlier call
    elif time.monotonic() >= _alarm.due:
        _stop_timer()  # between two calls; the next one sets it anew
    elif callable(_alarm.others):
        _alarm.others(*details)


# Types and words

_INT_ALONE = frozenset({int})
_short = Repr()
_short.maxstring = _short.maxother = 200
_PRIVATE = re.compile(r" at 0x[0-9a-fA-F]+|\b_implementation_\w+?_[0-9a-f]{12}\.")  # addresses, the loader's own names
_short.maxlist = _short.maxtuple = _short.maxdict = 20


def shortened(value: object) -> str:
    """The repr of a value, shortened to something like 200 characters."""
    try:
        text = _of_vocabulary(value) if isinstance(value, Vocabulary) else _PRIVATE.sub("", _short.repr(value))
    except Exception as error:  # a foreign __repr__
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return text if len(text) <= 300 else f"{text[:200]}…{text[-60:]}"


def _of_vocabulary(vocabulary: Vocabulary) -> str:
    """A vocabulary by what it does not share with the empty one."""
    plain = Vocabulary()
    fields = [name for name in vocabulary.__dataclass_fields__ if getattr(vocabulary, name) != getattr(plain, name)]
    return f"Vocabulary({', '.join(f'{name}={_short.repr(getattr(vocabulary, name))}' for name in fields)})"


def described(member: str, arguments: Iterable[object]) -> str:
    """A call, for people."""
    return f"{member}({', '.join(map(shortened, arguments))})"


def _are_ids(ids: object) -> TypeGuard[list[Token]]:
    # Exactly int: neither bool nor a number of another library, which compares and prints otherwise.
    return isinstance(ids, list) and _INT_ALONE.issuperset(map(type, ids))


def _are_batch(batch: object) -> TypeGuard[list[list[Token]]]:
    return isinstance(batch, list) and all(map(_are_ids, batch))


def _are_texts(texts: object) -> TypeGuard[list[str]]:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)


def _is_text(text: object) -> TypeGuard[str]:
    return isinstance(text, str)


def _is_bytes(data: object) -> TypeGuard[bytes]:
    return isinstance(data, bytes)


def _is_merge(merge: object) -> bool:
    return isinstance(merge, (tuple, list)) and len(merge) == 2 and all(isinstance(side, bytes) for side in merge)


def _listed(parts: Any) -> Any:
    return list(parts) if isinstance(parts, Iterable) and not isinstance(parts, str) else parts


def _wrong(member: str, argument: object, result: object, promised: str) -> WrongType:
    kind = f"a {type(result).__name__}: {shortened(result)}"
    return WrongType(f"{described(member, [argument])} returned {kind}; the contract says {promised}")

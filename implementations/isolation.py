"""An implementation in a process of its own, which may crash, abort, hang or eat memory: the run goes on.

A small process, the *nursery*, imports what every worker needs and nothing foreign; a worker is a fork of it, so it
starts in milliseconds, and no process is ever forked that has run foreign code. What crosses to the worker is one
function and its arguments, such as a whole claim and its case: what a claim says of objects and of threads is then
asked of the objects and the threads themselves.

    CallCrashed   the worker died: the signal or the exit code is named, with what it wrote to standard error
    CallHung      a call did not return in time, in whatever language it was caught
    anything else the exception of the call, as it would have been raised here

It needs a POSIX system; the limit of memory needs Linux.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import itertools
import mmap
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar

from implementations.command import CommandImplementation
from implementations.loader import resolve
from implementations.patience import Patience
from implementations.plugged import (
    CallCrashed,
    CallFailed,
    CallHung,
    GuardedTokenizer,
    Implementation,
)
from reference.model import SINGLE_BYTES, Merge, Vocabulary

MEMORY_LIMIT = 4.0  # GiB of a worker's resident memory
CASE_LIMIT = 120.0  # seconds for one function, the suite's own part included; grows with the limit of a call
GRACE = 1.0  # seconds beyond the limit of a call: the worker's own alarm comes first where it can
LARGE = 3_000  # merges; such a vocabulary crosses once and is then called by its number
_TICK = 0.05  # seconds between two looks at a worker
_QUOTED_LINES = 5
_ROOT = Path(__file__).resolve().parent.parent


def wants_isolation(implementation: Implementation) -> bool:
    """Whether an implementation asks to be isolated: its attribute `isolate`, which compiled packages set."""
    return bool(getattr(implementation.make, "isolate", False))


def isolated(
    implementation: Implementation, *, memory_limit: float = MEMORY_LIMIT, preload: Sequence[str] = ()
) -> Implementation:
    """The same implementation in a process of its own. A `cmd:` program has one already and is returned as it is.

    `preload` names modules that the worker will need. Raises `ValueError` where no other process could load it.
    """
    if isinstance(implementation, (CommandImplementation, IsolatedImplementation)):
        return implementation
    if [other.name for other in resolve(implementation.spec)].count(implementation.name) != 1:
        raise ValueError(f"{implementation.name}: no other process can load {implementation.spec!r}")
    made = IsolatedImplementation(
        implementation.make, name=implementation.name, spec=implementation.spec, origin=implementation.origin
    )
    made.call_limit, made.memory_limit, made.preload = implementation.call_limit, memory_limit, tuple(preload)
    return made


class IsolatedImplementation(Implementation):
    """Everything that an `Implementation` is, asked in a worker."""

    memory_limit = MEMORY_LIMIT
    preload: tuple[str, ...] = ()
    restarts = 0  # how often a worker had to be replaced

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function(implementation, *arguments)` returns in the worker; raises what it raises there."""
        worker = self._worker
        if worker is None:
            worker = self._worker = Worker(self.spec, self.name, self.preload)
        try:
            return worker.ask(
                (function, arguments, self.call_limit, self.kept_from), self.call_limit, self.memory_limit
            )
        except BaseException:
            if worker.ended or sys.exc_info()[0] is KeyboardInterrupt:
                self.close()
                self.restarts += 1
            raise

    _worker: Worker | None = None

    def restart(self) -> None:
        """Let the next call start another worker."""
        self.close()

    def close(self) -> None:
        """End the worker; the next call starts another."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _attribute(self, name: str) -> Any:
        return self.run(_attribute_of, name)

    @cached_property
    def can(self) -> frozenset[str]:
        """The optional members that it offers."""
        found: frozenset[str] = self.run(_can)
        return found

    def __call__(self, vocabulary: Vocabulary | None) -> RemoteTokenizer:
        """A tokenizer for `vocabulary`, in the worker."""
        return RemoteTokenizer(self, ("made", vocabulary))

    def train(
        self,
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Iterable[str] = (),
    ) -> tuple[Merge, ...]:
        """The merges that it learns. The corpus crosses as a list."""
        merges: tuple[Merge, ...] = self.run(_train, list(corpus), num_merges, pattern, tie_rule, tuple(special_tokens))
        return merges

    def load(self, path: str | os.PathLike[str]) -> RemoteTokenizer:
        """The tokenizer that was saved at `path`."""
        return RemoteTokenizer(self, ("loaded", os.fspath(path)))


class RemoteTokenizer(GuardedTokenizer):
    """A tokenizer that lives in the worker; made there anew where the worker was replaced."""

    __slots__ = ("_key",)
    implementation: IsolatedImplementation

    def __init__(self, implementation: IsolatedImplementation, key: tuple[str, Any]) -> None:
        super().__init__(implementation, None)
        self._key = key
        implementation.run(_make, key)

    def _ask(self, member: str, argument: Any, good: object = None, promised: str = "") -> Any:
        argument = argument if isinstance(argument, (str, os.PathLike)) else list(argument)
        return self.implementation.run(_member, self._key, member, argument)

    def stream_decode(self, ids: Iterable[int]) -> list[str]:
        """The parts of the text of ids."""
        parts: list[str] = self._ask("stream_decode", ids)
        return parts

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to `path`."""
        self._ask("save", path)

    @property
    def size(self) -> int:
        """The size of the vocabulary that the tokenizer brought itself."""
        size: int = self.implementation.run(_size, self._key)
        return size

    def normalize(self, text: str) -> str:
        """The form to which the round trip is held."""
        normal: str = self._ask("normalize", text)
        return normal


# --- what runs in the worker: functions of the implementation there


def _attribute_of(implementation: Implementation, name: str) -> Any:
    found = implementation._attribute(name)
    return _stand_in if callable(found) else found


def _stand_in() -> None:
    """Stands for a callable that stays in the worker."""


def _can(implementation: Implementation) -> frozenset[str]:
    return implementation.can


def _train(
    implementation: Implementation,
    corpus: list[str],
    num_merges: int,
    pattern: str | None,
    tie_rule: str,
    special_tokens: tuple[str, ...],
) -> tuple[Merge, ...]:
    return implementation.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)


_made: OrderedDict[tuple[str, Any], GuardedTokenizer] = OrderedDict()


def _make(implementation: Implementation, key: tuple[str, Any]) -> None:
    kind, what = key
    _made[key] = implementation(what) if kind == "made" else implementation.load(what)
    _made.move_to_end(key)
    while len(_made) > 8:
        _made.popitem(last=False)


def _found(implementation: Implementation, key: tuple[str, Any]) -> GuardedTokenizer:
    if key not in _made:
        _make(implementation, key)
    return _made[key]


def _member(implementation: Implementation, key: tuple[str, Any], member: str, argument: Any) -> Any:
    return getattr(_found(implementation, key), member)(argument)


def _size(implementation: Implementation, key: tuple[str, Any]) -> int:
    return _found(implementation, key).size


# --- the parent's side


class Worker:
    """One process that has loaded one implementation."""

    def __init__(self, spec: str, name: str, preload: Sequence[str]) -> None:
        self.ended = False
        self._numbers: dict[int, int] = {}  # id of a large vocabulary -> its number
        self._kept: dict[int, Vocabulary] = {}
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115  what it writes to standard output and error
        self._notebook = Notebook(tempfile.TemporaryFile())  # noqa: SIM115
        self._nursery = _nursery_of(tuple(preload))
        self._connection, self.process_id = self._nursery.fork(self._noise.fileno(), self._notebook.file.fileno())
        atexit.register(self.end)
        try:
            self.ask((spec, name), 60.0, float("inf"))
        except BaseException:
            self.end()
            raise

    def ask(self, request: tuple[Any, ...], call_limit: float, memory_limit: float) -> Any:
        """The answer to a request. Raises `CallCrashed` or `CallHung` where it ended the worker, else what came."""
        call_limit = call_limit or float("inf")
        case = call = Patience(self.process_id, time.monotonic())
        try:
            self._send(request)
            while not self._connection.poll(_TICK):
                call = self._watch(case, call, call_limit, memory_limit)
            raised, value = _loads(self._connection.recv_bytes(), self._kept)
        except (EOFError, ConnectionError):
            raise CallCrashed(self._obituary()) from None
        except BaseException:
            self.end()
            raise
        if raised:
            raise value
        return value

    def _send(self, request: tuple[Any, ...]) -> None:
        new = _large_vocabularies(request, self._numbers)
        for vocabulary in new:
            number = len(self._kept)
            # Sent before it has a number, hence in full.
            self._connection.send_bytes(_dumps((number, vocabulary), self._numbers, keep=True))
            self._numbers[id(vocabulary)], self._kept[number] = number, vocabulary
        self._connection.send_bytes(_dumps(request, self._numbers))

    def _watch(self, case: Patience, call: Patience, call_limit: float, memory_limit: float) -> Patience:
        """Kill the worker where it has used its time or memory; the patience with the call in hand."""
        used = _resident(self.process_id)
        member, since = self._notebook.read()
        where = f" in {member}" if member else ""
        if since != call.since:  # another call than at the last look
            call = Patience(self.process_id, since)
        if used > memory_limit * 2**30:
            self.end()
            raise CallCrashed(f"it used more than {memory_limit:g} GiB of memory{where} and was killed")
        if member and call.used() > call_limit + GRACE:
            self.end()
            raise CallHung(f"{member} did not return within {call_limit:g} seconds and was killed")
        case_limit = max(CASE_LIMIT, 30 * call_limit)
        if case.used() > case_limit:
            self.end()
            raise CallHung(f"the whole case took more than {case_limit:g} seconds{where}")
        return call

    def _obituary(self) -> str:
        member, _ = self._notebook.read()
        status = self._nursery.wait(self.process_id)
        noise = self._last_lines()
        self.end(waited=True)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            end = f"the process was ended by {name}"
        else:
            end = f"the process exited with {os.WEXITSTATUS(status)}"
        return f"{end}{f' in {member}' if member else ' between two calls'}{noise}"

    def _last_lines(self) -> str:
        self._noise.seek(max(0, self._noise.seek(0, os.SEEK_END) - 4096))
        lines = self._noise.read().decode(errors="replace").rstrip().splitlines()[-_QUOTED_LINES:]
        return "; it wrote:\n" + "\n".join(lines) if lines else ""

    def end(self, *, waited: bool = False) -> None:
        """Kill it and what it started, once."""
        if self.ended:
            return
        self.ended = True
        atexit.unregister(self.end)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process_id, signal.SIGKILL)
        if not waited:
            with contextlib.suppress(OSError, EOFError):
                self._nursery.wait(self.process_id)
        self._connection.close()
        self._noise.close()
        self._notebook.close()


def _large_vocabularies(value: Any, known: dict[int, int]) -> Iterator[Vocabulary]:
    """Those in a request that have not crossed yet. They stand in its tuples, lists and dicts."""
    if isinstance(value, Vocabulary):
        if len(value.merges) >= LARGE and id(value) not in known:
            yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _large_vocabularies(part, known)
    elif isinstance(value, tuple):
        for part in value:
            yield from _large_vocabularies(part, known)


def _resident(process_id: int) -> int:
    """Bytes of memory that a process has in use; 0 where nobody says."""
    try:
        return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


class Notebook:
    """A page of shared memory in which the worker notes the call in hand: its member and since when."""

    _SIZE = 128

    def __init__(self, file: Any) -> None:
        self.file = file
        os.ftruncate(file.fileno(), self._SIZE)
        self._page = mmap.mmap(file.fileno(), self._SIZE)

    def write(self, member: str, since: float) -> None:
        """Note a call; an empty member for none."""
        self._page[:] = struct.pack("d100p20x", since, member.encode()[:90])

    def read(self) -> tuple[str, float]:
        """The member in hand, and since when; an empty one for none."""
        since, member = struct.unpack("d100p20x", self._page[:])
        return member.decode(errors="replace"), since

    def close(self) -> None:
        """Give the page back."""
        self._page.close()
        self.file.close()


# --- the nursery


class _Nursery:
    """The parent's end of the process that forks workers."""

    def __init__(self, preload: tuple[str, ...]) -> None:
        self._socket, theirs = socket.socketpair()
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, sys.path)])}
        command = f"from implementations.isolation import nurse; nurse({theirs.fileno()}, {preload!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", command],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt from the keyboard is for the parent alone
        )
        theirs.close()
        self._lock = threading.Lock()
        atexit.register(self.close)

    def fork(self, noise: int, notebook: int) -> tuple[Connection, int]:
        """A new worker: the connection to it and its process id."""
        ours, theirs = socket.socketpair()
        with self._lock, theirs:
            socket.send_fds(self._socket, [struct.pack("!cq", b"F", 0)], [theirs.fileno(), noise, notebook])
            process_id = self._answer()
        return Connection(ours.detach()), process_id

    def wait(self, process_id: int) -> int:
        """How a worker ended, as `os.waitpid` says it. Waits for its end."""
        with self._lock:
            self._socket.sendall(struct.pack("!cq", b"W", process_id))
            return self._answer()

    def _answer(self) -> int:
        data = b""
        while len(data) < 8:
            part = self._socket.recv(8 - len(data))
            if not part:
                raise EOFError("the process that starts workers has ended")
            data += part
        return int(struct.unpack("!q", data)[0])

    def close(self) -> None:
        """End it, and with it every worker that is left."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._process.kill()
        self._process.wait()


_nurseries: dict[tuple[int, tuple[str, ...]], _Nursery] = {}


def _nursery_of(preload: tuple[str, ...]) -> _Nursery:
    key = (os.getpid(), preload)  # a fork of the parent needs one of its own
    if key not in _nurseries:
        _nurseries[key] = _Nursery(preload)
    return _nurseries[key]


def nurse(handle: int, preload: tuple[str, ...]) -> None:
    """The nursery's life: fork a worker when asked, tell how one ended when asked, and end them all at the end."""
    for module in preload:
        importlib.import_module(module)
    requests = socket.socket(fileno=handle)
    alive: set[int] = set()
    while True:
        data, handles, _, _ = socket.recv_fds(requests, 9, 3)
        if len(data) < 9:
            break
        kind, number = struct.unpack("!cq", data)
        if kind == b"F":
            answer = os.fork()
            if not answer:
                requests.close()
                _work(*handles)
            alive.add(answer)
            for other in handles:
                os.close(other)
        else:
            answer = os.waitpid(number, 0)[1] if number in alive else 0
            alive.discard(number)
        requests.sendall(struct.pack("!q", answer))
    for process_id in alive:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process_id, signal.SIGKILL)


# --- the worker


class _Watched:
    """Mixed into the class of the worker's implementation: the call in hand stands in the notebook."""

    notebook: ClassVar[Notebook]
    _calls: ClassVar[dict[int, tuple[str, float]]] = {}
    _count: ClassVar[Iterator[int]] = itertools.count()

    def guard(self, member: str, function: Callable[..., Any], *arguments: Any) -> Any:
        number = next(self._count)
        self._calls[number] = (member, time.monotonic())
        self._note()
        try:
            return super().guard(member, function, *arguments)  # type: ignore[misc]
        finally:
            del self._calls[number]
            self._note()

    def _note(self) -> None:
        oldest = next(iter(self._calls.copy().values()), ("", 0.0))
        self.notebook.write(*oldest)


def _work(handle: int, noise: int, notebook: int) -> None:
    """A worker's life, right after the fork. Does not return."""
    status = 1
    try:
        os.setsid()
        os.environ["BPE_ISOLATED"] = "1"  # programs that it starts stay in its group, and end when it is killed
        for stream in (1, 2):
            os.dup2(noise, stream)
        _Watched.notebook = Notebook(os.fdopen(notebook, "r+b"))
        _serve(Connection(handle))
        status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(status)


def _serve(connection: Connection) -> None:
    kept: dict[int, Vocabulary] = {}
    numbers: dict[int, int] = {}
    implementation: Implementation | None = None
    while True:
        try:
            data = connection.recv_bytes()
        except EOFError:
            return
        keep, request = _loads(data, kept, whole=True)
        if keep:
            number, vocabulary = request
            kept[number], numbers[id(vocabulary)] = vocabulary, number
            continue
        raised, value = False, None
        try:
            if implementation is None:
                implementation = _loaded(*request)
            else:
                function, arguments, implementation.call_limit, implementation.kept_from = request
                value = function(implementation, *arguments)
        except BaseException as error:
            raised, value = True, error
        try:
            answer = _dumps((raised, value), numbers)
        except Exception as error:
            answer = _dumps((True, CallFailed(f"what came back cannot be sent: {error}")), numbers)
        connection.send_bytes(answer)


def _loaded(spec: str, name: str) -> Implementation:
    implementation = next(i for i in resolve(spec) if i.name == name)
    kind = type(implementation)
    implementation.__class__ = type(kind.__name__, (_Watched, kind), {})
    return implementation


# --- what crosses


def _crosses(error: BaseException) -> bool:
    """Whether an exception can be pickled, and its class is one that the other side surely has."""
    if type(error).__module__.partition(".")[0] not in ("builtins", "reference", "implementations", "properties"):
        return False
    try:
        again = pickle.loads(pickle.dumps(error))
        return type(again) is type(error) and str(again) == str(error)
    except Exception:
        return False


def _fields(error: BaseException) -> tuple[str, type[BaseException], str, list[str]]:
    kind = type(error)
    base: type[BaseException] = next(c for c in kind.__mro__ if c.__module__ == "builtins")
    try:
        message = str(error)
    except Exception as failure:
        message = f"its message raises {type(failure).__name__}"
    notes = [str(note) for note in getattr(error, "__notes__", [])]
    return kind.__name__, base if issubclass(base, Exception) else CallCrashed, message, notes


def _like(name: str, base: type[BaseException], message: str, notes: list[str]) -> BaseException:
    """An exception of that name: a kind of the nearest built-in one, with the same words."""
    kind = type(name, (base,), {"__init__": lambda *_: None, "__str__": lambda _: message, "__module__": "foreign"})
    error: BaseException = kind()
    for note in notes:
        error.add_note(note)
    return error


class _Pickler(pickle.Pickler):
    """A vocabulary crosses by its fields, for its hash holds in one process only; a large one by its number."""

    def __init__(self, file: io.BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, protocol=5)
        self.numbers = numbers

    def persistent_id(self, value: Any) -> int | None:
        return self.numbers.get(id(value)) if type(value) is Vocabulary else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, BaseException):
            return NotImplemented if _crosses(value) else (_like, _fields(value))
        if type(value) is not Vocabulary:
            return NotImplemented
        base = None if value.base == SINGLE_BYTES else value.base
        return _vocabulary, (value.merges, dict(value.special_tokens), value.pattern, base, value.end_of_word)


def _vocabulary(merges: Any, special: Any, pattern: str | None, base: Any, end_of_word: bytes) -> Vocabulary:
    return Vocabulary(merges, special, pattern, SINGLE_BYTES if base is None else base, end_of_word)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, kept: dict[int, Vocabulary]) -> None:
        super().__init__(file)
        self.kept = kept

    def persistent_load(self, number: Any) -> Vocabulary:
        return self.kept[number]


def _dumps(value: Any, numbers: dict[int, int], *, keep: bool = False) -> bytes:
    file = io.BytesIO()
    file.write(b"K" if keep else b"-")
    _Pickler(file, numbers).dump(value)
    return file.getvalue()


def _loads(data: bytes, kept: dict[int, Vocabulary], *, whole: bool = False) -> Any:
    value = _Unpickler(io.BytesIO(data[1:]), kept).load()
    return (data[:1] == b"K", value) if whole else value

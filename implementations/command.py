"""A tokenizer in any language: a program spoken to in JSON lines (the protocol is in docs/implementations.md).

One program serves one implementation, and holds one vocabulary at a time: `load` is sent again when a tokenizer with
another vocabulary is used. A program that exits, prints anything but an answer, or answers nothing in time fails that
call and is started anew for the next.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import select
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from implementations.patience import Patience
from implementations.plugged import DEFAULT_CALL_LIMIT, CommandFailed, Implementation, shortened
from reference.model import SINGLE_BYTES, Merge, Token, Vocabulary

_GRACE = 1.0  # seconds that a program which closed its output has to exit
NEWLINE = b"\n"
_QUOTED_LINES = 5  # of what the program wrote to standard error


class CommandError(ValueError):
    """The program's own refusal: `{"error": kind, "message": …}`. `kind` is the program's word for it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class CommandImplementation(Implementation):
    """A program as an implementation. The limit of a call is kept by waiting no longer for an answer, in any thread."""

    make: CommandTokenizers

    def restart(self) -> None:
        """Let the next call start the program anew."""
        self.make.close()

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.make.time_limit = self.call_limit or math.inf
        return function(*arguments)


class CommandTokenizers:
    """What `cmd:COMMAND` plugs in: called with a vocabulary, it gives a tokenizer that asks the program."""

    def __init__(self, command: str) -> None:
        self.arguments = shlex.split(command)
        if not self.arguments:
            raise ValueError("cmd: needs a command")
        self.time_limit = DEFAULT_CALL_LIMIT  # seconds that an answer may take
        self.short_name = _short_name(self.arguments)
        self._program: _Program | None = None
        self._loaded: Vocabulary | None = None
        self._lock = threading.RLock()  # a question and its answer belong together

    def __call__(self, vocabulary: Vocabulary) -> CommandTokenizer:
        """A tokenizer for `vocabulary`."""
        if vocabulary.base != SINGLE_BYTES or vocabulary.end_of_word:
            raise NotImplementedError("the cmd: protocol carries no base of its own and no end-of-word marker")
        return CommandTokenizer(self, vocabulary)

    # What the program says of itself

    @cached_property
    def _info(self) -> dict[str, Any]:
        try:
            return self.ask({"op": "info"})
        except (NotImplementedError, CommandError):  # it has nothing to say
            return {}

    @property
    def name(self) -> str:
        """The program's name for itself."""
        return str(self._info.get("name", ""))

    @property
    def version(self) -> str:
        """The program's version."""
        return str(self._info.get("version", ""))

    @property
    def tie_rules(self) -> tuple[str, ...] | None:
        """The tie rules that the program's training offers."""
        rules = self._info.get("tie_rules")
        return tuple(rules) if isinstance(rules, list) else rules

    @property
    def rank_by(self) -> str:
        """How the program looks a pair up."""
        return str(self._info.get("rank_by", "pair"))

    @property
    def algorithm(self) -> str:
        """The program's algorithm."""
        return str(self._info.get("algorithm", "bpe"))

    @property
    def whole_piece_first(self) -> bool:
        """Whether the program emits a piece that is a token without merging."""
        return bool(self._info.get("whole_piece_first", False))

    # Questions

    def train(
        self,
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Iterable[str] = (),
    ) -> list[Merge]:
        """The merges that the program learns."""
        question = {
            "op": "train",
            "corpus": [_hex(text) for text in corpus],
            "num_merges": num_merges,
            "pattern": pattern,
            "tie_rule": tie_rule,
            "special_tokens": [_hex(text) for text in special_tokens],
        }
        with self._lock:
            merges = self._field(self.ask(question), "merges", list)
            try:
                return [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in merges]
            except (TypeError, ValueError):
                raise self._failed(f"merges are {shortened(merges)}, not pairs of hex") from None

    def ask_of(self, vocabulary: Vocabulary, question: dict[str, Any], field: str, kind: type) -> Any:
        """One field of the answer to a question about a vocabulary, which is sent first where it is not there yet."""
        with self._lock:
            if self._program is None or self._loaded is not vocabulary:
                self._loaded = None
                self.ask(_load(vocabulary))
                self._loaded = vocabulary
            return self._field(self.ask(question), field, kind)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The program's answer. Raises `CommandError` or `NotImplementedError` as it says, else `CommandFailed`."""
        with self._lock:
            if self._program is None:
                self._program = self._start()
            try:
                answer = self._program.ask(json.dumps(question), self.time_limit)
            except BaseException as error:  # the time limit of the whole call included: the answer may still come
                reason = self._stop()
                if isinstance(error, _NoAnswer):
                    raise CommandFailed(f"{self._title}: {error}{reason}") from None
                raise
        if "unsupported" in answer:
            raise NotImplementedError(str(answer["unsupported"]))
        if "error" in answer:
            raise CommandError(str(answer["error"]), str(answer.get("message", "")))
        return answer

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._stop()

    @property
    def _title(self) -> str:
        return f"cmd:{shlex.join(self.arguments)}"

    def _start(self) -> _Program:
        try:
            return _Program(self.arguments)
        except OSError as error:
            raise CommandFailed(f"{self._title}: cannot be started: {error}") from None

    def _stop(self) -> str:
        program, self._program, self._loaded = self._program, None, None
        return program.end() if program else ""

    def _field(self, answer: dict[str, Any], field: str, kind: type) -> Any:
        if not isinstance(answer.get(field), kind):
            raise self._failed(f"answered {shortened(answer)}, without {field!r}")
        return answer[field]

    def _failed(self, what: str) -> CommandFailed:
        return CommandFailed(f"{self._title}: {what}{self._stop()}")


class CommandTokenizer:
    """One vocabulary, asked of the program."""

    def __init__(self, program: CommandTokenizers, vocabulary: Vocabulary) -> None:
        self._program = program
        self._vocabulary = vocabulary

    def encode(self, text: str) -> list[Token]:
        """The ids of a text."""
        ids: list[Token] = self._ask({"op": "encode", "text": _hex(text)}, "ids", list)
        return ids

    def decode(self, ids: Iterable[Token]) -> str:
        """The text of ids."""
        return self.decode_bytes(ids).decode(errors="replace")

    def decode_bytes(self, ids: Iterable[Token]) -> bytes:
        """The bytes of ids."""
        data: str = self._ask({"op": "decode", "ids": list(ids)}, "bytes", str)
        try:
            return bytes.fromhex(data)
        except ValueError:
            raise CommandFailed(f"decoded to {shortened(data)}, which is not hex") from None

    def _ask(self, question: dict[str, Any], field: str, kind: type) -> Any:
        return self._program.ask_of(self._vocabulary, question, field, kind)


class _NoAnswer(Exception):
    """Why there is no answer."""


class _Program:
    """A running program. Its pipes do not block, so that waiting for it can end."""

    def __init__(self, arguments: list[str]) -> None:
        # In an isolated worker it stays in the worker's group: who kills the worker ends it too.
        self._grouped = "BPE_ISOLATED" not in os.environ
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  standard error: a pipe that nobody empties blocks
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                bufsize=0,
                start_new_session=self._grouped,  # ended as a group: it may have started others
            )
        except OSError:
            self._complaints.close()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._read = b""
        atexit.register(self.end)

    def ask(self, question: str, time_limit: float) -> dict[str, Any]:
        """Its answer. Raises `_NoAnswer` with the reason."""
        due = _Due(Patience(self._process.pid, time.monotonic()), time_limit)
        try:
            self._check_silence()
            self._write(question.encode("ascii") + NEWLINE, due)
            line = self._line(due)
        except TimeoutError:
            raise _NoAnswer(f"answered nothing within {time_limit:g} seconds") from None
        except (BrokenPipeError, EOFError):
            raise _NoAnswer(f"exited with {self._exit_code()} instead of answering") from None
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise _NoAnswer(f"answered {shortened(line)}, which is no JSON object")
        return answer

    def _check_silence(self) -> None:
        """What stands here before a question would be taken for its answer."""
        if self._read or _is_ready(self._output, select.POLLIN, 0):
            unasked = self._read or os.read(self._output, 1 << 16)
            if not unasked:
                raise EOFError
            raise _NoAnswer(f"printed {shortened(unasked.partition(NEWLINE)[0])} unasked")

    def _write(self, data: bytes, due: _Due) -> None:
        rest = memoryview(data)
        while rest:
            due.wait_for(self._input, select.POLLOUT)
            rest = rest[os.write(self._input, rest) :]

    def _line(self, due: _Due) -> bytes:
        parts = [self._read]
        while NEWLINE not in parts[-1]:
            due.wait_for(self._output, select.POLLIN)
            parts.append(os.read(self._output, 1 << 16))
            if not parts[-1]:
                raise EOFError
        line, _, self._read = b"".join(parts).partition(NEWLINE)
        return line

    def _exit_code(self) -> object:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_GRACE)
        return "no exit code"

    def end(self) -> str:
        """End it; returns the last lines of its standard error, as the end of a sentence."""
        atexit.unregister(self.end)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._grouped:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        with self._complaints:
            self._complaints.seek(max(0, self._complaints.tell() - 4096))
            lines = self._complaints.read().decode(errors="replace").rstrip().splitlines()[-_QUOTED_LINES:]
        return "; it wrote to standard error:\n" + "\n".join(lines) if lines else ""


@dataclass(frozen=True)
class _Due:
    """When an answer is due."""

    patience: Patience
    limit: float  # seconds

    def wait_for(self, pipe: int, event: int) -> None:
        """Wait until a pipe is ready. Raises `TimeoutError` once the time is used."""
        left = self.limit - (time.monotonic() - self.patience.since)
        while not _is_ready(pipe, event, max(left, 0.01)):
            left = self.limit - self.patience.used()
            if left <= 0:
                raise TimeoutError


def _is_ready(pipe: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(None if seconds == math.inf else seconds * 1000))


def _load(vocabulary: Vocabulary) -> dict[str, Any]:
    return {
        "op": "load",
        "merges": [[left.hex(), right.hex()] for left, right in vocabulary.merges],
        "special_tokens": {_hex(text): token_id for text, token_id in vocabulary.special_tokens.items()},
        "pattern": vocabulary.pattern,
    }


def _hex(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").hex()


def _short_name(arguments: list[str]) -> str:
    """For test ids: the stem of the script where one is given, otherwise that of the program."""
    scripts = [argument for argument in arguments[1:] if Path(argument).is_file()]
    return Path(scripts[0] if scripts else arguments[0]).stem

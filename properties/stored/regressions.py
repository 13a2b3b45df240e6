"""The cases that once broke a tokenizer: reading and writing `regressions/*.toml`.

A file is TOML, one `[[case]]` a string. A plain TOML string holds every text that has UTF-8; what TOML cannot hold
(lone surrogates, bytes, merges, ids) is a Python literal inside a TOML string, read by `ast.literal_eval`, never run.

>>> print(dumps([Regression("nbsp", "A no-break space is no space.", "by hand", {"text": "a\\u00a0b"})]), end="")
[[case]]
id = "nbsp"
text = "a\\u00a0b"
why = "A no-break space is no space."
found = "by hand"
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import re
import tomllib
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference.model import SINGLE_BYTES, Vocabulary

REGRESSIONS = Path(__file__).resolve().parents[2] / "regressions"


class MalformedRegression(ValueError):
    """A case that cannot be replayed; the message names the file, the line, the case and the field."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key


class DuplicateRegression(MalformedRegression):
    """A case that is stored already; the message names the case that has its id or its value."""


def _all(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(type(part) is kind for part in value)


def _is_merges(value: Any) -> bool:
    return isinstance(value, tuple) and all(_all(bytes)(merge) and len(merge) == 2 for merge in value)


def _is_special_tokens(value: Any) -> bool:
    if isinstance(value, tuple):  # of a corpus: no ids are needed to cut them out
        return _all(str)(value)
    return isinstance(value, dict) and _all(str)(tuple(value)) and _all(int)(tuple(value.values()))


def _is_other(value: Any) -> bool:
    return type(value) is str or _all(str)(value)


def _are_corpora(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_all(str), value))


def _is_script(value: Any) -> bool:
    return isinstance(value, tuple) and all(_all(str)(step) and len(step) == 2 for step in value)


def _is_damage(value: Any) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(one, tuple) and tuple(map(type, one)) == (str, int, int) for one in value
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_str(value: Any) -> bool:
    return type(value) is str


# What a case may hold: how to tell that a value is of its kind, and what to say where it is not.
ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "text": (lambda value: type(value) in (str, bytes), "a str or bytes, such as 'b\"\\xff\"'"),
    "texts": (_all(str), 'a list of str, such as \'["a", "b"]\''),
    "vocabulary": (_is_str, "the name of a standard vocabulary"),
    "merges": (_is_merges, 'a list of pairs of bytes, such as \'[(b"a", b"b")]\''),
    "special_tokens": (_is_special_tokens, "a dict from str to int, such as '{\"<|end|>\": 300}'"),
    "pattern": (lambda value: value is None or type(value) is str, "a str or None, such as '\" ?\\\\S+|\\\\s+\"'"),
    "base": (_all(bytes), 'a list of bytes, such as \'[b"a", b"_"]\''),
    "end_of_word": (lambda value: type(value) is bytes, "bytes, such as 'b\"_\"'"),
    "ids": (_all(int), "a list of int, such as '[97, 256]'"),
    "corpus": (_all(str), 'a list of str, such as \'["a b", "c"]\''),
    "num_merges": (_is_count, "a natural number"),
    "tie_rule": (_is_str, "the name of a tie rule"),
    # What single claims ask for beside these; mostly written by the fuzzers.
    "other": (_is_other, 'a second str, \'"b"\', or a second corpus, \'["b", "c"]\''),
    "corpora": (_are_corpora, 'a list of corpora, such as \'[["a b"], ["c", "d"]]\''),
    "order": (_is_str, "a str that shuffles the documents"),
    "kept": (_is_count, "a natural number"),
    "place": (_is_count, "a natural number"),
    "cut": (_is_count, "a natural number"),
    "script": (_is_script, 'a list of calls, such as \'[("encode", "ab"), ("save", "")]\''),
    "damage": (_is_damage, "a list of accidents, such as '[(\"cut\", 500, 0)]'"),
}
PLAIN = (
    "text",
    "vocabulary",
    "num_merges",
    "tie_rule",
    "kept",
    "place",
    "cut",
)  # TOML's own values; the others are Python literals
OF_A_VOCABULARY = ("merges", "special_tokens", "pattern", "base", "end_of_word")
KNOWN = ("id", "text", "literal", "repeat", *list(ARGUMENTS)[1:], "why", "found", "claims", "expected")


@dataclass(frozen=True)
class Regression:
    """One stored case: arguments for the claims, and why it is kept. Raises `MalformedRegression`, naming the field.

    `claims` are globs of claim ids; none means every claim that the arguments fit. `expected` pins ids where the
    answer was once in doubt; elsewhere the claims judge. A `text` of bytes is replayed as ids, see `replayed`.

    >>> Regression("nbsp", "", "by hand", {"text": "a"})
    Traceback (most recent call last):
        ...
    properties.stored.regressions.MalformedRegression: why: is empty; say what goes wrong on it
    """

    id: str
    why: str
    found: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    claims: tuple[str, ...] = ()
    expected: tuple[int, ...] | None = None
    path: Path | None = field(default=None, compare=False)
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", {key: _frozen(value) for key, value in self.arguments.items()})
        object.__setattr__(self, "claims", tuple(self.claims))
        object.__setattr__(self, "expected", _frozen(self.expected))
        _check_words(self.id, self.why, self.found)
        _check_arguments(self.arguments)
        for glob in self.claims:
            if not isinstance(glob, str) or not re.fullmatch(r"[A-Z0-9*?\[\]!-]+", glob):
                raise MalformedRegression(f"{glob!r} is no glob of claim ids, such as 'ENC-*'", "claims")
        if self.expected is not None and not _all(int)(self.expected):
            raise MalformedRegression(f"must be {ARGUMENTS['ids'][1]}", "expected")

    @property
    def value(self) -> str:
        """What two cases that are the same have in common: their arguments, spelled out."""
        return ", ".join(f"{key}={python_literal(self.arguments[key])}" for key in sorted(self.arguments))

    @property
    def replayed(self) -> dict[str, Any]:
        """The arguments as claims take them: bytes that are no text become the ids of those bytes.

        >>> Regression("half", "Half a euro sign.", "by hand", {"text": b"\\xe2\\x82"}).replayed
        {'ids': (226, 130)}
        """
        arguments = dict(self.arguments)
        if isinstance(arguments.get("text"), bytes):
            arguments["ids"] = tuple(arguments.pop("text"))
        return arguments

    @property
    def place(self) -> str:
        """Where it stands, as an editor takes it."""
        return f"{self.path}:{self.line}"


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, (list, tuple)) else value


def _check_words(case_id: Any, why: Any, found: Any) -> None:
    if not isinstance(case_id, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case_id):
        raise MalformedRegression(f"{case_id!r} is not of the form 'two-words-and-2'", "id")
    if not isinstance(why, str) or not why.strip():
        raise MalformedRegression("is empty; say what goes wrong on it", "why")
    if not isinstance(found, str) or not found.strip():
        raise MalformedRegression("is empty; say who or what found it, and where", "found")


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    for key, value in arguments.items():
        if key not in ARGUMENTS:
            raise MalformedRegression(f"unknown argument; known: {', '.join(ARGUMENTS)}", key)
        holds, kind = ARGUMENTS[key]
        if not holds(value):
            raise MalformedRegression(f"must be {kind}", key)
    if not {"text", "texts", "ids", "corpus", "corpora", "script", "merges", "special_tokens"} & set(arguments):
        raise MalformedRegression("there is nothing to replay: no text, texts, ids or corpus")
    for key in OF_A_VOCABULARY:
        if key in arguments and "vocabulary" in arguments:
            raise MalformedRegression("cannot stand beside vocabulary, which names a whole one", key)


# ---------------------------------------------------------------------------------------------------------- reading


def load(folder: Path = REGRESSIONS) -> list[Regression]:
    """All cases of the folder's `*.toml`, by file name, then in order.

    Raises `MalformedRegression` naming file, line, case and field, also where an id or a value stands twice.
    """
    if not folder.is_dir():
        raise MalformedRegression(f"{folder}: no such folder")
    cases: list[Regression] = []
    ids: dict[str, Regression] = {}
    values: dict[str, Regression] = {}
    for path in sorted(folder.glob("*.toml")):
        for case in loads(_text_of(path), path):
            _refuse_duplicate(case, ids, values, f"{case.place}: case {case.id}: ")
            ids[case.id] = values[case.value] = case
            cases.append(case)
    return cases


def loads(toml: str, path: Path = Path("<string>")) -> list[Regression]:
    """The cases of one file's text.

    >>> loads('[[case]]\\nid = "two"\\ntext = "  two"\\nwhy = "A space gets lost."\\nfound = "a lesson"')[0].arguments
    {'text': '  two'}
    """
    try:
        table = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise MalformedRegression(f"{path}: broken TOML: {error}") from None
    for key in table:
        if key != "case":
            raise MalformedRegression(f"{path}: unknown key {key!r}; each case stands under [[case]]")
    tables = table.get("case", [])
    if not isinstance(tables, list) or not all(isinstance(case, dict) for case in tables):
        raise MalformedRegression(f"{path}: each case stands under [[case]], in two brackets")
    return list(_cases(tables, toml.split("\n"), path))


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")  # some editors put a byte-order mark in front
    except UnicodeDecodeError as error:
        raise MalformedRegression(f"{path}: not UTF-8: {error}") from None


def _cases(tables: list[dict[str, Any]], lines: list[str], path: Path) -> Iterator[Regression]:
    starts = _starts(lines, len(tables))
    for number, (table, start, end) in enumerate(zip(tables, starts, [*starts[1:], len(lines) + 1], strict=True), 1):
        try:
            yield case_of(table, path, start)
        except MalformedRegression as error:
            key = re.compile(rf"\s*{re.escape(error.key)}\s*=")
            line = next((n for n in range(start, end) if key.match(lines[n - 1])), start)
            raise MalformedRegression(f"{path}:{line}: case {table.get('id', f'number {number}')}: {error}") from None


def _starts(lines: list[str], count: int) -> list[int]:
    """The line of each `[[case]]`; one inside a string is told by what is above it, which is then no TOML."""
    found = [n for n, line in enumerate(lines, 1) if re.match(r"\s*\[\[\s*case\s*\]\]", line)]
    if len(found) != count:
        found = [n for n in found if _is_toml("\n".join(lines[: n - 1]))]
    return found if len(found) == count else [1] * count


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def case_of(table: dict[str, Any], path: Path, line: int) -> Regression:
    """The case that a table of a file holds. Raises `MalformedRegression`."""
    for key in table:
        if key not in KNOWN:
            raise MalformedRegression(f"unknown key; known: {', '.join(KNOWN)}", key)
    for key in ("id", "why", "found"):
        if key not in table:
            raise MalformedRegression(f"there is no {key}")
    claims = table.get("claims", [])
    if not isinstance(claims, list):
        raise MalformedRegression('must be a list of globs, such as ["ENC-*"]', "claims")
    expected = _frozen(_python_value("expected", table["expected"])) if "expected" in table else None
    arguments = dict(_arguments(table))
    return Regression(table["id"], table["why"], table["found"], arguments, tuple(claims), expected, path, line)


def _arguments(table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if "text" in table and "literal" in table:
        raise MalformedRegression("both text and literal; a case has one value", "literal")
    repeat = table.get("repeat", 1)
    if not _is_count(repeat):
        raise MalformedRegression("must be a natural number", "repeat")
    if "text" in table and not isinstance(table["text"], str):
        raise MalformedRegression("must be a TOML string; what is no text stands under literal", "text")
    if "text" in table:
        yield "text", table["text"] * repeat
    elif "literal" in table:
        value = _python_value("literal", table["literal"])
        if not isinstance(value, (str, bytes)):
            raise MalformedRegression(f"must be {ARGUMENTS['text'][1]}", "literal")
        yield "text", value * repeat
    elif "repeat" in table:
        raise MalformedRegression("there is no text or literal to repeat", "repeat")
    for key in ARGUMENTS:
        if key in table and key != "text":
            yield key, table[key] if key in PLAIN else _python_value(key, table[key])


def _python_value(key: str, spelled: Any) -> Any:
    if not isinstance(spelled, str):
        raise MalformedRegression(f"must be a Python literal in a TOML string, not {spelled!r}", key)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an escape that Python does not know, "\\d", is a slip and not a value
            return ast.literal_eval(spelled)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise MalformedRegression(f"{spelled!r} is no Python literal: {error}", key) from None


def _refuse_duplicate(
    case: Regression, ids: Mapping[str, Regression], values: Mapping[str, Regression], where: str = ""
) -> None:
    if case.value in values:
        other = values[case.value]
        raise DuplicateRegression(f"{where}the case {other.id} at {other.place} has the same value")
    if case.id in ids:
        raise DuplicateRegression(f"{where}id: {case.id} stands also at {ids[case.id].place}")


# ---------------------------------------------------------------------------------------------------------- writing


def dumps(cases: Iterable[Regression]) -> str:
    """The text of a file that holds these cases; `loads` gives them back, every value exactly.

    A line with an invisible character, a combining mark or a run of spaces is spelled in ASCII escapes, so that no
    editor, hook or line-end conversion can change the value.
    """
    return "\n".join("".join(f"{line}\n" for line in _lines(case)) for case in cases)


def _lines(case: Regression) -> Iterator[str]:
    yield "[[case]]"
    yield f"id = {toml_string(case.id)}"
    for key in ARGUMENTS:
        if key == "text" and key in case.arguments:
            yield from _text_lines(case.arguments[key])
        elif key in PLAIN and key in case.arguments:
            value = case.arguments[key]
            yield f"{key} = {value if isinstance(value, int) else toml_string(value)}"
        elif key in case.arguments:
            yield f"{key} = '{python_literal(case.arguments[key])}'"
    yield f"why = {toml_string(case.why)}"
    yield f"found = {toml_string(case.found)}"
    if case.claims:
        yield f"claims = [{', '.join(map(toml_string, case.claims))}]"
    if case.expected is not None:
        yield f"expected = '{python_literal(case.expected)}'"


def _text_lines(value: str | bytes) -> Iterator[str]:
    length = _period(value)
    if isinstance(value, str) and not _has_surrogate(value):
        yield f"text = {toml_string(value[:length])}"
    else:
        yield f"literal = '{python_literal(value[:length])}'"
    if length < len(value):
        yield f"repeat = {len(value) // length}"


def _period(value: str | bytes) -> int:
    """How long the part is that, repeated, makes the value; looked for in long values only, short ones read well."""
    if len(value) < 200:
        return len(value)
    return (value + value).find(value, 1)  # type: ignore[operator,arg-type]


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def is_visible(text: str) -> bool:
    """Whether one sees what the text is: no control, format or unassigned character, no mark, no space but U+0020.

    >>> is_visible("café ☕"), is_visible("cafe\\u0301"), is_visible("a\\u00a0b"), is_visible("\\ufe0f")
    (True, False, False, False)
    """
    hidden = "\u115f\u1160\u2800\u3164\uffa0\ufffd"  # category L or S: blanks, and what an editor shows
    return unicodedata.is_normalized("NFC", text) and all(
        character.isprintable() and unicodedata.category(character)[0] != "M" and character not in hidden
        for character in text
    )


_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def fields_of(vocabulary: Vocabulary) -> dict[str, Any]:
    """The fields of a vocabulary that a stored case names: its merges, and what is not as usual.

    >>> fields_of(Vocabulary(((b"a", b"b"),), {"<s>": 300}))
    {'merges': ((b'a', b'b'),), 'special_tokens': {'<s>': 300}}
    """
    fields: dict[str, Any] = {"merges": vocabulary.merges}
    if vocabulary.special_tokens:
        fields["special_tokens"] = dict(vocabulary.special_tokens)
    if vocabulary.pattern is not None:
        fields["pattern"] = vocabulary.pattern
    if vocabulary.base != SINGLE_BYTES:
        fields["base"] = vocabulary.base
    if vocabulary.end_of_word:
        fields["end_of_word"] = vocabulary.end_of_word
    return fields


def toml_string(text: str) -> str:
    """A text as a TOML string on one line, in which nothing is invisible."""
    visible = is_visible(text)

    def spelled(character: str) -> str:
        if character in _SHORT:
            return _SHORT[character]
        if " " <= character <= "~" or (visible and character > "~"):
            return character
        return f"\\u{ord(character):04x}" if character <= "\uffff" else f"\\U{ord(character):08x}"

    return '"' + re.sub(" {2,}", lambda run: "\\u0020" * len(run[0]), "".join(map(spelled, text))) + '"'


def python_literal(value: Any) -> str:
    """The value as an ASCII Python literal on one line and without `'`, so that it stands in a TOML literal string.

    >>> print(python_literal(((b"it", b"'s"), "a  b\\ud800")))
    [(b"it", b"\\x27s"), "a\\x20\\x20b\\ud800"]
    """
    if isinstance(value, bytes):
        return "b" + _python_string(value.decode("latin-1"))
    if isinstance(value, str):
        return _python_string(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_pair_or_literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{python_literal(key)}: {python_literal(part)}" for key, part in value.items()) + "}"
    return repr(value)


def _pair_or_literal(value: Any) -> str:
    literal = python_literal(value)
    return f"({literal[1:-1]})" if isinstance(value, tuple) and len(value) == 2 else literal


def _python_string(text: str) -> str:
    quotes = {'"': '\\"', "'": "\\x27"}
    spelled = "".join(quotes.get(character) or ascii(character)[1:-1] for character in text)
    return '"' + re.sub(" {2,}", lambda run: "\\x20" * len(run[0]), spelled) + '"'


def lint(path: Path) -> list[str]:
    """What in a file an editor or a hook could change, or nobody can see; each finding names file and line.

    Cases may be written by hand in any form that reads back; this is all that is asked of the form.
    """
    text = _text_of(path)
    findings = [] if text.endswith("\n") and "\r" not in text else [f"{path}: the lines must end in \\n"]
    for number, line in enumerate(text.split("\n"), 1):
        if not is_visible(line):
            findings.append(f"{path}:{number}: holds a character that one cannot see; write it as an escape")
        if line != line.rstrip():
            findings.append(f"{path}:{number}: ends in white space")
        if re.search(r"=\s*(\"\"\"|''')", line):
            findings.append(f"{path}:{number}: a string over several lines; hooks change those, use escapes")
    return findings


def save(case: Regression, folder: Path = REGRESSIONS) -> Path:
    """Write the case to a file of its own, `found-ID.toml`, and return its path.

    Raises `DuplicateRegression` naming the case that has its id or its value already, and what `load` raises.
    """
    stored = load(folder)
    _refuse_duplicate(case, {other.id: other for other in stored}, {other.value: other for other in stored})
    path = folder / f"found-{case.id}.toml"
    text = dumps([case])
    if loads(text, path) != [case]:  # before anything is written: a case that does not read back is worth nothing
        raise MalformedRegression(f"{case.id} would not read back as it is")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:  # "x": of two writers at once, one is refused
            file.write(text)
    except FileExistsError:
        raise DuplicateRegression(f"{path} is there already") from None
    return path


def add(
    text: str | bytes,
    why: str,
    *,
    claims: Iterable[str] = (),
    id: str | None = None,  # the word that stands in the file
    found: str | None = None,
    folder: Path = REGRESSIONS,
    **arguments: Any,
) -> Regression:
    """Store a text, with the reason why it is kept, and return the case as it now stands in its file.

    Raises `MalformedRegression`, also where the text is stored already.
    """
    found = found or f"{datetime.date.today()}, python -m properties add"
    case = Regression(id or id_for(text), why, found, {"text": text} | arguments, tuple(claims))
    path = save(case, folder)
    return loads(_text_of(path), path)[0]


def id_for(text: str | bytes) -> str:
    """An id made of the text alone: its words, then a hash of it.

    >>> id_for("  two  spaces"), id_for("\\ud800")
    ('two-spaces-b91fe8', 'text-8c0c59')
    """
    literal = python_literal(text)
    plain = unicodedata.normalize("NFKD", text if isinstance(text, str) else text.decode("latin-1"))
    words = re.findall("[a-z0-9]+", plain.encode("ascii", "ignore").decode().lower())
    slug = "-".join(words)[:40].strip("-") or "text"
    return f"{slug}-{hashlib.sha256(literal.encode()).hexdigest()[:6]}"

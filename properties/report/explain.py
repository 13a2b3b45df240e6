"""A refuted claim, explained: the case, the calls, the reference's steps, and the first merge where they part."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import reference
from implementations.plugged import CallFailed, Implementation
from implementations.plugged import shortened as repr_of
from properties.cases.domains import Case
from properties.claims import check_named
from properties.counterexample.literal import literal, shortened
from properties.oracle.certificate import certify
from properties.runner import Outcome
from reference.encode import pieces_of
from reference.model import Vocabulary

MOST_STEPS = 12  # shown before the step where they part
LONGEST_SNIPPET = 4_000  # characters of its case


@dataclass(frozen=True)
class Call:
    """One call to the implementation: what was called on which vocabulary, and what came of it."""

    member: str
    arguments: tuple[Any, ...]
    vocabulary: Vocabulary | None
    result: Any


def calls_of(outcome: Outcome) -> list[Call]:
    """The calls that the check makes on the counterexample, made once more and written down."""
    claim, implementation = outcome.claim, outcome.implementation
    try:
        calls: list[Call] = implementation.run(
            _noted_calls, claim.check.__module__, claim.id, claim.check.__name__, outcome.case or {}
        )
    except CallFailed as error:  # it took its process with it, and the list of calls
        return [Call("the check", (), None, error)]
    return calls


def _noted_calls(implementation: Implementation, module: str, claim_id: str, name: str, case: Case) -> list[Call]:
    calls: list[Call] = []
    guard = implementation.guard
    vocabularies: dict[int, Vocabulary | None] = {}

    def noted(member: str, function: Any, *arguments: Any) -> Any:
        if function is getattr:  # it is asked what it offers
            return guard(member, function, *arguments)
        vocabulary = vocabularies.get(id(getattr(function, "__self__", None)))
        try:
            result = guard(member, function, *arguments)
        except BaseException as error:
            calls.append(Call(member, _plain(arguments), vocabulary, error))
            raise
        if member == "Tokenizer":
            vocabularies[id(result)] = arguments[0]
            kept.append(result)  # so that no other object takes its id
        calls.append(Call(member, _plain(arguments), vocabulary, _plain(result)))
        return result

    kept: list[Any] = []
    implementation.guard = noted  # type: ignore[method-assign]
    try:
        check_named(implementation, module, claim_id, name, case)
    except Exception:
        pass  # every call that led there is in the list
    finally:
        del implementation.guard
    return calls


def _plain(value: Any) -> Any:
    """A copy of a value that may cross to another process: what is no data of ours stands as its repr."""
    if isinstance(value, (str, bytes, int, type(None), Vocabulary)):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else list(map(_plain, value))
    return Shown(repr_of(value))


class Shown(str):
    """The repr of a value, which stands for it in a report."""

    def __repr__(self) -> str:
        return str(self)


def explanation(outcome: Outcome, replay: str) -> str:
    """Everything a person needs to see why: plain text, some twenty lines."""
    claim, implementation = outcome.claim, outcome.implementation
    lines = [
        f"{claim.id} ({claim.level}) is refuted by {implementation.name}, after {outcome.cases} cases "
        f"and {outcome.found_after:.2f} seconds.",
        "",
        f"    {claim.sentence}",
        "",
        f"The smallest counterexample found (finding {outcome.finding}):",
        *(f"    {name} = {shortened(value, 1200)}" for name, value in (outcome.case or {}).items()),
    ]
    if outcome.stateful:
        lines += ["", "It failed once and did not when tried again on its own: the implementation keeps a state"]
        lines += ["that earlier calls changed, or it is not deterministic."]
    error = outcome.error
    if error is not None and (str(error) or not isinstance(error, AssertionError)):
        first = str(error).splitlines()[0] if str(error) else ""
        lines += ["", f"What was raised: {type(error).__name__}: {first[:600]}"]
        lines += [f"    {note}" for note in getattr(error, "__notes__", [])[:3]]
    calls = calls_of(outcome)
    lines += ["", "The calls:", *(f"    {line}" for line in _told(calls))]
    lines += _parting(implementation, calls, outcome.case or {})
    lines += ["", "To see it outside pytest:", *(f"    {line}" for line in snippet(outcome))]
    lines += ["", f"To run it again:  {replay}"]
    return "\n".join(lines)


def _told(calls: list[Call], most: int = 12) -> Iterator[str]:
    shown = [call for call in calls if call.member not in ("Tokenizer", "size", "name", "version")]
    for call in shown[-most:]:
        result = call.result
        if isinstance(result, BaseException):
            told = f"raised {type(result).__name__}: {str(result)[:200]}"
        else:
            told = f"-> {shortened(result, 200)}"
        yield f"{call.member}({', '.join(shortened(argument, 120) for argument in call.arguments)}) {told}"


def snippet(outcome: Outcome) -> list[str]:
    """A few lines of Python that refute the claim without pytest."""
    arguments = ", ".join(f"{name}={literal(value)}" for name, value in (outcome.case or {}).items())
    if len(arguments) > LONGEST_SNIPPET:
        return [f"(the case is too long to be pasted, {len(arguments):,} characters: run it again)"]
    return [
        "from implementations.loader import resolve",
        "from properties.claims import all_claims",
        "from reference.model import Vocabulary",
        f"[impl] = [i for i in resolve({outcome.implementation.spec!r}) if i.name == {outcome.implementation.name!r}]",
        f"[claim] = [c for c in all_claims() if c.id == {outcome.claim.id!r}]",
        f"claim.check(impl, {arguments})",
    ]


# --- where they part -----------------------------------------------------------------------------------------------


def _parting(implementation: Implementation, calls: list[Call], case: Case) -> list[str]:
    """The reference's steps beside the first call that gave something else."""
    for call in calls:
        if (
            call.member in ("encode", "encode_ordinary")
            and call.vocabulary is not None
            and isinstance(call.result, list)
        ):
            lines = encoding_parts(implementation, call.vocabulary, call.arguments[0], call.result, call.member)
            if lines:
                return ["", *lines]
    if "corpus" in case and "pattern" in case:
        for call in calls:
            if call.member == "train" and not isinstance(call.result, BaseException):
                return training_parts(call, case)
    return []


def encoding_parts(
    implementation: Implementation, vocabulary: Vocabulary, text: str, ids: list[int], member: str = "encode"
) -> list[str]:
    """The reference's encoding of a text step by step, up to the first merge that `ids` contradict; [] where equal."""
    options: dict[str, Any] = {"rank_by": implementation.rank_by, "whole_piece_first": implementation.whole_piece_first}
    encode = reference.encode if member == "encode" else reference.encode_ordinary
    try:
        expected = encode(vocabulary, text, **options)
    except ValueError as error:
        return [f"The reference raises {type(error).__name__}: {error}"]
    if expected == ids:
        return []
    lines = [
        f"{member}({shortened(text, 120)})",
        f"    the reference gives      {_tokens(vocabulary, expected)}",
        f"    the implementation gives {_tokens(vocabulary, ids)}",
    ]
    return lines + _first_difference(vocabulary, text, ids, implementation.rank_by)


def _first_difference(vocabulary: Vocabulary, text: str, ids: list[int], rank_by: str) -> list[str]:
    """Go through the pieces; in the first whose tokens differ, through the merges."""
    own = [vocabulary.bytes_of.get(token_id, b"") for token_id in ids]
    if b"".join(own) != text.encode(errors="surrogatepass"):
        return [f"    its bytes are {shortened(b''.join(own), 200)}: not those of the text"]
    ends, place = {0}, 0
    for token in own:
        place += len(token)
        ends.add(place)
    start = 0
    for part in reference.split_special_tokens(vocabulary.special_tokens, text):
        pieces = [part] if part in vocabulary.special_tokens else pieces_of(vocabulary, part)
        for piece in pieces:
            inner = {end - start for end in ends if start < end < start + len(piece.encode())}
            if part in vocabulary.special_tokens:
                if inner or not {start, start + len(piece.encode())} <= ends:
                    return [f"    the special token {piece!r} was not recognised at byte {start}"]
            else:
                lines = _piece_difference(vocabulary, piece, inner, rank_by)
                if lines:
                    return lines
            start += len(piece.encode())
            if start not in ends:
                return [f"    a token reaches across the end of the piece {piece!r}, at byte {start}"]
    return []


def _piece_difference(vocabulary: Vocabulary, piece: str, inner: set[int], rank_by: str) -> list[str]:
    symbols = reference.symbols_of(vocabulary, piece)
    if vocabulary.end_of_word or len(symbols) > 400:
        return []
    lines = [f"    piece {shortened(piece, 80)}: {_spelled(symbols)}"]
    steps = list(reference.merge_steps(vocabulary, symbols, rank_by))
    before: tuple[bytes, ...] = tuple(symbols)
    for number, step in enumerate(steps):
        seam = sum(map(len, before[: step.place + 1]))
        told = f"    merge {step.rank}, {_spelled(step.merge, '+')}, at token {step.place}:  {_spelled(step.tokens)}"
        lines.append(told)
        if seam in inner:
            lines.append(
                f"    ^ here they part: the implementation has not made this merge (a boundary stays at byte {seam})"
            )
            hidden = max(0, number - MOST_STEPS)
            return lines[:1] + ([f"    ... {hidden} merges alike"] if hidden else []) + lines[1 + hidden :]
        before = step.tokens
    left = {sum(map(len, before[:i])) for i in range(1, len(before))}
    if left - inner:
        seam = min(left - inner)
        return [
            *lines,
            f"    here they part: no merge is left, and the implementation has joined what lies around byte {seam}",
        ]
    return []


def training_parts(call: Call, case: Case) -> list[str]:
    """The first merge where training departs from the reference's, with the counts at that turn."""
    merges = call.result
    if not isinstance(merges, (list, tuple)) or not all(map(_is_merge, merges)):
        return []  # of a wrong type, which has been said
    corpus, num_merges = call.arguments[:2]
    try:
        certificate = certify(corpus, case["pattern"], merges)
        rule = case["tie_rule"]
        expected = reference.train(corpus, num_merges, pattern=case["pattern"], tie_rule=rule)
    except (ValueError, TypeError):
        return []
    lines = ["", f"Training step by step (count, highest count; {rule} ties):"]
    for turn, wanted in zip(certificate.turns, [*expected, *[None] * len(certificate.turns)], strict=False):
        lines.append(f"    {turn.rank}: {_spelled(turn.merge, '+')}  {turn.count}, {turn.highest}")
        if turn.count != turn.highest or turn.merge != wanted:
            reason = "a pair that does not occur" if not turn.count else "not the most frequent pair"
            reason = "a tie decided otherwise" if turn.count == turn.highest else reason
            reference_says = "stops" if wanted is None else f"learns {_spelled(wanted, '+')}"
            return [*lines, f"    ^ here they part: {reason}; the reference {reference_says}"]
    if len(expected) > len(merges):
        lines.append(f"    here they part: it stops, and a pair of count {certificate.left_over} is left")
        return lines
    return []


def _is_merge(merge: Any) -> bool:
    return isinstance(merge, (list, tuple)) and len(merge) == 2 and all(isinstance(side, bytes) for side in merge)


def _tokens(vocabulary: Vocabulary, ids: list[int]) -> str:
    spelled = _spelled([vocabulary.bytes_of.get(token_id, b"?") for token_id in ids[:40]])
    return f"{shortened(ids[:40], 200)}{' ...' if len(ids) > 40 else ''}  {spelled}"


def _spelled(tokens: Any, between: str = "|") -> str:
    """Tokens as people read them: ASCII as it is, a space as ␠, other bytes as hex."""
    return between.join("".join(_visible(byte) for byte in token) for token in tokens)[:400]


def _visible(byte: int) -> str:
    if byte == 0x20:
        return "␠"
    return chr(byte) if 0x20 < byte < 0x7F else f"<{byte:02x}>"

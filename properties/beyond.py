"""What fuzzing asks beyond single claims: sequences of calls on one object, damaged files, arbitrary ids.

Each has the form of a claim, so that the same machinery draws, checks, shrinks, explains, stores and replays it. None
is a sentence of the spec: what refutes one of these refutes a claim of sections 3 to 9 as well, named in its docstring.
"""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from implementations.plugged import CallFailed, GuardedTokenizer, Implementation
from properties.cases.domains import SHORT, TEXT, VOCABULARY, Case, Domain, covering, encodable, is_plain
from properties.cases.programs import Profile, expand, ids_of, vocabulary_of
from properties.claims import Claim
from properties.oracle.expected import expected_ids
from reference.model import Vocabulary

Script = tuple[tuple[str, str], ...]
Damage = tuple[tuple[str, int, int], ...]

STEPS = ("encode", "decode", "change", "special", "retrain", "save", "fresh", "encode")
DAMAGES = ("cut", "flip", "drop", "insert", "double", "swap")


@cache
def beyond() -> tuple[Claim, ...]:
    """The three of them.

    >>> [claim.id for claim in beyond()]
    ['state', 'files', 'ids']
    """
    return (
        Claim("state", check_state, STATE),
        Claim("files", check_files, FILES, level="should", needs=frozenset({"save"})),
        Claim("ids", check_ids, ANY_IDS),
    )


# --- sequences of calls on one object -------------------------------------------------------------------------------


class _Session:
    """One tokenizer under use, and those that were made on the way: they must go on as before."""

    def __init__(self, impl: Implementation, vocabulary: Vocabulary) -> None:
        self.impl = impl
        self.declared: dict[str, Any] = {"rank_by": impl.rank_by, "whole_piece_first": impl.whole_piece_first}
        self.made: list[tuple[Vocabulary, GuardedTokenizer]] = []
        self.use(vocabulary, impl(vocabulary))

    def use(self, vocabulary: Vocabulary, tokenizer: GuardedTokenizer) -> None:
        """Go on with another tokenizer."""
        self.vocabulary, self.tokenizer = vocabulary, tokenizer
        self.made.append((vocabulary, tokenizer))

    def encode(self, text: str) -> None:
        """It encodes as the reference does."""
        assert self.tokenizer.encode(text) == expected_ids(self.vocabulary, text, **self.declared)

    def decode(self, text: str) -> None:
        """It decodes what the reference encodes."""
        assert self.tokenizer.decode(expected_ids(self.vocabulary, text, **self.declared)) == text

    def change(self, text: str) -> None:
        """A caller changes what it got."""
        ids = self.tokenizer.encode(text)
        ids.append(0)
        ids[0] = 1
        self.tokenizer.encode(text[:1]).clear()

    def special(self, text: str) -> None:
        """The same vocabulary with one more special token, in a tokenizer of its own."""
        known = self.vocabulary.special_tokens
        if text and text not in known:
            specials = {**known, text: self.vocabulary.size}
            vocabulary = Vocabulary(self.vocabulary.merges, specials, self.vocabulary.pattern)
            self.use(vocabulary, self.impl(vocabulary))

    def retrain(self, text: str) -> None:
        """Merges of another text, in a tokenizer of its own."""
        if "train" in self.impl.can:
            rules = self.impl.tie_rules or ("first-seen",)
            merges = self.impl.train([text, text[1:]], 4, pattern=self.vocabulary.pattern, tie_rule=rules[0])
            vocabulary = Vocabulary(merges, {}, self.vocabulary.pattern)
            self.use(vocabulary, self.impl(vocabulary))

    def save(self, text: str) -> None:
        """Go on with what was saved and loaded."""
        if "save" in self.impl.can:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "saved.model"
                self.tokenizer.save(path)
                self.use(self.vocabulary, self.impl.load(path))
            self.encode(text)

    def fresh(self, text: str) -> None:
        """A tokenizer made now gives what the one in use gives."""
        assert self.impl(self.vocabulary).encode(text) == self.tokenizer.encode(text)


def check_state(impl: Implementation, vocabulary: Vocabulary, script: Script) -> None:
    """Whatever calls came before, a tokenizer encodes and decodes as the reference does, and so do those made earlier.

    What refutes this refutes one of ENC-3, FIL-1, OBJ-1, OBJ-2, OBJ-3, OBJ-8.
    """
    session = _Session(impl, vocabulary)
    for step, text in script:
        getattr(session, step)(text)
    for made, tokenizer in session.made[-4:]:
        for text in {text for step, text in script if step in ("encode", "change")}:
            assert tokenizer.encode(text) == expected_ids(made, text, **session.declared)


def _state(profile: Profile, vocabulary: str, *steps: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile, trainable=False)
    drawn = ((STEPS[ord(step[0]) % len(STEPS)], expand(step[1:], fragments)) for step in steps if step)
    return {
        "vocabulary": made,
        "script": tuple(pair for pair in drawn if profile.special_tokens or pair[0] != "special"),
    }


def _is_script(case: Case) -> bool:
    script = case["script"]
    return (
        is_plain({"vocabulary": case["vocabulary"], "text": ""})
        and isinstance(script, tuple)
        and all(len(pair) == 2 and pair[0] in STEPS and encodable(pair[1]) for pair in script)
    )


STATE = Domain(("vocabulary", "script"), _state, (VOCABULARY, *[SHORT] * 8), _is_script)

# --- damaged files -------------------------------------------------------------------------------------------------


def damaged(data: bytes, damage: Damage) -> bytes:
    """The bytes of a file after some accidents; `place` is in thousandths of its length.

    >>> damaged(b"abcd", (("cut", 500, 0),)), damaged(b"abcd", (("flip", 0, 1), ("double", 999, 0)))
    (b'ab', b'`bcdd')
    """
    for kind, place, byte in damage:
        at = len(data) * place // 1000
        before, here, after = data[:at], data[at : at + 1], data[at + 1 :]
        changed = {
            "cut": b"",
            "flip": bytes([here[0] ^ (byte or 1)]) + after if here else b"",
            "drop": after,
            "insert": bytes([byte]) + here + after,
            "double": here * 2 + after,
            "swap": after[:1] + here + after[1:],
        }
        data = before + changed[kind]
    return data


def check_files(impl: Implementation, vocabulary: Vocabulary, text: str, damage: Damage) -> None:
    """Loading a damaged file raises an exception or gives a tokenizer that brings the text back or refuses it.

    What refutes this is of the kind of FIL-3: a hang, a crash, or text that comes back as another one.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "saved.model"
        impl(vocabulary).save(path)
        if not path.is_file():  # it saves to several files or to another name: nothing that could be damaged here
            return
        path.write_bytes(damaged(path.read_bytes(), damage))
        try:
            loaded = impl.load(path)
            text_again = loaded.decode(loaded.encode(text))
        except CallFailed:
            raise
        except Exception:
            return
    assert text_again == text


def _files(profile: Profile, vocabulary: str, text: str, damage: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile)
    codes = [ord(character) & 0xFF for character in damage]
    triples = zip(codes[::3], codes[1::3], codes[2::3], strict=False)
    accidents = tuple((DAMAGES[kind % len(DAMAGES)], place * 999 // 255, byte) for kind, place, byte in triples)
    return {"vocabulary": made, "text": expand(text, fragments), "damage": accidents or (("cut", 900, 0),)}


def _is_damage(case: Case) -> bool:
    return is_plain(case) and all(
        len(one) == 3 and one[0] in DAMAGES and 0 <= one[1] < 1000 and 0 <= one[2] < 256 for one in case["damage"]
    )


FILES = Domain(("vocabulary", "text", "damage"), _files, (VOCABULARY, SHORT, (3, 12)), _is_damage)

# --- arbitrary ids -------------------------------------------------------------------------------------------------


def check_ids(impl: Implementation, vocabulary: Vocabulary, ids: list[int]) -> None:
    """Known ids decode to their bytes by every way of decoding, and an unknown one anywhere raises an exception.

    What refutes this refutes one of DEC-1 to DEC-5.
    """
    for member, answer in _ways(impl, vocabulary):
        try:
            given = answer(ids)
        except CallFailed:
            raise
        except Exception:
            assert not _all_known(vocabulary, ids), f"{member} refuses ids that are all known"
            continue
        assert _all_known(vocabulary, ids), f"{member} takes an id that the vocabulary lacks"
        data = b"".join(vocabulary.bytes_of[token_id] for token_id in ids)
        assert given == (data if member == "decode_bytes" else data.decode(errors="replace")), member


def _ways(impl: Implementation, vocabulary: Vocabulary) -> Iterator[tuple[str, Any]]:
    tokenizer = impl(vocabulary)
    yield "decode", tokenizer.decode
    if "decode_bytes" in impl.can:
        yield "decode_bytes", tokenizer.decode_bytes
    if "stream_decode" in impl.can:
        yield "stream_decode", lambda ids: "".join(tokenizer.stream_decode(ids))


def _all_known(vocabulary: Vocabulary, ids: list[int]) -> bool:
    return all(token_id in vocabulary.bytes_of for token_id in ids)


def _arbitrary(profile: Profile, vocabulary: str, ids: str, odd: str) -> Case:
    made, _ = vocabulary_of(vocabulary, profile)
    drawn = ids_of(ids, made)
    strange = (made.size, made.size + 1, -1, -256, 2**31, 2**32 + 97, 2**63, 2**64, 255, 256)
    for code in map(ord, odd[:2]):
        if code % 3 == 0:
            drawn.insert(code % (len(drawn) + 1), strange[code // 3 % len(strange)])
    return {"vocabulary": made, "ids": drawn}


def _are_ids(case: Case) -> bool:
    vocabulary = case["vocabulary"]
    return not vocabulary.end_of_word and covering(vocabulary.pattern) and all(type(i) is int for i in case["ids"])


ANY_IDS = Domain(("vocabulary", "ids"), _arbitrary, (VOCABULARY, TEXT, (0, 2)), _are_ids)

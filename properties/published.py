"""`--vocabulary`: the claims asked of one vocabulary as it was published, in place of generated ones.

Claims that vary the vocabulary, and those on training, are not asked. The texts and ids of the others are made as
everywhere, of this vocabulary's tokens; the claims `PUB-*` go through every token of it. Making a tokenizer of 200,000
merges takes a second, so each is made once and kept.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import reference
from implementations.plugged import Implementation
from implementations.vocabularies import load_vocabulary
from properties.cases.domains import Case, Domain, encodable
from properties.cases.programs import OPERATIONS, Fragments, Profile, expand
from properties.cases.real_text import texts
from properties.claims import Claim
from properties.oracle.expected import SPARSE_FROM
from reference.model import Vocabulary

CHUNK = 5_000  # tokens in a case of PUB-1: a case each would take longer than the tokens
CUTS = 10  # prefixes of the merges in PUB-2

# In which form a claim is given the vocabulary: as it is, as one piece, without special tokens.
AS_IS = (
    *("VOC-1", "VOC-2", "PRE-2", "PRE-5", "ENC-1", "ENC-2", "ENC-15", "ENC-16", "ENC-18", "ENC-20"),
    *("DEC-1", "DEC-2", "DEC-3", "DEC-4", "DEC-5", "DEC-6", "SPC-1", "SPC-2", "SPC-3", "SPC-4", "SPC-5", "FIL-1"),
    *("OBJ-1", "OBJ-2", "OBJ-4", "OBJ-5", "OBJ-7", "TXT-1", "TXT-2"),
)
ONE_PIECE = ("ENC-4", "ENC-5", "ENC-6", "ENC-7", "ENC-17")
ORDINARY = ("OBJ-6",)


def code_of(character: str) -> int:
    """A number for each character of a program."""
    code = ord(character)
    return code - OPERATIONS if code >= OPERATIONS else code


def add_vocabulary_option(group: pytest.OptionGroup) -> None:
    """The option of this module."""
    group.addoption(
        "--vocabulary", metavar="NAME|FILE", help="ask the claims of this published vocabulary, not of generated ones"
    )


def vocabulary_asked(config: pytest.Config) -> Vocabulary | None:
    """The vocabulary of the option. Raises `ValueError`: what there is, or where the file is malformed."""
    named = config.getoption("--vocabulary")
    return None if named is None else byte_level(named)


def byte_level(named: str | Path) -> Vocabulary:
    """The published vocabulary of that name or file. Raises `ValueError` for one that claims cannot be asked of."""
    vocabulary = load_vocabulary(named)
    if vocabulary.end_of_word:
        raise ValueError(f"{named}: marks the ends of words; the claims on published vocabularies are for bytes")
    return vocabulary


def keep_tokenizers(implementation: Implementation) -> None:
    """Tokenizers of large vocabularies are made once from here on."""
    implementation.kept_from = SPARSE_FROM


@lru_cache(maxsize=8)
def one_piece(vocabulary: Vocabulary) -> Vocabulary:
    """The same merges, without a pattern and special tokens."""
    return Vocabulary(vocabulary.merges, base=vocabulary.base)


@lru_cache(maxsize=8)
def ordinary(vocabulary: Vocabulary) -> Vocabulary:
    """The same vocabulary without special tokens."""
    return Vocabulary(vocabulary.merges, {}, vocabulary.pattern, vocabulary.base)


@lru_cache(maxsize=64)
def first_merges(vocabulary: Vocabulary, count: int) -> Vocabulary:
    """The first merges only, as one piece."""
    return Vocabulary(vocabulary.merges[:count], base=vocabulary.base)


@lru_cache(maxsize=4)
def token_texts(vocabulary: Vocabulary) -> tuple[tuple[str, int], ...]:
    """The tokens made by merges that are texts by themselves, each with its id."""
    found = []
    for token, token_id in vocabulary.id_of.items():
        if token_id >= len(vocabulary.base):
            try:
                found.append((token.decode(), token_id))
            except UnicodeDecodeError:
                continue
    return tuple(found)


@lru_cache(maxsize=4)
def fragments(vocabulary: Vocabulary) -> Fragments:
    """What texts are made of: the tokens in an order that lets the few that a program can name come from anywhere."""
    tokens = [text for text, _ in token_texts(vocabulary)]
    random.Random(0).shuffle(tokens)
    return Fragments(("a", "b", "e", "t"), tuple(tokens), tuple(vocabulary.special_tokens))


def claim_for(claim: Claim, profile: Profile) -> Claim | str:
    """The claim as it is asked under the profile's vocabulary, or why it is not asked."""
    vocabulary = profile.vocabulary
    if vocabulary is None:
        return "is asked with --vocabulary only" if claim.id.startswith("PUB-") else claim
    if claim.id.startswith("PUB-") or profile.own_vocabulary:
        return claim
    forms: list[tuple[tuple[str, ...], Callable[[Vocabulary], Vocabulary]]]
    forms = [(AS_IS, lambda v: v), (ONE_PIECE, one_piece), (ORDINARY, ordinary)]
    form = next((form for ids, form in forms if claim.id in ids), None)
    if form is None:
        training = "corpus" in claim.domain.arguments or "corpora" in claim.domain.arguments
        return "training has no vocabulary" if training else "varies the vocabulary; --vocabulary fixes it"
    return replace(claim, domain=_fixed(claim.domain, form(vocabulary)))


def asked_under(profile: Profile, claims: Iterable[Claim]) -> Iterator[Claim]:
    """Those of the claims that are asked under the profile's vocabulary, as they are asked."""
    found = (claim_for(claim, profile) for claim in claims)
    return (claim for claim in found if isinstance(claim, Claim))


def _fixed(domain: Domain, vocabulary: Vocabulary) -> Domain:
    """The domain, each case of it with this vocabulary."""

    def build(profile: Profile, *programs: str) -> Case:
        assert domain.build is not None
        generated = replace(profile, vocabulary=None, special_tokens=bool(vocabulary.special_tokens))
        case = domain.build(generated, *programs)
        found = _moved(case, vocabulary, programs)
        assert found is not None
        return found

    def listed(profile: Profile) -> Iterator[Case]:
        generated = replace(profile, vocabulary=None)
        for case in domain.listed(generated):
            moved = _moved(case, vocabulary, None)
            if moved is not None:
                yield moved

    def admits(case: Case) -> bool:
        return case["vocabulary"] is vocabulary and domain.admits(_in_small(case, vocabulary))

    if set(domain.arguments) == {"vocabulary"}:  # one case, whatever is drawn
        return Domain(domain.arguments, listed=lambda profile: iter([{"vocabulary": vocabulary}]))
    return Domain(domain.arguments, domain.build and build, domain.sizes, admits, listed)


def _in_small(case: Case, vocabulary: Vocabulary) -> Case:
    """The case under a vocabulary for which a domain answers fast: ids that are known stay known, others do not."""
    small = Vocabulary((), {"<s>": 256} if vocabulary.special_tokens else {}, vocabulary.pattern)
    ids = {}
    if "ids" in case:
        known = vocabulary.bytes_of
        ids = {"ids": [97 if i in known else min(i, -1) if i < 0 else 10**6 for i in case["ids"]]}
    return case | {"vocabulary": small} | ids


def _moved(case: Case, vocabulary: Vocabulary, programs: tuple[str, ...] | None) -> Case | None:
    """A case of a generated vocabulary under another: its texts written anew, its ids those of the same bytes."""
    moved: dict[str, Any] = {"vocabulary": vocabulary}
    if "ids" in case:
        return moved | {"ids": _ids(case, vocabulary, programs)}
    if programs is None:
        return case | moved if len(case["vocabulary"].merges) < SPARSE_FROM else None  # made of its own tokens
    names = [name for name in case if name in ("text", "other")]
    written = [_text(program, vocabulary) for program in programs[1:]]
    for name, text in zip(names, written, strict=False):
        if not encodable(case[name]):
            text += "\ud800"
        moved[name] = text
    if "texts" in case:
        moved["texts"] = [*written, *(one + other for one in written[:3] for other in written)][: len(case["texts"])]
    return {**case, **moved}


def _text(program: str, vocabulary: Vocabulary) -> str:
    return expand(program, fragments(vocabulary))


def _ids(case: Case, vocabulary: Vocabulary, programs: tuple[str, ...] | None) -> list[int]:
    known, own = case["vocabulary"].bytes_of, vocabulary.bytes_of
    last = vocabulary.size
    ids = []
    order = _shuffled_ids(vocabulary)
    for place, token_id in enumerate(case["ids"]):
        token = known.get(token_id)
        if token is None:  # unknown before, unknown now
            ids.append(token_id if token_id < 0 or (token_id >= last and token_id not in own) else last + token_id % 7)
        elif len(token) == 1:
            ids.append(vocabulary.id_of[token])
        elif programs:
            spread = sum(code_of(character) << (7 * i) for i, character in enumerate(programs[-1][place:][:3]))
            ids.append(order[spread % len(order)])
        else:
            ids += [vocabulary.id_of[bytes([byte])] for byte in token]
    return ids


@lru_cache(maxsize=4)
def _shuffled_ids(vocabulary: Vocabulary) -> tuple[int, ...]:
    ids = list(vocabulary.bytes_of)
    random.Random(0).shuffle(ids)
    return tuple(ids)


# --- domains of the PUB claims


def _asked(listed: Callable[[Profile, Vocabulary], Iterator[Case]]) -> Callable[[Profile], Iterator[Case]]:
    def cases(profile: Profile) -> Iterator[Case]:
        if profile.vocabulary is not None:
            yield from listed(profile, profile.vocabulary)

    return cases


def _chunks(profile: Profile, vocabulary: Vocabulary) -> Iterator[Case]:
    for first in range(0, len(token_texts(vocabulary)), CHUNK):
        yield {"vocabulary": vocabulary, "first": first, "count": CHUNK}


def _chunks_done(profile: Profile, cases: int) -> str:
    if profile.vocabulary is None:
        return ""
    count = len(token_texts(profile.vocabulary))
    return f"{min(count, cases * CHUNK):,} of {count:,} tokens that are texts"


EVERY_TOKEN = Domain(("vocabulary", "first", "count"), listed=_asked(_chunks), scope=_chunks_done)


def _cuts(profile: Profile, vocabulary: Vocabulary) -> Iterator[Case]:
    total = len(vocabulary.merges)
    counts = sorted({round(total * (i + 1) / (CUTS + 1)) for i in range(CUTS)} | {min(total, 2**i) for i in (4, 7, 10)})
    for count in counts:
        yield {"vocabulary": vocabulary, "count": count}


PREFIXES = Domain(("vocabulary", "count"), listed=_asked(_cuts))


def _spliced(profile: Profile, program: str) -> Case:
    vocabulary = profile.vocabulary
    assert vocabulary is not None
    tokens = token_texts(vocabulary)
    codes = [code_of(character) for character in program]
    numbers = [a + (b << 8) + (c << 12) for a, b, c in zip(codes[::3], codes[1::3], codes[2::3], strict=False)]
    order = _shuffled_texts(vocabulary)
    return {"vocabulary": vocabulary, "ids": [tokens[order[n % len(order)]][1] for n in numbers]}


@lru_cache(maxsize=4)
def _shuffled_texts(vocabulary: Vocabulary) -> tuple[int, ...]:
    places = list(range(len(token_texts(vocabulary))))
    random.Random(1).shuffle(places)
    return tuple(places)


def _is_spliced(case: Case) -> bool:
    known = {token_id for _, token_id in token_texts(case["vocabulary"])}
    return all(token_id in known for token_id in case["ids"])


SPLICED = Domain(("vocabulary", "ids"), _spliced, ((6, 30),), _is_spliced)


def _written(profile: Profile, program: str) -> Case:
    assert profile.vocabulary is not None
    return {"vocabulary": profile.vocabulary, "text": _text(program, profile.vocabulary)}


def _real(profile: Profile, vocabulary: Vocabulary) -> Iterator[Case]:
    for text in texts().values():
        for start in range(0, min(len(text), 6_000), 2_000):
            yield {
                "vocabulary": vocabulary,
                "text": text[start : start + (600 if vocabulary.pattern is None else 2_000)],
            }


PUBLISHED_TEXT = Domain(
    ("vocabulary", "text"), _written, ((4, 60),), lambda case: encodable(case["text"]), _asked(_real)
)


def is_one_piece_of(vocabulary: Vocabulary, text: str) -> bool:
    """Whether the pattern leaves a text in one piece."""
    if vocabulary.pattern is None:
        return True
    try:
        return reference.pretokenize(vocabulary.pattern, text) == [text]
    except ValueError:
        return False

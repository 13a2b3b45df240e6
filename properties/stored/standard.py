"""The standard small vocabularies: what a regression that brings no merges of its own is run on.

Each is trained, when first asked for, on a fixed text that repeats what tokenizers get wrong: doubled spaces, runs of
one letter, both line ends, digits, characters of two, three and four bytes.

>>> list(STANDARD)
['bytes', 'none', 'whitespace', 'gpt2', 'cl100k', 'specials']
>>> STANDARD["whitespace"].merges[:3]
((b't', b'h'), (b'a', b'a'), (b'th', b'e'))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from properties.stored.regressions import OF_A_VOCABULARY, MalformedRegression, Regression
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS
from reference.train import train

CORPUS = (
    "the thing that they think of, that's the thing;  they  think  that  they're\r\nthe  other  thing\r\n\r\n",
    "banana, bandana, cabana\naaaa aaaa aaaaa aaa\n\n\tabab\tabab\t\tcaba\n\n",
    "café ☕  cafés ☕☕ naïve 🙂🙂🙂 🙂 мир мира миру 日本 日本語 日本",
    "1234 123 12 1234567 000 1000000 (a+b)*(a+b) == a*a + 2*a*b",
)
NUM_MERGES = 60

# One that begins another, one that is another twice over, one with a space in front; ids with holes between.
SPECIAL_TOKENS = {
    "<|end|>": 400,
    "<|end|><|end|>": 401,
    "<|end": 405,
    " <|pad|>": 500,
    "<|pad|>": 501,
    "[终]": 70_000,
}


def _trained(pattern: str, special_tokens: Mapping[str, int]) -> Vocabulary:
    merges = train(CORPUS, NUM_MERGES, pattern=PATTERNS[pattern])
    return Vocabulary(merges, special_tokens, PATTERNS[pattern])


class _Standard(Mapping[str, Vocabulary]):
    """A mapping whose values are made when they are first asked for, and kept: training takes some milliseconds."""

    def __init__(self, makers: Mapping[str, Callable[[], Vocabulary]]) -> None:
        self._makers = {name: cache(make) for name, make in makers.items()}

    def __getitem__(self, name: str) -> Vocabulary:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


STANDARD: Mapping[str, Vocabulary] = _Standard(
    {
        "bytes": lambda: Vocabulary(),
        "none": lambda: _trained("none", {}),
        "whitespace": lambda: _trained("whitespace", {}),
        "gpt2": lambda: _trained("gpt2", {}),
        "cl100k": lambda: _trained("cl100k_base", {}),
        "specials": lambda: Vocabulary(STANDARD["gpt2"].merges, SPECIAL_TOKENS, PATTERNS["gpt2"]),
    }
)


def vocabularies_of(case: Regression) -> dict[str, Vocabulary]:
    """The vocabularies that a case is to be run on: its own, the one it names, or else every standard one.

    Raises `MalformedRegression` for a name that is not standard or a vocabulary that is not well-formed.

    >>> list(vocabularies_of(Regression("a", "Why.", "Who.", {"text": "a", "merges": [(b"a", b"a")]})))
    ['own']
    >>> list(vocabularies_of(Regression("a", "Why.", "Who.", {"text": "a", "vocabulary": "gpt2"})))
    ['gpt2']
    """
    name = case.arguments.get("vocabulary")
    if name is not None and name not in STANDARD:
        raise MalformedRegression(
            f"{case.place}: case {case.id}: no {name!r}; known: {', '.join(STANDARD)}", "vocabulary"
        )
    own = {key: case.arguments[key] for key in OF_A_VOCABULARY if key in case.arguments}
    if own:
        try:
            return {"own": Vocabulary(**own)}
        except ValueError as error:
            raise MalformedRegression(f"{case.place}: case {case.id}: {error}", "merges") from None
    return {name: STANDARD[name]} if name is not None else dict(STANDARD)

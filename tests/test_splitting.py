"""The patterns of the reference in two other engines, and the characters on which all are compared."""

import shutil
import subprocess
import unicodedata
from itertools import product

import pytest
import regex

import reference
from implementations.loader import resolve
from implementations.vocabularies import merges_from_ranks
from properties.cases.splitting import (
    CORE,
    NEIGHBOURS,
    SPLIT_TEXTS,
    TOLD_SPLITS,
    atoms_of,
    classes,
    extras,
    firsts,
    representatives,
    telling,
    white_space,
)
from properties.claims import all_claims
from properties.runner import failure, profile_of
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

CLAIMS = {claim.id: claim for claim in all_claims()}
NAMED = {name: pattern for name, pattern in PATTERNS.items() if pattern and name != "whitespace-lossy"}

PERL = r"""
use strict; use warnings; use Unicode::UCD;
binmode(STDIN, ":raw"); binmode(STDOUT, ":raw");
my $pattern = <STDIN>; chomp $pattern; $pattern = pack("H*", $pattern); utf8::decode($pattern);
my $compiled = qr/$pattern/u;
print Unicode::UCD::UnicodeVersion(), "\n";
while (my $line = <STDIN>) {
    chomp $line; my $text = pack("H*", $line); utf8::decode($text);
    my @pieces;
    while ($text =~ /$compiled/g) {
        my $piece = $&; utf8::encode($piece);
        push @pieces, unpack("H*", $piece) if length $piece;
    }
    print join(" ", @pieces), "\n";
}
"""
NODE = r"""
const lines = require("fs").readFileSync(0, "latin1").split("\n");
const text = hex => Buffer.from(hex, "hex").toString("utf8");
const pattern = new RegExp(text(lines[0]), "gu");
console.log(process.versions.unicode);
for (const line of lines.slice(1, -1))
  console.log([...text(line).matchAll(pattern)].map(m => Buffer.from(m[0]).toString("hex")).filter(h => h).join(" "));
"""


def elsewhere(command, pattern, texts):
    """The Unicode version of another engine, and the pieces that it makes of each text."""
    lines = "".join(f"{text.encode().hex()}\n" for text in [pattern, *texts])
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    version, *answers = done.stdout.split("\n")[:-1]
    return version, [[bytes.fromhex(piece).decode() for piece in line.split()] for line in answers]


def old(character):
    """Assigned long ago, or never: no two Unicode versions at hand differ on it."""
    return unicodedata.category(character) != "Cn" or character in "\uffff\u0378"


def texts_of(pattern):
    core = [c for c in firsts(pattern, letters=False) if old(c)]
    wide = [c for c in dict.fromkeys([*representatives(pattern), *extras(pattern)]) if old(c)]
    yield from ("".join(text) for length in (1, 2, 3, 4) for text in product(core, repeat=length))
    yield from (
        "".join(text) for one in wide for two in wide for text in ((one, two), ("'", one, two), (one, " ", two))
    )
    for contraction in ("s", "S", "ſ", "t", "d", "m", "re", "RE", "rE", "ve", "ll", "Ll", "K", "ſs"):
        for before, after in product(("", "a", "A", " ", "1", "é", "日"), ("", "a", "ſ", " ", "'", "\n", "1")):
            yield f"{before}'{contraction}{after}"


@pytest.mark.parametrize("name", NAMED)
def test_perl_cuts_as_the_reference_does(name):
    perl = shutil.which("perl")
    if not perl:
        pytest.skip("perl is not installed: no second engine with possessive quantifiers")
    texts = list(dict.fromkeys(texts_of(NAMED[name])))
    version, answers = elsewhere([perl, "-e", PERL], NAMED[name], texts)
    differ = [
        (text, theirs, reference.pretokenize(NAMED[name], text))
        for text, theirs in zip(texts, answers, strict=True)
        if theirs != reference.pretokenize(NAMED[name], text)
    ]
    assert differ == [], f"Unicode {version} there, {reference.UNICODE_VERSION} here"
    assert len(texts) > 5_000


@pytest.mark.parametrize("name", ["whitespace", "gpt2"])
def test_node_cuts_as_the_reference_does(name):
    """JavaScript has no possessive quantifiers, and its white space is another: U+FEFF is, U+0085 is not."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    texts = [text for text in dict.fromkeys(texts_of(NAMED[name])) if not set(text) & set("\ufeff\x85")]
    version, answers = elsewhere([node, "-e", NODE], NAMED[name], texts)
    differ = [t for t, theirs in zip(texts, answers, strict=True) if theirs != reference.pretokenize(NAMED[name], t)]
    assert differ == [], f"Unicode {version} there, {reference.UNICODE_VERSION} here"


def test_the_white_space_of_javascript_is_another():
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    _, [first, second] = elsewhere([node, "-e", NODE], NAMED["whitespace"], ["a\ufeffb", "a\x85b"])
    assert (first, second) == (["a", "\ufeff", "b"], ["a\x85b"])


@pytest.mark.parametrize("pattern", NAMED.values(), ids=NAMED)
def test_characters_of_one_class_match_the_same_atoms_and_of_two_not(pattern):
    atoms = [regex.compile(atom) for atom in atoms_of(pattern)]
    signatures = {
        tuple(i for i, atom in enumerate(atoms) if atom.fullmatch(character)): key
        for key, kept in classes(pattern).items()
        for character in kept
    }
    assert all(signature == key for signature, key in signatures.items())
    assert len(signatures) == len(classes(pattern))


def test_the_atoms_of_the_patterns():
    assert atoms_of(r" ?[^\s]+|\s+") == [" ", r"[^\s]", r"\s"]
    assert {r"\p{L}", r"\p{N}", r"[^\s\p{L}\p{N}]", "(?i:s)"} <= set(atoms_of(NAMED["gpt2"]))
    assert r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]" in atoms_of(NAMED["o200k_base"])


def test_every_white_space_and_every_folding_neighbour_is_among_the_extras():
    assert len(white_space()) == 25
    for pattern in NAMED.values():
        assert set(white_space()) | set(NEIGHBOURS) <= set(extras(pattern))


def test_the_telling_vocabulary_is_trainable_and_tells_pieces():
    vocabulary = Vocabulary(telling([*CORE, "é", "\u2028"]), {}, NAMED["cl100k_base"])
    in_order = sorted(vocabulary.id_of, key=vocabulary.id_of.__getitem__)
    assert merges_from_ranks(in_order)[1] == vocabulary.merges
    for text in map("".join, product([*CORE, "é", "\u2028"], repeat=3)):
        one = reference.pretokenize(vocabulary.pattern, text) == [text]
        assert one == (
            len(reference.encode_ordinary(Vocabulary(_needed(vocabulary, text), {}, vocabulary.pattern), text)) == 1
        )


def _needed(vocabulary, text):
    """The merges whose bytes stand in the text: the reference replays every merge, and there are many."""
    return tuple(merge for merge in vocabulary.merges if merge[0] + merge[1] in text.encode())


def test_a_tokenizer_that_cuts_otherwise_is_refuted():
    class Ascii:
        """Its white space is that of ASCII."""

        def __init__(self, vocabulary):
            self.vocabulary = vocabulary

        def pretokenize(self, text):
            return regex.findall(self.vocabulary.pattern, text, flags=regex.ASCII)

        def encode(self, text):
            from properties.oracle.expected import expected_ids

            whole = Vocabulary(self.vocabulary.merges)
            return [i for piece in self.pretokenize(text) for i in expected_ids(whole, piece)]

        def decode(self, ids):
            return ""

    from implementations.plugged import Implementation

    wrong = Implementation.of(Ascii)
    for claim, domain in (("SPL-1", SPLIT_TEXTS), ("SPL-2", TOLD_SPLITS)):
        profile = profile_of(wrong)
        assert any(
            failure(CLAIMS[claim], wrong, case) for case, _ in zip(domain.listed(profile), range(40), strict=False)
        )


def test_heap_is_right_on_a_list_of_each_pattern():
    [heap] = resolve("heap")
    profile = profile_of(heap)
    for claim, domain in (("SPL-1", SPLIT_TEXTS), ("SPL-2", TOLD_SPLITS)):
        for case, _ in zip(domain.listed(profile), range(8), strict=False):
            assert failure(CLAIMS[claim], heap, case) is None

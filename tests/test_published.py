"""`--vocabulary`: on a file of ranks made here, so that no package is needed."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.adapters._common import rank_file
from implementations.heap import Tokenizer
from implementations.loader import resolve
from implementations.plugged import Implementation
from implementations.vocabularies import available
from properties.budgets import BUDGETS
from properties.cases.domains import encodable
from properties.cases.programs import Profile
from properties.claims import all_claims
from properties.published import (
    AS_IS,
    ONE_PIECE,
    ORDINARY,
    PUBLISHED_TEXT,
    SPLICED,
    asked_under,
    byte_level,
    claim_for,
    keep_tokenizers,
    token_texts,
)
from properties.runner import profile_of, try_claim
from properties.stored.standard import STANDARD
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = {claim.id: claim for claim in all_claims()}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    merges = STANDARD["gpt2"].merges
    return Vocabulary(merges, {"<|end|>": 256 + len(merges)}, PATTERNS["gpt2"])


def profile(vocabulary: Vocabulary) -> Profile:
    return profile_of(resolve("heap")[0], vocabulary)


def test_without_the_option_these_claims_say_so():
    outcome = try_claim(CLAIMS["PUB-1"], resolve("heap")[0], BUDGETS["quick"])
    assert outcome.status == "not applicable"
    assert list(outcome.not_applicable) == ["is asked with --vocabulary only"]


def test_every_claim_is_asked_or_says_why_not(vocabulary):
    reasons = {}
    for claim in CLAIMS.values():
        asked = claim_for(claim, profile(vocabulary))
        reasons[claim.id] = asked if isinstance(asked, str) else None
    asked = {id for id, reason in reasons.items() if reason is None}
    assert asked == {*AS_IS, *ONE_PIECE, *ORDINARY, "PUB-1", "PUB-2", "PUB-3", "PUB-4"}
    assert reasons["TRN-1"] == "training has no vocabulary"
    assert reasons["ENC-8"] == "varies the vocabulary; --vocabulary fixes it"


def test_every_case_is_of_the_vocabulary(vocabulary):
    source = random.Random(0)
    kept = profile(vocabulary)
    forms = {
        vocabulary,
        Vocabulary(vocabulary.merges),
        Vocabulary(vocabulary.merges, {}, vocabulary.pattern),
    }
    for claim in asked_under(kept, CLAIMS.values()):
        cases = [case for case, _ in zip(claim.domain.listed(kept), range(30), strict=False)]
        if claim.domain.build is not None:
            for _ in range(20):
                programs = [
                    "".join(chr(0xF0080 + source.randrange(128)) for _ in range(high)) for _, high in claim.domain.sizes
                ]
                cases.append(claim.domain.case(kept, programs))
        for case in cases:
            assert case["vocabulary"] in forms, claim.id
            assert not set(claim.domain.arguments) - set(case), claim.id
        drawn = [case for case in cases if claim.domain.build is not None]
        assert all(claim.domain.admits(case) for case in drawn[-10:]), claim.id


@pytest.mark.parametrize("claim_id", ["DEC-2", "DEC-3", "ENC-16"])
def test_what_is_unknown_or_has_no_utf8_stays_so(vocabulary, claim_id):
    kept = profile(vocabulary)
    [claim] = asked_under(kept, [CLAIMS[claim_id]])
    source = random.Random(1)
    for _ in range(50):
        programs = ["".join(chr(0xF0080 + source.randrange(128)) for _ in range(9)) for _ in claim.domain.sizes]
        case = claim.domain.case(kept, programs)
        if "ids" in case:
            assert any(i not in vocabulary.bytes_of for i in case["ids"])
        else:
            assert not encodable(case["text"])


@pytest.mark.parametrize("claim_id", [*AS_IS, *ONE_PIECE, *ORDINARY, "PUB-1", "PUB-2", "PUB-3", "PUB-4"])
def test_heap_holds_on_it(vocabulary, claim_id):
    [heap] = resolve("heap")
    keep_tokenizers(heap)
    outcome = try_claim(CLAIMS[claim_id], heap, BUDGETS["quick"], profile=profile(vocabulary))
    assert outcome.status in ("passed", "not applicable"), outcome.error
    assert outcome.status == "passed" or claim_id == "ENC-18", outcome.not_applicable


class Forgets(Tokenizer):
    """Knows the first half of the merges only."""

    def __init__(self, vocabulary):
        half = len(vocabulary.merges) // 2
        super().__init__(Vocabulary(vocabulary.merges[:half], {}, vocabulary.pattern))


class Chunks(Tokenizer):
    """Cuts the text every seven characters."""

    def encode(self, text):
        parts = [super(Chunks, self).encode(text[i : i + 7]) for i in range(0, len(text), 7)]
        return [token_id for part in parts for token_id in part]


@pytest.mark.parametrize(
    ("claim_id", "wrong"), [("PUB-1", Forgets), ("PUB-2", Forgets), ("PUB-3", Chunks), ("PUB-4", Chunks)]
)
def test_each_claim_refutes_what_it_is_there_for(vocabulary, claim_id, wrong):
    implementation = Implementation.of(wrong)
    outcome = try_claim(CLAIMS[claim_id], implementation, BUDGETS["default"], profile=profile(vocabulary))
    assert outcome.status == "refuted"


def test_spliced_ids_are_texts_from_anywhere(vocabulary):
    kept = Profile(vocabulary=vocabulary)
    source = random.Random(2)
    seen = set()
    for _ in range(400):
        program = "".join(chr(0xF0080 + source.randrange(128)) for _ in range(18))
        seen.update(SPLICED.case(kept, [program])["ids"])
    assert seen == {token_id for _, token_id in token_texts(vocabulary)}


def test_the_texts_hold_tokens_and_special_tokens(vocabulary):
    kept = Profile(vocabulary=vocabulary)
    source = random.Random(3)
    programs = ["".join(chr(0xF0080 + source.randrange(128)) for _ in range(40)) for _ in range(60)]
    texts = [PUBLISHED_TEXT.case(kept, [program])["text"] for program in programs]
    assert any("<|end|>" in text for text in texts)
    assert any("thing" in text for text in texts)


def run(*options):
    command = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "--budget=quick", *options]
    cleared = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(command, cwd=ROOT, env=cleared, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_file_is_taken_and_the_scope_told(vocabulary, tmp_path):
    path = tmp_path / "small.tiktoken"
    path.write_bytes(rank_file(Vocabulary(vocabulary.merges)))
    status, output = run("--impl=heap", f"--vocabulary={path}", "--claims=PUB-*", "--claims=ENC-[12]")
    assert status == 0, output
    assert "6 passed" in output
    count = len(token_texts(vocabulary))
    assert f"PUB-1 completed {count} of {count} tokens that are texts" in output


def test_a_name_that_means_nothing_lists_the_choices():
    status, output = run("--impl=heap", "--vocabulary=gpt9")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "gpt9: neither a file nor a known vocabulary" in output


def test_a_vocabulary_that_marks_words_is_refused(tmp_path):
    if "clip" not in available():
        pytest.skip("no package brings CLIP's vocabulary")
    with pytest.raises(ValueError, match="marks the ends of words"):
        byte_level("clip")


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "qwen", "tekken", "whisper"])
def test_a_published_vocabulary_where_one_is_installed(name):
    if name not in available():
        pytest.skip(f"no installed package brings {name}")
    [heap] = resolve("heap")
    keep_tokenizers(heap)
    kept = profile_of(heap, byte_level(name))
    for claim_id in ("PUB-3", "PUB-4"):
        assert try_claim(CLAIMS[claim_id], heap, BUDGETS["quick"], profile=kept).status == "passed"

"""The specification is one with the code: its ids, its sections, its examples and its sentences."""

import doctest
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest
import regex

import reference

SPEC = Path(__file__).parents[1] / "docs" / "spec.md"
TEXT = SPEC.read_text(encoding="utf-8")
CLAIM = re.compile(r"^> \*\*(?P<id>[A-Z]{3}-[1-9][0-9]*)(?P<should> \(should\))?\.\*\* (?P<sentence>.+)$")
SECTION_PREFIXES = ["VOC", "PRE", "TRN", "ENC", "DEC", "SPC", "CHR", "FIL", "OBJ", "TXT", "EXH", "PUB", "SPL", "GRO"]
MODULES = ["model", "pretokenize", "train", "encode", "decode", "special", "characters", "files"]


def block_quotes() -> list[str]:
    return [line for line in TEXT.splitlines() if line.startswith(">") and not line.startswith(">>>")]


def spec_claims() -> dict[str, tuple[str, str]]:
    """From an id to its level and sentence."""
    matches = [match for match in map(CLAIM.match, block_quotes()) if match]
    return {match["id"]: ("should" if match["should"] else "must", match["sentence"]) for match in matches}


def sections() -> dict[int, str]:
    """From a section's number to its text."""
    parts = re.split(r"^## ([0-9]+)\. .*$", TEXT.split("## Withdrawn")[0], flags=re.MULTILINE)
    return {int(number): body for number, body in zip(parts[1::2], parts[2::2], strict=True)}


def examples() -> list[tuple[int, str]]:
    """The line and the text of each fenced example."""
    found = re.finditer(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
    return [(TEXT.count("\n", 0, match.start(1)), match[1]) for match in found]


def test_every_block_quote_is_a_well_formed_claim():
    assert [line for line in block_quotes() if not CLAIM.match(line)] == []


def test_a_sentence_is_one_sentence_that_ends():
    for claim_id, (_, sentence) in spec_claims().items():
        assert sentence.endswith("."), claim_id
        assert sentence == " ".join(sentence.split()), claim_id


def test_ids_are_unique():
    ids = [match["id"] for match in map(CLAIM.match, block_quotes()) if match]
    assert [claim_id for claim_id, times in Counter(ids).items() if times > 1] == []


def test_a_withdrawn_id_is_not_used_again():
    withdrawn = re.findall(r"[A-Z]{3}-[0-9]+", TEXT.split("## Withdrawn")[1])
    assert set(withdrawn).isdisjoint(spec_claims())


def test_ids_stand_in_their_section_in_order():
    for number, prefix in enumerate(SECTION_PREFIXES, 1):
        ids = re.findall(r"^> \*\*([A-Z]{3}-[0-9]+)", sections()[number], flags=re.MULTILINE)
        numbers = [int(claim_id.removeprefix(prefix + "-")) for claim_id in ids]
        assert numbers, prefix
        assert numbers == sorted(numbers)


def test_sections_are_numbered_without_a_gap():
    assert list(sections()) == list(range(1, len(SECTION_PREFIXES) + 1))


def test_sections_one_to_eight_are_the_modules_of_the_reference():
    named = [re.findall(r"^Module: \[`reference/(\w+)\.py`\]", sections()[n], flags=re.MULTILINE) for n in range(1, 9)]
    assert named == [[module] for module in MODULES]
    for number, module in enumerate(MODULES, 1):
        assert importlib.import_module(f"reference.{module}").__doc__.startswith(f"Section {number}: ")
    others = {"__init__", "__main__", "cli", "curve", "errors", "show"}
    assert {path.stem for path in Path(reference.__file__).parent.glob("*.py")} - others == set(MODULES)


def test_every_term_is_defined_once():
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    terms = Counter(re.findall(r"(?<![*\w`])\*([A-Za-z][\w -]*)\*(?!\*)", prose))
    assert [term for term, times in terms.items() if times > 1] == []
    assert {"token", "merge", "rank", "piece", "corpus", "tie rule", "trainable", "encoding"} <= set(terms)


def test_every_id_that_the_prose_speaks_of_exists():
    prefixes = "|".join(SECTION_PREFIXES)
    assert set(re.findall(rf"\b(?:{prefixes})-[0-9]+\b", TEXT)) - set(spec_claims()) == set()


def test_every_pattern_and_tie_rule_is_in_the_specification():
    for name in [*reference.PATTERNS, *reference.TIE_RULES]:
        assert name == "none" or f"`{name}`" in TEXT


def test_the_unicode_version_is_the_one_of_the_package_named():
    package, version = re.search(r"`regex`\s+([0-9.]+),\s+which\s+has\s+Unicode\s+([0-9.]+[0-9])", TEXT).groups()
    if regex.__version__ != package:
        pytest.skip(f"the figures were made with regex {package}, here is {regex.__version__}")
    assert version == reference.UNICODE_VERSION


def test_every_fence_is_an_example():
    assert TEXT.count("\n```") == 2 * len(examples())


def test_the_fenced_examples_hold():
    names = {name: getattr(reference, name) for name in reference.__all__}
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    report: list[str] = []
    for line, example in examples():
        assert ">>>" in example, f"line {line}: an example that asks nothing"
        test = doctest.DocTestParser().get_doctest(example, names, "spec.md", str(SPEC), line)
        runner.run(test, out=report.append, clear_globs=False)
        names |= test.globs  # an example may use what an earlier one defined
    assert runner.failures == 0, "".join(report)
    assert runner.tries > 40


def test_the_sentences_are_the_claims():
    try:
        from properties.claims import all_claims

        claims = list(all_claims())
    except ImportError as error:
        pytest.skip(f"the claims cannot be imported yet: {error}")
    assert {claim.id: (claim.level, claim.sentence) for claim in claims} == spec_claims()

"""The sample: many scripts really occur, it is what its names say, and every Python gives some text."""

import sys
import unicodedata
from collections import Counter

import pytest

from properties.cases.sample import SAMPLE, sample_texts, size_in_bytes, standard_library_texts

NAMES = """
    LATIN GREEK CYRILLIC ARMENIAN GEORGIAN HEBREW ARABIC SYRIAC THAANA NKO DEVANAGARI BENGALI GURMUKHI GUJARATI
    ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA THAI LAO KHMER MYANMAR TIBETAN ETHIOPIC CJK BOPOMOFO
    HIRAGANA KATAKANA HANGUL MONGOLIAN YI CHEROKEE CANADIAN RUNIC OGHAM GOTHIC GLAGOLITIC COPTIC TIFINAGH VAI
    ADLAM JAVANESE
"""
SCRIPTS = NAMES.split()  # the first words of their letters' names in Unicode
NOT_NFC = {"normal-forms-nfd"}
CONTROLS = {"\n", "\t", "\r"}

texts = sample_texts()
everything = "".join(texts.values())


def letters_by_script():
    letters = (character for character in everything if unicodedata.category(character).startswith("L"))
    return Counter(unicodedata.name(letter, "?").split()[0] for letter in letters)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_occurs(script):
    assert letters_by_script()[script] >= 3


def test_there_are_at_least_twenty_scripts_with_some_text():
    assert sum(count >= 25 for count in letters_by_script().values()) >= 20


def test_characters_of_every_length_in_utf_8_occur():
    assert {len(character.encode()) for character in everything} == {1, 2, 3, 4}


@pytest.mark.parametrize("name", texts)
def test_a_text_is_composed_unless_its_name_says_otherwise(name):
    assert unicodedata.is_normalized("NFC", texts[name]) == (name not in NOT_NFC)


def test_the_two_normal_forms_are_of_the_same_words():
    composed, decomposed = texts["normal-forms-nfc"], texts["normal-forms-nfd"]

    assert unicodedata.normalize("NFC", decomposed) == composed
    assert unicodedata.normalize("NFD", composed) == decomposed
    assert all(a != b for a, b in zip(composed.split("\n")[:-1], decomposed.split("\n")[:-1], strict=True))


@pytest.mark.parametrize("name", [name for name in texts if not name.startswith("line-ends")])
def test_a_text_is_clean_and_not_empty(name):
    controls = {character for character in texts[name] if unicodedata.category(character) == "Cc"}

    assert texts[name].strip()
    assert controls <= CONTROLS - {"\r"}
    assert texts[name].endswith("\n")
    assert "\ufffd" not in texts[name]


def test_both_line_ends_survived_the_checkout():
    crlf = texts["line-ends-crlf"]

    assert crlf.count("\r\n") == crlf.count("\n") == 7
    mixed = texts["line-ends-mixed"]
    ends = {line[len(line.rstrip()) :] for line in mixed.splitlines(keepends=True)}
    assert ends == {"\n", "\r\n", "\r", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", ""}
    assert "\n\n\r\n\r\n\r\r" in mixed
    assert "  two  spaces  " in crlf


def test_the_sequences_are_whole():
    emoji = texts["emoji"]

    assert "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" in emoji
    assert "\U0001f44d\U0001f3fd" in emoji
    assert "\U0001f1e9\U0001f1ea" in emoji
    assert "1\ufe0f\u20e3" in emoji
    assert "\U000e007f" in emoji


def test_tables_keep_their_tabs_and_code_its_indentation():
    assert "\t\t\t" in texts["tables"]
    assert "┌" in texts["tables"]
    assert "\n        for" in texts["code"]
    assert "\n\tfor" in texts["code"]


def test_the_sample_is_small_and_its_files_are_what_is_loaded():
    assert list(texts) == sorted(path.stem for path in SAMPLE.iterdir())
    assert size_in_bytes(texts) < 40_000


@pytest.mark.parametrize("limit", [0, 5_000, 100_000, 1_000_000])
def test_library_texts_are_whole_and_within_the_limit(limit):
    found = standard_library_texts(limit)

    assert size_in_bytes(found) <= limit
    assert list(found.items()) == list(standard_library_texts(limit).items())
    assert limit < 100_000 or size_in_bytes(found) > 0.9 * limit
    everything = standard_library_texts(sys.maxsize)
    assert all(everything[name] == text for name, text in found.items())


def test_a_python_without_tests_topics_or_some_sources_gives_the_rest(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "inner.py").write_text("inner = 1\n")
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "other.py").write_text("other = 1\n")
    (tmp_path / "z.py").write_text("z = 'é'\n", encoding="utf-8")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    (tmp_path / "crlf.py").write_bytes(b"a = 1\r\n")

    found = standard_library_texts(10**6, tmp_path)

    assert found == {"crlf.py": "a = 1\r\n", "z.py": "z = 'é'\n", "b/inner.py": "inner = 1\n"}
    assert list(found) == ["crlf.py", "z.py", "b/inner.py"]
    assert standard_library_texts(10**6, tmp_path / "none") == {}


def test_a_text_that_does_not_fit_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    (tmp_path / "a.py").write_text("#" * 3000)
    (tmp_path / "b.py").write_text("#" * 1500)

    assert list(standard_library_texts(2000, tmp_path)) == ["b.py"]

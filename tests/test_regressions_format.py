"""Cases on disk: every value comes back exactly, whatever editors and hooks do, and every slip is named."""

import re
import warnings
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from properties.__main__ import app
from properties.stored.regressions import (
    ARGUMENTS,
    KNOWN,
    REGRESSIONS,
    DuplicateRegression,
    MalformedRegression,
    Regression,
    add,
    dumps,
    id_for,
    lint,
    load,
    loads,
    save,
)
from properties.stored.standard import STANDARD, vocabularies_of
from reference.encode import encode

TEXTS = st.text(st.characters(exclude_categories=())) | st.text(
    "ab \t\r\n'\"\\\ud83d\ude00\u0301\u00a0\0"
)  # surrogates too
LONG = st.builds(lambda text, times: text * times, TEXTS, st.integers(1, 400))
VALUES = TEXTS | st.binary() | LONG
ARGUMENT_VALUES = {
    "text": VALUES,
    "texts": st.lists(TEXTS),
    "merges": st.lists(st.tuples(st.binary(), st.binary())),
    "special_tokens": st.dictionaries(TEXTS, st.integers(0, 2**40)) | st.lists(TEXTS),
    "pattern": TEXTS | st.none(),
    "base": st.lists(st.binary()),
    "end_of_word": st.binary(),
    "ids": st.lists(st.integers()),
    "corpus": st.lists(TEXTS),
    "num_merges": st.integers(0, 10**12),
    "tie_rule": st.text(),
    "other": TEXTS | st.lists(TEXTS),
    "corpora": st.lists(st.lists(TEXTS)),
    "order": TEXTS,
    "kept": st.integers(0, 10**12),
    "place": st.integers(0, 10**12),
    "cut": st.integers(0, 10**12),
    "script": st.lists(st.tuples(TEXTS, TEXTS)),
    "damage": st.lists(st.tuples(TEXTS, st.integers(), st.integers())),
}
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
CASES = st.builds(
    Regression,
    st.from_regex(r"[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,3}", fullmatch=True),
    WORDS,
    WORDS,
    st.fixed_dictionaries({"text": VALUES}, optional={k: v for k, v in ARGUMENT_VALUES.items() if k != "text"}),
    st.lists(st.sampled_from(["ENC-*", "ENC-2", "[ET]*"])),
    st.none() | st.lists(st.integers()),
)


def case(text="a", id="a", why="Why.", found="Who.", **arguments):
    return Regression(id, why, found, {"text": text} | arguments)


def written(folder, toml, name="file.toml"):
    (folder / name).write_text(toml, encoding="utf-8", newline="\n")
    return folder


def stripped_by_a_hook(content):
    """What hooks do that strip trailing white space and mend the final line end."""
    return b"\n".join(line.rstrip() for line in content.split(b"\n")).rstrip(b"\n") + b"\n"


def test_the_argument_kinds_are_all_drawn():
    assert set(ARGUMENT_VALUES) | {"vocabulary"} == set(ARGUMENTS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases=st.lists(CASES, min_size=1, max_size=3))
def test_what_is_written_to_disk_is_read_back(tmp_path, cases):
    path = tmp_path / "cases.toml"
    content = dumps(cases).encode()
    for changed in (content, stripped_by_a_hook(content), content.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + content):
        path.write_bytes(changed)

        assert loads(path.read_bytes().decode("utf-8-sig"), path) == cases

    path.write_bytes(content)

    assert lint(path) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
def test_a_saved_text_is_loaded_as_it_is(tmp_path, value):
    path = save(case(value), tmp_path)
    try:
        [stored] = load(tmp_path)
    finally:
        path.unlink()

    assert type(stored.arguments["text"]) is type(value)
    assert stored.arguments["text"] == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" walk", 'text = " walk"'),
        ("  two  spaces", r'text = "\u0020\u0020two\u0020\u0020spaces"'),
        ("café ☕", 'text = "café ☕"'),
        ("cafe\u0301", r'text = "cafe\u0301"'),
        ("é\u00a0☕", r'text = "\u00e9\u00a0\u2615"'),
        ("\u212a", r'text = "\u212a"'),
        ("q\u0323", r'text = "q\u0323"'),
        ("a\tb\r\n\0", r'text = "a\tb\r\n\u0000"'),
        ("\U0001f469\u200d", r'text = "\U0001f469\u200d"'),
        ("\ud800 '", r"""literal = '"\ud800 \x27"'"""),
        ("\ud83d\ude00", r"""literal = '"\ud83d\ude00"'"""),
        (b"\xff  ", r"""literal = 'b"\xff\x20\x20"'"""),
        ("ab" * 500, 'text = "ab"\nrepeat = 500'),
    ],
)
def test_the_writer_picks_the_form(text, line):
    assert f"\n{line}\n" in dumps([case(text)])


def test_a_plain_text_may_be_written_by_hand(tmp_path):
    written(tmp_path, '[[case]]\nid = "two"\ntext = "  two  spaces"\nwhy = "Lost."\nfound = "me"\n')

    [stored] = load(tmp_path)

    assert stored.arguments == {"text": "  two  spaces"}
    assert lint(tmp_path / "file.toml") == []


def test_files_and_cases_keep_their_order_and_know_their_lines(tmp_path):
    written(tmp_path, dumps([case("3", "z")]), "b.toml")
    written(tmp_path, "# head\n\n" + dumps([case("1", "y"), case("2", "x")]), "a.toml")
    (tmp_path / "README.md").write_text("no case")

    assert [(c.id, c.path.name, c.line) for c in load(tmp_path)] == [
        ("y", "a.toml", 3),
        ("x", "a.toml", 9),
        ("z", "b.toml", 1),
    ]


def test_a_byte_order_mark_in_front_is_no_part_of_a_file(tmp_path):
    (tmp_path / "file.toml").write_bytes(b"\xef\xbb\xbf" + dumps([case()]).encode())

    assert load(tmp_path) == [case()]


def test_a_file_is_written_with_line_feeds_on_every_system(tmp_path):
    assert save(case(), tmp_path).read_bytes() == dumps([case()]).encode()
    assert "\r" not in dumps([case("\r")])


def test_an_escape_that_python_does_not_know_is_a_slip_whatever_warnings_are_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MalformedRegression, match=r"literal: .* is no Python literal: "):
            loads('[[case]]\nid = "a"\nliteral = \'"\\d"\'\nwhy = "Why."\nfound = "Who."')


def test_a_case_inside_a_string_is_no_case():
    first = '[[case]]\nid = "a"\ntext = "a"\nwhy = """\n[[case]]\n"""\nfound = "me"\n\n'
    second = '[[case]]\nid = "b"\ntext = "b"\nwhy = "b"\nfound = "me"'

    cases = loads(first + second)

    assert [c.line for c in cases] == [1, 9]


GOOD = {"id": '"a"', "text": '"a"', "why": '"Why."', "found": '"Who."'}
MERGES_KIND = 'a list of pairs of bytes, such as \'[(b"a", b"b")]\''


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ({"why": '" "'}, "4: case a: why: is empty; say what goes wrong on it"),
        ({"why": None}, "1: case a: there is no why"),
        ({"id": None}, "1: case number 1: there is no id"),
        ({"found": '""'}, "5: case a: found: is empty; say who or what found it, and where"),
        ({"id": '"Two Words"'}, "2: case Two Words: id: 'Two Words' is not of the form 'two-words-and-2'"),
        ({"id": "7"}, "2: case 7: id: 7 is not of the form 'two-words-and-2'"),
        ({"txt": '"b"'}, f"6: case a: txt: unknown key; known: {', '.join(KNOWN)}"),
        ({"literal": "'\"a\"'"}, "6: case a: literal: both text and literal; a case has one value"),
        ({"text": "7"}, "3: case a: text: must be a TOML string; what is no text stands under literal"),
        ({"text": None}, "1: case a: there is nothing to replay: no text, texts, ids or corpus"),
        ({"text": None, "repeat": "3"}, "5: case a: repeat: there is no text or literal to repeat"),
        ({"repeat": "-1"}, "6: case a: repeat: must be a natural number"),
        (
            {"text": None, "literal": "'open(\"x\")'"},
            "5: case a: literal: 'open(\"x\")' is no Python literal: malformed node or string on line 1: "
            "<ast.Call object at …>",
        ),
        ({"text": None, "literal": "'[1]'"}, "5: case a: literal: must be a str or bytes, such as 'b\"\\xff\"'"),
        ({"merges": '[["a", "b"]]'}, "6: case a: merges: must be a Python literal in a TOML string, not [['a', 'b']]"),
        ({"merges": "'[(b\"a\",)]'"}, f"6: case a: merges: must be {MERGES_KIND}"),
        ({"merges": '\'[("a", "b")]\''}, f"6: case a: merges: must be {MERGES_KIND}"),
        ({"ids": "'[1, True]'"}, "6: case a: ids: must be a list of int, such as '[97, 256]'"),
        ({"num_merges": '"3"'}, "6: case a: num_merges: must be a natural number"),
        ({"expected": "'97'"}, "6: case a: expected: must be a list of int, such as '[97, 256]'"),
        ({"claims": '"ENC-2"'}, '6: case a: claims: must be a list of globs, such as ["ENC-*"]'),
        ({"claims": '["enc 2"]'}, "6: case a: claims: 'enc 2' is no glob of claim ids, such as 'ENC-*'"),
        (
            {"vocabulary": '"gpt2"', "merges": "'[]'"},
            "7: case a: merges: cannot stand beside vocabulary, which names a whole one",
        ),
    ],
)
def test_a_slip_is_named_with_file_line_case_and_field(tmp_path, lines, message):
    toml = "\n".join(["[[case]]", *(f"{key} = {value}" for key, value in (GOOD | lines).items() if value is not None)])
    path = written(tmp_path, toml) / "file.toml"

    with pytest.raises(MalformedRegression) as caught:
        load(tmp_path)

    assert re.sub("0x[0-9a-f]+", "…", str(caught.value)) == f"{path}:{message}"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[[case", "broken TOML: Expected ']]' at the end of an array declaration (at end of document)"),
        ('title = "x"', "unknown key 'title'; each case stands under [[case]]"),
        ('[case]\nid = "a"', "each case stands under [[case]], in two brackets"),
    ],
)
def test_a_file_that_holds_no_cases_is_named(tmp_path, toml, message):
    path = written(tmp_path, toml) / "file.toml"

    with pytest.raises(MalformedRegression) as caught:
        load(tmp_path)

    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_is_no_utf_8_and_a_missing_folder_are_named(tmp_path):
    path = tmp_path / "file.toml"
    path.write_bytes(b'[[case]]\nid = "\xff"')

    with pytest.raises(
        MalformedRegression, match=re.escape(f"{path}: not UTF-8: 'utf-8' codec can't decode byte 0xff")
    ):
        load(tmp_path)
    with pytest.raises(MalformedRegression, match=re.escape(f"{tmp_path / 'none'}: no such folder")):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (case("b", "a"), "b.toml:1: case a: id: a stands also at {}a.toml:1"),
        (case("a", "b", why="Another reason."), "b.toml:1: case b: the case a at {}a.toml:1 has the same value"),
    ],
)
def test_an_id_or_a_value_that_stands_twice_is_named(tmp_path, second, message):
    written(tmp_path, dumps([case("a", "a")]), "a.toml")
    written(tmp_path, dumps([second]), "b.toml")

    with pytest.raises(DuplicateRegression) as caught:
        load(tmp_path)

    assert str(caught.value) == f"{tmp_path}/" + message.format(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ('why = "a\u00a0b"', "2: holds a character that one cannot see; write it as an escape"),
        ('why = "e\u0301"', "2: holds a character that one cannot see; write it as an escape"),
        ('why = "a" ', "2: ends in white space"),
        ('why = """', "2: a string over several lines; hooks change those, use escapes"),
    ],
)
def test_the_lint_finds_what_an_editor_could_change(tmp_path, line, finding):
    path = written(tmp_path, f"# head\n{line}\n") / "file.toml"

    assert lint(path) == [f"{path}:{finding}"]


def test_the_lint_asks_for_line_feeds(tmp_path):
    path = tmp_path / "file.toml"
    path.write_bytes(b"# head\r\n")

    assert lint(path)[0] == f"{path}: the lines must end in \\n"


# ------------------------------------------------------------------------------------------------- the cases we have


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.toml")), ids=lambda path: path.stem)
def test_our_files_hold_nothing_that_an_editor_could_change(path):
    assert lint(path) == []


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.toml")), ids=lambda path: path.stem)
def test_our_files_survive_hooks_and_line_ends(path):
    content, cases = path.read_bytes(), loads(path.read_text("utf-8"), path)

    assert cases
    assert loads(stripped_by_a_hook(content).decode()) == loads(content.replace(b"\n", b"\r\n").decode()) == cases
    assert loads(dumps(cases)) == cases


def test_our_cases_are_many_and_say_why():
    cases = load()

    assert len(cases) >= 80
    assert all(len(c.why) > 10 for c in cases)
    assert len({c.id for c in cases}) == len(cases)


def test_nobody_collapsed_our_doubled_spaces():
    stored = {c.id: c.arguments["text"] for c in load() if "text" in c.arguments}

    assert stored["doubled-spaces"] == "".join(["\x20" * 2, "two", "\x20" * 2, "spaces"])
    assert [len(stored["doubled-spaces"]), len(stored["doubled-spaces-collapsed"])] == [13, 11]
    assert {"café ☕", "🙂 emoji\n", "", "a"} <= set(map(str, stored.values()))


@pytest.mark.parametrize("stored", load(), ids=lambda stored: stored.id)
def test_each_case_has_well_formed_vocabularies_and_the_ids_it_pins(stored):
    for vocabulary in vocabularies_of(stored).values():
        if stored.expected is not None:
            assert encode(vocabulary, stored.arguments["text"]) == list(stored.expected)


def test_the_standard_vocabularies_differ_on_doubled_spaces_and_know_their_special_tokens():
    encodings = {name: tuple(encode(vocabulary, "  two  spaces<|end|>")) for name, vocabulary in STANDARD.items()}

    assert len(set(encodings.values())) >= 4
    assert encodings["specials"][-1] == 400
    assert len(STANDARD) == 6


def test_an_unknown_standard_vocabulary_is_named():
    with pytest.raises(MalformedRegression) as caught:
        vocabularies_of(case("a", vocabulary="gpt5"))

    assert str(caught.value).endswith(f"case a: no 'gpt5'; known: {', '.join(STANDARD)}")


# ----------------------------------------------------------------------------------------------------- adding a case


def run(*arguments, folder, **options):
    return CliRunner().invoke(app, ["add", *arguments, "--folder", str(folder)], **options)


def test_add_writes_a_file_and_prints_how_to_replay_it(tmp_path):
    result = run("  two  spaces", "--why", "Spaces get lost.", "--claims", "ENC-*", folder=tmp_path)

    name = id_for("  two  spaces")
    assert result.exit_code == 0
    assert result.output == f"{tmp_path}/found-{name}.toml\npytest properties -k {name} --impl=heap\n"
    [stored] = load(tmp_path)
    assert stored == Regression(
        name, "Spaces get lost.", f"{date.today()}, python -m properties add", {"text": "  two  spaces"}, ("ENC-*",)
    )


@pytest.mark.parametrize(
    ("arguments", "given_to_it", "text"),
    [
        (["-"], "a\r\nb\n", "a\r\nb\n"),
        (["-"], b"a\xff", b"a\xff"),
        (["-", "--literal"], r'"\ud800"', "\ud800"),
        (["--literal", r'b"\xff"'], None, b"\xff"),
        (["--literal", r"'it\'s  \n'"], None, "it's  \n"),
        (["--", "--why"], None, "--why"),
    ],
)
def test_add_takes_standard_input_and_literals(tmp_path, arguments, given_to_it, text):
    result = CliRunner().invoke(
        app,
        ["add", "--why", "Why.", "--id", "it", "--found", "Who.", "--folder", str(tmp_path), *arguments],
        given_to_it,
    )

    assert result.exit_code == 0, result.output
    assert load(tmp_path) == [case(text, "it")]


def test_add_refuses_what_is_stored_already(tmp_path):
    written(tmp_path, dumps([case("  ", "blanks")]), "white.toml")

    result = run("  ", "--why", "Again.", folder=tmp_path)

    assert result.exit_code == 1
    assert result.output == f"not added: the case blanks at {tmp_path}/white.toml:1 has the same value\n"
    assert [path.name for path in tmp_path.iterdir()] == ["white.toml"]


def test_add_refuses_an_id_that_is_taken(tmp_path):
    written(tmp_path, dumps([case("a", "a")]), "white.toml")

    result = run("b", "--why", "Why.", "--id", "a", folder=tmp_path)

    assert (result.exit_code, result.output) == (1, f"not added: id: a stands also at {tmp_path}/white.toml:1\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "--why", "  "], "not added: why: is empty; say what goes wrong on it\n"),
        (["1", "--why", "Why.", "--literal"], "not added: 1 is no str or bytes\n"),
        (["a", "--why", "Why.", "--id", "A B"], "not added: id: 'A B' is not of the form 'two-words-and-2'\n"),
        (["a", "--why", "Why.", "--claims", "x"], "not added: claims: 'x' is no glob of claim ids, such as 'ENC-*'\n"),
    ],
)
def test_add_says_why_it_refuses(tmp_path, arguments, message):
    result = run(*arguments, folder=tmp_path)

    assert (result.exit_code, result.output) == (1, message)
    assert list(tmp_path.iterdir()) == []


@given(VALUES, VALUES)
def test_the_id_is_made_of_the_text_alone(first, second):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id_for(first))
    assert id_for(first) == id_for(first)
    if (type(first), first) != (type(second), second):
        assert id_for(first) != id_for(second)


def test_add_in_python_returns_the_stored_case(tmp_path):
    stored = add("ab", "Why.", merges=[(b"a", b"b")], folder=tmp_path)

    assert stored.arguments == {"text": "ab", "merges": ((b"a", b"b"),)}
    assert (stored.path, stored.line) == (tmp_path / f"found-{stored.id}.toml", 1)
    with pytest.raises(DuplicateRegression):
        save(stored, tmp_path)


def test_of_two_writers_at_once_one_is_refused(tmp_path, monkeypatch):
    save(case("a"), tmp_path)
    monkeypatch.setattr(
        "properties.stored.regressions.load", lambda folder: []
    )  # the second looked before the first wrote

    with pytest.raises(DuplicateRegression, match=r"found-a\.toml is there already"):
        save(case("b"), tmp_path)

"""`python -m reference`, through typer's runner."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reference import Vocabulary, encode, load_merges, save_merges, train
from reference.cli import app, visible
from reference.curve import Point, curve
from reference.pretokenize import PATTERNS

ROOT = Path(__file__).parents[1]
TEXT = "low lower lowest\nnew newer newest\n"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture
def merges_file(tmp_path):
    save_merges(tmp_path / "it.merges", train([TEXT], 6, pattern=PATTERNS["gpt2"]))
    return tmp_path / "it.merges"


def run(*arguments, given=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


def test_training_prints_each_merge_with_the_pairs_it_won_against(corpus):
    result = run("train", corpus, "--merges", 2, "--top", 2, "--pattern", "whitespace")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "    0  w+e 4                       l+o 3",
        "    1  l+o 3                       n+e 3",
    ]


def test_training_shows_as_many_pairs_as_asked_for(corpus):
    for top in (1, 4):
        (line,) = run("train", corpus, "--merges", 1, "--top", top).stdout.splitlines()
        assert line.count("+") == top


def test_training_writes_what_the_reference_learns(corpus, tmp_path):
    result = run("train", corpus, "--merges", 5, "--ties", "largest-bytes", "--output", tmp_path / "out.merges")
    assert f"5 merges written to {tmp_path / 'out.merges'}" in result.stderr
    learned = train([TEXT], 5, tie_rule="largest-bytes", pattern=PATTERNS["gpt2"])
    assert load_merges(tmp_path / "out.merges") == learned
    assert learned != train([TEXT], 5, pattern=PATTERNS["gpt2"])


def test_training_goes_on_when_nobody_reads_on(tmp_path):
    command = [sys.executable, "-m", "reference", "train", "README.md", "--merges", "300", "--top", "20"]
    process = subprocess.Popen([*command, "--output", tmp_path / "out"], cwd=ROOT, stdout=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()

    assert process.wait(timeout=120) == 0
    assert len(load_merges(tmp_path / "out")) == 300


def test_each_file_is_a_document(tmp_path):
    for name, text in {"a": "a", "b": "b"}.items():
        (tmp_path / name).write_text(text)
    result = run("train", tmp_path / "a", tmp_path / "b", "--merges", 3)
    assert (result.stdout, result.stderr) == ("", "no pair is left after 0 merges\n")


def test_a_file_is_read_byte_for_byte(tmp_path):
    (tmp_path / "it").write_bytes(b"\r\n\r\n")
    result = run("train", tmp_path / "it", "--merges", 1, "--pattern", "none")
    assert result.stdout.startswith(r"    0  \r+\n 2")


def test_special_tokens_are_cut_out(tmp_path):
    (tmp_path / "it").write_text("a<s>b<s>")
    assert run("train", tmp_path / "it", "--merges", 3, "--special", "<s>").stdout == ""


def test_encoding_and_decoding(merges_file):
    encoded = run("encode", "--merges", merges_file, "lower ☕")
    vocabulary = Vocabulary(load_merges(merges_file), pattern=PATTERNS["gpt2"])
    assert encoded.stdout.split() == [str(token_id) for token_id in encode(vocabulary, "lower ☕")]
    assert run("decode", "--merges", merges_file, *encoded.stdout.split()).stdout == "lower ☕\n"


def test_standard_input_is_taken_as_it_is(merges_file):
    encoded = run("encode", "--merges", merges_file, "-", given=b" low\r\n\n")
    assert encoded.stdout.split()[-3:] == ["13", "10", "10"]
    assert run("decode", "--merges", merges_file, "-", given=encoded.stdout).stdout_bytes == b" low\r\n\n\n"


def test_special_tokens_of_encoding_have_ids(merges_file):
    encoded = run("encode", "--merges", merges_file, "--special", "<s>=400", "a<s>")
    assert encoded.stdout == "97 400\n"
    assert run("decode", "--merges", merges_file, "--special", "<s>=400", 97, 400).stdout == "a<s>\n"


def test_the_curve_is_a_table_and_a_picture(corpus, tmp_path):
    result = run("curve", corpus, "--merges", 4, "--output", tmp_path / "it.png")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "it.png").read_bytes().startswith(b"\x89PNG")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line]
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4"]
    assert rows[0] == ["0", str(len(TEXT)), "5.667", "1.000", "256", "10", "246"]


def test_the_curve_measures_other_texts(corpus, tmp_path):
    (tmp_path / "other").write_text("lo lo")
    result = run("curve", corpus, "--merges", 2, "--on", tmp_path / "other", "--table-only")
    assert [line.split("│")[2].strip() for line in result.stdout.splitlines() if "│" in line] == ["5", "5", "3"]


def test_the_curve_ends_where_training_does():
    points = [point for point in curve(Vocabulary(), ["ab"], 1000, "first-seen", ["ab"]) if point]
    assert [(point.merges, point.tokens, point.used, point.never_used) for point in points] == [
        (0, 2, 2, 254),
        (1, 1, 1, 256),
    ]


def test_the_curve_agrees_with_encoding():
    text = TEXT * 3
    *_, last = [p for p in curve(Vocabulary(pattern=PATTERNS["gpt2"]), [text], 9, "smallest-ids", [text]) if p]
    merges = train([text], 9, tie_rule="smallest-ids", pattern=PATTERNS["gpt2"])
    ids = encode(Vocabulary(merges, pattern=PATTERNS["gpt2"]), text)
    assert (last.merges, last.tokens, last.used) == (9, len(ids), len(set(ids)))


def test_nothing_divided_is_nothing():
    empty = Point(0, 0, 0, 0, 0, 256, 0)
    assert (empty.tokens_a_word, empty.bytes_a_token, empty.never_used) == (0.0, 0.0, 256)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "CORPUS", "--merges", 3, "--ties", "first"], "no tie rule 'first'; there are first-seen, "),
        (["train", "CORPUS", "--merges", 3, "--pattern", "gpt3"], "no pattern 'gpt3'; there are none, whitespace, "),
        (["train", "CORPUS", "--merges", -3], "-3 merges were asked for"),
        (["train", "CORPUS", "--merges", 3, "--special", ""], "special token ''"),
        (["train", "nowhere", "--merges", 3], "nowhere: No such file or directory"),
        (["train", "LATIN", "--merges", 3], "no UTF-8 at byte 1"),
        (["train", "DOUBLED", "--merges", 3, "--pattern", "whitespace-lossy"], "the pattern leaves ' ' at character 1"),
        (["train", "CORPUS", "--merges", 3, "--output", "nowhere/it"], "nowhere/it: No such file or directory"),
        (["encode", "--merges", "nowhere", "a"], "nowhere: No such file or directory"),
        (["encode", "--merges", "CORPUS", "a"], "line 1, 'low lower lowest': a merges file begins with"),
        (["encode", "--merges", "MERGES", "\udcff"], "surrogates not allowed"),
        (["encode", "--merges", "MERGES", "--special", "<s>", "a"], "'<s>' is no id"),
        (["encode", "--merges", "MERGES", "--special", "<s>=97", "a"], "its id 97 is another token's"),
        (["decode", "--merges", "MERGES", "97", "-1"], "no token with the id -1"),
        (["decode", "--merges", "MERGES", "97", "999"], "no token with the id 999"),
        (["decode", "--merges", "MERGES", "a"], "'a' is no id"),
        (["curve", "CORPUS", "--merges", 3, "--ties", "first"], "no tie rule 'first'"),
    ],
)
def test_an_error_is_one_line_and_no_traceback(arguments, message, corpus, merges_file, tmp_path):
    (tmp_path / "latin").write_bytes(b"a\xff")
    (tmp_path / "doubled").write_bytes(b"a\x20\x20b")
    places = {
        "CORPUS": corpus,
        "MERGES": merges_file,
        "LATIN": tmp_path / "latin",
        "DOUBLED": tmp_path / "doubled",
        "nowhere/it": tmp_path / "nowhere/it",
    }
    result = run(*(places.get(argument, argument) for argument in arguments))
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    (_,) = result.stderr.splitlines()


def test_without_matplotlib_the_error_names_the_extra(corpus, monkeypatch):
    monkeypatch.setattr("reference.cli.find_spec", lambda name: None)
    result = run("curve", corpus, "--merges", 3)
    assert result.exit_code == 1
    assert "the extra `plot`" in result.stderr
    assert run("curve", corpus, "--merges", 3, "--table-only").exit_code == 0


def test_what_cannot_be_seen_is_written_as_an_escape():
    assert visible((b" \n", "\u2028\xff".encode())) == "␠\\n+\\u2028ÿ"
    assert visible((b"\xff", b"\x00")) == "\\xff+\\x00"


def test_the_module_runs_and_is_quiet_when_piped(corpus):
    command = [sys.executable, "-m", "reference", "train", str(corpus), "--merges", "1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (["    0  w+e 4                       l+o 3, o+w 3"], "")


def test_the_commands_do_not_load_matplotlib_until_they_draw():
    code = "import sys, reference.cli; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "False\n"

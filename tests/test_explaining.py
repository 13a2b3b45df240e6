"""`explain`, `counts` and `train --show`: what they print, at a terminal and piped."""

import io
import json
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

import reference.cli
from properties.__main__ import app
from properties.claims import all_claims
from properties.commands.explaining import planted_lines, public_bugs
from reference import Vocabulary, save_merges, training_steps
from reference.show import frames, show

FAULTS = "tests/heap_faults.py"


@pytest.fixture
def merges(tmp_path):
    path = tmp_path / "it.merges"
    save_merges(path, ((b"l", b"o"), (b"lo", b"w"), (b"w", b"e"), (b"\xf0", b"\x9f")))
    return path


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_steps_stand_beside_what_the_implementation_gave(merges):
    status, told, _ = run("explain", "--impl=heap", "--text", "lowe low", "--merges", merges, "--pattern", "whitespace")

    assert status == 0
    assert told.splitlines() == [
        "'lowe low'  8 characters, 8 bytes",
        "4 merges, ranked by pair",
        "piece 'lowe': l|o|w|e",
        "         0  l+o               at 0    lo|w|e",
        "         1  lo+w              at 0    low|e",
        "piece ' low': ␠|l|o|w",
        "         0  l+o               at 1    ␠|lo|w",
        "         1  lo+w              at 1    ␠|low",
        "",
        "the reference  [257, 101, 32, 257]  low|e|␠|low",
        "heap           [257, 101, 32, 257]  low|e|␠|low",
        "they agree",
    ]


def test_the_first_merge_where_they_part_is_marked(tmp_path):
    save_merges(tmp_path / "it.merges", ((b"a", b"a"), (b"aa", b"a")))
    status, told, _ = run(
        "explain", f"--impl={FAULTS}:BadLongestMatch", "--text", "aaaa", "--merges", tmp_path / "it.merges"
    )

    assert status == 1
    assert told.count("<- here they part") == 1
    assert "at 1    aa|aa  <- here they part: heap_faults.BadLongestMatch has not made this merge" in told
    assert told.endswith("they part\n")


def test_bytes_that_are_no_text_are_hex(merges):
    _, told, _ = run("explain", "--text", "🙂", "--merges", merges)

    assert "<f0><9f>|<99>|<82>" in told


def test_special_tokens_are_no_pieces(merges):
    _, told, _ = run("explain", "--text", "lo<s>lo", "--merges", merges, "--special", "<s>=300")

    assert told.count("piece 'lo'") == 2
    assert "[256, 300, 256]  lo|<s>|lo" in told


def test_an_implementation_that_raises_is_quoted(merges):
    status, told, _ = run("explain", "--impl=tests/plugins/misbehaving.py:Raises", "--text", "aa", "--merges", merges)

    assert status == 1
    assert "misbehaving.Raises  raised KeyError: 'aa'" in told


def test_at_a_terminal_there_are_colours(merges):
    from implementations.loader import resolve
    from properties.commands.explaining import explain_text

    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system="standard", _environ={"TERM": "xterm"})
    assert explain_text(console, resolve("heap")[0], Vocabulary(((b"l", b"o"),)), "lo")
    assert "\x1b[32m" in written.getvalue()


def test_a_claim_is_told_with_all_that_is_known_of_it():
    status, told, _ = run("explain", "--claim", "DEC-3")

    assert status == 0
    assert "    A negative id raises an exception." in told
    for head in ("Why it is true", "What it costs", "Which planted bugs it refutes", "Public bugs of its kind"):
        assert f"\n{head}\n" in told
    assert re.search(r"heap: passed; \d+ cases, \d+ of them distinct, in \d+\.\d+ s \(budget default, run now\)", told)
    assert "https://github.com/openai/tiktoken/issues/47" in told


def test_planted_bugs_come_from_the_record(tmp_path):
    (tmp_path / "record.json").write_text(json.dumps({"witnesses": {"ENC-2": ["ties.BadOne", "ties.BadTwo"]}}))

    assert planted_lines("ENC-2", tmp_path / "record.json")[:2] == ["ties.BadOne", "ties.BadTwo"]
    assert planted_lines("ENC-1", tmp_path / "record.json") == ["none of those that were tried on it"]
    assert "strength --matrix" in planted_lines("ENC-1", tmp_path / "nowhere.json")[0]


def test_the_public_bugs_are_well_formed():
    ids = {claim.id for claim in all_claims()}
    urls = [url for kind in public_bugs() for url, _ in kind["bugs"]]

    assert len(set(urls)) == len(urls) > 100
    assert all(url.startswith("https://github.com/") for url in urls)
    assert {claim for kind in public_bugs() for claim in kind["claims"]} <= ids
    assert all(what == what.strip() and not what.endswith(".") for kind in public_bugs() for _, what in kind["bugs"])


def test_tokens_are_counted(merges, tmp_path):
    (tmp_path / "it.txt").write_text("low low lowe")
    status, told, _ = run("counts", tmp_path / "it.txt", "--merges", merges)

    assert status == 0
    assert [line.split() for line in told.splitlines()[1:]] == [
        ["single", "bytes", "256", "12", "4.00", "1.00"],
        ["it.merges", "260", "6", "2.00", "2.00"],
    ]


def test_a_vocabulary_that_is_not_here_is_said_to_be_missing(tmp_path):
    (tmp_path / "it.txt").write_text("low")
    status, told, error = run("counts", tmp_path / "it.txt", "--vocabulary", "gpt9")

    assert status == 1
    assert "single bytes" in told
    assert error.startswith("not counted: gpt9: neither a file nor a known vocabulary; available here: ")


def test_the_merges_are_played(tmp_path):
    (tmp_path / "it.txt").write_text("the the that")
    arguments = ["train", str(tmp_path / "it.txt"), "--merges", "2", "--show", "--pattern", "whitespace"]
    first, second = (CliRunner().invoke(reference.cli.app, arguments).stdout for _ in range(2))

    assert first == second
    assert first.splitlines()[0] == "merge 0: t+h, 3 times (ahead of h+e 2, ␠+t 2, h+a 1)"
    assert "  1 x  th|e" in first.splitlines()


def test_at_a_terminal_the_frames_follow_one_another():
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=60, _environ={"TERM": "xterm"})
    show(frames(training_steps(["abab"], 2)), console, 0)

    assert "\x1b[" in written.getvalue()
    assert "merge 1: ab+ab, once" in written.getvalue()


def test_long_lists_of_words_are_cut():
    (frame,) = frames(training_steps([f"a{letter}" for letter in "bcdefghijklmnopq"], 1))

    assert frame.renderables[-1].plain.strip() == "... 4 more words"

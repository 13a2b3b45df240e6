"""Reports: what each format holds, that every record fits the schema, and what `compare` makes of two of them."""

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from properties.__main__ import app
from properties.report.html import html_of
from properties.report.markdown import markdown_of
from properties.report.reading import UnreadableReport, read
from properties.report.schema import schema
from properties.report.spec import sentences

ROOT = Path(__file__).resolve().parent.parent
VALIDATOR = jsonschema.Draft202012Validator(schema(), format_checker=jsonschema.FormatChecker())


def run(*options):
    command = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "-q", "--budget=quick", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_reports_need_no_xdist(tmp_path):
    options = [
        "--impl=heap",
        "--claims=VOC-1",
        f"--report=jsonl:{tmp_path / 'a.jsonl'}",
        f"--report=md:{tmp_path / 'a.md'}",
    ]
    done = run("-p", "no:xdist", *options)

    assert done.returncode == 0, done.stdout
    assert kinds(records_of(tmp_path / "a.jsonl"))[-1] == "footer"


def records_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def kinds(records):
    return list(dict.fromkeys(record["kind"] for record in records))


@pytest.fixture(scope="module")
def green(tmp_path_factory):
    folder = tmp_path_factory.mktemp("green")
    reports = [f"--report={form}:{folder}/it.{form}" for form in ("html", "jsonl", "md")]
    done = run("--impl=heap", "-k", "ENC-2 or DEC-1 or TRN-4 or two-tabs", "--coverage", *reports)
    assert done.returncode == 0, done.stdout
    return folder, done.stdout


@pytest.fixture(scope="module")
def red(tmp_path_factory):
    """Two processes, a refuted claim, one that is not applicable, a stored case that fails."""
    folder = tmp_path_factory.mktemp("red")
    reports = [f"--report={form}:{folder}/it.{form}" for form in ("html", "jsonl", "md")]
    chosen = "ENC-2 or DEC-1 or TRN-4 or DEC-4 or walks-and-talks or whole-piece"
    done = run("--impl=tests/heap_faults.py:BadLongestMatch", "-n2", "-k", chosen, "--coverage", *reports)
    assert done.returncode == 1, done.stdout
    return folder, done.stdout


@pytest.mark.parametrize("made", ["green", "red"])
def test_every_record_fits_the_schema(made, request):
    folder, _ = request.getfixturevalue(made)
    for record in records_of(folder / "it.jsonl"):
        VALIDATOR.validate(record)


def test_a_record_that_is_none_does_not_fit():
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({"kind": "footer"})


def test_a_green_report_says_who_how_and_how_much(green):
    records = records_of(green[0] / "it.jsonl")

    assert kinds(records) == ["header", "claim", "regression", "coverage", "footer"]
    header, footer = records[0], records[-1]
    assert header["implementations"][0]["name"] == "heap"
    assert "train" in header["implementations"][0]["offers"]
    assert header["budget"]["name"] == "quick"
    rows = {record["claim"]: record for record in records if record["kind"] == "claim"}
    assert rows["ENC-2"]["sentence"] == sentences()["ENC-2"].sentence
    assert 10 <= rows["ENC-2"]["distinct"] <= rows["ENC-2"]["cases"]
    assert rows["ENC-2"]["facts"]["merges_fired"] > 0
    assert rows["TRN-4"]["facts"]["ties_met"] > 0
    assert footer["counts"]["heap"]["claims"]["passed"] == len(rows)
    assert footer["records"] == len(records) - 3


def test_a_finding_has_its_witness_its_explanation_and_its_command(red):
    records = records_of(red[0] / "it.jsonl")
    findings = [record for record in records if record["kind"] == "finding"]
    (claim,) = [record for record in findings if record["claim"] == "ENC-2" and not record["regression"]]

    assert "Vocabulary(merges=" in claim["witness"]["vocabulary"]
    assert "here they part" in claim["explanation"]
    assert claim["replay"].startswith("pytest properties --impl=")
    assert "--claims=ENC-2" in claim["replay"]
    (row,) = [record for record in records if record.get("claim") == "ENC-2" and record["kind"] == "claim"]
    assert (row["status"], row["finding"]) == ("refuted", claim["finding"])
    stored = [record for record in findings if record["regression"]]
    assert all(record["witness"] and record["claim"] and record["finding"] for record in stored)
    assert records[-1]["counts"]["heap_faults.BadLongestMatch"]["claims"]["refuted"] >= 1


def test_coverage_says_what_no_claim_reached(green, red):
    for folder, output in (green, red):
        (record,) = [record for record in records_of(folder / "it.jsonl") if record["kind"] == "coverage"]
        assert 0 < record["lines"]["reached"] < record["lines"]["all"]
        assert record["missed_lines"]
        assert f"{record['file']}: {record['lines']['reached']} of {record['lines']['all']} lines" in output
    assert "lines that no claim reached" in green[1]


class Page(HTMLParser):
    """What a page loads, and the elements that it leaves open."""

    VOID = ("meta", "br", "img", "link", "input", "hr")

    def __init__(self):
        super().__init__()
        self.loads, self.open, self.ids, self.targets, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.loads += [given[name] for name in ("src", "srcset") if name in given]
        self.loads += [given["href"]] if tag == "link" else []
        self.ids += [given["id"]] if "id" in given else []
        self.targets += [given["href"][1:]] if given.get("href", "").startswith("#") else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("made", ["green", "red"])
def test_the_page_stands_alone(made, request):
    folder, _ = request.getfixturevalue(made)
    source = (folder / "it.html").read_text()
    page = Page()
    page.feed(source)

    assert page.open == []
    assert page.loads == []
    assert "<script" not in source
    assert "url(" not in source
    assert "@import" not in source
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.targets) <= set(page.ids)
    assert 'name="viewport"' in source
    assert "prefers-color-scheme: dark" in source


def test_the_page_leaves_no_claim_to_guess(green):
    page = Page()
    page.feed((green[0] / "it.html").read_text())
    text = " ".join("".join(page.text).split())

    for claim in ("ENC-2", "DEC-1", "TRN-4"):
        assert sentences()[claim].sentence in text
    assert "Why it is true" in text
    assert "every claim asked holds" in text


def test_what_a_tokenizer_returned_is_text_in_the_page(red):
    records = records_of(red[0] / "it.jsonl")
    for record in records:
        if record["kind"] == "finding":
            record["explanation"] = "<script>alert(1)</script>"

    assert "<script" not in html_of(records)


def test_the_page_in_markdown(red):
    text = (red[0] / "it.md").read_text()

    assert text.startswith("# BPE conformance of heap_faults.BadLongestMatch 1\n")
    assert "## heap_faults.BadLongestMatch refutes ENC-2 (must)" in text
    assert "| ENC-2 heap_faults.BadLongestMatch |" in text


def test_a_run_that_does_not_end_is_told_from_one_that_does(green, tmp_path):
    lines = (green[0] / "it.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_text("".join(lines[:-1]))
    records = records_of(tmp_path / "cut.jsonl")

    with pytest.raises(UnreadableReport, match="did not end"):
        read(tmp_path / "cut.jsonl")
    assert "This run has not ended" in html_of(records)
    assert "nothing is decided" in markdown_of(records)
    result = CliRunner().invoke(app, ["compare", str(green[0] / "it.jsonl"), str(tmp_path / "cut.jsonl")])
    assert result.exit_code == 2


def test_a_run_that_is_stopped_early_writes_no_footer(tmp_path):
    options = ("--impl=tests/heap_faults.py:BadLongestMatch", "--claims=ENC-1*", "--claims=ENC-2", "-x")
    done = run(*options, f"--report=jsonl:{tmp_path}/it.jsonl")

    assert done.returncode == 1
    assert records_of(tmp_path / "it.jsonl")[-1]["kind"] != "footer"


def test_nothing_half_written_is_left_behind(green):
    assert sorted(path.name for path in green[0].iterdir()) == ["it.html", "it.jsonl", "it.md"]


def compare(before, after):
    result = CliRunner().invoke(app, ["compare", str(before), str(after)])
    return result.exit_code, result.stdout


def test_a_planted_bug_is_broken_and_its_repair_is_fixed(green, red):
    status, told = compare(green[0] / "it.jsonl", red[0] / "it.jsonl")
    assert status == 1
    assert "broken: heap_faults.BadLongestMatch: ENC-2: passed, now refuted (finding " in told
    status, told = compare(red[0] / "it.jsonl", green[0] / "it.jsonl")
    assert status == 0
    assert "fixed: heap: ENC-2: refuted, now passed" in told


def test_nothing_changes_between_a_report_and_itself(green):
    rows = len(records_of(green[0] / "it.jsonl")) - 3

    assert compare(green[0] / "it.jsonl", green[0] / "it.jsonl") == (0, f"0 fixed, 0 broken, {rows} unchanged\n")


def test_what_is_no_longer_asked_is_broken(green, tmp_path):
    records = records_of(green[0] / "it.jsonl")
    for record in records:
        if record.get("claim") == "TRN-4":
            record |= {"status": "not applicable", "not_applicable": {"offers no train": 1}}
    (tmp_path / "less.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    status, told = compare(green[0] / "it.jsonl", tmp_path / "less.jsonl")

    assert status == 1
    assert "broken: heap: TRN-4: passed, now not applicable (offers no train)" in told

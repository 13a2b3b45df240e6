"""The matrix: its JSON against the schema, its page without network, its Markdown, its badges, its command."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.loader import resolve
from properties.claims import all_claims, selected
from properties.matrix.data import SCHEMA, SECTIONS, counts, merged, read
from properties.matrix.page import html_of
from properties.matrix.run import Progress, Wanted, gathered, matrix_of
from properties.matrix.words import badge_of, markdown_of

ROOT = Path(__file__).resolve().parent.parent
DEADLY = "tests/plugins/deadly.py"
jsonschema = pytest.importorskip("jsonschema")


class Noted(Progress):
    def __init__(self):
        self.lines = []

    def begun(self, name, claims):
        self.lines.append((name, claims))

    def asked(self, name, claim):
        self.lines.append((name, claim))


@pytest.fixture(scope="module")
def progress():
    return Noted()


@pytest.fixture(scope="module")
def matrix(progress):
    implementations = [
        *resolve("heap"),
        *resolve(f"{DEADLY}:Segfaults"),
        *resolve("tests/heap_faults.py:BadLongestMatch"),
    ]
    claims = selected(all_claims(), ["ENC-1", "ENC-2", "DEC-1", "DEC-4", "PUB-1"])
    return matrix_of(implementations, Wanted(claims, budget="default", call_limit=5.0), progress)


def cell(matrix, name, claim):
    return next(one for one in matrix["implementations"] if one["name"] == name)["cells"][claim]


def test_the_json_fits_the_schema(matrix):
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(matrix)


def test_the_schema_refuses_what_is_not_a_matrix(matrix):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for wrong in (
        matrix | {"extra": 1},
        matrix | {"claims": [{"id": "ENC-0"}]},
        matrix
        | {"implementations": [{"name": "x", "title": "x", "version": "", "growth": [], "cells": {"ENC-1": {}}}]},
    ):
        assert not validator.is_valid(wrong)


def test_each_cell_says_what_came(matrix):
    assert cell(matrix, "heap", "ENC-1")["status"] == "holds"
    assert cell(matrix, "deadly.Segfaults", "ENC-1")["status"] == "departs"
    assert "SIGSEGV" in cell(matrix, "deadly.Segfaults", "ENC-1")["raised"]
    assert cell(matrix, "deadly.Segfaults", "DEC-1")["status"] == "holds"
    assert cell(matrix, "heap_faults.BadLongestMatch", "ENC-2")["status"] == "departs"
    assert "here they part" in cell(matrix, "heap_faults.BadLongestMatch", "ENC-2")["explanation"]
    assert cell(matrix, "heap", "PUB-1")["status"] == "not applicable"


def test_progress_is_told(progress, matrix):
    assert ("heap", 5) in progress.lines
    assert ("heap", "ENC-1") in progress.lines


def test_the_page_needs_no_network_and_holds_every_cell(matrix):
    page = html_of(matrix)
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", page)
    assert "url(" not in page
    assert "<link" not in page
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page
    for one in matrix["implementations"]:
        for claim in one["cells"]:
            assert page.count(f'data-i="{one["name"]}" data-c="{claim}"') == 2  # in the table and on the card


def test_nothing_in_a_witness_gets_out_of_the_page(matrix):
    nasty = "</script><script>alert(1)</script><!--"
    changed = json.loads(json.dumps(matrix))
    wrong = cell(changed, "deadly.Segfaults", "ENC-1")
    wrong["witness"], wrong["raised"], wrong["explanation"] = {"text": nasty}, nasty, nasty
    page = html_of(changed)
    assert nasty not in page
    assert "<script>alert" not in page
    embedded = re.search(r'<script type="application/json" id="cells">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(embedded)["deadly.Segfaults/ENC-1"]["explanation"] == nasty


def test_no_path_of_this_machine_is_in_it(matrix):
    for text in (json.dumps(matrix), html_of(matrix), markdown_of(matrix)):
        assert str(ROOT) not in text


def test_the_markdown(matrix):
    text = markdown_of(matrix)
    assert "| heap (`heap`) | 1 | 4 | 0 | 1 |" in text
    assert "≠" in text
    assert "bug" not in text.lower()
    assert "### deadly.Segfaults" in text or "(`deadly.Segfaults`)" in text


def test_a_badge_is_svg_and_counts(matrix):
    from xml.etree import ElementTree

    for one in matrix["implementations"]:
        assert ElementTree.fromstring(badge_of(one)).tag.endswith("svg")
    assert "4 of 4 hold" in badge_of(matrix["implementations"][0])


def test_an_update_keeps_what_was_not_asked(matrix):
    now = json.loads(json.dumps(matrix))
    now["implementations"] = [json.loads(json.dumps(matrix["implementations"][1]))]
    now["implementations"][0]["cells"] = {"ENC-1": {"status": "holds", "cases": 1, "seconds": 0}}
    now["claims"] = [claim for claim in matrix["claims"] if claim["id"] == "ENC-1"]
    both = merged(matrix, now)
    assert [claim["id"] for claim in both["claims"]] == [claim["id"] for claim in matrix["claims"]]
    assert cell(both, "deadly.Segfaults", "ENC-1")["status"] == "holds"
    assert cell(both, "deadly.Segfaults", "DEC-1") == cell(matrix, "deadly.Segfaults", "DEC-1")
    assert cell(both, "heap", "ENC-1") == cell(matrix, "heap", "ENC-1")


def test_the_command_writes_all_of_it(tmp_path):
    page = tmp_path / "out" / "matrix.html"
    command = [sys.executable, "-m", "properties", "matrix", "--impl=heap", "--budget=quick", "--claims=DEC-*"]
    command += ["-o", str(page), "--markdown", str(tmp_path / "m.md"), "--badges", str(tmp_path / "badges")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"heap 1: \d hold", done.stdout)
    made = read(page.with_suffix(".json"))
    assert set(counts(made["implementations"][0]["cells"])) <= {"holds", "not applicable"}  # no time: not applicable
    assert page.read_text().startswith("<!doctype html>")
    assert (tmp_path / "badges" / "heap.svg").is_file()
    assert (tmp_path / "m.md").is_file()
    again = [*command[:4], "--from", str(page.with_suffix(".json")), "-o", str(tmp_path / "again.html")]
    assert subprocess.run(again, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert (tmp_path / "again.html").read_text() == page.read_text()


@pytest.mark.parametrize("option", ["--impl=nobody", "--claims=XYZ-1", "--budget=fast", "--from=nowhere.json"])
def test_an_option_that_names_nothing_is_a_usage_error(option, tmp_path):
    command = [sys.executable, "-m", "properties", "matrix", "-o", str(tmp_path / "m.html"), option]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_all_names_what_is_missing():
    implementations, missing = gathered(["all"])
    assert {"heap", "naive"} <= {implementation.name for implementation in implementations}
    assert all(one["reason"] for one in missing)


def test_every_claim_has_a_section():
    assert {claim.id[:3] for claim in all_claims()} <= set(SECTIONS)

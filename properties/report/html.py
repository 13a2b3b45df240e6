"""A report as one HTML file: no script, no font and no image from anywhere, for a phone and in the dark too."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from properties.report.markdown import declared_of, facts_of, names_of, verdicts_of
from properties.report.reached import told
from properties.report.records import Record, of_kind
from properties.report.spec import section_of, why

_HERE = Path(__file__).parent
_WORDS = {"passed": "holds", "refuted": "refuted", "not applicable": "not applicable", "error": "not tried: an error"}


def html_of(records: Sequence[Record]) -> str:
    """The report as a page."""
    header, footer = records[0], records[-1]
    rows = of_kind(records, "claim")
    stored = of_kind(records, "regression")
    findings = of_kind(records, "finding")
    page = _environment().get_template("template.html")
    return page.render(
        title=f"BPE conformance of {names_of(header)}",
        header=header,
        finished=footer["kind"] == "footer",
        footer=footer,
        verdicts=verdicts_of(records),
        facts=facts_of(header),
        implementations=[(one, declared_of(one)) for one in header["implementations"]],
        sections=_sections(rows),
        several=len(header["implementations"]) > 1,
        findings=findings,
        listed={row["claim"] for row in rows},
        regressions=[row for row in stored if row["status"] in ("refuted", "error")],
        stored=len(stored),
        coverage=[told(record) for record in of_kind(records, "coverage")],
    )


def _sections(rows: Iterable[Record]) -> list[tuple[str, list[tuple[str, list[Record]]]]]:
    """The rows by section and claim, in their order."""
    found: dict[str, dict[str, list[Record]]] = {}
    for row in rows:
        found.setdefault(row["section"], {}).setdefault(row["claim"], []).append(row)
    return [(section, list(claims.items())) for section, claims in found.items()]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"why": _why, "word": _WORDS.__getitem__, "facts": fact_lines, "section": section_of}
    return environment


def _why(claim_id: str) -> Markup:
    """Why a claim is true, as HTML. The specification's links lead to files that are not here: their text stays."""
    plain = MarkdownIt("commonmark", {"html": False}).disable(["link", "autolink", "reference", "image"])
    return Markup(plain.render(why(claim_id)))  # of our own specification; HTML in it is escaped


def fact_lines(row: dict[str, Any]) -> list[str]:
    """What happened in the cases of a claim, in words.

    >>> fact_lines({"facts": {"sampled": 40, "merges_fired": 90, "cases_with_merges_fired": 31}})
    ['of 40 cases looked into, merges fired in 31 (90 in all)']
    """
    facts = row["facts"]
    looked = f"of {facts.get('sampled')} cases looked into"
    lines = []
    if "merges_fired" in facts and facts.get("most_merges") != 0:
        lines.append(f"{looked}, merges fired in {facts['cases_with_merges_fired']} ({facts['merges_fired']} in all)")
    if row.get("scope"):
        lines.append(f"completed {row['scope']}")
    if "longest_text" in facts:
        merges = f", the most merges {facts['most_merges']:,}" if facts.get("most_merges") else ""
        lines.append(f"the longest text {facts['longest_text']:,} characters{merges}")
    if "steps" in facts:
        lines.append(
            f"of {facts['steps']} steps of training looked into, {facts['ties_met']} were ties"
            f" (in {facts['cases_with_ties']} corpora)"
        )
    return lines

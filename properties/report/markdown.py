"""A report in Markdown: for the summary of a CI job, or an issue."""

from collections.abc import Sequence
from itertools import groupby

from properties.report.reached import told
from properties.report.records import Record, of_kind


def markdown_of(records: Sequence[Record]) -> str:
    """The report as a page in Markdown."""
    header = records[0]
    lines = [f"# BPE conformance of {names_of(header)}", "", *_verdicts(records), "", *_facts(header), ""]
    for finding in of_kind(records, "finding"):
        lines += _finding(finding)
    for record in of_kind(records, "coverage"):
        head, *rest = told(record)
        lines += ["## What no claim reached", "", head, *(f"- {line.strip()}" for line in rest), ""]
    lines += ["<details><summary>Every claim</summary>", ""]
    for section, rows in groupby(of_kind(records, "claim"), key=lambda row: row["section"]):
        lines += [
            f"### {section}",
            "",
            "| claim | | status | cases | distinct | seconds |",
            "|---|---|---|---|---|---|",
        ]
        lines += [_row(row) for row in rows] + [""]
    return "\n".join([*lines, "</details>", ""])


def names_of(header: Record) -> str:
    """The implementations with their versions.

    >>> names_of({"implementations": [{"name": "heap", "version": "1"}, {"name": "mine", "version": ""}]})
    'heap 1, mine'
    """
    return ", ".join(f"{one['name']} {one['version']}".strip() for one in header["implementations"])


def verdicts_of(records: Sequence[Record]) -> list[tuple[str, str]]:
    """For each implementation its name and what came of it, in a sentence."""
    footer = records[-1]
    if footer["kind"] != "footer":
        return [(one["name"], "the run did not end: nothing is decided") for one in records[0]["implementations"]]
    return [(name, _verdict(counts)) for name, counts in footer["counts"].items()]


def _verdict(counts: Record) -> str:
    claims, stored = counts["claims"], counts["regressions"]
    failed = sum(kind[status] for kind in (claims, stored) for status in ("refuted", "error"))
    head = "every claim asked holds" if not failed and claims["passed"] else "refuted" if failed else "no claim held"
    parts = [f"{claims['passed']} claims hold on {counts['cases']:,} cases", f"{claims['refuted']} refuted"]
    parts += [f"{claims['not applicable']} not applicable"]
    if sum(stored.values()):
        parts.append(f"{stored['passed']} stored regressions pass and {stored['refuted'] + stored['error']} fail")
    if claims["error"]:
        parts.append(f"{claims['error']} could not be tried")
    return f"{head}: {', '.join(parts)}"


def _verdicts(records: Sequence[Record]) -> list[str]:
    return [f"- **{name}**: {verdict}." for name, verdict in verdicts_of(records)]


def facts_of(header: Record) -> list[tuple[str, str]]:
    """What a reader has to know of a run: names and values."""
    budget = header["budget"]
    facts = [
        ("budget", f"{budget['name']}: {budget['cases']:,} cases or {budget['seconds']:g} s a claim"),
        ("seed", str(header["seed"])),
        ("level", header["level"]),
        ("claims selected", ", ".join(header["selected"]) or f"all {header['claims']}"),
        ("suite", " ".join(filter(None, [header["suite"]["version"], header["suite"]["commit"]]))),
        ("Python", header["python"]),
        ("platform", header["platform"]),
        ("Unicode", header["unicode"]),
        ("packages", ", ".join(f"{name} {version}" for name, version in header["packages"].items())),
        ("started", header["started"]),
    ]
    return [(name, value) for name, value in facts if value]


def declared_of(one: Record) -> list[tuple[str, str]]:
    """What an implementation declares, in words."""
    rules = one["tie_rules"]
    facts = [
        ("from", one["origin"]),
        ("offers", ", ".join(one["offers"]) or "nothing optional"),
        ("tie rules", "none declared" if rules is None else ", ".join(rules) or "none"),
        ("ranks by", one["rank_by"]),
    ]
    if one["algorithm"] != "bpe":
        facts.append(("algorithm", one["algorithm"]))
    if one["whole_piece_first"]:
        facts.append(("whole piece first", "yes"))
    if one["own_vocabulary"]:
        facts.append(("vocabulary", "its own"))
    return facts


def _facts(header: Record) -> list[str]:
    return [f"{name}: {value}  " for name, value in facts_of(header)]


def _finding(finding: Record) -> list[str]:
    stored = f", stored case {finding['regression']}" if finding["regression"] else ""
    title = f"## {finding['implementation']} refutes {finding['claim']} ({finding['level']}){stored}"
    fence = "`" * max(3, _longest_fence(finding["explanation"]) + 1)
    return [title, "", f"{fence}text", finding["explanation"], fence, "", f"Again: `{finding['replay']}`", ""]


def _longest_fence(text: str) -> int:
    return max((len(list(run)) for character, run in groupby(text) if character == "`"), default=0)


def _row(row: Record) -> str:
    sentence = row["sentence"].replace("|", "\\|")
    status = row["status"] if row["level"] == "must" else f"{row['status']} (should)"
    who = f"{row['claim']} {row['implementation']}"
    return f"| {who} | {sentence} | {status} | {row['cases']} | {row['distinct']} | {row['seconds']:.2f} |"

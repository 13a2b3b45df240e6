"""The documentation: its commands run, its outputs are real, its tables are the parsers', the site builds."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from properties.claims import all_claims
from properties.commands.claims_index import markdown_of
from properties.commands.options_page import page

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# Files that a page gives, commands that it runs, and what they print.
BLOCK = re.compile(
    r'^```python title="(?P<file>[^"]+)"\n(?P<content>.*?)^```$'
    r"|^<!-- runnable(?P<fails> fails)? -->\n```sh\n(?P<script>.*?)^```$(?:\n+```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "<!-- runnable" in path.read_text(encoding="utf-8")]
NEEDED = ("reference", "implementations", "properties", "regressions", "docs", "pyproject.toml")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout of its own for each page's files: what a page writes lands there."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in NEEDED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "node_modules", ".*cache")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def run(script, folder):
    cleared = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = cleared | {"PATH": path, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
        check=False,
    )
    return done.returncode, done.stdout


def missing(expected, output):
    """The first line of what a page shows that does not follow in the output; `...` stands for anything."""
    lines = iter(line.rstrip() for line in output.splitlines())
    for wanted in expected.splitlines():
        pattern = ".*".join(map(re.escape, wanted.rstrip().split("...")))
        if wanted.strip() and not any(re.fullmatch(pattern, line) for line in lines):
            return wanted
    return None


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_is_true(path, checkout):
    blocks = list(BLOCK.finditer(path.read_text(encoding="utf-8")))
    assert sum(bool(block["script"]) for block in blocks) == path.read_text(encoding="utf-8").count("<!-- runnable")
    for block in blocks:
        if block["file"]:
            (checkout / block["file"]).write_text(block["content"])
            continue
        status, output = run(block["script"], checkout)
        assert bool(status) == bool(block["fails"]), f"{block['script']}\n{output[-3000:]}"
        assert missing(block["output"] or "", output) is None, f"{block['script']}\n{output[-3000:]}"


def test_a_line_that_is_not_printed_is_noticed():
    assert missing("a\nb ... d\n", "a\nx\nb c d\n") is None
    assert missing("b\na\n", "a\nb\n") == "a"


def test_there_are_pages_to_run():
    assert {"tutorial.md", "milestone-1.md", "milestone-4.md", "four-lessons.md"} <= {path.name for path in PAGES}


def test_the_options_are_the_parsers():
    again = "python -m properties.commands.options_page > docs/reference/options.md"
    assert (DOCS / "reference" / "options.md").read_text(encoding="utf-8") == page(), again


def test_the_claims_are_the_index():
    again = "python -m properties claims --markdown > docs/reference/claims.md"
    assert (DOCS / "reference" / "claims.md").read_text(encoding="utf-8") == markdown_of(all_claims()), again


def test_the_readme_keeps_its_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [line for line in readme.splitlines() if "venv .venv" in line]

    assert commands == [
        "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/pytest properties --impl=heap",
        'python3 -m venv .venv && .venv/bin/pip install -q -e ".[dev]" && .venv/bin/pytest tests -n 2',
    ]


def test_every_link_inside_the_documentation_leads_somewhere():
    lost = []
    for path in [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            if "://" not in target and not (path.parent / target).exists():
                lost.append(f"{path.relative_to(ROOT)}: {target}")
    assert lost == []


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("material", reason='the extra `docs` is not installed: pip install -e ".[docs]"')
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    for built in pages:
        source = built.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"', source)
        loaded += re.findall(r'<link[^>]+rel="(?:stylesheet|preconnect|icon)"[^>]*href="([^"]+)"', source)
        loaded += re.findall(r'<link[^>]+href="([^"]+)"[^>]*rel="(?:stylesheet|preconnect|icon)"', source)
        assert [target for target in loaded if "//" in target] == [], built.name

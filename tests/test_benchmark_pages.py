"""What the benchmarks write into a page replaces its own part and nothing else."""

from pathlib import Path

import pytest

from benchmarks.page import put

ROOT = Path(__file__).resolve().parent.parent
PAGE = """one
<!-- shown: python a.py --write -->
old
<!-- end of shown -->
two
<!-- measured: python b.py --write -->
older
<!-- end of measured -->
three
"""


@pytest.mark.parametrize(("part", "was"), [("shown", "old"), ("measured", "older")])
def test_a_part_is_replaced_and_the_rest_stays(tmp_path, part, was):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    put(page, part, ["new", r"back\\1slash"])

    assert page.read_text() == PAGE.replace(f"{was}\n", "new\nback\\\\1slash\n", 1)


def test_a_part_that_is_not_there_is_told(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("one\n")

    with pytest.raises(ValueError, match="0 parts named shown"):
        put(page, "shown", ["new"])


@pytest.mark.parametrize("part", ["shown", "measured"])
def test_the_page_on_fuzzing_has_its_parts(tmp_path, part):
    page = tmp_path / "page.md"
    page.write_text((ROOT / "docs" / "fuzzing.md").read_text(encoding="utf-8"), encoding="utf-8")
    put(page, part, ["new"])

    assert "new\n" in page.read_text(encoding="utf-8")

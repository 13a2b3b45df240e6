"""`python -m properties.hook OPTIONS`: pytest on the claims, from whatever folder; what pre-commit runs.

The claims stand beside this file. The options are those of `pytest properties`; a path after --impl is one of the
folder that it is called from.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def main(options: Sequence[str]) -> int:
    """Run the claims with these options; returns pytest's exit status."""
    return int(pytest.main([str(HERE), f"--rootdir={Path.cwd()}", "-p", "no:cacheprovider", "-q", *options]))


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    raise SystemExit(main(sys.argv[1:]))

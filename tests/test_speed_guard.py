"""Speed does not get lost: every bound of `benchmarks/guard.py` holds, and the guard notices what breaks one."""

from dataclasses import replace

import pytest

from benchmarks.guard import BOUNDS, broken, calibration


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.name)
def test_bound(bound):
    assert broken(bound) is None


def test_a_broken_bound_is_noticed():
    slow = replace(BOUNDS[0], make=lambda: lambda: [calibration() for _ in range(5)], allowed=2.0)
    assert "2 are allowed" in broken(slow)

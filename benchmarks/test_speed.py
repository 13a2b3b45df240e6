"""The benchmarks under pytest-benchmark: `pytest benchmarks`."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.corpora import PIECES, natural
from benchmarks.rivals import ENCODERS, PATTERN, TRAINERS, installed
from implementations.heap import Tokenizer

pytest.importorskip("pytest_benchmark")
OPTIONS: dict[str, Any] = {"rounds": 5, "iterations": 1, "warmup_rounds": 0}
pytestmark = pytest.mark.benchmark(timer=time.process_time)
FAST = [name for name in TRAINERS if name != "minbpe's algorithm"]


def of(names: Any) -> Any:
    """One test for each name; those not installed are skipped by name."""
    return [
        pytest.param(name, marks=[] if installed(name) else pytest.mark.skip(reason=f"{name} is not installed"))
        for name in names
    ]


@pytest.mark.parametrize("name", of(FAST))
@pytest.mark.benchmark(group="training, 1 MB, 1,000 merges")
def test_training(benchmark: Callable[..., Any], name: str) -> None:
    """Natural text."""
    text = natural(1_000_000)
    benchmark.pedantic(TRAINERS[name], (text, 1000, PATTERN), **OPTIONS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", of(ENCODERS))
@pytest.mark.benchmark(group="encoding, 300 kB, 1,000 merges, once more")
def test_encoding(benchmark: Callable[..., Any], name: str) -> None:
    """Natural text, seen before."""
    text = natural(300_000)
    encode = ENCODERS[name](Tokenizer.train([text], 1000, pattern=PATTERN), PATTERN)
    encode(text)
    benchmark.pedantic(encode, (text,), **OPTIONS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", PIECES)
@pytest.mark.benchmark(group="one piece of 100,000, heap")
def test_one_piece(benchmark: Callable[..., Any], kind: str) -> None:
    """Training for 200 merges."""
    text = PIECES[kind](100_000)
    benchmark.pedantic(Tokenizer.train, ([text], 200), **OPTIONS)  # type: ignore[attr-defined]

"""Whole lists of merges compared: heap under each rival's tie rule with what the rival learns."""

import importlib
from collections.abc import Iterator

from benchmarks.measure import Request, text_of
from benchmarks.rivals import PATTERN, installed, minbpe_train
from implementations.heap import Tokenizer

RIVALS = ("huggingface", "rustbpe", "bpeasy", "gigatoken")  # adapters, each compared under the rules it offers


def compared(size: int, num_merges: int, minbpe_merges: int) -> Iterator[str]:
    """A line for each rival and rule: how many merges were learned, and whether all are the same."""
    text = text_of(Request("train", "heap", "natural", size, 0))
    yield "| who | tie rule | merges | |"
    yield "|---|---|---|---|"
    ours = Tokenizer.train([text], minbpe_merges, pattern=PATTERN)
    yield _line("minbpe's algorithm", "first-seen", ours, minbpe_train(text, minbpe_merges, PATTERN))
    for name in filter(installed, RIVALS):
        rival = importlib.import_module(f"implementations.adapters.{name}").Tokenizer
        for rule in rival.tie_rules:
            theirs = rival.train([text], num_merges, pattern=PATTERN, tie_rule=rule)
            ours = Tokenizer.train([text], num_merges, pattern=PATTERN, tie_rule=rule)
            yield _line(name, rule, ours, theirs)


def _line(name: str, rule: str, ours: object, theirs: object) -> str:
    one, other = list(map(tuple, ours)), list(map(tuple, theirs))  # type: ignore[call-overload]
    if one == other:
        return f"| {name} | {rule} | {len(one):,} | all the same |"
    first = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"| {name} | {rule} | {len(one):,} and {len(other):,} | part at merge {first} |"

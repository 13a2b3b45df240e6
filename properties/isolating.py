"""`--isolate` and `--memory-limit`: which implementations live in a process of their own."""

import pytest

from implementations.isolation import MEMORY_LIMIT, isolated, wants_isolation
from implementations.plugged import Implementation

WAYS = ("auto", "process", "none")
PRELOAD = ("properties.worker",)


def add_isolation_options(group: pytest.OptionGroup) -> None:
    """The options of this module."""
    group.addoption(
        "--isolate",
        default="auto",
        metavar="|".join(WAYS),
        help="a process for each implementation; auto: for those that ask, as adapters of compiled packages do",
    )
    group.addoption(
        "--memory-limit",
        type=float,
        default=MEMORY_LIMIT,
        metavar="GIB",
        help=f"of an isolated implementation (default: {MEMORY_LIMIT:g})",
    )


def isolate_as_asked(implementations: list[Implementation], config: pytest.Config) -> list[Implementation]:
    """The implementations, isolated as the options say. Raises `ValueError` for a way that there is not."""
    return isolate_each(implementations, config.getoption("--isolate"), config.getoption("--memory-limit"))


def isolate_each(
    implementations: list[Implementation], way: str = "auto", memory_limit: float = MEMORY_LIMIT
) -> list[Implementation]:
    """The implementations, isolated where `way` says so. Raises `ValueError` for a way that there is not."""
    if way not in WAYS:
        raise ValueError(f"no way to isolate named {way!r}; there are {', '.join(WAYS)}")
    if memory_limit <= 0:
        raise ValueError(f"--memory-limit must be more than 0 GiB, not {memory_limit:g}")
    return [
        isolated(i, memory_limit=memory_limit, preload=PRELOAD)
        if way == "process" or (way == "auto" and wants_isolation(i))
        else i
        for i in implementations
    ]

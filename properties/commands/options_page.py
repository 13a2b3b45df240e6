"""`python -m properties.commands.options_page`: docs/reference/options.md, made from the parsers themselves."""

from collections.abc import Iterator
from typing import Any

import typer


def page() -> str:
    """The page: the options of `pytest properties`, then those of each command of `python -m properties`."""
    lines = [
        "# Options",
        "",
        "Made by `python -m properties.commands.options_page`; a test holds this page to the parsers.",
        "",
        "## `pytest properties`",
        "",
        "Beside pytest's own, of which `-k`, `-x`, `-n`, `-v` and `--junitxml` are the most useful here.",
        "",
        "| option | |",
        "|---|---|",
        *pytest_rows(),
    ]
    for name, command in commands():
        told = (command.help or "").split("\n\n")[0].replace("\n", " ").strip()
        lines += ["", f"## `python -m properties {name}`", "", told, "", "| option | |", "|---|---|", *rows(command)]
    return "\n".join(lines) + "\n"


def pytest_rows() -> Iterator[str]:
    """The suite's own options of pytest, from the group that its conftest fills."""
    from properties import conftest

    class Group:
        def __init__(self) -> None:
            self.found: list[tuple[str, dict[str, Any]]] = []

        def addoption(self, name: str, **keywords: Any) -> None:
            self.found.append((name, keywords))

    class Parser(Group):
        def getgroup(self, *_: str, **__: str) -> Group:
            return self

    parser = Parser()
    conftest.pytest_addoption(parser)  # type: ignore[arg-type]
    for name, keywords in parser.found:
        metavar = keywords.get("metavar")
        written = name if metavar is None or keywords.get("action") == "store_true" else f"{name}={metavar}"
        yield _row(written, keywords.get("help", ""))


def commands() -> Iterator[tuple[str, Any]]:
    """The commands of `python -m properties`, by name."""
    from properties.__main__ import app

    group: Any = typer.main.get_command(app)
    yield from group.commands.items()


def rows(command: Any) -> Iterator[str]:
    """The arguments and options of one command."""
    for parameter in command.params:
        names = (
            ", ".join(parameter.opts) if parameter.param_type_name == "option" else parameter.metavar or parameter.name
        )
        if names != "--help":
            yield _row(str(names), getattr(parameter, "help", "") or "")


def _row(name: str, told: str) -> str:
    escaped = [part.replace("|", "\\|") for part in (name, " ".join(told.replace("%%", "%").split()))]
    return f"| `{escaped[0]}` | {escaped[1]} |"


if __name__ == "__main__":
    print(page(), end="")

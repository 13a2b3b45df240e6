"""Packages of the npm world: node/driver.mjs speaks the cmd: protocol for them."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from implementations.command import CommandTokenizer, CommandTokenizers
from implementations.vocabularies import NODE_MODULES, node_modules
from reference.model import Vocabulary

_DRIVER = Path(__file__).parent / "node" / "driver.mjs"


class NodeTokenizers(CommandTokenizers):
    """One package, driven by Node. Raises `ModuleNotFoundError`, an `ImportError`, where either is missing."""

    train = None  # type: ignore[assignment]  # none of them trains

    def __init__(self, package: str, *, bytes_out: bool = False) -> None:
        folder = next((place for place in node_modules() if (place / package).is_dir()), None)
        program = shutil.which("node")
        if folder is None or program is None:
            raise ModuleNotFoundError(
                f"{package} of npm is not installed: it takes Node, and `npm install {package}` in a folder whose "
                f"node_modules {NODE_MODULES} names (or the current folder, or the project's)",
                name=f"npm {package}" if program else "node",
            )
        super().__init__(shlex.join([program, str(_DRIVER), package, str(folder)]))
        self._kind = CommandTokenizer if bytes_out else TextOnly

    def __call__(self, vocabulary: Vocabulary) -> CommandTokenizer:
        """A tokenizer for `vocabulary`."""
        super().__call__(vocabulary)  # refuses what the protocol cannot carry
        return self._kind(self, vocabulary)


class TextOnly(CommandTokenizer):
    """Of a package that decodes to text: bytes there are none to ask for."""

    def decode(self, ids: Iterable[int]) -> str:
        """The package's text, which crossed the pipe as UTF-8."""
        return CommandTokenizer.decode_bytes(self, ids).decode(errors="replace")

    decode_bytes = None  # type: ignore[assignment]

"""Ctrl-C ends the run, wherever it lands.

Python drops a `KeyboardInterrupt` that is raised inside a callback of the garbage collector, and a plug-in may swallow
it. The run would go on, and pytest would make a failed claim of the dropped one. So it is remembered, and raised again
after the case, or at the latest when the claim ends.
"""

import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

import pytest


class Interrupt:
    """Whether the user has interrupted the run, and the handler that remembers it."""

    def __init__(self) -> None:
        self.met = False
        mine = threading.current_thread() is threading.main_thread()
        self.in_place = mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        self.tell = sys.unraisablehook
        if self.in_place:
            signal.signal(signal.SIGINT, self._ring)
            sys.unraisablehook = self._dropped

    def _ring(self, number: int, frame: FrameType | None) -> NoReturn:
        self.met = True
        raise KeyboardInterrupt

    def _dropped(self, what: "sys.UnraisableHookArgs") -> None:
        if what.exc_type is not KeyboardInterrupt:  # pytest would tell of a warning, and it is remembered
            self.tell(what)

    def again(self) -> None:
        """Raise once more what may have been dropped."""
        if self.met:
            raise KeyboardInterrupt

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self) -> None:
        """Before anything is made of a test that was interrupted."""
        self.again()

    def pytest_unconfigure(self) -> None:
        """Leave both as they were."""
        if self.in_place:
            sys.unraisablehook = self.tell
            signal.signal(signal.SIGINT, signal.default_int_handler)

"""What a failure is called: its kind, and the signature under which further ones of its like are only counted."""

import signal
from types import TracebackType

from fuzz.mined import ROOT

OURS = tuple(str(ROOT / part) for part in ("reference", "properties", "fuzz", "implementations/plugged.py"))


def kind_of(error: BaseException) -> str:
    """What stays the same while a failure is verified and shrunk."""
    return type(error).__name__


def kind_of_exit(code: int) -> str:
    """The kind of a process that ended by itself.

    >>> kind_of_exit(-11), kind_of_exit(3)
    ('killed by SIGSEGV', 'exit 3')
    """
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exit {code}"


def signature_of(target: str, error: BaseException) -> str:
    """The target, the type, the line of the check, and the plug-in's innermost function: a guess at what is wrong."""
    check = theirs = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(OURS):
            if not theirs and "plugged" not in code.co_filename:
                check = f"{code.co_name}:{trace.tb_lineno}"
        else:
            theirs = f"{code.co_name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return " ".join(part for part in (target, kind_of(error), check, theirs) if part)


def worth_keeping(hits: int) -> bool:
    """Of many failures of one signature the 1st, 2nd, 4th, 8th … are looked at, for two bugs may share one.

    >>> [hits for hits in range(1, 40) if worth_keeping(hits)]
    [1, 2, 4, 8, 16, 32]
    """
    return hits & (hits - 1) == 0 and hits <= 4096

"""Plug-ins that misbehave in one way each, for the tests of the fuzzing half: mostly on two spaces in a row."""

import ctypes
import itertools
import os

from implementations.naive import Tokenizer as Naive


class TwoSpaces(Naive):
    """Takes two spaces for one."""

    def encode(self, text):
        return super().encode(text.replace("  ", " "))


class LosesTildes(Naive):
    """No listed case holds one."""

    def encode(self, text):
        return super().encode(text.replace("~", ""))


class Raises(Naive):
    def encode(self, text):
        if "  " in text:
            raise RuntimeError("two spaces")
        return super().encode(text)


class Panics(Naive):
    def encode(self, text):
        if "  " in text:
            raise BaseException("panicked at two spaces")
        return super().encode(text)


class Segfaults(Naive):
    def encode(self, text):
        if "  " in text:
            ctypes.string_at(0)
        return super().encode(text)


class Aborts(Naive):
    def encode(self, text):
        if "  " in text:
            os.abort()
        return super().encode(text)


class Exits(Naive):
    def encode(self, text):
        if "  " in text:
            os._exit(3)
        return super().encode(text)


class Hangs(Naive):
    def encode(self, text):
        while "  " in text:
            pass
        return super().encode(text)


class HangsInC(Naive):
    """Does not come back to the interpreter, so that no signal is seen."""

    def encode(self, text):
        if len(text) > 60:
            return False in itertools.repeat(True)
        return super().encode(text)


class EatsMemory(Naive):
    def encode(self, text):
        eaten = []
        while "  " in text:
            eaten.append(bytearray(1 << 25))
        return super().encode(text)


class Flaky(Naive):
    calls = 0

    def encode(self, text):
        Flaky.calls += 1
        return [] if Flaky.calls % 300 == 0 else super().encode(text)


class NoPython:
    """What a compiled tokenizer looks like: callables without Python code."""

    def __new__(cls, vocabulary):
        return Naive(vocabulary)


NoPython.__module__ = "builtins"

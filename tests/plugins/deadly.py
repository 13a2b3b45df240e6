"""Tokenizers that end or block the process they live in, as compiled ones do. Only to be run isolated."""

import ctypes
import itertools
import os
import re
import signal
import sys
import time

from implementations.heap import Tokenizer


class Safe(Tokenizer):
    """Right, and asks for a process of its own."""

    isolate = True


class _OnDouble(Tokenizer):
    """Does something deadly to a text with two equal neighbours."""

    isolate = True

    def encode(self, text):
        if any(one == two for one, two in itertools.pairwise(text)):
            self.die()
        return super().encode(text)

    def die(self):
        raise NotImplementedError


class Segfaults(_OnDouble):
    def die(self):
        ctypes.string_at(0)


class Aborts(_OnDouble):
    def die(self):
        print("about to abort", file=sys.stderr, flush=True)
        os.abort()


class ExitsAtOnce(_OnDouble):
    def die(self):
        os._exit(3)


class HangsInC(_OnDouble):
    def die(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        re.match(r"(a*)*b", "a" * 40)


class Oversleeps(_OnDouble):
    """Is away for two seconds; in a process of its own, it does not hear the alarm of its limit."""

    def die(self):
        if "BPE_ISOLATED" in os.environ:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(2)


class Sleeps(_OnDouble):
    def die(self):
        time.sleep(60)


class EatsMemory(_OnDouble):
    def die(self):
        eaten = []
        while True:
            eaten.append(bytearray(10_000_000))


class RecursesToDeath(_OnDouble):
    def die(self):
        sys.setrecursionlimit(10**9)

        def deeper(x):
            return list(map(deeper, [x]))

        deeper(0)


class Panics(_OnDouble):
    def die(self):
        raise type("PanicException", (BaseException,), {})("index out of bounds")


class Unpicklable(_OnDouble):
    def die(self):
        kind = type("OddError", (ValueError,), {"__init__": lambda self, one, two: None, "__str__": lambda s: "odd"})
        raise kind(lambda: 1, 2)


class DiesLater(Tokenizer):
    """A thread of it dies after the call has returned."""

    isolate = True

    def encode(self, text):
        if "b" in text:
            signal.setitimer(signal.ITIMER_PROF, 0.001)
        return super().encode(text)


class SharesItsResults(Tokenizer):
    """Gives the same list twice: only a claim that runs where it lives can see that."""

    isolate = True

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def encode(self, text):
        if text not in self.cache:
            self.cache[text] = super().encode(text)
        return self.cache[text]


class KeepsWhatWasLeft(Tokenizer):
    """Half a character is left for the next call, of whatever tokenizer."""

    isolate = True
    left = b""

    def decode(self, ids):
        data = type(self).left + self.decode_bytes(ids)
        cut = len(data) - 1 if data and data[-1] >= 0xC0 else len(data)
        type(self).left = data[cut:]
        return data[:cut].decode(errors="replace")

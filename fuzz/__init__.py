"""Looking for counterexamples for hours: `python -m fuzz run --impl=heap --time 8h` (docs/fuzzing.md).

target    a claim, or one of `properties.beyond`, and the bytes that are cases of it
engine    what makes up the bytes: blind, atheris, hypothesis
artifact  bytes that refuted a target, as a worker left them
finding   an artifact that was verified, shrunk and given its canonical id
"""

import sys

if not __debug__:
    sys.exit("fuzz: python -O drops the assert statements that judge; run it without -O and PYTHONOPTIMIZE (exit 2)")

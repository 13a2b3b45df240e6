"""Mutation testing: every small change of a module must be noticed by the suite, or stand in a ledger with the reason.

mutmut's operators make the mutants; the suite decides, each mutant in a process of its own.

    python -m tests.mutation implementations/heap.py          try the mutants of a module
    python -m tests.mutation --page docs/mutation.md          write down what is known of all

mutants.py    the mutants of a module, by mutmut
suite.py      what they are tried on: claims, and the tests of the module
trial.py      one mutant in a process of its own
ledger.toml   the survivors that no call can tell from the original, each judged by reading; ledger.py reads it
page.py       docs/mutation.md

mutmut's own runner is not used. It selects mutants at run time inside a "trampoline" around each function, which leaves
out what is decorated or stands outside a function (tables, patterns, cached properties), and runs pytest for each. Here
each mutant is a module of its own, imported in the place of the original.
"""

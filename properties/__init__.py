"""What must hold of every tokenizer: the claims, the cases they are tried on, and the runner.

Read `claims.py` first (what a claim is), then any `test_*.py` (the claims, one file per section of the spec), then
`cases/` (what they are tried on) and `runner.py` (how). The rooms, each importing only from those named before it:

oracle/           what the right answer is, and how it is known
cases/            what claims are tried on: drawn, enumerated, published or real
claims.py         what a claim is; test_*.py: the claims
published.py      the claims asked of one published vocabulary in place of generated ones
counterexample/   a case that refutes: made small, named, written down
runner.py         one claim, one implementation, one budget: an outcome
report/           what a run found: explained, as pages, as records
stored/           cases kept in files: regressions, expected failures
matrix/           many implementations on every claim
strength/         faulty tokenizers on every claim: what the suite would have caught
commands/         the smaller commands of `python -m properties`
"""

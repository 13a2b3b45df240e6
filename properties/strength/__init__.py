"""`python -m properties strength`: tokenizers whose faults are known, tried on the claims.

runs.py       tokenizers tried one by one, each in a process of its own; progress.py: with a bar
table.py      a line for each tokenizer
matrix.py     every one on every claim; document.py: docs/strength.md
ratchet.py    the record (record.json) that a later run is held to; publish.py: both long runs
command.py    the command; claim_order.json: the order that refutes fastest
"""

"""What must hold of every tokenizer: the claims, the cases they are tried on, and the runner.

Read `claims.py` first (what a claim is), then any `test_*.py` (the claims, one file per section of the
spec), then `programs.py` and `domains.py` (where the cases come from).
"""

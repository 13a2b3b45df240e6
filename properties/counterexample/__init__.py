"""A case that refutes a claim: made small and written down.

shrink.py     merges and text made small together, in one canonical form
smallest.py   the small cases in the order of their size
literal.py    values as Python literals of ASCII only
"""

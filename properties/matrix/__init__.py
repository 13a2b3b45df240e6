"""The matrix: implementations and claims in one page (`python -m properties matrix`).

one.py        one implementation, every claim, in a process of its own
run.py        one such process for each implementation, as many at a time as there are cores
data.py       the JSON: `schema.json` says what it holds
page.py       the HTML page, of one file
words.py      docs/matrix.md and the badges
command.py    the command
"""

"""Reports of a run: what was asked of whom, what came of it, and what it means, as HTML, JSON lines or Markdown.

explain.py   a refuted claim: the case, the calls, the reference's steps, the first merge where they part
spec.py      the sentences and the reasons, read from docs/spec.md
watch.py     what the cases of a claim were: how many distinct ones, merges fired, ties met
records.py   a run as records: a header, a row a claim, findings, a footer. schema.json describes them
writing.py   records to a file, whole or not at all
reading.py   a file to records; one without its footer is an unfinished run
html.py, markdown.py   the pages
reached.py   lines and branches of the plugged-in module that no claim reached
compare.py   `python -m properties compare A.jsonl B.jsonl`
plugin.py    the pytest side: options, hooks
"""

"""What claims are tried on.

tables.py       the characters and words that tokenizers get wrong
programs.py     short programs, and the total interpreters that read them: the one decoder of bytes
domains/        what the arguments of each claim range over
exhaustive.py   small scopes, all of them; splitting.py: every short text that a pattern can tell apart
sample.py       real text (texts/, and what Python brings along); real_text.py: cases of it
growth.py       texts of doubling lengths, timed
rename.py       other vocabularies made of one
"""

"""Cases kept in files.

regressions.py    `regressions/*.toml`, read and written; standard.py: the vocabularies of those that name none
replay.py         stored regressions as cases of every claim that they fit
expectations.py   what a package is known to do otherwise; expecting.py: the pytest side of it
"""

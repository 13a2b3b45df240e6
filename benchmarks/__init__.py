"""Benchmarks: ratios of CPU time within one run, on text that every Python has.

`python -m benchmarks tables` measures and writes `RESULTS.md` and the plots; `pytest benchmarks` is the same code under
pytest-benchmark; `python -m benchmarks guard` compares with a fixed loop of pure Python and fails where a bound is
broken.
"""

"""What the right answer is, and how it is known without asking the implementation.

fast.py          a quick stand-in for the reference's encoder, for lists of merges where the two agree
expected.py      what the reference says, by the stand-in or not; one in fifty is asked of both
certificate.py   training checked without training
"""

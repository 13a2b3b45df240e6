"""With `-n`, the tests of one file stay in one process: what a file sets up for all of them is set up once."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False  # by number of tests: the few long ones would come last

"""The smaller commands of `python -m properties`, a module each; options_page.py makes their page."""

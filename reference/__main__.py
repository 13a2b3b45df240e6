"""`python -m reference`: train, encode, decode, curve."""

from reference.cli import app

if __name__ == "__main__":
    app(prog_name="python -m reference")

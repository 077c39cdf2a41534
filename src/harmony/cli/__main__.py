"""Lets `python -m harmony.cli` do what `harmony` does."""

from . import main

if __name__ == "__main__":
    main()

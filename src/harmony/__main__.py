"""`python -m harmony` is `harmony`."""

from .cli import main

main()

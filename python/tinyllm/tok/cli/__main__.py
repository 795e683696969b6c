"""`python -m tinyllm.tok.cli` is `tok`."""

from tinyllm.tok.cli import main

main()

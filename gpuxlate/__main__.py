"""``python -m gpuxlate``: the command line."""

from gpuxlate.cli import main

main()

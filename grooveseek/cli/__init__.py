"""The ``groove`` command: argv in, text out. One file a command; :mod:`grooveseek.cli.main` holds them together."""

from grooveseek.cli.main import main

__all__ = ["main"]

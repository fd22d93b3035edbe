"""``groove-tray``: the tray icon of one service."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from grooveseek.errors import GrooveError
from grooveseek.service.definition import DEFAULT_NAME


def main(argv: Sequence[str] | None = None) -> int:
    """Show the icon until its user quits it; the exit code. Errors go to stderr in a line, where there is one."""
    parser = ArgumentParser(prog="groove-tray", description="Show how a background service of groove does.")
    parser.add_argument("--service-name", default=DEFAULT_NAME, metavar="NAME", help="which service (default: groove)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="its settings (default: in the config home)")
    given = parser.parse_args(argv)
    try:
        _show(given.service_name, given.config)
    except GrooveError as error:
        if sys.stderr is not None:
            sys.stderr.write(f"groove-tray: {error}\n")
        return error.exit_code
    return 0


def _show(name: str, config: Path | None) -> None:
    from grooveseek.service.backend import this_backend
    from grooveseek.service.manage import address_in, config_path, require_tray
    from grooveseek.tray.control import Control
    from grooveseek.tray.icon import show

    path = config_path(name, os.environ)
    bind = address_in(config or path)
    require_tray()
    show(Control(name=name, bind=bind, backend=this_backend()))


if __name__ == "__main__":
    sys.exit(main())

"""Bring an index up to date after an edit: ``groove_hook.py FOLDER``, with the hook's JSON on stdin."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BUSY = 1  # another run is going on, and it or the next edit brings this one in


def edited_file(hook: object) -> Path | None:
    """The file that the tool edited; None for any other event."""
    if not isinstance(hook, dict):
        return None
    arguments = hook.get("tool_input")
    path = arguments.get("file_path") if isinstance(arguments, dict) else None
    return Path(str(hook.get("cwd") or ".")) / path if isinstance(path, str) else None


def main() -> int:
    """Index when the edited file is below the folder. Never stops the agent: the exit code is 0."""
    folder = Path(sys.argv[1]).resolve()
    try:
        edited = edited_file(json.load(sys.stdin))
    except ValueError:
        return 0
    if edited is None or folder not in edited.resolve().parents:
        return 0
    done = subprocess.run(
        ["groove", "index", "--kb-path", str(folder), "--quiet"], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, BUSY):
        sys.stderr.write(done.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

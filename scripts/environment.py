"""The virtual environment that the scripts beside this one run in: made on first use, renewed when its lock file
changes.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_MINIMUM = (3, 11)


def ensure(name: str, lock: str) -> Path:
    """The folder of executables of the environment ``name``, with ``lock`` and groove itself installed in it."""
    if sys.version_info < _MINIMUM:
        sys.exit(f"groove needs Python {_MINIMUM[0]}.{_MINIMUM[1]} or later; this is {sys.version.split()[0]}")
    folder = ROOT / name
    stamp = folder / "installed.txt"
    wanted = hashlib.sha256((ROOT / lock).read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing into {folder} (once; about a minute)", file=sys.stderr, flush=True)
        _create(folder)
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--requirement", str(ROOT / lock)])
        run([*pip, "--no-deps", "--editable", str(ROOT)])
        stamp.write_text(wanted)
    return programs


def run(command: list[str], *, environment: dict[str, str] | None = None) -> None:
    """Run a command in the repository; end with its exit code when it fails."""
    finished = subprocess.run(command, cwd=ROOT, env={**os.environ, **(environment or {})}, check=False)
    if finished.returncode != 0:
        print(f"failed ({finished.returncode}): {' '.join(command)}", file=sys.stderr)
        sys.exit(finished.returncode)


def _create(folder: Path) -> None:
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"a virtual environment cannot be made in {folder} ({error}). On Debian: apt install python3-venv")

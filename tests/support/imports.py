"""Which modules a command line imports, observed in a process of its own.

A command's budget is one line in its own tests::

    check_imports(["search", "fog", "--kb-path", kb], allowed={"click", "apsw"}, never={"grooveseek.parsing"})
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

_PROGRAM = """
import json, sys
before = set(sys.modules)
from grooveseek.cli import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as report:
    json.dump({"code": code, "modules": sorted(set(sys.modules) - before)}, report)
"""


def imported_modules(argv: Sequence[str], *, cwd: Path | None = None) -> set[str]:
    """The full names of all modules that ``groove ARGV`` imports. It has to exit with 0."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-c", _PROGRAM, str(report), *argv]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120)
        assert report.exists(), done.stderr
        found = json.loads(report.read_text())
    assert found["code"] == 0, done.stderr
    return set(found["modules"])


def third_party(modules: Iterable[str]) -> set[str]:
    """The top-level names that belong neither to Python nor to groove."""
    tops = {module.partition(".")[0] for module in modules}
    return tops - set(sys.stdlib_module_names) - {"grooveseek", "__main__", "__mp_main__"}


def check_imports(
    argv: Sequence[str], *, allowed: Iterable[str], never: Iterable[str] = (), cwd: Path | None = None
) -> None:
    """``allowed``: third-party packages the command may import. ``never``: modules it may not, nor any below them."""
    modules = imported_modules(argv, cwd=cwd)
    surplus = third_party(modules) - set(allowed)
    assert not surplus, f"groove {' '.join(argv)} imports {sorted(surplus)}, which its budget does not hold"
    for name in never:
        found = sorted(module for module in modules if module == name or module.startswith(name + "."))
        assert not found, f"groove {' '.join(argv)} imports {found}"

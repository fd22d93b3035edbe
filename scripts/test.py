"""Set up the development environment and run every check: ``python3 scripts/test.py [pytest arguments]``.

The same steps as in continuous integration: style, types, the import contract, the tests with the documentation's
examples.
"""

from __future__ import annotations

import os
import sys

import environment


def main() -> None:
    programs = environment.ensure(".venv", "requirements-dev.lock")
    python = str(programs / "python")
    run = environment.run
    run([python, "-m", "ruff", "check", "."])
    run([python, "-m", "ruff", "format", "--check", "."])
    run([python, "-m", "mypy"])
    run([str(programs / "lint-imports")])
    arguments = sys.argv[1:] or ["-n", str(os.cpu_count() or 1), "--dist", "loadfile"]
    run([python, "-m", "pytest", *arguments], environment={"HYPOTHESIS_PROFILE": "ci"} if "CI" in os.environ else {})


if __name__ == "__main__":
    main()

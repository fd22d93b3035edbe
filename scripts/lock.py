"""Write both lock files anew from pyproject.toml: ``python scripts/lock.py`` (needs uv)."""

from __future__ import annotations

import environment

_COMPILE = [
    "uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11",
    "--generate-hashes", "--no-header", "--no-annotate", "--quiet",
]  # fmt: skip


def main() -> None:
    environment.run([*_COMPILE, "--output-file", "requirements.lock"])
    environment.run([*_COMPILE, "--all-extras", "--group", "dev", "--output-file", "requirements-dev.lock"])


if __name__ == "__main__":
    main()

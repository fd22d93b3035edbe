"""Set up groove, index the small handbook that ships with it, and search it: ``python3 scripts/demo.py [QUERY]``."""

from __future__ import annotations

import sys

import environment

QUESTION = "what do we do when fog comes in"


def main() -> None:
    programs = environment.ensure(".venv-demo", "requirements.lock")
    groove = [str(programs / "groove")]
    handbook = ["--kb-path", "golden/handbook"]
    environment.run([*groove, "index", *handbook, "--progress"])
    query = " ".join(sys.argv[1:]) or QUESTION
    print(f"\n$ groove search {' '.join(handbook)} --limit 3 {query!r}\n", file=sys.stderr, flush=True)
    environment.run([*groove, "search", *handbook, "--limit", "3", query])


if __name__ == "__main__":
    main()

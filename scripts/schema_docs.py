"""Write docs/schema.md from the schema itself: ``python3 scripts/schema_docs.py``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grooveseek.store.meta import FACTS
from grooveseek.store.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION

TARGET = Path(__file__).resolve().parent.parent / "docs" / "schema.md"

_HEAD = f"""# The index file

One SQLite file, schema version {SCHEMA_VERSION} (`PRAGMA user_version`), application id 0x{APPLICATION_ID:08x}, in WAL mode. It is groove's own:
read it if you like, with any SQLite that has FTS5, but write to it through groove only. A later groove migrates it when it
next writes; an older one refuses it by name. This page is made from the schema by `scripts/schema_docs.py`.
"""  # noqa: E501 - Markdown, wrapped at 125 like the other pages

_TABLE = re.compile(r"CREATE TABLE (\w+) \(\n(.*?)\n\) STRICT", re.DOTALL)
_COLUMN = re.compile(r"^    (\w+) +([A-Z][A-Z ]*?[A-Z])(?: REFERENCES (\w+) .*?)?,? *(?:-- (.*))?$")


def render() -> str:
    """The page."""
    return "\n".join([_HEAD, *_blocks(), _facts()])


def _blocks() -> Iterator[str]:
    for block in SCHEMA.strip().split("\n\n"):
        comment = " ".join(line[3:] for line in block.splitlines() if line.startswith("-- "))
        statement = "\n".join(line for line in block.splitlines() if not line.startswith("--"))
        table = _TABLE.match(statement)
        if table:
            yield f"## {table[1]}\n\n{comment}\n\n{_columns(table[2])}"
        elif virtual := re.match(r"CREATE VIRTUAL TABLE (\w+)", statement):
            yield f"## {virtual[1]}\n\n{comment}\n\n```sql\n{statement}\n```\n"
        else:
            yield (f"{comment}\n\n" if comment else "") + f"```sql\n{statement}\n```\n"


def _columns(body: str) -> str:
    rows = ["| column | type | |", "|---|---|---|"]
    rest: list[str] = []
    for line in body.splitlines():
        column = _COLUMN.match(line)
        if column is None:
            rest.append(line.strip())
            continue
        name, kind, refers, meaning = column.groups()
        said = "; ".join(filter(None, [f"of a row of `{refers}`, and deleted with it" if refers else "", meaning]))
        rows.append(f"| `{name}` | {kind} | {said} |")
    unique = [f"`{line}`" for line in rest]
    return "\n".join(rows) + "\n" + (f"\n{', '.join(unique)}\n" if unique else "")


def _facts() -> str:
    rows = [f"| `{key}` | {meaning} |" for key, meaning in sorted(FACTS.items())]
    return "\n".join(["| key | value |", "|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")

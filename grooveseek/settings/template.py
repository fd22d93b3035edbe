"""groove.toml written out: the commented template, and the reference table in docs/configuration.md.

``python -m grooveseek.settings.template`` prints the table.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from grooveseek.settings.keys import Key, keys
from grooveseek.settings.values import number_text, size_text

_INTRODUCTION = """\
# The settings of groove. Every value below is the default, so this file changes nothing as it is.
# A key behind # and no space has no default: take the # away and give it a value.
# Relative paths start from the folder this file is in. `groove config show` tells what is in force, and why.
"""
_ONLY_TRUSTED = "only in a file named by --config"
_WIDTH = 110


def render_template(values: Mapping[str, Any] | None = None) -> str:
    """A groove.toml with every key, its meaning and its range; every active value is the default.

    ``values`` (dotted key -> value as :class:`Settings` keeps it) are written in place of their defaults. Raises
    ValueError for lone surrogates, which a path may hold but TOML cannot.
    """
    given = values or {}
    blocks = [_INTRODUCTION]
    for table, members in groupby(keys().values(), key=lambda key: key.table):
        header = f"[{table}]\n" if table else ""
        blocks.append(header + "\n".join(_entry(key, given) for key in members))
    text = "\n".join(blocks)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[error.start]!r} is no character that TOML can hold") from error
    return text


def render_reference() -> str:
    """The Markdown reference: a heading for each table, and a table row for each key."""
    blocks = []
    for table, members in groupby(keys().values(), key=lambda key: key.table):
        heading = f"### [{table}]" if table else "### Top level"
        rows = [f"| `{key.leaf}` | {_type_text(key)} | {_default_text(key)} | {_meaning(key)} |" for key in members]
        blocks.append("\n".join([heading, "", "| key | type | default | meaning |", "|---|---|---|---|", *rows]))
    return "\n\n".join(blocks) + "\n"


def toml_value(value: object) -> str:
    """A value of :class:`Settings` in TOML. Lone surrogates are left as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml_value(element) for element in value)}]"
    return json.dumps(str(value), ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )  # TOML wants DEL escaped, JSON does not


def shown_value(key: Key, value: object) -> str | None:
    """A key's value as groove.toml would hold it, or ``None`` for a key that is not set."""
    if key.size:
        return toml_value(size_text(value if isinstance(value, int) else None))
    return None if value is None else toml_value(value)


def _entry(key: Key, given: Mapping[str, Any]) -> str:
    comment = textwrap.wrap(_meaning(key), _WIDTH, initial_indent="# ", subsequent_indent="# ")
    shown = shown_value(key, given.get(key.name, key.default))
    line = f"{key.leaf} = {shown}" if shown is not None else f"#{key.leaf} = {toml_value(key.example)}"
    return "\n".join([*comment, line, ""])


def _meaning(key: Key) -> str:
    sentences = [key.help, *_limits(key)]
    if key.trusted:
        sentences.append(_ONLY_TRUSTED)
    elif key.size:
        sentences.append(f'"unlimited": {_ONLY_TRUSTED}')
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)


def _limits(key: Key) -> list[str]:
    if key.choices:
        return ["one of " + ", ".join(f'"{choice}"' for choice in key.choices)]
    if key.size or key.minimum is None:
        return []
    if key.maximum is None:
        return [f"at least {number_text(key.minimum)}"]
    return [f"between {number_text(key.minimum)} and {number_text(key.maximum)}"]


def _type_text(key: Key) -> str:
    if key.size:
        return "size"
    return {"address": "`HOST:PORT`", "name-or-directory": "name or directory"}.get(key.form or "", key.kind.value)


def _default_text(key: Key) -> str:
    shown = shown_value(key, key.default)
    return "not set" if shown is None else f"`{shown}`"


if __name__ == "__main__":
    sys.stdout.write(render_reference())

"""Tool schemas in the plain dialect that every client takes, and refusals a model can act on.

What strict tool-calling runtimes refuse is left out: unions with null, ``$ref``, ``format``. A parameter that may be
left out is not required, and never null.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Schema = dict[str, Any]

_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_SHOWN_CHARS = 80


def record(properties: Mapping[str, Schema], *, required: Sequence[str] | None = None, description: str = "") -> Schema:
    """An object with these properties and no others; all are required unless ``required`` says which."""
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }
    return {**schema, "description": description} if description else schema


def text(description: str, **more: Any) -> Schema:
    """A string."""
    return {"type": "string", "description": description, **more}


def integer(description: str, lowest: int | None = None, highest: int | None = None, **more: Any) -> Schema:
    """A whole number, with its range when it has one."""
    return {"type": "integer", "description": description, **_range(lowest, highest), **more}


def number(description: str, lowest: float | None = None, highest: float | None = None, **more: Any) -> Schema:
    """A number, with its range when it has one."""
    return {"type": "number", "description": description, **_range(lowest, highest), **more}


def boolean(description: str, **more: Any) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": description, **more}


def array(description: str, items: Schema, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "description": description, "items": items, **more}


def _range(lowest: float | None, highest: float | None) -> Schema:
    bounds = {"minimum": lowest, "maximum": highest}
    return {name: bound for name, bound in bounds.items() if bound is not None}


class Arguments:
    """Checks a tool's arguments against its schema."""

    def __init__(self, schema: Schema) -> None:
        from jsonschema import Draft202012Validator

        self._schema = schema
        self._validator = Draft202012Validator(schema)

    def refusal(self, arguments: Mapping[str, Any]) -> str | None:
        """Why these arguments cannot be used, naming the parameter, its value and its range; ``None`` if they can."""
        from jsonschema.exceptions import best_match

        error = best_match(self._validator.iter_errors(dict(arguments)))
        return None if error is None else self._in_words(error)

    def _in_words(self, error: ValidationError) -> str:
        name = _name_of(error)
        schema, given = cast("Schema", error.schema), cast("Any", error.instance)
        match error.validator:
            case "required":
                missing = next(each for each in schema["required"] if each not in given)
                return f"{missing} is missing, and it is required"
            case "additionalProperties":
                return self._unknown(next(each for each in given if each not in self._schema["properties"]))
            case "type":
                return f"{name} is {_shown(given)}; it must be {_allowed(schema)}"
            case "minimum" | "maximum" | "enum":
                return f"{name} is {_shown(given)}; allowed is {_allowed(schema)}"
            case "maxItems":
                return f"{name} has {len(given)} items; at most {schema['maxItems']} are allowed"
            case "minItems":
                return f"{name} is an empty list. Leave it out, or put something in"
            case "minLength":
                return f"{name} is empty"
            case _:
                return f"{name}: {error.message[:300]}"

    def _unknown(self, name: str) -> str:
        known = list(self._schema["properties"])
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}" if known else "there are none"
        return f"there is no parameter {_shown(name)}; {hint}"


def _name_of(error: ValidationError) -> str:
    parts = list(error.absolute_path)
    if not parts:
        return "the arguments"
    return str(parts[0]) + "".join(f"[{part}]" for part in parts[1:])


def _allowed(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(_shown, schema["enum"]))
    what = _TYPES.get(str(schema.get("type")), "something else")
    lowest, highest = schema.get("minimum"), schema.get("maximum")
    if lowest is not None and highest is not None:
        return f"{what} from {lowest:g} to {highest:g}"
    return f"{what} of at least {lowest:g}" if lowest is not None else what


def _shown(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=True)
    return shown if len(shown) <= _SHOWN_CHARS else shown[: _SHOWN_CHARS - 3] + "..."

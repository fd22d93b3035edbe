"""Reading a golden file's YAML as nodes that know their line, with errors that name file, line and key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from grooveseek.errors import GoldenError

if TYPE_CHECKING:
    import yaml

_NULL = "tag:yaml.org,2002:null"
_TYPES = {"tag:yaml.org,2002:bool": "a boolean", "tag:yaml.org,2002:int": "a number", _NULL: "nothing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One YAML value: where it stands and which key it belongs to (``queries[2].expected[0].path``)."""

    file: str
    key: str
    raw: yaml.Node

    @property
    def line(self) -> int:
        """1-based line of the value in the file."""
        return int(self.raw.start_mark.line) + 1

    def fail(self, message: str) -> NoReturn:
        """Raise GoldenError: file, line, key, what is wrong."""
        raise GoldenError(f"{self.file}:{self.line}: {self.key or 'top level'}: {message}")

    def items(self, allowed: Iterable[str]) -> dict[str, Node]:
        """The entries of a mapping, each key known and given once."""
        from yaml import MappingNode, ScalarNode

        if not isinstance(self.raw, MappingNode):
            self.fail(f"expected a mapping with the keys {', '.join(allowed)}, found {self.kind()}.")
        found: dict[str, Node] = {}
        for key_node, value in self.raw.value:
            name = key_node.value if isinstance(key_node, ScalarNode) else "(a key that is not text)"
            child = Node(file=self.file, key=f"{self.key}.{name}".removeprefix("."), raw=key_node)
            if name not in allowed:
                child.fail(f"unknown key. Allowed here: {', '.join(allowed)}.")
            if name in found:
                child.fail("this key is given twice. Keep one.")
            found[name] = Node(file=self.file, key=child.key, raw=value)
        return found

    def sequence(self) -> Iterator[Node]:
        """The elements of a list."""
        from yaml import SequenceNode

        if not isinstance(self.raw, SequenceNode):
            self.fail(f"expected a list, found {self.kind()}.")
        for index, value in enumerate(self.raw.value):
            yield Node(file=self.file, key=f"{self.key}[{index}]", raw=value)

    def text(self) -> str:
        """A scalar as it was written: ``id: 007`` is the text 007. Not blank, not null."""
        from yaml import ScalarNode

        if not isinstance(self.raw, ScalarNode) or self.raw.tag == _NULL or not str(self.raw.value).strip():
            self.fail(f"expected text, found {self.kind()}.")
        return self._encodable(str(self.raw.value))

    def _encodable(self, text: str) -> str:
        if any("\ud800" <= character <= "\udfff" for character in text):
            self.fail("half of a surrogate pair. Write the character itself instead of a \\u escape.")
        return text

    def integer(self, low: int, high: int) -> int:
        """A whole number within bounds, inclusive."""
        allowed = f"expected a whole number from {low} to {high}"
        if self.raw.tag != "tag:yaml.org,2002:int":
            self.fail(f"{allowed}, found {self.kind()}.")
        try:
            number = int(self.raw.value)
        except ValueError:
            self.fail(f'{allowed} in plain digits, found "{self.raw.value}".')
        if not low <= number <= high:
            self.fail(f"{allowed}, found {number}.")
        return number

    def boolean(self) -> bool:
        """A YAML boolean."""
        if self.raw.tag != "tag:yaml.org,2002:bool":
            self.fail(f"expected true or false, found {self.kind()}.")
        return str(self.raw.value).lower() in ("true", "yes", "on")

    def kind(self) -> str:
        """What the value is, for a message."""
        from yaml import MappingNode, ScalarNode

        if isinstance(self.raw, ScalarNode):
            blank = "blank text" if not str(self.raw.value).strip() else f'the text "{str(self.raw.value)[:40]}"'
            return _TYPES.get(self.raw.tag, blank)
        return "a mapping" if isinstance(self.raw, MappingNode) else "a list"


def read_root(data: bytes, file: str) -> Node:
    """Compose the one YAML document of a file. Raises GoldenError for bytes that are not UTF-8 or not YAML."""
    import yaml

    text = _decode(data, file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is optional and five times as fast
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        raise GoldenError(_syntax_message(error, file)) from error
    except yaml.YAMLError as error:
        raise GoldenError(f"{file}: not readable as YAML: {' '.join(str(error).split())}.") from error
    except RecursionError:
        raise GoldenError(f"{file}: nested too deeply to be a golden file.") from None
    if root is None:
        raise GoldenError(f"{file}:1: queries: the file is empty. It needs a list of queries.")
    return Node(file=file, key="", raw=root)


def _decode(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GoldenError(f"{file}:{line}: not UTF-8 (byte {error.start}). Save the file as UTF-8.") from error


def _syntax_message(error: yaml.MarkedYAMLError, file: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = error.problem or error.context or "unreadable"
    return f"{file}:{line}: not valid YAML: {problem}. Check the indentation and quotes near this line."

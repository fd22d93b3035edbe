"""Building HTML and SVG so that nothing can be forgotten to be escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from grooveseek.evaluation.report.plain import printable


class Markup(str):
    """Text that is markup already. Only this module's functions make it from anything else."""

    __slots__ = ()


Child = str | int | Markup | None

_VOID = frozenset({"br", "meta", "circle", "line", "rect", "path", "polyline"})


def element(name: str, /, *children: Child | Iterable[Child], **attributes: str | int | float | None) -> Markup:
    """An element. Children and attribute values are escaped, :class:`Markup` children are not.

    An attribute that is None is left out; ``_`` in its name becomes ``-``, one at the end is dropped (``class_``).
    """
    opened = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = join(*children)
    if name in _VOID and not content:
        return Markup(f"<{opened}/>")
    return Markup(f"<{opened}>{content}</{name}>")


def join(*children: Child | Iterable[Child]) -> Markup:
    """Children one after another, as markup."""
    return Markup("".join(_text(part) for child in children for part in _flat(child)))


def _flat(child: Child | Iterable[Child]) -> Iterable[Child]:
    return (child,) if child is None or isinstance(child, str | int) else child


def _text(child: Child) -> str:
    if child is None:
        return ""
    return child if isinstance(child, Markup) else escape(_clean(str(child)))


def _attribute(value: str | float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else escape(_clean(str(value)))


def _clean(text: str) -> str:
    edges = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{' ' if edges[0] else ''}{printable(text)}{' ' if edges[1] and text.strip() else ''}"

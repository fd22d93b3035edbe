"""Grammars that other distributions bring: found by entry point, checked, and refused by name where they do not fit."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from grooveseek.errors import ConfigError
from grooveseek.parsing.code.grammar import Grammar, GrammarDescriptor, load_grammar

GROUP = "grooveseek.grammars"
"""The entry point's name is the id for ``[parsers].enabled``; its object a GrammarDescriptor, or makes one."""


def offered_ids() -> tuple[str, ...]:
    """The ids that installed grammars go by, in alphabetical order. Imports none of them."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@cache
def load_plugin(parser_id: str) -> Grammar:
    """The grammar an installed distribution offers under an id.

    Raises ConfigError, naming the distribution and the reason, for one that is refused; and for an id that no or more
    than one distribution offers.
    """
    points = sorted(entry_points(group=GROUP, name=parser_id), key=_distribution)
    makers = " and ".join(dict.fromkeys(map(_distribution, points)))
    try:
        if len(points) != 1:
            raise ConfigError("more than one offers it" if points else "no installed distribution offers it")
        return load_grammar(_descriptor(points[0]))
    except ConfigError as error:
        offered_by = f" of {makers}" if makers else ""
        raise ConfigError(f'The grammar "{parser_id}"{offered_by} is not used: {error}.') from error


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def _descriptor(point: EntryPoint) -> GrammarDescriptor:
    try:
        offered = point.load()
        descriptor = offered() if callable(offered) else offered
    except Exception as error:  # another's code runs here, and may raise anything
        raise ConfigError(f"loading it failed ({type(error).__name__}: {error})") from error
    if not isinstance(descriptor, GrammarDescriptor):
        raise ConfigError(f"{point.value} gives a {type(descriptor).__name__} and not a GrammarDescriptor")
    return descriptor

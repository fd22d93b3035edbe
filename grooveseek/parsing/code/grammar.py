"""What a grammar contributes, which is data and no code, and the checks it passes before groove uses it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grooveseek.errors import ConfigError
from grooveseek.parsing.code.tags import is_above_kind, keep_definitions

if TYPE_CHECKING:
    from tree_sitter import Language, Query

ABI_VERSION = 1
"""The version of :class:`GrammarDescriptor`; a grammar says which one it was written for."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_+#.-]{0,31}")
_EXTENSION = re.compile(r"[a-z0-9][a-z0-9_+-]{0,15}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarDescriptor:
    """A language as a grammar describes it.

    ``name`` is what chunks carry as their language. ``extensions`` are lower case, without the dot. ``language`` is
    what a grammar wheel's ``language()`` returns. ``tags_query`` is a tree-sitter tags query: ``@definition.KIND``
    around each definition with ``@name`` inside it; captures of one name are one definition, as far as the outermost
    reaches. Five captures are groove's own. ``@scope``, with ``@name``, marks a node that lends its name to the
    definitions in it without being one (an impl block), ``@scope.file`` one that does so for all that follows it (a
    namespace statement), and ``@declares`` one whose name is that of the nameless definitions around it (a function's
    declarator). ``@receiver`` is a name beside the definition's own that belongs in front of it, and ``@below`` a
    string that documents what stands on the line above. ``separator`` joins a scope and a name, ``module_separator``
    does so behind a module.
    """

    name: str
    extensions: tuple[str, ...]
    language: object
    tags_query: str
    abi_version: int
    separator: str = "."
    module_separator: str | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """A descriptor that passed every check, ready to use; safe to share between threads."""

    name: str
    extensions: tuple[str, ...]
    language: Language
    query: Query
    """Definitions and scopes; and, as ``@above``, all that may stand above a definition and belong to it."""
    separator: str
    module_separator: str


def load_grammar(descriptor: GrammarDescriptor, *, check_references: bool = True) -> Grammar:
    """Check a descriptor and compile its query. Raises ConfigError with the reason it is refused.

    Only a query's definitions are used; ``check_references`` is whether the rest of it must compile too.
    """
    if descriptor.abi_version != ABI_VERSION:
        raise ConfigError(
            f"it was written for grammar contract {descriptor.abi_version}, and this groove has {ABI_VERSION}"
        )
    if not _NAME.fullmatch(descriptor.name):
        raise ConfigError(f'its language name "{descriptor.name}" is not a lower-case word')
    _check_extensions(descriptor.extensions)
    language = _language(descriptor.language)
    module_separator = descriptor.module_separator
    return Grammar(
        descriptor.name,
        tuple(descriptor.extensions),
        language,
        _query(language, descriptor.tags_query, check_references),
        descriptor.separator,
        descriptor.separator if module_separator is None else module_separator,
    )


def _check_extensions(extensions: object) -> None:
    if not isinstance(extensions, (tuple, list)) or not extensions:
        raise ConfigError("it names no file extension")
    for extension in extensions:
        if not (isinstance(extension, str) and _EXTENSION.fullmatch(extension)):
            raise ConfigError(f'its extension "{extension}" is not lower-case letters and digits without a dot')


def _language(language: object) -> Language:
    import tree_sitter

    if isinstance(language, int):  # an address: nothing could be checked before it is followed
        raise ConfigError("its language is a number and not a tree-sitter language")
    try:
        loaded = language if isinstance(language, tree_sitter.Language) else tree_sitter.Language(language)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"its language could not be loaded: {error}") from error
    oldest, newest = tree_sitter.MIN_COMPATIBLE_LANGUAGE_VERSION, tree_sitter.LANGUAGE_VERSION
    if not oldest <= loaded.abi_version <= newest:
        raise ConfigError(
            f"it was generated for tree-sitter ABI {loaded.abi_version}, and the installed tree-sitter reads "
            f"{oldest} to {newest}"
        )
    return loaded


def _query(language: Language, tags_query: str, check_references: bool) -> Query:
    from tree_sitter import Query, QueryError

    try:
        if check_references:
            Query(language, tags_query)
        definitions = keep_definitions(tags_query)
        if "@definition." not in definitions:
            raise ConfigError("its tags query captures no definition")
        return Query(language, f"{definitions}\n{_above_pattern(language)}")
    except (QueryError, ValueError) as error:
        raise ConfigError(f"its tags query does not compile: {error}") from error


def _above_pattern(language: Language) -> str:
    numbers = range(language.node_kind_count)
    visible = (n for n in numbers if language.node_kind_is_named(n) and language.node_kind_is_visible(n))
    kinds = sorted({kind for n in visible if (kind := language.node_kind_for_id(n)) and is_above_kind(kind)})
    return f"[{' '.join(f'({kind})' for kind in kinds)}] @above" if kinds else ""

"""The languages groove knows by itself: which wheel has the grammar, and which queries go with it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from grooveseek.errors import ConfigError, MissingExtra
from grooveseek.parsing.code.grammar import ABI_VERSION, Grammar, GrammarDescriptor, load_grammar


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinGrammar:
    """A language before its wheel is imported.

    ``module`` is the wheel's module and ``function`` gives the language; ``tags`` are the modules whose own tags query
    is used, ``queries`` our files that are added to it. ``extra`` is the part of groove the wheel comes with, ``None``
    for one that is always there.
    """

    name: str
    extensions: tuple[str, ...]
    module: str
    function: str = "language"
    tags: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    separator: str = "."
    module_separator: str | None = None
    extra: str | None = "code"


_ECMASCRIPT = ("tree_sitter_javascript",)
_TYPESCRIPT = ("tree_sitter_typescript", "tree_sitter_javascript")

BUILTIN: Mapping[str, BuiltinGrammar] = {
    "rs": BuiltinGrammar(
        name="rust",
        extensions=("rs",),
        module="tree_sitter_rust",
        tags=("tree_sitter_rust",),
        queries=("rust",),
        separator="::",
        extra=None,
    ),
    "py": BuiltinGrammar(
        name="python",
        extensions=("py", "pyi", "pyw"),
        module="tree_sitter_python",
        tags=("tree_sitter_python",),
        queries=("python",),
    ),
    "php": BuiltinGrammar(
        name="php",
        extensions=("php",),
        module="tree_sitter_php",
        function="language_php",
        tags=("tree_sitter_php",),
        queries=("php",),
        separator="::",
        module_separator="\\",
    ),
    "js": BuiltinGrammar(
        name="javascript",
        extensions=("js", "jsx", "mjs", "cjs"),
        module="tree_sitter_javascript",
        tags=_ECMASCRIPT,
        queries=("ecmascript", "javascript"),
    ),
    "ts": BuiltinGrammar(
        name="typescript",
        extensions=("ts", "mts", "cts"),
        module="tree_sitter_typescript",
        function="language_typescript",
        tags=_TYPESCRIPT,
        queries=("ecmascript", "typescript"),
    ),
    "tsx": BuiltinGrammar(
        name="tsx",
        extensions=("tsx",),
        module="tree_sitter_typescript",
        function="language_tsx",
        tags=_TYPESCRIPT,
        queries=("ecmascript", "typescript"),
    ),
    "go": BuiltinGrammar(
        name="go", extensions=("go",), module="tree_sitter_go", tags=("tree_sitter_go",), queries=("go",)
    ),
    "java": BuiltinGrammar(
        name="java", extensions=("java",), module="tree_sitter_java", tags=("tree_sitter_java",), queries=("java",)
    ),
    "c": BuiltinGrammar(name="c", extensions=("c", "h"), module="tree_sitter_c", queries=("c",), separator="::"),
    "cpp": BuiltinGrammar(
        name="cpp",
        extensions=("cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "h"),
        module="tree_sitter_cpp",
        queries=("cpp", "c"),
        separator="::",
    ),
    "cs": BuiltinGrammar(name="csharp", extensions=("cs",), module="tree_sitter_c_sharp", queries=("csharp",)),
    "rb": BuiltinGrammar(
        name="ruby",
        extensions=("rb", "rake", "gemspec"),
        module="tree_sitter_ruby",
        tags=("tree_sitter_ruby",),
        queries=("ruby",),
        separator="::",
    ),
}
"""By the id that ``[parsers].enabled`` uses."""


def require(parser_id: str) -> None:
    """Raise MissingExtra when a built-in language's wheel, or another whose query it uses, is not installed."""
    builtin = BUILTIN[parser_id]
    if builtin.extra and any(find_spec(module) is None for module in (builtin.module, *builtin.tags)):
        raise MissingExtra(f'The parser "{parser_id}"', builtin.extra)


def load_builtin(parser_id: str) -> Grammar:
    """Import a built-in language's wheel and compile its query.

    Raises MissingExtra as :func:`require` does, ConfigError when the wheel that is installed does not fit this groove.
    """
    require(parser_id)
    builtin = BUILTIN[parser_id]
    descriptor = GrammarDescriptor(
        name=builtin.name,
        extensions=builtin.extensions,
        language=getattr(importlib.import_module(builtin.module), builtin.function)(),
        tags_query=_tags_query(builtin),
        abi_version=ABI_VERSION,
        separator=builtin.separator,
        module_separator=builtin.module_separator,
    )
    try:
        return load_grammar(descriptor, check_references=False)
    except ConfigError as error:
        distribution = builtin.module.replace("_", "-")
        raise ConfigError(
            f'The installed {distribution} cannot be used for the parser "{parser_id}": {error}. '
            f"Install the version that this groove was made for: pip install --upgrade grooveseek {distribution}"
        ) from error


def _tags_query(builtin: BuiltinGrammar) -> str:
    from importlib.resources import files

    theirs = [str(importlib.import_module(module).TAGS_QUERY) for module in builtin.tags]
    folder = files(__package__) / "queries"
    ours = [(folder / f"{name}.scm").read_text(encoding="utf-8") for name in builtin.queries]
    return "\n".join(theirs + ours)

"""Which parser reads which file: the parsers named in ``[parsers].enabled``, found by a file's extension."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Protocol, cast

from grooveseek.errors import ConfigError, MissingExtra
from grooveseek.parsing.code.builtin import BUILTIN
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.settings.sections import MIB, Settings

CODE_FILE_BYTES = MIB
"""Most bytes of a source file that is read; a file of exactly this size passes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A parser before it is loaded.

    ``module`` has ``build(parser_id, settings) -> Parser``. ``extra`` is the optional part of groove it belongs to, and
    ``needs`` the modules that part installs.
    """

    module: str
    extra: str | None = None
    needs: tuple[str, ...] = ()


_CODE = "grooveseek.parsing.code.build"

PARSERS: Mapping[str, Entry] = {
    "md": Entry("grooveseek.parsing.markdown"),
    "txt": Entry("grooveseek.parsing.text"),
    "pdf": Entry("grooveseek.parsing.binary", extra="pdf", needs=("pypdfium2",)),
    "docx": Entry("grooveseek.parsing.binary", extra="office", needs=("lxml",)),
    "pptx": Entry("grooveseek.parsing.binary", extra="office", needs=("lxml",)),
    "xlsx": Entry("grooveseek.parsing.binary", extra="office", needs=("lxml",)),
    **{
        parser_id: Entry(_CODE, extra=language.extra, needs=(language.module, *language.tags))
        for parser_id, language in BUILTIN.items()
    },
}
"""Every parser by its id. One line adds one. Installed grammars of other distributions come on top of them."""

_REFUSED: Mapping[str, str] = {
    "xls": "the old Excel format is not read, because one small file of it can ask for any amount of memory; "
    "convert the files to .xlsx and enable xlsx",
}
_OTHER_NAMES: Mapping[str, str] = {
    "markdown": "md",
    "text": "txt",
    "plain": "txt",
    "doc": "docx",
    "ppt": "pptx",
    "golang": "go",
    "c++": "cpp",
    **{language.name: parser_id for parser_id, language in BUILTIN.items()},
}


class _Module(Protocol):
    def build(self, parser_id: str, settings: Settings) -> Parser: ...


class Registry:
    """The enabled parsers. Of two that claim an extension, the one enabled first has it."""

    def __init__(
        self,
        parsers: Iterable[Parser],
        *,
        text_cap: int | None,
        binary_cap: int | None,
        refused: tuple[str, ...] = (),
    ) -> None:
        """``text_cap`` and ``binary_cap``: most bytes of a file that is read; ``None`` for any size.

        ``refused``: for each grammar that was enabled and is not used, a sentence that names it and the reason.
        """
        self.refused = refused
        self._by_id = {parser.id: parser for parser in parsers}
        self._caps = {FileKind.TEXT: text_cap, FileKind.BINARY: binary_cap, FileKind.CODE: CODE_FILE_BYTES}
        self._by_extension: dict[str, Parser] = {}
        for parser in self._by_id.values():
            for extension in parser.extensions:
                self._by_extension.setdefault(extension, parser)

    @classmethod
    def from_settings(cls, settings: Settings) -> Registry:
        """Build the parsers that the settings enable.

        A grammar of another distribution that does not fit is left out and told of in ``refused``. Raises ConfigError
        for an empty list, an id that is no parser, or where none is left; MissingExtra where a parser's optional part
        is not installed.
        """
        ids = tuple(dict.fromkeys(settings.parsers.enabled))
        if not ids:
            raise ConfigError('[parsers].enabled is empty, so nothing could be indexed; name a parser, such as "md".')
        parsers = {parser_id: _build(parser_id, settings) for parser_id in ids if parser_id not in _offered(ids)}
        refused = []
        for parser_id in _offered(ids):
            try:
                parsers[parser_id] = _build_offered(parser_id, settings, parsers.values())
            except ConfigError as error:
                refused.append(str(error))
        if not parsers:
            raise ConfigError(f"[parsers].enabled names no parser that can be used. {' '.join(refused)}")
        return cls(
            [parsers[parser_id] for parser_id in ids if parser_id in parsers],
            text_cap=settings.index.max_raw_text_size,
            binary_cap=settings.index.max_raw_binary_size,
            refused=tuple(refused),
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """The enabled parsers' ids, in the order of the settings."""
        return tuple(self._by_id)

    @property
    def extensions(self) -> frozenset[str]:
        """Lower case, without the dot."""
        return frozenset(self._by_extension)

    def parser_for(self, path: str) -> Parser | None:
        """The parser of a file by its extension, in upper or lower case; ``None`` where no enabled parser reads it."""
        return self._by_extension.get(PurePosixPath(path).suffix.lower().removeprefix("."))

    def cap_for(self, parser: Parser) -> int | None:
        """Most bytes of this parser's files that are read; ``None`` for any size."""
        return self._caps[parser.kind]


def _build(parser_id: str, settings: Settings) -> Parser:
    entry = PARSERS.get(parser_id)
    if entry is None:
        raise ConfigError(_no_such_parser(parser_id))
    if entry.extra is not None and any(find_spec(module) is None for module in entry.needs):
        raise MissingExtra(f'The parser "{parser_id}"', entry.extra)
    return cast(_Module, importlib.import_module(entry.module)).build(parser_id, settings)


def _offered(ids: Iterable[str]) -> tuple[str, ...]:
    """Those of the ids that are no parser of groove's own but an installed grammar."""
    others = [parser_id for parser_id in ids if parser_id not in PARSERS and parser_id not in _REFUSED]
    if not others:
        return ()
    from grooveseek.parsing.code.plugins import offered_ids

    offered = offered_ids()
    return tuple(parser_id for parser_id in others if parser_id in offered)


def _build_offered(parser_id: str, settings: Settings, others: Iterable[Parser]) -> Parser:
    parser = cast(_Module, importlib.import_module(_CODE)).build(parser_id, settings)
    for other in others:
        for extension in other.extensions:
            if extension in parser.extensions:
                raise ConfigError(
                    f'The grammar "{parser_id}" is not used: the parser "{other.id}" reads .{extension} files already.'
                )
    return parser


def _no_such_parser(parser_id: str) -> str:
    if parser_id in _REFUSED:
        return f'[parsers].enabled names "{parser_id}": {_REFUSED[parser_id]}.'
    nearest = _OTHER_NAMES.get(parser_id.lower())
    if nearest not in PARSERS:
        nearest = max(PARSERS, key=lambda known: difflib.SequenceMatcher(None, parser_id.lower(), known).ratio())
    return (
        f'[parsers].enabled names "{parser_id}", which is no parser; the nearest is "{nearest}". '
        f"There are: {' '.join(PARSERS)}."
    )

"""The parsers for source code: made directly inside a worker process, and as stand-ins for it everywhere else.

Grammars are native code, and a small file can make one ask for any amount of memory ("a=>" repeated to 8 kB as Java
takes 2.5 GB, growing with the square) or crash. The process that parses is therefore another one; a file that it does
not survive is cut by lines, so that it can still be found.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from grooveseek.errors import ConfigError, Unparsable
from grooveseek.model.document import ParsedDocument, QualityProfile
from grooveseek.parsing.code.builtin import BUILTIN, load_builtin
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.parser import CodeParser, decoded, document_by_lines, profile_of
from grooveseek.parsing.code.plugins import load_plugin
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.settings.sections import Settings

_GIVEN_UP = {"c": ("cpp", ("h",))}
"""Extensions a language leaves to another where both are enabled: C++ reads C's headers, C not C++'s."""

_NOT_THE_FILES_FAULT = "could not be read"  # how the runner words that there is no worker or no grammar to ask


def build(parser_id: str, settings: Settings) -> Parser:
    """The parser of a language as the rest of groove uses it; all of a process share one worker.

    A built-in grammar is loaded when the first file comes; one of another distribution at once, and ConfigError is
    raised when it is refused.
    """
    if parser_id in BUILTIN:
        extensions = _builtin_extensions(parser_id, settings.parsers.enabled)
    else:
        extensions = load_plugin(parser_id).extensions
    return IsolatedCodeParser(parser_id, extensions, settings.parsers.code.max_chunk_chars, _shared_runner())


def direct_parser(parser_id: str, options: Mapping[str, Any]) -> CodeParser:
    """The parser itself, to run in this process. ``options``: max_chunk_chars.

    Raises Unparsable for a grammar of another distribution that is refused; a built-in grammar that cannot be loaded
    makes ``parse`` raise it.
    """
    extensions = BUILTIN[parser_id].extensions if parser_id in BUILTIN else _grammar(parser_id).extensions
    return CodeParser(parser_id, extensions, options["max_chunk_chars"], partial(_grammar, parser_id))


def main() -> None:
    """Entry point of the worker process: ``MEMORY_BYTES SECONDS``."""
    from grooveseek.parsing.worker import serve

    serve(direct_parser, int(sys.argv[-2]), float(sys.argv[-1]))


class IsolatedCodeParser:
    """Stands in for a :class:`CodeParser`: the same bytes in, the same document out, but the work is done elsewhere."""

    kind = FileKind.CODE
    isolated = True

    def __init__(
        self, parser_id: str, extensions: tuple[str, ...], max_chunk_chars: int, runner: IsolatedRunner
    ) -> None:
        self._id = parser_id
        self._extensions = extensions
        self._max_chunk_chars = max_chunk_chars
        self._runner = runner

    @property
    def id(self) -> str:
        """The name ``[parsers].enabled`` uses."""
        return self._id

    @property
    def extensions(self) -> tuple[str, ...]:
        """Lower-case, without the dot."""
        return self._extensions

    def profile(self, *, is_definition: bool) -> QualityProfile:
        """See :func:`grooveseek.parsing.code.parser.profile_of`."""
        return profile_of(is_definition)

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """Read one file; cut it by lines where the grammar fails on it.

        Raises Unparsable for what is not UTF-8, and when no file could be read because the worker or the grammar is
        not to be had.
        """
        source = decoded(data)
        try:
            return self._runner.parse(self._id, {"max_chunk_chars": self._max_chunk_chars}, data, path)
        except Unparsable as error:
            if str(error).startswith(_NOT_THE_FILES_FAULT):
                raise Unparsable(f"{self._id} parser: the file {error}") from error
            return document_by_lines(source, path, self._language, self._max_chunk_chars, f"the file {error}")

    @property
    def _language(self) -> str:
        return BUILTIN[self._id].name if self._id in BUILTIN else load_plugin(self._id).name


@cache
def _grammar(parser_id: str) -> Grammar:
    try:
        return load_builtin(parser_id) if parser_id in BUILTIN else load_plugin(parser_id)
    except ConfigError as error:
        raise Unparsable(f"{_NOT_THE_FILES_FAULT}: {error}") from error


def _builtin_extensions(parser_id: str, enabled: tuple[str, ...]) -> tuple[str, ...]:
    other, given_up = _GIVEN_UP.get(parser_id, ("", ()))
    return tuple(each for each in BUILTIN[parser_id].extensions if other not in enabled or each not in given_up)


@lru_cache(maxsize=1)
def _shared_runner() -> IsolatedRunner:
    return IsolatedRunner(command=_worker_command())


def _worker_command() -> tuple[str, ...]:
    """Starts a worker for source code; ``-P`` bars imports from the current folder."""
    root = str(Path(__file__).resolve().parents[3])
    return (sys.executable, "-P", "-c", f"import sys; sys.path.append({root!r}); from {__name__} import main; main()")

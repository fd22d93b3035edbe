"""The parsers for source code: made directly inside a worker process, and as stand-ins for it everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from grooveseek.errors import Unparsable
from grooveseek.model.document import ParsedDocument, QualityProfile
from grooveseek.parsing.code.builtin import BUILTIN, load_builtin
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.parser import CodeParser
from grooveseek.parsing.code.plugins import load_plugin
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.settings.sections import Settings

_GIVEN_UP = {"c": ("cpp", ("h",))}
"""Extensions a language leaves to another where both are enabled: C++ reads C's headers, C not C++'s."""


def build(parser_id: str, settings: Settings) -> Parser:
    """The parser of a language as the rest of groove uses it; all of a process share one worker.

    A built-in grammar is loaded when the first file comes; one of another distribution at once, and ConfigError is
    raised when it is refused.
    """
    options = {"max_chunk_chars": settings.parsers.code.max_chunk_chars}
    extensions = _extensions(parser_id, settings.parsers.enabled)
    return IsolatedCodeParser(parser_id, extensions, options, _shared_runner())


def direct_parser(parser_id: str, options: Mapping[str, Any]) -> CodeParser:
    """The parser itself, to run in this process. ``options``: max_chunk_chars. Raises as :func:`build`."""
    load = partial(_grammar, parser_id)
    return CodeParser(parser_id, _extensions(parser_id, ()), options["max_chunk_chars"], load)


def main() -> None:
    """Entry point of the worker process: ``MEMORY_BYTES SECONDS``."""
    from grooveseek.parsing.worker import serve

    serve(direct_parser, int(sys.argv[-2]), float(sys.argv[-1]))


@cache
def _grammar(parser_id: str) -> Grammar:
    return load_builtin(parser_id) if parser_id in BUILTIN else load_plugin(parser_id)


def _extensions(parser_id: str, enabled: tuple[str, ...]) -> tuple[str, ...]:
    if parser_id not in BUILTIN:
        return load_plugin(parser_id).extensions
    other, given_up = _GIVEN_UP.get(parser_id, ("", ()))
    return tuple(each for each in BUILTIN[parser_id].extensions if other not in enabled or each not in given_up)


@lru_cache(maxsize=1)
def _shared_runner() -> IsolatedRunner:
    return IsolatedRunner(command=_worker_command())


def _worker_command() -> tuple[str, ...]:
    """Starts a worker for source code; ``-P`` bars imports from the current folder."""
    root = str(Path(__file__).resolve().parents[3])
    return (sys.executable, "-P", "-c", f"import sys; sys.path.append({root!r}); from {__name__} import main; main()")


class IsolatedCodeParser:
    """Stands in for a :class:`CodeParser`: the same bytes in, the same document out, but the work is done elsewhere."""

    kind = FileKind.CODE
    isolated = True

    def __init__(
        self, parser_id: str, extensions: tuple[str, ...], options: Mapping[str, Any], runner: IsolatedRunner
    ) -> None:
        self._id = parser_id
        self._extensions = extensions
        self._options = dict(options)
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
        """A short definition is no worse for it; what lies between definitions is judged as text."""
        return QualityProfile.DEFINITION if is_definition else QualityProfile.TEXT

    def parse(self, data: bytes, path: str) -> ParsedDocument:
        """See :meth:`grooveseek.parsing.protocol.Parser.parse`. The reason of an Unparsable names the parser."""
        try:
            return self._runner.parse(self._id, self._options, data, path)
        except Unparsable as error:
            raise Unparsable(f"{self._id} parser: the file {error}") from error

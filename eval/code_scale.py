"""Source code at scale: cut every file of given folders and account for every byte.

python -m eval.code_scale py=.venv/lib/python3.11/site-packages rs=~/sources/rust [--seconds 120]

Prints a Markdown table, one line a folder. "Lost" counts files whose chunks, white space aside, are not the file; it
must be 0. Speeds are megabytes a second of processor time on one core: of the grammar alone, and of everything.
"""

from __future__ import annotations

import argparse
import codecs
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grooveseek.errors import Unparsable
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.code.builtin import BUILTIN, load_builtin
from grooveseek.parsing.code.chunker import TOO_DEEP, TOO_MANY_CHUNKS, TOO_TANGLED
from grooveseek.parsing.code.grammar import Grammar
from grooveseek.parsing.code.lines import SourceText
from grooveseek.parsing.code.parser import CodeParser
from grooveseek.parsing.code.syntax import parse
from grooveseek.parsing.registry import CODE_FILE_BYTES
from grooveseek.settings.sections import CodeSettings

COLUMNS = (
    *("language", "files", "MB", "chunks", "of a definition", "most in a file"),
    *("too many", "too deep", "too tangled", "not UTF-8", "over 1 MiB", "lost", "grammar MB/s", "all MB/s"),
)


@dataclass(slots=True)
class Tally:
    """What came of one folder."""

    files: int = 0
    size: int = 0
    chunks: int = 0
    of_definitions: int = 0
    most: int = 0
    lost: list[Path] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    grammar_seconds: float = 0.0
    seconds: float = 0.0

    def row(self, language: str) -> tuple[str, ...]:
        """The cells of the table."""
        megabytes = self.size / 1e6
        numbers = (
            self.files,
            f"{megabytes:.1f}",
            self.chunks,
            f"{self.of_definitions / max(1, self.chunks):.0%}",
            self.most,
        )
        tags = [self.counts[each] for each in (TOO_MANY_CHUNKS, TOO_DEEP, TOO_TANGLED, "not UTF-8", "over")]
        speeds = [f"{megabytes / max(1e-9, each):.1f}" for each in (self.grammar_seconds, self.seconds)]
        return tuple(map(str, (language, *numbers, *tags, len(self.lost), *speeds)))


def main() -> None:
    """Read the arguments, print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", nargs="+", metavar="ID=FOLDER", help="a parser's id, and where its files are")
    options.add_argument("--seconds", type=float, default=float("inf"), help="most processor time a folder may take")
    arguments = options.parse_args()
    print(line(COLUMNS))
    print(line(["---"] * len(COLUMNS)))
    for each in arguments.folders:
        parser_id, _, folder = each.partition("=")
        tally = cut_all(parser_id, Path(folder).expanduser(), arguments.seconds)
        print(line(tally.row(BUILTIN[parser_id].name)), flush=True)
        for path in tally.lost:
            print(f"lost: {path}")


def line(cells: tuple[str, ...] | list[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def cut_all(parser_id: str, folder: Path, seconds: float) -> Tally:
    """Every file of a language below a folder, or as many as the time allows, in an order that is always the same."""
    grammar = load_builtin(parser_id)
    limit = CodeSettings().max_chunk_chars
    parser = CodeParser(parser_id, grammar.extensions, limit, lambda: grammar)
    tally = Tally()
    for path in shuffled(folder, grammar.extensions):
        if path.stat().st_size > CODE_FILE_BYTES:
            tally.counts["over"] += 1
            continue
        cut_one(parser, grammar, path, tally)
        if tally.seconds > seconds:
            break
    return tally


def shuffled(folder: Path, extensions: tuple[str, ...]) -> Iterator[Path]:
    """The files with one of the extensions."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix[1:].lower() in extensions and path.is_file())
    random.Random(0).shuffle(paths)
    return iter(paths)


def cut_one(parser: CodeParser, grammar: Grammar, path: Path, tally: Tally) -> None:
    """Cut a file and add it to the tally."""
    data = path.read_bytes()
    begun = time.process_time()
    try:
        document = parser.parse(data, path.name)
    except Unparsable:
        tally.counts["not UTF-8"] += 1
        return
    tally.seconds += time.process_time() - begun
    plain = SourceText.of(data).plain
    begun = time.process_time()
    parse(grammar, plain)
    tally.grammar_seconds += time.process_time() - begun
    tally.files += 1
    tally.size += len(data)
    tally.chunks += len(document.chunks)
    tally.of_definitions += sum(chunk.symbol_kind is not None for chunk in document.chunks)
    tally.most = max(tally.most, len(document.chunks))
    tally.counts.update(document.tags_added)
    if not is_whole(document, data):
        tally.lost.append(path)


def is_whole(document: ParsedDocument, data: bytes) -> bool:
    """Whether the chunks are the file, white space aside, each where it says it stands."""
    in_place = all(data[each.start_byte : each.end_byte].decode() == each.content for each in document.chunks)
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    return in_place and "".join("".join(each.content for each in document.chunks).split()) == "".join(text.split())


if __name__ == "__main__":
    main()

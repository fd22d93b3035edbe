"""Turn a TREC-style test collection into a Markdown knowledge base with queries and qrels that fit it.

    python golden/convert_collections.py cacm|cranfield SOURCE_DIR OUT_DIR

SOURCE_DIR holds ``docs.jsonl`` ({id, title, author, text, keywords?, venue?}), ``queries.jsonl`` ({id, text}) and
``qrels.txt`` (query 0 document grade). OUT_DIR receives one Markdown file a document; ``<name>-queries.tsv`` and
``<name>-qrels.txt`` are written beside OUT_DIR, so that they are not indexed with it. The same source gives the same
bytes. Standard library only. (Not called ``collections.py``: a script of that name hides the library module.)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER_SIZE = 200
"""Documents a folder: file managers and Git stay quick, and the folders tell nothing about the content."""

_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARKUP_AT_START = re.compile(r"^( {0,3})(#{1,6}(?=\s|$)|=+\s*$|-+\s*$|`{3,}|~{3,}|>|<)")


class CollectionError(Exception):
    """The source cannot be converted; the message names the file, the line and what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One document of a collection; fields it does not have are empty."""

    id: str
    title: str
    author: str
    venue: str
    keywords: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a conversion wrote."""

    documents: int
    empty: int
    queries: int
    judgements: int


def article_path(position: int, article_id: str) -> str:
    """Path of the document at this 0-based position of docs.jsonl, relative to OUT_DIR, with ``/``."""
    return f"part-{position // FOLDER_SIZE:02d}/{article_id}.md"


def render_article(article: Article, *, with_keywords: bool = False) -> str:
    """The Markdown file of one article.

    An article without a text gets its title as body too: a heading alone is no passage, and half of CACM has only
    titles. An article without title and text is left with its frontmatter, so that the numbers of documents agree.
    """
    frontmatter = ["---"]
    if article.title:
        frontmatter.append(f"title: {_scalar(article.title)}")
    if article.author:
        frontmatter.append(f"author: {_scalar(article.author)}")
    if article.venue:
        frontmatter.append(f"venue: {_scalar(article.venue)}")
    frontmatter += [f"source_id: {_scalar(article.id)}", "---"]
    blocks = ["\n".join(frontmatter)]
    if article.title:
        blocks.append(f"# {article.title}")
    body = article.text or article.title
    if body:
        blocks.append(_as_paragraphs(body))
    if with_keywords and article.keywords:
        blocks.append(f"Keywords: {article.keywords}")
    return "\n\n".join(blocks) + "\n"


def convert(name: str, source: Path, out: Path, *, with_keywords: bool = False) -> Converted:
    """Convert the collection in ``source``. ``out`` must be missing or empty. Raises CollectionError, OSError."""
    if out.exists() and any(out.iterdir()):
        raise CollectionError(f"{out} is not empty; name a new folder, or remove it first")
    articles = list(read_articles(source / "docs.jsonl"))
    paths = _paths_by_id(articles)
    queries = list(_read_queries(source / "queries.jsonl"))
    judgements = list(_read_qrels(source / "qrels.txt", paths))
    for article in articles:
        target = out / paths[article.id]
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, render_article(article, with_keywords=with_keywords))
    _write(out.parent / f"{name}-queries.tsv", "".join(f"{query}\t{text}\n" for query, text in queries))
    _write(out.parent / f"{name}-qrels.txt", "".join(f"{line}\n" for line in judgements))
    empty = sum(not article.title and not article.text for article in articles)
    return Converted(documents=len(articles), empty=empty, queries=len(queries), judgements=len(judgements))


def read_articles(path: Path) -> Iterator[Article]:
    """The articles of a docs.jsonl in file order."""
    for number, record in _records(path):
        article = Article(
            id=_field(record, "id", path, number),
            title=_one_line(record.get("title", "")),
            author=_one_line(record.get("author", "")),
            venue=_one_line(record.get("venue", "")),
            keywords=_one_line(record.get("keywords", "")),
            text=record.get("text", "").strip(),
        )
        if not _SAFE_ID.fullmatch(article.id):
            raise CollectionError(f"{path}, line {number}: {article.id!r} cannot be a file name")
        yield article


def _paths_by_id(articles: Sequence[Article]) -> dict[str, str]:
    paths: dict[str, str] = {}
    for position, article in enumerate(articles):
        if article.id in paths:
            raise CollectionError(f"docs.jsonl: the document id {article.id!r} occurs twice")
        paths[article.id] = article_path(position, article.id)
    return paths


def _read_queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, record in _records(path):
        yield _field(record, "id", path, number), _one_line(_field(record, "text", path, number))


def _read_qrels(path: Path, paths: dict[str, str]) -> Iterator[str]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise CollectionError(f"{path}, line {number}: expected 'query 0 document grade', found {line!r}")
        query, iteration, document, grade = fields
        if document not in paths:
            raise CollectionError(f"{path}, line {number}: document {document!r} is not in docs.jsonl")
        yield f"{query} {iteration} {paths[document]} {grade}"


def _records(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise CollectionError(f"{path}, line {number}: not JSON ({error})") from error
            if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
                raise CollectionError(f"{path}, line {number}: expected an object whose values are strings")
            yield number, record


def _field(record: dict[str, str], key: str, path: Path, number: int) -> str:
    value = record.get(key, "").strip()
    if not value:
        raise CollectionError(f"{path}, line {number}: {key!r} is missing or empty")
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _scalar(text: str) -> str:
    # A JSON string is a YAML double-quoted scalar.
    return json.dumps(text, ensure_ascii=False)


def _as_paragraphs(text: str) -> str:
    # A line of the abstract must not become a heading, a fence or HTML; a backslash keeps it text.
    return "\n".join(_MARKUP_AT_START.sub(r"\1\\\2", line) for line in text.splitlines())


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; 0 when converted, 2 when the source or the target will not do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("name", choices=["cacm", "cranfield"])
    parser.add_argument("source", type=Path, metavar="SOURCE_DIR")
    parser.add_argument("out", type=Path, metavar="OUT_DIR")
    parser.add_argument("--keywords", action="store_true", help="add CACM's author keywords as a last paragraph")
    options = parser.parse_args(argv)
    try:
        done = convert(options.name, options.source, options.out, with_keywords=options.keywords)
    except (CollectionError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(
        f"{options.out}: {done.documents} documents ({done.empty} without title and text), "
        f"{done.queries} queries, {done.judgements} judgements\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

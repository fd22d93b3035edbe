"""The document an Office or PDF file becomes, once its text is in sections."""

from __future__ import annotations

from collections.abc import Callable

from grooveseek.model.document import Chunk, Frontmatter, FrontmatterStatus, Notice, ParsedDocument
from grooveseek.parsing.document_info import DocumentInfo
from grooveseek.parsing.paths import title_from_path, with_path_defaults


def office_document(
    path: str,
    info: DocumentInfo,
    chunks: Callable[[str], tuple[Chunk, ...]],
    *,
    tags_added: tuple[str, ...] = (),
    notices: tuple[Notice, ...] = (),
) -> ParsedDocument:
    """Put a document together: ``chunks`` makes them once the title, which stands in their context, is known.

    The title is the file's own, else its name; category and topic come from the folders.
    """
    title = info.title or title_from_path(path)
    front = Frontmatter(
        title=info.title,
        date=info.date,
        tags=info.tags,
        status=FrontmatterStatus.ABSENT if info == DocumentInfo() else FrontmatterStatus.PARSED,
    )
    return ParsedDocument(
        title=title,
        frontmatter=with_path_defaults(front, path),
        chunks=chunks(title),
        tags_added=tags_added,
        notices=notices,
    )

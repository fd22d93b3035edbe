"""What a file's path says of it: title, category and topic; and the breadcrumb that says where a chunk stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from grooveseek.model.document import Frontmatter
from grooveseek.parsing.cuts import clip

BREADCRUMB_CHARS = 200
_SEPARATOR = " > "
_LAST_PART_CHARS = 120


def title_from_path(path: str) -> str:
    """The file name without its extension, ``-`` and ``_`` as spaces."""
    stem = PurePosixPath(path).stem
    return " ".join(re.split(r"[-_\s]+", stem)).strip() or stem


def with_path_defaults(frontmatter: Frontmatter, path: str) -> Frontmatter:
    """The frontmatter with category and topic taken from the first and second folder where it does not say."""
    folders = PurePosixPath(path).parts[:-1]
    return replace(
        frontmatter,
        category=frontmatter.category or (folders[0] if folders else None),
        topic=frontmatter.topic or (folders[1] if len(folders) > 1 else None),
    )


def breadcrumb(*parts: str | None) -> str:
    """``title > ancestor > heading``, outermost first, at most 200 characters.

    Empty parts and immediate repeats are dropped. What does not fit loses its middle first, from the outside inwards,
    so that the title and the innermost heading stay; where these two alone are too long the heading keeps up to 120
    characters and the title what is left.
    """
    kept = _without_repeats([" ".join(part.split()) for part in parts if part])
    while len(kept) > 2 and len(_SEPARATOR.join(kept)) > BREADCRUMB_CHARS:
        kept = _without_repeats([kept[0], *kept[2:]])
    if len(kept) == 2 and len(_SEPARATOR.join(kept)) > BREADCRUMB_CHARS:
        last = clip(kept[1], max(_LAST_PART_CHARS, BREADCRUMB_CHARS - len(_SEPARATOR) - len(kept[0])))
        kept = [clip(kept[0], BREADCRUMB_CHARS - len(_SEPARATOR) - len(last)), last]
    return clip(_SEPARATOR.join(kept), BREADCRUMB_CHARS)


def _without_repeats(parts: Sequence[str]) -> list[str]:
    return [part for place, part in enumerate(parts) if part and (place == 0 or part != parts[place - 1])]

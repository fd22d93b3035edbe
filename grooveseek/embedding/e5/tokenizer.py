"""The model's tokenizer.json: SentencePiece's unigram vocabulary in the form the library tokenizers reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grooveseek.embedding.e5.source import Source

_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""Ids 0 to 3; ``<mask>`` is the last piece."""
_UNKNOWN = 3


def save_tokenizer(source: Source, path: Path, *, window: int) -> None:
    """Write tokenizer.json; ``window`` is where the file says a text ends."""
    last = len(source.pieces) - 1
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    whole = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": window, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": [*map(_added, range(len(_SPECIAL)), _SPECIAL), _added(last, "<mask>", lstrip=True)],
        "normalizer": _normalizer(),
        "pre_tokenizer": metaspace,
        "post_processor": _post_processor(),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": _UNKNOWN,
            "vocab": list(map(list, zip(source.pieces, map(float, source.scores), strict=True))),
            "byte_fallback": False,
        },
    }
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text, encoding="utf-8", newline="\n")


def _normalizer() -> dict[str, Any]:
    """SentencePiece's nmt_nfkc. It leaves U+FF5E (full-width tilde) alone, which NFKC would not: hence the detour."""
    aside = "\U000f5e5e"
    steps = [
        {"type": "Nmt"},
        {"type": "Replace", "pattern": {"String": "\uff5e"}, "content": aside},
        {"type": "NFKC"},
        {"type": "Replace", "pattern": {"String": aside}, "content": "\uff5e"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    ]
    return {"type": "Sequence", "normalizers": steps}


def _post_processor() -> dict[str, Any]:
    specials = {name: {"id": name, "ids": [_SPECIAL.index(name)], "tokens": [name]} for name in ("</s>", "<s>")}
    return {
        "type": "TemplateProcessing",
        "single": _template(("<s>", "A", "</s>")),
        "pair": _template(("<s>", "A", "</s>", "</s>", "B", "</s>")),
        "special_tokens": specials,
    }


def _template(parts: Iterable[str]) -> list[dict[str, Any]]:
    return [{"SpecialToken" if part in _SPECIAL else "Sequence": {"id": part, "type_id": 0}} for part in parts]


def _added(number: int, content: str, *, lstrip: bool = False) -> dict[str, Any]:
    return {
        "id": number,
        "content": content,
        "single_word": False,
        "lstrip": lstrip,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }

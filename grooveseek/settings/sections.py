"""The settings, one frozen dataclass a table of groove.toml.

A field's default is the documented default; its metadata says what values are allowed, and the loader, ``groove config
init`` and docs/configuration.md are all read off these classes. ``trusted=True`` marks a key that is ignored, with a
warning, in a file that was found rather than named; some others may not have every value there (see
:mod:`grooveseek.settings.trust`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

MIB = 1024 * 1024


def setting(
    default: Any,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] | None = None,
    trusted: bool = False,
    size: bool = False,
    nonempty: bool = False,
    form: Literal["address", "absolute", "name-or-directory"] | None = None,
    example: Any = None,
) -> Any:
    """A dataclass field with what the loader and the template need to know about its key.

    ``size``: a byte count, a text such as ``"10 MiB"``, or ``"unlimited"`` (kept as ``None``). ``nonempty``: a list
    with at least one element. ``form``: what a text must look like beyond its type; ``address`` is ``HOST:PORT``,
    ``absolute`` a path that does not depend on where it is read, ``name-or-directory`` what
    :func:`grooveseek.settings.model_names.names_directory` tells apart. ``example`` is shown, commented out, for a key
    that has no default.
    """
    metadata = {
        "help": help,
        "minimum": minimum,
        "maximum": maximum,
        "choices": choices,
        "trusted": trusted,
        "size": size,
        "nonempty": nonempty,
        "form": form,
        "example": example,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityFilterSettings:
    enabled: bool = setting(True, "leave chunks of low quality out of answers")
    threshold: float = setting(0.3, "quality below which a chunk is left out", minimum=0.0, maximum=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPracticeSettings:
    path_templates: tuple[str, ...] = setting(
        (), "where get_best_practice looks, with {target} for the name asked for; the first file that exists wins"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownSettings:
    max_chunk_chars: int = setting(
        1600, "characters above which a section is split at block boundaries", minimum=200, maximum=100_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSettings:
    max_chunk_chars: int = setting(
        3500, "non-white-space characters above which a definition is split", minimum=30, maximum=1_000_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserSettings:
    enabled: tuple[str, ...] = setting(("md",), "ids of the parsers in use: md txt pdf docx xlsx pptx, code languages")
    markdown: MarkdownSettings = field(default_factory=MarkdownSettings)
    code: CodeSettings = field(default_factory=CodeSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    path: Path | None = setting(  # noqa: RUF009 - a dataclass field, not a value shared by all instances
        None, "the index file; default .groove.db beside the knowledge base", trusted=True, example="index/.groove.db"
    )
    max_raw_text_size: int | None = setting(50 * MIB, "largest text file read", minimum=1, size=True)
    max_raw_binary_size: int | None = setting(50 * MIB, "largest PDF or Office file read", minimum=1, size=True)
    max_decompressed_size: int | None = setting(
        50 * MIB, "most an Office file may inflate to, all entries together", minimum=1, size=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    enabled: bool = setting(True, "keep the index in step while serving")
    debounce_ms: int = setting(500, "how long a burst of changes is gathered", minimum=10, maximum=60_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    bind: str = setting(
        "127.0.0.1:3100",
        "address and port of the HTTP transport; one that other machines reach, only in a file named by --config",
        form="address",
    )
    allowed_hosts: tuple[str, ...] = setting(
        ("localhost", "127.0.0.1", "[::1]"), "Host names answered; an empty list answers all", trusted=True
    )
    allowed_origins: tuple[str, ...] | None = setting(
        None,
        "Origins answered; default http://localhost, 127.0.0.1 and [::1] at the port",
        trusted=True,
        example=("http://localhost:3100",),
    )
    healthz_public: bool = setting(True, "answer /healthz whatever the Host", trusted=True)
    max_sessions: int = setting(256, "MCP sessions at once; 0 for no cap", minimum=0, maximum=1_000_000, trusted=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportSettings:
    kind: str = setting("stdio", "how groove serve speaks", choices=("stdio", "http"))
    http: HttpSettings = field(default_factory=HttpSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSettings:
    golden: str | None = setting(
        None, "golden file, relative to the knowledge base; default .groove-eval.yml", example=".groove-eval.yml"
    )
    history_size: int = setting(10, "runs kept in the history", minimum=1, maximum=10_000)
    k_values: tuple[int, ...] = setting((1, 5, 10), "cutoffs of the metrics", minimum=1, maximum=1000, nonempty=True)
    regression_threshold: float = setting(
        0.05, "fall of a mean that --fail-on-regression calls a regression", minimum=0.0, maximum=1.0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MmrSettings:
    enabled: bool = setting(False, "diversify results by maximal marginal relevance")
    lambda_: float = setting(0.7, "1 is relevance alone, 0 diversity alone", minimum=0.0, maximum=1.0)
    same_doc_penalty: float = setting(
        0.0, "taken off a chunk whose document was picked already", minimum=0.0, maximum=1.0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionSettings:
    method: str = setting("convex", "how the two legs become one list", choices=("rrf", "convex"))
    rrf_k: float = setting(60.0, "the constant of reciprocal rank fusion", minimum=1.0, maximum=1e6)
    alpha: float = setting(0.8, "weight of the vector leg in convex fusion", minimum=0.0, maximum=1.0)
    bm25_heading_weight: float = setting(2.0, "weight of a word in the heading", minimum=0.0, maximum=1e6)
    bm25_context_weight: float = setting(1.0, "weight of a word in the context", minimum=0.0, maximum=1e6)
    bm25_content_weight: float = setting(1.0, "weight of a word in the content", minimum=0.0, maximum=1e6)
    vector_weight: float = setting(1.0, "weight of the vector leg in rrf", minimum=0.0, maximum=1e6)
    fts_weight: float = setting(1.0, "weight of the full-text leg in rrf", minimum=0.0, maximum=1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentRetrieverSettings:
    enabled: bool = setting(False, "show a hit with its neighbours or its whole document")
    whole_doc_threshold_tokens: int = setting(
        100, "below this many tokens a hit shows its whole document", minimum=0, maximum=1_000_000
    )
    max_expanded_tokens: int = setting(2000, "most tokens an expanded hit may have", minimum=1, maximum=1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    min_confidence_ratio: float = setting(
        1.5, "top score over mean score below which an answer is marked low_confidence; 0 turns it off", minimum=0.0
    )
    mmr: MmrSettings = field(default_factory=MmrSettings)
    fusion: FusionSettings = field(default_factory=FusionSettings)
    parent_retriever: ParentRetrieverSettings = field(default_factory=ParentRetrieverSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextualSettings:
    enabled: bool = setting(True, "put a chunk's breadcrumb in front of its text for the model, full text and reranker")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    provider: str = setting(
        "local",
        "where vectors come from; openai sends the knowledge base away, so only in a file named by --config",
        choices=("local", "fastembed", "openai"),
    )
    model: str | None = setting(
        None, "model name at the remote endpoint", trusted=True, example="text-embedding-3-small"
    )
    base_url: str | None = setting(
        None,
        "OpenAI-compatible endpoint, up to and without /embeddings",
        trusted=True,
        example="http://127.0.0.1:8080/v1",
    )
    dimension: int | None = setting(
        None, "length of the remote model's vectors", minimum=1, maximum=65_536, trusted=True, example=384
    )
    api_key_env: str | None = setting(
        None, "environment variable that holds the key", trusted=True, example="EMBEDDING_API_KEY"
    )
    query_prefix: str = setting("", "put in front of a query")
    passage_prefix: str = setting("", "put in front of a passage")
    batch_size: int = setting(64, "texts a request", minimum=1, maximum=2048)
    timeout_secs: float = setting(60.0, "seconds to wait for an answer", minimum=0.1, maximum=3600.0)
    threads: int = setting(0, "model runs at once; 0 for one a core", minimum=0, maximum=1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of groove.toml. ``reranker`` names a cross-encoder or ``none``; ``model`` a catalogue name or a directory."""

    kb_path: Path | None = setting(  # noqa: RUF009 - as above
        None, "the folder to search", example="notes"
    )
    model: str = setting(
        "all-minilm-l6-v2", "embedding model: a name from the catalogue, or a model directory", form="name-or-directory"
    )
    reranker: str = setting(
        "none", "cross-encoder: none, a name from the catalogue, or a model directory", form="name-or-directory"
    )
    rerank_by_default: bool = setting(True, "use the reranker, once one is set, unless a query says otherwise")
    rerank_timeout_ms: int = setting(
        0, "milliseconds after which the fused order is answered instead; 0 waits", minimum=0, maximum=600_000
    )
    fastembed_cache_dir: Path | None = setting(  # noqa: RUF009 - as above
        None, "where downloaded models are kept; absolute", trusted=True, form="absolute", example="~/models"
    )
    exclude_headings: tuple[str, ...] = setting((), "a section whose heading contains one of these is left out")
    exclude_dirs: tuple[str, ...] = setting(
        (".obsidian", ".git", "node_modules", "target", ".vscode", ".idea"),
        "folder names that are not walked; a list replaces the default",
    )
    quality_filter: QualityFilterSettings = field(default_factory=QualityFilterSettings)
    best_practice: BestPracticeSettings = field(default_factory=BestPracticeSettings)
    parsers: ParserSettings = field(default_factory=ParserSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    transport: TransportSettings = field(default_factory=TransportSettings)
    eval: EvalSettings = field(default_factory=EvalSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    contextual: ContextualSettings = field(default_factory=ContextualSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)

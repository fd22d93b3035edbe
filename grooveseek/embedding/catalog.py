"""The models groove knows by name: what each needs, gives, weighs and may be used for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from grooveseek.embedding.pooling import Pooling
from grooveseek.embedding.protocol import ModelIdentity
from grooveseek.errors import ConfigError
from grooveseek.settings.model_names import names_directory

DEFAULT_MODEL = "all-minilm-l6-v2"

_ENGLISH = frozenset({"latin"})
"""Scripts are all that can be told from a query, so a model for English reads whatever is written in Latin letters."""

_NON_COMMERCIAL = "licence CC-BY-NC-4.0: not for commercial use"


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFiles:
    """Where a model's files are on a Hugging Face hub. ``data`` are weights kept outside the ONNX file.

    ``gigabytes`` is what has to be downloaded.
    """

    repo: str
    model: str
    gigabytes: float
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """What embedders and rerankers have in common.

    ``window`` is in tokens; ``one_at_a_time``: see :class:`grooveseek.embedding.runner.ModelCard`.
    """

    name: str
    aliases: tuple[str, ...]
    window: int
    licence: str
    one_at_a_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec(CatalogEntry):
    """An embedding model. ``files`` is None for one that is not downloaded: it is part of this package, or built from
    what the optional part ``extra`` installs.
    """

    dimension: int
    pooling: Pooling
    files: HubFiles | None
    extra: str | None = None
    scripts: frozenset[str] | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    lowest_cosine: float = -1.0

    def identity(self, revision: str) -> ModelIdentity:
        """The identity of this model with files of the given revision (:func:`grooveseek.embedding.files.revision`)."""
        return ModelIdentity(
            provider="local",
            name=self.name,
            revision=revision,
            dimension=self.dimension,
            pooling=self.pooling.value,
            normalised=True,
            window=self.window,
            query_prefix=self.query_prefix,
            passage_prefix=self.passage_prefix,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerSpec(CatalogEntry):
    """A cross-encoder. ``warning`` is said before it is used."""

    files: HubFiles
    warning: str = ""


_MODELS = (
    ModelSpec(
        name=DEFAULT_MODEL,
        aliases=("sentence-transformers/all-MiniLM-L6-v2", "default"),
        dimension=384,
        window=256,
        pooling=Pooling.MEAN,
        licence="Apache-2.0",
        files=None,
        scripts=_ENGLISH,
        one_at_a_time=True,
    ),
    ModelSpec(
        name="multilingual-e5-small",
        aliases=("intfloat/multilingual-e5-small",),
        dimension=384,
        window=512,
        pooling=Pooling.MEAN,
        licence="MIT",
        files=None,
        extra="multilingual",
        query_prefix="query: ",
        passage_prefix="passage: ",
        lowest_cosine=0.7,
        one_at_a_time=True,
    ),
    ModelSpec(
        name="bge-small-en-v1.5",
        aliases=("BAAI/bge-small-en-v1.5",),
        dimension=384,
        window=512,
        pooling=Pooling.CLS,
        licence="MIT",
        files=HubFiles(repo="Qdrant/bge-small-en-v1.5-onnx-Q", model="model_optimized.onnx", gigabytes=0.067),
        scripts=_ENGLISH,
        query_prefix="Represent this sentence for searching relevant passages: ",
    ),
    ModelSpec(
        name="bge-m3",
        aliases=("BAAI/bge-m3",),
        dimension=1024,
        window=2048,  # it reads 8192, at 4 GB of memory a text; what is longer is embedded as several windows
        pooling=Pooling.CLS,
        licence="MIT",
        files=HubFiles(
            repo="BAAI/bge-m3",
            model="onnx/model.onnx",
            data=("onnx/model.onnx_data", "onnx/Constant_7_attr__value"),
            gigabytes=2.27,
        ),
    ),
    ModelSpec(
        name="paraphrase-multilingual-minilm-l12-v2",
        aliases=("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",),
        dimension=384,
        window=128,
        pooling=Pooling.MEAN,
        licence="Apache-2.0",
        files=HubFiles(
            repo="Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q", model="model_optimized.onnx", gigabytes=0.22
        ),
    ),
    ModelSpec(
        name="multilingual-e5-large",
        aliases=("intfloat/multilingual-e5-large",),
        dimension=1024,
        window=512,
        pooling=Pooling.MEAN,
        licence="MIT",
        files=HubFiles(
            repo="Qdrant/multilingual-e5-large-onnx", model="model.onnx", data=("model.onnx_data",), gigabytes=2.24
        ),
        query_prefix="query: ",
        passage_prefix="passage: ",
    ),
)

_RERANKERS = (
    RerankerSpec(
        name="bge-v2-m3",
        aliases=("BAAI/bge-reranker-v2-m3", "bge-reranker-v2-m3"),
        window=1024,
        licence="Apache-2.0",
        files=HubFiles(
            repo="onnx-community/bge-reranker-v2-m3-ONNX",
            model="onnx/model.onnx",
            data=("onnx/model.onnx_data",),
            gigabytes=2.27,
        ),
    ),
    RerankerSpec(
        name="bge-v2-m3-int8",
        aliases=("BAAI/bge-reranker-v2-m3-int8", "bge-reranker-v2-m3-int8"),
        window=1024,
        licence="Apache-2.0",
        files=HubFiles(repo="onnx-community/bge-reranker-v2-m3-ONNX", model="onnx/model_int8.onnx", gigabytes=0.57),
        one_at_a_time=True,
    ),
    RerankerSpec(
        name="jina-v2-ml",
        aliases=("jinaai/jina-reranker-v2-base-multilingual", "jina-reranker-v2-base-multilingual"),
        window=1024,
        licence="CC-BY-NC-4.0",
        files=HubFiles(repo="jinaai/jina-reranker-v2-base-multilingual", model="onnx/model.onnx", gigabytes=1.11),
        warning=_NON_COMMERCIAL,
    ),
    RerankerSpec(
        name="bge-base",
        aliases=("BAAI/bge-reranker-base", "bge-reranker-base"),
        window=512,
        licence="MIT",
        files=HubFiles(repo="BAAI/bge-reranker-base", model="onnx/model.onnx", gigabytes=1.04),
    ),
    RerankerSpec(
        name="ms-marco-minilm-l-6-v2",
        aliases=("Xenova/ms-marco-MiniLM-L-6-v2",),
        window=512,
        licence="Apache-2.0",
        files=HubFiles(repo="Xenova/ms-marco-MiniLM-L-6-v2", model="onnx/model.onnx", gigabytes=0.08),
    ),
    RerankerSpec(
        name="ms-marco-minilm-l-12-v2",
        aliases=("Xenova/ms-marco-MiniLM-L-12-v2",),
        window=512,
        licence="Apache-2.0",
        files=HubFiles(repo="Xenova/ms-marco-MiniLM-L-12-v2", model="onnx/model.onnx", gigabytes=0.12),
    ),
)

MODELS: Mapping[str, ModelSpec] = MappingProxyType({spec.name: spec for spec in _MODELS})
RERANKERS: Mapping[str, RerankerSpec] = MappingProxyType({spec.name: spec for spec in _RERANKERS})

Entry = TypeVar("Entry", bound=CatalogEntry)


def resolve_model(name: str) -> ModelSpec | Path:
    """The catalogue's entry of this name or alias, whatever its case, or the model directory the name is a path of.

    A path has a separator; ``~`` at its beginning is the home directory. It need not exist: loading it says what is
    missing. One that could be a published name, as ``org/name``, must exist
    (:func:`grooveseek.settings.model_names.names_directory`).
    Raises ConfigError, with the nearest known name, for a name that is neither.
    """
    return _resolve(name, MODELS, "embedding model")


def resolve_reranker(name: str) -> RerankerSpec | Path:
    """As :func:`resolve_model`, for cross-encoders."""
    return _resolve(name, RERANKERS, "reranker")


def known_as(path: Path) -> str | None:
    """The catalogue's name for a path that ends like an alias, as in ``BAAI/bge-m3``; for messages about a bad path."""
    tail = "/".join(path.parts[-2:]).casefold()
    entries: tuple[CatalogEntry, ...] = (*MODELS.values(), *RERANKERS.values())
    return next((entry.name for entry in entries if tail in map(str.casefold, entry.aliases)), None)


def _resolve(name: str, table: Mapping[str, Entry], kind: str) -> Entry | Path:
    by_name: dict[str, Entry] = {}
    for spec in table.values():
        by_name |= {key.casefold(): spec for key in (spec.name, *spec.aliases)}
    if found := by_name.get(name.casefold()):
        return found
    if "\\" in name or names_directory(name, Path()):
        return _expanded(name)
    from difflib import get_close_matches

    nearest = get_close_matches(name.casefold(), by_name, n=1)
    guess = f'did you mean "{by_name[nearest[0]].name}"? ' if nearest else ""
    raise ConfigError(
        f'no {kind} is called "{name}": {guess}Known are {", ".join(table)}; a model directory is given by its path, '
        f'as in "./{name}"'
    )


def _expanded(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise ConfigError(f'the home directory in "{name}" is not known: write the whole path') from error

"""Model directories: what a folder of an exported model says about itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grooveseek.embedding.catalog import known_as
from grooveseek.embedding.files import revision, scan
from grooveseek.embedding.pooling import Pooling
from grooveseek.embedding.protocol import ModelIdentity
from grooveseek.embedding.runner import ModelCard, choose_output
from grooveseek.embedding.session import OnnxSession
from grooveseek.errors import EmbeddingError

MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
"""Where the model is looked for in a directory; the first that exists is used."""

MAX_WINDOW = 2048
"""Most tokens a text gets, whatever a model could read: attention needs memory by the square of the length."""

DEFAULT_WINDOW = 512
_POOLING_FLAGS = {
    "pooling_mode_mean_tokens": Pooling.MEAN,
    "pooling_mode_cls_token": Pooling.CLS,
    "pooling_mode_lasttoken": Pooling.LAST,
}
_PADDED_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})
"""Families whose position table begins after the padding id, so that its size is not what a text may have."""


def local_card(directory: Path) -> ModelCard:
    """Describe the embedding model in a directory: an ONNX file and tokenizer.json, the other files optional.

    Pooling: an output called sentence_embedding is taken as it is; else what 1_Pooling/config.json says; else the
    mean. Prefixes: the prompts of config_sentence_transformers.json. The revision covers model, weights and tokenizer,
    so that an exchanged file is noticed. Raises EmbeddingError naming the file and the remedy. Loads the model, since
    only it knows its outputs.
    """
    model, tokenizer, remedy = find_files(directory)
    digests, dynamic = _fingerprint(model, tokenizer, remedy)
    session = OnnxSession(model, remedy=remedy)
    pooling = _pooling(directory, session)
    query_prefix, passage_prefix = _prefixes(directory)
    identity = ModelIdentity(
        provider="local",
        name=directory.resolve().name,
        revision=digests,
        dimension=_dimension(directory, session, pooling),
        pooling=pooling.value,
        normalised=True,
        window=read_window(directory),
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
    )
    return ModelCard(
        identity=identity,
        model=model,
        tokenizer=tokenizer,
        scripts=None,
        one_at_a_time=dynamic,
        remedy=remedy,
        session=session,
    )


def find_files(directory: Path) -> tuple[Path, Path, str]:
    """The model file, tokenizer.json, and what to tell a person whose copy is damaged."""
    remedy = f"export or copy the model to {directory} again"
    if not directory.is_dir():
        known = known_as(directory)
        way_out = f'write "{known}" for the model of that name' if known else "see docs/models.md for the models' names"
        raise EmbeddingError(f"{directory} is neither the name of a model nor a directory: {way_out}")
    tokenizer = directory / "tokenizer.json"
    model = next((directory / name for name in MODEL_FILES if (directory / name).is_file()), None)
    if model is None:
        raise EmbeddingError(f"the model directory {directory} has no {' or '.join(MODEL_FILES)}: {remedy}")
    if not tokenizer.is_file():
        raise EmbeddingError(f"the model directory {directory} has no tokenizer.json: {remedy}")
    return model, tokenizer, remedy


def read_window(directory: Path) -> int:
    """How many tokens a text may have: the smallest of what the directory's files say, at most MAX_WINDOW.

    512 when they say nothing; transformers writes 1e30 for "unknown".
    """
    config = _read(directory / "config.json")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _PADDED_POSITIONS:
        positions -= int(config.get("pad_token_id") or 0) + 1
    limits = (
        _read(directory / "sentence_bert_config.json").get("max_seq_length"),
        _read(directory / "tokenizer_config.json").get("model_max_length"),
        positions,
    )
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < 1_000_000]
    return min(min(known, default=DEFAULT_WINDOW), MAX_WINDOW)


def is_dynamic(model: Path, remedy: str) -> bool:
    """Whether the model quantises activations as it runs, so that each text needs a run of its own."""
    return scan(model, remedy).dynamic


def _fingerprint(model: Path, tokenizer: Path, remedy: str) -> tuple[str, bool]:
    scanned = scan(model, remedy)
    weights = sorted(path for path in model.parent.glob(model.name + "*") if path != model)
    others = [scan(path, remedy).digest for path in (tokenizer, *weights)]
    return revision(scanned.digest, *others), scanned.dynamic


def _pooling(directory: Path, session: OnnxSession) -> Pooling:
    ranks = {name: len(shape) for name, shape in session.outputs.items()}
    if ranks.get("sentence_embedding") == 2 or (3 not in ranks.values() and 2 in ranks.values()):
        return Pooling.NONE
    _refuse_unknown_modules(directory)
    config = _read(directory / "1_Pooling" / "config.json")
    named = {flag for flag, on in config.items() if flag.startswith("pooling_mode_") and on is True}
    if not named:
        return Pooling.MEAN
    if len(named) > 1 or not named <= set(_POOLING_FLAGS):
        raise EmbeddingError(
            f"{directory / '1_Pooling' / 'config.json'} asks for {' + '.join(sorted(named))}, which groove does not "
            "know: export the model with its sentence_embedding output"
        )
    return _POOLING_FLAGS[named.pop()]


def _refuse_unknown_modules(directory: Path) -> None:
    """A Dense layer and the like change the vector after pooling, and are not in an ONNX file that ends at tokens."""
    modules = _read(directory / "modules.json", kind=list)
    kinds = {str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules if isinstance(module, Mapping)}
    if unknown := kinds - {"Transformer", "Pooling", "Normalize"}:
        raise EmbeddingError(
            f"{directory / 'modules.json'} lists the module {', '.join(sorted(unknown))}, which groove does not apply: "
            "export the model with its sentence_embedding output"
        )


def _dimension(directory: Path, session: OnnxSession, pooling: Pooling) -> int:
    declared = session.outputs[choose_output(session, pooling)][-1]
    dimension = declared if isinstance(declared, int) else _read(directory / "config.json").get("hidden_size")
    if not isinstance(dimension, int):
        raise EmbeddingError(
            f"neither {session.path} nor config.json beside it says how long its vectors are: add hidden_size to "
            "config.json"
        )
    if dimension == 1:
        raise EmbeddingError(
            f"the model {session.path} gives one number a text, as a cross-encoder does: name it as the reranker, and "
            "an embedding model as the model"
        )
    return dimension


def _prefixes(directory: Path) -> tuple[str, str]:
    prompts = _read(directory / "config_sentence_transformers.json").get("prompts") or {}
    query, passage = prompts.get("query"), prompts.get("passage") or prompts.get("document")
    return query if isinstance(query, str) else "", passage if isinstance(passage, str) else ""


def _read(path: Path, kind: type[Any] = dict) -> Any:
    """A JSON file's value, or an empty one when there is no such file."""
    if not path.is_file():
        return kind()
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise EmbeddingError(f"{path} cannot be read ({error}): export or copy the model again") from error
    if not isinstance(value, kind):
        raise EmbeddingError(f"{path} does not hold a JSON {kind.__name__}: export or copy the model again")
    return value

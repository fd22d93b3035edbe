"""The search itself: compile, two legs, fusion, the optional stages, spans, confidence. The order is fixed.

A stage that is off changes nothing: same hits, same order, same scores.
"""

from __future__ import annotations

import concurrent.futures
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from grooveseek.embedding.protocol import Embedder, Reranker, Vectors
from grooveseek.errors import EmbeddingError
from grooveseek.model.hit import Answer, Explanation, Hit, Legs
from grooveseek.model.query import Mode, SearchRequest
from grooveseek.retrieval import mmr, parent
from grooveseek.retrieval.confidence import (
    confidence,
    cosine_evidence,
    coverage_evidence,
    inverse_document_frequency,
    is_low_confidence,
)
from grooveseek.retrieval.excerpt import excerpt
from grooveseek.retrieval.files import SourceFiles
from grooveseek.retrieval.filters import check_request, filters_with_effect
from grooveseek.retrieval.fusion import Fused, as_compared, convex_combination, reciprocal_rank_fusion
from grooveseek.retrieval.legs import NO_LEG, Leg, Population, fulltext_leg, population, vector_leg
from grooveseek.retrieval.query import CompiledQuery, compile_query, forms
from grooveseek.retrieval.spans import match_spans
from grooveseek.settings.sections import FusionSettings, Settings
from grooveseek.store.fulltext import ColumnWeights
from grooveseek.store.ranking import contains, in_order, places_of
from grooveseek.store.records import Candidates, StoredChunk
from grooveseek.store.store import Store
from grooveseek.text.scripts import readable_share

log = logging.getLogger(__name__)

LEG_DEPTH = 200
"""Candidates a leg gives to fusion. Independent of the limit, so that a longer answer begins with the shorter one."""
_READABLE = 0.5
"""A query of which the model reads less than this share of the letters gets no vector leg."""
_COVERING_HITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LegResults:
    """Both legs' candidates for one query, before fusion: what ``groove tune`` caches and sweeps."""

    query: CompiledQuery
    vector: Leg = NO_LEG
    fulltext: Leg = NO_LEG
    legs: Legs = field(default_factory=Legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One search and what led to its answer: what ``groove eval`` measures.

    ``fused`` holds every candidate in fused order, ``ranked`` the same ones after the optional stages: the answer's
    hits first, then the order in which it would go on.
    """

    legs: LegResults
    fused: Candidates
    ranked: Candidates
    answer: Answer


@dataclass(slots=True)
class _Ranked:
    """A candidate on its way through the stages: its score so far, and what each stage made of it."""

    fused: Fused
    score: float
    fused_rank: int
    rerank_score: float | None = None
    rank_after_rerank: int | None = None
    rank_after_mmr: int | None = None


class Searcher:
    """Searches one open index. Not for two threads at once, as the store it is given.

    ``reranker`` is called only when a search reranks; ``None`` when none is configured.
    """

    def __init__(
        self,
        *,
        root: Path,
        store: Store,
        embedder: Embedder,
        settings: Settings,
        reranker: Callable[[], Reranker] | None = None,
    ) -> None:
        self._root = root
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._reranker = reranker
        self._embed_query = lru_cache(maxsize=256)(embedder.embed_query)

    def search(self, request: SearchRequest) -> Answer:
        """Answer one request. Raises QueryError for a parameter out of range.

        Where a model or an endpoint fails, words answer alone and the answer says why; a search by meaning alone raises
        EmbeddingError.
        """
        try:
            return self.trace(request).answer
        except EmbeddingError as error:
            if request.mode is Mode.SEMANTIC:
                raise
            return self.trace(request, without_vectors=str(error)).answer

    def trace(self, request: SearchRequest, *, without_vectors: str | None = None) -> Trace:
        """Answer one request and keep what led to the answer. ``without_vectors`` is a reason to leave that leg out.

        Raises QueryError as :meth:`search` does, and EmbeddingError in every mode that needs the model: what is
        measured must not lose a leg in silence.
        """
        with self._store.snapshot():
            check_request(request, self._store.meta.declared_fields)
            results = self.run_legs(request, without_vectors=without_vectors)
            fused = self._fuse(results)
            notes = [*_query_notes(results.query), *self._override_notes(request)]
            chosen, rest = self._stages(request, results.query, fused, notes)
            return Trace(
                legs=results,
                fused=_candidates(fused),
                ranked=_candidates([*chosen, *rest]),
                answer=self._answer(request, results, chosen, notes),
            )

    def _stages(
        self, request: SearchRequest, query: CompiledQuery, fused: list[_Ranked], notes: list[str]
    ) -> tuple[list[_Ranked], list[_Ranked]]:
        """What is shown after the optional stages, and in what order the rest would follow."""
        size = max(request.limit * 5, 50)
        pool = self._rerank(request, query, fused[:size], notes)
        if self._uses_mmr(request):
            chosen = self._diversify(request, pool, notes)
        else:
            pool = [*pool, *fused[size:]]
            return pool[: request.limit], pool[request.limit :]
        taken = {candidate.fused.id for candidate in chosen}
        return chosen, [candidate for candidate in (*pool, *fused[size:]) if candidate.fused.id not in taken]

    def _answer(
        self, request: SearchRequest, results: LegResults, chosen: list[_Ranked], notes: Sequence[str]
    ) -> Answer:
        stored = self._store.documents.chunks(candidate.fused.id for candidate in chosen)
        hits = [self._hit(c, stored[c.fused.id], results, request) for c in chosen if c.fused.id in stored]
        return Answer(
            hits=tuple(hits),
            low_confidence=is_low_confidence([hit.score for hit in hits], self._min_ratio(request)),
            confidence=self._confidence(results, [candidate.fused.id for candidate in chosen]),
            legs=results.legs,
            filter_applied=filters_with_effect(request.filters),
            notes=tuple(notes),
        )

    def _override_notes(self, request: SearchRequest) -> list[str]:
        if self._uses_mmr(request) or (request.mmr_lambda is None and request.mmr_same_doc_penalty is None):
            return []
        return ["MMR is off, so its lambda and penalty have no effect; turn it on with mmr"]

    # -- legs and fusion -------------------------------------------------------------------------------------------

    def run_legs(self, request: SearchRequest, *, without_vectors: str | None = None) -> LegResults:
        """Compile the query and run the legs its mode asks for."""
        query = compile_query(request.query)
        if query.truncated:
            log.warning("the query has more than 32 phrases; %d of them are not searched for", query.truncated)
        if query.is_empty:
            return LegResults(query=query)
        who = self._population(request, query)
        depth = max(LEG_DEPTH, request.limit)
        vector, abstains = NO_LEG, None
        if request.mode is not Mode.KEYWORD:
            abstains = without_vectors or self._why_no_vector(query)
            if abstains is None:
                embedded = self._embed_query(query.positive_text)
                vector = vector_leg(self._store, embedded, who, depth, minimum=self._embedder.lowest_cosine)
        fulltext = NO_LEG
        searchable = bool(query.words or query.phrases)
        if request.mode is not Mode.SEMANTIC:
            fulltext = fulltext_leg(self._store, query, who, depth, column_weights(self._settings.search.fusion))
        legs = _report(request.mode, query, vector, fulltext, abstains=abstains, searchable=searchable)
        return LegResults(query=query, vector=vector, fulltext=fulltext, legs=legs)

    def _population(self, request: SearchRequest, query: CompiledQuery) -> Population:
        quality = self._settings.quality_filter
        explicit = request.filters.min_quality is not None or request.filters.include_low_quality
        threshold = quality.threshold if quality.enabled and not explicit else None
        return population(self._store, request.filters, query, quality_threshold=threshold)

    def _why_no_vector(self, query: CompiledQuery) -> str | None:
        if readable_share(query.positive_text, self._embedder.scripts) < _READABLE:
            return f"the model {self._embedder.identity.name} does not read the query's script"
        if not any(map(str.isalnum, query.positive_text)):
            return "the query has no word to embed"
        return None

    def _fuse(self, results: LegResults) -> list[_Ranked]:
        fused = fuse(results.vector, results.fulltext, self._settings.search.fusion)
        return [
            _Ranked(fused=candidate, score=candidate.score, fused_rank=rank)
            for rank, candidate in enumerate(order(self._store, fused), start=1)
        ]

    # -- optional stages -------------------------------------------------------------------------------------------

    def _uses_reranker(self, request: SearchRequest) -> bool:
        wanted = self._settings.rerank_by_default if request.rerank is None else request.rerank
        return wanted and self._reranker is not None

    def _uses_mmr(self, request: SearchRequest) -> bool:
        return self._settings.search.mmr.enabled if request.mmr is None else request.mmr

    def _rerank(
        self, request: SearchRequest, query: CompiledQuery, pool: list[_Ranked], notes: list[str]
    ) -> list[_Ranked]:
        if request.rerank and self._reranker is None:
            notes.append("no reranker is configured; set `reranker` in groove.toml or use --reranker")
        if not self._uses_reranker(request) or not pool or self._reranker is None:
            return pool
        stored = self._store.documents.chunks(candidate.fused.id for candidate in pool)
        texts = [rerank_input(stored[c.fused.id], contextual=self._store.meta.contextual) for c in pool]
        scores = self._scores_in_time(self._reranker, query.positive_text, texts)
        if scores is None:
            notes.append(
                f"the reranker took longer than {self._settings.rerank_timeout_ms} ms; this is the order before it"
            )
            return pool
        order_ = sorted(range(len(pool)), key=lambda i: (-round(scores[i], 6), i))
        reranked: list[_Ranked] = []
        for rank, i in enumerate(order_, start=1):
            reranked.append(replace(pool[i], score=scores[i], rerank_score=scores[i], rank_after_rerank=rank))
        return reranked

    def _scores_in_time(self, load: Callable[[], Reranker], query: str, texts: Sequence[str]) -> list[float] | None:
        timeout = self._settings.rerank_timeout_ms
        if timeout <= 0:
            return load().score(query, texts)
        executor = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="groove-rerank")
        try:
            return executor.submit(lambda: load().score(query, texts)).result(timeout / 1000)
        except concurrent.futures.TimeoutError:
            return None
        finally:
            executor.shutdown(wait=False, cancel_futures=True)

    def _diversify(self, request: SearchRequest, pool: list[_Ranked], notes: list[str]) -> list[_Ranked]:
        settings = self._settings.search.mmr
        vectors = self._store.vectors.of(candidate.fused.id for candidate in pool)
        matrix = np.zeros((len(pool), self._embedder.dimension), dtype=np.float32)
        for row, candidate in enumerate(pool):
            if candidate.fused.id in vectors:
                matrix[row] = _mean_direction(vectors[candidate.fused.id])
        places = places_of(self._store.database, np.array([c.fused.id for c in pool], dtype=np.int64))
        picks = mmr.select(
            [candidate.score for candidate in pool],
            matrix,
            [places[candidate.fused.id][0] for candidate in pool],
            limit=request.limit,
            lambda_=settings.lambda_ if request.mmr_lambda is None else request.mmr_lambda,
            same_doc_penalty=settings.same_doc_penalty
            if request.mmr_same_doc_penalty is None
            else request.mmr_same_doc_penalty,
        )
        picked = [pool[i] for i in picks]
        for rank, candidate in enumerate(picked, start=1):
            candidate.rank_after_mmr = rank
        return picked

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _hit(self, ranked: _Ranked, stored: StoredChunk, results: LegResults, request: SearchRequest) -> Hit:
        query = results.query
        files = SourceFiles(self._root)
        chunk, expanded = stored.chunk, None
        settings = self._settings.search.parent_retriever
        if settings.enabled if request.parent_retriever is None else request.parent_retriever:
            chunk, expansion = parent.expand(
                stored,
                self._store.documents.chunks_of(stored.document.path),
                lambda start, end: files.slice(stored.document, start, end),
                whole_below=settings.whole_doc_threshold_tokens,
                max_tokens=settings.max_expanded_tokens,
            )
            expanded = expansion.as_json()
        cut = excerpt(chunk, query.span_terms)
        chunk = chunk if cut is None else cut
        spans = match_spans(chunk.content, query.span_terms)
        return Hit(
            score=ranked.score,
            path=stored.document.path,
            title=stored.document.title,
            chunk=chunk,
            category=stored.document.category,
            topic=stored.document.topic,
            date=stored.document.date,
            tags=stored.document.tags,
            match_spans=None if spans is None else tuple(spans),
            expanded_from=expanded,
            is_excerpt=cut is not None,
            stale=files.is_stale(stored.document),
            chunk_id=stored.id,
            explanation=_explanation(ranked, results) if request.explain else None,
        )

    def _min_ratio(self, request: SearchRequest) -> float:
        configured = self._settings.search.min_confidence_ratio
        return configured if request.min_confidence_ratio is None else request.min_confidence_ratio

    def _confidence(self, results: LegResults, chosen: Sequence[int]) -> float:
        """Evidence from the vector leg's spread and from the words the best hits hold; 0 without a hit."""
        if not chosen:
            return 0.0
        nearest = results.vector.candidates
        best = float(nearest.scores[0]) if len(nearest) else None
        spread = cosine_evidence(best, results.vector.background())
        weights, covered = self._coverage(results.query, chosen[:_COVERING_HITS])
        return confidence(best, spread, coverage_evidence(covered, weights))

    def _coverage(self, query: CompiledQuery, chosen: Sequence[int]) -> tuple[list[float], list[float]]:
        """The IDF of each of the query's words, and for each chosen chunk the sum of those it holds."""
        fulltext = self._store.fulltext
        shown = np.array(chosen, dtype=np.int64)
        weights: list[float] = []
        covered = np.zeros(len(shown), dtype=np.float64)
        for form in forms(query.words, spelled=True):
            holding = fulltext.ids_with_words(form)
            weights.append(inverse_document_frequency(len(holding), fulltext.chunk_count()))
            covered += weights[-1] * contains(holding, shown)
        return weights, covered.tolist()


def fuse(vector: Leg, fulltext: Leg, settings: FusionSettings) -> dict[int, Fused]:
    """Fuse two legs' candidates as the settings say.

    The convex combination asks each leg for its score of the other's candidates too, so that a candidate is not taken
    for worthless in a leg only because it stood below the leg's depth.
    """
    near, matching = vector.candidates, fulltext.candidates
    if settings.method == "convex":
        either = {*near.ids.tolist(), *matching.ids.tolist()}
        return convex_combination(
            vector.scores_of(either),
            fulltext.scores_of(either),
            alpha=settings.alpha,
            lowest_cosine=vector.minimum,
        )
    return reciprocal_rank_fusion(
        list(zip(near.ids.tolist(), near.scores.tolist(), strict=True)),
        list(zip(matching.ids.tolist(), matching.scores.tolist(), strict=True)),
        rrf_k=settings.rrf_k,
        vector_weight=settings.vector_weight,
        fulltext_weight=settings.fts_weight,
    )


def order(store: Store, fused: dict[int, Fused]) -> list[Fused]:
    """Best first; equals by path and then position in the document."""
    candidates = list(fused.values())
    ids = np.array([candidate.id for candidate in candidates], dtype=np.int64)
    scores = np.array([candidate.score for candidate in candidates], dtype=np.float64)
    kept = np.flatnonzero((scores > 0) & store.fulltext.present(ids))
    return [candidates[i] for i in kept[in_order(store.database, ids[kept], as_compared(scores[kept]))].tolist()]


def column_weights(settings: FusionSettings) -> ColumnWeights:
    """The full-text tables' column weights."""
    return ColumnWeights(
        heading=settings.bm25_heading_weight,
        context=settings.bm25_context_weight,
        content=settings.bm25_content_weight,
    )


def rerank_input(stored: StoredChunk, *, contextual: bool) -> str:
    """What a reranker reads of a candidate."""
    chunk = stored.chunk
    return f"{chunk.context}\n\n{chunk.content}" if contextual and chunk.context else chunk.content


def _candidates(ranked: Sequence[_Ranked]) -> Candidates:
    return Candidates(
        ids=np.array([candidate.fused.id for candidate in ranked], dtype=np.int64),
        scores=np.array([candidate.score for candidate in ranked], dtype=np.float64),
    )


def _explanation(ranked: _Ranked, results: LegResults) -> Explanation:
    vector_rank, vector_score = _place_in(results.vector.candidates, ranked.fused.id)
    fulltext_rank, fulltext_score = _place_in(results.fulltext.candidates, ranked.fused.id)
    return Explanation(
        vector_rank=vector_rank,
        vector_score=vector_score,
        fulltext_rank=fulltext_rank,
        fulltext_score=fulltext_score,
        fused_score=ranked.fused.score,
        fused_rank=ranked.fused_rank,
        from_vector=ranked.fused.from_vector,
        from_fulltext=ranked.fused.from_fulltext,
        rerank_score=ranked.rerank_score,
        rank_after_rerank=ranked.rank_after_rerank,
        rank_after_mmr=ranked.rank_after_mmr,
    )


def _place_in(candidates: Candidates, chunk_id: int) -> tuple[int, float] | tuple[None, None]:
    """A chunk's rank, from 1, and score among a leg's candidates."""
    places = np.flatnonzero(candidates.ids == chunk_id)
    return (int(places[0]) + 1, float(candidates.scores[places[0]])) if len(places) else (None, None)


def _mean_direction(windows: Vectors) -> Vectors:
    """One unit vector for a chunk of several windows."""
    mean: Vectors = windows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / np.float32(length) if length > 0 else mean


def _report(
    mode: Mode,
    query: CompiledQuery,
    vector: Leg,
    fulltext: Leg,
    *,
    abstains: str | None,
    searchable: bool,
) -> Legs:
    degraded, reason = None, None
    if mode is not Mode.KEYWORD and abstains is not None:
        degraded, reason = "fulltext_only", abstains
    elif mode is not Mode.SEMANTIC and not searchable:
        degraded, reason = "vector_only", "the query has no word the full-text index can look up"
    return Legs(
        vector_candidates=None if mode is Mode.KEYWORD else len(vector.candidates),
        fulltext_candidates=None if mode is Mode.SEMANTIC else len(fulltext.candidates),
        dropped_terms=query.dropped,
        degraded=degraded,
        reason=reason,
    )


def _query_notes(query: CompiledQuery) -> list[str]:
    if not query.is_empty:
        return []
    if query.has_exclusions:
        return ["the query only excludes; name something to look for as well"]
    return ["the query is empty; name something to look for"]

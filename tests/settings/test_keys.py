from __future__ import annotations

from dataclasses import replace

from grooveseek.settings.keys import Kind, build, flatten, keys, tables
from grooveseek.settings.sections import Settings


def test_every_key_of_the_documentation_is_there():
    documented = """
        kb_path model reranker rerank_by_default fastembed_cache_dir exclude_headings exclude_dirs
        quality_filter.enabled quality_filter.threshold best_practice.path_templates parsers.enabled
        parsers.code.max_chunk_chars index.path index.max_raw_text_size index.max_raw_binary_size
        index.max_decompressed_size watch.enabled watch.debounce_ms transport.kind transport.http.bind
        transport.http.allowed_hosts transport.http.allowed_origins transport.http.healthz_public
        transport.http.max_sessions eval.golden eval.history_size eval.k_values eval.regression_threshold
        search.min_confidence_ratio search.mmr.enabled search.mmr.lambda search.mmr.same_doc_penalty
        search.fusion.rrf_k search.fusion.bm25_heading_weight search.fusion.bm25_context_weight
        search.fusion.bm25_content_weight search.fusion.vector_weight search.fusion.fts_weight search.fusion.method
        search.parent_retriever.enabled search.parent_retriever.whole_doc_threshold_tokens
        search.parent_retriever.max_expanded_tokens contextual.enabled embedding.provider embedding.model
        embedding.base_url embedding.dimension embedding.api_key_env embedding.query_prefix embedding.passage_prefix
        embedding.batch_size embedding.timeout_secs
    """.split()  # noqa: SIM905 - fifty quoted names would be harder to read
    assert set(documented) <= set(keys())


def test_kinds_are_read_off_the_annotations():
    expected = {
        "kb_path": Kind.PATH,
        "model": Kind.TEXT,
        "watch.enabled": Kind.BOOL,
        "watch.debounce_ms": Kind.INT,
        "search.mmr.lambda": Kind.FLOAT,
        "exclude_dirs": Kind.TEXTS,
        "transport.http.allowed_origins": Kind.TEXTS,
        "eval.k_values": Kind.INTS,
        "embedding.dimension": Kind.INT,
    }
    assert {name: keys()[name].kind for name in expected} == expected


def test_tables_include_those_that_only_lead_to_others():
    assert {"parsers", "parsers.code", "search", "search.mmr", "transport.http"} <= tables()
    assert not tables() & set(keys())


def test_flat_and_nested_are_the_same_settings():
    settings = Settings()
    settings = replace(settings, model="x", search=replace(settings.search, min_confidence_ratio=0.5))
    flat = flatten(settings)
    assert flat["model"] == "x"
    assert flat["search.min_confidence_ratio"] == 0.5
    assert build(flat) == settings


def test_what_is_not_given_is_the_default():
    settings = build({"search.mmr.lambda": 0.1})
    assert settings.search.mmr.lambda_ == 0.1
    assert replace(settings, search=Settings().search) == Settings()


def test_a_key_without_a_default_has_an_example():
    bare = [key.name for key in keys().values() if key.default is None and not key.size and key.example is None]
    assert bare == []

from dataclasses import replace

import pytest
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.evaluation.fingerprint import ConfigFingerprint
from grooveseek.evaluation.golden import parse_golden
from grooveseek.evaluation.hits import Level
from grooveseek.evaluation.measured_with import fingerprint_of
from grooveseek.evaluation.measures import Gain
from grooveseek.evaluation.options import EvalOptions
from grooveseek.model.query import Mode
from grooveseek.retrieval.query import COMPILER_VERSION
from grooveseek.settings.sections import FusionSettings, MmrSettings, SearchSettings
from tests.conftest import OpenKb
from tests.support.eval_bases import GOLDEN, NOTES

SET = parse_golden(GOLDEN.encode())


@pytest.fixture
def measured_with(open_kb: OpenKb):
    kb = open_kb(files=NOTES)
    kb.index()

    def make(
        options: EvalOptions | None = None, search: SearchSettings | None = None, reranker: str | None = None
    ) -> ConfigFingerprint:
        meta = kb.store().meta
        return fingerprint_of(SET, options or EvalOptions(), search or SearchSettings(), meta, reranker=reranker)

    return make


def test_it_holds_what_the_index_the_golden_set_and_the_program_are(measured_with):
    found = measured_with()
    identity = FakeEmbedder().identity
    assert found.model["name"] == identity.name
    assert found.model["dimension"] == identity.dimension
    assert found.golden == SET.sha256
    assert found.fts_query_version == COMPILER_VERSION
    assert (found.context, found.limit, found.k_values, found.reranker) == ("static", 10, (1, 5, 10), None)


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (EvalOptions(k_values=(3,)), {"k_values"}),
        (EvalOptions(limit=7), {"limit"}),
        (EvalOptions(level=Level.DOCUMENT), {"level"}),
        (EvalOptions(gain=Gain.EXP2), {"gain"}),
        (EvalOptions(mmr=True), {"mmr.enabled", "mmr.lambda", "mmr.same_doc_penalty"}),
        (EvalOptions(mmr_lambda=0.1), set()),
        (EvalOptions(mode=Mode.KEYWORD), {"mode", "fusion.method", "fusion.alpha"}),
    ],
)
def test_an_option_that_has_an_effect_shows_and_another_does_not(measured_with, options: EvalOptions, keys: set[str]):
    assert {difference.key for difference in measured_with(options).differences(measured_with())} == keys


def test_settings_show_under_the_method_that_reads_them(measured_with):
    default = SearchSettings()
    rrf = replace(default, fusion=FusionSettings(method="rrf"))
    assert measured_with(search=rrf).fusion["rrf_k"] == 60.0
    assert "alpha" not in measured_with(search=rrf).fusion
    other_rrf_k = replace(default, fusion=FusionSettings(rrf_k=10.0))
    assert measured_with(search=other_rrf_k) == measured_with()


def test_flags_stand_above_settings(measured_with):
    search = SearchSettings(mmr=MmrSettings(enabled=True, lambda_=0.2))
    assert measured_with(search=search).mmr == {"enabled": True, "lambda": 0.2, "same_doc_penalty": 0.0}
    assert measured_with(EvalOptions(mmr=False), search).mmr == {"enabled": False}
    assert measured_with(EvalOptions(mmr_lambda=0.9), search).mmr["lambda"] == 0.9


def test_a_reranker_shows(measured_with):
    assert [str(d) for d in measured_with(reranker="fake").differences(measured_with())] == [
        "reranker is fake, was none"
    ]

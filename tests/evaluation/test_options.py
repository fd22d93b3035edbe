import pytest
from grooveseek.errors import UsageError
from grooveseek.evaluation.measures import Gain
from grooveseek.evaluation.options import EvalOptions
from grooveseek.model.query import Mode, SearchRequest


def test_cutoffs_are_sorted_and_named_once():
    assert EvalOptions(k_values=(10, 1, 5, 1)).k_values == (1, 5, 10)


@pytest.mark.parametrize(
    ("k_values", "limit", "depth"), [((1, 5), None, 10), ((1, 50), None, 50), ((1, 50), 20, 20), ((1,), 3, 3)]
)
def test_as_many_ranks_are_measured_as_the_cutoffs_need(k_values: tuple[int, ...], limit: int | None, depth: int):
    assert EvalOptions(k_values=k_values, limit=limit).depth == depth


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"k_values": ()}, "no cutoff"),
        ({"k_values": (0,)}, "--k is 0"),
        ({"k_values": (1001,)}, "--k is 1001"),
        ({"limit": 0}, "--limit is 0"),
        ({"limit": 1001}, "--limit is 1001; allowed is 1 to 1000"),
    ],
)
def test_a_number_out_of_range_is_named(options: dict[str, object], named: str):
    with pytest.raises(UsageError, match=named):
        EvalOptions(**options)


def test_a_search_is_what_the_options_say():
    options = EvalOptions(
        k_values=(3,), mode=Mode.KEYWORD, mmr=True, mmr_lambda=0.5, mmr_same_doc_penalty=0.1, parent_retriever=False
    )
    assert options.request("fog") == SearchRequest(
        query="fog", limit=10, mode=Mode.KEYWORD, rerank=False, mmr=True, mmr_lambda=0.5, mmr_same_doc_penalty=0.1,
        parent_retriever=False,
    )  # fmt: skip


def test_the_measure_to_look_at_first_has_the_deepest_cutoff_and_the_gain_asked_for():
    assert EvalOptions().primary == "nDCG@10"
    assert EvalOptions(k_values=(2, 7), gain=Gain.EXP2).primary == "nDCG(dcg='exp-log2')@7"

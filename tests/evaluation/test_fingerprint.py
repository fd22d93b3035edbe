from dataclasses import replace

import pytest
from tests.support.eval_runs import FINGERPRINT


def test_equal_settings_do_not_differ() -> None:
    assert FINGERPRINT.differences(replace(FINGERPRINT)) == ()


def test_what_differs_is_named_down_to_the_key() -> None:
    other = replace(
        FINGERPRINT, k_values=(1, 3), fusion={"method": "rrf", "rrf_k": 20.0}, reranker="bge", golden="b" * 64
    )
    assert [str(difference) for difference in other.differences(FINGERPRINT)] == [
        "reranker is bge, was none",
        "k_values is 1,3, was 1,5,10",
        "golden is bbbbbbbbbbbb…, was aaaaaaaaaaaa…",
        "fusion.rrf_k is 20.0, was 60.0",
    ]


def test_a_part_only_one_run_has_differs() -> None:
    other = replace(FINGERPRINT, model={**FINGERPRINT.model, "pooling": "mean"})
    assert [str(difference) for difference in other.differences(FINGERPRINT)] == ["model.pooling is mean, was none"]
    assert [str(difference) for difference in FINGERPRINT.differences(other)] == ["model.pooling is none, was mean"]


def test_the_parts_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        FINGERPRINT.fusion["rrf_k"] = 1.0  # type: ignore[index]  # that it cannot be assigned is the point

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from grooveseek.evaluation.evalrun import QueryRun, decode_run, encode_run
from tests.support.eval_runs import make_run

RUN = replace(make_run({"nDCG@5": [0.5, 1.0], "RR": [0.25, 1.0]}), auroc={"confidence": 0.75, "low_confidence": 0.5})


def test_a_run_comes_back_from_json_as_it_was() -> None:
    assert decode_run(json.loads(json.dumps(encode_run(RUN), allow_nan=False))) == RUN


def test_an_undefined_mean_is_null_in_json() -> None:
    encoded = encode_run(replace(RUN, metrics={"RR": math.nan}))
    assert encoded["metrics"] == {"RR": None}
    assert math.isnan(decode_run(encoded).metrics["RR"])


def test_a_failed_query_keeps_its_reason() -> None:
    run = replace(RUN, queries={"q": QueryRun(metrics={"RR": 0.0}, failed="the query is too long")})
    assert decode_run(encode_run(run)).queries["q"].failed == "the query is too long"


def change(keys: str, value: Any) -> dict[str, Any]:
    encoded = json.loads(json.dumps(encode_run(RUN)))
    *parents, last = keys.split("/")
    inner = encoded
    for key in parents:
        inner = inner[int(key) if key.isdigit() else key]
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return encoded


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        ("time", KeyError, "time is missing"),
        ("time", 5, "time is int, not str"),
        ("averaged", True, "averaged is bool, not int"),
        ("metrics/RR", "high", "RR is 'high', not a finite number"),
        ("metrics/RR", True, "RR is True, not a finite number"),
        ("corpus/digest", KeyError, "digest is missing"),
        ("fingerprint/gain", KeyError, "fingerprint.gain is missing"),
        ("fingerprint/limit", "ten", "limit is str, not int"),
        ("fingerprint/k_values", [1, "5"], "k_values is str, not int"),
        ("fingerprint/fusion", {"rrf_k": [60]}, "fusion.rrf_k is [60], not a single value"),
        ("fingerprint/reranker", 5, "reranker is int, not str"),
        ("queries/q0", [], "query is list, not dict"),
        ("queries/q0/top/0/chunk", None, "chunk is NoneType, not int"),
        ("queries/q0/top/0/score", None, "score is None, not a finite number"),
        ("queries/q0/failed", 5, "failed is int, not str"),
    ],
)
def test_what_was_never_written_is_refused_by_key(keys: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        decode_run(change(keys, value))


def test_something_else_is_no_run() -> None:
    with pytest.raises(ValueError, match="run is list, not dict"):
        decode_run([])

import math

import pytest
from grooveseek.evaluation.measures import auroc


@pytest.mark.parametrize(
    ("positives", "negatives", "area"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1, 0.2], [0.9, 0.8], 0.0),
        ([1.0, 1.0], [1.0, 1.0], 0.5),
        ([3, 1], [2], 0.5),  # pairs: 3 > 2 counts 1, 1 > 2 counts 0
        ([2, 3], [2, 1], 3.5 / 4),  # 2-2 ties for a half; 2-1, 3-2 and 3-1 are won
    ],
)
def test_area_is_the_share_of_pairs_won(positives: list[float], negatives: list[float], area: float) -> None:
    assert auroc(positives, negatives) == pytest.approx(area)


@pytest.mark.parametrize(("positives", "negatives"), [([], [1.0]), ([1.0], []), ([], []), ([math.nan], [1.0])])
def test_one_empty_side_leaves_it_undefined(positives: list[float], negatives: list[float]) -> None:
    assert math.isnan(auroc(positives, negatives))


def test_a_score_that_was_not_computed_is_left_out() -> None:
    assert auroc([0.9, math.nan], [0.1, math.nan]) == 1.0

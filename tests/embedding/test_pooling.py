import numpy as np
import pytest
from grooveseek.embedding.pooling import Pooling, pool, unit_rows
from grooveseek.errors import BadVector

HIDDEN = np.array(
    [
        [[1, 2], [3, 6], [100, 100]],
        [[4, 0], [0, 0], [2, 3]],
    ],
    dtype=np.float32,
)
MASK = np.array([[1, 1, 0], [1, 1, 1]], dtype=np.int64)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Pooling.MEAN, [[2, 4], [2, 1]]),
        (Pooling.CLS, [[1, 2], [4, 0]]),
        (Pooling.LAST, [[3, 6], [2, 3]]),
    ],
)
def test_pooling_of_tokens_leaves_padding_out(how, expected):
    assert pool(HIDDEN, MASK, how).tolist() == expected


def test_a_model_that_pools_itself_is_taken_as_it_is():
    rows = np.array([[1, 2], [3, 4]], dtype=np.float16)
    pooled = pool(rows, MASK, Pooling.NONE)
    assert pooled.tolist() == [[1, 2], [3, 4]]
    assert pooled.dtype == np.float32


def complaint(index, fault):
    return f"row {index} is {fault}"


def test_rows_become_unit_rows():
    unit = unit_rows(np.array([[3, 4], [0, -2]], dtype=np.float32), complaint)
    assert np.allclose(unit, [[0.6, 0.8], [0, -1]])
    assert unit.dtype == np.float32


def test_no_rows_are_no_rows():
    assert unit_rows(np.zeros((0, 4), dtype=np.float32), complaint).shape == (0, 4)


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ([0, 0], "of zero length"),
        ([np.nan, 1], "not finite"),
        ([1, np.inf], "not finite"),
        ([-np.inf, 0], "not finite"),
    ],
)
def test_the_first_row_that_is_no_vector_is_named(bad, fault):
    with pytest.raises(BadVector, match=f"^row 1 is {fault}$"):
        unit_rows(np.array([[1, 0], bad, [0, 0]], dtype=np.float32), complaint)


def test_the_largest_and_smallest_numbers_keep_their_direction():
    unit = unit_rows(np.array([[3e38, 3e38], [1e-30, 0]], dtype=np.float32), complaint)
    assert np.allclose(unit, [[0.5**0.5, 0.5**0.5], [1, 0]])

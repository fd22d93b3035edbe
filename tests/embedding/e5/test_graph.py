import numpy as np
from grooveseek.embedding.e5.graph import quantise


def test_weights_are_whole_numbers_of_seven_bits_times_a_scale_a_column():
    weights = np.array([[6.4, 0.0, -1.0], [-3.2, 0.0, 0.5], [0.05, 0.0, 0.25]], np.float32)
    scale, rounded = quantise(weights)
    np.testing.assert_allclose(scale, [0.1, 1.0, 1 / 64], rtol=1e-6)
    assert rounded.tolist() == [[64, 0, -64], [-32, 0, 32], [0, 0, 16]]
    assert (scale.dtype, rounded.dtype) == (np.float32, np.int8)

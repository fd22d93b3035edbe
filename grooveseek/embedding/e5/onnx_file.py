"""Writes ONNX files: as much of the format (onnx.proto, IR version 10) as a graph of one data flow needs.

The bytes depend on nothing but what is put in, so what is built can be compared with a hash known beforehand, whatever
versions of other libraries are installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FLOAT, INT32, INT64 = 1, 6, 7
"""TensorProto.DataType."""
_TYPES = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": INT32, "int64": INT64, "float16": 10}
_IR_VERSION = 10
_A_FLOAT, _AN_INT, _A_STRING = 1, 2, 3
"""AttributeProto.AttributeType."""

Attribute = int | float | str


class Graph:
    """A graph in the making. Nodes are written in the order they were added, which must be that of the data."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Add an initializer; a number is written as a tensor of one. Returns its name."""
        array = np.atleast_1d(value)
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        dims = b"".join(_number(1, size) for size in array.shape)
        kind = _number(2, _TYPES[array.dtype.name])
        self._constants.append(dims + kind + _text(8, name) + _bytes(9, little.tobytes()))
        return name

    def op(
        self, kind: str, inputs: Sequence[str], output: str | Sequence[str], domain: str = "", **attributes: Attribute
    ) -> str:
        """Add a node; an empty name is an input left out. Returns the name of its first output."""
        outputs = [output] if isinstance(output, str) else list(output)
        node = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
        node += _text(3, f"{outputs[0]}_node") + _text(4, kind)
        node += b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(node + (_text(7, domain) if domain else b""))
        return outputs[0]

    def save(
        self,
        path: Path,
        *,
        inputs: Mapping[str, tuple[int, Sequence[str | int]]],
        outputs: Mapping[str, tuple[int, Sequence[str | int]]],
        opsets: Mapping[str, int],
    ) -> None:
        """Write the model; ``inputs`` and ``outputs`` are each name's data type and shape, named axes as text."""
        graph = b"".join(_bytes(1, node) for node in self._nodes) + _text(2, self._name)
        graph += b"".join(_bytes(5, constant) for constant in self._constants)
        graph += b"".join(_bytes(11, _value(name, *form)) for name, form in inputs.items())
        graph += b"".join(_bytes(12, _value(name, *form)) for name, form in outputs.items())
        model = _number(1, _IR_VERSION) + _text(2, "grooveseek") + _bytes(7, graph)
        model += b"".join(_bytes(8, _text(1, domain) + _number(2, version)) for domain, version in opsets.items())
        path.write_bytes(model)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, _A_STRING)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + np.float32(value).tobytes() + _number(20, _A_FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _AN_INT)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    axes = (_text(2, axis) if isinstance(axis, str) else _number(1, axis) for axis in shape)
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, axis) for axis in axes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


# Protocol Buffers' wire format: https://protobuf.dev/programming-guides/encoding/


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative number is written as its two's complement
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)

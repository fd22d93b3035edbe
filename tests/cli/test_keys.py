from __future__ import annotations

import os

import pytest
from grooveseek.cli.keys import posix_key

pytestmark = pytest.mark.skipif(os.name == "nt", reason="file handles that select() takes are a POSIX thing")


def keys_of(data: bytes) -> list[str]:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    found = []
    try:
        while True:
            found.append(posix_key(reading))
    except EOFError:
        return found
    finally:
        os.close(reading)


def test_each_character_is_a_key_whatever_its_bytes():
    assert keys_of("4s é船😀".encode()) == ["4", "s", " ", "é", "船", "😀"]


def test_an_arrow_is_one_key_that_means_nothing():
    assert keys_of(b"\x1b[A") == ["\x1b"]


@pytest.mark.parametrize("data", [b"", b"\x04", "船".encode()[:2]])
def test_the_end_is_told(data: bytes):
    assert keys_of(data) == []

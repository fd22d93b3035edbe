import os
import stat
from pathlib import Path

import pytest
from grooveseek.evaluation.replacing import replace_whole


def test_the_file_holds_the_bytes_and_nothing_is_left_beside_it(tmp_path: Path):
    file = tmp_path / "a.json"
    replace_whole(file, b"one")
    replace_whole(file, b"two")
    assert file.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits to keep")
def test_the_permissions_stay(tmp_path: Path):
    file = tmp_path / "a.json"
    file.write_bytes(b"one")
    file.chmod(0o640)
    replace_whole(file, b"two")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "a.json"
    file.write_bytes(b"one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_whole(file, b"two")
    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]

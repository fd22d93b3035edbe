"""What the tests of this folder share: folders made from a listing, and a way to be refused by the file system."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """Make a folder with the files named (``a/b.md``) and the empty folders (``a/``)."""

    def make(*names: str) -> Path:
        root = tmp_path / "kb"
        root.mkdir(exist_ok=True)
        for name in names:
            path = root / name
            if name.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"# x\n")
        return root

    return make


@pytest.fixture
def locked_out() -> Iterator[Path]:
    """A folder, as a user whom file modes hold back: the super-user reads everything, so it steps down meanwhile."""
    if os.name != "posix":
        pytest.skip("file modes are POSIX")
    folder = Path(tempfile.mkdtemp(prefix="groove-locked-"))
    was = os.geteuid()
    if was == 0:
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if was == 0:
            os.seteuid(0)
        for path in folder.rglob("*"):
            path.chmod(0o700)
        shutil.rmtree(folder)

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from grooveseek.errors import HistoryError
from grooveseek.evaluation.history import (
    MAX_HISTORY_BYTES,
    History,
    append_run,
    load_baseline,
    load_history,
    record_run,
    save_baseline,
)
from tests.support.eval_runs import make_run, measured_with

OLD, MIDDLE, NEW = (
    make_run({"RR": [0.5, value]}, time=f"2026-01-0{i}T00:00:00Z") for i, value in enumerate((0.1, 0.2, 1), 1)
)


REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".groove-eval-history.json"


def test_no_file_is_an_empty_history(path: Path) -> None:
    assert load_history(path) == History()


def test_runs_come_back_oldest_first(path: Path) -> None:
    history = append_run(path, append_run(path, History(), OLD, keep=10), NEW, keep=10)
    assert history.runs == (OLD, NEW)
    assert load_history(path) == history
    assert list(path.parent.iterdir()) == [path]


RECORD_AGAIN_AND_AGAIN = """
import sys
from pathlib import Path
from grooveseek.evaluation.history import record_run
from tests.support.eval_runs import make_run
for number in range(20):
    record_run(Path(sys.argv[1]), make_run({"RR": [1.0]}, time=f"{sys.argv[2]}-{number}"), keep=1000)
"""


def test_processes_that_write_at_the_same_time_lose_no_run(path: Path) -> None:
    command = [sys.executable, "-c", RECORD_AGAIN_AND_AGAIN, str(path)]
    writing = [subprocess.Popen([*command, str(number)], cwd=REPOSITORY) for number in range(4)]
    assert [process.wait(120) for process in writing] == [0] * 4
    history = load_history(path)
    assert history.note is None
    assert sorted(run.time for run in history.runs) == sorted(f"{n}-{m}" for n in range(4) for m in range(20))


def test_a_history_whose_lock_is_held_for_long_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grooveseek.evaluation.history.LOCK_SECONDS", 0.01)
    with FileLock(f"{path}.lock"), pytest.raises(HistoryError, match=r"another groove has held .*\.lock for 0 s"):
        record_run(path, OLD, keep=10)
    assert not path.exists()
    assert record_run(path, OLD, keep=10).runs == (OLD,)


def test_a_history_whose_lock_cannot_be_made_says_so(path: Path) -> None:
    (path.parent / "file").write_text("no folder")
    with pytest.raises(HistoryError, match=r"could not be written: .* cannot be locked"):
        record_run(path.parent / "file" / path.name, OLD, keep=10)


def test_only_the_newest_are_kept(path: Path) -> None:
    history = History(runs=(OLD, MIDDLE))
    assert append_run(path, history, NEW, keep=2).runs == (MIDDLE, NEW)
    assert load_history(path).runs == (MIDDLE, NEW)


def test_the_oldest_are_dropped_to_fit_the_cap(path: Path) -> None:
    append_run(path, History(), NEW, keep=10)
    room_for_two = path.stat().st_size * 2
    assert append_run(path, History(runs=(OLD, MIDDLE)), NEW, keep=10, max_bytes=room_for_two).runs == (MIDDLE, NEW)
    assert path.stat().st_size <= room_for_two


def test_the_cap_is_on_the_file_to_the_byte(path: Path) -> None:
    append_run(path, History(runs=(OLD, MIDDLE)), NEW, keep=10)
    exact = path.stat().st_size
    assert len(append_run(path, History(runs=(OLD, MIDDLE)), NEW, keep=10, max_bytes=exact).runs) == 3
    assert len(append_run(path, History(runs=(OLD, MIDDLE)), NEW, keep=10, max_bytes=exact - 3).runs) == 2


def test_a_run_over_the_cap_leaves_the_file_as_it_was(path: Path) -> None:
    append_run(path, History(), OLD, keep=10)
    before = path.read_bytes()
    with pytest.raises(HistoryError, match="--no-history"):
        append_run(path, History(), NEW, keep=10, max_bytes=200)
    assert path.read_bytes() == before


def test_the_previous_run_is_the_newest_measured_the_same_way() -> None:
    other = measured_with(NEW, gain="exp2")
    history = History(runs=(OLD, MIDDLE, other))
    assert history.compatible(NEW.fingerprint) is MIDDLE
    assert history.latest is other
    assert history.compatible(measured_with(NEW, limit=3).fingerprint) is None
    assert History().latest is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not JSON"),
        (b"{", "it is not JSON"),
        (b'{"format": NaN}', "it is not JSON"),
        (b"\xff", "it is not UTF-8"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"[]", 'it has no "format": "groove-eval-history"'),
        (b'{"format": "groove-eval-baseline", "version": 1}', 'it has no "format": "groove-eval-history"'),
        (b'{"format": "groove-eval-history", "version": "1"}', "its version is '1'"),
        (b'{"format": "groove-eval-history", "version": 1, "runs": {}}', "it has no list of runs"),
    ],
)
def test_content_that_does_not_parse_starts_afresh_and_says_so(path: Path, content: bytes, why: str) -> None:
    path.write_bytes(content)
    history = load_history(path)
    assert history.runs == ()
    assert history.note == f"{path} holds no evaluation history ({why}). Starting a new one."


def test_one_bad_run_does_not_cost_the_others(path: Path) -> None:
    append_run(path, History(runs=(OLD,)), NEW, keep=10)
    document = json.loads(path.read_text("utf-8"))
    document["runs"].insert(1, {"time": "2026"})
    path.write_text(json.dumps(document), "utf-8")
    history = load_history(path)
    assert history.runs == (OLD, NEW)
    assert history.note == f"{path}: 1 of 3 runs could not be read and are dropped."


@pytest.mark.parametrize("load", [load_history, load_baseline])
def test_a_file_of_a_later_groove_is_left_alone(path: Path, load: object) -> None:
    kind = "history" if load is load_history else "baseline"
    path.write_text(f'{{"format": "groove-eval-{kind}", "version": 2}}', "utf-8")
    with pytest.raises(HistoryError, match="later groove"):
        load(path)  # type: ignore[operator]  # one of the two functions


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_is_an_error_and_what_it_points_at_survives(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("precious", "utf-8")
    path.symlink_to(target)
    with pytest.raises(HistoryError, match="link"):
        load_history(path)
    with pytest.raises(HistoryError, match="link"):
        load_baseline(path)
    with pytest.raises(HistoryError, match="it is a link"):
        append_run(path, History(), NEW, keep=10)
    with pytest.raises(HistoryError, match="it is a link"):
        save_baseline(path, NEW)
    assert path.is_symlink()
    assert target.read_text("utf-8") == "precious"
    assert sorted(tmp_path.iterdir()) == sorted([path, target])


def test_a_folder_in_its_place_is_an_error(path: Path) -> None:
    path.mkdir()
    with pytest.raises(HistoryError, match="cannot be used"):
        load_history(path)
    with pytest.raises(HistoryError, match="not a regular file"):
        save_baseline(path, NEW)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_that_may_not_be_read_is_an_error_not_a_fresh_start(path: Path) -> None:
    path.write_text("{}", "utf-8")
    path.chmod(0)
    with pytest.raises(HistoryError, match="cannot be used"):
        load_history(path)


def test_a_file_over_the_cap_is_an_error_not_a_fresh_start(path: Path) -> None:
    with path.open("wb") as handle:
        handle.truncate(MAX_HISTORY_BYTES + 1)
    with pytest.raises(HistoryError, match="cannot be used"):
        load_history(path)


def test_a_write_that_fails_keeps_the_old_file_and_leaves_no_litter(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_run(path, History(), OLD, keep=10)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HistoryError, match="could not be written: No space left on device"):
        append_run(path, History(runs=(OLD,)), NEW, keep=10)
    assert load_history(path).runs == (OLD,)
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="could not be written"):
        save_baseline(tmp_path / "none" / "baseline.json", NEW)


def test_a_baseline_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(path, NEW)
    assert load_baseline(path) == NEW
    assert path.read_text("utf-8").endswith("}\n")


def test_a_baseline_that_is_missing_or_broken_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    with pytest.raises(HistoryError, match="no such baseline"):
        load_baseline(path)
    path.write_text('{"format": "groove-eval-baseline", "version": 1}', "utf-8")
    with pytest.raises(HistoryError, match=r"is not a baseline \(run is NoneType, not dict\)"):
        load_baseline(path)

import ctypes
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from grooveseek.parsing import process_limits
from grooveseek.parsing.process_limits import (
    limit_own_memory,
    no_window_flag,
    resident_bytes,
    silence_crash_dialogs,
)

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@linux_only
def test_this_process_holds_some_memory_and_a_missing_one_none() -> None:
    held = resident_bytes(os.getpid())
    assert held is not None
    assert 5 << 20 < held < 50 << 30
    assert resident_bytes(1 << 22) is None


@linux_only
def test_ps_tells_about_the_same() -> None:
    by_ps, by_proc = resident_bytes(os.getpid(), "darwin"), resident_bytes(os.getpid(), "linux")
    if by_ps is None:
        pytest.skip("no ps on this machine")
    assert by_proc is not None
    assert 0.5 < by_ps / by_proc < 2


def test_without_ps_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert resident_bytes(os.getpid(), "darwin") is None


def test_windows_is_asked_for_the_working_set() -> None:
    closed = []

    def fill(handle: object, counters: object, size: int) -> int:
        held = ctypes.cast(counters, ctypes.POINTER(process_limits._MemoryCounters)).contents
        assert size == ctypes.sizeof(held)
        held.WorkingSetSize = 123_456
        return 1

    kernel = SimpleNamespace(OpenProcess=ForeignFunction(42), K32GetProcessMemoryInfo=fill, CloseHandle=closed.append)
    assert process_limits._resident_windows(7, kernel) == 123_456
    assert [handle.value for handle in closed] == [42]
    kernel.OpenProcess = ForeignFunction(0)
    assert process_limits._resident_windows(7, kernel) is None


class ForeignFunction:
    """A foreign function: callable, with a result type to set."""

    restype: object = None

    def __init__(self, result: int) -> None:
        self._result = result

    def __call__(self, *_: object) -> int:
        return self._result


@linux_only
def test_the_address_space_is_capped_and_core_dumps_are_off() -> None:
    program = """if True:
        import resource
        from grooveseek.parsing.process_limits import limit_own_memory
        assert limit_own_memory(200 << 20)
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
        bytearray(50 << 20)
        try:
            bytearray(400 << 20)
        except MemoryError:
            print("capped")
        """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"capped\n"


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_elsewhere_the_address_space_is_left_to_the_parent(platform: str) -> None:
    assert not limit_own_memory(1, platform)


def test_only_windows_opens_windows() -> None:
    assert no_window_flag("win32") == 0x08000000
    assert no_window_flag("linux") == no_window_flag("darwin") == 0
    silence_crash_dialogs("linux")

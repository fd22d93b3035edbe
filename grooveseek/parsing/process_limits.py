"""What an operating system offers to hold a parser process in check; one function a matter, each system inside it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

_CORE_DUMPS_OFF = 0
_SEM_NO_DIALOGS = 0x0001 | 0x0002 | 0x8000
_QUERY_LIMITED_INFORMATION = 0x1000
_PS_TIMEOUT_SECONDS = 5


def limit_own_memory(extra_bytes: int, platform: str = sys.platform) -> bool:
    """Let this process map ``extra_bytes`` more than it has now, and no core dump; true when that is enforced.

    Only Linux enforces RLIMIT_AS. Elsewhere the parent watches the process with :func:`resident_bytes`.
    """
    if not platform.startswith("linux"):
        return False
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + extra_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (_CORE_DUMPS_OFF, _CORE_DUMPS_OFF))
    return True


def resident_bytes(pid: int, platform: str = sys.platform) -> int | None:
    """Memory the process holds in RAM, or ``None`` when it has ended or the system does not tell."""
    if platform.startswith("linux"):
        return _resident_linux(pid)
    if platform == "win32":
        return _resident_windows(pid)
    return _resident_ps(pid)


def silence_crash_dialogs(platform: str = sys.platform) -> None:
    """On Windows a crashed process would wait behind a dialog; have it end at once instead."""
    if platform == "win32":
        ctypes.windll.kernel32.SetErrorMode(_SEM_NO_DIALOGS)  # type: ignore[attr-defined,unused-ignore] # Windows only


def no_window_flag(platform: str = sys.platform) -> int:
    """Process creation flags that keep a console window from opening on Windows; 0 elsewhere."""
    return 0x08000000 if platform == "win32" else 0


def _resident_linux(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return None


def _resident_ps(pid: int) -> int | None:
    """macOS and the BSDs: ``ps`` gives kibibytes."""
    try:
        listed = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=_PS_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = listed.stdout.strip()
    return int(text) * 1024 if text.isdigit() else None


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of psapi.h."""

    _fields_ = (
        ("cb", ctypes.c_uint32),
        ("PageFaultCount", ctypes.c_uint32),
        ("PeakWorkingSetSize", ctypes.c_size_t),
        ("WorkingSetSize", ctypes.c_size_t),
        ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPagedPoolUsage", ctypes.c_size_t),
        ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
        ("QuotaNonPagedPoolUsage", ctypes.c_size_t),
        ("PagefileUsage", ctypes.c_size_t),
        ("PeakPagefileUsage", ctypes.c_size_t),
    )


def _resident_windows(pid: int, kernel32: Any = None) -> int | None:
    kernel = kernel32 or ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore] # Windows only
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(kernel.OpenProcess(_QUERY_LIMITED_INFORMATION, False, pid))
    if not handle:
        return None
    counters = _MemoryCounters(cb=ctypes.sizeof(_MemoryCounters))
    try:
        read = kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), counters.cb)
    finally:
        kernel.CloseHandle(handle)
    return int(counters.WorkingSetSize) if read else None

"""A real ``systemd --user`` in a mount namespace of its own, so that nothing of this machine is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

PROGRAM = Path("/lib/systemd/systemd")
_SECONDS = 30.0
_START = """
own=$(sed -n 's/^[0-9]*:name=systemd://p' /proc/self/cgroup)
if [ -n "$own" ]; then own=/sys/fs/cgroup/systemd$own
else own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup); fi
mkdir "$own/$1" && echo $$ >"$own/$1/cgroup.procs" || exit 1
mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/user/0 && chmod 700 /run/user/0 || exit 1
exec /lib/systemd/systemd --user --log-target=null
"""  # in a control group of its own: it takes all that is in the one it is started in for its own


class UserSystemd:
    """The manager; ``home`` is its user's. Commands are run beside it by :meth:`run`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._group = f"groove-test-{os.getpid()}"
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_RUNTIME_DIR": "/run/user/0",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", _START, "sh", self._group],
            env=self.environ,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *command: str, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        entered = ["nsenter", f"--target={self.process.pid}", "--mount", f"--wd={self.home}", *command]
        return subprocess.run(
            entered, env={**self.environ, **(environ or {})}, capture_output=True, text=True, timeout=120
        )

    def groove(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "grooveseek", *arguments, environ=environ)

    def is_up(self) -> bool:
        """Wait until it answers; false when it cannot run on this machine."""
        deadline = time.monotonic() + _SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            if self.run("systemctl", "--user", "show", "--property=Version").returncode == 0:
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()  # it stops its services first
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        for group in Path("/sys/fs/cgroup").glob(f"**/{self._group}"):
            for below in sorted([group, *(path for path in group.rglob("*") if path.is_dir())], reverse=True):
                below.rmdir()


def why_not() -> str | None:
    """What keeps a systemd of one's own from being started, or ``None``."""
    if not PROGRAM.exists():
        return "needs systemd"
    if os.geteuid() != 0:
        return "needs root for a mount namespace"
    if any(shutil.which(program) is None for program in ("unshare", "nsenter", "systemctl")):
        return "needs unshare and nsenter"
    return None

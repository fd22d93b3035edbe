"""A listening socket handed over by systemd (sd_listen_fds(3)): the port is open before the server is."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import MutableMapping

from grooveseek.errors import ConfigError

log = logging.getLogger(__name__)

FIRST_DESCRIPTOR = 3
_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def inherited_socket(environ: MutableMapping[str, str], *, first: int = FIRST_DESCRIPTOR) -> socket.socket | None:
    """The socket that was handed to this very process, or ``None``. The variables are taken out of the environment.

    Raises ConfigError when what was handed over is not one listening TCP socket.
    """
    given = {name: environ.pop(name, "") for name in _VARIABLES}
    if given["LISTEN_PID"] != str(os.getpid()):  # first of all: the variables may be another process's
        if given["LISTEN_PID"]:
            log.warning("LISTEN_PID is %s and not this process, so its sockets are left alone", given["LISTEN_PID"])
        return None
    if given["LISTEN_FDS"] != "1":
        raise ConfigError(
            f"systemd handed over {given['LISTEN_FDS'] or 'no'} sockets, and groove serves exactly one. Leave one "
            "ListenStream= in the .socket unit"
        )
    handed = _adopt(first)
    reason = _why_not(handed)
    if reason is not None:
        handed.close()
        raise ConfigError(
            f"systemd handed over a socket that {reason}. Use ListenStream=ADDRESS:PORT in the .socket unit"
        )
    handed.setblocking(False)
    return handed


def _adopt(descriptor: int) -> socket.socket:
    """The descriptor as a socket that no child inherits; the number itself is given up."""
    try:
        os.set_inheritable(descriptor, False)
        handed = socket.socket(fileno=os.dup(descriptor))
    except OSError as error:
        raise ConfigError(
            f"systemd handed over descriptor {descriptor}, which is no socket ({error.strerror or error}). Use "
            "ListenStream=ADDRESS:PORT in the .socket unit"
        ) from error
    os.close(descriptor)
    return handed


def _why_not(handed: socket.socket) -> str | None:
    """The type first: whether it listens is a question for stream sockets only."""
    if handed.family not in (socket.AF_INET, socket.AF_INET6):
        return "is not a TCP socket"
    if handed.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE) != socket.SOCK_STREAM:
        return "is not a stream socket"
    accepts = getattr(socket, "SO_ACCEPTCONN", None)
    if accepts is None:
        return None
    with contextlib.suppress(OSError):  # macOS cannot say, and has no systemd either
        return None if handed.getsockopt(socket.SOL_SOCKET, accepts) else "does not listen (Accept=yes?)"
    return None

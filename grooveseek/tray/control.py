"""What the menu does, and the polling behind the dot. Knows no screen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from grooveseek.errors import GrooveError
from grooveseek.service.backend import Backend
from grooveseek.service.probe import ServerStatus, ask_status, reachable_address
from grooveseek.service.processes import stop_server
from grooveseek.tray.health import PERIOD, Health


@dataclass(slots=True, kw_only=True)
class Control:
    """One service under the dot. ``bind`` is its address; ``changed`` is called when what is shown may have changed.

    Actions come from the menu and polls from a thread of their own, so what they share is held under a lock; an action
    that is asked for while another is under way is refused.
    """

    name: str
    bind: str
    backend: Backend
    ask: Callable[[str], ServerStatus | None] = ask_status
    stop_at: Callable[[str], int] = stop_server
    clock: Callable[[], float] = time.monotonic
    changed: Callable[[], None] = lambda: None
    health: Health = field(default_factory=Health)
    message: str = ""
    _due: float = float("-inf")
    _acting: threading.Lock = field(default_factory=threading.Lock)
    _holding: threading.Lock = field(default_factory=threading.Lock)
    _turns: int = 0

    @property
    def sentence(self) -> str:
        """The first line of the menu."""
        return self.message or self.health.sentence(self.name)

    @property
    def page(self) -> str:
        """The search page's address."""
        host, port = reachable_address(self.bind)
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/ui"

    def poll_when_due(self) -> float:
        """Ask the server if it is time to; the seconds until the next time."""
        now = self.clock()
        if now >= self._due:
            self._due = now + PERIOD
            turns = self._turns
            status = self.ask(self.bind)
            with self._holding:
                if turns == self._turns:  # an answer from before an action says nothing about after it
                    self.health = self.health.polled(status)
            self.changed()
        return max(self._due - self.clock(), 0.0)

    def start(self) -> None:
        """Have the service manager start the server."""
        self._act("starting", self._start)

    def stop(self) -> None:
        """End the server that answers, and see that its address is free."""
        self._act("stopping", self._stop)

    def restart(self) -> None:
        """End it if it answers, then start it."""
        self._act("restarting", self._restart)

    def _start(self) -> Health:
        self.backend.start(self.name)
        return self.health.told_to_start()

    def _stop(self) -> Health:
        self.stop_at(self.bind)
        return self.health.told_to_stop()

    def _restart(self) -> Health:
        if self.ask(self.bind) is not None:
            self.stop_at(self.bind)
        return self._start()

    def _act(self, word: str, action: Callable[[], Health]) -> None:
        """Do it, and keep what went wrong as the message. Raises nothing that groove raises on purpose."""
        if not self._acting.acquire(blocking=False):
            return
        try:
            self._say(f"{self.name}: {word}")
            health, message = self._outcome(action)
            with self._holding:
                self._turns += 1
                self.health = health
            self._due = float("-inf")
            self._say(message)
        finally:
            self._acting.release()

    def _outcome(self, action: Callable[[], Health]) -> tuple[Health, str]:
        try:
            return action(), ""
        except (GrooveError, OSError) as error:
            return self.health, str(error)

    def _say(self, message: str) -> None:
        self.message = message
        self.changed()

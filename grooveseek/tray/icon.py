"""The dot and its menu on the screen, by pystray."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from importlib import import_module
from typing import Any

from grooveseek.errors import ServiceError
from grooveseek.tray.control import Control
from grooveseek.tray.health import Dot

SIZE = 64
COLORS = {Dot.GRAY: "#8a8f98", Dot.GREEN: "#2fa84f", Dot.YELLOW: "#e8b40c", Dot.RED: "#d83a34"}


def draw(dot: Dot) -> Any:
    """The dot as a PIL image with a transparent ground; a white rim keeps it visible on any bar."""
    from PIL import Image, ImageDraw

    scale = 4  # drawn large and made small, for smooth edges
    image = Image.new("RGBA", (SIZE * scale, SIZE * scale), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    for inset, color in ((4, "#ffffff"), (9, COLORS[dot])):
        edge = inset * scale
        pen.ellipse((edge, edge, SIZE * scale - edge, SIZE * scale - edge), fill=color)
    return image.resize((SIZE, SIZE), Image.Resampling.BOX)


def show(control: Control, *, open_page: Callable[[str], object] = webbrowser.open) -> None:
    """Show the dot until Quit; polls in a thread of its own. Blocks, and wants the main thread (macOS insists).

    Raises ServiceError where there is no screen, or no tray that pystray can reach.
    """
    ending = threading.Event()
    try:
        _run(control, ending, open_page)
    except Exception as error:  # each desktop's library has errors of its own
        if ending.is_set():
            return  # the icon is gone; some desktops complain of what else there is to take down
        raise ServiceError(f"The tray icon cannot be shown: {type(error).__name__}: {error}.") from error


def _run(control: Control, ending: threading.Event, open_page: Callable[[str], object]) -> None:
    pystray = _pystray()
    images = {dot: draw(dot) for dot in Dot}
    icon = pystray.Icon("groove", images[control.health.dot], control.sentence, _menu(control, ending, open_page))
    shown = control.health.dot

    def refresh() -> None:
        nonlocal shown
        if ending.is_set():
            return
        if control.health.dot is not shown:
            shown = control.health.dot
            icon.icon = images[shown]
        icon.title = control.sentence[:120]  # Windows takes no more than 127
        icon.update_menu()

    def poll(_: object) -> None:
        icon.visible = True
        control.changed = refresh
        while not ending.is_set():
            ending.wait(min(control.poll_when_due(), 1.0))  # an action makes the next poll due at once

    icon.run(setup=poll)


def _pystray() -> Any:
    """The library, which ships no types and looks for a screen when it is imported."""
    return import_module("pystray")


def _menu(control: Control, ending: threading.Event, open_page: Callable[[str], object]) -> Any:
    """Status, Open Web UI, Start, Stop, Restart, Quit. Actions run in threads, for a menu must not wait."""
    kit = _pystray()
    item, separator = kit.MenuItem, kit.Menu.SEPARATOR

    def aside(action: Callable[[], object]) -> Callable[[Any, Any], None]:
        return lambda icon, chosen: threading.Thread(target=action, daemon=True).start()

    def leave(icon: Any, _: Any) -> None:
        ending.set()
        icon.stop()

    return kit.Menu(
        item(lambda _: control.sentence, None, enabled=False),
        separator,
        item("Open Web UI", aside(lambda: open_page(control.page)), default=True),
        item("Start", aside(control.start), enabled=lambda _: control.health.status is None),
        item("Stop", aside(control.stop), enabled=lambda _: control.health.status is not None),
        item("Restart", aside(control.restart)),
        separator,
        item("Quit", leave),
    )

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from grooveseek.tray.health import Dot
from grooveseek.tray.icon import COLORS, draw

pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="needs the extra tray (Pillow)")
pystray = pytest.mark.skipif(find_spec("pystray") is None, reason="needs the extra tray (pystray)")
ROOT = str(Path(__file__).parents[2])


def luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pillow
@pytest.mark.parametrize("dot", list(Dot))
def test_a_dot_has_its_colour_in_the_middle_a_white_rim_and_nothing_around(dot: Dot):
    image = draw(dot)
    assert image.size == (64, 64)
    color = tuple(int(COLORS[dot][start : start + 2], 16) for start in (1, 3, 5))
    assert image.getpixel((32, 32)) == (*color, 255)
    assert image.getpixel((6, 32)) == (255, 255, 255, 255)
    assert image.getpixel((0, 0))[3] == 0


def test_green_and_red_differ_in_brightness_too():
    green, red = sorted((luminance(COLORS[Dot.GREEN]), luminance(COLORS[Dot.RED])), reverse=True)
    assert (green + 0.05) / (red + 0.05) > 1.3


def tray(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grooveseek.tray", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")]), **environ},
    )


def test_a_service_that_is_not_there_is_told_in_a_line(tmp_path: Path):
    done = tray("--service-name", "none", GROOVE_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"groove-tray: {tmp_path / 'none' / 'groove.toml'}: ")
    assert done.stderr.count("\n") == 1


@pystray
@pytest.mark.skipif(sys.platform != "linux", reason="a screen can be missing on Linux only")
def test_a_missing_screen_is_told_in_a_line(tmp_path: Path):
    config = tmp_path / "groove.toml"
    config.write_text('[transport.http]\nbind = "127.0.0.1:9"\n')
    done = tray("--config", str(config), DISPLAY=":9999", WAYLAND_DISPLAY="", PYSTRAY_BACKEND="xorg")
    assert done.returncode == 2
    assert done.stderr.startswith("groove-tray: The tray icon cannot be shown: ")
    assert done.stderr.count("\n") == 1

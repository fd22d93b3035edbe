"""docs/serving.md speaks of the server there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from grooveseek.cli.serve import command
from grooveseek.knowledge_base.servable import MAX_TEXT_BYTES
from grooveseek.knowledge_base.watch import MAX_PATHS
from grooveseek.serving import http, sessions, stdio
from grooveseek.serving.admin import status_as_json
from grooveseek.serving.prompts import PROMPTS
from grooveseek.serving.tools.table import TOOLS
from grooveseek.settings.sections import HttpSettings, IndexSettings, WatchSettings

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The first column of the first table below a heading, each cell's code spans."""
    below = PAGE[PAGE.index(heading) :]
    rows = re.findall(r"^\| (.*?) \|", below[below.index("|---") :].split("\n\n")[0], re.MULTILINE)
    return [re.findall(r"`([^`]+)`", row) for row in rows]


def test_every_tool_has_its_row():
    assert [row[0] for row in table("## Tools")] == [tool.name for tool in TOOLS]


def test_every_flag_has_its_row():
    told = {span.split()[0] for row in table("# Serving") for span in row}
    shared = {"--config", "--kb-path", "--no-color"}
    assert told == {option for parameter in command.params for option in parameter.opts} - shared


def test_every_route_and_every_prompt_is_named():
    assert {row[0] for row in table("## HTTP")} == {"/mcp", "/ui", "/api/admin/status", "/healthz"}
    for prompt in PROMPTS:
        assert f"`{prompt.name}`" in PAGE


def test_the_figures_are_those_in_force():
    assert MAX_TEXT_BYTES == http.MAX_BODY_BYTES == stdio.MAX_LINE_BYTES == 1 << 20
    assert PAGE.count("1 MiB") == 6
    assert IndexSettings().max_decompressed_size == 50 << 20
    assert "50 MiB" in PAGE
    assert f"More than {MAX_PATHS} changed paths" in PAGE
    assert f"{WatchSettings().debounce_ms} by default" in PAGE
    assert f"{HttpSettings().bind} by default" in PAGE
    assert http._IDLE_SECONDS == 30 * 60
    assert sessions.RETRY_SECONDS > 0
    for name in HttpSettings().allowed_hosts:
        assert f"`{name}`" in PAGE


def test_the_status_has_the_keys_that_are_shown(served):
    shown = re.search(r"^    (\{\"daemon\".*?\})\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    keys = re.findall(r'"([a-z_]+)"', shown[1])
    status = status_as_json(served)
    status["indexing"]["progress"] = {"done": 0, "total": 0}

    def of(value: object) -> list[str]:
        return [k for key, inner in value.items() for k in (key, *of(inner))] if isinstance(value, dict) else []

    assert keys == of(status)
    assert json.dumps(status)

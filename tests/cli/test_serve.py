from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from grooveseek.app import KnowledgeBase
from grooveseek.embedding.fake import FakeEmbedder
from grooveseek.settings.sections import Settings
from tests.support.http_server import HttpServer, ask
from tests.support.rpc import StdioServer, groove_command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "a.md").write_text("# A\n\nalpha words\n")
    (tmp_path / "groove.toml").write_text('model = "fake"\n')
    return tmp_path


def run(folder: Path, *arguments: str, config: str | None = "groove.toml") -> subprocess.CompletedProcess[str]:
    """Run groove serve where it should end by itself."""
    named = [] if config is None else ["--config", str(folder / config)]
    command = groove_command("serve", *named, "--kb-path", str(folder / "kb"), *arguments)
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--port", "3100"], "Add --transport http"),
        (["--bind", "127.0.0.1:3100"], "Add --transport http"),
        (["--transport", "http", "--port", "1", "--bind", "127.0.0.1:1"], "both name a port"),
        (["--transport", "http", "--bind", "0.0.0.0:0"], "Add --i-know"),
        (["--transport", "http", "--bind", "[::]:0"], "Add --i-know"),
        (["--transport", "http", "--bind", "wiki.example:0"], "Add --i-know"),
        (["--transport", "http", "--bind", "127.0.0.1"], "must be an address and a port"),
        (["--transport", "http", "--bind", "127.0.0.1:70000"], "at most 65535"),
        (["--transport", "http", "--port", "70000"], "70000"),
        (["--transport", "smoke"], "smoke"),
        (["--debounce-ms", "1"], "debounce_ms"),
        (["--debounce-ms", "fast"], "fast"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_before_anything_starts(folder, arguments, complaint):
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stdout == ""
    assert not (folder / ".groove.db").exists()


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('allowed_origins = ["localhost:3100"]', "allowed_origins has 'localhost:3100', which is no origin"),
        ('allowed_hosts = ["http://localhost"]', "allowed_hosts has 'http://localhost', which is no host"),
    ],
)
def test_lists_that_make_no_sense_are_refused_at_the_start(folder, lines, complaint):
    (folder / "groove.toml").write_text(f'model = "fake"\n[transport.http]\n{lines}\n')
    done = run(folder, "--transport", "http", "--port", "0")
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_folder_that_is_not_there_is_told_of(folder):
    (folder / "kb" / "a.md").unlink()
    (folder / "kb").rmdir()
    done = run(folder)
    assert done.returncode == 2
    assert "does not exist" in done.stderr


def test_an_index_of_another_model_is_refused_with_the_way_out(folder):
    with KnowledgeBase(Settings(kb_path=folder / "kb"), embedder=FakeEmbedder(dimension=32)) as kb:
        kb.index()
    before = (folder / ".groove.db").read_bytes()
    done = run(folder)
    assert done.returncode == 2
    assert "groove index --force" in done.stderr
    assert (folder / ".groove.db").read_bytes() == before


def test_without_flags_it_speaks_over_stdio_and_ends_with_its_client(folder):
    done = run(folder)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the descriptors")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_a_client_that_has_gone(folder, closed):
    command = groove_command("serve", "--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb"))
    line = " ".join(f"'{part}'" for part in command)
    done = subprocess.run(["sh", "-c", f"{line} {closed}"], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert done.returncode == 0
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


def test_settings_choose_the_transport_and_flags_overrule_them(folder):
    (folder / "groove.toml").write_text(
        'model = "fake"\n[transport]\nkind = "http"\n[transport.http]\nbind = "127.0.0.1:0"\n'
    )
    command = groove_command("serve", "--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb"))
    with HttpServer(command) as server:
        server.when_indexed(1)
    assert run(folder, "--transport", "stdio").returncode == 0


def test_a_trusted_file_may_open_the_port_to_others_with_a_warning(folder):
    (folder / "groove.toml").write_text('model = "fake"\n[transport.http]\nbind = "0.0.0.0:0"\n')
    command = groove_command("serve", "--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb"))
    with HttpServer([*command, "--transport", "http"]) as server:
        server.wait_for("only names of this machine")


def test_a_file_that_was_found_may_not(folder):
    (folder / "groove.toml").write_text('model = "fake"\n[transport.http]\nbind = "0.0.0.0:0"\n')
    command = groove_command("serve", "--kb-path", str(folder / "kb"), "--transport", "http")
    launcher = [sys.executable, "-c", "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"]
    with HttpServer([*launcher, str(folder), *command]) as server:
        assert server.address == "127.0.0.1"
        assert ask(server.port, "/api/admin/status").json["config_source"] == "working-directory (untrusted)"
        assert "is kept on 127.0.0.1" in server.stderr


def test_the_watcher_can_be_left_off_or_given_another_pace(folder):
    command = groove_command("serve", "--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb"))
    for flags, watcher in [
        (["--no-watch"], {"active": False, "debounce_ms": 500}),
        (["--debounce-ms", "50"], {"active": True, "debounce_ms": 50}),
    ]:
        with HttpServer([*command, "--transport", "http", "--port", "0", *flags]) as server:
            server.when_indexed(1)
            assert ask(server.port, "/api/admin/status").json["watcher"] == watcher


def test_only_serve_imports_the_protocol(folder):
    """What the SDK costs, every other command is spared."""
    program = (
        "import json, sys\nfrom grooveseek.cli import main\ncode = main(sys.argv[1:])\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    command = [sys.executable, "-c", program, "serve", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert not loaded & {"mcp", "starlette", "uvicorn", "onnxruntime", "numpy", "apsw", "watchfiles"}


def test_an_install_without_a_console_still_speaks_json_alone(folder):
    """Started with GROOVE_LOG=debug and a groove.toml that is warned about, stdout stays the protocol's."""
    (folder / "groove.toml").write_text('model = "fake"\n[transport.http]\nallowed_hosts = ["x"]\n')
    launcher = [sys.executable, "-c", "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"]
    command = [*launcher, str(folder), *groove_command("serve", "--kb-path", str(folder / "kb"))]
    with StdioServer(command, environ={**os.environ, "GROOVE_LOG": "debug"}) as server:
        server.initialize()
        server.when_indexed(1)
        assert server.close_stdin() == 0
        assert b"allowed_hosts is ignored" in server.stderr
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)

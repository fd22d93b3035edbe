from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from grooveseek.serving.ui import content_security_policy, page
from tests.conftest import write_files
from tests.serving.conftest import FILES
from tests.support.browser import Browser
from tests.support.http_server import HttpServer
from tests.support.rpc import groove_command

MARKED = "<b>bold</b> & \"quoted\" café zebra 倉庫 the zebra again <script>document.title = 'broken'</script>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("ui")
    marked = f'---\ntags: ["<i>tag</i>"]\n---\n\n# Markup <img src=x onerror=alert(1)>\n\n{MARKED}\n'
    write_files(folder, {f"kb/{path}": text for path, text in {**FILES, "odd/markup.md": marked}.items()})
    (folder / "groove.toml").write_text('model = "fake"\n')
    config = ["--config", str(folder / "groove.toml"), "--kb-path", str(folder / "kb")]
    with HttpServer(groove_command("serve", *config, "--transport", "http", "--port", "0")) as server:
        server.when_indexed(7)
        yield server


@pytest.fixture(scope="module")
def shared() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def browser(shared: Browser, server: HttpServer) -> Browser:
    shared.events.clear()
    shared.color_scheme("light")
    shared.open(f"http://localhost:{server.port}/ui")
    shared.wait_for(READY)
    return shared


READY = "document.activeElement.id === 'query'"
RESULTS = "document.querySelectorAll('#results li').length"


def search(browser: Browser, text: str) -> None:
    browser.evaluate("document.getElementById('query').value = ''")
    browser.type(text)
    browser.key("Enter")
    browser.wait_for("document.getElementById('said').textContent.match(/result/i)")


def test_searching_by_keyboard_shows_every_part_of_a_result(browser: Browser):
    search(browser, "zebra")
    first = "document.querySelector('#results li')"
    shown = {
        part: browser.evaluate(f"{first}.querySelector('.{part}')?.textContent")
        for part in ("path", "lines", "trail", "score", "text", "tag")
    }
    assert shown["path"] == "odd/markup.md"
    assert re.fullmatch(r"line(s \d+-)? ?\d+", shown["lines"])
    assert shown["trail"].startswith("Markup")
    assert re.fullmatch(r"score \d\.\d{4}", shown["score"])
    assert MARKED in shown["text"]
    assert shown["tag"] == "<i>tag</i>"
    assert browser.evaluate(f"[...{first}.querySelectorAll('mark')].map((m) => m.textContent)") == ["zebra", "zebra"]
    assert browser.evaluate("document.title") == "GrooveSeek", "what a document says is text, never markup"
    assert browser.evaluate("document.querySelectorAll('#results img, #results script, #results b').length") == 0


def test_keys_move_between_the_box_and_the_results(browser: Browser):
    search(browser, "pump")
    focused = "document.activeElement.id || document.activeElement.querySelector('.path').textContent"
    paths = browser.evaluate("[...document.querySelectorAll('#results .path')].map((p) => p.textContent)")
    assert browser.evaluate(focused) == "query"
    browser.key("ArrowDown")
    assert browser.evaluate(focused) == paths[0]
    browser.key("ArrowDown")
    assert browser.evaluate(focused) == paths[1]
    browser.key("ArrowUp")
    browser.key("ArrowUp")
    assert browser.evaluate(focused) == "query"
    browser.key("ArrowDown")
    browser.key("/")
    assert browser.evaluate(focused) == "query"
    browser.key("ArrowDown")
    browser.key("Escape")
    assert browser.evaluate(focused) == "query"
    browser.key("Tab")
    assert browser.evaluate("document.activeElement.textContent") == "Search"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "focus can be seen"


def test_the_band_tells_the_state_of_the_index(browser: Browser):
    browser.wait_for("document.getElementById('counts').textContent")
    band = browser.evaluate("document.getElementById('status').textContent")
    assert "Up to date, watching" in band
    assert "7 documents" in band
    assert "fake" in band


def test_light_and_dark_are_both_legible(browser: Browser):
    search(browser, "zebra")
    seen = {}
    for scheme in ("light", "dark"):
        browser.color_scheme(scheme)
        seen[scheme] = browser.evaluate(
            """[...document.querySelectorAll('body, .text, .path, .trail, .score, mark, .hint, button.go, .band')].map(
              (element) => {
                let under = element;
                while (getComputedStyle(under).backgroundColor === 'rgba(0, 0, 0, 0)') under = under.parentElement;
                return [getComputedStyle(element).color, getComputedStyle(under).backgroundColor];
              })"""
        )
    assert seen["light"] != seen["dark"]
    for scheme, pairs in seen.items():
        for ink, ground in pairs:
            assert contrast(ink, ground) >= 4.5, (scheme, ink, ground)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two CSS colours (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_nothing_is_asked_of_anyone_else_and_the_policy_blocks_nothing(browser: Browser, server: HttpServer):
    search(browser, "zebra")
    origins = {url.split("/", 3)[2] for url in browser.requested() if not url.startswith("data:")}
    assert origins == {f"localhost:{server.port}"}
    assert browser.complaints() == []


def test_the_policy_holds_against_what_a_page_might_be_made_to_do(browser: Browser):
    blocked = browser.evaluate(
        """(async () => {
          const seen = [];
          document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.injected = true';
          document.body.append(script);
          const image = document.createElement('img');
          image.src = 'http://localhost:1/x.png';
          document.body.append(image);
          await fetch('http://localhost:1/x').catch(() => 0);
          await new Promise((done) => setTimeout(done, 200));
          return [window.injected === undefined, seen.sort()];
        })()"""
    )
    assert blocked == [True, ["connect-src", "img-src", "script-src-elem"]]


def test_empty_and_fruitless_searches_and_refusals_are_said_in_words(browser: Browser):
    browser.key("Enter")
    browser.wait_for("document.getElementById('said').textContent === 'Type what to look for.'")
    search(browser, '"no such words at all" -zebra')
    browser.evaluate("document.getElementById('query').value = 'x'.repeat(2000)")
    browser.evaluate("document.getElementById('form').requestSubmit()")
    browser.wait_for("document.getElementById('said').textContent.includes('at most 1024')")
    assert browser.evaluate("document.getElementById('said').classList.contains('bad')")


def test_a_query_in_the_address_is_searched_for(shared: Browser, server: HttpServer):
    shared.open(f"http://localhost:{server.port}/ui?q=zebra")
    shared.wait_for(f"{RESULTS} > 0")


@pytest.mark.parametrize(
    ("lines", "reason", "advice"),
    [
        (
            'allowed_origins = ["https://wiki.example"]',
            'the Origin "http://localhost:{port}" is not in [transport.http].allowed_origins',
            "Add http://localhost:{port} to that list",
        ),
        (
            'allowed_hosts = ["wiki.example"]',
            'the Host "localhost:{port}" is not in [transport.http].allowed_hosts',
            "Add localhost to that list",
        ),
    ],
)
def test_a_page_whose_origin_or_host_is_refused_says_so(shared: Browser, tmp_path: Path, lines, reason, advice):
    write_files(tmp_path, {f"kb/{path}": text for path, text in FILES.items()})
    config = tmp_path / "groove.toml"
    config.write_text(f'model = "fake"\n[transport.http]\n{lines}\n')
    arguments = ["--config", str(config), "--kb-path", str(tmp_path / "kb"), "--transport", "http", "--port", "0"]
    with HttpServer(groove_command("serve", *arguments)) as server:
        shared.open(f"http://localhost:{server.port}/ui")
        shared.wait_for(READY)
        shared.type("pump")
        shared.key("Enter")
        shared.wait_for("document.getElementById('said').classList.contains('bad')")
        said = shared.evaluate("document.getElementById('said').textContent")
        assert reason.format(port=server.port) in said
        assert advice.format(port=server.port) in said


def test_a_server_that_went_away_is_told_of(shared: Browser, tmp_path: Path):
    write_files(tmp_path, {"kb/a.md": "# A\n"})
    config = tmp_path / "groove.toml"
    config.write_text('model = "fake"\n')
    arguments = ["--config", str(config), "--kb-path", str(tmp_path / "kb"), "--transport", "http", "--port", "0"]
    with HttpServer(groove_command("serve", *arguments)) as server:
        shared.open(f"http://localhost:{server.port}/ui")
        shared.wait_for(READY)
    shared.type("pump")
    shared.key("Enter")
    shared.wait_for("document.getElementById('said').textContent.includes('does not answer')")


def test_the_policy_names_the_hashes_of_what_is_in_the_page():
    text = page().decode()
    policy = content_security_policy()
    for kind in ("style", "script"):
        inline = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert len(inline) == 1
        digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_page_is_one_file_without_anything_from_elsewhere():
    text = page().decode()
    assert re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]+)""", text) == ["data:,"]
    assert "innerHTML" not in text
    assert "outerHTML" not in text
    assert "insertAdjacentHTML" not in text
    assert "document.write" not in text
    assert not re.search(r"\son\w+=", text)

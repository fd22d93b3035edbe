from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from grooveseek.errors import Unparsable
from grooveseek.model.document import QualityProfile
from grooveseek.parsing.code import build as build_module
from grooveseek.parsing.code.build import IsolatedCodeParser, build, direct_parser
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import MIB, CodeSettings, ParserSettings, Settings
from tests.support.source_code import check_document

SETTINGS = Settings(parsers=ParserSettings(enabled=("md", "rs", "java"), code=CodeSettings(max_chunk_chars=40)))
SOURCE = b"/// Docs.\nfn pump() { first_step_of_it(); second_step_of_it(); }\n\nfn next_one() { third_step(); }\n"
BOMB = b"class Pump { int start() { return 1; } }\n" + b"a=>" * 20_000


@pytest.fixture(scope="module")
def runner() -> Iterator[IsolatedRunner]:
    with IsolatedRunner(command=build_module._worker_command(), memory_bytes=256 << 20, seconds=20) as started:
        yield started


def isolated(parser_id: str, runner: IsolatedRunner) -> IsolatedCodeParser:
    return IsolatedCodeParser(parser_id, (parser_id,), 3500, runner)


def test_the_stand_in_answers_as_the_parser_itself(runner: IsolatedRunner) -> None:
    direct = direct_parser("rs", {"max_chunk_chars": 3500})
    assert isolated("rs", runner).parse(SOURCE, "src/a.rs") == direct.parse(SOURCE, "src/a.rs")


def test_settings_reach_the_worker() -> None:
    parser = Registry.from_settings(SETTINGS).parser_for("a.rs")
    assert parser is not None
    assert [each.heading for each in parser.parse(SOURCE, "a.rs").chunks] == ["pump", "next_one"]
    smaller = replace(SETTINGS, parsers=replace(SETTINGS.parsers, code=CodeSettings(max_chunk_chars=30)))
    assert len(build("rs", smaller).parse(SOURCE * 2, "a.rs").chunks) == 4


def test_it_is_a_parser_of_code_in_a_process_of_its_own() -> None:
    parser: Parser = build("rs", SETTINGS)
    assert (parser.id, parser.extensions, parser.kind, parser.isolated) == ("rs", ("rs",), FileKind.CODE, True)
    assert parser.profile(is_definition=True) is QualityProfile.DEFINITION
    assert parser.profile(is_definition=False) is QualityProfile.TEXT
    assert Registry.from_settings(SETTINGS).cap_for(parser) == MIB


def test_a_file_that_takes_all_memory_is_cut_by_lines(runner: IsolatedRunner) -> None:
    parser = isolated("java", runner)
    document = parser.parse(BOMB, "Pump.java")
    assert document.tags_added == ("parse:too-tangled",)
    assert len(document.notices) == 1
    check_document(document, BOMB)
    assert [each.heading for each in parser.parse(b"class Next {}", "Next.java").chunks] == ["Next"]


def test_what_is_not_utf8_is_refused_and_not_cut_by_lines(runner: IsolatedRunner) -> None:
    with pytest.raises(Unparsable, match="byte 0xe9 at byte offset 5"):
        isolated("rs", runner).parse(b"// caf\xe9"[1:], "a.rs")


def test_a_worker_that_cannot_start_is_not_the_files_fault() -> None:
    with (
        IsolatedRunner(command=(sys.executable, "-c", "raise SystemExit(3)")) as broken,
        pytest.raises(Unparsable, match="rs parser: the file could not be read: the parser process did not start"),
    ):
        isolated("rs", broken).parse(SOURCE, "a.rs")


def test_a_grammar_that_cannot_be_loaded_is_not_the_files_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; from grooveseek.parsing.code import builtin, build;"
        "builtin.BUILTIN['rs'] = builtin.BuiltinGrammar("
        "name='rust', extensions=('rs',), module='tree_sitter_rust', queries=('go',)); build.main()"
    )
    with (
        IsolatedRunner(command=(sys.executable, "-c", code)) as broken,
        pytest.raises(Unparsable, match="could not be read: The installed tree-sitter-rust cannot be used"),
    ):
        isolated("rs", broken).parse(SOURCE, "a.rs")


@pytest.mark.parametrize(
    ("enabled", "reader"), [(("c",), "c"), (("cpp",), "cpp"), (("c", "cpp"), "cpp"), (("cpp", "c"), "cpp")]
)
def test_headers_are_cpp_where_cpp_is_enabled(enabled: tuple[str, ...], reader: str) -> None:
    found = Registry.from_settings(Settings(parsers=ParserSettings(enabled=enabled)))
    parser = found.parser_for("include/pump.H")
    assert parser is not None
    assert parser.id == reader


def test_the_worker_needs_nothing_of_the_current_folder(runner: IsolatedRunner, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]  # pytest's own
    (tmp_path / "tree_sitter.py").write_text("raise SystemExit('imported from the current folder')\n")
    monkeypatch.chdir(tmp_path)
    runner.close()
    assert isolated("rs", runner).parse(SOURCE, "a.rs").chunks[0].heading == "pump"

import subprocess
import sys

import pytest
from grooveseek.errors import Unparsable
from grooveseek.model.document import ParsedDocument
from grooveseek.parsing.binary import EXTENSIONS, IsolatedParser, build, direct_parser
from grooveseek.parsing.isolation import IsolatedRunner
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import IndexSettings, MarkdownSettings, ParserSettings, Settings
from tests.support.binary import FIXTURES, OPTIONS
from tests.support.office_files import archive, document, paragraph

SETTINGS = Settings(
    parsers=ParserSettings(enabled=("md", *EXTENSIONS), markdown=MarkdownSettings(max_chunk_chars=300)),
    index=IndexSettings(max_decompressed_size=100_000),
    exclude_headings=("Cranes",),
)


def test_the_registry_knows_every_binary_parser_by_its_extension() -> None:
    registry = Registry.from_settings(SETTINGS)
    for name in EXTENSIONS:
        parser = registry.parser_for(f"a/FILE.{name.upper()}")
        assert parser is not None
        assert (parser.id, parser.kind, parser.isolated) == (name, FileKind.BINARY, True)


def test_the_stand_in_and_the_parser_say_the_same_of_themselves() -> None:
    with IsolatedRunner() as runner:
        for name in EXTENSIONS:
            stand_in, parser = IsolatedParser(name, OPTIONS, runner), direct_parser(name, OPTIONS)
            for field in ("id", "extensions", "kind", "isolated"):
                assert getattr(stand_in, field) == getattr(parser, field)
            assert stand_in.profile(is_definition=False) is parser.profile(is_definition=False)


def outcome(parser: Parser, data: bytes, path: str) -> ParsedDocument | str:
    """The document, or the reason there is none."""
    try:
        return parser.parse(data, path)
    except Unparsable as refused:
        return str(refused)


def test_the_document_from_the_worker_is_the_one_made_here() -> None:
    with IsolatedRunner() as runner:
        for path in [*FIXTURES.glob("office/*.*x"), *FIXTURES.glob("pdf/*.pdf")]:
            name, data = path.suffix.removeprefix("."), path.read_bytes()
            expected = outcome(direct_parser(name, OPTIONS), data, f"a/{path.name}")
            if isinstance(expected, str):
                expected = f"{name} parser: the file {expected}"
            assert outcome(IsolatedParser(name, OPTIONS, runner), data, f"a/{path.name}") == expected


def test_settings_reach_the_worker() -> None:
    parser = build("docx", SETTINGS)
    parsed = parser.parse((FIXTURES / "office" / "libreoffice.docx").read_bytes(), "a.docx")
    assert [chunk.heading for chunk in parsed.chunks] == [None, "Western quay", "Berths", None]
    with pytest.raises(Unparsable, match="more than 100,000 bytes"):
        parser.parse(archive({"word/document.xml": document(paragraph("x" * 100_001))}), "a.docx")
    long = archive({"word/document.xml": document("".join(paragraph("y" * 90) for _ in range(9)))})
    assert len(parser.parse(long, "a.docx").chunks) == 3


def test_one_worker_serves_all_the_binary_parsers_of_a_process() -> None:
    assert build("pdf", SETTINGS)._runner is build("xlsx", SETTINGS)._runner


def test_enabling_the_parsers_imports_none_of_their_libraries() -> None:
    program = """if True:
        import sys
        from grooveseek.parsing.registry import Registry
        from grooveseek.settings.sections import ParserSettings, Settings
        Registry.from_settings(Settings(parsers=ParserSettings(enabled=("pdf", "docx", "pptx", "xlsx"))))
        print([name for name in ("lxml", "pypdfium2", "docx", "pptx", "openpyxl", "numpy") if name in sys.modules])
        """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"[]\n"

from dataclasses import replace

import pytest
from grooveseek.errors import ConfigError, MissingExtra
from grooveseek.parsing import registry
from grooveseek.parsing.markdown import MarkdownParser
from grooveseek.parsing.protocol import FileKind, Parser
from grooveseek.parsing.registry import Entry, Registry
from grooveseek.parsing.text import TextParser
from grooveseek.settings.sections import MIB, IndexSettings, ParserSettings, Settings


def settings(*enabled: str) -> Settings:
    return Settings(parsers=ParserSettings(enabled=enabled))


class OtherParser(TextParser):
    """A parser of source code that reads .txt files too."""

    id = "other"
    extensions = ("other", "txt")
    kind = FileKind.CODE


def test_markdown_alone_is_the_default() -> None:
    found = Registry.from_settings(Settings())
    assert found.ids == ("md",)
    assert found.extensions == {"md", "markdown"}


def test_parsers_are_built_from_the_settings_in_their_order_and_once() -> None:
    found = Registry.from_settings(replace(settings("txt", "md", "txt"), exclude_headings=("Log",)))
    assert found.ids == ("txt", "md")
    assert found.parser_for("a.md") == MarkdownParser(1600, ("Log",))


@pytest.mark.parametrize(
    ("path", "parser_id"),
    [
        ("a.md", "md"),
        ("dir.md/A.MD", "md"),
        ("a.Markdown", "md"),
        ("a.b.TXT", "txt"),
        (".hidden.md", "md"),
        (".md", None),
        ("md", None),
        ("dir.md/file", None),
        ("a.mdx", None),
        ("a.", None),
        ("", None),
    ],
)
def test_a_file_is_known_by_its_extension_in_any_case(path: str, parser_id: str | None) -> None:
    parser = Registry.from_settings(settings("md", "txt")).parser_for(path)
    assert (parser.id if parser else None) == parser_id


def test_a_parser_that_is_not_enabled_reads_nothing() -> None:
    assert Registry.from_settings(settings("md")).parser_for("a.txt") is None


def test_the_parser_enabled_first_has_the_extension() -> None:
    other: Parser = OtherParser(100)
    found = Registry([other, TextParser(100)], text_cap=None, binary_cap=None)
    assert found.parser_for("a.txt") is other
    assert found.parser_for("a.other") is other


def test_caps_go_by_the_kind_of_file() -> None:
    custom = replace(settings("md"), index=IndexSettings(max_raw_text_size=7, max_raw_binary_size=9))
    found = Registry.from_settings(custom)
    assert found.cap_for(MarkdownParser(100)) == 7
    assert found.cap_for(OtherParser(100)) == MIB
    assert Registry([], text_cap=None, binary_cap=1).cap_for(MarkdownParser(100)) is None


@pytest.mark.parametrize(
    ("written", "nearest"), [("mdd", "md"), ("MD", "md"), ("markdown", "md"), ("text", "txt"), ("tx", "txt")]
)
def test_an_unknown_id_is_refused_with_the_nearest(written: str, nearest: str) -> None:
    with pytest.raises(ConfigError, match=f'names "{written}", which is no parser; the nearest is "{nearest}"'):
        Registry.from_settings(settings("md", written))


def test_every_unknown_id_is_refused_with_all_there_are() -> None:
    with pytest.raises(ConfigError, match=r"There are: .*md.*txt"):
        Registry.from_settings(settings("高"))


def test_xls_is_refused_with_its_reason() -> None:
    with pytest.raises(ConfigError, match=r'names "xls": .*convert the files to \.xlsx'):
        Registry.from_settings(settings("md", "xls"))


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="is empty"):
        Registry.from_settings(settings())


def test_a_missing_optional_part_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Entry("grooveseek.parsing.nowhere", extra="pdf", needs=("no_such_module",))
    monkeypatch.setattr(registry, "PARSERS", {**registry.PARSERS, "odd": entry})
    with pytest.raises(
        MissingExtra, match=r'parser "odd" needs the optional part "pdf": pip install "grooveseek\[pdf\]"'
    ):
        Registry.from_settings(settings("odd"))


@pytest.mark.parametrize("parser_id", sorted(registry.PARSERS))
def test_every_parser_of_the_table_is_what_its_id_says(parser_id: str) -> None:
    entry = registry.PARSERS[parser_id]
    for module in entry.needs:
        pytest.importorskip(module)
    parser = Registry.from_settings(settings(parser_id)).parser_for(f"a.{parser_id}")
    assert parser is not None
    assert parser.id == parser_id
    assert parser.extensions
    assert all(extension == extension.lower() and "." not in extension for extension in parser.extensions)

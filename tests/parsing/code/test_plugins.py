"""Grammars of other distributions, as they are found on a path: a module and a .dist-info folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from grooveseek.errors import ConfigError
from grooveseek.parsing.code import build, plugins
from grooveseek.parsing.code.plugins import load_plugin, offered_ids
from grooveseek.parsing.registry import Registry
from grooveseek.settings.sections import ParserSettings, Settings

GRAMMAR = """
import tree_sitter_java
from grooveseek.parsing.code.grammar import GrammarDescriptor

def describe(extensions=("brew",), **changes):
    fields = dict(
        name="brew",
        extensions=extensions,
        language=tree_sitter_java.language(),
        tags_query='''
            ((class_declaration name: (identifier) @name) @definition.class (#not-match? @name "^Hidden"))
            (method_declaration name: (identifier) @name) @definition.method
            (method_invocation name: (identifier) @name) @reference.call
        ''',
        abi_version=1,
        separator="/",
    )
    return GrammarDescriptor(**(fields | changes))

DESCRIPTOR = describe()
def other_contract(): return describe(abi_version=99)
def bad_query(): return describe(tags_query="(no_such_node) @definition.class")
def claims_markdown(): return describe(extensions=("brew2", "md"))
def raises(): raise RuntimeError("it is out of order")
NOT_A_DESCRIPTOR = {"name": "brew"}
"""

SOURCE = b"""// a pot
class Pot { void pour(int how_much_of_it) { measure(how_much_of_it); } void fill(int how_much) { } }
class HiddenPot { int nothing_that_is_a_definition_here = 0; }
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Lay a distribution on the path, for this process and for the worker it starts."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    start_anew()

    def lay(distribution: str = "acme-brew", module: str = "acme_brew", source: str = GRAMMAR, **points: str) -> None:
        info = tmp_path / f"{module}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        lines = [f"{parser_id} = {module}:{attribute}" for parser_id, attribute in points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{plugins.GROUP}]", *lines, ""]))
        (tmp_path / f"{module}.py").write_text(source)
        sys.modules.pop(module, None)

    yield lay
    start_anew()


def start_anew() -> None:
    """Forget what was loaded, here and in the worker."""
    load_plugin.cache_clear()
    build._shared_runner().close()


def registry(*enabled: str) -> Registry:
    return Registry.from_settings(Settings(parsers=ParserSettings(enabled=enabled)))


def test_a_grammar_is_found_by_its_entry_point_and_reads_files(install: Install) -> None:
    install(brew="DESCRIPTOR")
    parser = registry("md", "brew").parser_for("kettle/Pot.BREW")
    assert parser is not None
    document = parser.parse(SOURCE, "kettle/Pot.brew")
    assert [(each.symbol_kind, each.heading, each.language) for each in document.chunks] == [
        ("class", "Pot", "brew"),
        (None, None, "brew"),
    ]
    assert document.chunks[0].content.startswith("// a pot\nclass Pot")
    assert document.tags_added == ()


def test_the_grammar_says_how_names_are_joined(install: Install) -> None:
    install(brew="describe")
    settings = Settings(parsers=ParserSettings(enabled=("brew",)))
    small = settings.parsers.code.__class__(max_chunk_chars=40)
    settings = Settings(parsers=ParserSettings(enabled=("brew",), code=small))
    parser = Registry.from_settings(settings).parser_for("Pot.brew")
    assert parser is not None
    headings = [each.heading for each in parser.parse(SOURCE, "Pot.brew").chunks]
    assert headings[:2] == ["Pot/pour", "Pot/fill"]


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ("other_contract", r"written for grammar contract 99, and this groove has 1"),
        ("bad_query", r"tags query does not compile: .*no_such_node"),
        ("raises", r"loading it failed \(RuntimeError: it is out of order\)"),
        ("missing", r"loading it failed \(AttributeError: "),
        ("NOT_A_DESCRIPTOR", r"acme_brew:NOT_A_DESCRIPTOR gives a dict and not a GrammarDescriptor"),
        ("claims_markdown", r'the parser "md" reads \.md files already'),
    ],
)
def test_a_bad_grammar_is_refused_by_name_and_stops_no_other(install: Install, attribute: str, reason: str) -> None:
    install(bad=attribute, brew="DESCRIPTOR")
    found = registry("bad", "md", "brew")
    assert found.ids == ("md", "brew")
    assert len(found.refused) == 1
    assert 'The grammar "bad"' in found.refused[0]
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(found.refused[0])


def test_a_refusal_names_the_distribution(install: Install) -> None:
    install(bad="raises")
    with pytest.raises(ConfigError, match=r'The grammar "bad" of acme-brew 1\.2 is not used: '):
        load_plugin("bad")


def test_nothing_left_to_parse_with_is_an_error(install: Install) -> None:
    install(bad="raises")
    with pytest.raises(ConfigError, match=r"no parser that can be used\. .*it is out of order"):
        registry("bad")


def test_only_what_is_enabled_is_imported(install: Install) -> None:
    install(brew="DESCRIPTOR", module="acme_lazy")
    assert "brew" in offered_ids()
    assert registry("md").ids == ("md",)
    assert "acme_lazy" not in sys.modules
    registry("md", "brew")
    assert "acme_lazy" in sys.modules


def test_two_distributions_with_one_id_are_both_refused(install: Install) -> None:
    install(brew="DESCRIPTOR")
    install("other-brew", "other_brew", brew="DESCRIPTOR")
    with pytest.raises(
        ConfigError, match=r"of acme-brew 1\.2 and other-brew 1\.2 is not used: more than one offers it"
    ):
        load_plugin("brew")


def test_two_grammars_with_one_extension_are_not_both_used(install: Install) -> None:
    install(brew="DESCRIPTOR", zbrew="DESCRIPTOR")
    found = registry("brew", "zbrew")
    assert found.ids == ("brew",)
    assert 'The grammar "zbrew" is not used: the parser "brew" reads .brew files already.' in found.refused


def test_a_grammar_cannot_take_the_place_of_a_built_in_one(install: Install) -> None:
    install(rs="DESCRIPTOR", xls="DESCRIPTOR")
    found = registry("rs")
    assert found.parser_for("a.rs") is not None
    assert found.parser_for("a.brew") is None
    with pytest.raises(ConfigError, match='names "xls": '):
        registry("md", "xls")


def test_an_id_nobody_offers_is_no_parser() -> None:
    with pytest.raises(ConfigError, match='names "brew", which is no parser'):
        registry("md", "brew")
    with pytest.raises(ConfigError, match="no installed distribution offers it"):
        load_plugin("brew")


def test_a_grammar_that_crashes_costs_its_file_the_definitions_and_nothing_else(install: Install) -> None:
    crash = GRAMMAR + "\nimport os, sys\nif 'pytest' not in sys.modules: os.abort()\n"
    install(brew="DESCRIPTOR", module="acme_crash", source=crash)
    found = registry("md", "brew", "rs")
    brew, rust = found.parser_for("a.brew"), found.parser_for("a.rs")
    assert brew is not None
    assert rust is not None
    document = brew.parse(SOURCE, "a.brew")
    assert document.tags_added == ("parse:too-tangled",)
    assert "crashed with SIGABRT" in document.notices[0].message or "parser process" in document.notices[0].message
    assert document.chunks[0].content == SOURCE.decode().rstrip()
    assert [each.heading for each in rust.parse(b"fn pump() {}", "a.rs").chunks] == ["pump"]

from importlib.metadata import requires

import pytest
from grooveseek.errors import ConfigError, MissingExtra
from grooveseek.parsing.code import builtin
from grooveseek.parsing.code.builtin import BUILTIN, BuiltinGrammar, load_builtin, require
from tests.support.source_code import grammar


@pytest.mark.parametrize("parser_id", sorted(BUILTIN))
def test_every_language_loads(parser_id: str) -> None:
    assert grammar(parser_id).name == BUILTIN[parser_id].name
    assert parser_id in BUILTIN[parser_id].extensions


def test_extensions_belong_to_one_language_but_for_header_files() -> None:
    claimed = [each for language in BUILTIN.values() for each in language.extensions]
    assert {each for each in claimed if claimed.count(each) > 1} == {"h"}


def test_every_query_file_is_used() -> None:
    from importlib.resources import files

    there = {each.name for each in (files("grooveseek.parsing.code") / "queries").iterdir()}
    assert there == {f"{name}.scm" for language in BUILTIN.values() for name in language.queries}


def test_every_wheel_is_in_the_part_of_groove_that_the_message_names() -> None:
    wanted = {each.split(";")[0].split(">")[0].strip(): each for each in requires("grooveseek") or []}
    for language in BUILTIN.values():
        requirement = wanted[language.module.replace("_", "-")]
        assert ("extra ==" in requirement) == (language.extra is not None)
        assert language.extra is None or f"'{language.extra}'" in requirement.replace('"', "'")


def test_a_wheel_that_is_not_installed_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = BuiltinGrammar(name="absent", extensions=("absent",), module="tree_sitter_absent")
    monkeypatch.setattr(builtin, "BUILTIN", {"absent": absent})
    for load in (require, load_builtin):
        with pytest.raises(MissingExtra, match=r'parser "absent" .* pip install "grooveseek\[code\]"'):
            load("absent")


def test_a_wheel_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = BuiltinGrammar(name="other", extensions=("x",), module="tree_sitter_java", queries=("python",))
    monkeypatch.setattr(builtin, "BUILTIN", {"x": other})
    with pytest.raises(
        ConfigError, match=r'installed tree-sitter-java cannot be used for the parser "x": .*pip install'
    ):
        load_builtin("x")

"""What the service files say, read back by readers written from their documentation, is what was meant."""

from __future__ import annotations

import configparser
import plistlib
import re

from grooveseek.service.definition import Definition
from grooveseek.service.desktop_entry import render_desktop_entry
from grooveseek.service.launch_agent import render_plist
from grooveseek.service.powershell import quote as powershell_quote
from grooveseek.service.powershell import render_registration
from grooveseek.service.systemd_unit import render_unit
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.quoting import (
    argv_of_windows,
    desktop_string,
    desktop_words,
    powershell_string,
    specifiers,
    systemd_words,
)

_HOSTILE = st.sampled_from([*" '\"%&<>\\$`;#={}[]()!^|~@:\u2019\u201a", "グルーヴ", "%h", "$HOME", "\\\\", "]]>"])
_ANY = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
TEXTS = st.lists(st.one_of(_HOSTILE, _ANY), max_size=12).map("".join)
COMMANDS = st.tuples(TEXTS.map("/opt/{}".format), TEXTS, TEXTS)
DEFINITIONS = st.builds(Definition, name=TEXTS, command=COMMANDS, auto_start=st.booleans(), tray=st.booleans())
TRICKY = Definition(name="a%n\\", command=("/a b\\", 'x"\\" y', "$$ ${A} %% ' \u2019 trailing\\"))


def values(text: str) -> dict[str, str]:
    """``KEY=VALUE`` lines; a line continues where it ends with a backslash, which none may."""
    lines = [line for line in text.split("\n") if line and not line.startswith("[")]
    assert not [line for line in lines if line.endswith("\\")]
    return dict(line.partition("=")[::2] for line in lines)


@given(DEFINITIONS)
@example(TRICKY)
@settings(max_examples=150)
def test_a_unit_starts_what_was_meant(definition: Definition) -> None:
    told = values(render_unit(definition))
    words = systemd_words(told["ExecStart"])
    if words[:4] == ["/bin/sh", "-c", 'exec "$@"', "sh"]:
        words = words[4:]
    else:
        assert not set(words[0]) & set("\"'\\")
    assert tuple(words) == definition.command
    assert specifiers(told["Description"]) == definition.title


@given(DEFINITIONS)
@example(TRICKY)
@settings(max_examples=150)
def test_a_desktop_entry_starts_what_was_meant(definition: Definition) -> None:
    text = render_desktop_entry(definition)
    told = values(text)
    assert tuple(desktop_words(told["Exec"])) == definition.command
    assert desktop_string(told["Name"]) == definition.title
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",), strict=True)
    parser.read_string(text)
    assert parser["Desktop Entry"]["Terminal"] == "false"


@given(DEFINITIONS, TEXTS)
@settings(max_examples=100)
def test_a_property_list_starts_what_was_meant(definition: Definition, log: str) -> None:
    logged = Definition(name=definition.name, command=definition.command, log=log, tray=definition.tray)
    told = plistlib.loads(render_plist(logged))
    assert told["ProgramArguments"] == list(definition.command)
    assert told["Label"].endswith(definition.name)
    assert told["StandardErrorPath"] == log
    assert told["Umask"] == 0o77


@given(DEFINITIONS)
@example(TRICKY)
@settings(max_examples=150)
def test_a_task_starts_what_was_meant(definition: Definition) -> None:
    text = render_registration(definition)
    rest = text[text.index("    TaskName = ") + len("    TaskName = ") :]
    name, rest = powershell_string(rest)
    assert name == (f"{definition.name} tray" if definition.tray else definition.name)
    title, rest = powershell_string(rest.removeprefix("\n    Description = "))
    assert title == definition.title
    program, rest = powershell_string(rest.removeprefix("\n    Action = New-ScheduledTaskAction -Execute "))
    assert program == definition.command[0]
    arguments, rest = powershell_string(rest.removeprefix(" -Argument "))
    assert argv_of_windows(arguments) == list(definition.command[1:])
    assert rest.startswith("\n    Principal = New-ScheduledTaskPrincipal")
    assert bool(re.search("New-ScheduledTaskTrigger -AtLogOn -User \\$user\n", rest)) == definition.auto_start


@given(TEXTS)
def test_nothing_gets_out_of_a_powershell_string(text: str) -> None:
    assert powershell_string(powershell_quote(text) + " | rest") == (text, " | rest")

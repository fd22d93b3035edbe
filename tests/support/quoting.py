"""Reference readers of what service files are written in: each from its documentation, none from groove's code."""

from __future__ import annotations


def systemd_words(line: str) -> list[str]:
    """systemd.syntax(7) and systemd.service(5), Command lines: double quotes, C escapes, ``%%``; ``:`` taken off.

    Without ``:``, an unescaped dollar would be a variable, and fails here.
    """
    literal = line.startswith(":")
    words: list[str] = []
    rest = line[1:] if literal else line
    while rest := rest.lstrip(" "):
        assert rest[0] == '"', rest
        word, rest = _quoted(rest[1:])
        assert literal or "$" not in word
        words.append(specifiers(word))
    return words


def _quoted(text: str) -> tuple[str, str]:
    word = ""
    position = 0
    while text[position] != '"':
        if text[position] == "\\":
            position += 1
            assert text[position] in '\\"', text
        word += text[position]
        position += 1
    assert text[position + 1 : position + 2] in ("", " ")
    return word, text[position + 1 :]


def specifiers(text: str) -> str:
    """``%%`` is a percent sign; any other would be a specifier."""
    assert "%" not in text.replace("%%", "")
    return text.replace("%%", "%")


def desktop_string(value: str) -> str:
    r"""Desktop Entry Specification, Possible value types: ``\\``, ``\s``, ``\n``, ``\t``, ``\r``."""
    result, position = "", 0
    while position < len(value):
        if value[position] == "\\":
            position += 1
            result += {"\\": "\\", "s": " ", "n": "\n", "t": "\t", "r": "\r"}[value[position]]
        else:
            result += value[position]
        position += 1
    return result


def desktop_words(value: str) -> list[str]:
    """Desktop Entry Specification, The Exec key: quoted arguments, four characters escaped, ``%%``."""
    words: list[str] = []
    rest = desktop_string(value)
    while rest := rest.lstrip(" "):
        assert rest[0] == '"', rest
        word, position = "", 1
        while rest[position] != '"':
            assert rest[position] not in "`$", rest
            if rest[position] == "\\":
                position += 1
                assert rest[position] in '"`$\\'
            word += rest[position]
            position += 1
        words.append(specifiers(word))
        rest = rest[position + 1 :]
    return words


def argv_of_windows(line: str) -> list[str]:
    """CommandLineToArgvW for what follows the program: 2n backslashes and a quote, 2n+1 and a quote, others as such."""
    arguments: list[str] = []
    current, started, inside, position = "", False, False, 0
    while position < len(line):
        character = line[position]
        if character == "\\":
            end = position
            while end < len(line) and line[end] == "\\":
                end += 1
            count, position = end - position, end
            started = True
            if position < len(line) and line[position] == '"':
                current += "\\" * (count // 2)
                if count % 2:
                    current += '"'
                    position += 1
            else:
                current += "\\" * count
            continue
        if character == '"':
            inside, started = not inside, True
        elif character in " \t" and not inside:
            if started:
                arguments.append(current)
            current, started = "", False
        else:
            current, started = current + character, True
        position += 1
    return [*arguments, current] if started else arguments


POWERSHELL_QUOTES = "'\u2018\u2019\u201a\u201b"


def powershell_string(text: str) -> tuple[str, str]:
    """A single-quoted string at the front, and what follows: any of the quotes ends it unless the next is one too."""
    assert text[0] in POWERSHELL_QUOTES
    value, position = "", 1
    while True:
        character = text[position]
        if character in POWERSHELL_QUOTES:
            if text[position + 1 : position + 2] not in (*POWERSHELL_QUOTES,):
                return value, text[position + 1 :]
            position += 1
            character = text[position]
        value += character
        position += 1

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import pytest
import tree_sitter
import tree_sitter_java
from grooveseek.errors import ConfigError
from grooveseek.parsing.code.grammar import ABI_VERSION, GrammarDescriptor, load_grammar

GOOD = GrammarDescriptor(
    name="tiny",
    extensions=("tiny", "t2"),
    language=tree_sitter_java.language(),
    tags_query="(class_declaration name: (identifier) @name) @definition.class",
    abi_version=ABI_VERSION,
)


def language_of_abi(number: int) -> object:
    """A capsule with a copy of a real grammar whose first field, the ABI it was generated for, says another number."""
    api: Any = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    pointer = api.PyCapsule_GetPointer(tree_sitter_java.language(), b"tree_sitter.Language")
    copy = ctypes.create_string_buffer(ctypes.string_at(pointer, 512), 512)
    ctypes.cast(copy, ctypes.POINTER(ctypes.c_uint32))[0] = number
    _COPIES.append(copy)
    return api.PyCapsule_New(ctypes.addressof(copy), b"tree_sitter.Language", None)


_COPIES: list[object] = []  # a capsule does not keep what it points to


def test_a_good_grammar_is_ready_to_use() -> None:
    grammar = load_grammar(GOOD)
    assert (grammar.name, grammar.extensions) == ("tiny", ("tiny", "t2"))
    assert (grammar.separator, grammar.module_separator) == (".", ".")
    assert load_grammar(replace(GOOD, separator="::", module_separator="\\")).module_separator == "\\"


def test_a_language_object_will_do_as_well() -> None:
    assert load_grammar(replace(GOOD, language=tree_sitter.Language(tree_sitter_java.language()))).name == "tiny"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"abi_version": ABI_VERSION + 1}, "written for grammar contract 2, and this groove has 1"),
        ({"name": "Tiny"}, 'language name "Tiny"'),
        ({"name": ""}, "language name"),
        ({"extensions": ()}, "no file extension"),
        ({"extensions": "tiny"}, "no file extension"),
        ({"extensions": (".tiny",)}, 'extension ".tiny"'),
        ({"extensions": ("ok", "TINY")}, 'extension "TINY"'),
        ({"extensions": (1,)}, 'extension "1"'),
        ({"language": 12345}, "is a number"),
        ({"language": "java"}, "could not be loaded"),
        ({"language": None}, "could not be loaded"),
        ({"tags_query": "(class_declaration"}, "does not compile"),
        ({"tags_query": "(no_such_node) @definition.class"}, "does not compile: .*no_such_node"),
        ({"tags_query": "(identifier) @name"}, "captures no definition"),
        ({"tags_query": ""}, "captures no definition"),
        ({"tags_query": GOOD.tags_query + " (no_such_node) @reference.call"}, "does not compile"),
    ],
)
def test_a_grammar_that_does_not_fit_is_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        load_grammar(replace(GOOD, **change))


@pytest.mark.parametrize("number", [tree_sitter.MIN_COMPATIBLE_LANGUAGE_VERSION - 1, tree_sitter.LANGUAGE_VERSION + 1])
def test_a_grammar_of_another_tree_sitter_is_refused(number: int) -> None:
    with pytest.raises(ConfigError, match=rf"(?i)version {number}|ABI {number}"):
        load_grammar(replace(GOOD, language=language_of_abi(number)))


def test_references_need_not_compile_where_they_are_not_asked_for() -> None:
    descriptor = replace(GOOD, tags_query=GOOD.tags_query + " (no_such_node) @reference.call")
    assert load_grammar(descriptor, check_references=False).name == "tiny"

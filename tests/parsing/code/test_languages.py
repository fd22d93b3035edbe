"""What each language's definitions are called and of what kind, in sources small enough to check by eye."""

from __future__ import annotations

import pytest
from tests.support.code_samples import (
    CPP,
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    PHP,
    PHP_BLOCKS,
    PYTHON,
    RUBY,
    RUST,
    TSX,
    TYPESCRIPT,
    C,
)
from tests.support.source_code import parse

Found = list[tuple[str | None, str | None]]

EXPECTED: dict[str, tuple[str, str, Found]] = {
    "rust": (
        "rs",
        RUST,
        [
            ("class", "Pump"),
            ("method", "Run::signature"),
            ("method", "Run::with_body"),
            (None, None),
            ("method", "Pump::signature"),
            (None, None),
            ("method", "Pump::default"),
            ("method", "valves::inner::turn_the_valve_around"),
            ("macro", "gauge"),
            ("class", "Both"),
        ],
    ),
    "python": (
        "py",
        PYTHON,
        [
            ("constant", "LIMIT_OF_ALL_THE_THINGS_THERE_ARE"),
            ("class", "Pump"),
            ("function", "Pump.pressure"),
            ("function", "Pump.Valve.turn"),
            ("function", "main"),
        ],
    ),
    "php": (
        "php",
        PHP,
        [
            (None, None),
            ("field", "App\\Models\\Pump::sizeOfThePumpInBar"),
            ("function", "App\\Models\\Pump::start"),
            ("function", "App\\Models\\Runs::startItSlowlyAtFirst"),
            ("function", "App\\Models\\Leaks::dripDripDropAndSoOnAndOn"),
            ("class", "App\\Models\\Valve"),
            ("function", "App\\Models\\helper"),
        ],
    ),
    "php with blocks": (
        "php",
        PHP_BLOCKS,
        [(None, None), ("function", "A\\B\\C::d"), ("function", "free_standing")],
    ),
    "javascript": (
        "js",
        JAVASCRIPT,
        [
            ("class", "Pump"),
            ("method", "Pump.handle"),
            ("method", "Pump.constructor"),
            ("method", "Pump.#secret"),
            ("method", "Pump.pressure"),
            ("function", "run"),
            ("function", "gen"),
            ("function", "Pump.stop"),
            ("function", "Pump.make"),
            ("function", "helper"),
            ("function", "other"),
            ("function", "api.list"),
            ("function", "api.get"),
        ],
    ),
    "typescript": (
        "ts",
        TYPESCRIPT,
        [
            ("method", "Runs.startItSlowlyAtFirst"),
            ("type", "Alias"),
            ("type", "Valve"),
            ("class", "Pump"),
            ("method", "Pump.handle"),
            ("method", "Pump.start"),
            ("method", "Base.go"),
            ("function", "Tools.mend"),
            ("function", "fs.readItAll"),
            ("function", "ambient"),
            ("function", "f"),
        ],
    ),
    "tsx": ("tsx", TSX, [("function", "App"), ("function", "Button")]),
    "go": (
        "go",
        GO,
        [
            (None, None),
            ("type", "Pump"),
            ("type", "Alias"),
            ("type", "Run"),
            ("method", "Pump.Start"),
            ("method", "Plain.Stop"),
            ("function", "New"),
        ],
    ),
    "java": (
        "java",
        JAVA,
        [
            (None, None),
            ("class", "Pump"),
            ("method", "Pump.Pump"),
            ("method", "Pump.start"),
            ("method", "Pump.Kind.methodOfIt"),
            ("class", "Pump.Pair"),
            ("method", "Pump.Pair.Pair"),
            ("interface", "Pump.Marked"),
            ("method", "Run.startItSlowlyAtFirst"),
        ],
    ),
    "c": (
        "c",
        C,
        [
            (None, None),
            ("class", "pump"),
            ("type", "gauge_t"),
            ("type", "handler_t"),
            ("type", "kind"),
            ("class", "both"),
            ("function", "start"),
            ("macro", "MAX"),
            ("function", "prototype"),
            (None, None),
        ],
    ),
    "c++": (
        "cpp",
        CPP,
        [
            ("class", "pumps::inner::Pump"),
            ("method", "pumps::inner::Pump::Pump"),
            ("method", "pumps::inner::Pump::~Pump"),
            ("method", "pumps::inner::Pump::start"),
            ("method", "pumps::inner::Pump::operator=="),
            ("method", "pumps::inner::Pump::convert"),
            ("method", "pumps::inner::Pump::Valve::turn"),
            ("function", "pumps::inner::Pump::stop"),
            ("function", "Gauge::read"),
            ("function", "hidden"),
            ("type", "Kind"),
            ("type", "Pointer"),
            ("type", "Small"),
        ],
    ),
    "c#": (
        "cs",
        CSHARP,
        [
            (None, None),
            ("class", "Acme.Pumps.Pump"),
            ("field", "Acme.Pumps.Pump.SizeOfThePumpInBar"),
            ("method", "Acme.Pumps.Pump.Pump"),
            ("function", "Acme.Pumps.Pump.Start.Local"),
            ("method", "Acme.Pumps.Pump.Valve.Turn"),
            ("class", "Acme.Pumps.Pair"),
            ("method", "Acme.Pumps.IRun.StartItSlowlyAtFirst"),
            ("type", "Acme.Pumps.Kind"),
            ("type", "Acme.Pumps.Handler"),
        ],
    ),
    "ruby": (
        "rb",
        RUBY,
        [
            (None, None),
            ("class", "Pumps::Gauge::Pump"),
            ("method", "Pumps::Gauge::Pump::start"),
            ("method", "Pumps::Gauge::Pump::make"),
            ("method", "Pumps::Gauge::Pump::other"),
            ("method", "helper"),
        ],
    ),
}


def without_repeats(found: Found) -> Found:
    return [each for place, each in enumerate(found) if not place or each != found[place - 1]]


@pytest.mark.parametrize("language", EXPECTED)
def test_definitions_by_language(language: str) -> None:
    """With the smallest limit, so that everything in everything comes to light; a short head goes with what follows."""
    parser_id, source, expected = EXPECTED[language]
    found = [(each.symbol_kind, each.heading) for each in parse(parser_id, source, 30).chunks]
    assert without_repeats(found) == expected


@pytest.mark.parametrize("language", EXPECTED)
def test_what_is_small_enough_is_one_chunk_with_what_it_holds(language: str) -> None:
    parser_id, source, expected = EXPECTED[language]
    chunks = parse(parser_id, source, 3500).chunks
    headings = [each.heading for each in chunks if each.heading]
    assert len(headings) == len(set(headings))
    assert len(chunks) <= len(expected)


def test_a_header_of_cpp_is_read_as_cpp_and_of_c_as_c() -> None:
    header = "class Pump { void start(int how_fast, int why); };\n"
    assert [each.heading for each in parse("cpp", header).chunks] == ["Pump"]
    assert [each.heading for each in parse("c", "int start(int how_fast);\n").chunks] == ["start"]

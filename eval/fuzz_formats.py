"""Damage real PDF and Office files in thousands of ways and see that each costs itself alone.

Every mutation goes the way a file of a knowledge base goes: through the worker process with its caps. It must come back
as a document or as a reason, within the time cap, with this process unharmed; what the worker died of is counted.

    python eval/fuzz_formats.py --mutations 2000 --seed 1
"""

from __future__ import annotations

import argparse
import collections
import io
import random
import re
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grooveseek.errors import Unparsable
from grooveseek.parsing.isolation import IsolatedRunner

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures"
FORMATS = ("pdf", "docx", "pptx", "xlsx")
OPTIONS = {"max_chunk_chars": 1600, "max_decompressed": 50 << 20, "exclude_headings": []}
MEMORY_BYTES = 512 << 20
SECONDS = 20.0
GRACE_SECONDS = 3.0  # to notice, kill and replace; on a loaded machine

Mutator = Callable[[bytes, random.Random], bytes]

_EXTREMES = (
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"2147483647",
    b"4294967296",
    b"-9223372036854775809",
    b"1e308",
    b"NaN",
)
_NUMBER = re.compile(rb"-?\d+")
_TAG = re.compile(rb"<[^<>]*>")
_VALUE = re.compile(rb'"[^"<>]*"')


@dataclass
class Outcome:
    """What became of the mutations of one format."""

    read: int = 0
    refused: int = 0
    deaths: collections.Counter[str] = field(default_factory=collections.Counter)
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


def seeds(extension: str) -> list[bytes]:
    """The fixtures of a format, smallest first; the order is that of every run."""
    found = sorted(FIXTURES.rglob(f"*.{extension}"), key=lambda path: (path.stat().st_size, path.name))
    return [path.read_bytes() for path in found]


def mutations(extension: str, count: int, seed: int) -> Iterator[bytes]:
    """``count`` damaged files; the same for the same arguments."""
    chance = random.Random(f"{extension}-{seed}")
    held = seeds(extension)
    mutators = (_raw, _pdf_tokens) if extension == "pdf" else (_raw, _part, _part, _part)
    for number in range(count):
        data = held[number % len(held)]
        for _ in range(chance.choice((1, 1, 2, 4))):
            data = chance.choice(mutators)(data, chance)
        yield data


def _raw(data: bytes, chance: random.Random) -> bytes:
    """Flip, cut, repeat or overwrite bytes anywhere."""
    if not data:
        return data
    start = chance.randrange(len(data))
    length = min(len(data) - start, chance.choice((1, 2, 8, 64, 512)))
    block = data[start : start + length]
    kind = chance.randrange(5)
    if kind == 0:
        flipped = bytes(byte ^ (1 << chance.randrange(8)) for byte in block)
        return data[:start] + flipped + data[start + length :]
    if kind == 1:
        return data[:start] + data[start + length :]
    if kind == 2:
        return data[:start] + block * chance.choice((2, 3, 50)) + data[start + length :]
    if kind == 3:
        return data[:start] + chance.randbytes(length) + data[start + length :]
    return data[:start]


def _pdf_tokens(data: bytes, chance: random.Random) -> bytes:
    """Put an extreme in the place of a number: a count, a length, an offset, a reference, a coordinate."""
    found = list(_NUMBER.finditer(data))
    return _replaced(data, chance.choice(found), chance.choice(_EXTREMES)) if found else data


def _part(data: bytes, chance: random.Random) -> bytes:
    """Damage one part and zip the whole up again, so that the damage gets past the zip and to the reader."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # noqa: BLE001 - an earlier mutation damaged the zip, and zipfile raises what it likes then
        return _raw(data, chance)
    if not parts:
        return data
    name = chance.choice(sorted(parts))
    parts[name] = chance.choice((_raw, _xml_tag, _xml_value, _xml_number, _xml_deep))(parts[name], chance)
    if chance.random() < 0.05:
        del parts[chance.choice(sorted(parts))]
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
    return held.getvalue()


def _xml_tag(data: bytes, chance: random.Random) -> bytes:
    """Drop, repeat or move a tag: nesting goes wrong, or elements land where they do not belong."""
    found = list(_TAG.finditer(data))
    if not found:
        return data
    one, other = chance.choice(found), chance.choice(found)
    return _replaced(data, one, chance.choice((b"", one[0] * 2, other[0], one[0] + other[0])))


def _xml_value(data: bytes, chance: random.Random) -> bytes:
    """Give an attribute another one's value, or an odd one."""
    found = list(_VALUE.finditer(data))
    if not found:
        return data
    odd = (
        b'""',
        b'"%s"' % (b"A" * 5000),
        '"\u202e港"'.encode(),
        b'"&#x1F600;"',
        b'"../../../x"',
        chance.choice(found)[0],
    )
    return _replaced(data, chance.choice(found), chance.choice(odd))


def _xml_number(data: bytes, chance: random.Random) -> bytes:
    """Put an extreme in the place of a number: a row, a column, an index, an id, a value."""
    found = list(_NUMBER.finditer(data))
    return _replaced(data, chance.choice(found), chance.choice(_EXTREMES)) if found else data


def _xml_deep(data: bytes, chance: random.Random) -> bytes:
    """Wrap an element deeply, in a tag of the part's own."""
    found = [tag for tag in _TAG.finditer(data) if tag[0][1:2].isalpha() and not tag[0].endswith(b"/>")]
    if not found:
        return data
    tag = chance.choice(found)
    closing = b"</" + tag[0][1:-1].split()[0] + b">"
    depth = chance.choice((3, 200, 5000))
    return _replaced(data, tag, tag[0] * depth + closing * (depth - 1))


def _replaced(data: bytes, match: re.Match[bytes], new: bytes) -> bytes:
    return data[: match.start()] + new + data[match.end() :]


def fuzz(extension: str, count: int, seed: int, runner: IsolatedRunner, seconds: float) -> Outcome:
    """Send ``count`` mutations through the runner, whose time cap is ``seconds``."""
    outcome = Outcome()
    for number, data in enumerate(mutations(extension, count, seed)):
        started = time.monotonic()
        try:
            document = runner.parse(extension, OPTIONS, data, f"fuzzed.{extension}")
            outcome.read += 1
            if any("\x00" in chunk.content or not chunk.content.strip() for chunk in document.chunks):
                outcome.failures.append(f"{extension} {seed}/{number}: an empty chunk, or one with a NUL")
        except Unparsable as refused:
            outcome.refused += 1
            reason = str(refused)
            if reason.startswith(("made its parser", "took longer", "needed more", "made the")):
                outcome.deaths[reason] += 1
        taken = time.monotonic() - started
        outcome.slowest = max(outcome.slowest, taken)
        if taken > seconds + GRACE_SECONDS:
            outcome.failures.append(f"{extension} {seed}/{number}: {taken:.1f} s")
    return outcome


def main() -> int:
    """Fuzz every format, print a line each; 1 when a mutation ran over the time cap or gave an unfit document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=2000, help="damaged files a format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=FORMATS, action="append", help="one format only; may be repeated")
    asked = parser.parse_args()
    failures: list[str] = []
    for extension in asked.format or FORMATS:
        started = time.monotonic()
        with IsolatedRunner(memory_bytes=MEMORY_BYTES, seconds=SECONDS) as runner:
            outcome = fuzz(extension, asked.mutations, asked.seed, runner, SECONDS)
        print(
            f"{extension}: {outcome.read} read, {outcome.refused} refused, slowest {outcome.slowest:.2f} s,"
            f" {time.monotonic() - started:.0f} s in all"
        )
        for reason, times in outcome.deaths.most_common():
            print(f"  {times} x {reason}")
        failures += outcome.failures
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

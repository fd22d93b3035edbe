"""A small knowledge base with golden queries, for the fake model: what stands where is decided by words alone."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import write_files

NOTES: dict[str, str | bytes] = {
    "weather/fog.md": "# Fog\n\nIn fog the ferry waits at the lamp buoy and sounds the horn every minute.\n\n"
    "## Clearing\n\nWhen the haze lifts the mate asks the harbour for a new slot.\n",
    "weather/wind.md": "# Wind\n\nAbove thirty knots the small ferry stays in port and the ramp is lashed.\n",
    "cargo/horses.md": "# Horses\n\nA horse box travels on the open deck, and the groom stays beside it.\n",
    "cargo/bees.md": "# Bees\n\nHives travel at night with the entrance closed, away from the engine.\n",
    "office/refunds.md": "# Refunds\n\nA cancelled crossing is paid back in full within fourteen days.\n",
    "office/groups.md": "# Groups\n\nFor a party of twenty the office holds seats until noon the day before.\n",
    "my notes/tea & cake.md": "# Tea\n\nThe galley serves tea and saffron cake from six in the morning.\n",
    "港/潮.md": "# 潮\n\n満潮の前後一時間は小さい船だけが内港に入れる。\n",
}

GOLDEN = """\
# Golden queries of the little base.
queries:
  - id: fog
    query: what does the ferry do in fog
    tags: [weather]
    expected:
      - path: weather/fog.md
        heading: Fog
        relevance: 3
  - id: slot
    query: haze lifts new slot
    expected:
      - path: weather/fog.md
        quote: asks the harbour for a new slot
  - id: animals
    query: how do animals travel on the open deck at night
    expected:
      - {path: cargo/horses.md, relevance: 2}
      - {path: cargo/bees.md}
      - {path: office/groups.md}
  - id: money
    query: paid back after a cancelled crossing
    expected:
      - path: office/refunds.md
  - id: cake
    query: saffron cake
    expected:
      - path: my notes/tea & cake.md
  - id: tide
    query: 満潮のとき内港に入れる船
    expected:
      - path: 港/潮.md
  - id: nowhere
    query: zzyzx quoxx
    expected:
      - path: office/groups.md
  - id: no answer
    query: who won the regatta
    answerable: false
"""


def write_base(folder: Path, golden: str = GOLDEN, **files: str | bytes) -> Path:
    """The base's files and its golden file below a folder; more ``files`` by path."""
    folder.mkdir(parents=True, exist_ok=True)
    write_files(folder, {**NOTES, ".groove-eval.yml": golden, **files})
    return folder

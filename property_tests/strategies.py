"""Strategies that several property tests draw from."""

from __future__ import annotations

from hypothesis import strategies as st

MARKDOWN_PARTS = (
    *(
        "# ",
        "## ",
        "###### ",
        "#",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "a",
        "word ",
        "- ",
        "> ",
        "1. ",
        "```",
        "~~~",
        "    ",
        "\t",
    ),
    *(
        "---\n",
        "===\n",
        "|",
        "|-|-|\n",
        "|a|b|\n",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "[a]: b\n",
        "[",
        "](x)",
        "*",
        "**",
    ),
    *(
        "\0",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\u2028",
        "\u00a0",
        "\u200b",
        "\ufeff",
        "é",
        "e\u0301",
        "👨\u200d👩",
        "🇫🇷",
        "日本。",
    ),
    *(
        "[[a|b]]",
        "`c`",
        "%%x%%",
        "title: x\n",
        "tags: [a\n",
        "...\n",
        "# h\n\n",
        "x" * 30,
        "!",
        "?",
        "<T>",
        "&amp;",
        "\\",
    ),
)
"""What trips line scanners: markers, fences, half-open blocks, every line end, marks, joiners, invisible characters."""

markdown_texts = st.lists(st.sampled_from(MARKDOWN_PARTS), max_size=40).map("".join) | st.text(max_size=80)
"""Markdown of any shape, mostly malformed; may begin with what looks like frontmatter."""

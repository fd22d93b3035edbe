from __future__ import annotations

import io
import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from grooveseek.errors import QueryError, Refused, Unparsable
from grooveseek.parsing.registry import Registry
from grooveseek.serving.documents import MAX_TEXT_BYTES, DocumentReader, metadata
from grooveseek.settings.sections import IndexSettings, ParserSettings, Settings
from tests.conftest import write_files

SETTINGS = Settings(parsers=ParserSettings(enabled=("md", "txt", "docx")), exclude_headings=("Secret",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "kb").resolve()
    root.mkdir()
    return root


def reader(root: Path, settings: Settings = SETTINGS) -> DocumentReader:
    return DocumentReader(root, settings, Registry.from_settings(settings))


def docx(text: str, *, padding: int = 0) -> bytes:
    body = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<?xml version="1.0"?><w:document xmlns:w="{name}"><w:body>{body}</w:body></w:document>'
    kinds = "http://schemas.openxmlformats.org/package/2006/content-types"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<?xml version="1.0"?><Types xmlns="{kinds}">'
            f'<Override PartName="/word/document.xml" ContentType="{main}"/><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<?xml version="1.0"?><Relationships xmlns="{relations}">'
            f'<Relationship Id="r1" Type="{kind}" Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", document + " " * padding)
    return file.getvalue()


def test_a_text_is_given_as_it_stands_with_what_it_says_of_itself(root: Path):
    text = (
        "\ufeff---\r\ntitle: T\r\ntags: [a, b]\r\nowner: me\r\ndate: 2026-01-02\r\n---\r\n\r\n# Secret\r\n\r\nbody\r\n"
    )
    write_files(root, {"sub/a.md": text})
    document = reader(root).read("sub/a.md")
    assert document.text == text.removeprefix("\ufeff"), "an excluded heading bounds the index, not reading"
    assert (document.media_type, document.extracted, document.truncated) == ("text/markdown", False, False)
    assert document.size_bytes == len(text.encode())
    assert metadata(document.parsed) == {
        "title": "T",
        "category": "sub",
        "date": "2026-01-02",
        "tags": ["a", "b"],
        "fields": {"owner": "me"},
    }


def test_an_excluded_file_is_read_by_whoever_names_it(root: Path):
    write_files(root, {".grooveignore": "drafts/\n", "drafts/a.md": "draft"})
    assert reader(root).read("drafts/a.md").text == "draft"


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("../a.md", "a part that is only .."),
        ("/etc/passwd", "starts with /"),
        ("a//b.md", "empty part"),
        ("a\\b.md", "backslash"),
        ("a\0.md", "NUL"),
        ("", "it is empty"),
        ("a.exe", "no enabled parser"),
        ("nothing", "no enabled parser"),
        ("gone.md", "there is no document 'gone.md'"),
        ("sub/gone.md", "there is no document"),
        ("a.md/below.md", "there is no document"),
    ],
)
def test_a_name_that_names_nothing_is_a_wrong_argument(root: Path, path: str, complaint: str):
    write_files(root, {"a.md": "a"})
    with pytest.raises(QueryError, match=complaint):
        reader(root).read(path)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems know one form of a name")
def test_a_name_spelled_in_another_unicode_form_is_read_as_the_file_is_called(root: Path):
    write_files(root, {"re\u0301sume\u0301/e\u0301.md": "text"})
    document = reader(root).read("r\u00e9sum\u00e9/\u00e9.md")
    assert (document.path, document.text) == ("re\u0301sume\u0301/e\u0301.md", "text")
    (root / "out").symlink_to(root.parent)
    write_files(root.parent, {"e\u0301.md": "secret"})
    with pytest.raises(Refused, match="leads out"):
        reader(root).read("out/\u00e9.md")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_never_read_and_never_lead_out(root: Path):
    outside = root.parent / "outside"
    write_files(root, {"a.md": "a", "inner/b.md": "b", "one.md": "x"})
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "link.md").symlink_to("a.md")
    (root / "out").symlink_to(outside)
    (root / "in").symlink_to("inner")
    (root / "loop").symlink_to("loop")
    os.link(root / "one.md", root / "two.md")
    read = reader(root).read
    with pytest.raises(Refused, match="symbolic link"):
        read("link.md")
    with pytest.raises(Refused, match="leads out"):
        read("out/secret.md")
    with pytest.raises((Refused, QueryError)):
        read("loop/x.md")
    with pytest.raises(Refused, match="hard links"):
        read("two.md")
    assert read("in/b.md").text == "b", "a link that stays inside may be gone through by name"


def test_a_text_over_the_limit_is_refused_and_not_offered(root: Path):
    write_files(root, {"full.md": b"x" * MAX_TEXT_BYTES, "over.md": b"x" * (MAX_TEXT_BYTES + 1)})
    read = reader(root)
    assert len(read.read("full.md").text) == MAX_TEXT_BYTES
    assert read.is_servable("full.md", MAX_TEXT_BYTES)
    with pytest.raises(Refused, match="over the limit of 1,048,576"):
        read.read("over.md")
    assert not read.is_servable("over.md", MAX_TEXT_BYTES + 1)


def test_what_is_not_utf8_makes_no_text(root: Path):
    write_files(root, {"a.md": b"caf\xe9"})
    with pytest.raises(Unparsable, match=r"a\.md cannot be read.*not UTF-8"):
        reader(root).read("a.md")


def test_extracted_text_is_cut_at_the_limit_with_a_flag(root: Path):
    write_files(root, {"small.docx": docx("some words"), "large.docx": docx("é" * (MAX_TEXT_BYTES // 2 + 5))})
    small, large = reader(root).read("small.docx"), reader(root).read("large.docx")
    assert (small.text, small.media_type, small.extracted, small.truncated) == ("some words", "text/plain", True, False)
    assert large.truncated
    assert len(large.text.encode()) <= MAX_TEXT_BYTES


def test_reading_inflates_no_more_than_the_built_in_limit(root: Path):
    limit = IndexSettings().max_decompressed_size
    assert limit is not None
    write_files(root, {"bomb.docx": docx("words", padding=limit + 1)})
    settings = replace(SETTINGS, index=replace(SETTINGS.index, max_decompressed_size=None))
    with pytest.raises(Unparsable, match=r"bomb\.docx"):
        reader(root, settings).read("bomb.docx")


def test_names_that_cannot_be_addressed_are_not_offered(root: Path):
    read = reader(root)
    assert not read.is_servable("../a.md", 1)
    assert not read.is_servable("a.pdf", 1), "its parser is not enabled"
    assert read.is_servable("a.docx", 1)

import pytest
from grooveseek.errors import Unparsable
from grooveseek.parsing.source import Source

BOM = b"\xef\xbb\xbf"
LOOKS_LIKE = "looks like UTF-16 text, every other byte of it being 0"


def test_bytes_count_the_byte_order_mark_and_every_line_end() -> None:
    source = Source.decode(BOM + "é\r\nx\ry\nz".encode())
    assert source.text == "é\r\nx\ry\nz"
    assert [source.byte_at(source.line_start(line)) for line in range(5)] == [3, 7, 9, 11, 12]
    assert [source.line(line) for line in range(4)] == ["é", "x", "y", "z"]


@pytest.mark.parametrize("char", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_separators_end_no_line(char: str) -> None:
    assert Source.decode(f"a{char}b".encode()).line_starts == [0]


def test_a_position_belongs_to_the_line_it_is_on() -> None:
    source = Source.decode(b"ab\n\ncd")
    assert [source.line_at(position) for position in range(7)] == [0, 0, 0, 1, 2, 2, 2]


def test_bytes_are_right_far_into_a_file() -> None:
    text = "aé日𝄞" * 5000
    source = Source.decode(BOM + text.encode())
    for position in (0, 1, 4095, 4096, 4097, 12_288, 19_999, 20_000):
        assert source.byte_at(position) == 3 + len(text[:position].encode())


def test_every_mark_at_the_beginning_counts_and_is_no_text() -> None:
    source = Source.decode(BOM * 2 + "é!".encode())
    assert (source.text, source.byte_at(0), source.byte_at(1)) == ("é!", 6, 8)


@pytest.mark.parametrize(
    "data", [b"\0", b"a\0b", b"words\0and words\0", b"a\0b\0", b"\0" * 9, b"log line\n" + b"\0" * 4096]
)
def test_a_text_with_nul_characters_is_read(data: bytes) -> None:
    assert Source.decode(data).text == data.decode()


def test_a_plain_ascii_file_with_a_mark_is_shifted_by_it() -> None:
    assert Source.decode(BOM + b"abc").byte_at(3) == 6


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"caf\xe9 noir", "is not UTF-8 text: byte 0xe9 at byte offset 3; convert the file to UTF-8"),
        (BOM + b"ab\xff", "is not UTF-8 text: byte 0xff at byte offset 5; convert the file to UTF-8"),
        ("日本".encode()[:-1], "is not UTF-8 text: byte 0xe6 at byte offset 3; convert the file to UTF-8"),
        ("Grüße".encode("utf-16"), "is UTF-16 text; convert the file to UTF-8"),
        ("Grüße".encode("utf-32"), "is UTF-32 text; convert the file to UTF-8"),
        ("# Note\n\nA word.\n".encode("utf-16-le"), f"{LOOKS_LIKE}; convert the file to UTF-8"),
        ("# Note\n\nA word.\n".encode("utf-16-be"), f"{LOOKS_LIKE}; convert the file to UTF-8"),
        (b"\xed\xa0\x80", "is not UTF-8 text: byte 0xed at byte offset 0; convert the file to UTF-8"),
    ],
)
def test_what_is_not_utf8_is_refused_with_the_place(data: bytes, message: str) -> None:
    with pytest.raises(Unparsable) as caught:
        Source.decode(data)
    assert str(caught.value) == message

import pytest
from grooveseek.errors import Unparsable
from grooveseek.parsing.pdf_gates import PageText, byte_pair_share, c1_share, refuse_unreadable

KANJI = "倉庫の部品を数えた。港の朝は早く、漁船は夜明け前に出て行く。灯台の光が波の上を静かに渡り。"
KANA = "あいうえおかきくけこさしすせそたちつてと"
PROSE = "The harbour cranes were repainted in spring, and the western quay was closed to small vessels. "


def misread(text: str) -> str:
    """UTF-16BE read byte by byte, as a reader does that does not know the font's encoding."""
    return text.encode("utf-16-be").decode("latin-1")


def page(text: str, *, pictured: bool = False) -> PageText:
    return PageText(text=text, pictured=pictured)


def test_misread_kanji_is_refused_by_its_c1_controls() -> None:
    assert c1_share(misread(KANJI)) > 0.03
    with pytest.raises(Unparsable, match=r"garbled text: .*C1 controls"):
        refuse_unreadable([page(misread(KANJI * 5))])


def test_misread_kana_has_no_c1_control_and_is_refused_by_its_pairs() -> None:
    low = "".join(character for character in KANA if ord(character) & 0xFF < 0x80)
    assert c1_share(misread(low)) == 0
    with pytest.raises(Unparsable, match="two-byte characters read byte by byte"):
        refuse_unreadable([page(misread(low * 9))])


def test_misread_labels_too_short_to_judge_are_judged_together() -> None:
    labels = " ".join(misread(KANA[n : n + 2]) for n in range(0, 14, 2))
    assert byte_pair_share(labels) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        *(PROSE * 3, KANJI * 3, KANA, "Ünïcödé naïveté – “quoted” €"),
        *("00010203040506070809", "1A2A3A4A5A6A7A8A", "10 20 30 40 50 60", "0x30 0x31 0x32 0x33"),
        *("=== --- ===", "aaaaaaaaaaaaaaaaaaaa", "R1R2R3R4R5R6R7R8", "............ 12"),
    ],
)
def test_what_only_looks_like_it_passes(text: str) -> None:
    document = text if text.startswith(("The", "倉", "あ", "Ü")) else PROSE * 3 + text
    assert c1_share(document) == 0
    assert byte_pair_share(document) < 0.3
    refuse_unreadable([page(document)])


def test_one_c1_control_in_a_hundred_is_the_limit() -> None:
    refuse_unreadable([page("\x85" + "x" * 100)])
    with pytest.raises(Unparsable, match="C1"):
        refuse_unreadable([page("\x85" + "x" * 99)])


def test_garbled_comes_before_sparse() -> None:
    with pytest.raises(Unparsable, match="garbled"):
        refuse_unreadable([page("\x85 few", pictured=True)])


def test_forty_nine_characters_a_page_beside_pictures_are_too_little_and_fifty_are_not() -> None:
    refuse_unreadable([page("x" * 60, pictured=True), page("x" * 40)])
    with pytest.raises(Unparsable, match="50 characters a page on average, over 2 pages, where 50"):
        refuse_unreadable([page("x" * 60, pictured=True), page("x" * 39)])


def test_little_text_on_bare_pages_is_all_there_is_and_is_kept() -> None:
    refuse_unreadable([page("A label: 29 characters of it."), page("")])


def test_no_text_at_all_is_refused_pictures_or_not() -> None:
    with pytest.raises(Unparsable, match="0 characters a page"):
        refuse_unreadable([page(" \n"), page("")])


def test_pages_without_a_mapping_count_neither_as_text_nor_as_garbled() -> None:
    refuse_unreadable([PageText(text="\x85" * 99, unmapped=True), page(PROSE)])
    with pytest.raises(Unparsable, match="fonts do not say"):
        refuse_unreadable([PageText(text="$%&'(", unmapped=True)])


def test_a_file_of_damaged_pages_only_is_refused() -> None:
    refuse_unreadable([PageText(damaged=True), page(PROSE)])
    with pytest.raises(Unparsable, match="damaged"):
        refuse_unreadable([PageText(damaged=True)])

from grooveseek.evaluation.report.markup import Markup, element, join
from hypothesis import given
from hypothesis import strategies as st


def test_text_is_escaped_and_markup_is_not() -> None:
    inner = element("b", "1 < 2")
    assert element("p", inner, " & ", 3, None, class_="a", data_x='"', id=None) == (
        '<p class="a" data-x="&quot;"><b>1 &lt; 2</b> &amp; 3</p>'
    )


def test_an_element_without_content_closes_itself() -> None:
    assert element("circle", r=2.5) == '<circle r="2.5"/>'
    assert element("circle", element("title", "t")) == "<circle><title>t</title></circle>"
    assert element("td") == "<td></td>"


def test_lists_are_laid_out_in_order() -> None:
    assert join([element("i", str(n)) for n in range(2)], "x") == "<i>0</i><i>1</i>x"
    assert isinstance(join("a"), Markup)


@given(st.text())
def test_no_text_makes_markup(text: str) -> None:
    shown = element("p", text, title=text)
    assert shown.count("<") == 2
    assert shown.count('"') == 2

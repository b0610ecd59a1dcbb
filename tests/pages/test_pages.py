"""Pages and pictures: whole, escaped, readable without colours and scripts, the same colours everywhere."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import pages
from crfdeid.pages import curves, pictures
from crfdeid.pages.pictures import Axis, Estimate

HOSTILE = '<script>alert("1")</script> & <!-- body -->'
SVG = "{http://www.w3.org/2000/svg}"
SHARE = Axis("share")
DRAWN = {
    "estimates": lambda text: pictures.draw_estimates(
        text, text, SHARE, {text: [Estimate(0.5, 0.2, 0.9, text), None]}, (text, "b")
    ),
    "bars": lambda text: pictures.draw_bars(text, text, Axis(text, 0, 9), {text: [3.0], "b": [9.0]}),
    "curve": lambda text: curves.draw_curve(
        text, text, (Axis(text), SHARE), [(0, 0), (1, 1)], {text: (0.5, 0.5)}, own=text
    ),
}


class Whole(HTMLParser):
    """All elements are closed in their order."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.words = [], [], ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def test_a_page_has_its_head_and_escapes_what_it_is_about():
    html = pages.render_page(HOSTILE, pages.stamp(corpus=HOSTILE), "<p>body</p>", warning=HOSTILE)
    page = Whole(html)
    assert "script" not in page.tags and "script-src" not in html and page.words.count(HOSTILE) == 4
    assert re.search(r"<b>crfdeid</b> \d", html) and re.search(r"<b>written</b> \d{4}-", html)
    assert html.index('class="warning"') < html.index("<h1>") < html.index("<p>body</p>")
    assert not re.search(r"""(src|href)=|url\(|https?://""", html)


def test_only_a_page_with_a_script_may_run_one():
    html = pages.render_page("a", {}, "", script="go();\n")
    assert "script-src 'unsafe-inline'" in html and "<script>\ngo();\n</script>" in html


@pytest.mark.parametrize("kind", DRAWN)
def test_a_picture_says_in_words_what_it_shows(kind):
    picture = DRAWN[kind](HOSTILE)
    assert "script" not in Whole(picture).tags and 'role="img"' in picture
    root = ElementTree.fromstring(pictures.render_file(picture))
    assert root.find(SVG + "title").text == root.find(SVG + "desc").text == HOSTILE
    assert "prefers-color-scheme: dark" in root.find(SVG + "style").text
    assert 'class="picture' in pages.render_page("a", {}, pictures.render_figures([picture]))


@pytest.mark.parametrize("kind", DRAWN)
def test_all_of_a_picture_is_inside_it(kind):
    root = ElementTree.fromstring(pictures.render_file(DRAWN[kind]("MEDICALRECORD")))
    _, _, width, height = map(float, root.get("viewBox").split())
    for text in root.iter(SVG + "text"):
        if text.get("x"):
            half = {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")]
            left = float(text.get("x")) - half * pictures.measure_text(text.text)
            assert left >= 0 and left + pictures.measure_text(text.text) <= width + 1, text.text
            assert 0 < float(text.get("y")) < height


def test_series_differ_by_their_marks():
    rows = {"x": [Estimate(share, 0, 1) for share in (0.5, 0.6, 0.7)]}
    picture = pictures.draw_estimates("a", "b", SHARE, rows, "abc")
    marks = ("<circle", '<rect class="dot"', '<path class="dot"')
    assert [picture.count(mark) for mark in marks] == [2, 2, 2]  # of the figure, and of the key


@given(low=st.floats(0.001, 1e6), factor=st.floats(1.5, 1e6), share=st.floats(0, 1), is_log=st.booleans())
def test_an_axis_places_its_values_and_has_a_few_ticks(low, factor, share, is_log):
    axis = Axis("", low, low * factor, is_log)
    value = axis.low + share * (axis.high - axis.low)
    assert -1e-9 <= axis.place(value) <= 1 + 1e-9
    assert len(axis.ticks()) <= 14 and all(-1e-6 <= axis.place(tick) <= 1 + 1e-6 for tick in axis.ticks())


@given(st.dictionaries(st.text("ab", max_size=3), st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12))
def test_names_of_points_do_not_cover_one_another(marked):
    picture = curves.draw_curve("a", "b", (SHARE, SHARE), [(0, 1), (1, 0)], marked)
    root = ElementTree.fromstring(pictures.render_file(picture))
    boxes = [
        (float(text.get("x")), float(text.get("y")), pictures.measure_text(text.text or ""))
        for text in root.iter(SVG + "text")
        if "halo" in text.get("class", "")
    ]
    for n, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:n]:
            assert abs(y - other_y) >= 13 or abs(x - other_x) >= (width + other_width) / 2


def test_what_is_beyond_the_axes_is_not_drawn():
    points = [(n / 10_000, 1 - n / 10_000) for n in range(10_001)]
    placed = curves.trace_line((Axis("", 0.5), Axis("")), points)
    assert len(placed) < 420 and min(x for x, _ in placed) >= curves.LEFT - 1
    assert placed[-1] == curves.place_point((Axis("", 0.5), Axis("")), (1, 0))

"""The scanner of XML that keeps offsets."""

import pytest

from crfdeid.corpora import markup
from crfdeid.corpora.markup import scan


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ('<a b="c" d=\'e"\' f = "">', [("b", "c"), ("d", 'e"'), ("f", "")]),
        ('<a b c="d" e/>', [("c", "d")]),
        ('<a b=c="d" e=>', [("c", "d")]),
        ("<a b=\"'\" c='d'>", [("b", "'"), ("c", "d")]),
        ("<a\n\tb\r\n=\n'x>y'/>", [("b", "x>y")]),
        ('<x:a y:b="c d" c="/">', [("y:b", "c d"), ("c", "/")]),
        ("<a>", []),
    ],
)
def test_attributes_are_those_with_a_value_in_quotes(tag, attributes):
    (piece,) = scan(tag)
    assert [(each.name, tag[each.start : each.end]) for each in piece.attributes] == attributes


@pytest.mark.parametrize(
    ("source", "pieces"),
    [
        ("<x:a b='/'>c</x:a >", [("open", "a", "<x:a b='/'>"), ("text", "", "c"), ("close", "a", "</x:a >")]),
        ("<a/><b />", [("empty", "a", "<a/>"), ("empty", "b", "<b />")]),
        ("<!-- <a> --><!---->", [("comment", "", "<!-- <a> -->"), ("comment", "", "<!---->")]),
        ("<![CDATA[<a> ]] >]]>b", [("cdata", "", "<a> ]] >"), ("text", "", "b")]),
        ("<![CDATA[]]>", [("cdata", "", "")]),
        ("<?x <a>\n?>a > b", [("instruction", "", "<?x <a>\n?>"), ("text", "", "a > b")]),
    ],
)
def test_the_pieces_of_a_source(source, pieces):
    assert [(each.kind, each.name, source[each.start : each.end]) for each in scan(source)] == pieces
    assert [each.start for each in scan("__" + source, 2)] == [each.start + 2 for each in scan(source)]


@pytest.mark.parametrize(
    ("decode", "source", "characters"),
    [
        (markup.decode_text, "a\r\nb\rc\n", ["a", "\n", "b", "\n", "c", "\n"]),
        (markup.decode_text, "&#233;&#xE9;&#xe9;&lt;&frac12;", ["é", "é", "é", "<", "½"]),
        (markup.decode_text, "& a;&#;&#x;", ["&", " ", "a", ";", "&", "#", ";", "&", "#", "x", ";"]),
        (markup.decode_cdata, "a\r\nb\rc", ["a", "\n", "b", "\n", "c"]),
        (markup.decode_cdata, "&lt;", ["&", "l", "t", ";"]),
    ],
)
def test_the_characters_of_a_text_have_their_places(decode, source, characters):
    found = list(decode(f"{source}x", 0, len(source)))
    assert [text for text, _ in found] == characters
    ends = [end for _, end in found]
    assert ends == sorted({*ends}) and ends[-1] == len(source)
    assert list(decode(f"_{source}", 1, 1 + len(source))) == [(text, end + 1) for text, end in found]


def read(source: str) -> str:
    return "".join(each.text for each in markup.list_characters(source, scan(source)))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>a</p><p>b</p>", "a\nb"),
        ("<p>a</p>b<br/>c", "a\nb\nc"),
        ("a<b>n</b>a<I>x</I><span>y</span>z", "anaxyz"),
        ("a<!-- x -->b<?x y?>c", "abc"),
        ("<p/>a", "a"),
        ("a<p/>", "a"),
        ("a<base/>b", "a\nb"),
        ("a<p/><![CDATA[&amp;\r\n]]>&amp;", "a\n&amp;\n&"),
    ],
)
def test_elements_that_are_not_inline_end_a_line(source, text):
    assert read(source) == text


def test_a_line_ends_between_two_texts():
    found = [ends_line for _, ends_line in markup.list_texts(scan("a<b>c</b><p>d</p>e"))]
    assert found == [False, False, True, True]


def test_each_text_is_a_node():
    found = markup.list_characters("ab<b>c</b><p/>d", scan("ab<b>c</b><p/>d"))
    assert [(each.text, each.start, each.end, each.node) for each in found] == [
        ("a", 0, 1, 0), ("b", 1, 2, 0), ("c", 5, 6, 1), ("\n", -1, -1, -1), ("d", 14, 15, 2),
    ]  # fmt: skip


def test_the_places_of_a_string_inside_another_source():
    outer = [markup.Character(text, 10 * at, 10 * at + 7, 5) for at, text in enumerate("a&lt;b")]
    found = markup.list_characters("a&lt;b", scan("a&lt;b"), outer)
    assert [tuple(each) for each in found] == [("a", 0, 7, 0), ("<", 10, 47, 0), ("b", 50, 57, 0)]


def test_texts_are_written_as_xml_has_them():
    text = "a<b>&\"'\t\r\n\x00\ufffe"
    assert markup.encode_text(text) == "a&lt;b&gt;&amp;\"'\t&#13;\n\ufffd\ufffd"
    assert markup.encode_attribute(text) == "a&lt;b&gt;&amp;&quot;&#39;&#9;&#13;&#10;\ufffd\ufffd"
    for text in (" ", "\ud7ff\ue000\ufffd", "\U00010000\U0010ffff"):
        assert markup.encode_text(text) == text
    for text in ("\x1f", "\ufffe", "\uffff", "\x0b"):
        assert markup.encode_text(text) == "\ufffd"


def test_entities_of_html_become_their_characters_and_those_of_xml_stay():
    source = "&nbsp;&eacute;&frac12;&amp;&lt;&gt;&quot;&apos;&zzyzx;&#233;"
    assert markup.replace_entities(source) == "\xa0é½&amp;&lt;&gt;&quot;&apos;&zzyzx;&#233;"


KEPT = [
    ("class", "table"), ("styleCode", "Bold"), ("colspan", "2"), ("rowSpan", "2"), ("span", "2"),
    ("ID", "p1"), ("listType", "ordered"), ("lang", "en-US"), ("xml:lang", "en"), ("IDREF", "p.1"),
    ("frame", "box"), ("rules", "all"), ("referencedObject", "p1"), ("href", "#p_1"), ("href", ""),
    ("ID", "a" * 60), ("ID", "a"), ("style", "width: 10%; color: rgb(1,2,3)/#fff"), ("border", "1"),
    ("width", "1"), ("height", "2"), ("padding", "1"), ("cellspacing", "1"), ("align", "left"),
    ("valign", "top"), ("scope", "row"), ("xmlns", "urn:hl7-org:v3"),
    ("xmlns:xsi", "http://www.w3.org/1999/xhtml"), ("style", ""), ("style", "a" * 200),
]  # fmt: skip
MASKED = [
    ("title", "x"), ("alt", "x"), ("class", "Ana Eze"), ("ID", "a" * 61), ("ID", "Okoń"), ("href", "##p"),
    ("href", "https://a.b"), ("style", "a" * 201), ("style", "Okoń"), ("style", "a@b"), ("Class", "x"),
    ("xclass", "x"), ("classx", "x"), ("xmlns:", "x"), ("xmlns:okoń", "x"), ("vvalign", "x"),
    ("styles", "x"),
]  # fmt: skip


def test_what_a_narrative_keeps_of_its_attributes():
    assert [each for each in KEPT if not markup.is_kept(*each)] == []
    assert [each for each in MASKED if markup.is_kept(*each)] == []


def test_what_does_not_go_out_of_a_narrative():
    source = "<p title='Ana' alt='' class='x'><!-- Ana --><?x Ana?><br ID='Ana Eze'/></p>"
    masked = [source[each.start : each.end] for each in markup.list_masked(source, scan(source))]
    assert masked == ["Ana", "<!-- Ana -->", "<?x Ana?>", "Ana Eze"]


def test_a_long_name_without_a_value_is_read_once_and_not_from_each_of_its_letters():
    found = markup.ATTRIBUTE.finditer("a" * 1000 + " b='c'")
    assert [each.span() for each in found] == [(0, 1000), (1001, 1006)]

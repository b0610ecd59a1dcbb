"""The scanner of XML that keeps offsets."""

import pytest

from crfdeid.corpora.markup import scan


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ('<a b="c" d=\'e"\' f = "">', [("b", "c"), ("d", 'e"'), ("f", "")]),
        ('<a b c="d" e/>', [("c", "d")]),
        ('<a b=c="d" e=>', [("c", "d")]),
        ("<a b=\"'\" c='d'>", [("b", "'"), ("c", "d")]),
        ("<a>", []),
    ],
)
def test_attributes_are_those_with_a_value_in_quotes(tag, attributes):
    (piece,) = scan(tag)
    assert [(each.name, tag[each.start : each.end]) for each in piece.attributes] == attributes

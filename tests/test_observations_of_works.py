"""The observations that the five works need: what each says, as tables of examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import neighbours, observations, templates
from crfdeid.faults import TemplateFault
from crfdeid.page import Page
from crfdeid.templates import Extractor, parse
from crfdeid.tokenizer import fine


def page(text):
    return Page(text, fine(text))


def features(text, *parts):
    found = [template for part in parts for template in parse(part)]
    seen = page(text)
    extractor = Extractor(found, templates.lexical({}), templates.contextual({}))
    return extractor.features(seen, range(len(seen.tokens)))


def test_several_values_make_a_feature_each():
    he, end, us = ([f"ngrams[-1]={part}" for part in neighbours.ngrams(word)] for word in ("He", "\n", "is"))
    assert features("He\nis in", "ngrams[-1]", "words_right[0]", "words_left[0]") == [
        ["bias", "words_right[0]=is", "words_right[0]=in"],
        ["bias", *he],
        ["bias", *end, "words_right[0]=in", "words_left[0]=He"],
        ["bias", *us, "words_left[0]=He", "words_left[0]=is"],
    ]


def test_several_values_are_not_joined():
    with pytest.raises(TemplateFault, match=r"lower\[0\]\|ngrams\[0\]: ngrams gives several values"):
        features("He", "lower[0]|ngrams[0]")


def test_the_observations_of_several_values_are_those_that_say_so():
    several = {**neighbours.LEXICAL, **neighbours.CONTEXTUAL}
    assert several.keys() == observations.SEVERAL


@given(st.text(alphabet="aB_1.\n", max_size=30))
def test_several_values_are_distinct(text):
    seen = page(text)
    for observe in neighbours.CONTEXTUAL.values():
        values = observe(seen)
        assert len(values) == len(seen.tokens)
        assert all(value is None or (value and len(set(value)) == len(value)) for value in values)
    for token in seen.tokens:
        parts = neighbours.ngrams(token.text)
        assert parts and len(set(parts)) == len(parts)

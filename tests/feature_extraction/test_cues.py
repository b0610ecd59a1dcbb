"""The nearest cues of addresses around a token."""

import pytest

from crfdeid.errors import TemplateError
from crfdeid.feature_extraction import context, templates
from crfdeid.feature_extraction.templates import resolve_names
from crfdeid.text import gazetteer
from crfdeid.text.gazetteer import build_gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine

TABLES = {"es_address": gazetteer.read_list(gazetteer.find_gazetteer("es_address"))}
FOOTER = "Hospital San Juan Avda. Denia, 103. 03013 Alicante (España)"


def observe(name, text):
    document = TokenizedDocument(text, fine(text))
    values = resolve_names([name], TABLES).contextual[name](document)
    return dict(zip([token.text for token in document.tokens], values))


EXAMPLES = [
    ("cue_before_es_address", {"Hospital": "-", "Juan": "hospital.2", "Denia": "street.2", ")": "country.1"}),
    ("cue_after_es_address", {"Hospital": "street.3", "Juan": "street.1", "Denia": "number.2", ")": "-"}),
    (
        "cues_es_address",
        {"Hospital": "-", "Juan": "hospital", "Denia": "hospital.street", "Alicante": "street.number.code"},
    ),
]


@pytest.mark.parametrize(("name", "wanted"), EXAMPLES)
def test_a_token_of_a_footer_sees_the_cues_around_it(name, wanted):
    found = observe(name, FOOTER)
    assert {text: found[text] for text in wanted} == wanted


@pytest.mark.parametrize("name", [name for name, _ in EXAMPLES])
def test_cues_end_with_their_line(name):
    assert observe(name, "avda\nDenia\n103")["Denia"] == "-"


def test_far_cues_are_alike_and_repeated_cues_count_once():
    text = "calle avda " + " ".join("abdfghijklm")
    assert observe("cue_before_es_address", text)["m"] == observe("cue_before_es_address", text)["l"]
    assert observe("cues_es_address", text)["a"] == "street"


def test_templates_that_use_cues_need_their_table():
    found = list(templates.parse_templates("cue_before_es_address[0]|cues_es_address[0]"))
    assert templates.list_gazetteers(found) == templates.list_tables(found) == ["es_address"]
    for lists in ({}, {"es_address": build_gazetteer("es_address", ["calle"])}):
        with pytest.raises(TemplateError, match="es_address is not a table of words with the column cue"):
            resolve_names(["cues_es_address"], lists)


def test_every_kind_is_the_name_of_a_part():
    kinds = set(context.find_kinds("cues_es_address", TABLES).values())
    assert kinds == {"hospital", "institution", "unit", "street", "mail", "phone", "code", "country"}

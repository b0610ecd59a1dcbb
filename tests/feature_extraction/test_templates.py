"""Templates, observations, and the features that they make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import files
from crfdeid.errors import TemplateError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction import token as observations
from crfdeid.feature_extraction.context import CONTEXTUAL
from crfdeid.feature_extraction.pipeline import Extractor
from crfdeid.feature_extraction.templates import parse_templates
from crfdeid.text import gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine


def extractor(*parts, gazetteers=None):
    lists = gazetteers or {}
    found = [template for part in parts for template in parse_templates(part)]
    return Extractor(found, lists)


def features(text, *parts, gazetteers=None):
    document = TokenizedDocument(text, fine(text))
    return extractor(*parts, gazetteers=gazetteers).features(document, range(len(document.tokens)))


# He et al. 2015, table 2, its column for "Valdez".
VALDEZ = {
    "lower": "valdez", "prefix4": "vald", "suffix4": "ldez", "shape": "Aaaaaa", "length": "6",
    "has_letter": "1", "has_capital": "1", "begins_capital": "1", "all_capitals": None, "has_digit": None,
    "all_digits": None, "has_punctuation": None, "letters_and_digits": None, "digits_and_punctuation": None,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALDEZ.items())
def test_table_2_of_he_et_al(name, value):
    assert observations.LEXICAL[name]("Valdez") == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("normal", "O'Brien", "obrien"),
        ("normal", "OBRIEN", "obrien"),
        ("normal", "MÜLLER", "muller"),
        ("normal", "Sooo", "so"),
        ("normal", "1111", "0000"),
        ("normal", "¼", "00"),
        ("normal", "\u0301", None),
        ("normal", "--", None),
        ("letters_and_digits", "x5", "1"),
        ("letters_and_digits", "x", None),
        ("digits_and_punctuation", "3/4", "1"),
        ("digits_and_punctuation", "34", None),
        ("all_capitals", "MARY", "1"),
        ("has_punctuation", "O'Neil", "1"),
        ("shape", "José-7", "Aaaa-0"),
        ("number_range", "89", "age"),
        ("number_range", "90", "old"),
    ],
)
def test_yes_no_questions_and_shapes(name, text, value):
    assert observations.LEXICAL[name](text) == value


def test_a_template_makes_features_named_as_itself():
    assert features("Dr Ruiz", "lower[-1..1]", "lower[-1]|shape[0]") == [
        ["bias", "lower[0]=dr", "lower[1]=ruiz"],
        ["bias", "lower[-1]=dr", "lower[0]=ruiz", "lower[-1]|shape[0]=dr|Aaaa"],
    ]


def test_no_value_makes_no_feature():
    assert features("Ruiz", "has_digit[0]", "titled[0]", "has_digit[0]|lower[0]") == [["bias"]]


def test_gazetteers_match_words_and_whole_entries():
    cities = {"cities": gazetteer.build_gazetteer("cities", ["Los Angeles", "Reading"], excluded=["Reading"])}
    rows = features("los Angeles Reading", "in_cities[0]", "phrase_cities[0]", gazetteers=cities)
    assert rows == [
        ["bias", "in_cities[0]=1", "phrase_cities[0]=B"],
        ["bias", "in_cities[0]=1", "phrase_cities[0]=I"],
        ["bias"],
    ]


def test_several_gazetteers_are_asked_as_one():
    lists = {
        "cities": gazetteer.build_gazetteer("cities", ["Los Angeles", "Reading"], excluded=["Reading"]),
        "states": gazetteer.build_gazetteer("states", ["Ohio"]),
    }
    rows = features("los Reading Ohio", "in_cities+states[0]", gazetteers=lists)
    marked = ["bias", "in_cities+states[0]=1"]
    assert rows == [marked, ["bias"], marked]
    with pytest.raises(TemplateError, match="no such observation"):
        features("Ohio", "in_cities+countries[0]", gazetteers=lists)
    with pytest.raises(TemplateError, match="no such observation"):
        features("Ohio", "phrase_cities+states[0]", gazetteers=lists)
    found = templates.parse_templates("in_cities+states[-1..1]")
    assert templates.list_gazetteers(found) == ["cities", "states"]


TEXT = "Name: Ruiz, Ana\nHPI: saw Dr. Ruiz 3/4/61 for\nruiz RUIZ\n"


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("field", "Ana", "name"),
        ("heading", "for", "hpi"),
        ("heading", "RUIZ", "hpi"),
        ("titled", "RUIZ", "1"),
        ("titled", "Ana", None),
        ("word_before", "61", "ruiz"),
        ("word_after", "61", "for"),
        ("chunk", "61", "0/0/00"),
        ("line_position", "Ana", "4"),
        ("page_position", "Ana", "top0"),
    ],
)
def test_contextual_observations(name, word, value):
    tokens = fine(TEXT)
    index = next(i for i, token in enumerate(tokens) if token.text == word)
    assert CONTEXTUAL[name](TokenizedDocument(TEXT, tokens))[index] == value


@pytest.mark.parametrize("name", CONTEXTUAL)
@given(text=st.text(alphabet="aB1 .:-\n", max_size=60))
def test_contextual_observations_give_one_value_per_token(name, text):
    tokens = fine(text)
    assert len(CONTEXTUAL[name](TokenizedDocument(text, tokens))) == len(tokens)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("lower", "not a template"),
        ("lower[2..1]", "backwards"),
        ("lower[-1..0]|shape[0]", "not a template"),
        ("lower[0..99999999]", "not a template"),  # a range fills the memory
        ("lower[1" + "0" * 5000 + "]", "^a word of 5008 characters: not a template"),
        ("lower[\u0663]", "not a template"),
        ("\x1b[31m", "^a word of 5 characters: not a template"),
    ],
)
def test_a_word_that_is_not_a_template_is_an_error(part, message):
    with pytest.raises(TemplateError, match=message):
        list(parse_templates(part))


def test_a_file_of_ranges_without_end_is_refused(tmp_path):
    path = tmp_path / "mine.template"
    path.write_text("# mine\n" + "lower[-99..99] " * 600)
    with pytest.raises(TemplateError, match=r"mine.template, line 2: more than 100,000 templates"):
        templates.read_templates(path)


def test_an_unknown_observation_suggests_a_similar_one():
    with pytest.raises(TemplateError, match="did you mean shape"):
        extractor("shpae[0]")


def test_an_error_in_a_file_names_file_and_line(tmp_path):
    path = tmp_path / "mine.template"
    path.write_text("# mine\nlower[0]\nshape[\n")
    with pytest.raises(TemplateError, match=r"mine.template, line 3: "):
        templates.read_templates(path)


@pytest.mark.parametrize("path", sorted(files.find_folder("features").glob("*.template")), ids=str)
def test_every_shipped_group_reads_and_names_known_observations(path):
    groups = templates.read_templates(path)
    lists = {name: gazetteer.build_gazetteer(name, ["x"]) for name in templates.list_gazetteers(groups)}
    for name in templates.list_tables(groups):
        lists[name] = gazetteer.read_list(gazetteer.find_gazetteer(name))
    assert Extractor(groups, lists, lambda words: words).templates == list(dict.fromkeys(groups)) != []

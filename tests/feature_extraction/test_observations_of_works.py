"""The observations that the five works need: tables of examples for each."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError, FormatError, TemplateError
from crfdeid.feature_extraction import link_bigrams, mesh_terms, templates, works
from crfdeid.feature_extraction import token as observations
from crfdeid.feature_extraction.part_of_speech import PartsOfSpeech, chunk_tag
from crfdeid.feature_extraction.pipeline import Extractor
from crfdeid.feature_extraction.templates import parse_templates
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine


def tokenize(text):
    return TokenizedDocument(text, fine(text))


def features(text, *parts, pos=None):
    found = [template for part in parts for template in parse_templates(part)]
    document = tokenize(text)
    extractor = Extractor(found, {}, pos)
    return extractor.features(document, range(len(document.tokens)))


def marked_tokens(observe, text):
    """Return the tokens where a yes/no observation is true."""
    document = tokenize(text)
    return [token.text for token, value in zip(document.tokens, observe(document)) if value]


def test_several_values_make_a_feature_each():
    he, end, us = ([f"ngrams[-1]={part}" for part in works.ngrams(word)] for word in ("He", "\n", "is"))
    assert features("He\nis in", "ngrams[-1]", "words_right[0]", "words_left[0]") == [
        ["bias", "words_right[0]=is", "words_right[0]=in"],
        ["bias", *he],
        ["bias", *end, "words_right[0]=in", "words_left[0]=He"],
        ["bias", *us, "words_left[0]=He", "words_left[0]=is"],
    ]


def test_several_values_are_not_joined():
    with pytest.raises(TemplateError, match=r"lower\[0\]\|ngrams\[0\]: ngrams gives several values"):
        features("He", "lower[0]|ngrams[0]")


def test_several_values_come_from_the_observations_declared_so():
    several = {"ngrams", *works.OF_WINDOWS, *link_bigrams.CONTEXTUAL}
    assert several == observations.SEVERAL


@given(st.text(alphabet="aB_1.\n", max_size=30))
def test_several_values_are_distinct(text):
    document = tokenize(text)
    for observe in works.OF_WINDOWS.values():
        values = observe(document)
        assert len(values) == len(document.tokens)
        assert all(value is None or (value and len(set(value)) == len(value)) for value in values)
    for token in document.tokens:
        parts = works.ngrams(token.text)
        assert parts and len(set(parts)) == len(parts)


def test_a_long_word_has_no_mark_at_its_cut_end():
    parts = works.ngrams("x" * 40)
    assert "_" + "x" * 20 in parts and not any(part.endswith("_") for part in parts)


@pytest.mark.parametrize(
    ("text", "value"),
    [("Ruiz", "first"), ("MRN", "all"), ("pain", "none"), ("McKay", "mixed"), ("-", "no_letters")],
)
def test_letter_case(text, value):
    assert observations.LEXICAL["letter_case"](text) == value
    assert (observations.LEXICAL["no_letters"](text) == "1") == (value == "no_letters")


# Tafvizi 2011, table 2.1: each expression with a word that matches and one that does not.
TABLE_2_1 = {
    "begins_capital": ("Ruiz", "ruiz"), "all_capitals": ("MRN", "Mrn"), "letters": ("McKay", "x5"),
    "has_digit": ("x5", "x"), "one_digit": ("5", "55"), "two_digits": ("55", "555"),
    "four_digits_inside": ("x20451", "x204"), "natural_number": ("204", "2.4"), "real_number": ("2.4", "2,4"),
    "alphanumeric": ("x5", "x-5"), "has_dash": ("x-5", "x5"), "punctuation": ("--", "x-"),
    "phone_7": ("555-0142", "5555-0142"), "phone_10": ("617-555-0142", "617-5555-0142"),
    "five_digits": ("02114", "021145"), "no_vowels": ("HTN", "HEN"),
    "dashed_alphanumeric": ("A-5", "A-b"), "date_separator": ("/", "3/4"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "examples"), TABLE_2_1.items())
def test_table_2_1_of_tafvizi(name, examples):
    assert [bool(works.compile_mist(name).search(word)) for word in examples] == [True, False]


def test_table_2_1_is_whole():
    assert TABLE_2_1.keys() == works.MIST_PATTERNS.keys() and len(TABLE_2_1) == 18


def test_a_written_word_is_tested_whole_and_its_outer_marks_by_themselves():
    text = 'call "(617-555-0142)," now'
    assert marked_tokens(works.CONTEXTUAL["mist_phone_10"], text) == ["617", "-", "555", "-", "0142"]
    assert marked_tokens(works.CONTEXTUAL["mist_punctuation"], text) == ['"', "(", ")", ",", '"']
    assert marked_tokens(works.CONTEXTUAL["dash_or_slash"], "3/4 - x5") == ["3", "/", "4", "-"]
    assert marked_tokens(works.CONTEXTUAL["dash_in_word"], "3/4 - x5") == ["-"]
    assert marked_tokens(works.CONTEXTUAL["slash_in_word"], "3/4 - x5") == ["3", "/", "4"]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("clue_patient", "Mr. Ruiz and Ms Okafor", ["Mr", ".", "Ms"]),
        ("clue_doctor", "Dr. Ruiz, Ann Moreau M.D. and AMD", ["Dr", ".", "M", ".", "D", "."]),
        ("clue_hospital", "Mercy Hospital, hospitality", ["Hospital"]),
        ("clue_location", "lives in Salem on Oak St.", ["lives", "in", "St", "."]),
        ("clue_profession", "worked as a baker, retired", ["worked", "as", "retired"]),
        ("clue_date", "DOB 3/4/61", ["DOB"]),
        ("clue_age", "a 54 year old", ["year", "old"]),
        ("clue_contact", "Tel: 5, pager 7", ["Tel", "pager"]),
        ("clue_id", "MRN: 1, unit no 2", ["MRN", "unit", "no"]),
        ("clue_id", "Mr. Ruiz, MR Nowak, MRI", []),
        ("clue_id", "MR # 12 and MR: 4", ["MR", "#", "MR"]),
        ("pattern_date", "on 3/4/2061 at 5", ["3", "/", "4", "/", "2061"]),
        ("pattern_date", "since March 4th, 2061", ["March", "4", "th", ",", "2061"]),
        ("pattern_date", "4 March", ["4", "March"]),
        ("pattern_date", "BP 120/80, in 2061", ["2061"]),
        ("pattern_id", "ID AB-12345 or 12345", ["AB", "-", "12345"]),
        ("pattern_age", "a 54-year-old, aged 54", ["54", "-", "year", "-", "old", "aged", "54"]),
        ("pattern_phone", "at (617) 555-0142", ["(", "617", ")", "555", "-", "0142"]),
        ("pattern_phone", "BP 120", []),
        ("pattern_username", "document by jkr42", ["jkr", "42"]),
        ("pattern_medical_record", "MRN: 1234567", ["MRN", ":", "1234567"]),
        ("pattern_medical_record", "Mr. 12345, MR#12345", ["MR", "#", "12345"]),
        ("pattern_medical_record", "call 555-0142 or 617-555-0142", []),
        ("pattern_medical_record", "no. 123-45-67-8", ["123", "-", "45", "-", "67", "-", "8"]),
        ("pattern_medical_record", "123-45-67", ["123", "-", "45", "-", "67"]),
        ("pattern_medical_record", "1234567 or 12345678", ["1234567", "12345678"]),
    ],
)
def test_clues_and_patterns(name, text, found):
    assert marked_tokens(works.CONTEXTUAL[name], text) == found


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("DT JJ NN VBD IN NNP .", "B-NP I-NP I-NP B-VP B-PP B-NP -"),
        ("PRP MD RB VB VBN TO VB NNS", "B-NP B-VP I-VP I-VP I-VP B-VP I-VP B-NP"),
        ("DT CD HYPH NN HYPH JJ NN", "B-NP I-NP I-NP I-NP I-NP I-NP I-NP"),
        ("NNP POS NN VBZ RB JJ", "B-NP B-NP I-NP B-VP B-ADJP I-ADJP"),
        ("NN CD , RB CC", "B-NP I-NP - B-ADVP -"),
    ],
)
def test_the_chunk_grammar(tags, chunks):
    text = " ".join("x" for _ in tags.split())
    values = chunk_tag(PartsOfSpeech(lambda words: tags.split()), tokenize(text))
    assert [value or "-" for value in values] == chunks.split()


def test_a_chunk_ends_with_its_line():
    values = chunk_tag(PartsOfSpeech(lambda words: ["NN"] * len(words)), tokenize("a b\nc"))
    assert values == ["B-NP", "I-NP", None, "B-NP"]


@given(st.lists(st.sampled_from(["DT", "NN", "VBD", "JJ", "POS", ".", "HYPH"]), min_size=1, max_size=12))
def test_chunks_are_well_formed(tags):
    values = chunk_tag(PartsOfSpeech(lambda words: tags), tokenize(" ".join("x" for _ in tags)))
    for before, value in zip([None, *values], values):
        if value and value.startswith("I-"):
            assert before is not None and before[2:] == value[2:]


HEADINGS = ["Heart Failure", "Diabetes Mellitus, Type 2", "Failure, Heart", "Biopsies"]
TERMS = mesh_terms.index_terms((f"D{number}", heading) for number, heading in enumerate(HEADINGS, 1))


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("the severe heart failures", "D1"),
        ("Type 2 Diabetes Mellitus", "D2"),
        ("failure heart", "D3"),
        ("liver biopsy", "D4"),
        ("heart pain", None),
    ],
)
def test_mesh_identifiers_of_noun_phrases(phrase, value):
    pos = PartsOfSpeech(lambda words: ["CD" if word.isdigit() else "NN" for word in words])
    assert set(mesh_terms.mesh(pos, tokenize(phrase), lambda: TERMS)) == {value}


def test_outside_noun_phrases_is_no_mesh_identifier():
    pos = PartsOfSpeech(lambda words: ["IN"] * len(words))
    assert mesh_terms.mesh(pos, tokenize("heart failure"), lambda: TERMS) == [None, None]


def umls(*rows):
    """Lines of a MRCONSO.RRF of (language, source, code, string, suppressed)."""
    return "".join(f"C0|{a}|P|L0|PF|S0|Y|A0||M0|D0|{b}|MH|{c}|{d}|0|{e}|256|\n" for a, b, c, d, e in rows)


def test_a_umls_file_gives_english_mesh_terms(tmp_path, monkeypatch):
    path = tmp_path / "MRCONSO.RRF"
    path.write_text(
        umls(
            ("ENG", "MSH", "D7", "Cardiac Failure", "N"),
            ("ENG", "MSH", "D8", "Old Term", "O"),
            ("SPA", "MSH", "D9", "Insuficiencia", "N"),
            ("ENG", "SNOMEDCT_US", "1", "Heart", "N"),
        )
    )
    assert mesh_terms.read_umls(path) == {("cardiac", "failure"): "D7"}
    monkeypatch.setenv(mesh_terms.UMLS, str(path))
    assert mesh_terms.read_terms() == {("cardiac", "failure"): "D7"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("C0|ENG|P|\nC0|ENG|MSH|\n", "line 2: 4 columns; wanted the 18"),
        (umls(("ENG", "RXNORM", "1", "Aspirin", "N")), "no English MeSH term"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_not_umls_is_an_error(tmp_path, content, message):
    path = tmp_path / "MRCONSO.RRF"
    if content:
        path.write_text(content)
    with pytest.raises(FormatError, match=message):
        mesh_terms.read_umls(path)


@pytest.mark.parametrize(
    ("phrase", "identifier"),
    [
        ("severe heart failures", "D006333"),
        ("growing nerves", None),
        ("Nerve Growth Factor", "D009414"),  # not D020932: of two forms alike the lower identifier
        ("piperazine", "D010879"),  # not D000077489
    ],
)
def test_the_shipped_headings(phrase, identifier):
    terms = mesh_terms.read_headings()
    assert mesh_terms.find_identifier(terms, mesh_terms.normalize_term(phrase)) == identifier


def test_the_shipped_headings_are_whole():
    assert len(set(mesh_terms.read_headings().values())) > 29_000


def test_without_the_wheel_an_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(ConfigurationError, match=r"simplemma: .* -m pip install 'crfdeid\[works\]'"):
        works.load_lemmatizer.__wrapped__()


@pytest.mark.parametrize(
    ("text", "value"), [("Patients", "patient"), ("was", "be"), ("FEET", "foot"), ("Ruiz", "ruiz")]
)
def test_lemmas(text, value):
    pytest.importorskip("simplemma")
    assert works.lemma(text) == value


def test_parts_of_speech_are_made_once_per_document():
    tagged_lines = []
    names = ("pos", "chunk_tag")
    observe = templates.resolve_names(
        names, {}, lambda words: tagged_lines.append(words) or ["NN"] * len(words)
    ).contextual
    document = tokenize("a b")
    assert [observe[name](document)[0] for name in names] == ["NN", "B-NP"]
    assert tagged_lines == [["a", "b"]]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("wrods_left[0]", "did you mean words_left"),
        ("mist_phone7[0]", "did you mean mist_phone_7"),
        ("pattern_dat[0]", "did you mean pattern_date"),
        ("clue_docter[0]", "did you mean clue_doctor"),
        ("lema[0]", "did you mean lemma"),
        ("chunktag[0]", "did you mean chunk_tag"),
        ("link_left[0]", "did you mean links_left"),
        ("mesh[0]", "mesh: needs a part of speech"),
    ],
)
def test_unknown_observations_suggest_a_similar_one(part, message):
    with pytest.raises(TemplateError, match=message):
        features("x", part)


@pytest.mark.parametrize(("name", "imported"), [("heading", False), ("rule_labelled_ssn", True)])
def test_rules_are_imported_when_a_template_names_one(name, imported):
    code = "import sys; from crfdeid.feature_extraction.templates import resolve_names as resolve; "
    code += f"resolve([{name!r}], {{}}); sys.exit('crfdeid.rules' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == imported


def test_only_the_names_of_templates_are_resolved():
    names = ["shape", "heading", "rule_labelled_ssn"]
    lexical, contextual = templates.resolve_names(names, {})
    assert [*lexical, *contextual] == names
    assert features("SSN 078-05-1120 today", "rule_labelled_ssn[0]") == [
        ["bias"],
        *[["bias", "rule_labelled_ssn[0]=1"]] * 5,
        ["bias"],
    ]
    with pytest.raises(TemplateError, match="did you mean rule_doctor_title"):
        features("x", "rule_docter_title[0]")

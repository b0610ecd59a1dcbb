"""The feature groups of the works: what each makes of one name, and what they have in common."""

import re
from pathlib import Path

import pytest

from crfdeid import files
from crfdeid.config import Config
from crfdeid.feature_extraction import mesh_terms, templates
from crfdeid.feature_extraction.pipeline import Extractor
from crfdeid.systems import model
from crfdeid.text import gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine

NOTE = "Plan: seen by Dr. Ruiz on 3/2061"
RUIZ = 6  # the token
TAGS = {"Ruiz": "NNP", "on": "IN", "by": "IN", ".": "."}

# One feature or more of each kind in the work's list.
OF_RUIZ = {
    "he_official": """
        word[-2]=Dr word[-1]=. word[0]=Ruiz word[1]=on word[2]=3 pos[-2]=CD pos[0]=NNP pos[1]=IN
        length[0]=4 has_letter[0]=1 begins_capital[0]=1""",
    "shweta": """
        word[-3]=by word[3]=/ word[-1]|word[0]=.|Ruiz word[0]|word[1]|word[2]=Ruiz|on|3
        pos[1]=IN chunk_tag[0]=B-NP chunk_tag[1]=B-PP word[0]|pos[1]=Ruiz|IN word[0]|chunk_tag[1]=Ruiz|B-PP
        phrase_months[0]=1 clue_doctor[-2]=1 clue_doctor[-1]=1 clue_date[1]=1""",
    "sibanda": """
        lemma[-1]=. lemma[0]=ruiz lemma[-2]|lemma[-1]=dr|. lemma[1]|lemma[2]=on|3 pos[-1]=. pos[0]=NNP
        letter_case[0]=first length[0]=4 mesh[0]=D0 heading[0]=plan
        in_first_names+surnames[0]=1 in_months[0]=1""",
    "stanford": """
        word[-1]=. word[0]=Ruiz word[1]=on ngrams[0]=_ruiz_ ngrams[0]=uiz_ ngrams[0]=u pos[-1]=. pos[1]=IN
        short_shape[0]=Aa words_left[0]=Dr words_left[0]=. words_right[0]=3 words_right[0]=on""",
    "mist": "mist_begins_capital[0]=1 mist_letters[0]=1 mist_alphanumeric[0]=1 in_surnames[0]=1",
    "illinois": """
        word[-2]=Dr word[2]=3 prefix3[0]=rui suffix2[0]=iz letter_case[0]=first letter_case[2]=no_letters""",
    "mimic": "rule_doctor_title[0]=1",
}


def extractor(*groups):
    """Bind the groups to lists of which each holds only "Ruiz"."""
    found = [template for group in groups for template in templates.read_group(group)]
    lists = {name: gazetteer.build_gazetteer(name, ["Ruiz"]) for name in templates.list_gazetteers(found)}
    return Extractor(found, lists, lambda words: [TAGS.get(word, "CD") for word in words])


@pytest.mark.parametrize("group", OF_RUIZ)
def test_the_features_of_a_name_by_group(group, monkeypatch):
    pytest.importorskip("simplemma")
    monkeypatch.setattr(mesh_terms, "read_headings", lambda: {("ruiz",): "D0"})
    document = TokenizedDocument(NOTE, fine(NOTE))
    (row,) = extractor(group).features(document, range(len(document.tokens)))[RUIZ : RUIZ + 1]
    assert document.tokens[RUIZ].text == "Ruiz"
    assert set(OF_RUIZ[group].split()) - set(row) == set()
    assert len(set(row)) == len(row)


def test_sibanda_and_uzuner_have_26_features_12_of_dictionaries():
    """Section 6.4; the name, location, hospital and month dictionaries of section 5 are four."""
    names = [template[0][0] for template in templates.read_group("sibanda")]
    asked = [name for name in names if name.startswith("in_")]
    assert len(names) == 26 and len(asked) == 12 and len(set(asked)) == 4


def test_stat_deid_has_parts_of_speech_and_lists_of_the_target_only():
    """Tafvizi 2011, section 2.1; Sibanda & Uzuner have those of the neighbours too."""
    sibanda, whole, local = (
        set(templates.read_group(name)) for name in ("sibanda", "stat_deid", "stat_deid_local")
    )
    beside = {template for template in sibanda if template[0][0].startswith(("in_", "pos"))}
    beside = {template for template in beside if template[0][1]}
    added = {((name, 0),) for name in ("in_dates", "links_left", "links_right")}
    assert whole == sibanda - beside | added
    assert local == {template for template in whole if not template[0][0].startswith("links")}


def test_mega_is_the_union_without_a_template_twice():
    groups = ["stat_deid", "stanford", "mist", "illinois", "mimic"]
    found = [template for name in groups for template in templates.read_group(name)]
    union = extractor(*groups).templates
    assert set(union) == set(found) and len(union) == len(set(found)) < len(found)


def test_the_documentation_names_every_group_and_observation():
    path = Path(__file__).parents[2] / "docs" / "features.md"
    if not path.exists():
        pytest.skip("not a checkout")
    named = set(re.findall(r"`(\w+)`", path.read_text(encoding="utf-8")))
    affixes = {f"{kind}{size}" for kind in ("prefix", "suffix") for size in range(1, 6)}
    known = {*templates.STATIC.lexical, *templates.STATIC.contextual, *templates.OF_POS, *templates.OF_LINKS}
    groups = {file.stem for file in files.find_folder("features").glob("*.template")}
    assert known - affixes | groups <= named


@pytest.mark.parametrize("name", ["mimic", "mist", "stanford"])
def test_a_model_of_a_group_gives_crfsuites_labels(name, notes, tmp_path):
    """Observations of several values among them: the array engine tags as CRFsuite does."""
    pytest.importorskip("gruut_lang_en")
    settings = Config(features=(name,), pos="gruut", crf={"c1": 0.1, "c2": 0.1, "max_iterations": 8})
    trained = model.train(notes[:8], settings, tmp_path / "model")
    reference = model.load(tmp_path / "model", engine="crfsuite")
    for note in notes[8:12]:
        assert trained.tag(note).spans == reference.tag(note).spans

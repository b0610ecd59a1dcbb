"""The spaCy component: exact offsets, batches, processes, and a pipeline that is saved and read."""

from configparser import ConfigParser
from importlib import import_module

import pytest
from page_examples import read_examples
from small_notes import note

import crfdeid
from crfdeid import files
from crfdeid.errors import ConfigurationError

spacy = pytest.importorskip("spacy")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of spaCy's own imports

TEXTS = [
    "Seen by Dr. Ruiz on 3/4/2061.\n\nMRN 30990453SMITH, JOHN \U0001f600, 54yo, call 617-555-0148x3.",
    "",
    "Mr. O\u2019Neil\r\nwent to Elm Hospital in 2014/15",
]


@pytest.fixture(scope="module")
def nlp():
    import_module("crfdeid.integrations.spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("crfdeid")
    return nlp


def offsets(doc) -> list[tuple[int, int, str]]:
    return [(span.start_char, span.end_char, span.label_) for span in doc.spans["phi"]]


def tag(text: str) -> list[tuple[int, int, str]]:
    return [(s.start, s.end, s.type) for s in crfdeid.load().tag(crfdeid.Document("1", text)).spans]


@pytest.mark.parametrize("text", TEXTS)
def test_the_spans_have_the_offsets_of_the_tagger(nlp, text):
    doc = nlp(text)
    assert offsets(doc) == tag(text) and doc.text == text
    assert len(doc.ents) == 0


def test_tokens_that_a_span_cuts_are_split():
    from crfdeid.integrations.spacy import split_tokens

    doc = spacy.blank("en")("MRN 30990453SMITH, aged 54")
    split_tokens(doc, {0, 4, 12, 14, 17})
    assert [token.text for token in doc] == ["MRN", "30990453", "SM", "ITH", ",", "aged", "54"]
    assert doc.text == "MRN 30990453SMITH, aged 54"


def test_a_pipe_in_two_processes_finds_the_same(nlp):
    wanted = [tag(text) for text in TEXTS * 3]
    assert [offsets(doc) for doc in nlp.pipe(TEXTS * 3, batch_size=2)] == wanted
    assert [offsets(doc) for doc in nlp.pipe(TEXTS * 3, batch_size=2, n_process=2)] == wanted


def test_entities_beside_phi_stay_and_scores_are_probabilities():
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "DRUG", "pattern": "Lasix"}, {"label": "X", "pattern": "Ruiz"}]
    )
    nlp.add_pipe("crfdeid", config={"set_ents": True, "probabilities": True, "spans_key": "found"})
    doc = nlp("Dr. Ruiz gave Lasix.")
    assert [(entity.text, entity.label_) for entity in doc.ents] == [("Ruiz", "DOCTOR"), ("Lasix", "DRUG")]
    assert 0.5 < doc.spans["found"].attrs["scores"][0] <= 1


def test_a_saved_pipeline_has_its_model(small_model, tmp_path):
    text, folder = note(33).text, str(small_model.folder)
    nlp = spacy.blank("en")
    nlp.add_pipe("crfdeid", config={"model": folder, "threshold": 0.3})
    wanted = offsets(nlp(text))
    nlp.to_disk(tmp_path / "nlp")
    assert wanted and (tmp_path / "nlp/crfdeid/model/manifest.json").is_file()
    assert offsets(spacy.load(tmp_path / "nlp")(text)) == wanted
    copy = spacy.blank("en")
    copy.add_pipe("crfdeid")
    assert offsets(copy.from_bytes(nlp.to_bytes())(text)) == wanted


@pytest.mark.parametrize("config", [{"threshold": 0.1}, {"probabilities": True}])
def test_a_model_that_cannot_do_it_is_refused_at_once(nlp, config):
    with pytest.raises(ConfigurationError, match="gives no probabilities"):
        spacy.blank("en").add_pipe("crfdeid", config={"model": "rules", **config})


def test_the_entry_point_of_the_package_is_the_factory():
    setup = ConfigParser()
    setup.read(files.PACKAGE.parent / "setup.cfg")
    name, module, function = setup["options.entry_points"]["spacy_factories"].replace("=", ":").split(":")
    assert name.strip() == "crfdeid" and callable(getattr(import_module(module.strip()), function.strip()))


@pytest.mark.usefixtures("nlp")
def test_the_example_of_the_page_runs(capsys):
    exec(next(code for code in read_examples("pipelines.md") if "import spacy" in code), {})
    assert capsys.readouterr().out == "[('Ruiz', 'DOCTOR'), ('3/4/2061', 'DATE')]\n"

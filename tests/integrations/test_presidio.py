"""Presidio's analyzer and anonymizer with our tagger and our redactor."""

import pytest
from page_examples import read_examples

import crfdeid
from crfdeid.errors import ConfigurationError
from crfdeid.text.scheme import read_scheme

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of Presidio's own imports
pytest.importorskip("presidio_analyzer")
anonymizer = pytest.importorskip("presidio_anonymizer")

from crfdeid.integrations import presidio  # noqa: E402

TEXT = "Mr. Owen Marchetti was seen by Dr. Raman on 5/1/2067, MRN 4471902. Owen Marchetti left on 5/8/2067."
SECRET = b"a secret that has enough bytes"


@pytest.fixture(scope="module")
def analyzer():
    return presidio.make_analyzer()


def test_an_analyzer_without_a_spacy_model_gives_our_spans_and_probabilities(analyzer):
    found = sorted(analyzer.analyze(TEXT, "en"), key=lambda result: result.start)
    wanted = crfdeid.load().tag(crfdeid.Document("1", TEXT), probabilities=True).spans
    assert [(r.start, r.end) for r in found] == [(s.start, s.end) for s in wanted]
    assert [r.score for r in found] == pytest.approx([s.probability for s in wanted])
    entities = ["PERSON", "PERSON", "DATE_TIME", "ID", "PERSON", "DATE_TIME"]
    assert [r.entity_type for r in found] == entities
    assert {r.entity_type for r in analyzer.analyze(TEXT, "en", entities=["ID"])} == {"ID"}


def test_our_own_types_and_a_system_without_probabilities():
    recognizer = presidio.PhiRecognizer("english+rules", own_types=True)
    found = presidio.make_analyzer(recognizer).analyze(TEXT, "en")
    assert {(r.entity_type, r.score) for r in found} == {
        ("PATIENT", 1.0), ("DOCTOR", 1.0), ("DATE", 1.0), ("MEDICALRECORD", 1.0)
    }  # fmt: skip
    with pytest.raises(ConfigurationError, match="gives no probabilities of tokens"):
        presidio.PhiRecognizer("rules", threshold=0.1)


def test_the_map_of_types_goes_both_ways():
    types = set(read_scheme().types)
    assert set(presidio.TO_PRESIDIO) <= types and set(presidio.FROM_PRESIDIO.values()) <= types
    entities = {presidio.to_presidio(type) for type in types}
    there_and_back = {entity: presidio.to_presidio(presidio.from_presidio(entity)) for entity in entities}
    assert all(entity == back for entity, back in there_and_back.items())


def redact(analyzer, text: str, patient: str) -> str:
    engine = anonymizer.AnonymizerEngine()
    engine.add_anonymizer(presidio.SurrogateOperator)
    settings = {"redactor": crfdeid.Redactor(SECRET), "patient": patient}
    operator = anonymizer.OperatorConfig("crfdeid", settings)
    return str(engine.anonymize(text, analyzer.analyze(text, "en"), {"DEFAULT": operator}).text)


def test_the_operator_writes_the_surrogates_of_the_patient(analyzer):
    clean = redact(analyzer, TEXT, "17")
    assert not any(word in clean for word in ("Owen", "Marchetti", "Raman", "4471902", "5/1/2067"))
    first, last = clean.split("Mr. ")[1].split(" was")[0], clean.split(". ")[-1].split(" left")[0]
    assert first == last
    assert clean == redact(analyzer, TEXT, "17") != redact(analyzer, TEXT, "18")


def test_an_unknown_entity_gets_a_marker_and_a_missing_parameter_is_refused():
    operator = presidio.SurrogateOperator()
    params = {"entity_type": "CRYPTO", "redactor": crfdeid.Redactor(SECRET), "patient": "17"}
    assert "bc1qxy" not in operator.operate("bc1qxy2kgd", params)
    with pytest.raises(ValueError, match="wanted the parameters redactor"):
        operator.validate({"redactor": crfdeid.Redactor(SECRET)})


def test_the_example_of_the_page_runs(capsys):
    exec(next(code for code in read_examples("pipelines.md") if "import presidio" in code), {})
    shown = capsys.readouterr().out
    assert "DATE_TIME" in shown and "PERSON" in shown
    assert shown.count("Ruiz") == 0

"""A recognizer and an anonymizer operator for Microsoft Presidio (docs/pipelines.md). Needs the extra
``presidio``.

    analyzer = make_analyzer()
    engine = AnonymizerEngine()
    engine.add_anonymizer(SurrogateOperator)
    operator = OperatorConfig("crfdeid", {"redactor": Redactor(secret), "patient": "17"})
    engine.anonymize(text, analyzer.analyze(text, "en"), {"DEFAULT": operator})
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import spacy
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
from presidio_anonymizer.operators import Operator, OperatorType

from crfdeid.redact.redactor import Redactor
from crfdeid.systems import model as models
from crfdeid.systems.threshold import AnyThreshold
from crfdeid.text.document import Document, Span

LANGUAGE = "en"
NUMBERS = ("MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM")
PLACES = ("STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER")
TO_PRESIDIO = {
    "PATIENT": "PERSON", "DOCTOR": "PERSON", "HOSPITAL": "ORGANIZATION", "DATE": "DATE_TIME",
    "PHONE": "PHONE_NUMBER", "FAX": "PHONE_NUMBER", "EMAIL": "EMAIL_ADDRESS", "IPADDR": "IP_ADDRESS",
    "SSN": "US_SSN", **dict.fromkeys(PLACES, "LOCATION"), **dict.fromkeys(NUMBERS, "ID"),
}  # fmt: skip
FROM_PRESIDIO = {
    "PERSON": "PATIENT", "DATE_TIME": "DATE", "PHONE_NUMBER": "PHONE", "EMAIL_ADDRESS": "EMAIL",
    "IP_ADDRESS": "IPADDR", "US_SSN": "SSN", "LOCATION": "LOCATION-OTHER", "ID": "IDNUM",
    "CREDIT_CARD": "ACCOUNT", "IBAN_CODE": "ACCOUNT", "US_BANK_NUMBER": "ACCOUNT", "US_ITIN": "IDNUM",
    "US_PASSPORT": "IDNUM", "US_DRIVER_LICENSE": "LICENSE", "MEDICAL_LICENSE": "LICENSE",
    "UK_NHS": "MEDICALRECORD", "US_MBI": "HEALTHPLAN",
}  # fmt: skip


class PhiRecognizer(EntityRecognizer):
    """Finds PHI with a model: what ``tag --model`` accepts. The score of a result is the probability of the
    span; 1 where the system has no probabilities. With ``own_types`` results have the types of the model's
    scheme in place of Presidio's. Raises :class:`ModelError` where there is no such model, and
    :class:`ConfigurationError` where it cannot use the threshold."""

    def __init__(
        self,
        model: str | None = None,
        threshold: AnyThreshold | None = None,
        own_types: bool = False,
        supported_language: str = LANGUAGE,
        name: str = "crfdeid",
    ) -> None:
        self.tagger = models.load(model)
        self.threshold = None if threshold is None else self.tagger.check_threshold(threshold)
        self.types = {type: type if own_types else to_presidio(type) for type in self.tagger.scheme.types}
        super().__init__(sorted(set(self.types.values())), name, supported_language)

    def load(self) -> None:
        """Do nothing: the model is loaded."""

    def analyze(
        self, text: str, entities: Iterable[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return the spans of the wanted entities."""
        wanted, has_scores = set(entities), self.tagger.has_probabilities
        found = self.tagger.tag(Document("text", text), has_scores, self.threshold).spans
        return [
            RecognizerResult(
                self.types[span.type],
                span.start,
                span.end,
                1.0 if span.probability is None else span.probability,
            )
            for span in found
            if self.types[span.type] in wanted
        ]


def to_presidio(type: str) -> str:
    """Return Presidio's entity for a type of ours; a type that it does not have stays.

    >>> to_presidio("DOCTOR"), to_presidio("PROFESSION")
    ('PERSON', 'PROFESSION')
    """
    return TO_PRESIDIO.get(type, type)


def from_presidio(entity: str) -> str:
    """Return our type for an entity of Presidio; another one stays, and gets a marker when it is redacted.

    >>> from_presidio("PERSON"), from_presidio("AGE"), from_presidio("CRYPTO")
    ('PATIENT', 'AGE', 'CRYPTO')
    """
    return FROM_PRESIDIO.get(entity, entity)


class BlankNlpEngine(NlpEngine):
    """Tokens and nothing else, so that an analyzer needs no model of spaCy."""

    def __init__(self, language: str = LANGUAGE) -> None:
        self.language, self.nlp = language, spacy.blank(language)

    def load(self) -> None:
        """Do nothing: tokenizing needs no model."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        doc = self.nlp.make_doc(text)
        return NlpArtifacts([], doc, [t.idx for t in doc], [t.text for t in doc], self, language)

    def process_batch(
        self, texts: Iterable[str], language: str, *args: Any, **options: Any
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        return ((text, self.process_text(text, language)) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:
        return bool(self.nlp.vocab[word].is_stop)

    def is_punct(self, word: str, language: str) -> bool:
        return bool(self.nlp.vocab[word].is_punct)

    def get_supported_entities(self) -> list[str]:
        return []

    def get_supported_languages(self) -> list[str]:
        return [self.language]


def make_analyzer(recognizer: PhiRecognizer | None = None) -> AnalyzerEngine:
    """Make an analyzer whose only recognizer is this one (by default, of the shipped model)."""
    recognizer = recognizer or PhiRecognizer()
    language = recognizer.supported_language
    registry = RecognizerRegistry(recognizers=[recognizer], supported_languages=[language])
    return AnalyzerEngine(registry, BlankNlpEngine(language), supported_languages=[language])


class SurrogateOperator(Operator):
    """Replaces a text by what a :class:`crfdeid.Redactor` makes of it: ``redactor`` and ``patient`` are the
    parameters. The same patient gets the same surrogates in all notes. An operator sees one text without
    its note, so a date without year, for example, may get a marker; :class:`crfdeid.Redactor` reads more."""

    def operate(self, text: str, params: Mapping[str, Any] | None = None) -> str:
        """Return the surrogate, or the marker where none can be made."""
        given = params or {}
        self.validate(given)
        span = Span(0, len(text), from_presidio(given["entity_type"]))
        (redaction,) = given["redactor"].redact([Document("text", text, (span,), given["patient"])])
        return str(redaction.document.text)

    def validate(self, params: Mapping[str, Any] | None = None) -> None:
        """Raise :class:`ValueError` where a parameter is missing."""
        given = params or {}
        if not isinstance(given.get("redactor"), Redactor) or not isinstance(given.get("patient"), str):
            raise ValueError("crfdeid: wanted the parameters redactor (a Redactor) and patient (a string)")

    def operator_name(self) -> str:
        return "crfdeid"

    def operator_type(self) -> OperatorType:
        return OperatorType.Anonymize

"""Observations of whole batches against the plain ones, token by token, where notes, lines and lists end."""

import pytest
from small_notes import SMALL

from crfdeid.engine.arrays.batch import Reader
from crfdeid.engine.arrays.context_columns import BY_LOWERED_TEXT, ContextColumns
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary
from crfdeid.feature_extraction import registry
from crfdeid.systems.model_folder import build_pipeline
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import build_gazetteer

PIPELINE = build_pipeline(SMALL, (), {})


class Observer:
    """The values of an observation for all tokens of some notes, as arrays have them and as the plain
    observation has them."""

    def __init__(self, name, entries=()):
        self.name, self.numbers = name, {}
        gazetteers = {"places": build_gazetteer("places", entries)} if entries else {}
        self.plain = registry.resolve_names({name}, gazetteers).contextual
        number = lambda _, value: self.numbers.setdefault(value, len(self.numbers))  # noqa: E731
        table = TokenVocabulary(dict.fromkeys(BY_LOWERED_TEXT, str.lower), number)
        self.reader = Reader(PIPELINE, table)
        self.columns = ContextColumns(self.plain, gazetteers, table, number)

    def observe(self, *texts):
        batch = self.reader.batch([Document(str(n), text) for n, text in enumerate(texts)])
        found = self.columns.column(self.name, batch).tolist()
        values = {number: value for value, number in self.numbers.items()} | {NONE: None}
        documents = [batch.tokenized(number) for number in range(len(texts))]
        assert [values[number] for number in found] == [
            v for d in documents for v in self.plain[self.name](d)
        ]
        words = [token.text for document in documents for token in document.tokens]
        return " ".join(f"{w}={values[n]}" if values[n] else w for w, n in zip(words, found))


TITLES = [
    (["Patel: Dr. Patel saw", "Patel"], "Patel=1 : Dr . Patel=1 saw Patel"),
    (["Seen by Dr", "Patel saw Patel"], "Seen by Dr Patel saw Patel"),
    (["Seen by Dr.", "Patel saw"], "Seen by Dr . Patel saw"),
    (["Seen by Dr", ". Patel saw"], "Seen by Dr . Patel saw"),
    (["Patel, by Dr"], "Patel , by Dr"),
    (["Patel, by Dr."], "Patel , by Dr ."),
]


@pytest.mark.parametrize(("texts", "wanted"), TITLES)
def test_a_title_at_the_end_of_a_note_is_not_before_a_name_of_the_next(texts, wanted):
    assert Observer("titled").observe(*texts) == wanted


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["in New York City"], "in New=B York=I City"),
        (["in York City Park"], "in York=B City=I Park"),
        (["York Mills", "New York"], "York Mills New=B York=I"),
        (["in New", "York City", "Erie"], "in New York=B City=I Erie=1"),
    ],
)
def test_entries_do_not_overlap_and_end_with_their_note(texts, wanted):
    entries = ["New York", "York City", "City Park", "Erie"]
    assert Observer("phrase_places", entries).observe(*texts) == wanted


def test_stretches_are_those_of_the_batch():
    observer = Observer("chunk")
    first = observer.observe("3/4 a-b", "x.y")
    assert observer.observe("a/b c", "3/4/5") != first
    assert observer.observe("3/4 a-b", "x.y") == first

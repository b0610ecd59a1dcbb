"""The columns of observations in examples that can be read, for several notes at once."""

import pytest

pytest.importorskip("numba")

from crfdeid.engine.arrays.batch import PlainStretches, Reader
from crfdeid.engine.arrays.compiled_columns import COMPILED
from crfdeid.engine.arrays.context_columns import ContextColumns, text_observations
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import resolve_names
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import WordTable, build_gazetteer
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import split_sequences

NOTHING = frozenset()
LISTS = {
    "cities": build_gazetteer("cities", ["Bath", "New York", "York City", "New York City Hall"]),
    "people": build_gazetteer("people", ["York", "Bath Hall", "Li Li"]),
    "cues": WordTable("cues", {"cue": {"avda": "street", "tel": "phone"}}),
}


class Columns:
    """The columns of some observations; ``values`` are those that have a number, in the order of theirs."""

    def __init__(self, names, known=None, compiled=False, sequence="document", lists=LISTS):
        self.values = list(known or ())
        self.known = known
        self.pipeline = Pipeline((), lists, sequence=sequence)
        self.observations = resolve_names(names, lists)
        self.columns = ContextColumns(
            self.observations.contextual, lists, self.make_vocabulary(), self.number, PlainStretches,
            COMPILED if compiled else None,
        )  # fmt: skip

    def make_vocabulary(self):
        names = [*self.observations.contextual, *self.observations.lexical]
        return TokenVocabulary(text_observations(names, self.pipeline.extractor), self.number)

    def number(self, name, value):
        if value is None or (self.known is not None and value not in self.known):
            return NONE
        if value not in self.values:
            self.values.append(value)
        return self.values.index(value)

    def batch(self, *texts, extra=()):
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        return Reader(self.pipeline, self.columns.vocabulary).batch(documents, extra)

    def read(self, name, *texts):
        """The values of each text in one line, a dash where there is none."""
        batch = self.batch(*texts)
        found = [self.values[code] if code >= 0 else "-" for code in self.columns.column(name, batch)]
        return [" ".join(found[a:b]) for a, b in zip(batch.bounds, batch.bounds[1:])]


def read_plainly(name, *texts):
    """The same by the plain definition."""
    observe, tokenize = resolve_names([name], LISTS).contextual[name], Pipeline().tokenize
    found = [observe(TokenizedDocument(text, tokenize(text))) for text in texts]
    return [" ".join(value or "-" for value in own) for own in found]


NINETEEN = "w " * 19
SEVEN = "one two three four five six seven: x"
EXAMPLES = [
    ("line_position", ["a b c d e f g\nh", "a"], ["0 1 2 3 4 5 5 5 0", "0"]),
    ("line_left", ["a b c d e f g\nh i", "a"], ["5 5 5 4 3 2 1 0 1 0", "0"]),
    ("line_case", ["ana 1\nANA\nANA 1\nANA RUIZ\nAna li\n1 2", "ANA", "li", "Ö Ö"],
     ["lower lower lower - - - - - upper upper upper - - - - -", "-", "lower", "upper upper"]),
    ("line_case", ["\u0643 \u0643", "\u0643 ana", "\u0643 ANA"], ["- -", "lower lower", "upper upper"]),
    ("document_case", [NINETEEN + "Ana", NINETEEN[2:] + "Ana", NINETEEN.upper() + "ana", "1 2", "\u0643"],
     ["lower " * 19 + "lower", "- " * 18 + "-", "upper " * 19 + "upper", "- -", "-"]),
    ("page_position", ["a\nb\nc\nd\ne\nf\ng\nh\ni", "a", "", "a\nb\nc\nd\ne"],
     ["top0 top0 top1 top1 top2 top2 top3 top3 - - bottom3 bottom3 bottom2 bottom2 bottom1 bottom1 bottom0",
      "top0", "", "top0 top0 top1 top1 top2 top2 top3 top3 bottom0"]),
    ("heading", ["x\nMed 2: y\nz\n: u\n1: v\nDrug: b: c", "z", SEVEN, SEVEN[4:]],
     ["- - " + "med " * 14 + "drug drug drug drug drug", "-", "- - - - - - - - -",
      " ".join(["two three four five six seven"] * 8)]),
    ("field", ["A: b C: d\n: e 1: f", ": g", "A:", "b"], ["- - a a a c c - - - - -", "- -", "- -", "-"]),
    ("word_before", ["Ana 1 Li .\nBo 2", "a"], ["- ana ana li li - bo", "-"]),
    ("word_after", ["1 Ana 2 Li\n3 Bo", "4 a"], ["ana li li - - bo -", "a -"]),
    ("titled", ["Dr. Ruiz, Ruiz ruiz RUIZ\nMr", "Ruiz. Ruiz", "Dr Li, Dr. \nAna Ana", "Ms.", "Mrs"],
     ["- - 1 - 1 - 1 - -", "- - -", "- - - - - - - -", "- -", "-"]),
    ("titled", ["Dr Ana Ana and Mr ruiz Ruiz", "Mr", ". Ruiz Ruiz"], ["- 1 1 - - - -", "-", "- - -"]),
    ("chunk", ["(3/04) b a-b \n\nc.", "c", "d/e"],
     ["0/00 0/00 0/00 0/00 0/00 - a-a a-a a-a - - - -", "-", "a/a a/a a/a"]),
    ("written_as", ["a@b.org 1.2.3.4 a.b x@", "www.x", "www. a"],
     ["email email email email email ip ip ip ip ip ip ip - - - - -", "url url url", "- - -"]),
    ("line_label", ["Born in: x\ny: 1: z\nu", "u"], ["born in born in born in in in y y y y y y -", "-"]),
    ("label_elsewhere", ["NHC: 4410 a b c d e f 4410", "4410"], ["- - nhc - - - - - - nhc", "-"]),
    ("label_elsewhere", ["NHC: 4410 a b c d e 4410", ""], ["- - - - - - - - -", ""]),
    ("label_elsewhere", ["x x x x x\nID: 4410" + " w" * 21 + "\n4410", "ID: 4410" + " w" * 22 + "\n4410"],
     ["-" + " -" * 30 + " id", "-" + " -" * 26]),
    ("seen_before", ["Ana, ana an ANA ana ana ana", "ana ana"], ["0 - 1 0 2 3 4 4", "0 1"]),
    ("line_length", ["a", "a b\nc d e f g h\n" + "i " * 15, "x " * 16],
     ["0", "1 1 1 2 2 2 2 2 2 2" + " 3" * 15, "4" + " 4" * 15]),
    ("line_part", ["a. b; c . . . . d\n" + ("a. " + "b " * 23 + "\n") * 6, "a ." + " b" * 22 + "\n"],
     ["x.0 x.0 x.1 x.1 x.2 x.2 x.3 x.4 x.5 x.5 x.5 " + " ".join(
         f"{n}.0 {n}.0" + f" {n}.1" * 24 for n in (0, 1, 2, 3, 4, 4)), "x.0 x.0" + " x.1" * 23]),
    ("sentence_first", ["Ana was. Bo is\nLi", "he. ", "."], ["ana ana ana bo bo bo li", "he he", "."]),
    ("sentence_begin", ["1 Ana was. Bo: is (it)\n; Li\n", "he. 2", "Ö", "3 . 4 Al"],
     ["- 1 - - 1 - 1 - - - - - 1 -", "1 - -", "1", "- - - 1"]),
    ("written_elsewhere", ["Bo. a Bo, bo A\nBo BO", "bo", "Al Li. Al saw Li", "Al. Li. Al. Li"],
     ["small - - small - - - - small small", "-", "begin inside - begin - inside",
      "begin - begin - begin - begin"]),
    ("line_numbers", ["BP 80 50\na b c 1\nd\n1 2 3 4", "x", "1"],
     ["2t 2t 2t 2t 1 1 1 1 1 - - 3t 3t 3t 3t", "-", "1t"]),
    ("bracket_part", ["a (b®, c) d ( e\n , f) , g", "(a, b, c, d, e ™", "f)"],
     ["- 0 0 0r 1r 1r - - 0 0 0 - - - - -", "0 0 1 1 2 2 3 3 3 3 3r", "- -"]),
    ("bracket_left", ["a (b, c) d ( e\n , f) , g", "a, b, c, d, e)", "f)", "a, b\n)", "(a,)"],
     ["- - 1 1 0 0 - - - - 1 0 0 - -", "3 3 3 3 2 2 1 1 0 0", "0 0", "- - - - 0", "- 1 1 0"]),
    ("es_date", ["el 3 de mayo y 4", "12 de enero", "2 de"],
     ["- Bdmoy Idmoy Idmoy - -", "Bdmoy Idmoy Idmoy", "- -"]),
    ("es_family", ["Su madre . a\nhija b b b b b b b b b b", "madre", "a"],
     ["- - madr.0 - - - hija.0 hija.1 hija.1 hija.2 hija.2 hija.3 hija.3 hija.4 hija.4 hija.4", "-", "-"]),
    ("es_subject", ["a madre b mujer c . d\ne", "madre f"],
     ["- - family family person person person person -", "- family"]),
    ("cue_before_cues", ["Avda 1 b c d e f g h i\nj", "tel k", "12345 l"],
     ["- street.1 number.1 number.2 number.3 number.4 number.5 number.6 number.7 number.8 number.8 -",
      "- phone.1", "- code.1"]),
    ("cue_after_cues", ["a b c d e f g h i 12345 avda\nk tel", "m"],
     ["code.8 code.8 code.7 code.6 code.5 code.4 code.3 code.2 code.1 street.1 - - phone.1 -", "-"]),
    ("cues_cues", ["Avda avda 1 tel 12345 1234\nb", "c 1 1 tel d"],
     ["- street street street.number street.number.phone number.phone.code phone.code.digits -",
      "- - number number number.phone"]),
    ("phrase_cities", ["in New York City", "New York City Hall Bath", "new", "york city new york", "bath"],
     ["- B I -", "B I I I 1", "-", "B I B I", "1"]),
    ("phrase_people", ["york bath hall Bath", "Li Li Li Li Li", "hall"], ["1 B I -", "B I B I -", "-"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "texts", "wanted"), EXAMPLES)
def test_columns_have_the_values_of_their_definitions(name, texts, wanted):
    """No value crosses from a note to the next one, or from a line to the next, unless it is to."""
    assert read_plainly(name, *texts) == wanted
    assert Columns([name]).read(name, *texts) == wanted
    assert Columns([name], compiled=True).read(name, *texts) == wanted


@pytest.mark.parametrize("name", sorted({name for name, *_ in EXAMPLES}))
def test_a_batch_without_tokens_has_empty_columns(name):
    columns = Columns([name])
    for texts in ((), ("",), ("", "")):
        assert columns.columns.column(name, columns.batch(*texts)).tolist() == []
    assert columns.read(name, *texts, "a") == ["", "", *read_plainly(name, "a")]


@pytest.mark.parametrize(("name", "texts", "wanted"), EXAMPLES)
def test_columns_of_one_batch_after_the_other(name, texts, wanted):
    """What is known of texts, headings, stretches and phrases of another batch leads to no other values."""
    columns = Columns([name])
    assert [columns.read(name, text) for text in texts * 2] == [[each] for each in wanted] * 2


@pytest.mark.parametrize(
    ("sequence", "wanted"),
    [
        ("document", [(0, 6), (6, 7), (7, 11)]),
        ("line", [(0, 2), (3, 6), (7, 8), (10, 11)]),
        ("sentence", [(0, 2), (2, 5), (5, 6), (7, 8), (8, 11)]),
    ],
)
def test_sequences_are_those_of_each_note(sequence, wanted):
    """An empty note has none, and one of a line end only where documents are labelled whole."""
    texts = ["Seen.\nWell. Ok", "", "\n", "a\n\nb"]
    batch = Columns([], sequence=sequence).batch(*texts)
    assert list(zip(batch.first.tolist(), batch.stop.tolist())) == wanted
    assert batch.bounds.tolist() == [0, 6, 6, 7, 11]
    plain = [split_sequences(text, batch.tokens(n), sequence) for n, text in enumerate(texts)]
    assert [[len(one) for one in own] for own in plain] == [
        [b - a for a, b in wanted if begin <= a < end] for begin, end in zip(batch.bounds, batch.bounds[1:])
    ]
    assert batch.document.tolist() == [0] * 6 + [2] + [3] * 4
    assert batch.line_first.tolist() == [0, 3, 6, 7, 9, 10]
    assert batch.line_stop.tolist() == [3, 6, 7, 9, 10, 11]
    assert batch.line.tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 5]
    assert [batch.tokens(n) for n in range(4)] == [Pipeline().tokenize(text) for text in texts]
    assert (batch.slice(0, 2), batch.slice(3, 6), batch.slice(10, 11)) == ("Seen.", "Well. Ok", "b")
    numbers = [next((n for n, (a, b) in enumerate(wanted) if a <= t < b), NONE) for t in range(11)]
    assert batch.sequence.tolist() == numbers
    empty = Columns([], sequence=sequence).batch()
    assert len(empty) == len(empty.first) == len(empty.stop) == len(empty.document) == 0
    assert empty.bounds.tolist() == [0] and empty.sequence.tolist() == empty.line.tolist() == []


def test_values_that_the_caller_gives_come_before_the_observations():
    """A token may have several; other observations are made as ever."""
    columns = Columns(["line_position", "word_before"], ["x", "y", "p", "q", "0", "1"])
    extra = [
        {"word_before": ["x", None], "marks": [("p", "q"), None]},
        {"word_before": ["y"], "marks": ["p"]},
    ]
    batch = columns.batch("a b", "c", extra=extra)
    own, marks, places = (
        columns.columns.column(name, batch) for name in ("word_before", "marks", "line_position")
    )
    assert own.tolist() == [0, -1, 1] and marks.tolist() == [[2, -1, 2], [3, -1, -1]]
    assert places.tolist() == [4, 5, 4]
    batch = columns.batch("a", extra=[{"marks": [None]}])
    assert columns.columns.column("marks", batch).tolist() == [-1]
    assert columns.columns.column("line_position", batch).tolist() == [4]


def test_observations_without_a_function_for_arrays_have_their_plain_values():
    columns = Columns(["words_left"])
    found = columns.columns.column("words_left", columns.batch("a b a", "c d"))
    assert found.tolist() == [[-1, 0, 0, -1, 2], [-1, -1, 1, -1, -1]] and columns.values == ["a", "b", "c"]
    assert columns.columns.column("words_left", columns.batch("a b")).tolist() == [-1, 0]


def test_a_value_without_a_number_hides_the_value_before_it():
    """As with a model that has no weight for it: the nearest heading is meant, not the one above."""
    texts = ["Med: a\nDrug: b\nc", "Drug: d"]
    assert read_plainly("heading", *texts) == ["med med med med drug drug drug drug drug", "drug drug drug"]
    assert Columns(["heading"], ["med"]).read("heading", *texts) == ["med med med med - - - - -", "- - -"]
    assert Columns(["line_label"], ["med"]).read("line_label", *texts) == [
        "med med med med - - - - -",
        "- - -",
    ]


def test_another_vocabulary_has_other_numbers_of_texts():
    """All that is known of the numbers of texts is forgotten, for observations of every kind."""
    texts = {name: own for name, own, _ in EXAMPLES}
    columns = Columns(texts)
    for part in (1, -1):
        for name, own in texts.items():
            assert columns.read(name, *own[::part]) == read_plainly(name, *own[::part])
        columns.columns.forget(columns.make_vocabulary())
        assert columns.columns.vocabulary.strings == []


def test_so_many_stretches_and_headings_are_kept(monkeypatch):
    """A note more and they are forgotten, so that a process that runs on does not grow; the values stay."""
    module = "crfdeid.engine.arrays"
    monkeypatch.setattr(f"{module}.context_columns.REMEMBERED", 2)
    monkeypatch.setattr(f"{module}.structure_columns.REMEMBERED", 2)
    monkeypatch.setattr(f"{module}.structure_columns.MOST_KEPT", 3)
    columns, kept = Columns(["chunk", "heading"]), []
    for text in ("a: b\nb: c\nd: e", "e: f", "a b c: d", "a b c d: e", "f: g", "h: i"):
        assert columns.read("heading", text) == read_plainly("heading", text)
        kept.append(len(columns.columns.headings))
    assert kept == [3, 1, 2, 2, 3, 1]
    kept = []
    for text in ("a/b c/d e/f", "a/b", "c/d", "c/d e", "e/f", "g/h"):
        assert columns.read("chunk", text) == read_plainly("chunk", text)
        kept.append(len(columns.columns.stretches))
    assert kept == [3, 1, 2, 2, 3, 1]


def test_more_lists_than_a_number_has_bits():
    """Each list has its own word and its own pair of words; all lists share another word and another pair."""
    own = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"] + ["last"]
    lists = {name: build_gazetteer(name, [name, "all", f"in {name}", "in all"]) for name in own}
    columns = Columns([f"phrase_{name}" for name in own], lists=lists)
    for name in own:
        other = own[own.index(name) - 1]
        text = f"{name} {other} all in {name} in {other} in all"
        assert columns.read(f"phrase_{name}", text) == ["1 - 1 B I - - B I"]


def test_a_pair_of_words_that_begins_no_entry_is_none():
    """Also where each of them is in an entry, at its place; and an entry of one list is none of another."""
    lists = {"round": build_gazetteer("round", ["a b", "b c", "c a"])}
    assert Columns(["phrase_round"], lists=lists).read("phrase_round", "a a c c b b a") == ["- - - - - - -"]
    columns = Columns(["phrase_cities", "phrase_people", "word_before"])
    text = "bath hall li york new hall new york li li"
    assert columns.read("phrase_cities", text) == ["1 - - - - - B I - -"]
    assert columns.read("phrase_people", text) == ["B I - 1 - - - 1 B I"]


def test_only_the_observations_of_the_templates_have_values():
    """Others that depend on the same text between white space are not made."""
    columns = Columns(["chunk"])
    assert columns.read("chunk", "a@b.org") == ["a@a.a a@a.a a@a.a a@a.a a@a.a"]
    assert columns.values == ["a@a.a"]

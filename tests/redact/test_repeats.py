"""What was found in one note of a patient is found in the others, in every writing that people use."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from marked_notes import SECRET, marked

from crfdeid.redact.redactor import Redaction, Redactor
from crfdeid.redact.run import tagging
from crfdeid.redact.surrogates.search import PatientSearch
from crfdeid.systems import model
from crfdeid.systems.tagger import Union
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span

TABLE = Path(__file__).with_name("marked_repeats.txt").read_text("utf-8")
ROWS = [row for row in TABLE.splitlines() if row and row[0] != "#"]


def redact_second(found: str, text: str, by_note: bool = False) -> Redaction:
    """Redact a note without spans after a note of the same patient in which something was found."""
    notes = [marked(found, "n1"), Document("n2", text, (), "7")]
    return Redactor(SECRET, by_note=by_note).redact(notes)[1]


def list_survivors(redaction: Redaction) -> list[str]:
    return [redaction.document.text_of(span) for span in redaction.survivors]


@pytest.mark.parametrize(
    ("found", "text", "gone"),
    [
        ("<PATIENT Mary Young>", "YOUNG, MARY", "YOUNG MARY"),
        ("<PATIENT Mary Young>", "Young, Mary", "Young Mary"),
        ("<PATIENT Ana Okafor>", "OKAFOR, ANA", "OKAFOR ANA"),
        ("<PATIENT Ana Okafor>", "QUEVIXO, ANA", "ANA"),
        ("<PATIENT Ana Okafor>", "Re: Quevixo, Ana", "Ana"),
        ("<DOCTOR Alan Brown>", "Seen by A. Brown today", "Brown"),
        ("<DOCTOR Alan Brown>", "Seen by A. Brown today", "A Brown"),
        ("<DOCTOR Alan Quevixo>", "Seen by Dr. A. J. Quevixo today", "A J Quevixo"),
        ("<DOCTOR Alan Brown>", "CC: A. BROWN", "BROWN"),
        ("<PATIENT Masha Okafor>", "Patient: Masha F.Sorrentino", "Masha"),
        ("<PATIENT Mary Young>", "YOUNG , MARY", "YOUNG MARY"),
        ("<PATIENT Mary Young>", "30990453YOUNG", "30990453YOUNG YOUNG"),
        ("<PATIENT Tom Smith>", "30990453SMITH TOM", "SMITH TOM"),
        ("<PATIENT Tom Smith>", "SMITH30990453", "SMITH SMITH30990453"),
        ("<PHONE (617) 555-0148>", "local 555-0148", "0148"),
        ("<PHONE 1-617-555-0148>", "call 555 0148", "0148"),
        ("<PHONE 617-555-0148>", "5550148", "5550148"),
        ("<EMAIL m.young7@mail.org>", "login m.young7", "young7"),
        ("<EMAIL quevixo@mail.org>", "user quevixo.", "quevixo"),
        ("<STREET 12 Elm Street>", "of 12 Elm St", "Elm 12"),
        ("<STREET 12 Elm Street>", "of 12 Elm St., Apt 4", "Elm 12"),
        ("<STREET 12 Elm St.>", "12 ELM STREET", "ELM 12"),
        ("<STREET 12 Elm Street>", "the Elm Street house", "Elm"),
        ("<STREET 12 Elm Street, Apt 4>", "the Elm St house", "Elm"),
        ("<AGE 92>", "turned 92 in May", "92"),
        ("<AGE 91>", "her 91st birthday", "91st"),
        ("<AGE 93 years>", "93rd birthday", "93rd"),
        ("<PATIENT Oka\u200bfor>", "Okafor left", "Okafor"),
        ("<PATIENT Oka\u00adfor>", "OKAFOR", "OKAFOR"),
        ("<DATE 3/7/2061>", "on March 7, 2061", "7 2061"),
        ("<DATE 3/7/2061>", "on 7 March 2061", "7 2061"),
        ("<DATE 3/7/2061>", "on 2061-03-07.", "2061"),
        ("<DATE March 7, 2061>", "on 3/7/2061", "3/7 2061"),
        ("<DATE March 7th, 2061>", "on 03/07/61", "03/07"),
        ("<DATE 2061-03-07>", "on Mar. 7, 2061", "7 2061"),
        ("<DATE 2061-03-07>", "on 07-MAR-2061", "07 2061"),
        ("<DATE 03/07/61>", "20610307", "20610307"),
        ("<PATIENT Okafor>", "Oka-\nfor left", "Oka for"),
        ("<PATIENT Okafor>", "O K A F O R", "K F"),
        ("<PATIENT Okafor>", "O.K.A.F.O.R", "K F"),
        ("<PATIENT Wrzeszczynski>", "Wrzeszcynski left", "Wrzeszcynski"),
        ("<PATIENT Quevixo>", "Quevixxo left", "Quevixxo"),
        ("<PATIENT John Smith>", "The Smiths live nearby.", "Smiths Smith"),
        ("<PATIENT Owen Baker>", "a call from the Bakers", "Bakers Baker"),
        ("<PATIENT John Smith>", "pt smith feels better", "smith"),
        ("<PATIENT Ann Kelly>", "Patient kelly is well", "kelly"),
        ("<PATIENT Amit Patel>", "Mr.Patel", "Patel"),
        ("<PATIENT Amit Patel>", "PATEL: BP 132/84", "PATEL"),
        ("<PATIENT Ann Kelly>", "Kelly at bedside", "Kelly"),
        ("<PATIENT Li Wei>", "seen with Li today", "Li"),
        ("<DOCTOR Patrick O'Neil>", "Dr. ONeil; oneil, P", "ONeil oneil"),
        ("<PATIENT Ana Okafor-Quevixo>", "okaforquevixo", "okaforquevixo"),
        ("<PATIENT Robert van der Berg>", "Mr. Vanderberg", "Vanderberg"),
        ("<STREET 12 Elm Street>", "lives at 12 Elm", "12 Elm"),
        ("<HOSPITAL Quevixo General Hospital>", "back at Quevixo", "Quevixo"),
        ("<ORGANIZATION Kestrel Robotics>", "works for Kestrel", "Kestrel"),
        ("<PATIENT Ana Kaplan>", "Pt KAPLAN came", "KAPLAN"),
        ("<PATIENT Ana Brown>", "BP normal. Pt BROWN came", "BROWN"),
        ("<PATIENT Mary Okafor>", "We saw mary in Clinic today", "mary"),
        ("<PATIENT Mary Okafor>", "Seen. mary says that it hurts", "mary"),
        ("<PATIENT Ana Smith>", "BP normal, smith is well", "smith"),
        ("<HOSPITAL Beth Israel Deaconess Medical Center>", "sent by BIDMC today", "BIDMC"),
        ("<STREET 12 Elm Street>", "lives at 12 elm", "12 elm"),
        ("<STREET 12 Elm Street>", "of 12 elm since May", "12 elm"),
        ("<STREET 12 Elm Street>", "LIVES AT 12 ELM", "12 ELM"),
    ],
)
def test_a_repeat_in_another_writing_is_replaced(found, text, gone):
    made = redact_second(found, text).document.text
    assert not {*gone.split()} & {*re.findall(r"[\w/]+", made)} and made != text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("<DOCTOR Alan Brown>", "The stool was soft. Brown stool was noted."),
        ("<PATIENT Ana Okafor>", "LABS: CBC, ANA, ESR"),
        ("<PATIENT Mary Young>", "A YOUNG WOMAN"),
        ("<PATIENT May Okafor>", "07MAY2061"),
        ("<PHONE (617) 555-0148>", "15550148"),
        ("<EMAIL nurse@mail.org>", "the nurse"),
        ("<STREET 12 Elm Street>", "12 elm trees"),
        ("<STREET 12 Park Drive>", "the park drives"),
        ("<AGE 92>", "turned 92 degrees"),
        ("<AGE 71>", "turned 71"),
        ("<DATE 3/7/2061>", "on March 8, 2061, 2061-03-08"),
        ("<PATIENT Anderson>", "Sanderson-like; candesartan"),
        ("<PATIENT Martin>", "a marten"),
        ("<PATIENT Owen Baker>", "the bakers; a Baker cyst"),
        ("<PATIENT Ann Young>", "pt young woman"),
        ("<PATIENT Sam Will>", "pt will return"),
        ("<PATIENT To Li>", "Seen to go. To bed. Li 0.8; to Li"[:26]),
        ("<PATIENT Will Okafor>", "Pain is less. pt will return, he will call"),
        ("<PATIENT Ana Foley>", "Pt has a foley in place"),
        ("<HOSPITAL Intensive Care Unit>", "moved to the ICU"),
        ("<HOSPITAL Beth Israel Deaconess Medical Center>", "bidmc"),
    ],
)
def test_what_only_looks_like_a_repeat_is_kept(found, text):
    assert redact_second(found, text).document.text == text


AGES = [
    "a 92 YEAR old", "92-year-old", "92 Yr old", "92 y/o", "92 y.o.", "92 yo man", "her 92nd birthday",
    "92nd Birth day", "92nd B-day", "92nd bday", "age 92", "Aged 92", "age of 92", "Age: 92", "AGE IS 92",
    "turned 92", "turns 92", "Turning 92",
]  # fmt: skip
NOT_AGES = [
    "92 yolk", "92 mg", "teenage 92", "turned 92%", "age of 92 degrees", "aged the 92", "turn 92 percent",
    "aged 92nd", "returned 92",
]  # fmt: skip


@pytest.mark.parametrize("text", AGES)
def test_an_age_that_repeats_is_replaced(text):
    assert "92" not in redact_second("<AGE 92>", text).document.text


@pytest.mark.parametrize("text", NOT_AGES)
def test_a_number_that_is_no_age_is_kept(text):
    assert redact_second("<AGE 92>", text).document.text == text


@pytest.mark.parametrize(
    ("found", "text", "listed"),
    [
        ("<PATIENT Catherine>", "Katherine left", ["Katherine"]),
        ("<PATIENT Anderson>", "Mr. Andersen", ["Andersen"]),
        ("<PATIENT Wrzeszczynski>", "Wrzesczinski left", ["Wrzesczinski"]),
        ("<PATIENT Mary Young>", "A Young woman", ["Young"]),
        ("<PATIENT Allan Forest>", "attending: forest, m.d.", ["forest"]),
        ("<PATIENT Wrzes>", "qwwrzesqw", ["wrzes"]),
        ("<PATIENT John Carver>", "BP normal. Pt carver is well.", ["carver"]),
        ("<PATIENT Ana Kaplan>", "PT KAPLAN SEEN", ["KAPLAN"]),
        ("<PATIENT Ana Kaplan>", "SPOKE WITH KAPLAN", ["KAPLAN"]),
        ("<PATIENT Ana Kaplan>", "Spoke with KAPLAN today", ["KAPLAN"]),
        ("<PATIENT Rose Okafor>", "BP normal; rose came in", ["rose"]),
        ("<PATIENT Mark Okafor>", "BP normal. we saw mark today", ["mark"]),
        ("<PATIENT Mark Okafor>", "BP normal. mark reports pain", ["mark"]),
        ("<HOSPITAL Intensive Treatment Unit>", "Moved to the ITU", ["ITU"]),
        ("<STREET 12 Elm Street>", "12 elm trees", ["12 elm"]),
    ],
)
def test_a_doubtful_repeat_is_listed(found, text, listed):
    redaction = redact_second(found, text)
    assert list_survivors(redaction) == listed or redaction.document.text != text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("<PATIENT An To>", "Seen to go to an office"),
        ("<STATE IN>", "PUT IN PLACE IN DETAIL"),
        ("<STATE OR>", "pain or fever"),
        ("<ROOM A>", "a bed, A lung"),
        ("<HOSPITAL AT>", "at home"),
        ("<PATIENT Lung>", "the lung is clear"),
        ("<PATIENT Wrze>", "qwwrzeqw"),
        ("<PATIENT Mark Okafor>", "BP normal. There is a mark on the arm"),
        ("<PATIENT Will Okafor>", "BP normal. he will say so"),
    ],
)
def test_words_of_the_language_are_not_listed(found, text):
    assert list_survivors(redact_second(found, text)) == []


def test_a_repeat_that_was_found_as_a_name_and_as_a_place_is_the_name():
    found = "<PATIENT John Carver> came; the <HOSPITAL Carver> family left."
    first, second = Redactor(SECRET).redact(
        [marked(found, "n1"), Document("n2", "call from Carver", (), "7")]
    )
    assert second.document.text.split()[2] == first.document.text.split()[1]


def test_a_misspelt_repeat_gets_the_misspelt_surrogate():
    notes = [marked("<PATIENT Jane Wrzeszczynski>", "n1"), Document("n2", "Wrzeszcynski left", (), "7")]
    first, second = (redaction.document.text for redaction in Redactor(SECRET).redact(notes))
    right, wrong = first.split()[1], second.split()[0]
    assert right != wrong and right[0] == wrong[0] and abs(len(right) - len(wrong)) <= 1


def test_one_day_stays_one_day_in_every_notation():
    notes = [
        marked("<DATE 3/7/2061>", "n1"),
        Document("n2", "March 7, 2061; 2061-03-07; 7 Mar 2061", (), "7"),
    ]
    first, second = (redaction.document.text for redaction in Redactor(SECRET).redact(notes))
    month, day, year = first.split("/")
    assert f"{year}-{int(month):02}-{int(day):02}" in second and second.count(year) == 3


def test_one_street_stays_one_street():
    notes = [
        marked("<STREET 12 Elm Street>", "n1"),
        Document("n2", "12 Elm St; the Elm Street house", (), "7"),
    ]
    first, second = (redaction.document.text for redaction in Redactor(SECRET).redact(notes))
    number, name, _ = first.split()
    assert second.startswith(f"{number} {name} St;") and f"the {name} Street house" in second


def bracket(text: str, spans: Iterable[Span]) -> str:
    for span in sorted(set(spans), reverse=True):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize("is_few", [True, False])  # strings: both ways to look for them
@pytest.mark.parametrize("type", sorted({row.split(" ")[0] for row in ROWS}))
def test_what_is_replaced_and_listed_is_in_brackets(type, is_few):
    for row in ROWS:
        found, sign, expected = re.split(r" (::|\?\?) ", row, maxsplit=1)
        if found.startswith(f"{type} "):
            search = PatientSearch({type: found.removeprefix(f"{type} ").split("; ")})
            search.finder.is_few = is_few
            find = search.find_survivors if sign == "??" else lambda note: search.find_missed(note, ())  # noqa: B023
            for marked_text in expected.split(" | "):
                note = Document("n", re.sub(r"[\[\]]", "", marked_text).replace("\\n", "\n"))
                assert bracket(note.text, find(note)).replace("\n", "\\n") == marked_text, row


@pytest.mark.parametrize(
    ("probabilities", "repeats"),
    [((0.1,), 0), ((0.1, 0.4), 0), ((0.5,), 1), ((None,), 1), ((0.1, 0.9), 1), ((0.9, 0.1), 1)],
)
def test_a_weak_guess_is_replaced_where_it_stands_and_not_looked_for(probabilities, repeats):
    """ "She" once with a probability of .1 became a surname sixteen times."""
    text = "Zamengo came. " * len(probabilities) + "Dr. Zamengo again."
    spans = (Span(14 * n, 14 * n + 7, "DOCTOR", found) for n, found in enumerate(probabilities))
    (redaction,) = Redactor(SECRET).redact([Document("n", text, tuple(spans), "7")])
    assert redaction.document.text.count("Zamengo") == 1 - repeats
    assert sum(made.repeat for made in redaction.replacements) == repeats


def test_of_a_release_the_spans_of_a_threshold_have_their_probabilities(small_model):
    note = Document("n", "Seen by Dr. Quevix on 03/04/2061. Quevix agrees.", patient="7")
    union = Union([small_model, model.load("rules")])
    for tagger in (small_model, union):
        (found,) = tagging.build_tagger("tag", tagger, Threshold(0.1))([note])
        assert any(span.probability is not None for span in found.spans)
        (best,) = tagging.build_tagger("tag", tagger)([note])
        assert all(span.probability is None for span in best.spans)

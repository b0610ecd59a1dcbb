"""The report of a run and its page, word by word, from a few replacements that are made here."""

import re

import pytest

from crfdeid.errors import FormatError
from crfdeid.policy import read_policy
from crfdeid.redact.leftover.suspicious import Suspicion
from crfdeid.redact.redactor import Redaction, Replacement
from crfdeid.redact.report import release_page
from crfdeid.redact.report.release_inputs import Context, LeftPlace, cut_context, find_contexts, render_places
from crfdeid.redact.report.safe_harbor import Report, list_categories
from crfdeid.text.document import Document, Span

NAME = Replacement(0, 3, "PATIENT", "Eve")
REPEAT = Replacement(8, 11, "PATIENT", "Eve", repeat=True)
UNREAD = Replacement(12, 16, "DATE", "[DATE]", "marker", False, "not read as date")
WEEKDAY = Replacement(20, 26, "DATE", "Monday", "kept")


def redaction(*replacements, patient="7", **more):
    return Redaction(Document("n", "Eve saw Eve [DATE] on Monday", (), patient), replacements, **more)


def report(**options):
    """Four notes: one with all that a note can have, one that was kept as it was, two without spans."""
    made = Report(**options)
    left = tuple(Span(start, start + 3, "PATIENT") for start in range(0, 22, 2))
    signs = (Suspicion(1, 3, "long number"), Suspicion(4, 6, "e-mail"), Suspicion(6, 8, "long number"))
    whole = redaction(
        NAME, REPEAT, UNREAD, WEEKDAY, overlaps=2, survivors=left, suspicions=signs, id_has_phi=True
    )
    made.add(whole, "n-1", "both")
    made.add(redaction(WEEKDAY), "n-2", "own")
    made.add(redaction(patient=None, survivors=left[:1]), "n-4", "none")
    made.add(redaction(patient="8"), "n-3", "none")
    return made


PLACES = [f"  n-1: PATIENT at {start}-{start + 3}" for start in range(0, 20, 2)]
END = "PHI that the program missed completely is not counted"
HEAD = f"{'45 CFR 164.514(b)(2)(i)':46}  found  treated"


def test_the_report_says_all_that_was_done():
    made = report(threshold="0.1")
    made.written_before = 3
    assert made.lines() == [
        HEAD,
        f"{'(A) names':46}      2  2 surrogate",
        f"{'(C) dates, and ages over 89':46}      3  2 kept, 1 marker",
        "4 notes; 1 repeats without a span were replaced",
        "patients: 2, by the notes",
        "1 notes name no patient: each counts as a separate patient",
        "spans: 1 notes have only their own, 1 both, 2 none",
        "the model tagged at threshold 0.1",
        "2 merged spans had different types; each was replaced as a whole",
        "1 dates or names could not be given a surrogate; they are markers such as [**DATE**]",
        "2 notes are unchanged: nothing was found in them; --report lists them",
        "2 were kept as allowed: weekdays, seasons, ages up to 89, the USA in an address",
        "1 notes have a found text in their id or their patient's; --new-ids replaces both",
        "3 notes were written before and are not counted here",
        "12 places in the output still contain a text that was found elsewhere in its patient's output",
        *PLACES,
        "  and 2 more; --report FILE lists all",
        "3 other places look like PHI: 1 e-mail, 2 long number",
        END,
    ]


def test_a_report_of_nothing_is_short():
    assert Report(by_note=True).lines() == [
        HEAD,
        "0 notes; 0 repeats without a span were replaced",
        "0 places in the output still contain a text that was found elsewhere in its own note",
        "0 other places look like PHI",
        END,
    ]


def test_ten_places_are_shown_without_the_word_of_more():
    made = Report()
    left = tuple(Span(start, start + 3, "PATIENT") for start in range(0, 20, 2))
    made.add(redaction(survivors=left), "n-1", "none")
    assert made.places == [line.strip() for line in PLACES]
    assert not [line for line in made.lines() if "more" in line]


def test_with_a_policy_the_report_counts_by_its_rules():
    made = report(policy=read_policy("safe_harbor"))
    lines = made.lines()
    assert lines[:3] == [
        HEAD,
        f"{'(A) names':46}      2  2 surrogate",
        f"{'(C) dates, and ages over 89':46}      3  2 kept, 1 marker",
    ]
    allowed = "weekdays, seasons, ages up to 89, the USA in an address, and what policy safe_harbor keeps"
    assert f"2 were kept as allowed: {allowed}" in lines
    table = made.table()["policy"]
    assert table["rules"] == [
        {"cite": "(A)", "title": "names", "surrogate": 2},
        {"cite": "(C)", "title": "dates, and ages over 89", "kept": 2, "marker": 1},
    ]


def table(**changes):
    """The report as the page reads it."""
    made = report(run=RUN)
    made.left_out = {"hidden files": 1, "pictures of type PNG": 2}
    return {**made.table(), **changes}


RUN = {
    "crfdeid": "9.9", "date": "2001-09-09", "spans": "only the notes' own", "model": None, "style": "type",
    "together": "all notes of a patient", "secret": "random, and not kept", "ids": "random ids",
    "dates_shift_by": "weeks", "zip": "same", "check_digits": "same", "same_doctor_across_patients": False,
    "format": "jsonl", "spans_beside_the_notes": False,
}  # fmt: skip


def test_the_report_has_the_categories_of_the_rule_and_what_it_does_not_ask_for():
    categories = list_categories()
    assert "".join(categories) == "ABCDEFGHIJKLMNOPQR-" == "".join(table()["categories"])
    assert categories["A"] == "names" and categories["D"] == "telephone numbers"
    assert categories["Q"] == "photographs (not looked for: notes are text)"
    assert categories["-"] == "not asked for by the rule: states, countries"


def test_the_repr_of_a_report_has_no_id_and_no_patient():
    made = Report()
    made.add(redaction(patient="Okafor"), "Zanzibarova", "none")
    assert made.untouched == ["Zanzibarova"] and made.patients == {"Okafor"}
    assert "Okafor" not in repr(made) and "Zanzibarova" not in repr(made)


def test_a_report_with_places_that_cannot_be_named_counts_the_notes():
    made = Report()
    made.add(redaction(), "n-1", "own")
    made.add(redaction(survivors=(Span(0, 3, "PATIENT"),)), "Ana Ruiz", "own")
    assert made.places == ["note 2: PATIENT at 0-3"]


def test_the_table_of_the_report_has_every_count():
    found = table()
    categories = {letter: row for letter, row in found["categories"].items() if len(row) > 1}
    assert categories == {
        "A": {"name": "names", "surrogate": 2},
        "C": {"name": "dates, and ages over 89", "kept": 2, "marker": 1},
    }
    assert {key: value for key, value in found.items() if key not in ("categories", "run")} == {
        "release": None,
        "documents": 4,
        "documents_written_before_and_not_counted": 0,
        "documents_without_patient": 1,
        "patients": 2,
        "patients_from": "the notes",
        "documents_by_source_of_spans": {"own": 1, "model": 0, "both": 1, "none": 2},
        "left_out_of_the_input": {"hidden files": 1, "pictures of type PNG": 2},
        "documents_in_which_nothing_was_found": ["n-3", "n-4"],
        "documents_unchanged": 3,
        "documents_whose_id_or_patient_holds_a_found_string": 1,
        "looked_for_survivors_in": "all notes of the patient",
        "overlapping_spans_of_different_types_united": 2,
        "repeats_replaced": 1,
        "unread_replaced_by_marker": 1,
        "survivors": {"PATIENT": 12},
        "suspicious": {"e-mail": 1, "long number": 2},
    }
    assert "run" not in Report().table() and Report().table()["left_out_of_the_input"] is None


CHECKS = [
    "Read the ids that contain a text that was found: 1.",
    "Read the places that still contain a text that was found: 12.",
    "Read the notes in which nothing was found: 2.",
    "Notes that name no patient: 1. A text found in one was not looked for in others.",
]


@pytest.mark.parametrize(
    ("changes", "bound", "said"),
    [
        ({}, {}, CHECKS),
        ({}, None, [*CHECKS, release_page.NO_BOUND]),
        ({"survivors": {}, "documents_without_patient": 0}, {}, [CHECKS[0], CHECKS[2]]),
        (
            {"documents_written_before_and_not_counted": 1},
            {},
            [*CHECKS, "Notes that an earlier run wrote are not in these counts."],
        ),
    ],
)
def test_the_page_says_what_is_to_be_read_before_signing(changes, bound, said):
    bound = {"is": "there"} if bound is not None else None
    assert list(release_page.list_checks(table(**changes), bound)) == said


def test_the_page_describes_the_run():
    found = table(known_patients={"notes_of_known_patients": 1200, "found_without_another_span": {"A": 1}})
    assert release_page.describe_input(found | {"threshold": "0.1", "listed_terms": {"never": 1}}) == {
        "notes": "4", "patients": "2, told apart by the notes", "notes that name no patient": "1",
        "redacted together": "all notes of a patient", "spans": "only the notes' own", "model": "none",
        "threshold": "0.1", "policy": "none; style: type", "dates shift by": "weeks", "ZIP codes": "same",
        "check digits": "same", "doctors": "by patient", "known patients": "a table, for 1,200 notes",
        "lists of terms": "--never", "secret": "random, and not kept", "ids": "random ids",
        "format": "jsonl", "spans of surrogates": "not written", "version": "crfdeid 9.9",
        "date": "2001-09-09",
    }  # fmt: skip
    other = {"same_doctor_across_patients": True, "spans_beside_the_notes": True, "model": "small"}
    policy = {"name": "p", "source": "s", "rules": []}
    about = release_page.describe_input(table(run=RUN | other, policy=policy))
    assert about | {
        "threshold": "none: the most probable labels", "policy": "p: s", "lists of terms": "none",
        "known patients": "no table", "doctors": "one surrogate in all notes", "model": "small",
        "spans of surrogates": "beside the notes",
    } == about  # fmt: skip


def test_the_page_counts_what_was_done_and_what_is_left():
    found = table(listed_terms={"never": 4, "always": {"CITY": 2, "STATE": 1}})
    found["known_patients"] = {"notes_of_known_patients": 1, "found_without_another_span": {"A": 1, "B": 4}}
    assert release_page.describe_left(found) == {
        "pictures that nobody looked at": "2", "not read: hidden files": "1",
        "notes whose text is unchanged": "3", "notes in which nothing was found": "2",
        "dates or names without a surrogate, which are markers": "1",
        "notes written by an earlier run, in no count here": "0",
        "spans left out because a list has them": "4",
    }  # fmt: skip
    assert release_page.describe_sources(found) == {
        "notes with only the notes' own": "1", "notes with only the model's": "0", "notes with both": "1",
        "notes with no span": "2", "repeats that had no span, replaced": "1",
        "merged spans of different types": "2",
        "texts of the table of patients without another span": "5",
        "texts of the list of terms that are always PHI": "3",
    }  # fmt: skip
    notes = release_page.describe_sources(table(documents_by_source_of_spans={"own": 1200}))
    assert [notes[f"notes with {name}"] for name in ("only the notes' own", "both", "no span")] == [
        "1,200", "0", "0",
    ]  # fmt: skip
    assert len(release_page.describe_left(table())) == 6 and len(release_page.describe_sources(table())) == 6


def read_cells(html):
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", html)]


def test_the_tables_of_the_page_add_up():
    rows = {"b": {"name": "b", "surrogate": 1200, "kept": 3}, "a": {"name": "a", "marker": 1}}
    assert read_cells(release_page.render_counts("", rows)) == [
        ["", "before", "surrogate", "marker", "after: kept"],
        ["b", "1,203", "1,200", "0", "3"],
        ["a", "1", "0", "1", "0"],
        ["total", "1,204", "1,200", "1", "3"],
    ]
    assert read_cells(release_page.render_remaining(table()).partition("What else")[0])[1:3] == [
        ["PATIENT", "12"],
        ["total", "12"],
    ]
    assert read_cells(release_page.render_remaining(table()).partition("What else")[2])[1:] == [
        ["e-mail", "written like an e-mail address", "1"],
        ["long number", "six or more digits", "2"],
        ["total", "", "3"],
    ]


def test_a_hundred_ids_of_untouched_notes_are_shown():
    ids = [f"n-{number}" for number in range(101)]
    html = release_page.render_untouched(table(documents_in_which_nothing_was_found=ids))
    assert html.endswith(
        "n-98, n-99.</p>\n<p>Nothing was found in 1 notes whose ids are not shown here.</p>\n"
    )
    assert release_page.render_untouched(table(documents_in_which_nothing_was_found=ids[:1])) == (
        "<p>Nothing was found in n-0.</p>\n"
    )
    assert release_page.render_untouched(table(documents_in_which_nothing_was_found=[])) == ""


def test_the_page_has_the_sample_that_people_read():
    figures = {"found": 0.01, "as_read": 0.0234, "corrected": None}
    statement = {
        "notes": 1400, "patients": 1300, "misses": 2000, "leaking_notes": 1100, "confidence": 0.975,
        "is_shown": False, "draw": {"release": "77edd", "fingerprint": "d70cc", "aim": {}},
        "together": {"plants": 0, "found": 0}, "notes_with_leak": figures, "spans_missed": figures,
        "misses_per_1000_notes": {"found": 1234.4, "as_read": 2, "corrected": 3},
    }  # fmt: skip
    html = release_page.render_bound(statement)
    for said in (
        "1,400 notes of 1,300 patients, drawn at random",
        "2,000, in 1,100 notes",
        "<dd>none were planted</dd>",
        "at most 0.00% of the PHI spans are missed: not shown",
        "Upper bounds, each with 97.5% confidence",
    ):
        assert said in html
    assert read_cells(html.partition("<table>")[2])[1:] == [
        ["notes with a leak", "1.00%", "2.34%", "-"],
        ["PHI spans missed", "1.00%", "2.34%", "-"],
        ["missed spans per 1,000 notes", "1,234", "2", "3"],
    ]


# The places of a release


def test_the_likeliest_places_come_first():
    places = [
        LeftPlace("n-1", 0, 3, "", "e-mail", 0.8),
        LeftPlace("n-1", 4, 7, "", "unknown word", 0.25),
        LeftPlace("Ana Ruiz", 5, 9, "PATIENT", "survivor", 0.9),
    ]
    html = render_places(places, "file.csv")
    assert "Look here first: the 3 likeliest of 3 places; file.csv has all" in html
    assert read_cells(html)[1:] == [
        ["line 4", "5", "9", "survivor", "PATIENT", "0.90"],
        ["n-1", "0", "3", "e-mail", "", "0.80"],
        ["n-1", "4", "7", "unknown word", "", "0.25"],
    ]
    old = render_places([place._replace(probability=0.0) for place in places], "f")  # of an earlier version
    assert [row[3] for row in read_cells(old)[1:]] == ["survivor", "e-mail", "unknown word"]


@pytest.mark.parametrize(("notes", "first"), [(0, 10), (50, 10), (51, 11), (400, 80)])
def test_twenty_places_of_a_hundred_notes_come_first(notes, first):
    places = [LeftPlace("n", at, at + 1, "", "title", 0.5) for at in range(200)]
    html = render_places(places, "f", notes=notes)
    assert f"the {first} likeliest of 200 places" in html and f"{200 - first} other places" in html


def test_four_hundred_places_are_shown():
    html = render_places([LeftPlace("n", at, at + 1, "AGE", "survivor") for at in range(1201)], "f")
    assert "390 of 1,191 other places" in html and len(read_cells(html)) == 402
    html = render_places([LeftPlace("n", at, at + 1, "AGE", "survivor") for at in range(400)], "f")
    assert "390 of 390 other places" in html and len(read_cells(html)) == 402


def test_a_context_has_forty_characters_on_both_sides():
    text = "b" * 45 + "Ruiz" + "a" * 45
    assert cut_context(text, 45, 49) == Context("b" * 40, "Ruiz", "a" * 40)
    assert cut_context("Ruiz", 0, 4) == Context("", "Ruiz", "")
    assert cut_context("\nRuiz\n", 1, 5) == Context("\n", "Ruiz", "\n")


def test_the_contexts_of_places_come_from_the_notes_that_have_them():
    places = [LeftPlace("n-1", 4, 8, "PATIENT", "survivor"), LeftPlace("n-1", 0, 3, "", "title"),
              LeftPlace("n-3", 0, 3, "", "age")]  # fmt: skip
    notes = [Document("n-1", "Dr. Ruiz"), Document("n-2", "Well."), Document("n-3", "age 93")]
    assert find_contexts(places, notes) == {
        places[0]: ("Dr. ", "Ruiz", ""), places[1]: ("", "Dr.", " Ruiz"), places[2]: ("", "age", " 93"),
    }  # fmt: skip
    assert find_contexts([], notes) == {}
    for others, missing in ((notes[:2], 1), (notes[1:], 2), ([], 3), ([Document("n-1", "Dr. Rui")], 2)):
        with pytest.raises(
            FormatError, match=f"^{missing} places are not in the notes; wanted the notes that"
        ):
            find_contexts(places, others)
    html = render_places(places, "f", find_contexts(places, notes))
    assert "<mark>Ruiz</mark>" in html and "<mark>age</mark> 93" in html
    assert read_cells(html)[0] == ["note", "start", "end", "kind", "type", "probability", "in the note"]

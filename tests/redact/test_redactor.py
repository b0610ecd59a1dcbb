"""Redaction in Python: the properties of each style, repeats, markers, and the report."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_notes import SECRET, STORY, marked, redacted

from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.policy import Policy, Rule
from crfdeid.redact.redactor import STYLES, Redactor, Replacement, apply_replacements
from crfdeid.redact.report import safe_harbor
from crfdeid.redact.report.release_inputs import name_survivors
from crfdeid.redact.run import destination, tagging
from crfdeid.redact.surrogates import kinds
from crfdeid.text.document import Document, Span

TYPES = [*kinds.KINDS, "SPECIES"]


@st.composite
def documents(draw):
    text = draw(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=60))
    cuts = draw(
        st.lists(
            st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.sampled_from(TYPES)),
            max_size=6,
        )
    )
    spans = {Span(min(a, b), max(a, b), type) for a, b, type in cuts if a != b}
    return Document("n", text, tuple(spans), draw(st.sampled_from([None, "7"])))


@given(documents(), st.sampled_from(STYLES), st.booleans())
@settings(max_examples=300, deadline=None)
def test_text_outside_spans_is_unchanged_and_every_span_is_replaced_whole(document, style, by_note):
    (found,) = Redactor(SECRET, style, by_note=by_note).redact([document])
    at, out = 0, ""
    for made in found.replacements:
        assert made.start >= at
        out += document.text[at : made.start] + made.replacement
        at = made.end
        if made.treatment not in ("kept",):
            assert style == "blank" or made.replacement != document.text[made.start : made.end]
    assert found.document.text == out + document.text[at:]
    covered = {i for p in found.replacements for i in range(p.start, p.end)}
    assert all(set(range(span.start, span.end)) <= covered for span in document.spans)
    assert [found.document.text_of(s) for s in found.document.spans] == [
        p.replacement for p in found.replacements
    ]
    assert style != "blank" or len(found.document.text) == len(document.text)
    assert Redactor(SECRET, style, by_note=by_note).redact([document])[0] == found


def test_a_patients_notes_are_tagged_together_and_gold_spans_stay():
    first = Document("1", "Seen by Dr. Quevix, lives in Zimmstraboro.", patient="7")
    second = Document("2", "Quevix agrees. Back to Zimmstraboro; quest.", patient="7")
    gold = marked("Quevix said <DATE today>.", "3")
    tagger, threshold = tagging.load_tagger("auto", "rules")
    assert threshold is None  # rules have no probabilities
    found = tagging.build_tagger("auto", tagger)([first, gold, second])
    assert [note.id for note in found] == ["1", "3", "2"] and set(gold.spans) <= set(found[1].spans)
    assert [gold.text_of(span) for span in found[1].spans] == ["Quevix", "today"]
    assert [second.text_of(span) for span in found[2].spans] == ["Quevix", "Zimmstraboro"]
    assert tagging.build_tagger("tag", tagger)([gold])[0].spans == ()
    assert tagging.build_tagger("gold", None)([first, gold]) == [first, gold]


def test_the_model_of_a_release_tags_by_a_careful_threshold(small_model):
    folder = str(small_model.folder)
    options = (None, 0.3, "best")
    chosen = [tagging.load_tagger("auto", folder, threshold=values)[1] for values in options]
    assert list(map(str, chosen)) == ["0.1", "0.3", "None"]
    assert tagging.load_tagger("gold", folder) == (None, None)


def test_a_policy_without_a_rule_for_a_type_of_the_model_is_refused_before_any_note():
    few = Policy("few", "names only", (Rule("one", "names", "surrogate", ("PATIENT",)),))
    with pytest.raises(ConfigurationError, match=r"policy few: no rule for .* of scheme i2b2-2014"):
        tagging.load_tagger("auto", "rules", few)


def test_what_a_killed_run_left_beside_its_outputs_goes(tmp_path):
    """Also beside the survivors of the report; not the files of somebody else."""
    out, report = tmp_path / "clean", tmp_path / "report.json"
    left = [
        tmp_path / f".{name}.abcd1234.partial"
        for name in ("clean", "clean.unfinished", "report.json", name_survivors(report).name)
    ]
    other = tmp_path / ".notes.abcd1234.partial"
    for path in (*left, other):
        path.write_text("text")
    destination.clear_leftovers(out, report, name_survivors(report), None)
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize("by_note", [False, True])
def test_the_order_of_the_notes_does_not_matter(by_note):
    first = redacted(STORY, by_note=by_note)
    for seed in range(8):
        shuffled = random.Random(seed).sample(STORY, len(STORY))
        assert redacted(shuffled, by_note=by_note) == first
    assert redacted(STORY, by_note=by_note, secret=b"another" * 5) != first


def test_notes_redacted_on_two_machines_agree():
    whole = redacted(STORY, by_note=True)
    assert redacted(STORY[:2], by_note=True) | redacted(STORY[2:], by_note=True) == whole


def test_a_patient_stays_one_person_across_notes():
    a1, a2, *_ = redacted(STORY).values()
    first, last = a1.text_of(a1.spans[1]).split()
    assert a2.text_of(a2.spans[0]) == f"{last.upper()}, {first.upper()}"
    assert f"{last} is ill" in a2.text and "Bob" not in a2.text  # repeats without a span


def test_markers():
    note = marked("<PATIENT Ana>, <DATE 3/7>, <PHONE 555>, <SSN 123>, <SPECIES cat>, <HOSPITAL MGH>")
    assert Redactor(SECRET, "type").redact([note])[0].document.text == (
        "[**PATIENT**], [**DATE**], [**PHONE**], [**SSN**], [**PHI**], [**HOSPITAL**]"
    )
    assert Redactor(SECRET, "type", "shweta").redact([note])[0].document.text == (
        "XYZ_Patient, 00.00.Date, NUM_PHONE, NUM_ID, XYZ_Phi, XYZ_Hospital"
    )
    assert Redactor(SECRET, "type", "<{type}>").redact([note])[0].document.text.startswith("<PATIENT>")


@pytest.mark.parametrize("marker", ["{name}", "{", "{0}", "{type.x}"])
def test_an_impossible_marker_is_refused(marker):
    with pytest.raises(ConfigurationError, match="--marker"):
        Redactor(SECRET, "type", marker)


def test_overlaps_are_replaced_whole_and_counted():
    note = Document("n", "Ana Ruiz Smith", (Span(0, 8, "PATIENT"), Span(4, 14, "DOCTOR")))
    (found,) = Redactor(SECRET).redact([note])
    assert found.overlaps == 1 and len(found.replacements) == 1
    assert not {"Ana", "Ruiz", "Smith"} & set(found.document.text.split())


def test_what_one_of_two_types_would_keep_becomes_a_marker_with_a_reason():
    note = Document("n", "Monday 3/7", (Span(0, 10, "DATE"), Span(0, 6, "PATIENT")))
    (found,) = Redactor(SECRET).redact([note])
    (made,) = found.replacements
    assert (made.replacement, made.treatment, made.resolved) == ("[**DATE**]", "marker", False)
    assert made.why == "overlapping spans of different types"


def test_what_cannot_be_read_becomes_a_marker_with_a_reason():
    (found,) = Redactor(SECRET).redact([marked("<DATE soon> <SPECIES cat> <OTHER x>")])
    assert found.document.text == "[**DATE**] [**PHI**] [**OTHER**]"
    assert [p.why for p in found.replacements] == ["not read as date", "no known type", "not read as other"]
    assert not any(p.resolved for p in found.replacements)


def test_proposals_can_be_edited_and_applied():
    redactor = Redactor(SECRET)
    _, proposals = redactor.propose(STORY[:2])
    assert apply_replacements(STORY[1], proposals) == redacted(STORY)["a-2"]
    assert redactor.propose(STORY[1::-1])[0] == proposals  # whatever the order of the notes
    edited = [
        Replacement(p.start, p.end, p.type, "X" if p.type == "DOCTOR" else p.replacement) for p in proposals
    ]
    assert "Dr. X." in apply_replacements(STORY[1], edited).text
    with pytest.raises(DocumentError, match="overlaps another replacement"):
        apply_replacements(STORY[1], [*proposals, Replacement(0, 3, "PATIENT", "")])
    assert "Okafor" not in repr(proposals) and proposals[0].replacement not in repr(proposals)


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("Then Okafor left.", True), ("okafor left", True), ("seen by Dr. May", True),
        ("in May he left", False), ("A Foley catheter", False), ("the Foley was removed", False),
        ("Mr. Foley", True), ("will do", False), ("Will was here", True), ("Will be seen", False),
        ("with Will at home", True), ("May Okafor", True), ("Okafors", True),
        ("the Okafors left", True), ("Foleys were removed", False), ("xOkafor", False),
        ("Foley's wife", True), ("OKAFOR", True),
    ],
)  # fmt: skip
def test_a_repeat_is_replaced_only_if_it_reads_as_a_name(text, replaced):
    people = marked("<PATIENT May Okafor>, <DOCTOR Foley>, <PATIENT Will>", "n1")
    found = Redactor(SECRET).redact([people, Document("n2", text, (), "7")])[1]
    assert (found.document.text != text) == replaced and any(p.repeat for p in found.replacements) == replaced


def test_what_remains_is_listed_by_offset():
    note = marked("<PATIENT May Okafor> in May. <STREET 12 Oak Street>; 12 oak street. <ROOM 5>: 5 mg, bed 5")
    (found,) = Redactor(SECRET).redact([note])
    left = [(found.document.text[s.start : s.end], s.type) for s in found.survivors]
    assert left == [("May", "PATIENT"), ("5", "ROOM")]


def test_the_report_counts_by_category_and_holds_no_text():
    report = safe_harbor.Report()
    for group in (STORY[:2], STORY[2:4], STORY[4:]):
        for redaction in Redactor(SECRET).redact(group):
            report.add(redaction, redaction.document.id, "own")
    table = report.table()
    assert table["documents"] == 5 and table["documents_without_patient"] == 1
    assert table["categories"]["A"]["surrogate"] >= 7 and table["categories"]["C"]["generalised"] == 1
    said = json.dumps(table) + "\n".join(report.lines())
    assert not any(name in said for name in ("Okafor", "Ruiz", "4471902", "Boston"))
    letters = safe_harbor.list_categories()
    assert {safe_harbor.find_category(type) for type in TYPES} <= set(letters)
    assert "".join(letters) == "ABCDEFGHIJKLMNOPQR-"  # of 45 CFR 164.514(b)(2)(i), and what is beyond

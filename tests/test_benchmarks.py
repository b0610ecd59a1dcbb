"""The benchmarks' pure functions, on text written here; the notes themselves where the reports are."""

import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

pytest.importorskip("faker")
sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import biases
import devset
import devset_genres as genres
import devset_measure as measure
import devset_patterns as patterns
import devset_reports as reports
import mtsamples
import redact_harm
import sibanda
from devset_names import LOCALES, find_group, read_group
from devset_surrogates import Cast
from devset_writings import WRITINGS, apply_edits

DATA = Path(__file__).parent.parent / reports.DATA


def types(text: str) -> list[tuple[str, str]]:
    return [(item.type, text[item.start : item.end]) for item in reports.find_phi(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("HISTORY: , A cough.,PLAN:,1.  Rest.", "HISTORY: A cough.\n\nPLAN:\n1. Rest."),
        ("WBC 12,000, stable.,No fever.", "WBC 12,000, stable.\nNo fever."),
        ("PLAN:,  Rest.", "PLAN: Rest."),
    ],
)
def test_line_breaks_are_restored(text: str, expected: str) -> None:
    assert reports.restore_lines(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("seen by Dr. X's nurse", [("DOCTOR", "X")]),
        ("Drs. X and Y agreed", [("DOCTOR", "X"), ("DOCTOR", "Y")]),
        ("Mr. ABC is well", [("PATIENT", "ABC")]),
        ("presents to ABCD General Hospital", [("HOSPITAL", "ABCD General Hospital")]),
        ("presents to ABCD with pain", [("HOSPITAL", "ABCD")]),
        ("A 2-1/2-year-old boy", [("AGE", "2-1/2")]),
        ("in his 70s, on 3/4/05", [("AGE", "70s"), ("DATE", "3/4/05")]),
        ("since March of 2004", [("DATE", "March of 2004")]),
        ("strength 5/5, pain 7/10, 2000 mL", []),
    ],
)
def test_phi_is_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert types(text) == expected


@pytest.mark.parametrize(
    "text, settled",
    [
        ("The XXX eye.", False),
        ("His wife, Zelda, called.", False),
        ("He is a retired cook.", False),
        ("A Foley catheter, 1/2 cc, BP 120/80.", True),
    ],
)
def test_what_no_rule_settles_is_noticed(text: str, settled: bool) -> None:
    assert (reports.find_unsettled(text, reports.find_phi(text)) is None) == settled


@pytest.mark.parametrize(
    "pattern",
    [
        line
        for name in ("mentions", "hard_mentions", "queries", "hard_queries")
        for line in patterns.read_lines(name)
    ],
)
def test_every_pattern_can_be_filled(pattern: str) -> None:
    document = devset.build_document("n", devset.fill_pattern(pattern, Cast(Random(0))))
    scheme.read_scheme().check([document])
    assert "{" not in document.text


@pytest.mark.parametrize("line", patterns.read_lines("bait"))
def test_bait_has_no_slot_and_its_branches_are_chosen(line: str) -> None:
    assert not set("|{}") & set(patterns.choose_branches(line, Random(0)))


def test_a_number_that_touches_a_name_is_another_span() -> None:
    pattern = "{MEDICALRECORD.digits}{PATIENT.capscomma} ({AGE})"
    document = devset.build_document("n", devset.fill_pattern(pattern, Cast(Random(0))))
    number, name, age = document.spans
    assert number.end == name.start and document.text_of(number).isdigit()
    assert document.text[name.end : age.start] == " ("


@pytest.mark.parametrize(
    "block",
    [block for name in ("heads", "feet", "hard_heads", "hard_feet") for block in patterns.read_blocks(name)],
)
def test_heads_and_feet_have_phi(block: str) -> None:
    assert len(devset.build_document("n", devset.fill_pattern(block, Cast(Random(0)))).spans) >= 2


def test_a_note_is_the_same_twice() -> None:
    text = "Dr. X saw Mr. ABC. He is well. Dr. X left.\n" * 9
    once, again = (devset.build_note("n", text, reports.find_phi(text)) for _ in range(2))
    assert (once.text, once.spans) == (again.text, again.spans)
    assert len({once.text_of(s).lower() for s in once.spans if s.type == "DOCTOR"}) < 9


@given(st.text("ab \n.", max_size=200), st.integers(5, 80))
def test_cutting_moves_nothing(text: str, width: int) -> None:
    made = devset.wrap_lines(Document("n", text), width)
    assert made.text.replace("\n", " ") == text.replace("\n", " ")


@given(st.text("ab -\n'", max_size=60), st.lists(st.integers(0, 60), max_size=6), st.data())
def test_edits_move_spans_with_their_text(text: str, cuts: list[int], data: st.DataObject) -> None:
    edges = sorted({cut for cut in cuts if cut < len(text)})
    spans = tuple(Span(a, b, "CITY") for a, b in list(zip(edges, edges[1:]))[::2])
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), unique=True, max_size=8)))
    edits = [(a, b, data.draw(st.text("xyz", max_size=3))) for a, b in zip(places, places[1:])][::2]
    made = apply_edits(Document("n", text, spans), edits)
    assert len(made.spans) == len(spans)
    for before, after in zip(spans, made.spans):
        inside = [e for e in edits if before.start <= e[0] and e[1] <= before.end]
        if not inside:
            assert made.text_of(after) == text[before.start : before.end]
    outside = [edit for edit in edits if all(b.end <= edit[0] or edit[1] <= b.start for b in spans)]
    if not edits or edits == outside:
        assert [made.text_of(span) for span in made.spans] == [text[s.start : s.end] for s in spans]


REPORT = 'Dr. X saw Mr. ABC on 3/4/2005 at "ABCD General Hospital".\nHe is well-known - a 54-year-old.\n' * 9


@pytest.mark.parametrize("name", WRITINGS)
def test_a_writing_keeps_every_span_and_its_letters(name: str) -> None:
    note = devset.build_note("n", REPORT, reports.find_phi(REPORT))
    made = WRITINGS[name](note)
    assert [span.type for span in made.spans] == [span.type for span in note.spans]
    assert made.text != note.text and made == WRITINGS[name](note)
    for before, after in zip(note.spans, made.spans):
        old, new = note.text_of(before), made.text_of(after)
        if name not in ("typing errors", "noise like OCR"):
            signs = [[sign for sign in text.lower() if sign.isalnum()] for text in (old, new)]
            assert signs[0] == signs[1]
        assert abs(len(old) - len(new)) <= 3 + 2 * old.count("\n")


def test_line_ends_and_marks_of_writings() -> None:
    note = Document("n", "a-b 'c'\nd", (Span(0, 3, "CITY"), Span(8, 9, "CITY")))
    made = {name: rewrite(note) for name, rewrite in WRITINGS.items()}
    assert made["CRLF line ends"].text == "a-b 'c'\r\nd" and made["CRLF line ends"].spans[1] == Span(
        9, 10, "CITY"
    )
    assert made["CR line ends"].text == "a-b 'c'\rd"
    assert made["no line breaks"].text == "a-b 'c' d"
    assert made["all capitals"].text == "A-B 'C'\nD"
    assert "-" not in made["Unicode marks"].text and "'" not in made["Unicode marks"].text


@pytest.mark.parametrize("name", genres.GENRES)
def test_a_genre_has_forty_documents_with_the_types_of_the_scheme(name: str) -> None:
    documents = genres.build_genre(name)
    scheme.read_scheme().check(documents)
    assert len(documents) == len({document.text for document in documents}) == 40 or name in (
        "portal",
        "year_query",
    )
    assert documents == genres.build_genre(name)
    assert all("{" not in document.text and "[M|" not in document.text for document in documents)


def test_year_queries_have_only_years_seasons_and_ages_under_ninety() -> None:
    for document in genres.build_genre("year_query"):
        for span in document.spans:
            text = document.text_of(span)
            assert len(text) == 4 if span.type == "DATE" and text.isdigit() else span.type in ("DATE", "AGE")
            assert span.type == "DATE" or int(text) < 90


@pytest.mark.parametrize(
    "name, group",
    [
        ("An Trinh", "Vietnamese"),
        ("BAE-PALLA, JIN W", "Korean"),
        ("okonkwo", "African"),
        ("Smith", "American"),
        ("Zuvomann", "other"),
    ],
)
def test_a_name_has_the_group_of_its_surname(name: str, group: str) -> None:
    assert find_group(name) == group


@pytest.mark.parametrize("group", LOCALES)
def test_a_group_has_names_in_latin_letters(group: str) -> None:
    for names in read_group(group):
        assert len(names) >= 20 and all(name.isascii() and name[0].isupper() for name in names)


@given(st.integers(0, 10_000), st.sampled_from(["any", "acronym", "saint"]))
def test_a_hospital_has_no_open_slot(seed: int, kind: str) -> None:
    name = Cast(Random(seed)).value("HOSPITAL", "", kind)
    assert name and not set("{}") & set(name) and name == name.strip()


def test_rows_count_clean_documents_false_alarms_and_differences() -> None:
    gold = [Document("n", "Ana Ruiz left", (Span(0, 8, "PATIENT"),)), Document("m", "Joy is fine")]
    found = [gold[0].with_spans([Span(0, 3, "PATIENT")]), gold[1].with_spans([Span(0, 3, "PATIENT")])]
    assert (measure.count_clean(gold, gold), measure.count_clean(gold, found)) == (2, 1)
    assert measure.count_alarms(gold, found) == 1
    table = measure.format_rows("by", [("plain", gold, gold), ("bad", gold, found)], True)
    assert "1.000 (+0.000)" in table and "0.000 (-1.000)" in table


def test_queries() -> None:
    queries = devset.build_queries()
    assert len(queries) == 600 and sum(not query.spans for query in queries) == 120
    assert all(query.spans for query in queries[:480]) and not any("{" in query.text for query in queries)
    assert [query.text for query in queries] == [query.text for query in devset.build_queries()]


def test_measures() -> None:
    gold = [Document("n", "Ana Ruiz left on May 5", (Span(0, 8, "PATIENT"), Span(17, 22, "DATE")))]
    found = [gold[0].with_spans([Span(0, 8, "DOCTOR"), Span(9, 13, "DATE")])]
    assert measure.count_covered(gold, found) == {"PATIENT": (1, 1), "DATE": (0, 1)}
    assert measure.compute_precision(gold, found) == pytest.approx(2 / 3)
    assert measure.compute_strict_f1(gold, gold) == 1
    missed, alarms = measure.find_errors(gold, found)
    assert missed == {"DATE": ["n Ana Ruiz left on [[May 5]]"]}
    assert alarms == {"DATE": ["n Ana Ruiz [[left]] on May 5"]}


def test_queries_that_have_no_phi_under_a_policy() -> None:
    named = Document("b", "Ana Ruiz", (Span(0, 8, "PATIENT"),))
    gold = [Document("a", "flu 2014", (Span(4, 8, "DATE"),)), named]
    found = [gold[0], Document("b", "Ana Ruiz")]
    line = measure.format_clear_queries(gold, found, "safe_harbor")
    assert line.endswith("touched  1.000, with the policy 0.000  1, 0 of 1")


def test_what_is_known_without_gold() -> None:
    text = "Dr. X saw a 23-year-old on 3/4/2005 with Foley"
    document = Document("n", text, (Span(4, 5, "DOCTOR"), Span(27, 35, "DATE"), Span(41, 46, "DOCTOR")))
    found = mtsamples.count_patterns([document])
    assert (found["Dr. X"], found["NN-year-old"]) == ((1, 1), (0, 1))
    assert mtsamples.find_frequent([document], frozenset({"foley"})) == [("foley", 1)]
    assert mtsamples.count_tagged([document])["DOCTOR"] == (2, 6)


@pytest.mark.skipif(not DATA.is_file(), reason="the shared reports are absent")
def test_notes_of_the_reports() -> None:
    notes = devset.build_notes(DATA, count=20)
    scheme.read_scheme().check(notes)
    assert len(notes) == 20 and all(note.spans for note in notes)


def test_a_bias_is_added_to_the_labels_of_its_type_and_taken_off_the_label_outside() -> None:
    labels = ["O", "B-AGE", "I-AGE", "B-DATE"]
    assert biases.make_bias(biases.parse_row("RECALL=0.5,AGE=-1"), labels).tolist() == [-0.5, -1.0, -1.0, 0.0]
    assert {"DATE": 1.0} in biases.list_rows(labels) and {"RECALL": 0.3} in biases.list_rows(labels)
    with pytest.raises(ConfigurationError, match="--row AGE: wanted TYPE=NUMBER"):
        biases.parse_row("AGE")


def test_runs_of_sibanda_are_read_with_the_spans_of_every_fold(tmp_path: Path) -> None:
    """Without the runs on names of the whole corpus, which would count all other PHI as missed."""
    documents = [Document(id, "Seen by Ruiz") for id in ("1", "2")]
    for run in ("svm-folds", "svm-of-names-folds"):
        for fold, id in enumerate(("1", "2"), 1):
            folder = tmp_path / run / str(fold)
            folder.mkdir(parents=True)
            line = f'{{"id": "{id}", "spans": [[8, 12, "PHI"]]}}\n'
            (folder / "spans.jsonl").write_text(line, encoding="utf-8")
    found = sibanda.read_system_documents(documents, tmp_path)
    assert list(found) == ["svm"]
    assert [document.spans for document in found["svm"]] == [(Span(8, 12, "PHI"),)] * 2


def test_names_are_kept_and_what_has_only_one_class() -> None:
    spans = (Span(0, 4, "DATE"), Span(5, 9, "DOCTOR"), Span(10, 12, "CITY"), Span(13, 15, "PHI"))
    assert sibanda.keep_names(Document("1", "x" * 20, spans)).spans == spans[1:]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("M.D.", "title or credential"),
        ("Foley", "eponym, device, maker"),
        ("3-0", redact_harm.NUMBER),
        ("Quevix", redact_harm.OTHER),
    ],
)
def test_a_false_change_has_a_class(text: str, found: str) -> None:
    assert redact_harm.classify_change(text) == found


def test_few_documents_are_from_the_whole_range() -> None:
    assert redact_harm.spread(range(10), 3) == [0, 3, 7] and redact_harm.spread(range(2), 3) == [0, 1]

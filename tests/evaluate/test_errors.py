"""The kinds of errors, their tables, and the page."""

import itertools
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_counts import check_proportion

from crfdeid.evaluate import calibration, error_analysis, error_page, evaluation
from crfdeid.evaluate.evaluation import EvaluationOptions
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SCHEME = scheme.read_scheme()
TEXT = "Ana Ruiz saw Dr. Tom Nowak on 3/14/61 in <Ames>."


def document(*spans, text=TEXT, id="a"):
    return Document(id, text, tuple(Span(*span) for span in spans))


def find(gold, system, text=TEXT):
    return error_analysis.find_errors([(document(*gold, text=text), document(*system, text=text))])


P, D, DATE = (0, 8, "PATIENT"), (17, 26, "DOCTOR"), (30, 37, "DATE")

# gold, system, then kind and extent of each error
CASES = [
    ([P], [P], []),
    ([P], [], [("missing", "")]),
    ([], [P], [("spurious", "")]),
    ([P], [(0, 8, "DOCTOR")], [("type", "")]),
    ([P], [(0, 3, "PATIENT")], [("extent", "short")]),
    ([P], [(0, 12, "PATIENT")], [("extent", "long")]),
    ([P], [(4, 12, "PATIENT")], [("extent", "short and long")]),
    ([P], [(0, 3, "DOCTOR")], [("type and extent", "short")]),
    # one span for two: neither gold span is missing
    ([P, D], [(0, 26, "PATIENT")], [("extent", "long"), ("type and extent", "long")]),
    # two for one: the second is an extent error too, not a spurious span
    ([P], [(0, 3, "PATIENT"), (4, 8, "PATIENT")], [("extent", "short"), ("extent", "short")]),
    # its own type is preferred, though the other shares more
    ([P], [(0, 7, "DOCTOR"), (7, 8, "PATIENT")], [("type and extent", "short"), ("extent", "short")]),
    # the same ends win over the same type
    ([P], [(0, 8, "DOCTOR"), (0, 3, "PATIENT")], [("type", ""), ("extent", "short")]),
    ([P, DATE], [D], [("missing", ""), ("spurious", ""), ("missing", "")]),
]


@pytest.mark.parametrize(("gold", "system", "wanted"), CASES)
def test_kinds_and_extents(gold, system, wanted):
    assert sorted((m.kind, m.extent) for m in find(gold, system)) == sorted(wanted)


def test_of_two_equal_partners_the_longer_is_chosen():
    both = [(0, 8, "PATIENT"), (0, 7, "PATIENT")]
    (error,) = find(both, [*both, (0, 3, "PATIENT")])
    assert error.gold == Span(0, 8, "PATIENT")
    (error,) = find([(0, 5, "CITY")], [(2, 5, "CITY"), (0, 4, "DATE")])[:1]
    assert error.system == Span(2, 5, "CITY")  # the same type is before more characters
    (error,) = find([D], [(17, 20, "CITY"), (17, 20, "AGE")])[:1]
    assert error.system == Span(17, 20, "CITY")
    (error,) = find([(10, 20, "CITY")], [(0, 16, "DATE"), (17, 30, "AGE")])[:1]
    assert error.system == Span(0, 16, "DATE")  # six characters in common, and not three
    (error,) = find([P], [(0, 3, "PATIENT"), (0, 8, "DOCTOR")])[:1]
    assert error.system == Span(0, 8, "DOCTOR")  # the same ends are before the same type


def test_kinds_and_extents_are_counted_as_in_tables_6_and_8():
    errors = find([P, D], [(0, 3, "PATIENT"), (17, 26, "PATIENT"), DATE])
    assert error_analysis.count_kinds(errors) == {
        "type": 1,
        "extent": 1,
        "type and extent": 0,
        "missing": 0,
        "spurious": 1,
    }
    assert error_analysis.count_extents(errors) == {"PATIENT": {"short": 1, "long": 0, "short and long": 0}}
    assert re.search(r"^type +1 +33\.33%$", error_analysis.format_kinds(errors), re.M)


def test_table_7_counts_right_spans_missing_and_spurious():
    pairs = [(document(P, D, (42, 46, "CITY")), document((0, 3, "PATIENT"), (17, 26, "PATIENT"), DATE))]
    table = error_analysis.count_confusions(pairs, error_analysis.find_errors(pairs), ("PATIENT", "DOCTOR"))
    assert list(table) == ["PATIENT", "DOCTOR", "CITY", "DATE", "spurious"]
    assert table["PATIENT"]["PATIENT"] == 1
    assert table["DOCTOR"] == {"PATIENT": 1, "DOCTOR": 0, "CITY": 0, "DATE": 0, "missing": 0}
    assert table["CITY"]["missing"] == table["spurious"]["DATE"] == 1
    assert sum(sum(row.values()) for row in table.values()) == 4


def test_all_tables_of_errors():
    """Of the first note a name is short, a doctor is a patient, the date is missing, a city is found; of the
    second, the date is missing and the doctor is short."""
    found = [(0, 3, "PATIENT"), (17, 26, "PATIENT"), (42, 46, "CITY")], [P, (17, 20, "DOCTOR")]
    pairs = [(document(P, D, DATE, id=id), document(*spans, id=id)) for id, spans in zip("ab", found)]
    errors = error_analysis.find_errors(pairs)
    assert error_analysis.format_errors(pairs, errors, SCHEME.types) == TABLES
    assert list(error_analysis.count_confusions(pairs, errors, SCHEME.types)) == [
        "PATIENT", "DOCTOR", "CITY", "DATE", "spurious",
    ]  # fmt: skip


TABLES = """\
error             number    share
type                   1   16.67%
extent                 2   33.33%
type and extent        0    0.00%
missing                2   33.33%
spurious               1   16.67%

gold, down             1   2   3  missing
 1 PATIENT             2   .   .        .
 2 DOCTOR              1   1   .        .
   DATE                .   .   .        2
   spurious            .   .   1        .

extent errors               short            long  short and long
DOCTOR                          1               0               0
PATIENT                         1               0               0

most frequent contexts of missing spans
    2  DATE             DOCTOR on _ in <ames>."""


def test_columns_of_confusions_are_as_wide_as_their_numbers():
    pair = document(P), document(P)
    assert error_analysis.format_confusions([pair] * 12345, [], ()) == (
        "gold, down                1\n 1 PATIENT            12345"
    )
    assert error_analysis.format_confusions([], [], ()) == "gold, down          "


def test_contexts_are_of_missing_spans_only_the_most_frequent_first():
    text = "By Dr. Roe " + "x" * 200 + " Ruiz"
    pairs = [(document((7, 10, "DOCTOR"), (212, 216, "DOCTOR"), text=text), document(text=text))]
    found = error_analysis.count_missed_contexts(pairs, error_analysis.find_errors(pairs))
    long = f"_ {'x' * 79}"  # 80 characters at most, not the whole of a long word
    assert found == [("DOCTOR", f"by dr. {long}", 1), ("DOCTOR", f"{'x' * 79} _", 1)]
    text = "Ruiz. Roe, Ana"
    pairs = [
        (document((0, 4, "DOCTOR"), (6, 9, "DOCTOR"), (11, 14, "DOCTOR"), text=text), document(text=text))
    ]
    found = error_analysis.count_missed_contexts(pairs, error_analysis.find_errors(pairs))
    assert [words for _, words, _ in found] == ["DOCTOR , _", "DOCTOR . _ , DOCTOR", "_ . DOCTOR"]  # by name
    short = [(document(P), document((0, 3, "PATIENT")))]
    assert error_analysis.count_missed_contexts(short, error_analysis.find_errors(short)) == []


def test_twenty_contexts_are_listed():
    texts = [f"{chr(97 + n)} Roe" for n in range(22)]
    pairs = [(document((2, 5, "DOCTOR"), text=text, id=text), document(text=text, id=text)) for text in texts]
    errors = error_analysis.find_errors(pairs)
    assert len(error_analysis.count_missed_contexts(pairs, errors)) == 20
    assert len(error_analysis.format_contexts(pairs, errors).splitlines()) == 21  # with the title


def test_contexts_show_no_phi_and_no_digits():
    pairs = [(document(P, D, DATE, id=id), document(id=id)) for id in "ab"]
    contexts = error_analysis.count_missed_contexts(pairs, error_analysis.find_errors(pairs))
    assert ("DOCTOR", "saw dr. _ on DATE", 2) in contexts
    assert not any(word in str(contexts) for word in ("Tom", "tom", "Ana", "ana", "14"))


def test_without_errors_the_table_has_zeros():
    assert "missing                0    0.00%" in error_analysis.format_errors(
        [(document(P), document(P))], []
    )


def test_an_error_record_holds_no_text():
    assert "Ana" not in repr(find([P], []))
    assert set(error_analysis.build_rows(find([P], []))[0]) == set(error_analysis.COLUMNS)


spans = st.lists(
    st.builds(
        lambda s, n, t: (s, s + n, t),
        st.integers(0, 40),
        st.integers(1, 8),
        st.sampled_from(("CITY", "DATE")),
    ),
    max_size=6,
)


@given(spans, spans)
def test_every_wrong_span_is_in_an_error_and_no_error_has_two_right_spans(gold, system):
    errors = find(gold, system)
    right = {Span(*span) for span in gold} & {Span(*span) for span in system}
    assert {m.gold for m in errors if m.gold} >= {Span(*span) for span in gold} - right
    assert {m.system for m in errors if m.system} >= {Span(*span) for span in system} - right
    assert not any(m.gold in right and m.system in right for m in errors)
    assert bool(errors) == ({*gold} != {*system})


class Reader(HTMLParser):
    """The tags that are not closed yet, the kinds of errors, and the text of the notes."""

    def __init__(self):
        super().__init__()
        self.open, self.kinds, self.notes, self.inside = [], [], "", False

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in ("meta", "input", "link", "br", "rect"):
            self.open.append((tag, values.get("class")))
        if values.get("class") == "flag":
            self.kinds.append(values["data-kind"])

    def handle_endtag(self, tag):
        if tag != "rect" and self.open:
            assert self.open.pop()[0] == tag

    def handle_data(self, data):
        inside = ("div", "note") in self.open and self.open[-1] != ("b", "flag")
        self.notes += data if inside else ""


def page(gold, system, text=TEXT):
    sides = [[build_scored_document(document(*spans, text=text), SCHEME)] for spans in (gold, system)]
    return "".join(
        error_page.render_page([evaluation.evaluate(*sides, EvaluationOptions(SCHEME, resamples=10))])
    )


@pytest.mark.parametrize(
    "text", [TEXT, '<script>alert(1)</script> & "O\'Neil" <!-- notes -->', "é😀\n\tx" * 12]
)
def test_the_page_shows_the_text_as_it_is(text):
    gold, system = [(0, 8, "PATIENT"), (9, 20, "CITY")], [(4, 12, "DATE"), (15, 18, "CITY")]
    reader = Reader()
    reader.feed(page(gold, system, text))
    assert reader.notes == text
    assert reader.open == []
    reader = Reader()
    reader.feed(page([(4, 12, "DATE")], [(4, 9, "DATE")], text))
    assert reader.notes == text


def test_a_long_type_is_cut_in_the_table_of_types():
    pair = document((0, 3, "X" * 40)), document()
    table = error_analysis.format_confusions([pair], [], ())
    table += error_analysis.format_confusions([pair, (pair[0], pair[0])], [], ())
    assert "X" * 32 in table and "X" * 33 not in table


def test_the_page_marks_each_error_and_each_leak():
    html = page([P, D], [(0, 3, "PATIENT"), DATE])
    reader = Reader()
    reader.feed(html)
    assert reader.kinds == ["extent", "missing", "spurious"]
    assert re.findall(r'class="c0 g leak"[^>]*>([^<]*)<', html) == [" Ruiz", "Tom Nowak"]
    assert re.findall(r'class="c4 s extra"[^>]*>([^<]*)<', html) == ["3/14/61"]


def test_a_note_is_cut_where_spans_begin_and_end():
    text = "Ana Roe & son, 61"
    gold = document((0, 7, "PATIENT"), (15, 17, "AGE"), text=text, id="<a>")
    system = document((0, 3, "DOCTOR"), (10, 13, "DATE"), (15, 17, "AGE"), text=text, id="<a>")
    errors = list(enumerate(error_analysis.find_errors([(gold, system)]), 4))
    assert error_page.render_note(3, gold, system, errors, SCHEME) == (
        '<section id="note-3"><h2>&lt;a&gt; · 2 mistakes</h2><div class=note>'
        '<b class="flag" id="m4" tabindex="-1" data-kind="type and extent" data-type="PATIENT">'
        "short: PATIENT → DOCTOR</b>"
        '<span class="c0 g s" title="gold: PATIENT; system: DOCTOR">Ana</span>'
        '<span class="c0 g leak" title="gold: PATIENT; system: nothing"> Roe</span>'
        " &amp; "
        '<b class="flag" id="m5" tabindex="-1" data-kind="spurious" data-type="DATE">spurious: ∅ → DATE</b>'
        '<span class="c4 s extra" title="gold: nothing; system: DATE">son</span>'
        ", "
        '<span class="c3 g s" title="gold: AGE; system: AGE">61</span>'
        "</div></section>\n"
    )


def test_a_flag_names_the_type_once_where_it_is_right():
    (error,) = find([P], [(0, 3, "PATIENT")])
    assert ">short: PATIENT</b>" in error_page.render_flag(0, error)
    (error,) = find([P], [(0, 8, "DOCTOR")])
    assert ">type: PATIENT → DOCTOR</b>" in error_page.render_flag(0, error)
    (error,) = find([P], [])
    assert ">missing: PATIENT → ∅</b>" in error_page.render_flag(0, error)


def test_a_note_without_a_mistake_can_be_hidden():
    note = document(P)
    assert error_page.render_note(0, note, note, [], SCHEME).startswith(
        '<section id="note-0" class="clean"><h2>a · 0 mist'
    )


def test_boxes_have_the_kinds_with_their_counts_and_the_types():
    html = page([P, D], [(0, 3, "PATIENT"), DATE])
    boxes = re.findall(r'<input type="checkbox" checked name="(\w+)" value="([^"]+)"> ([^<]+)</label>', html)
    assert boxes == [
        ("kind", "type", "type 0"), ("kind", "extent", "extent 1"),
        ("kind", "type and extent", "type and extent 0"), ("kind", "missing", "missing 1"),
        ("kind", "spurious", "spurious 1"),
        ("type", "DATE", "DATE "), ("type", "DOCTOR", "DOCTOR "), ("type", "PATIENT", "PATIENT "),
    ]  # fmt: skip


def test_categories_have_hues_far_from_one_another_and_from_red():
    many = scheme.Scheme("many", {f"C{n}": (f"C{n}",) for n in range(10)})
    rules = re.findall(r"^\.c(\d) { --hue: (\d+); }$", error_page.render_colours(many), re.MULTILINE)
    hues = [int(hue) for _, hue in rules]
    assert [int(number) for number, _ in rules] == list(range(10)) and hues[9] == hues[0]
    around = sorted({0, 360, *hues})
    assert len(around) == 11 and min(b - a for a, b in itertools.pairwise(around)) >= 14
    legend = error_page.render_legend(many).split(" <")
    assert legend[9] == 'span class="g s c9">C9</span>' and len(legend) == 10


def test_the_page_compares_the_first_system_with_the_second():
    """Gold has a name; the first system finds it, the second takes it for a doctor."""
    gold, *systems = ([build_scored_document(document(span), SCHEME)] for span in (P, P, (0, 8, "DOCTOR"), P))
    found = [evaluation.evaluate(gold, side, EvaluationOptions(SCHEME, resamples=0)) for side in systems]
    html = "".join(error_page.render_page(found, ["crf", "rules", "old"], ["more <tables>"]))
    assert "<h1>What went wrong: crf, compared with rules and old</h1>" in html
    assert "The signed number below a count is the change from rules." in html
    assert "<title>gold PATIENT, system PATIENT: 1 (+1)</title>" in html
    assert "<pre>more &lt;tables&gt;</pre>" in html and "PATIENT: 1 (+0)" not in html


@pytest.mark.parametrize(
    ("system", "said"), [([P], "0 mistakes"), ([], "1 mistake<"), ([DATE], "2 mistakes")]
)
def test_the_title_of_a_note_counts_its_mistakes(system, said):
    assert f" · {said}" in page([P], system)


@pytest.mark.parametrize(("corpus", "said"), [("", "1 notes, 1 spans"), ("dev", "dev: 1 notes, 1 spans")])
def test_the_page_names_its_corpus(corpus, said):
    side = [build_scored_document(document(P, text=TEXT), SCHEME)]
    found = evaluation.evaluate(side, side, EvaluationOptions(SCHEME, resamples=0))
    assert error_page.describe_corpus(found, corpus)["corpus"].startswith(said)


def test_the_page_warns_first_and_loads_nothing():
    html = page([P], [P])
    assert html.index('class="warning"') < html.index("<h1>")
    assert not re.search(r"""(src|href)=(?!"#)|url\(|https?://""", html)
    assert "default-src 'none'" in html
    assert "95% interval" in html and "corpus:" in html and "<svg" in html


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --virtual-time-budget=2000 --dump-dom"
)
PLAYED = """<script>
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const seen = [], look = () => seen.push(document.getElementById("place").textContent);
look(); press("n"); press("n"); look(); press("p"); look();
document.querySelector("input[name=kind][value=missing]").click(); look();
document.title = seen.join(";");
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_keys_and_filters_work_in_a_browser(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page([P, D], [(0, 3, "PATIENT"), DATE]).replace("</body>", PLAYED), encoding="utf-8")
    command = [CHROMIUM, *QUIET.split(), f"--user-data-dir={tmp_path / 'profile'}", file.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "<title>3 mistakes;2 of 3;1 of 3;1 of 2</title>" in shown


def test_spans_are_hashed_a_few_times_each(monkeypatch):
    """Not all gold spans for each span of the system."""
    spans = tuple(Span(9 * at, 9 * at + 3, "DATE", 0.5) for at in range(100))
    note, counts, hash_span = Document("1", "x" * 900, spans), [], Span.__hash__
    scored = build_scored_document(note, SCHEME)
    found = evaluation.evaluate([scored], [scored], EvaluationOptions(SCHEME))
    monkeypatch.setattr(Span, "__hash__", lambda span: counts.append(1) or hash_span(span))
    assert len(calibration.collect_probabilities(found)[0]) == 100
    assert len(counts) <= 400


def test_errors_of_a_long_note_are_found_in_proportion_to_its_spans():
    def compare(size: int) -> None:
        gold = [Span(9 * at, 9 * at + 3, "DATE") for at in range(size)]
        system = [Span(9 * at + 1, 9 * at + 4 + at % 3, "DATE") for at in range(size)]
        gold_note, system_note = (Document("1", "x" * 9 * size, tuple(side)) for side in (gold, system))
        errors = error_analysis.find_errors([(gold_note, system_note)])
        assert len(errors) == size and {error.kind for error in errors} == {"extent"}

    check_proportion(compare)


def test_the_page_lists_the_notes_with_mistakes_the_most_first():
    right, short, missed = document(P, id="right"), document(P, id="<short>"), document(P, D, id="missed")
    pairs = [
        (right, right),
        (short, document((0, 3, "PATIENT"), id="<short>")),
        (missed, document(id="missed")),
    ]
    sides = ([build_scored_document(note, SCHEME) for note in side] for side in zip(*pairs))
    found = evaluation.evaluate(*sides, EvaluationOptions(SCHEME, resamples=0))
    page = "".join(error_page.render_page([found]))
    links = re.findall(r'<li><a href="#(note-\d)">(.*?)</a> (\d)</li>', page)
    assert links == [("note-2", "missed", "2"), ("note-1", "&lt;short&gt;", "1")]
    assert all(f'<section id="{place}"' in page for place, *_ in links)

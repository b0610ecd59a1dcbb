"""Corpora made of texts whose PHI was taken out, and the scores on their ambiguous and unseen tokens."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora.token_marks import TokenMark, read_token_marks, render_token_marks
from crfdeid.errors import ConfigurationError, CrfdeidError, DocumentError, FormatError, SchemeError
from crfdeid.evaluate import paper_counts
from crfdeid.synthetic import frames
from crfdeid.synthetic.reidentify import __main__ as reidentify
from crfdeid.synthetic.reidentify import convention, corpus, fill, renaming
from crfdeid.synthetic.reidentify.convention import SourceText, read_source, read_sources
from crfdeid.synthetic.reidentify.corpus import KINDS
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

DATA = Path(__file__).parents[2] / "../shared/data/mtsamples/mtsamples.jsonl"

BODY = (
    "HISTORY: , She is a {age}-year-old woman with a swollen temple and a sharp pain in the chest.  "
    "Dr. X saw her on 3/{day}/2004.  Dr. Y at ABCD General Hospital agreed with Dr. X.,PLAN:,1.  The Foley "
    "comes out.,2.  Ms. ABC will walk daily, rest between meals, and return should breath run short."
)


def report(number: int) -> Document:
    return Document(f"r{number}", BODY.format(age=20 + number % 60, day=1 + number % 28))


@pytest.fixture(scope="module")
def reports() -> list[SourceText]:
    return read_sources(map(report, range(60)), convention.read_convention("mtsamples"))


@pytest.fixture(scope="module")
def made(reports) -> dict[str, list[corpus.ReidentifiedDocument]]:
    return {kind: list(corpus.make_corpus(kind, reports, seed=1)) for kind in KINDS}


def settle(document: Document, *arguments) -> SourceText:
    """The text with its places, which the convention settles."""
    source = read_source(document, *arguments)
    assert source is not None
    return source


def places(text: str, name: str) -> list[tuple[str, str, bool]]:
    known = convention.find_places(text, convention.read_convention(name))
    return [(place.type, text[place.start : place.end], place.replaced) for place in known]


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("mtsamples", "Dr. X saw Mr. ABC in May of 2004", [
            ("DOCTOR", "X", True), ("PATIENT", "ABC", True), ("DATE", "May of 2004", False)]),
        ("mtsamples", "MM/DD/YYYY, age 44, to XYZ Clinic", [
            ("DATE", "MM/DD/YYYY", True), ("AGE", "44", False), ("HOSPITAL", "XYZ Clinic", True)]),
        ("mimic", "[**Known lastname 12**] came on [**2151-7-16**]", [
            ("PATIENT", "[**Known lastname 12**]", True), ("DATE", "[**2151-7-16**]", True)]),
        ("mimic", "Dr. [**Last Name (STitle) **], [**Hospital1 18**]", [
            ("DOCTOR", "[**Last Name (STitle) **]", True), ("HOSPITAL", "[**Hospital1 18**]", True)]),
        ("mimic", "call [**Telephone/Fax (1) 9**], a 67 year old", [
            ("PHONE", "[**Telephone/Fax (1) 9**]", True), ("AGE", "67", False)]),
        ("blanks", "Name: ___  Unit No: ___", [("PATIENT", "___", True), ("MEDICALRECORD", "___", True)]),
        ("blanks", "Dr. [REMOVED] on [REMOVED]", [
            ("DOCTOR", "[REMOVED]", True), ("DATE", "[REMOVED]", True)]),
        ("blanks", "living in [REMOVED]; at the [REMOVED] Health Center", [
            ("CITY", "[REMOVED]", True), ("HOSPITAL", "[REMOVED] Health Center", True)]),
    ],
)  # fmt: skip
def test_a_convention_finds_the_places(name: str, text: str, expected: list) -> None:
    assert places(text, name) == expected


@pytest.mark.parametrize("name", ["mimic", "blanks"])
def test_what_no_rule_settles_is_unsettled(name: str) -> None:
    text = "the [**Odd Thing 3**] of ___ was XX"
    doubts = convention.find_unsettled(
        text, convention.find_places(text, convention.read_convention(name)), convention.read_convention(name)
    )
    assert list(doubts)


def test_doubt_decides_what_is_left() -> None:
    document = Document("d", "A cough.\nHis wife, Zelda, called.\nNo fever.")
    rules = convention.read_convention("mtsamples")
    assert read_source(document, rules, "leave") is None
    assert settle(document, rules, "cut").text == "A cough.\nNo fever."
    assert "Zelda" in settle(document, rules, "keep").text


@pytest.mark.parametrize(
    "table, message",
    [
        ("line_breaks = 'lost'\n[[real]]\ntype='DATE'\npattern='x'", "wanted kept or commas"),
        ("[[plceholder]]\ntype='DATE'", "did you mean placeholder"),
        ("[[real]]\ntype='DATE'\npattern='('", "not a regular expression"),
        ("[[real]]\ntype='DATE'\npattern='<MOTH>'\n[vocabulary]\nMONTH='May'", "did you mean MONTH"),
        ("[[real]]\ntype='DATE'", "a type and a pattern"),
        ("", "no [[placeholder]]"),
        ("[[placeholder]]\ntype='DOCTOR'\npattern='x'\nforms=['lst']", "did you mean last"),
        ("[[placeholder]]\ntype='DOCTOR'\npattern='x'\nforms='last'", "wanted a list"),
        ("[[", "TOML|Expected|Invalid|line"),
    ],
)
def test_a_bad_convention_is_refused(table: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(table)
    with pytest.raises(ConfigurationError) as fault:
        convention.read_convention(path)
    assert re.search(message.replace("[[", r"\[\["), str(fault.value)) and "mine.toml" in str(fault.value)


def test_an_unknown_convention_suggests() -> None:
    with pytest.raises(ConfigurationError, match="did you mean mtsamples"):
        convention.read_convention("mtsample")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_places_changes(kind: str, reports) -> None:
    for host, one in zip(reports, corpus.make_corpus(kind, reports, seed=4, plain=True)):
        document = one.document
        outside, at = [], 0
        for span in document.spans:
            outside.append(document.text[at : span.start])
            at = span.end
        assert [*outside, document.text[at:]] == list(host.texts_between())
        kinds = [(span.type, document.text_of(span)) for span in document.spans]
        assert [type for type, _ in kinds] == [place.type for place in host.places]
        assert {text for type, text in kinds if type in ("DOCTOR", "PATIENT")}.isdisjoint({"X", "Y", "ABC"})


@pytest.mark.parametrize("kind", KINDS)
def test_spans_fit_the_scheme_and_the_text(kind: str, made) -> None:
    documents = [one.document for one in made[kind]]
    scheme.read_scheme().check(documents)
    for one in made[kind]:
        assert len(one.where) == len(one.document.spans) and set(one.where) <= {
            "host",
            "head",
            "foot",
            "mention",
        }
        for span in one.document.spans:
            covered = one.document.text_of(span)
            assert covered == covered.strip() and "{" not in covered
        assert all(0 <= start < end <= len(one.document.text) for start, end in one.source_ranges)


def test_one_placeholder_is_one_person(reports) -> None:
    for one in corpus.make_corpus("reidentified", reports, seed=2, plain=True):
        named = (one.document.text_of(span) for span in one.document.spans if span.type == "DOCTOR")
        first, second, third = ({*renaming.split_words(text)} - renaming.SUFFIXES for text in named)
        assert first & third and not first & second


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(kind: str, reports, made) -> None:
    again = list(corpus.make_corpus(kind, reports, seed=1))
    other = list(corpus.make_corpus(kind, reports, seed=2))
    assert again == made[kind]
    assert [one.document for one in other] != [one.document for one in again]


def test_parts_share_no_document_and_no_name(reports) -> None:
    train, test = (
        list(corpus.make_corpus("reidentified", reports, 1, part, plain=True)) for part in ("train", "test")
    )
    ids = [{one.document.id for one in side} for side in (train, test)]
    assert (
        ids[0] | ids[1] == {host.id for host in reports}
        and not ids[0] & ids[1]
        and len(ids[0]) > len(ids[1]) > 0
    )
    names = [
        {
            one.document.text_of(span).split()[-1].lower()
            for span in one.document.spans
            if span.type == "DOCTOR"
        }
        for one in (*train, *test)
    ]
    names = [set().union(*names[: len(train)]), set().union(*names[len(train) :])]
    assert not names[0] & names[1]


def test_every_ambiguous_word_is_phi_and_not(made) -> None:
    texts = {one.document.id: one.document.text for one in made["ambiguous"]}
    found = [mark for mark in corpus.mark_tokens(made["ambiguous"]) if mark.ambiguous]
    inside = {texts[m.document][m.start : m.end].lower() for m in found if m.type}
    outside = {texts[m.document][m.start : m.end].lower() for m in found if not m.type}
    assert inside == outside and len(inside) > 10
    named = [mark for mark in corpus.mark_tokens(made["ambiguous"]) if mark.type in renaming.NAMES]
    words = [m for m in named if not corpus.is_abbreviation(texts[m.document][m.start : m.end])
             and texts[m.document][m.start : m.end].lower() not in renaming.SUFFIXES]  # fmt: skip
    assert words and all(mark.ambiguous for mark in words)


def test_words_out_of_dictionary_are_in_no_list(made) -> None:
    listed = renaming.read_dictionary()
    assert {"smith", "march", "pneumonia"} <= listed
    texts = {one.document.id: one.document.text for one in made["out-of-dictionary"]}
    found = corpus.mark_tokens(made["out-of-dictionary"])
    named = [mark for mark in found if mark.type in renaming.NAMES | {"CITY"}]
    words = [texts[m.document][m.start : m.end] for m in named]
    full = [
        (m, w)
        for m, w in zip(named, words)
        if not corpus.is_abbreviation(w) and w.lower() not in renaming.words_to_keep(m.type)
    ]
    assert len(full) > 50 and all(mark.unseen and word.lower() not in listed for mark, word in full)


def test_every_form_of_every_type_is_covered(reports) -> None:
    count = -(-len(corpus.list_forms()) // corpus.MENTIONS)
    turns = [
        corpus.choose_mentions(number, part, Random(1))
        for part in ("train", "test")
        for number in range(count)
    ]
    texts = " ".join(frame.text for turn in turns for frame in turn)
    for slot in corpus.read_mentions():
        for form in frames.VARIANTS[slot]:
            assert f"{{{slot}.{form}}}" in texts
    assert {frames.span_type(slot) for slot in corpus.read_mentions()} == set(scheme.read_scheme().types) - {
        "OTHER"
    }
    assert all(len(group) > 1 for group in corpus.read_mentions().values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_documents_with_gold_spans_are_re_identified_too(kind: str, notes) -> None:
    made = list(corpus.make_corpus(kind, read_sources(notes, None), seed=1, plain=True))
    for note, one in zip(notes, made):
        assert [s.type for s in one.document.spans] == [s.type for s in note.spans]
        assert one.document.patient == note.patient and one.document.text.startswith("Seen by Dr. ")
        assert one.document.text_of(one.document.spans[0]) != note.text_of(note.spans[0])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["AGE", "STATE", "CITY", "DATE", "PATIENT", "DOCTOR", "ZIP"]), st.integers(0, 500))
def test_no_surrogate_is_what_it_replaces(type: str, seed: int) -> None:
    first = Document("n", "It is X here", (Span(6, 7, type),))
    made = next(corpus.make_corpus("reidentified", [settle(first, None)], seed, plain=True)).document
    text = made.text_of(made.spans[0])  # what the same seed would give again
    again = Document("n", f"It is {text} here", (Span(6, 6 + len(text), type),))
    other = next(corpus.make_corpus("reidentified", [settle(again, None)], seed, plain=True)).document
    assert other.text_of(other.spans[0]).casefold() != text.casefold()


def test_the_world_has_the_age_and_year_of_the_text() -> None:
    text = "Dr. X saw this 44-year-old woman on 3/4/2004. She is well; her brother is 70 years old."
    host = settle(Document("n", text), convention.read_convention("mtsamples"))
    about = fill.draw_matching_world(host, Random(1), "all")
    assert (about.first_note - about.dob).days // 365.25 == 44
    assert about.first_note.year == 2004 and about.patient.sex == "F"


def test_types_without_surrogates_and_mixed_hosts_are_refused() -> None:
    odd = Document("odd", "Blue eyes", (Span(0, 4, "COLOUR"),))
    with pytest.raises(SchemeError, match="the type at 0-4 has no surrogates"):
        list(corpus.make_corpus("reidentified", read_sources([odd], None), 1))
    both = Document("both", "Ana Ruiz", (Span(0, 8, "PATIENT"), Span(4, 8, "CITY")))
    with pytest.raises(DocumentError, match="overlaps CITY at 4-8; a place has one type"):
        read_sources([both], None)
    with pytest.raises(DocumentError, match="has spans"):
        read_sources([odd], convention.read_convention("mtsamples"))
    with pytest.raises(DocumentError, match="in part test"):
        list(
            corpus.make_corpus(
                "reidentified", read_sources([report(2)], convention.read_convention("mtsamples")), 1, "test"
            )
        )
    with pytest.raises(ConfigurationError, match="did you mean ambiguous"):
        list(corpus.make_corpus("ambigous", [], 1))


@settings(max_examples=60, deadline=None)
@given(st.text("abz eA\n.é😀", min_size=3, max_size=60), st.data())
def test_any_gold_text_keeps_what_is_outside(text: str, data) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    type = data.draw(st.sampled_from(["DOCTOR", "DATE", "CITY", "PHONE", "AGE"]))
    if not text[start:end].strip():
        return
    host = settle(Document("n", text, (Span(start, end, type),)), None)
    for kind in ("reidentified", "out-of-dictionary"):
        document = next(corpus.make_corpus(kind, [host], 1, plain=True)).document
        (span,) = document.spans
        assert document.text[: span.start] + document.text[span.end :] == text[:start] + text[end:]


@given(st.lists(st.tuples(st.sampled_from(["", "PATIENT"]), st.booleans()), min_size=1, max_size=12))
def test_subset_scores_agree_with_counting(tokens: list[tuple[str, bool]]) -> None:
    text = "ab " * len(tokens)
    spans = [Span(3 * n, 3 * n + 2, "PATIENT") for n, (type, _) in enumerate(tokens) if type]
    tagged = [Span(3 * n, 3 * n + 2, "DOCTOR") for n, (_, said) in enumerate(tokens) if said]
    gold, system = Document("d", text, tuple(spans)), Document("d", text, tuple(tagged))
    given = [
        TokenMark("d", 3 * n, 3 * n + 2, type, True, False, "host") for n, (type, _) in enumerate(tokens)
    ]
    (phi, other), = paper_counts.count_tokens([gold], [system], given).tolist()  # fmt: skip
    both = sum(bool(type) and said for type, said in tokens)
    assert phi == [both, sum(said and not type for type, said in tokens), sum(bool(t) > s for t, s in tokens)]
    assert other[1:] == phi[:0:-1] and sum(phi) + other[0] == len(tokens)


def test_a_token_half_covered_is_missed() -> None:
    gold = Document("d", "Ana Ruiz", (Span(0, 8, "PATIENT"),))
    mark = TokenMark("d", 4, 8, "PATIENT", False, True, "host")
    half, whole = gold.with_spans([Span(4, 7, "PATIENT")]), gold.with_spans([Span(2, 8, "CITY")])
    assert paper_counts.count_tokens([gold], [half], [mark])[0, 0].tolist() == [0, 0, 1]
    assert paper_counts.count_tokens([gold], [whole], [mark])[0, 0].tolist() == [1, 0, 0]
    assert "unseen" in paper_counts.format_table([gold], [whole], [mark], resamples=10)


def test_marks_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "tokens.csv"
    given = [TokenMark('a,"b', 0, 3, "CITY", True, False, "host"), TokenMark("b", 4, 5, "", True, False, "")]
    path.write_text("".join(render_token_marks(given)))
    assert read_token_marks(path) == given
    for bad, message in [
        ("x,y\n", "wanted the columns"),
        (",".join(TokenMark._fields) + "\nd,1,x,,0,0,\n", "line 2"),
    ]:
        path.write_text(bad)
        with pytest.raises(FormatError, match=message):
            read_token_marks(path)
    gold = Document("d", "Ana", (Span(0, 3, "PATIENT"),))
    for mark, message in [
        (given[1], "no such document"),
        (TokenMark("d", 0, 9, "", True, False, ""), "leaves the text"),
    ]:
        with pytest.raises(FormatError, match=message):
            paper_counts.count_tokens([gold], [gold], [mark])
    with pytest.raises(FormatError, match="did you mean unseen"):
        paper_counts.select_marks(given, "unsen")


@pytest.fixture
def host_file(tmp_path: Path) -> Path:
    path = tmp_path / "host.jsonl"
    corpora.write(map(report, range(12)), path, "jsonl")
    return path


def test_the_verb_writes_a_corpus_and_its_tokens(host_file: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "corpus"
    arguments = [str(host_file), "--convention", "mtsamples", "--out", str(out), "--kind", "ambiguous"]
    reidentify.main(arguments)
    shown = capsys.readouterr().out
    assert "12 documents" in shown and "DOCTOR" in shown
    documents = list(corpora.read(out))
    known = read_token_marks(tmp_path / "corpus.tokens.csv")
    assert {mark.document for mark in known} <= {document.id for document in documents}
    table = paper_counts.format_table(documents, documents, known, resamples=50)
    assert re.search(r"ambiguous +PHI +\d+ +1.0000 1.0000 1.0000", table)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(CrfdeidError, match="overwrite"):
        reidentify.main(arguments)
    reidentify.main([*arguments, "--overwrite"])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_only_the_named_types_are_labelled(host_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "names.jsonl"
    given = [str(host_file), "--convention", "mtsamples", "--out", str(out), "--format", "jsonl"]
    reidentify.main([*given, "--types", "PATIENT", "DOCTOR", "--documents", "5"])
    documents = list(corpora.read(out))
    assert len(documents) == 5
    assert {span.type for document in documents for span in document.spans} == {"PATIENT", "DOCTOR"}
    with pytest.raises(ConfigurationError, match="did you mean DOCTOR"):
        reidentify.main([*given, "--overwrite", "--types", "DOCTR"])


def test_the_input_is_never_overwritten(host_file: Path, tmp_path: Path) -> None:
    before = host_file.read_bytes()
    for where in (["--out", str(host_file)], ["--out", str(tmp_path / "o"), "--tokens", str(host_file)]):
        with pytest.raises(ConfigurationError, match="the input itself"):
            reidentify.main([str(host_file), "--convention", "mtsamples", *where, "--overwrite"])
    assert host_file.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["host.jsonl"]


def test_texts_without_spans_need_a_convention(host_file: Path, tmp_path: Path, end, capsys) -> None:
    assert end(reidentify.main, host_file, "--out", tmp_path / "out") == 2
    said = capsys.readouterr().err
    assert "--convention" in said and not (tmp_path / "out").exists()
    assert "Foley" not in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["reidentified", "ambiguous", "dictionary"])
def test_the_papers_runs_can_be_read(name: str) -> None:
    pytest.importorskip("gruut_lang_en")
    from crfdeid.ablate import plan

    planned = plan.read_plan(f"sibanda_{name}")
    assert planned.fold_count == 10 and [run.name for run in planned.runs] == [
        "CRF",
        "CRF, local context",
        "SVM",
        "H+D",
        "Rules",
        "IFinder",
        "SNoW",
        "SVM of names",
        "SNoW of names",
    ]


def test_what_the_benchmarks_count(made, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    pytest.importorskip("faker")
    import reidentify as benchmark
    import sibanda

    test = made["reidentified"]
    documents = [one.document for one in test]
    for document, one in zip(benchmark.keep_own_text(documents, test), test):
        kept = [where for span, where in zip(one.document.spans, one.where) if span in document.spans]
        assert kept and set(kept) == {"host"} and len(kept) == one.where.count("host")
    named = [sibanda.keep_names(document) for document in documents]
    assert {span.type for document in named for span in document.spans} <= renaming.NAMES | renaming.PLACES
    counts = paper_counts.count_tokens(documents, documents, sibanda.mark_words(documents)).sum(axis=0)
    assert counts[:, 1:].sum() == 0 and counts[:, 0].sum() == len(sibanda.mark_words(documents))


def test_the_papers_table_beside_ours(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import sibanda

    gold = [Document(id, "Ana left", (Span(0, 3, "PATIENT"),)) for id in ("a", "b")]
    for fold, spans in (
        ("1", '{"id": "a", "spans": [[0, 3, "DOCTOR"]]}\n'),
        ("2", '{"id": "b", "spans": []}\n'),
    ):
        (tmp_path / "crf.folds" / fold).mkdir(parents=True)
        (tmp_path / "crf.folds" / fold / "spans.jsonl").write_text(spans)
    runs = sibanda.read_system_documents(gold, tmp_path)
    lines = list(sibanda.format_table(7, gold, runs, sibanda.mark_words(gold)))
    assert [line.split()[-3:] for line in lines if line.startswith("ours   ")] == [
        ["1.000", "0.500", "0.667"],
        ["0.667", "1.000", "0.800"],
    ]


@pytest.mark.skipif(not DATA.is_file(), reason="the shared reports are absent")
def test_the_shared_reports_can_be_re_identified() -> None:
    from itertools import islice

    known = read_sources(islice(corpora.read(DATA), 60), convention.read_convention("mtsamples"), "cut")
    made = list(corpus.make_corpus("ambiguous", known, seed=1))
    scheme.read_scheme().check([one.document for one in made])
    assert len(made) > 40


LIST_WORDS = st.text("bcdfgklmnprstvaeiouy", min_size=2, max_size=14)


@given(LIST_WORDS, st.integers())
def test_shuffled_syllables_have_the_same_letters(word: str, seed: int) -> None:
    """Tafvizi 2011, section 5.1.1: another order of the syllables, and the case of the name."""
    syllables = renaming.split_syllables(word)
    assert "".join(syllables) == word
    found = renaming.shuffle_syllables(word, Random(seed))
    assert sorted(found) == sorted(word)
    assert len(set(syllables)) > 1 or found == word


@pytest.mark.parametrize(("kind", "same"), [("syllables", True), ("no-coreference", False)])
def test_one_person_has_one_name_or_several(kind: str, same: bool) -> None:
    """Section 5.2.1: the surrogates of the obesity corpus have no coreference."""
    rename = KINDS[kind]([])(Random(3))
    assert rename is not None
    names = [rename("Lindqvist", "DOCTOR") for _ in range(12)]
    assert (len(set(names)) == 1) == same
    assert all(name.istitle() for name in names) and rename("LINDQVIST", "DOCTOR").isupper()
    assert rename("St. Mary Hospital", "HOSPITAL").endswith("Hospital")

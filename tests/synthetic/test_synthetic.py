"""Notes written from frames: exact gold, every type, the same bytes for the same seed."""

from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import synthetic
from crfdeid.errors import ConfigurationError
from crfdeid.synthetic import (
    clinical,
    frames,
    generate,
    genres,
    invented,
    noise,
    people,
    places,
    without_sections,
)
from crfdeid.synthetic.__main__ import main
from crfdeid.synthetic.cast import FILLERS, Cast, draw_world
from crfdeid.synthetic.drawing import PARTS, is_in_part, read_list, read_patterns
from crfdeid.synthetic.notes import read_fields
from crfdeid.synthetic.pieces import Piece, build_document, join_pieces
from crfdeid.text import scheme

# Spans in the 790 training notes of i2b2 2014 (Stubbs & Uzuner 2015, table 3).
I2B2_2014 = {
    "PATIENT": 1316, "DOCTOR": 2885, "USERNAME": 264, "PROFESSION": 234, "HOSPITAL": 1437,
    "ORGANIZATION": 124, "STREET": 216, "CITY": 394, "STATE": 314, "COUNTRY": 66, "ZIP": 212,
    "AGE": 1233, "DATE": 7502, "PHONE": 309, "MEDICALRECORD": 611, "IDNUM": 261,
}  # fmt: skip


@cache
def notes(part="all", count=300, seed=3):
    return tuple(generate(count, seed, part))


def covered(documents, *types):
    return [d.text_of(s) for d in documents for s in d.spans if s.type in types]


# --- gold ----------------------------------------------------------------------------


@pytest.mark.slow
def test_spans_hold_text_without_white_space_at_their_ends():
    assert all(text and text == text.strip() for text in covered(notes(), *scheme.read_scheme().types))


@pytest.mark.slow
def test_spans_do_not_overlap_and_are_of_the_scheme():
    scheme.read_scheme().check(notes())
    for note in notes():
        assert all(a.end <= b.start for a, b in zip(note.spans, note.spans[1:]))


def test_texts_are_legal_in_xml():
    for note in notes():
        assert all(c in "\n\t" or c >= " " for c in note.text) and "\ufffe" not in note.text


@pytest.mark.parametrize("type", scheme.read_scheme().types)
def test_every_type_appears(type):
    if type != "OTHER":
        assert covered(notes(), type), type


def test_proportions_are_near_those_of_2014():
    found = Counter(span.type for note in notes() for span in note.spans)
    for type, wanted in I2B2_2014.items():
        expected = wanted / 790 * len(notes())
        assert expected / 2 < found[type] < expected * 2.5, (type, found[type], expected)


def test_most_of_a_note_is_not_phi():
    inside = sum(s.end - s.start for n in notes() for s in n.spans)
    assert inside / sum(len(n.text) for n in notes()) < 0.12


def test_titles_credentials_and_possessives_stay_outside():
    for name in covered(notes(), "DOCTOR", "PATIENT"):
        assert not name.lower().startswith(("dr. ", "mr. ", "mrs. ", "ms. ")) and not name.endswith(
            ("M.D.", "'s")
        )
    assert all(len(age) < 25 and "old" not in age for age in covered(notes(), "AGE"))


# --- the room ------------------------------------------------------------------------


def test_releasing_real_notes_never_imports_the_generator():
    folder = Path(synthetic.__file__).parents[1] / "redact"
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    assert len(sources) > 10 and not any("crfdeid.synthetic" in source for source in sources)
    assert not any("import synthetic" in source for source in sources)


# --- determinism and parts ----------------------------------------------------------


def test_a_note_depends_only_on_the_seed_and_its_position():
    assert list(generate(5, 3)) == list(notes()[:5])
    assert list(generate(5, 4)) != list(notes()[:5])


def test_patients_have_some_notes():
    counts = Counter(note.patient for note in notes())
    assert max(counts.values()) > 1 and len({note.id for note in notes()}) == len(notes())


@pytest.mark.parametrize("kind", ["hospital", "organization", "location"])
def test_places_of_the_parts_are_disjoint(kind):
    make = getattr(places, f"draw_{kind}")
    made = {part: {str(make(Random(n), part)) for n in range(40)} for part in ("train", "test")}
    assert not made["train"] & made["test"]


def test_names_of_the_parts_are_disjoint():
    last = {
        part: {draw_world(Random(n), part).patient.last.lower() for n in range(150)}
        for part in ("train", "test")
    }
    assert not last["train"] & last["test"]
    assert all(is_in_part(name, part) for part in last for name in last[part])


def test_held_out_genres_are_only_in_test():
    kinds = genres.select_genres(())
    assert not any(genre.held_out for _, genre in genres.weigh_genres(kinds, "train"))
    assert sum(genre.held_out for _, genre in genres.weigh_genres(kinds, "test")) >= 3
    assert len(kinds) >= 13


def test_a_third_of_surnames_is_in_no_list():
    known = {name.lower() for name in (*read_list("surnames"), *read_list("common_surnames"))}
    drawn = [people.draw_surname(Random(n), "all").lower() for n in range(400)]
    assert 0.2 < sum(name not in known for name in drawn) / 400 < 0.6


def test_dates_have_forty_shapes():
    shapes = {shape for kind in frames.DAY for _, shape in read_patterns()[kind]}
    assert len(shapes) >= 40


# --- frames, layouts, slots ---------------------------------------------------------


def test_every_slot_and_variant_renders():
    cast = Cast(draw_world(Random(1), "all"), Random(1), draw_world(Random(1), "all").first_note)
    for name, variants in frames.VARIANTS.items():
        for variant in ("2-40",) if variants == ("*",) else (None, *variants):
            assert FILLERS[name](cast, variant).strip(), (name, variant)
    assert set(FILLERS) == set(frames.VARIANTS)


@pytest.mark.parametrize("name", ["bait", "devices", "instruments", "things"])
def test_the_frames_of_what_only_looks_like_phi_have_no_phi(name):
    path = Path(synthetic.__file__).parent / "frames" / f"{name}.txt"
    assert [frame.text for _, frame in frames.read_file(path) if frame.types] == []


@pytest.mark.parametrize("kind", invented.SHARE)
def test_an_invented_term_has_no_hole_and_is_mostly_in_no_list(kind):
    rng = Random(4)
    terms = {invented.fill_words(clinical.draw_measurement(kind, rng), rng) for _ in range(200)}
    assert not [term for term in terms if set(term) & set("{}[]|")]
    assert len(terms) > 100 and len(terms - set(read_list(kind))) > 0.9 * len(terms)


def test_every_slot_is_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "synthetic.md").read_text(encoding="utf-8")
    assert [name for name in frames.VARIANTS if name not in text] == []


def test_every_shipped_frame_and_block_is_read():
    assert sum(map(len, frames.read_sections().values())) > 10
    assert {"head", "foot", "table"} <= set(frames.read_blocks())


@pytest.mark.parametrize("kind", ["head", "foot"])
def test_every_field_is_read_and_renders(kind):
    about = draw_world(Random(2), "all")
    cast = Cast(about, Random(2), about.first_note)
    assert all(labels and join_pieces(cast.render(value)) for labels, value in read_fields(kind))


def test_every_section_has_frames_and_headings():
    known = genres.select_genres(())
    wanted = {section for genre in known for section, _, _ in genre.sections}
    headed = {s for genre in known if genre.layout in ("report", "article") for s, _, _ in genre.sections}
    assert wanted - set(frames.read_sections()) == {"records"}
    assert headed - {"letter"} <= set(genres.read_headings())


@pytest.mark.parametrize(
    "text, message",
    [
        ("{patiant.full} left", "x.txt:3: patiant: no such slot; did you mean patient?"),
        ("{patient.fulll} left", "x.txt:3: patient.fulll: no such variant; did you mean full?"),
        ("{drug.full}", "x.txt:3: drug.full: no such variant"),
        ("{number} mg", "x.txt:3: {number} needs a range, as in {number:2-40}"),
        ("{patient left", "x.txt:3: a brace that belongs to no slot; wanted {slot} or {slot.variant}"),
    ],
)
def test_a_bad_frame_is_named(text, message):
    with pytest.raises(ConfigurationError) as caught:
        frames.parse_frame(text, "x.txt:3")
    assert str(caught.value) == message


def test_a_frame_before_any_section_is_refused(tmp_path):
    (tmp_path / "x.txt").write_text("# nothing\nHe left.\n")
    with pytest.raises(ConfigurationError, match="x.txt:2"):
        list(frames.read_file(tmp_path / "x.txt"))


def rendered(text, seed=5):
    about = draw_world(Random(seed), "all")
    return Cast(about, Random(seed), about.first_note).render(frames.parse_frame(text, "here"))


def test_only_the_value_is_the_span():
    typed = [
        piece
        for piece in rendered("Dr. {doctor.last}'s {age}-year-old [patient|patient] {Patient.last}")
        if piece.type
    ]
    assert [piece.type for piece in typed] == ["DOCTOR", "AGE", "PATIENT"]


def test_brackets_without_a_bar_are_literal():
    assert join_pieces(rendered("[sic] {number:3-3} [a|a]")) == "[sic] 3 a"


def test_capitals_of_slots():
    assert join_pieces(rendered("{He} {he}")) in ("He he", "She she")


@pytest.mark.parametrize(
    "number, word",
    [(1, "one"), (19, "nineteen"), (45, "forty-five"), (90, "ninety"), (101, "one hundred one")],
)
def test_ages_in_words(number, word):
    assert clinical.spell_number(number) == word


# --- noise --------------------------------------------------------------------------

PIECES = st.lists(
    st.builds(
        Piece, st.text("aB1 .,\n-é", min_size=1, max_size=12), st.sampled_from([None, None, "DATE", "DOCTOR"])
    ),
    max_size=12,
)
EDITS = {
    "upper": lambda pieces, rng: noise.to_upper(pieces),
    "doubled": lambda pieces, rng: noise.double_spaces(pieces),
    "slips": lambda pieces, rng: noise.add_typos(pieces, rng, 0.5),
    "lost": lambda pieces, rng: noise.drop_spaces(pieces, rng, 0.5),
    "together": lambda pieces, rng: noise.run_together(pieces, rng, 0.5),
    "wrapped": lambda pieces, rng: noise.wrap_lines(pieces, 9),
    "flattened": noise.flatten,
    "typed": noise.add_slips,
}
MISTAKES = {
    "typos": lambda pieces, rng: noise.add_typos_anywhere(pieces, rng, 0.5),
    "misread": lambda pieces, rng: noise.misread(pieces, rng, 0.5),
    "writing": noise.vary_writing,
    "all": noise.add_noise,
}


def spans_of(pieces):
    """The texts of the spans without white space or case, which no edit may change."""
    note = build_document(pieces, "n")
    return "".join("".join(note.text_of(span).upper().split()) for span in note.spans)


@pytest.mark.parametrize("edit", EDITS)
@settings(max_examples=40)
@given(pieces=PIECES, seed=st.integers(0, 99))
def test_no_edit_moves_a_span(edit, pieces, seed):
    assert spans_of(EDITS[edit](pieces, Random(seed))) == spans_of(pieces)


@pytest.mark.parametrize("edit", MISTAKES)
@settings(max_examples=40)
@given(pieces=PIECES, seed=st.integers(0, 99))
def test_a_mistake_inside_a_span_stays_inside_it(edit, pieces, seed):
    before, after = (build_document(p, "n").spans for p in (pieces, MISTAKES[edit](pieces, Random(seed))))
    types = ([type for type, _ in groupby(span.type for span in spans)] for spans in (before, after))
    assert next(types) == next(types)  # neighbours of one type: a line end that becomes a space joins names


def test_a_scanner_misreads_names_and_numbers_too():
    pieces = [Piece("seen by Dr. "), Piece("Burns", "DOCTOR"), Piece(" on "), Piece("03/17/2061", "DATE")]
    found = [noise.misread(pieces, Random(seed), 0.1) for seed in range(40)]
    assert {len({note[number].text for note in found}) > 9 for number in (0, 1, 3)} == {True}
    assert noise.misread(pieces, Random(1), 0.0) == pieces


def test_every_kind_of_writing_has_its_share():
    pieces = [Piece("Seen in the clinic with "), Piece("Ana Ruiz", "PATIENT"), Piece(" and others. " * 20)]
    texts = [join_pieces(noise.vary_writing(pieces, Random(seed))) for seed in range(400)]
    shares = {
        "upper": sum(text.isupper() for text in texts) / 400,
        "lower": sum(text.islower() for text in texts) / 400,
        "plain": sum(text == join_pieces(pieces) for text in texts) / 400,
    }
    assert 0.07 < shares["upper"] < 0.15 and 0.1 < shares["lower"] < 0.18 and 0.6 < shares["plain"] < 0.75


def test_wrapping_keeps_tables():
    table = [Piece("Sodium      140      141     and a line that goes on and on")]
    assert noise.wrap_lines(table, 20) == table


# --- the verb -----------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_notes_are_written(tmp_path, part):
    main(["--documents", "2", "--seed", "1", "--out", str(tmp_path / "c"), "--part", part])
    assert len(list((tmp_path / "c").iterdir())) == 2


@pytest.mark.parametrize(
    "options, message",
    [
        (["--genres", "discarge"], "discarge: no such genre; did you mean discharge?"),
        (["--documents", "0"], "wanted 1 or more"),
    ],
)
def test_bad_options(tmp_path, options, message):
    with pytest.raises(ConfigurationError, match=message.replace("?", r"\?")):
        main(["--out", str(tmp_path / "c"), *options])


@pytest.mark.parametrize("genre", genres.read_genres())
def test_every_genre_can_be_written_alone(genre):
    found = list(generate(12, 1, kinds=(genre,)))
    scheme.read_scheme().check(found)
    assert all(note.text.strip() for note in found) and any(note.spans for note in found)


def test_only_one_genre_is_written():
    found = list(generate(10, 1, kinds=("query",)))
    assert all(len(note.text) < 2000 for note in found)


# --- genres of other rooms ------------------------------------------------------------


def count_spans(genre, count=60):
    found = list(generate(count, 2, kinds=(genre,)))
    return sum(len(note.spans) for note in found) / sum(len(note.text.split()) for note in found)


@pytest.mark.parametrize("genre, most", [("case_report", 0.03), ("dialogue", 0.04), ("consent", 0.25)])
def test_most_words_of_other_rooms_are_not_phi(genre, most):
    assert 0 < count_spans(genre) < most


def test_case_reports_begin_with_an_article_that_is_not_phi():
    found = list(generate(300, 2, kinds=("case_report",)))
    first = [note for note in found if note.text.startswith(("A ", "An ", "We "))]
    assert len(first) > 20 and not any(note.spans and note.spans[0].start == 0 for note in first)


def test_authors_of_references_are_not_phi():
    assert not any(piece.type for piece in rendered("{author}, {author}. {Disease}. {number:1990-2020}."))


def test_most_conversations_are_in_lower_case():
    found = [note.text for note in generate(80, 2, kinds=("dialogue",))]
    assert 0.5 < sum(text == text.lower() for text in found) / len(found) < 0.85
    assert sum("uh" in text.split() or "mm-hmm" in text for text in found) > 20


QUERY = ("query_who", "query_what", "query_when", "query_where")


@pytest.mark.parametrize("section", QUERY)
def test_keywords_of_searches_hold_what_their_name_says(section):
    share = [bool(frame.types) for frame in frames.read_sections()[section]]
    assert not any(share) if section == "query_what" else sum(share) > len(share) / 2


def test_searches_have_a_hundred_topics_without_phi():
    assert sum(not frame.types for frame in frames.read_sections()["queries"]) > 200


@pytest.mark.parametrize("writer", without_sections.WRITERS)
def test_exports_keep_the_spans_of_their_cells(writer):
    cells = [[Piece("Ana, B.", "PATIENT")], [Piece("4.1")], [Piece("2067-03-07", "DATE")]]
    for seed in range(8):
        pieces = writer(["name", "k", "date"], [cells, cells], Random(seed))
        note = build_document(pieces, "n")
        assert [note.text_of(span) for span in note.spans] == ["Ana, B.", "2067-03-07"] * 2


def test_columns_that_go_together_are_beside_each_other():
    """Each run of columns names known ones, and exports have them in this order."""
    labels = [names for names, _ in without_sections.read_columns()]
    for run in without_sections.read_list("column_runs"):
        assert all(any(name in names for names in labels) for name in run.split()), run
    chosen = [[names[0] for names, _ in without_sections.choose_columns(Random(n))] for n in range(80)]
    assert any("street city state zip" in " ".join(columns) for columns in chosen)


def test_the_words_of_frames_are_ordinary():
    words = frames.read_words()
    assert {"pain", "sharp"} <= {*words} and all(word.islower() and 3 <= len(word) <= 8 for word in words)

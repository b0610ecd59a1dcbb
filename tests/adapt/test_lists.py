"""The lists of a site: what they find without training, and where a wrong line is."""

import pytest

from crfdeid import corpora
from crfdeid.adapt import choose, lists
from crfdeid.adapt.__main__ import main
from crfdeid.adapt.ways import LISTS, SHIPPED
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.text.document import Document
from crfdeid.text.scheme import read_scheme

SCHEME = read_scheme()
FORMS = {
    "7 digits": ("4471203", "447120", "44712034", "A4471203"),
    "7 digits, begins with 44": ("4471203", "4571203", "447120"),
    "N2-####": ("N2-4821", "N3-4821", "N2-48219"),
    "C/##/#### X": ("C/12/4821 X", "C/12/4821", "C-12-4821 X"),
}


def write_lists(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_numbers_finds_its_numbers_and_no_others(form):
    entry = lists.read_form("numbers.txt: line 1", f"MEDICALRECORD: {form}", SCHEME)
    terms = lists.build_terms([entry])
    right, *wrong = FORMS[form]
    found = terms.apply(Document("n", f"No {right}, seen."))
    assert [(found.text_of(span), span.type) for span in found.spans] == [(right, "MEDICALRECORD")]
    assert not [text for text in wrong if terms.apply(Document("n", f"No {text}, seen.")).spans]


def test_the_files_are_types_or_what_a_hospital_calls_them(tmp_path):
    folder = write_lists(tmp_path / "lists", staff="Anna Rice\n\n# a comment\n", street="Elm Row\n",
                         clinics="Pell Clinic\n", numbers="ACCOUNT: N2-####\n")  # fmt: skip
    entries = lists.read_lists(folder, SCHEME)
    assert {(type, term) for _, type, term in entries} >= {
        ("DOCTOR", "Anna Rice"), ("STREET", "Elm Row"), ("HOSPITAL", "Pell Clinic")
    }  # fmt: skip
    note = lists.build_terms(entries).apply(Document("n", "RICE, ANNA at pell clinic, N2-4821; ANNA RICE."))
    assert [(note.text_of(span), span.type) for span in note.spans] == [
        ("pell clinic", "HOSPITAL"), ("N2-4821", "ACCOUNT"), ("ANNA RICE", "DOCTOR")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("numbers", "MEDICALRECORD: 7 digits\nMRN 7\n", "line 2: wanted such as MEDICALRECORD"),
        (
            "numbers",
            "MEDICALRECRD: 7 digits\n",
            "line 1: not a type of .*; did you mean MEDICALR",
        ),
        ("numbers", "MEDICALRECORD: 3 digits\n", "line 1: wanted 4 digits or more"),
        ("numbers", "MEDICALRECORD: 4 digits, begins with 4711\n", "line 1: wanted 4 digits or more"),
        ("numbers", "MEDICALRECORD: seven\n", "line 1: wanted a form with 4 digits or more"),
        ("doctors", "Anna Rice\n", "doctors.txt: not a type of scheme i2b2-2014; did you mean DOCTOR"),
        ("doctor", "Anna Rice\nX\n", "line 2: wanted an entry of two letters or more"),
    ],
)
def test_a_wrong_line_says_where(tmp_path, name, text, said):
    folder = write_lists(tmp_path / "lists", **{name: text})
    with pytest.raises(ConfigurationError, match=said) as error:
        lists.build_terms(lists.read_lists(folder, SCHEME))
    assert "Rice" not in str(error.value)


def test_a_folder_without_lists_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no lists; wanted a folder with files such as doctor.txt"):
        lists.read_lists(tmp_path, SCHEME)


@pytest.mark.slow
def test_lists_are_a_way_that_wins_where_they_help_and_the_model_keeps_them(before, notes, tmp_path):
    wrong = [Document(n.id, n.text + "Ref N2-4821.\n", n.spans, n.patient) for n in notes[:6]]
    terms = lists.build_terms([lists.read_form("x", "ACCOUNT: N2-####", SCHEME)])
    assert choose.adapt(before, wrong, lists=terms).way == SHIPPED  # nobody marked the number
    marked = [terms.apply(note) for note in wrong]
    choice = choose.adapt(before, marked, lists=terms)
    assert choose.compute_f1(marked, choice.found[LISTS.name]) == 1 > choose.compute_f1(marked, choice.before)
    folder = write_lists(tmp_path / "lists", numbers="ACCOUNT: N2-####\n")
    corpora.write(marked, tmp_path / "corrected.jsonl", "jsonl")
    options = ["--notes", str(tmp_path / "corrected.jsonl"), "--model", str(before.folder)]
    main([*options, "--lists", str(folder), "--out", str(tmp_path / "site")])
    assert (
        (tmp_path / "site" / model.SITE_TERMS)
        .read_text()
        .endswith("ACCOUNT /(?<!\\w)N2\\-\\d\\d\\d\\d(?!\\w)/\n")
    )
    found = model.load(tmp_path / "site").tag(Document("n", "See N2-9999."))
    assert [found.text_of(span) for span in found.spans if span.type == "ACCOUNT"] == ["N2-9999"]

"""What a redacted note still has that looks like PHI is listed by kind and offset."""

import csv

import pytest
from marked_notes import SECRET, marked, run

from crfdeid import corpora
from crfdeid.redact.leftover.suspicious import KINDS, estimate_probability, find_suspicious
from crfdeid.redact.redactor import Redactor
from crfdeid.text.document import Document


def list_kinds(text: str) -> list[tuple[str, str]]:
    """The kinds of what is suspicious outside the marked spans, with its text."""
    note = marked(text)
    return [(one.kind, note.text[one.start : one.end]) for one in find_suspicious(note)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<MEDICALRECORD 30990453>SMITH", [("glued", "SMITH")]),
        ("<MEDICALRECORD 30990453>Quevixo left", [("glued", "Quevixo")]),
        ("QUEVIXO<MEDICALRECORD 30990453>", [("glued", "QUEVIXO")]),
        ("Quevixo309 left", [("glued", "Quevixo309")]),
        ("ID MR135.", [("glued", "MR135")]),
        ("card 4111-1111-1111-1111", [("check digit", "4111-1111-1111-1111")]),
        ("prescriber AB1234563", [("check digit", "AB1234563")]),
        ("MRN 471903", [("long number", "471903")]),
        ("MRN 32 83 47.", [("long number", "32 83 47")]),
        ("MRN 447-19-02.", [("long number", "447-19-02")]),
        ("MRN 12345678/A", [("long number", "12345678")]),
        ("no. 3/12345678, seen", [("long number", "12345678")]),
        ("ref 12345678ab", [("long number", "12345678")]),
        ("file A12345678.", [("long number", "12345678")]),
        ("lab 44719027a", [("long number", "44719027")]),
        ("call 617.555.0148", [("long number", "617.555.0148")]),
        ("call 1.617.555.0148 now", [("long number", "1.617.555.0148")]),
        ("on 617.5550148, or", [("long number", "617.5550148")]),
        ("tel 555.0148", [("long number", "555.0148")]),
        ("seen 3/7/2061, or", [("date", "3/7/2061")]),
        ("on March 7, 2061", [("date", "March 7, 2061")]),
        ("this 93-year-old man", [("age", "93")]),
        ("her 91st birthday", [("age", "91st")]),
        ("turned 92 today", [("age", "92")]),
        ("a ninety-two year old", [("age", "ninety-two")]),
        ("write to a.b@mail.org now", [("e-mail", "a.b@mail.org")]),
        ("Dr. White said", [("title", "White")]),
        ("Mr. and Mrs. Young", [("title", "Young")]),
        ("signed by White, MD", [("title", "White")]),
        ("nurse Quevixo left", [("title", "Quevixo")]),
        ("page C. Do at noon", [("initials", "C. Do")]),
        ("\nVICKIE/AWG\nD 11/06", [("listed name", "VICKIE"), ("initials", "AWG")]),
        ("\nKKT/DJT\nD 11/06", [("initials", "KKT/DJT")]),
        ("is well. KKT/DJT D 11/06", [("initials", "KKT/DJT")]),
        ("\n<DOCTOR KKT>/DJT\nD 11/06", [("initials", "DJT")]),
        ("O K A F O R", [("spaced letters", "O K A F O R")]),
        ("Pharmacy called re Quevixo, refill", [("unknown word", "Quevixo")]),
        ("Yours,\nMachackova (covering)", [("unknown word", "Machackova")]),
        ("Quevixo, seen", [("unknown word", "Quevixo")]),
        ("Quevixo Rest Home", [("unknown word", "Quevixo")]),
        ("came with Okafor.", [("listed name", "Okafor")]),
        ("lives in Yuma.", [("listed name", "Yuma")]),
        ("SISHU,CARLA", [("unknown word", "SISHU"), ("listed name", "CARLA")]),
        ("the Okafor family", [("listed name", "Okafor")]),
        ("It was noted that Dr.\n8errocal agreed", [("title", "8errocal")]),
        ("call 283-55S-4841 now", [("long number", "283-55S-4841")]),
        ("call I7O-555-4841", [("long number", "I7O-555-4841")]),
        ("open www,nemarnov.example/pt.", [("web address", "www,nemarnov.example/pt")]),
        ("see https://a.example/x, or lab.elm.org", [
            ("web address", "https://a.example/x"), ("web address", "lab.elm.org")]),
        ("Today oRse (the patient) prefers", [("unknown word", "oRse")]),
        ("nurse bill called with a result", [("title", "bill")]),
        ("seen by dr. a. okafor today", [("title", "okafor")]),
        ("copy to quevixo; osriley", [("unknown word", "quevixo"), ("unknown word", "osriley")]),
        ("CC: KERESNA; OSRILEY\nBATCH TWO", [("unknown word", "KERESNA"), ("unknown word", "OSRILEY")]),
        ("page c. okafor at noon", [("initials", "c. okafor")]),
        ("came with okafor.", [("listed name", "okafor")]),
    ],
)  # fmt: skip
def test_what_looks_like_phi_is_suspicious(text, found):
    assert list_kinds(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Dr. <DOCTOR White> said 93 mg of <PATIENT Okafor>'s <DATE 3/7/2061>",
        "<AGE 67>M, <AGE 45>yo, <PATIENT Quevixo>s",
        "CO2 24, T12, L5-S1, HPV16, B12, A1C 7.5, C3-C4, H2O",
        "BP 120/80, 2-0 Vicryl at 10:32, 5 x 3 cm, 1,250 mL",
        "The 89-year-old turned 88; 95 mg, 92 percent, 99th percentile",
        "seen @ 10:30; 17-SEP@10:32",
        "Dr. said; nurse practitioner; Nurse Practitioner",
        "The patient was Placed in Supine position. Estimated blood loss",
        "I saw A. The B. test was negative.",
        "Therefore a Kitner was used, with the LigaSure device in the PACU",
        "Demerol 50 mg and 25 mg of Nubain; Caucasian; the Robinson catheter",
        "SUBACROMIAL AND GLENOHUMERAL SPACE",
        "he takes his own time and will not rest; no fever, no pain, 5 mg of it",
        "pH 7.4, mRNA, eGFR, LifeVest; size 10-12, T10-T12, 5-OH-B12",
        "A word Quevixo that is written small elsewhere: quevixo",
        "0.12345678, 1.23456789, 12.345.678, count 555.0148, 1234567/8",
    ],
)
def test_what_notes_always_have_is_not_suspicious(text):
    assert [one for one in list_kinds(text) if one[1] != "Vicryl"] == []


@pytest.mark.parametrize(
    ("likelier", "other"),
    [
        ("came with Okafor.", "The Equagesic. Feosol (twice"),
        ("lives in Yuma.", "seen in LOC."),
        ("Mrs. Okafor, Ana", "TURTLENECK"),
        ("MRN 471903", "Midas Rex"),
        ("signed by Okafor", "the Okafor was"),
        ("Dr. Quevixo left", "Dr. SHOWS left"),
        ("on 3/7/2061", "Kitner, Kitner"),
    ],
)
def test_what_is_likelier_a_leak_has_a_greater_probability(likelier, other):
    def find_greatest(text: str) -> float:
        note = marked(text)
        return max((estimate_probability(note, one) for one in find_suspicious(note)), default=0.0)

    assert find_greatest(likelier) > 0.3 and find_greatest(likelier) > find_greatest(other)


def test_a_survivor_is_listed_once():
    notes = [marked("<PATIENT Catherine Lund>", "n1"), Document("n2", "Dr. Katherine left", (), "7")]
    found = Redactor(SECRET).redact(notes)[1]
    assert len(found.survivors) == 1 and found.suspicions == ()


def test_the_report_counts_and_the_table_lists_what_is_suspicious(tmp_path, key):
    notes = [marked("<MEDICALRECORD 30990453>QUEVIXO, 471903", "n1"), marked("<DATE 3/7/2061> clear", "n2")]
    corpora.write(notes, tmp_path / "in.jsonl", "jsonl")
    report = tmp_path / "r.json"
    run(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", "--spans", "gold", "--key-file", key,
        "--report", report)  # fmt: skip
    assert '"suspicious": {\n    "long number": 1,\n    "glued": 1\n  }' in report.read_text()
    rows = list(csv.reader((tmp_path / "r.json.survivors.csv").read_text().splitlines()))
    assert rows[0] == ["id", "start", "end", "type", "kind", "probability"]
    assert all(0 < float(row[5]) < 1 for row in rows[1:])
    assert [row[0] + " " + row[4] for row in rows[1:]] == ["n1 glued", "n1 long number"]
    assert {row[4] for row in rows[1:]} <= {*KINDS}

"""The edges of what looks like PHI in a redacted note: each line is a note, with what the search for one kind
finds between brackets. ¶ ends a line, and ``<TYPE text>`` was replaced."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_notes import marked

from crfdeid.redact.leftover.suspicious import KINDS
from crfdeid.redact.leftover.unknown_words import SearchedText
from crfdeid.text.document import Document

EDGES = {
    "e-mail": """
        write [ana.b+c-d@x-y.org] or [a@b]
        [a@b] first
        @b.org, 3 @ 5, x@, ana@1.org, [ana@lakeview.example.org].
    """,
    "web address": """
        [http://a.b/c], [https:/x.y], [www.a.b], [www,a.b]; see [lakeview.org/notes/4].
        [a.org] first
        organ.system, a.comb, [A.COM], [x.gov/a], .edu, note.txt
    """,
    "check digit": """
        [1234567893], 1234567890, 12345678930, x1234567893
        [4111111111111111], [4111 1111 1111 1111], 4111111111111112
        [AB1234563], AB1234564, XAB1234563, AB12345630
        [1M8GDM9AXKP042788], 1M8GDM9AXKP042789, x1M8GDM9AXKP042788
    """,
    "long number": """
        [123456], 12345, 12 345, [12-3456], 1-23456, 123456.5, 123456,7, 1234567/8, .123456, a123456
        [l23-456-78]
        Then [l234-567] came
        [12-34-56], [123 45 678], 1 23 45, [12 3456 7890], 12/34/56, 3.123456
        [l23-456-78], [l234-567], [O1-23-4567], 1O-l2-45, S12-B3-45, x1O-l2-45, xl23-456-78, 12-34, OO-ll-SS
    """,
    "date": """
        [3/7/2061], [03-07-61], [2061-03-07], [7 March 2061], [MARCH 7, 2061]; 3/7, March 7, 13/32/2061, 2061
        [7MAR61] [March 7th 2061], v1.2.34, 1/2 3/4, 120/80/60, x3/7/2061, 3/7/2061/4
    """,
    "age": """
        [90] years, 89 years, [129] years old, 130 years, [95] yrs, [95]y/o, [95] yo, [95] y.o., [95]-year-old
        95.5 years, 95/6 years, .95 years, 1/95 years, 2-95 years, a95 years, 195 years
        aged [95], age: [95], age of: [97], turned [99] , turning [99], age is [99], packaged 95, on page 95
        aged 95%, aged 95 percent, aged 95 degrees, aged 955, aged 95.5
        [95th] birthday, [92nd] b-day, [91st] birthday, 93rd day, 95 th birthday
        [ninety] years, [ninety-two] years, [NINETY-TWO] YEARS, [Ninety three] year old, ninety days
        [ninety]  years, [NINETY]  YEARS, [NINETY] YEARS, [91st]  birthday, [92nd] bday
        [95] yr, 95 yrsx, 95 yearsx, 95 yoghurts
    """,
    "title": """
        Dr. [Quevix], Mr [Quevix], Mrs. Q. [Quevix], MISS [QUEVIX], Prof. [Quevix], Nurse [Quevix], nurse Pain
        Drs. [Quevix], xDr. Quevix, Dr. quevix, Dr. [0kafor], Dr. 0ka, Dr. [Li], Dr.Quevix, Dr. [Smith]
        Dr. Xq, Dr. [Xqz], Dr. [0kar], Mrs. Q.[Quevix], Dr. Doctor
        [Quevix], MD; [Quevix] M.D.; [Quevix], RN, [Quevix] PA-C, [Quevix], Ph.D, [Quevix] DDS, [Quevix], LPN
        [Quevix], CRNA; Pain, MD; Quevix MDX; quevix, MD
        Quevix, Ph.Does; Quevix, CRNAs; Quevix DDSs; Quevix LPNs; Quevix PA-Cs
        [Quevix],  MD; Dr.  [Quevix]; [Quevix], PhD
    """,
    "initials": """
        ¶[JRM/ABC]¶
        ¶[JM/AB]¶
        Well. [JRM/ABC] D 11/17/18
        Well. [JRM/ABC]  D 11/17/18
        ¶[JRM/ ABC] T: 4
        JRM/ABC, x JRM/[ABC]¶
        x R/[ABC]¶
        ¶[JRM/ABC]
        ¶[JRM/ABC]  ¶
        [J. Quevix], [J.Quevix], xJ. Quevix, J. Pain, [J. Smith], j. Quevix
    """,
    "glued": """
        <MEDICALRECORD 123456>quevix, <MEDICALRECORD 123456>Q; <DATE March>Quevix; <MEDICALRECORD 12>[Qu]
        <MEDICALRECORD AB1>[Quevix]; <MEDICALRECORD 1B>Quevix
        [Quevix]<MEDICALRECORD 1B>; Quevix<MEDICALRECORD B1>
        [Smith1234], [1234Smith], Smith12, smith1234, S1234, [Smith1234Brown]
    """,
    "spaced letters": """
        [S M I T H], [S.M.I.T.H], S M I, xS M I T H, [S M I T] Hx, s m i t h
    """,
    "listed name": """
        Quevix met Okafor and [Ruiz]; the okafor, [Lund]
        Then [Ngo] came
        Then Ngo came; the ngo
        [RUIZ]; Ruiz clamp; Ruiz 5 mg; 5 mg of Ruiz; xRuiz
    """,
    "unknown word": """
        Then [Quevixo] came. Quevixo came. The Quevixo was. [Quevixo], Ana
        SUBACROMIAL, Quevixomy, Zimmopril and [Quevixes]; the [oRse]
        Quevixo clamp, Quevixo the clamp, Quevixo 5 mg, [Quevixo] 5 weeks, 5 tablets of Quevixo
        QUEVIXO WAS SEEN. THE QUEVIXO WAS
        An [Quevixo] house; seen: [Quevixo] family
        [Quev], Que, quevixo
        tablets of Quevixo 5
        Then Quevixo-5mg, Quevixo5 ml, Quevixo 1.25 mg, Quevixo 12 cc, Quevixo 1/2 percent, Quevixo 5 unit
        Then Quevixo 5 MG, 5 tablet of Quevixo; 5 MG of Quevixo, 5 mg of the [Quevixo], and [Quevixo] 5 mice
        Then the big [Quevixo] was, then a       Quevixo was
        Then big       [Quevixo] was, then big        Quevixo was
        Then [OQev] came
        THE QUEVIXO WAS¶THRICE
        Then xthe [Quevixo] was, a Quevixo was, the  Quevixo was, then [Quevixo] was
        Well. ("Quevixo was here
        Then Quevixo  clamp, Quevixo big  clamp, Quevixo-clamp, Quevixo big clamp, [Quevixo] big red clamp
        Then Quevixly, Quevixities, Quevixment, Quevixments, Quevixion, Quevixitis, [Quevixitisa], [Quevixlyo]
        Then Quevixscope and Quevixscopes and Quevixgrams and Quevixocytes and [Quevixscopeu]
        Then Quevixgram and Quevixocyte and [Quevixgra]
        The Quevixo was
        The [Quevixo] Was
        THE QUEVIXO THRICE
        THE [QUEVIXO] [ZZYZXO]
    """,
}
CASES = [(kind, line.strip()) for kind, table in EDGES.items() for line in table.splitlines() if line.strip()]


@pytest.mark.parametrize("kind, line", CASES, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(CASES)])
def test_a_search_finds_what_its_line_marks(kind, line):
    line = line.replace("¶", "\n")
    note = marked(re.sub(r"[][]", "", line))
    parts, end = [], 0
    for start, stop in sorted(set(KINDS[kind](SearchedText(note)))):
        if stop > end:  # a search may find the same again, or a part of it
            start = max(start, end)
            parts += [note.text[end:start], f"[{note.text[start:stop]}]"]
            end = stop
    assert "".join([*parts, note.text[end:]]) == marked(line).text


def test_every_kind_has_edges():
    assert EDGES.keys() == KINDS.keys()


@given(st.text() | st.text("019é٣½ \U0001d7d8", max_size=9))
def test_each_digit_of_the_searched_text_is_a_zero(text):
    searched = SearchedText(Document("1", text))
    assert searched.zeros == re.sub(r"\d", "0", searched.text)

"""The quick search for what announces a name, and the forms of repair that a note does not need."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.repair import FORMS, cues, repair_spans
from crfdeid.repair.cues import CUES, NAME, ROLE, Cue, match_cue
from crfdeid.repair.places import EMAIL, URL, read_addresses
from crfdeid.repair.spans import AnchorSearch, JoinedTexts
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

WORDS = """
    Dr. DR Drs. and & Mr. Mrs Miss MS. Ms the his wife daughter, page Call contacted paged CONTACT at on
    x8 (617 signed dictated verified by: ed (MRN: 1234567) (M, 4 (F, (GI) (nephrology) (covering for )
    will was Attending: surgeon : ASST: author:PCP: PT Patient NAME: / | , MD , RN , PA-C , M.D. I, is a
    pleasant 32-year-old 32 year NPI MRN SSN 144-28-7188 1011518115 12345678 Roth RUIZ McCoy O'Neil
    D’Arcy Tae-yang ROTH-Ruiz A. J. He Do Le İs ſigned paGe The None Aa-AAa Ruiz's Mc- mother
    12345678Roth 123456SMITH-Ruiz ٣٣٣٣٣٣ Roth, Roth. ( - ' .
""".split()  # noqa: SIM905
PHRASES = [
    "is a pleasant",
    "is a 32-year-old",
    "signed by",
    "(covering for Roth)",
    "at x8",
    "the wife,",
    "Drs. Roth and",
]
BLANKS = ["", " ", " ", " ", " ", "  ", "\n", "\r\n", "\t", ", "]
PIECES = st.tuples(st.sampled_from([*WORDS, *PHRASES]), st.sampled_from(BLANKS)).map("".join)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def find_plainly(cue: Cue, text: str) -> list[tuple[int, int]]:
    return [match.span("name") for match in re.finditer(cue.pattern, text)]


def find_quickly(cue: Cue, *texts: str) -> list[list[tuple[int, int]]]:
    found: list[list[tuple[int, int]]] = [[] for _ in texts]
    for number, name in cue.find(JoinedTexts(texts)):
        found[number].append(name)
    return found


class CountedText(str):
    """A text that counts how often it is searched as a whole for a character."""

    asked = 0

    def __contains__(self, part):
        self.asked += 1
        return super().__contains__(part)


def test_a_long_text_is_searched_for_apostrophes_once_and_not_at_each_anchor():
    text = CountedText("É. Seen by Dr. Roth, the wife, Ann. " * 20)
    joined = JoinedTexts([text])
    assert sum(len(list(cue.find(joined))) for cue in CUES) >= 20
    assert text.asked == 1


@given(st.lists(TEXTS, max_size=3))
def test_the_quick_search_finds_what_the_whole_patterns_find(texts):
    for cue in CUES:
        assert find_quickly(cue, *texts) == [find_plainly(cue, text) for text in texts], cue.pattern


@pytest.mark.parametrize(
    "text",
    [
        "SIGNED BY ROTH, ANA", "ſigned by Roth, Ana", "Dictated\tby Roth, Ana",
        "I, I, Roth, was",
        "signed by signed by Roth Ruiz",
        "Dr. Roth (GI) will and Ruiz (nephrology) was", "call Page Roth at x8 on x9",
        "the wife, Roth, Ruiz, Ana.",
        "ATTENDING \t:  Roth; PCP:Le, My\n", "Roth  Ruiz is a 32-year-old", "İİ PAGE Roth at x1",
        "1234567Roth 1234567SMITH", "٣٣٣٣٣٣Roth", "Ana Roth, MD, RN, Leo A. Ruiz, PA-C",
    ],
)  # fmt: skip
def test_examples_of_the_quick_search(text):
    assert any(compare_searches(text).values()) or "Dictated" in text


def compare_searches(text):
    """What each cue finds in the text, which must be the same in both searches."""
    wanted = {cue.pattern: find_plainly(cue, text) for cue in CUES}
    assert {cue.pattern: find_quickly(cue, text)[0] for cue in CUES} == wanted
    return wanted


@pytest.mark.parametrize("role", [*ROLE.split("|"), "the pt", "İ author"])
def test_each_role_announces_a_name(role):
    for text in (f"{role}: Roth\n", f"{role.upper()}:Roth", f"{role.title()} \t: Roth"):
        assert any(compare_searches(f"{text} PCP: Roth\n").values())


@pytest.mark.parametrize(
    "relation", ["daughter", "son", "niece", "grandfather", "fiancé", "FIANCEE", "nephew"]
)
def test_each_relation_announces_a_name(relation):
    found = compare_searches(f"his {relation},\n Roth. Her {relation}, Ana Roth, came")
    assert any(found.values())


SIGNS = "abAB1(?é\0 "
ANCHORS = st.lists(st.text(SIGNS.replace("?", "").replace("é", ""), min_size=1), min_size=3, max_size=6).map(
    tuple
)
ANCHORS |= st.just(("0123456789",) * 4)
GROUPS = st.lists(st.lists(ANCHORS, min_size=1, max_size=3), min_size=1, max_size=8)


@given(GROUPS, st.text(SIGNS))
def test_the_search_finds_each_anchor_at_each_place(groups, text):
    """Also where a sign of other letters may be anything; three of them are digits, if they are an anchor."""
    search = AnchorSearch(groups)
    places, found = search.find(text.encode("ascii", "replace"))
    bits = dict(zip(places.tolist(), found.tolist()))
    padded = text + "\0" * search.length
    for number, anchor in enumerate(search.anchors):
        for at in range(len(text)):
            is_here = all(sign in signs or sign in "?é" for sign, signs in zip(padded[at:], anchor))
            is_strange = not padded[at : at + 3].strip("?é") and {*anchor[:3]} != {"0123456789"}
            assert bool(bits.get(at, 0) & (1 << number)) == (is_here and not is_strange)


ADDRESSES = st.sampled_from(
    ["a.ruiz@elm", ".org", "www.", "WWW.elm", "https://", "HTTPſ://", ":/", "?", "elm.info/a", " ", "@", "é"]
)


@given(st.lists(st.lists(ADDRESSES, max_size=6).map("".join), max_size=3))
def test_the_quick_search_finds_all_addresses(texts):
    kinds = ((EMAIL, "EMAIL"), (URL, "URL"))
    assert read_addresses(JoinedTexts(texts)) == [
        [Span(*match.span(), type) for pattern, type in kinds for match in pattern.finditer(text)]
        for text in texts
    ]


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.types])
def test_a_form_leaves_other_types_as_they_are(name):
    form = FORMS[name]
    text = "Dr. 30990453SMITH, Ana at Elm Clinic, Erie MRN 87 30 38 fax 617-555-0101, 617-555-0102 on 3/7"
    cuts = [*range(0, len(text), 7), len(text)]
    for type in {*read_scheme().types} - form.types:
        spans = [Span(a, b, type) for a, b in zip(cuts, cuts[1:])]
        assert list(form.apply(text, spans)) == spans


def test_a_form_is_asked_again_only_after_a_change():
    asked: list[int] = []

    def count(text: str, spans: Sequence[Span]) -> Sequence[Span]:
        asked.append(len(spans))
        return spans

    form = FORMS["trim_marks"]
    counting = type(form)(count, "", "")
    repair_spans(Document("n", "Ana.", (Span(0, 3, "DOCTOR"),)), [counting, form])
    assert asked == [1]
    repair_spans(Document("n", "Ana,", (Span(0, 4, "DOCTOR"),)), [counting, form, counting])
    assert asked == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "piece",
    [
        "Dr. Roth ",
        "the wife, ",
        "Attending: ",
        "Roth (GI) will ",
        "(",
        ":A",
        "1",
        "Roth, MD ",
        "32-year ",
        "page ",
    ],
)
def test_a_note_twice_as_long_has_twice_the_anchors(piece, monkeypatch):
    seen: list[int] = []

    def count_match(patterns, text, low, at):
        seen.append(at)
        return match_cue(patterns, text, low, at)

    monkeypatch.setattr(cues, "match_cue", count_match)

    def count_matches(text):
        seen.clear()
        return sum(len(find_quickly(cue, text)[0]) for cue in CUES) + len(seen)

    assert count_matches(piece * 400) <= 2 * count_matches(piece * 200) + len(CUES)


@pytest.mark.parametrize("start", ["page ", "the wife, ", "Attending: ", "PT ", "", "I, "])
def test_a_chain_of_hyphens_is_read_in_one_way(start):
    """With two ways for each part the search would not end."""
    text = f"{start}{'Aa-' * 60}Aa! (GI)"
    assert [find_quickly(cue, text) for cue in CUES] == [[[]]] * len(CUES)
    assert re.findall(NAME, "Aa-Bb-cc-AAa")[0] == "Aa-Bb-cc-AA"


class CountedSpans(list[Span]):
    """Spans that count how many of them are read."""

    reads = 0

    def __getitem__(self, index):
        self.reads += 1
        return super().__getitem__(index)

    def __iter__(self):
        for span in super().__iter__():
            self.reads += 1
            yield span


@pytest.mark.parametrize(
    "piece", ["<123456>Roth <Leo> ", "<123456Roth> <Leo> ", "<Leo>^<Roth> ", "<Leo>@x.org "]
)
def test_a_form_reads_each_span_a_few_times(piece):
    """A form that reads all spans for each span is slow in a long note."""
    text, spans = "", CountedSpans()
    for part in re.split("[<>]", piece * 2000):
        if part in ("123456", "123456Roth", "Leo", "Roth"):
            spans.append(Span(len(text), len(text) + len(part), "IDNUM" if part[0] == "1" else "DOCTOR"))
        text += part
    for name, form in FORMS.items():
        spans.reads = 0
        list(form.apply(text, spans))
        assert spans.reads < 40 * len(spans), name

"""Each clue of the tables that say whether a found text is PHI where it occurs decides about its sample."""

import pytest
import regex

from crfdeid.redact.surrogates.kinds import is_name
from crfdeid.redact.surrogates.search import PatientSearch, TextIndex
from crfdeid.redact.surrogates.search.clues import (
    LISTED,
    PHI,
    Clue,
    Occurrence,
    find_clue,
    has_name_beside,
    is_phi_here,
    is_worth_listing,
)
from crfdeid.redact.surrogates.search.finder import Mention
from crfdeid.text.document import Span

TABLES = {"PHI": PHI, "LISTED": LISTED}
SAMPLE = regex.compile(r"(?P<type>\w+) (?P<found>[^:]+): (?P<before>[^<]*)<(?P<word>[^>]+)>(?P<after>.*)")


def find_occurrence(clue: Clue) -> Occurrence:
    """The marked occurrence of the clue's sample, found as in a patient's note."""
    sample = SAMPLE.fullmatch(clue.sample.replace("<Ana>", "Ana"))
    text = sample["before"] + sample["word"] + sample["after"]
    search = PatientSearch({sample["type"]: [sample["found"]]}, lambda: text.lower().split())
    mentions = search.finder.find_mentions(TextIndex(text))
    names = [each.span for each in mentions if is_name(each.span.type)]
    starts, ends = {span.start for span in names}, {span.end for span in names}
    place = len(sample["before"]), len(sample["before"] + sample["word"])
    (mention,) = [each for each in mentions if (each.span.start, each.span.end) == place]
    return Occurrence(text, mention, has_name_beside(text, mention.span, starts, ends))


@pytest.mark.parametrize(
    ("table", "name"), [(table, name) for table, clues in TABLES.items() for name in clues]
)
def test_a_clue_decides_about_its_sample(table, name):
    clues = TABLES[table]
    at = find_occurrence(clues[name])
    assert find_clue(clues, at) == name
    mention = Mention(at.span, at.string)
    decided = (
        is_phi_here(at.text, mention, at.beside_name)
        if table == "PHI"
        else is_worth_listing(at.text, mention)
    )
    assert decided is clues[name].answer


def test_what_no_clue_is_about_is_left_and_not_listed():
    at = find_occurrence(PHI["an age in words"])
    mention = Mention(Span(at.span.start, at.span.end, "PROFESSION"), at.string)
    assert find_clue(PHI, Occurrence(at.text, mention)) is None
    assert not is_phi_here(at.text, mention, beside_name=True)

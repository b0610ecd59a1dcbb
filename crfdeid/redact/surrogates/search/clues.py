"""Whether a string that was found is PHI where it occurs, by its capitals and by the words around it.

Two tables decide: :data:`PHI` whether it is replaced, and :data:`LISTED` whether it is shown to people where
it was not replaced. The first clue of a table that holds at an occurrence decides; no clue means no. A name
that is only a name is always PHI. A word that is also an ordinary or medical one is PHI if it is written and
used as a name. Each clue has a sample; a test goes through them clue by clue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.english import GLEASON
from crfdeid.lexicon.letters import fold, word_set
from crfdeid.lexicon.names import TITLES
from crfdeid.lexicon.ordinary import (
    FREQUENT_SHARE,
    LEAST_SHARE,
    PERSON_BEFORE,
    WORD_AFTER,
    find_share,
    is_always_capital,
    is_frequent_name,
    is_ordinary,
    is_seldom_small,
)
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import LAST_FOUR
from crfdeid.redact.surrogates.search.finder import Mention
from crfdeid.redact.surrogates.search.search_strings import NUMBERS, ROADS, SearchString
from crfdeid.text.document import Span

MIN_NUMBER, MIN_DATE, MIN_PLACE = 5, 5, 4  # characters
MIN_LISTED = 4  # characters of a number that is listed
SENTENCE, PHRASE, WORD, DIGITS = 40, 12, 8, 4  # characters beside an occurrence that a clue looks at
AROUND = 80  # characters on each side that say whether a text has capitals
DETERMINER = regex.compile(r"\b(?:the|a|an|this|his|her|no|new|old)\s+$", regex.IGNORECASE)
HOW_MUCH = regex.compile(r"\b(?:little|much|some|no|any|each|every)\s+$", regex.IGNORECASE)
TITLE = regex.compile(rf"\b(?:{'|'.join(TITLES)}|nurse)(?:\.\s*|\s+)$", regex.IGNORECASE)
PATIENT_BEFORE = regex.compile(r"\b(?:pt|patient)\.?\s+$", regex.IGNORECASE)
INITIALS = regex.compile(r"(?<![\p{L}\p{N}.])(?:\p{Lu}\.\s?)+$")  # "A.B. Brown" is not the end of a sentence
SURNAME = regex.compile(r"(?<![\p{L}\p{N}])(\p{Lu}[\p{L}'’-]+),\s?$")  # "Okafor, Ana"
COMMAS = (", ", " , ")
BEFORE_INITIAL = regex.compile(r"\s\p{Lu}\.\s?\p{Lu}")  # "Masha F. Brown"
LONG_NUMBER = regex.compile(r"\d{4}")
BROKEN = regex.compile(r"\p{L}[. ]\p{L}[. ]|-\s*\n")  # spaced letters, a split word
SENTENCE_END = regex.compile(r"(?:^|[.!?:;\n\r\-*#>])[\s\"'(\[]*$")
AFTER = regex.compile(r"(?P<of>['’]s\b|(?<=s)['’](?=\s))?\s*(?P<word>\w*)")  # matches at every offset
YEARS = regex.compile(r"(?:year|yr|y\.?/?o[fm]?\b|y\.o|birth|b-?day)", regex.IGNORECASE)
YEARS_AFTER = regex.compile(r"[-\s]*" + YEARS.pattern, regex.IGNORECASE)
AGED = regex.compile(r"\b(?:age|aged|age\s*(?:of|:|is)|(?:turn(?:ed|s|ing)?))\s*$", regex.IGNORECASE)
SCORE = regex.compile(GLEASON, regex.IGNORECASE)
DEGREES = regex.compile(r"\s*(?:degree|percent|%|°)", regex.IGNORECASE)
ENDING = regex.compile(
    r"(?:\b(?:ending|ends)(?:\s+(?:in|with))?|\blast\s+(?:four|4)(?:\s+digits)?(?:\s+(?:of|are|is))?[\w\s#:]{0,12}|"
    r"[x*]-?)[\s:#]*$",
    regex.IGNORECASE,
)
ACTS = word_set(
    """is was has had says said states stated reports reported denies denied came comes presented presents
    lives lived called calls does did who then developed underwent received went returned complains felt"""
)
FAMILY_ACTS = word_set("say said came come live lived called")
SPEECH = word_set("says said states stated reports reported denies denied complains came lives called asked")
STREET_NEXT = word_set("and at apt apartment for from in near on since unit until where which with")
PLACES = (kinds.STREET, kinds.CITY, kinds.HOSPITAL, kinds.ORGANIZATION, kinds.PLACE, kinds.DEPARTMENT)
IN_ADDRESS = regex.compile(r",\s*$")
ROOM = regex.compile(r"\b(?:room|rm|bed|suite|ste|unit|floor|apt)[\s.:#]*$", regex.IGNORECASE)


def has_name_beside(text: str, span: Span, starts: set[int], ends: set[int]) -> bool:
    """Whether a capitalized word is next to a name, also after a comma; ``starts`` and ``ends`` are the
    offsets of names."""
    if not text[span.start].isupper():
        return False
    if span.start - 1 in ends or span.end + 1 in starts:
        return True
    return any(
        (span.start - len(comma) in ends and text.startswith(comma, span.start - len(comma)))
        or (span.end + len(comma) in starts and text.startswith(comma, span.end))
        for comma in COMMAS
    )


class Occurrence:
    """A mention in its text, as the clues see it. ``beside_name``: another name is next to it."""

    def __init__(self, text: str, mention: Mention, beside_name: bool = False) -> None:
        self.text, self.span, self.string, self.beside_name = text, mention.span, mention.string, beside_name
        self.kind, self.root, self.size = kinds.kind_of(self.span.type), self.string.root, self.string.size

    @cached_property
    def word(self) -> str:
        return self.text[self.span.start : self.span.end]

    @cached_property
    def after(self) -> regex.Match[str]:
        """The possessive ending and the word behind."""
        found = AFTER.match(self.text, self.span.end)
        assert found is not None
        return found

    @property
    def is_capital(self) -> bool:
        return self.word[:1].isupper()

    @property
    def is_titled(self) -> bool:
        return self.word.istitle()

    @property
    def is_ordinary(self) -> bool:
        return is_ordinary(self.root)

    @property
    def is_common(self) -> bool:
        return len(self.root) < 3 or self.root in word_lists.load_lowercase("common_words")

    @property
    def is_medical(self) -> bool:
        return self.root in word_lists.load_lowercase("medical_words", "eponyms", "hospital_words")

    @property
    def is_plural(self) -> bool:
        """Whether the word is longer than the name: "the Smiths" are a family, "the Foley" a catheter."""
        return len(self.word) > len(self.root)

    @property
    def is_all_small(self) -> bool:
        """Whether the text around has no capitals."""
        return self.text[max(0, self.span.start - AROUND) : self.span.end + AROUND].islower()

    def cut_before(self, size: int) -> str:
        return self.text[max(0, self.span.start - size) : self.span.start]

    def follows(self, pattern: regex.Pattern[str], size: int) -> bool:
        """Whether the pattern is in the ``size`` characters before the word, cut off from the rest."""
        return pattern.search(self.cut_before(size)) is not None

    def ends(self, pattern: regex.Pattern[str], size: int) -> bool:
        """As :meth:`follows`, but the pattern sees the text before."""
        return pattern.search(self.text, max(0, self.span.start - size), self.span.start) is not None

    def precedes(self, pattern: regex.Pattern[str]) -> bool:
        return pattern.match(self.text, self.span.end) is not None

    def is_after_patient(self) -> bool:
        """Whether it follows "patient" in small letters or capitals, and the word behind allows a name
        ("pt smith", "Pt SMITH")."""
        is_behind = self.ends(PATIENT_BEFORE, PHRASE) and not self.precedes(WORD_AFTER)
        return is_behind and (self.word.islower() or self.word.isupper())

    @property
    def is_long_capitals(self) -> bool:
        return len(self.root) >= MIN_LISTED and self.word.isupper()

    @property
    def is_loud(self) -> bool:
        """Whether the word is in capitals and the text around is not."""
        around = self.text[max(0, self.span.start - AROUND) : self.span.end + AROUND]
        return self.is_long_capitals and not around.isupper()

    @property
    def is_before_medical(self) -> bool:
        return self.after["word"].lower() in word_lists.load_lowercase("medical_words")

    def is_small_person(self) -> bool:
        """Whether a name in small letters is used as one: it speaks, or somebody saw it."""
        if not self.word.islower() or find_share(self.root) < LEAST_SHARE or self.precedes(WORD_AFTER):
            return False
        return self.after["word"] in SPEECH or self.ends(PERSON_BEFORE, SENTENCE)

    def is_small_street(self) -> bool:
        """Whether it is a numbered street without its kind, in small letters before another word."""
        words, next = self.string.words, self.after["word"]
        is_street = words[0][0].isdigit() and words[-1] not in ROADS and self.word.islower()
        return is_street and next.islower() and next not in STREET_NEXT

    def touches_long_number(self) -> bool:
        end = self.span.end
        return bool(
            LONG_NUMBER.search(self.cut_before(DIGITS)) or LONG_NUMBER.search(self.text[end : end + DIGITS])
        )

    def follows_surname(self) -> bool:
        """Whether a surname with a comma is before it, in capitals as it is."""
        found = SURNAME.search(self.cut_before(SENTENCE))
        return bool(found and found[1].isupper() == self.word.isupper() and not is_ordinary(fold(found[1])))

    @property
    def is_written_as_name(self) -> bool:
        """Whether it has the capitals of a name, or is a long frequent name in capitals."""
        is_long = len(self.root) > MIN_LISTED
        return self.is_titled or (self.word.isupper() and is_long and is_frequent_name(self.root))

    def is_short_name(self) -> bool:
        """Whether a word of two letters (Li, Ng) is a listed name and has the capital of a name."""
        is_name = self.is_titled and not self.is_ordinary and bool(find_share(self.root))
        return is_name and (not self.follows(SENTENCE_END, WORD) or bool(self.after["of"]))


class Clue(NamedTuple):
    """The answer for an occurrence of these ``kinds`` where the clue ``holds``. The ``sample`` has the type
    and the text of what was found, and a text in which this clue decides about <the occurrence>."""

    kinds: tuple[str, ...]
    answer: bool
    holds: Callable[[Occurrence], bool]
    sample: str


def holds_always(at: Occurrence) -> bool:
    return True


AGES, DATES, NAMES, ROOMS, STATES = (kinds.AGE,), (kinds.DATE,), (kinds.NAME,), (kinds.ROOM,), (kinds.STATE,)
STREETS = (kinds.STREET,)
WORDS = (*NAMES, *PLACES)
ANY = (*kinds.TYPES, kinds.UNKNOWN)

PHI: dict[str, Clue] = {
    "a misspelling that is another word": Clue(ANY, False, lambda at: at.string.doubtful,
        "PATIENT Johanson: saw <Johansen> today"),
    "an age in words": Clue(AGES, True, lambda at: not at.string.words[0][0].isdigit(),
        "AGE ninety-three: turned <ninety-three>"),
    "a number with years": Clue(AGES, True,
        lambda at: at.precedes(YEARS_AFTER) or bool(YEARS.search(at.text, at.span.start, at.span.end)),
        "AGE 93: a <93>-year-old man"),
    "a number after age, without another unit": Clue(AGES, True,
        lambda at: at.ends(AGED, PHRASE) and at.word[-1].isdigit() and not at.precedes(DEGREES),
        "AGE 93: aged <93>"),
    "a number that is not an age": Clue(AGES, False, holds_always, "AGE 93: pulse <93>"),
    "a long number": Clue(NUMBERS, True, lambda at: at.size >= MIN_NUMBER, "IDNUM 4471902: MRN <447-1902>"),
    "the last four digits, called so": Clue(NUMBERS, True,
        lambda at: at.size == LAST_FOUR and at.ends(ENDING, SENTENCE), "IDNUM 4471902: ending in <1902>"),
    "a short number": Clue(NUMBERS, False, holds_always, "IDNUM 4471902: in <1902> he"),
    "a date with digits": Clue(DATES, True,
        lambda at: len(at.word) >= MIN_DATE and any(map(str.isdigit, "".join(at.string.words))),
        "DATE 3/7/2061: on <March 7, 2061>"),
    "a short date, or one without digits": Clue(DATES, False, holds_always, "DATE 3/7: ratio <3/7>"),
    "a short place in small letters": Clue(PLACES, False,
        lambda at: at.size < MIN_PLACE and not at.string.capitals, "CITY Rye: in <Rye> bread"),
    "a numbered street in small letters before a word": Clue(STREETS, False,
        lambda at: at.is_small_street(), "STREET 12 Elm Street: saw <12 elm> trees"),
    "a place of several words, or with digits": Clue(PLACES, True, lambda at: not at.root.isalpha(),
        "HOSPITAL Elm Valley Clinic: at <elm valley clinic>"),
    "beside a name": Clue(WORDS, True, lambda at: at.beside_name, "PATIENT Ana May: <May>, <Ana>"),
    "behind a title": Clue(WORDS, True, lambda at: at.follows(TITLE, PHRASE),
        "PATIENT Ana Foley: by nurse <foley>"),
    "a score": Clue(NAMES, False, lambda at: at.root == "gleason" and at.precedes(SCORE),
        "PATIENT Paul Gleason: had <Gleason> 4+3"),
    "a month or weekday": Clue(WORDS, False, lambda at: at.root in word_lists.load_lowercase("dates"),
        "PATIENT Ana May: last <May> he"),
    "a short name": Clue(WORDS, True, lambda at: len(at.root) < 3 and at.is_short_name(),
        "PATIENT Ana Ng: and <Ng> came"),
    "a short word": Clue(WORDS, False, lambda at: len(at.root) < 3, "PATIENT Ana Ng: an <NG> tube"),
    "only a name": Clue(WORDS, True, lambda at: not at.is_ordinary, "PATIENT Ana Okafor: saw <okafor>"),
    "spaced letters, or split at the end of a line": Clue(WORDS, True,
        lambda at: at.is_capital and bool(BROKEN.search(at.word)), "PATIENT Ana Foley: the <F O L E Y> file"),
    "behind initials": Clue(WORDS, True, lambda at: at.is_capital and at.follows(INITIALS, SENTENCE),
        "PATIENT Ana Brown: by A.B. <Brown>"),
    "before an initial": Clue(WORDS, True, lambda at: at.is_capital and at.precedes(BEFORE_INITIAL),
        "PATIENT Rose Eze: <Rose> F. Kim"),
    "touches a long number": Clue(WORDS, True, lambda at: at.is_capital and at.touches_long_number(),
        "PATIENT Ana Brown: 4471<BROWN>"),
    "behind a surname and a comma": Clue(WORDS, True, lambda at: at.is_capital and at.follows_surname(),
        "PATIENT Rose Eze: for Okafor, <Rose>"),
    "a frequent name behind patient": Clue(WORDS, True,
        lambda at: at.is_after_patient() and find_share(at.root) >= FREQUENT_SHARE,
        "PATIENT Ana Brown: pt <brown>, seen"),
    "a name in capitals behind patient": Clue(WORDS, True,
        lambda at: at.is_loud and at.is_after_patient() and not at.is_before_medical,
        "PATIENT Ana Foley: Pt <FOLEY> came"),
    "a rare name behind patient": Clue(WORDS, False, lambda at: at.is_after_patient(),
        "PATIENT Ana Foley: pt <foley>, seen"),
    "a thing that is measured": Clue(NAMES, False,
        lambda at: at.is_ordinary and at.word.islower() and at.follows(HOW_MUCH, WORD),
        "PATIENT Joy Eze: There is little <joy> Here"),
    "a name that is never written small": Clue(NAMES, True,
        lambda at: at.word.islower() and is_always_capital(at.root), "PATIENT Mary Eze: saw <mary> There"),
    "no capital": Clue(WORDS, False, lambda at: not at.is_written_as_name, "PATIENT Ana Foley: the <foley>"),
    "a family that acts": Clue(WORDS, True,
        lambda at: at.is_medical and at.is_plural and at.after["word"] in FAMILY_ACTS,
        "PATIENT Ana Foley: The <Foleys> came"),
    "a thing, by its determiner": Clue(WORDS, False,
        lambda at: at.is_medical and not at.is_plural and at.follows(DETERMINER, WORD),
        "PATIENT Ana Foley: has a <Foley>"),
    "before a medical word": Clue(WORDS, False,
        lambda at: at.is_medical and at.is_before_medical,
        "PATIENT Ana Foley: with <Foley> catheter"),
    "a capital inside a sentence": Clue(WORDS, True, lambda at: not at.follows(SENTENCE_END, WORD),
        "PATIENT Ana Foley: saw <Foley> there"),
    "possesses or acts": Clue(WORDS, True, lambda at: bool(at.after["of"]) or at.after["word"] in ACTS,
        "PATIENT Will Eze: Seen. <Will> was"),
    "a frequent name that begins a sentence": Clue(WORDS, True, lambda at: is_frequent_name(at.root),
        "PATIENT Ana Burns: Seen. <Burns> in"),
    "a word that begins a sentence": Clue(WORDS, False, holds_always, "PATIENT Ana Foley: Seen. <Foley> in"),
}  # fmt: skip
LISTED: dict[str, Clue] = {
    "a state in an address": Clue(STATES, True,
        lambda at: bool(at.string.capitals) and at.follows(IN_ADDRESS, PHRASE), "STATE MA: Dunmore, <MA>"),
    "an abbreviation of a state": Clue(STATES, False, lambda at: bool(at.string.capitals),
        "STATE MA: her <MA> said"),
    "a short room, called so": Clue(ROOMS, True, lambda at: at.size < MIN_LISTED and at.follows(ROOM, PHRASE),
        "ROOM 12: in room <12>"),
    "the number of a short room": Clue(ROOMS, False, lambda at: at.size < MIN_LISTED,
        "ROOM 12: for <12> days"),
    "a short number": Clue(NUMBERS, False, lambda at: at.size < MIN_LISTED, "IDNUM 123: took <123> of"),
    "no word of the language": Clue(ANY, True,
        lambda at: not at.root.isalpha() or not (at.size < 3 or at.is_ordinary),
        "PATIENT Ana Okafor: saw <okafor>"),
    "a capital inside a sentence": Clue(ANY, True,
        lambda at: at.is_titled and not at.ends(SENTENCE_END, WORD), "PATIENT Ana Foley: a <Foley> here"),
    "a long word in a text without capitals": Clue(ANY, True,
        lambda at: not at.is_capital and at.is_all_small and len(at.root) > MIN_LISTED,
        "PATIENT Ana Foley: a <foley> here"),
    "a name in a text without capitals": Clue(ANY, True,
        lambda at: not at.is_capital and at.is_all_small and find_share(at.root) >= LEAST_SHARE,
        "PATIENT Rose Eze: a <rose> here"),
    "a name behind patient": Clue(ANY, True,
        lambda at: at.is_after_patient() and (find_share(at.root) >= LEAST_SHARE or at.word.isupper()),
        "PATIENT Mark Eze: The pt <mark>, here"),
    "a name in small letters, used as one": Clue(NAMES, True, lambda at: at.is_small_person(),
        "PATIENT Mark Eze: We saw <mark> today"),
    "a name that is seldom written small": Clue(NAMES, True,
        lambda at: at.word.islower() and find_share(at.root) >= LEAST_SHARE and is_seldom_small(at.root),
        "PATIENT Rose Eze: The <rose> here"),
    "small letters": Clue(ANY, False, lambda at: not at.is_capital, "PATIENT Mark Eze: The <mark> here"),
    "a name that people bear": Clue(ANY, True, lambda at: find_share(at.root) >= LEAST_SHARE,
        "PATIENT Rose Eze: A <ROSE> here"),
    "in capitals, where the text is not": Clue(NAMES, True, lambda at: at.is_loud,
        "PATIENT Ana Kaplan: A <KAPLAN> here"),
    "no common word": Clue(ANY, True,
        lambda at: (at.is_titled or at.is_long_capitals) and not at.is_common,
        "PATIENT Ana Crohn: <Crohn> here"),
    "a word": Clue(ANY, False, holds_always, "CITY Rye: <RYE> BREAD"),
}  # fmt: skip


def find_clue(clues: Mapping[str, Clue], at: Occurrence) -> str | None:
    """Return the name of the clue that decides at an occurrence."""
    return next((name for name, clue in clues.items() if at.kind in clue.kinds and clue.holds(at)), None)


def is_phi_here(text: str, mention: Mention, beside_name: bool) -> bool:
    """Whether a mention is certain enough to be PHI that it is replaced."""
    name = find_clue(PHI, Occurrence(text, mention, beside_name))
    return name is not None and PHI[name].answer


def is_worth_listing(text: str, mention: Mention) -> bool:
    """Whether a mention that was not replaced may be PHI: words of the language, abbreviations and short
    numbers that only look like a found text are not."""
    name = find_clue(LISTED, Occurrence(text, mention))
    return name is not None and LISTED[name].answer


def is_distinctive(string: SearchString) -> bool:
    is_word = is_ordinary(string.root) and not (string.size > MIN_LISTED and is_frequent_name(string.root))
    return not is_word and string.root not in word_lists.load_lowercase("dates")

"""Search a patient's notes for texts that were found in one of them.

A text that the tagger found once and missed elsewhere is found again, unless it may be another word there. A
name that is also a word ("May", "Rice", "Foley") counts as PHI only if it is written and used as a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import regex

from crfdeid.lexicon.letters import SimilarNames, pluralize
from crfdeid.lexicon.ordinary import is_ordinary, is_rare_word
from crfdeid.lexicon.word_lists import is_listed
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.kinds import is_name
from crfdeid.redact.surrogates.search.clues import (
    MIN_NUMBER,
    has_name_beside,
    is_distinctive,
    is_phi_here,
    is_worth_listing,
)
from crfdeid.redact.surrogates.search.finder import MIN_WITHIN, Finder, Mention, is_word
from crfdeid.redact.surrogates.search.search_strings import (
    NUMBERS,
    SearchString,
    derive_strings,
)
from crfdeid.redact.surrogates.search.text_index import TextIndex
from crfdeid.repair.names import find_initials_before
from crfdeid.text.document import Document, Span, mask_spans

LEFT, RIGHT = regex.compile(r"\S*$"), regex.compile(r"\S*")  # both match at every offset
ADDRESS = regex.compile(
    r"[@\\~_\d]|://|www\.|\.(?:pdf|docx?|txt|jpe?g|com|org|net|edu|gov)\b", regex.IGNORECASE
)


class PatientSearch:
    """Searches for the texts that were found in a patient's notes. ``texts`` holds them by type, and
    ``list_words`` lists the normalized words of the notes. ``is_word`` is true of the folded words of another
    language than English: such a name is found with its capital only. ``misspelt`` are the words that are
    taken for misspellings of a long name, because no list has them."""

    def __init__(
        self,
        texts: Mapping[str, Iterable[str]],
        list_words: Callable[[], Iterable[str]] = tuple,
        is_word: Callable[[str], bool] | None = None,
    ) -> None:
        strings = {
            string for type, found in texts.items() for text in found for string in derive_strings(text, type)
        }
        strings = {*ask_capitals(strings, is_word)} if is_word else strings
        similar = list(find_similar(strings, list_words))
        self.misspelt = [string.root for string in similar if not string.doubtful]
        self.finder = Finder([*strings, *similar])

    def find_missed(self, document: Document, spans: Iterable[Span]) -> list[Span]:
        """Find the texts that ``spans`` do not cover and that are PHI where they occur."""
        text, spans, index = document.text, sorted(spans), TextIndex(document.text)
        mask = mask_spans(len(text), spans)
        mentions = self.finder.find_mentions(index, mask)
        # Two neighbouring words that may be names are names.
        names = [span for span in (*spans, *(m.span for m in mentions)) if is_name(span.type)]
        starts, ends = {span.start for span in names}, {span.end for span in names}
        missed = [
            take_initials(text, mention.span, mask)
            for mention in mentions
            if is_phi_here(text, mention, has_name_beside(text, mention.span, starts, ends))
        ]
        for span in missed:
            mask[span.start : span.end] = b"\1" * (span.end - span.start)
        for span in self._find_in_addresses(index, mentions):
            if not any(mask[span.start : span.end]):
                mask[span.start : span.end] = b"\1" * (span.end - span.start)
                missed.append(span)
        return missed

    def find_survivors(self, document: Document) -> Iterator[Span]:
        """Find what a redacted document still contains: any found text outside its spans, which cover the
        replacements, and names inside them too. Words of the language are left out."""
        text, mask = document.text, mask_spans(len(document.text), document.spans)
        for mention in self._find_all(TextIndex(text)):
            span = mention.span
            if (is_name(span.type) or not any(mask[span.start : span.end])) and is_worth_listing(
                text, mention
            ):
                yield span

    def occurs_in_id(self, id: str) -> bool:
        """Whether the id of a note or patient contains a name or number of the patient."""
        return any(
            is_name(mention.string.type) or mention.string.size >= MIN_NUMBER
            for mention in self._find_all(TextIndex(id))
            if kinds.kind_of(mention.string.type) in (kinds.NAME, *NUMBERS)
        )

    def _find_all(self, index: TextIndex) -> Iterator[Mention]:
        """Yield the mentions of the texts themselves, also inside longer words, except inside an
        ordinary word or another name (the Ander of Anderson)."""
        yield from (mention for mention in self.finder.find_mentions(index) if not mention.string.derived)
        for mention, word in self.finder.find_in_words(index):
            is_long = mention.string.size > MIN_WITHIN
            if is_long and is_distinctive(mention.string) and not is_listed(word) and not is_ordinary(word):
                yield mention

    def _find_in_addresses(self, index: TextIndex, mentions: Iterable[Mention]) -> Iterator[Span]:
        """Yield names that are part of what looks like an address, a user name or a file name: ``mentions``,
        also of words in small letters, and names inside longer words."""
        text = index.text
        inside = (mention for mention, _ in self.finder.find_in_words(index))
        for span, string in (*mentions, *inside):
            if not is_name(span.type) or string.doubtful or not is_distinctive(string):
                continue
            left, right = LEFT.search(text, max(0, span.start - 80), span.start), RIGHT.match(text, span.end)
            if left and right and ADDRESS.search(left[0] + right[0]):
                yield span


def ask_capitals(strings: Iterable[SearchString], is_word: Callable[[str], bool]) -> Iterator[SearchString]:
    """Yield the strings, those that are words of the language only with a capital, and not those that merely
    follow from another one."""
    for string in strings:
        if not (string.root and is_word(string.root)):
            yield string
        elif not string.derived:
            yield string._replace(capitals=string.capitals or "first")


def take_initials(text: str, span: Span, mask: bytearray) -> Span:
    """Return the span of a name with the initials before it; ``mask`` has the characters of other spans."""
    start = find_initials_before(text, span.start) if is_name(span.type) else span.start
    return span if any(mask[start : span.start]) else replace(span, start=start)


def find_similar(
    strings: Iterable[SearchString], list_words: Callable[[], Iterable[str]]
) -> Iterator[SearchString]:
    """Yield the words that are a long name with a few typing errors. If a list has the word,
    it may be another name, and it is only listed."""
    known = {string.words[0] for string in strings}
    whole = (string for string in sorted(strings) if is_word(string) and not string.derived)
    types = {string.root: string.type for string in whole if not is_rare_word(string.root)}
    names = SimilarNames(types)
    for word in list_words() if types else ():
        name = names.find_name(word) if word not in known else None
        if name and not is_rare_word(word) and word != pluralize(name):
            is_another = is_listed(word) or is_ordinary(word)
            yield SearchString((word,), types[name], "first", word, doubtful=is_another)

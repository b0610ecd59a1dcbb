"""Lists of a user: terms that are always PHI, and terms that never are.

    # always.txt: a type and a term, or a regular expression between slashes
    HOSPITAL Lakeside Pavilion
    IDNUM /\\bSTUDY-\\d{4}\\b/

    # never.txt: a term, or a regular expression
    Medtronic

A term is found as whole words. Of ``--always`` it is found in any case, with any blanks, hyphens or line
ends between its words, except that a word of at most four capitals (MAYO) needs capitals. Of ``--never`` it
is found as it is written, and in any case only if it has no capital; a name behind a title (Dr. Mark) stays
PHI, unless the term has the title too. A regular expression is taken as
written. All see the folded text (:mod:`crfdeid.text.tokenizer`).

A regular expression is compiled once, and refused if it can be slow. It is slow where its parts can share
one text in many ways: a repeat inside a repeat, ``(a+)+``, or a choice inside a repeat, ``(a|aa)+``. Such
patterns are refused by their form, unless a group is atomic, ``(?>…)``, or a repeat is possessive,
``(…)++``. Other patterns run on probes first, and always under a time limit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import regex

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.lexicon.names import KEPT_TITLES
from crfdeid.policy import KEEP, Policy
from crfdeid.systems.tagger import unite_spans
from crfdeid.text.document import Document, Span, keep_longest
from crfdeid.text.scheme import SHIPPED, Scheme, read_scheme
from crfdeid.text.tokenizer import fold_text

LONGEST_TITLE = 16  # characters
TITLE_BEFORE = regex.compile(rf"\b(?:{'|'.join(sorted(KEPT_TITLES))})\b\.?\s+$", regex.IGNORECASE)
ALWAYS, NEVER = "--always", "--never"
TagGroup = Callable[[Sequence[Document]], list[Document]]
NO_TYPE = "never"  # of the terms that are not PHI
ACRONYM = 4  # letters
RUN = regex.compile(r"[^\W_]+")
BLANKS, LOOSE_BLANKS = regex.compile(r"\s+"), regex.compile(r"[\s\-]+")

TIMEOUT = 2.0  # seconds that a pattern may work on one note
PROBE_TIME, PROBE_LENGTH = 0.1, 2000  # seconds, characters
PART = regex.compile(
    r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|(?P<open>\((?:\?(?:P?<\w+>|<?[=!]|[\w-]*:|>|\|))?)|(?P<close>\))"
    r"|\[.*|(?P<choice>\|)|(?P<repeat>[*+?]|\{\d*,?\d*\})(?P<way>[+?]?)|.",
    regex.DOTALL,
)


class Term(NamedTuple):
    """``runs`` are the words of a term and ``gaps`` what is before, between and after them."""

    type: str
    runs: tuple[str, ...]
    gaps: tuple[str, ...]
    any_case: bool


class Pattern(NamedTuple):
    """A regular expression of a list. ``where`` is its file and line."""

    type: str
    compiled: regex.Pattern[str]
    where: str


@dataclass(frozen=True)
class TermList:
    """The terms of a file, by their first word in small letters, and its patterns. ``blanks`` are what may
    differ between two words, and ``digest`` is the digest of the file's lines."""

    terms: Mapping[str, Sequence[Term]] = field(default_factory=dict, repr=False)
    patterns: Sequence[Pattern] = field(default=(), repr=False)
    blanks: regex.Pattern[str] = BLANKS
    digest: str = ""

    @property
    def types(self) -> set[str]:
        of_terms = {term.type for terms in self.terms.values() for term in terms}
        return of_terms | {pattern.type for pattern in self.patterns}

    def find(self, text: str) -> list[Span]:
        """Find the terms and patterns in a text: of those that overlap, the longest."""
        folding = fold_text(text)
        found = [*self._find_terms(folding.text), *self._find_patterns(folding.text)]
        return [folding.unfold(span) for span in sorted(keep_longest(found))]

    def _find_terms(self, text: str) -> Iterator[Span]:
        if not self.terms:
            return
        runs = [match.span() for match in RUN.finditer(text)]
        for at, (start, end) in enumerate(runs):
            for term in self.terms.get(text[start:end].lower(), ()):
                found = runs[at : at + len(term.runs)]
                if len(found) == len(term.runs) and self._fits(text, found, term):
                    yield Span(start - len(term.gaps[0]), found[-1][1] + len(term.gaps[-1]), term.type)

    def _fits(self, text: str, runs: Sequence[tuple[int, int]], term: Term) -> bool:
        """Whether a term is at these runs of letters and digits."""
        words = [text[start:end] for start, end in runs]
        if any(a != b and not (term.any_case and a.lower() == b.lower()) for a, b in zip(words, term.runs)):
            return False
        start, end = runs[0][0], runs[-1][1]
        between = (text[a[1] : b[0]] for a, b in zip(runs, runs[1:]))
        inner = (self.blanks.sub(" ", gap) for gap in between)
        return (
            text[max(0, start - len(term.gaps[0])) : start] == term.gaps[0]
            and text[end : end + len(term.gaps[-1])] == term.gaps[-1]
            and tuple(inner) == term.gaps[1:-1]
        )

    def _find_patterns(self, text: str) -> Iterator[Span]:
        for pattern in self.patterns:
            group = 1 if pattern.compiled.groups else 0
            try:
                for match in pattern.compiled.finditer(text, timeout=TIMEOUT):
                    start, end = match.span(group)
                    if end > start:
                        yield Span(start, end, pattern.type)
            except TimeoutError:
                raise ConfigurationError(
                    f"{pattern.where}: too slow on one note; wanted a simpler pattern"
                ) from None


@dataclass
class Terms:
    """The lists of a run, and what they did: ``found`` counts by type the terms that are always PHI, and
    ``left_out`` the spans that never are. They are None without the list."""

    always: TermList | None = None
    never: TermList | None = None
    found: Counter[str] = field(default_factory=Counter)
    left_out: int = 0

    def __bool__(self) -> bool:
        return self.always is not None or self.never is not None

    @property
    def options(self) -> tuple[str, ...]:
        """The options that a resumed run must repeat."""
        return tuple(f"{name} {terms.digest}" for name, terms in self._name_lists() if terms)

    def _name_lists(self) -> tuple[tuple[str, TermList | None], ...]:
        return (ALWAYS, self.always), (NEVER, self.never)

    def check_scheme(self, scheme: Scheme) -> None:
        """Raise :class:`ConfigurationError` if the scheme lacks a type of ``always``."""
        if self.always and (others := sorted(self.always.types - {*scheme.types})):
            raise ConfigurationError(f"{ALWAYS}: {others[0]} is not a type of scheme {scheme.name}")

    def wrap(self, tag_group: TagGroup) -> TagGroup:
        """Return a function that applies the lists to what ``tag_group`` finds."""
        return (lambda group: list(map(self.apply, tag_group(group)))) if self else tag_group

    def apply(self, document: Document) -> Document:
        """Return the document without the spans that are in a term of ``never``, and with those of
        ``always``. These win over both."""
        spans = list(document.spans)
        if self.never:
            terms = self.never.find(document.text)
            spans = [span for span in spans if not is_inside(document.text, span, terms)]
            self.left_out += len(document.spans) - len(spans)
        if self.always:
            found = self.always.find(document.text)
            self.found.update(span.type for span in found)
            new = [span for span in found if not any(is_part(span, other) for other in spans)]
            spans = unite_spans(document.text, [new, spans])
        return document.with_spans(spans)

    def take_counts(self) -> tuple[Counter[str], int]:
        """Return the counts, and begin again with 0."""
        counts = self.found, self.left_out
        self.found, self.left_out = Counter(), 0
        return counts

    def add_counts(self, counts: tuple[Counter[str], int]) -> None:
        found, left_out = counts
        self.found += found
        self.left_out += left_out

    def report(self) -> dict[str, object]:
        """The lists' effect, for a report in JSON; nothing without a list."""
        always = {"always": dict(sorted(self.found.items()))} if self.always else {}
        never = {"never": self.left_out} if self.never else {}
        return {"listed_terms": {**always, **never}} if self else {}

    def lines(self) -> Iterator[str]:
        if self.always:
            yield f"{self.found.total()} texts of the list {ALWAYS} were found"
        if self.never:
            yield f"{self.left_out} spans were left out, which the list {NEVER} has"


def is_inside(text: str, span: Span, terms: Sequence[Span]) -> bool:
    """Whether one of the terms holds all letters and digits of a span; behind a title (Dr. Mark), the title
    too."""
    runs = [match.span() for match in RUN.finditer(text, span.start, span.end)]
    if not runs:
        return False
    title = TITLE_BEFORE.search(text, max(0, span.start - LONGEST_TITLE), span.start)
    start = title.start() if title else runs[0][0]
    return any(term.start <= start and runs[-1][1] <= term.end for term in terms)


def is_part(span: Span, other: Span) -> bool:
    """Whether ``other`` holds a span of its own type."""
    return span.type == other.type and other.start <= span.start and span.end <= other.end


# Reading the files


def read_terms(always: Path | None, never: Path | None, policy: Policy | None = None) -> Terms:
    """Read the lists of a run, of which one can be None."""
    return Terms(read_always(always, policy) if always else None, read_never(never) if never else None)


def read_always(path: Path, policy: Policy | None = None) -> TermList:
    """Read a list of terms that are always PHI. Raises :class:`ConfigurationError` for an unknown type, or
    one that the policy keeps."""
    entries = []
    for where, line in read_lines(path):
        type, *rest = line.split(maxsplit=1)
        check_type(type, where, policy)
        if not rest:
            raise ConfigurationError(f"{where}: a type without a term; wanted both, such as CITY Boston")
        entries.append((where, type, rest[0].strip()))
    return build_list(entries, is_loose=True)


def read_never(path: Path) -> TermList:
    """Read a list of terms that never are PHI."""
    return build_list([(where, NO_TYPE, line) for where, line in read_lines(path)], is_loose=False)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of a list, each with its place; not the empty ones and those that begin with #."""
    for number, line in enumerate(read_text(path).removeprefix("\ufeff").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield f"{path}: line {number}", line.strip()


def check_type(type: str, where: str, policy: Policy | None) -> None:
    known = {type for name in SHIPPED for type in read_scheme(name).types}
    if type not in known:
        raise ConfigurationError(f"{where}: the first word is not a type of PHI{did_you_mean(type, known)}")
    if policy and type in policy.by_type and policy.by_type[type].action == KEEP:
        raise ConfigurationError(f"{where}: {type}, which policy {policy.name} keeps; wanted another type")


def build_list(entries: Sequence[tuple[str, str, str]], is_loose: bool) -> TermList:
    """Build a list of places, types and terms; ``is_loose`` is for terms that must not be missed."""
    terms: dict[str, list[Term]] = defaultdict(list)
    patterns = []
    for where, type, text in entries:
        if len(text) > 1 and text[0] == text[-1] == "/":
            patterns.append(Pattern(type, compile_pattern(text[1:-1], where), where))
            continue
        term = build_term(text, type, is_loose)
        if term is None:
            raise ConfigurationError(f"{where}: a term without letters and digits")
        terms[term.runs[0].lower()].append(term)
    digest = sha256(repr([(type, text) for _, type, text in entries]).encode()).hexdigest()
    return TermList(dict(terms), patterns, LOOSE_BLANKS if is_loose else BLANKS, digest)


def build_term(text: str, type: str, is_loose: bool) -> Term | None:
    """Build a term; None if it has no letter or digit.

    >>> build_term("AT&T wing", "HOSPITAL", True)
    Term(type='HOSPITAL', runs=('AT', 'T', 'wing'), gaps=('', '&', ' ', ''), any_case=True)
    """
    text = fold_text(text).text
    matches = list(RUN.finditer(text))
    if not matches:
        return None
    ends = [0, *(match.end() for match in matches)]
    starts = [*(match.start() for match in matches), len(text)]
    blanks = LOOSE_BLANKS if is_loose else BLANKS
    gaps = [text[end:start] for end, start in zip(ends, starts)]
    gaps = [gaps[0], *(blanks.sub(" ", gap) for gap in gaps[1:-1]), gaps[-1]]
    is_acronym = len(matches) == 1 and len(text) <= ACRONYM and text.isupper()
    any_case = not is_acronym if is_loose else text == text.lower()
    return Term(type, tuple(match[0] for match in matches), tuple(gaps), any_case)


def compile_pattern(pattern: str, where: str) -> regex.Pattern[str]:
    """Compile a pattern. Raises :class:`ConfigurationError`, which begins with ``where``, if it is not a
    regular expression, finds empty texts, or can be slow."""
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ConfigurationError(f"{where}: no regular expression: {error.msg}") from None
    if compiled.search("") or compiled.fullmatch(" "):
        raise ConfigurationError(f"{where}: the pattern finds an empty text")
    if has_nested_repeat(pattern):
        raise ConfigurationError(
            f"{where}: a repeat or a choice inside a repeat can be very slow; wanted a pattern without it"
        )
    if not is_fast(compiled, pattern):
        raise ConfigurationError(f"{where}: the pattern is too slow; wanted a simpler one")
    return compiled


def has_nested_repeat(pattern: str) -> bool:
    r"""Whether a group that holds a repeat or a choice is repeated.

    >>> [has_nested_repeat(text) for text in (r"(a+)+", r"(a|aa)*", r"(?:(\d+)-){2,9}", r"(?:a?b?)+")]
    [True, True, True, True]
    >>> [has_nested_repeat(text) for text in (r"[(+]+\d+", r"(?:\d{3}-)+", r"(?>a+)+", r"(?:a+b)?")]
    [False, False, False, False]
    """
    varies, atomic, closed = [False], [False], False  # of each open group; of the group that was just closed
    for part in PART.finditer(pattern):
        repeat = is_variable(part["repeat"]) if part["repeat"] else False
        if repeat and part["repeat"] != "?" and closed and part["way"] != "+":
            return True
        if part["open"]:
            varies.append(False)
            atomic.append(part["open"] == "(?>")
        elif part["close"] and len(varies) > 1:
            inner, is_atomic = varies.pop(), atomic.pop()
            closed = inner and not is_atomic
            varies[-1] |= closed
            continue
        elif part["choice"] or (repeat and part["way"] != "+"):
            varies[-1] = True
        closed = False
    return False


def is_variable(repeat: str) -> bool:
    """Whether a repeat can have more counts than one.

    >>> [is_variable(repeat) for repeat in ("*", "?", "{2,}", "{3}", "{3,3}", "{,}")]
    [True, True, True, False, False, True]
    """
    if repeat[0] != "{":
        return True
    low, comma, high = repeat[1:-1].partition(",")
    return (bool(comma) and low != high) or low == high == ""


def is_fast(compiled: regex.Pattern[str], pattern: str) -> bool:
    """Whether the pattern gives up in time on texts that consist of its own letters, and of common ones."""
    try:
        for probe in make_probes(pattern):
            for _ in compiled.finditer(probe, timeout=PROBE_TIME):
                pass
    except TimeoutError:
        return False
    return True


def make_probes(pattern: str) -> Iterator[str]:
    """Yield texts of one repeated character, with another at the end."""
    for character in sorted({"a", "A", "0", " ", "-", ".", *pattern}):
        yield character * PROBE_LENGTH + "\x00"
    yield "aA0 " * (PROBE_LENGTH // 4) + "\x00"

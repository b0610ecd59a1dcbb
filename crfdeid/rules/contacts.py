"""Phones, pagers, e-mail, and social security numbers: Douglass 2005, section 5.1.3; Tafvizi
2011, sections 2.5.5 and 2.5.6."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.beside import Beside
from crfdeid.rules.note import Edges, Note
from crfdeid.rules.rule import Rule, match_at_numbers, match_at_words, rule

PHONES = "Tafvizi 2011, table 2.3"
SSNS = "Tafvizi 2011, table 2.4"
DOUGLASS = "Douglass 2005, section 5.1.3"
EXTENSION = r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{2,6})?"
AREA = re.compile(
    rf"\d{{3}}(?:\)[ ]?|[-./][ ]?|[ ])\d{{3}}(?:[-. ]|[ ]-[ ])\d{{4}}(?!\d)(?!-\d){EXTENSION}", re.IGNORECASE
)
AREA_CODES = Beside(lengths=[3])
FAX = re.compile(r"\b(?:fax|facsimile|f)[\w ]{0,12}[#:.]{0,2}[ (]*(?:1-)?$", re.IGNORECASE)
CALLED = re.compile(
    r"\b(?:phone|telephone|tel|cell|mobile|call|called|contact|home|work|office|ph|pager|beeper"
    r"|extension|fax|reached at|number)"
    r"[\w ]{0,14}[#:.]{0,2}[ (]*$",
    re.IGNORECASE,
)
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
URL = re.compile(
    r"(?:https?://|www\.)[^\s<>\"')\]]*[\w/]|\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.(?:com|org|net|edu"
    r"|gov)\b(?:/[\w/.-]*\w)?",
    re.IGNORECASE,
)
NOT_PHONE = re.compile(r"(?:#|\bno\.?|\bmrn|\bid|\bacc\w*) ?:? ?$", re.IGNORECASE)
HOSTS = word_set("http https www com org net edu gov")


def cut_line_before(note: Note, start: int) -> str:
    """Return the text to the left in the line, at most 30 characters."""
    return note.text[max(note.find_line_start(start), start - 30) : start]


def find_area_numbers(note: Note) -> Iterator[tuple[Edges, bool]]:
    """Yield the offsets of numbers with an area code, and whether each is a fax number."""
    for start in note.find_numbers(AREA_CODES):
        before_it = note.text[max(0, start - 2) : start]
        if before_it.endswith((".", "/", "-")) and before_it not in ("1-", "1."):
            continue
        if match := AREA.match(note.text, start):
            begin = start - (note.text[start - 1 : start] == "(")
            yield (begin, match.end()), bool(FAX.search(cut_line_before(note, begin)))


@rule("PHONE", PHONES)
def phone_with_area(note: Note, lists: Lists) -> Iterator[Edges]:
    """(nnn) nnn-nnnn, nnn-nnn-nnnn, nnn nnn nnnn, with full stops too, and an extension."""
    return (edges for edges, fax in find_area_numbers(note) if not fax)


@rule("FAX", f"{PHONES}; ours")
def fax_number(note: Note, lists: Lists) -> Iterator[Edges]:
    """A number with an area code after "fax"."""
    return (edges for edges, fax in find_area_numbers(note) if fax)


local_phone = match_at_numbers(
    "local_phone", "PHONE", PHONES, "nnn-nnnn.",
    rf"(?<![\d./-])(?<!\d[ ])\d{{3}}-\d{{4}}(?![\d-])(?!\.\d)(?!\s?(?:hz|cells|ml|mg)\b){EXTENSION}",
    lambda match, note: not NOT_PHONE.search(cut_line_before(note, match.start())), Beside(next="-"),
)  # fmt: skip
spaced_phone = match_at_numbers(
    "spaced_phone", "PHONE", f"{PHONES}; {DOUGLASS} (indicators)",
    "nnn nnnn, nnn.nnnn or seven digits and more after a word such as \"phone\" or \"call\".",
    r"(?<![\d./-])(?:\d{3}[ .]\d{4}|\d{7}"
    r"|\d{10})(?![\d-])", lambda match, note: CALLED.search(cut_line_before(note, match.start())),
    Beside(lengths=(3, 7, 10)),
)  # fmt: skip
pager = match_at_words(
    "pager", "PHONE", f"{DOUGLASS} (pager)", "The number after \"pager\", \"pg\", \"beeper\".",
    ["pager", "pg", "pgr", "beeper", "bpr", "beep", "page", "paged", "cisco", "vocera", "spectralink"],
    r"[a-z]+(?:[ ](?:number|no\.?|is|at"
    r"|\#))?\s?[#:.]{0,2}[ ]?(?P<phi>(?:\(?\d{3}\)?[- .]?)?\d{3}[- .]\d{4}|\d{4,7}|\d{1,2}-\d{3,4})\b(?!/)",
)  # fmt: skip
_labelled_extension = match_at_words(
    "extension", "PHONE", DOUGLASS, "An extension: \"x12345\", \"ext. 1234\".",
    ["x", "ext", "extension"],
    r"(?:x[ ]?(?:\d{4,6}|\d-\d{4})|(?:ext|extension)[.:]?[ ]?\d{2,6})(?![\d%/])(?!\.\d)",
)  # fmt: skip


def find_extensions(note: Note, lists: Lists) -> Iterator[Edges]:
    """An extension: "x12345", "ext. 1234"; with its x, as i2b2's phones have it."""
    for start, end in _labelled_extension.find(note, lists):
        number = note.starts[bisect_left(note.starts, start) + 1]
        yield start if number == start + 1 else number, end


extension = Rule("extension", "PHONE", DOUGLASS, find_extensions)

ssn = match_at_numbers(
    "ssn", "SSN", SSNS, "nnn-nn-nnnn.", r"(?<![\w./-])\d{3}-\d{2}-\d{4}(?![\w/-])",
    beside=Beside(next="-"),
)  # fmt: skip
labelled_ssn = match_at_words(
    "labelled_ssn", "SSN", f"{SSNS}; {DOUGLASS} (words around numbers)",
    "nnn-nn-nnnn, nnn-nnnnnn, nnnnn-nnnn, nnnnnnnnn, or the last four digits, after SSN.",
    ["ssn", "ss", "social"],
    r"(?:ssn|ss|social security)(?:[ ](?:number|no\.?|\#|last four|last 4|ending in))*[ ]?[#:.]{0,2}[ ]?"
    r"(?P<phi>\d{3}[- ]?\d{2}[- ]?\d{4}|[xX*]{3}-[xX*]{2}-\d{4}|\d{4})\b",
)  # fmt: skip


@rule("EMAIL", "ours")
def email(note: Note, lists: Lists) -> Iterator[Edges]:
    """An e-mail address."""
    at = note.text.find("@")
    if at < 0:
        return iter(())
    return (match.span() for match in EMAIL.finditer(note.text))


@rule("URL", "ours")
def url(note: Note, lists: Lists) -> Iterator[Edges]:
    """A web address with http or www, or a host of a common domain."""
    if note.vocabulary & HOSTS:
        yield from (m.span() for m in URL.finditer(note.text) if note.text[m.start() - 1 : m.start()] != "@")


ip_address = match_at_numbers(
    "ip_address", "IPADDR", "ours", "Four numbers up to 255 with full stops.",
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)",
    beside=Beside(next="."),
)  # fmt: skip

RULES = (
    email, url, ip_address, fax_number, phone_with_area, ssn, labelled_ssn, pager, extension, spaced_phone,
    local_phone,
)  # fmt: skip

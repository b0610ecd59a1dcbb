"""Numbers of people and things: contacts by their form, identifiers by the words around them.

Phones, pagers, e-mail, and social security numbers: Douglass 2005, section 5.1.3; Tafvizi 2011, sections
2.5.5 and 2.5.6. Others are found "by looking for words around strings of numbers" (Douglass 2005, section
5.1.3). The words are ours, one rule for each type of i2b2 2014.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import RULE_CREDENTIAL_WORDS
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import LONGEST, Beside, Edges, IndexedNote
from crfdeid.rules.rule import Rule, match_at_numbers, match_at_words, rule

PHONES = "Tafvizi 2011, table 2.3"
SSNS = "Tafvizi 2011, table 2.4"
DOUGLASS = "Douglass 2005, section 5.1.3"
EXTENSION = r"(?:,?[ ]?(?:x|ext\.?|extension)[ ]?\d{2,6})?"
AREA = re.compile(
    rf"\d{{3}}(?:\)[ ]?|[-./][ ]?|[ ])\d{{3}}(?:[-. ]|[ ]-[ ])\d{{4}}(?!\d)(?!-\d){EXTENSION}", re.IGNORECASE
)
COUNTRY = re.compile(r"(?:\+?1[-. ]?)?\(?")  # and the mark before an area code
SSN = re.compile(r"(?<![\w./-])\d{3}-\d{2}-\d{4}(?![\w/-])")
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

SOURCE = "Douglass 2005, section 5.1.3 (words around strings of numbers); ours"
NUMBER = r"[ ]*(?:number|num|no\.?|nr\.?|id|code|\#)?[ ]*(?:is)?[ ]*[#:=]{0,2}[ \t]*"
AFTER_A_WORD = re.compile(r"[A-Za-z,] {2,}$")
# "MRN at Mercy Hospital was"
ELSEWHERE = r"(?:\s(?:at|from|with|for|in)\s(?:[\w.'’&-]+\s){1,7}?(?:is|was|of|number|no\.?))?"
FIRST_WORD = re.compile(r"([a-z]+)(?:\(\?:([a-z]+)\)\?)?")
VALUE = r"(?P<phi>\d{2,4}(?: \d{2,4}){1,3}(?![\w/-]|\.\w)|(?=[\w:./-]*\d[\w:./-]*\d)\w[\w./:-]*\w)"


def build_labelled_rule(name: str, type: str, about: str, labels: str) -> Rule:
    """Build a rule for a number after one of the ``labels`` (alternatives of a regular expression)."""
    return match_at_words(
        name, type, SOURCE, about, list_first_words(labels), rf"(?:{labels}){ELSEWHERE}{NUMBER}{VALUE}"
    )


def list_first_words(labels: str) -> set[str]:
    r"""Return the words with which one of the labels can begin.

    >>> sorted(list_first_words(r"mr[ ]?\#|hosp(?:ital)?(?= ?\#)"))
    ['hosp', 'hospital', 'mr']
    """
    firsts = (FIRST_WORD.match(label) for label in labels.split("|"))
    return {word for match in firsts if match for word in (match[1], match[1] + (match[2] or ""))}


medical_record_number = build_labelled_rule(
    "medical_record_number", "MEDICALRECORD", "The number of a medical record or hospital unit.",
    r"mrn|mr[ ]?\#|mr(?= ?[:#])|med(?:ical)?[ ]rec(?:ord)?s?|hosp(?:ital)?(?= ?(?:\#|no|num))"
    r"|unit(?= ?(?:\#|no|num))"
    r"|patient(?= ?(?:id|\#))|pt(?= ?(?:id|\#))|chart(?= ?(?:\#|no|num))|record(?= ?(?:\#|no|num))",
)  # fmt: skip
account_number = build_labelled_rule(
    "account_number", "ACCOUNT", "The number of an account.", r"account|acct\.?|billing(?= ?(?:\#"
                                                              r"|no|num))|fin(?= ?[:#])",
)  # fmt: skip
health_plan_number = build_labelled_rule(
    "health_plan_number", "HEALTHPLAN", "The number of a policy or of a member of a health plan.",
    r"policy|member(?= ?(?:id|\#|no|num))|subscriber|insurance(?= ?(?:id|\#|no|num))"
    r"|medicare(?= ?(?:id|\#|no|num))"
    r"|medicaid(?= ?(?:id|\#|no|num))|health[ ]plan|group(?= ?(?:\#|no|num))|beneficiary",
)  # fmt: skip
license_number = build_labelled_rule(
    "license_number", "LICENSE", "The number of a licence.", r"license|licence|lic\.?|dea|npi",
)  # fmt: skip
device_number = build_labelled_rule(
    "device_number", "DEVICE", "The number of a device.",
    r"serial|s/n|sn(?= ?[:#])|device(?= ?\d)",
)  # fmt: skip
vehicle_number = build_labelled_rule(
    "vehicle_number", "VEHICLE", "The number of a vehicle or its "
                                 "plate.", r"vin|plate|license[ ]plate|tag(?= ?\#)",
)  # fmt: skip
id_number = build_labelled_rule(
    "id_number", "IDNUM", "The number of a job, order, case, accession, protocol or specimen.",
    r"accession|acc(?= ?[:#])|job|case(?= ?(?:\#|no|num))|order(?= ?(?:\#|no|num))|tracking"
    r"|specimen(?= ?(?:\#|no|id))"
    r"|protocol(?= ?\#)|document(?= ?(?:\#|id|no|num))|dictation(?= ?(?:\#|id|no|num))"
    r"|transcription(?= ?(?:\#|id|no|num))"
    r"|encounter|csn|visit(?= ?(?:\#|id|no|num))|confirmation|reference(?= ?(?:\#|no|num))"
    r"|ticket|study(?= ?(?:\#|id))|id(?= ?[:#])",
)  # fmt: skip
record_shape = match_at_numbers(
    "record_shape", "MEDICALRECORD", SOURCE, "nn-nn-nn and nnn-nn-nn(-n), which are not dates.",
    r"(?<![\w./-])\d{2,3}-\d{2}-\d{2}(?:-\d)?(?![\w/-])",
    lambda match, note: int(match[0].split("-")[0]) > 31, Beside(next="-"),
)  # fmt: skip
long_number = match_at_numbers(
    "long_number", "IDNUM", "ours", "Seven digits or more, alone; six after a number sign.",
    r"(?:(?<![\w./,$-])\d{7,}|(?<=\#)\d{6}|(?<=\# )\d{6})(?![\w%-])(?![.,]\d)",
    beside=Beside(lengths=range(6, LONGEST + 1)),
)  # fmt: skip
number_after_name = match_at_numbers(
    "number_after_name", "MEDICALRECORD", "ours",
    "Six digits or more, maybe in groups, with two spaces or more between them and a word.",
    r"(?<=  )(?:\d{6,10}|\d{2,4}(?: \d{2,4}){1,2})(?![\w%/.-])(?! (?:mg|ml|cc))",
    lambda match, note: AFTER_A_WORD.search(note.text[max(0, match.start() - 14) : match.start()]),
    Beside(before=["  "]),
)  # fmt: skip
line_number = match_at_numbers(
    "line_number", "IDNUM", "ours", "Among the first ten lines, one that is a number of five digits or more.",
    r"(?:(?<=\n)|(?<![\s\S]))\d[\d-]{3,}\d(?=[ \t]*\n)",
    lambda match, note: match.start() < note.top_end, Beside(before=["", "\n"]),
)  # fmt: skip


@rule("IDNUM", "ours")
def slashed_code(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Letters and digits, slash or colon, digits: "SW9788/78", "CF48:729457D"."""
    for start in note.find_numbers(Beside(next="/:")):
        index = note.find_index(start)
        match = SLASHED.match(note.text, start)
        if match and index and note.gap(index) == "" and CODE_LETTERS.fullmatch(note.word(index - 1)):
            yield note.starts[index - 1], match.end()


SLASHED = re.compile(r"\d{2,6}[/:]\d{2,8}[A-Z]?(?![\w/-])")
CODE_LETTERS = re.compile(r"(?!bp)[A-Za-z]{2}", re.IGNORECASE)
USER = re.compile(r"(?:[a-z]{1,4}\d{1,6}|[A-Z]{2,4}\d{2,6})(?![\w-])")


@rule("USERNAME", "ours")
def username(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Letters and digits after credentials or "Transcribed": "M.D. kw83"."""
    for index in note.find_words(RULE_CREDENTIAL_WORDS):
        start = AFTER_CREDENTIAL.match(note.text, note.ends[index])
        if note.is_capitalised(index) and start and (match := USER.match(note.text, start.end())):
            yield match.span()
    for index in note.find_words(TYPISTS):
        start = AFTER_TYPIST.match(note.text, note.ends[index])
        if start and (match := USER.match(note.text, start.end())):
            yield match.span()


AFTER_CREDENTIAL = re.compile(r"\.?[,/]? {1,2}\(?")
AFTER_TYPIST = re.compile(r"(?: by| id| name)?(?: ?[:=]|(?= ))[ \t]*")
TYPISTS = word_set(
    """transcribed transcriptionist transcriber trans tr typed typist user username login by t"""
)


FOOTER = re.compile(r"(?P<user>[A-Za-z]{2,3}\d{2,4})/(?P<number>\d[\d -]{4,}\d)\s*$", re.MULTILINE)


def find_footers(note: IndexedNote) -> Iterator[re.Match[str]]:
    """Yield the lines that are a user name, a slash and a number: with two or three letters and the digits of
    the name at their start."""
    for start in note.find_numbers(Beside(next="/")):
        for line in (start - 2, start - 3):
            if (line == 0 or note.text[line - 1 : line] == "\n") and (match := FOOTER.match(note.text, line)):
                yield match


@rule("USERNAME", "ours")
def footer_user(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A line that is a user name, a slash and a number: "hp950/2266482705", its first part."""
    return (match.span("user") for match in find_footers(note))


@rule("IDNUM", "ours")
def footer_number(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A line that is a user name, a slash and a number: its second part."""
    return (match.span("number") for match in find_footers(note))


IDENTIFIERS = (
    medical_record_number, account_number, health_plan_number, license_number, vehicle_number, device_number,
    id_number, username, footer_user, footer_number, record_shape, number_after_name, slashed_code,
    long_number, line_number,
)  # fmt: skip


def cut_line_before(note: IndexedNote, start: int) -> str:
    """Return the text to the left in the line, at most 30 characters."""
    return note.text[max(note.find_line_start(start), start - 30) : start]


def is_contact(text: str) -> bool:
    """Whether a text is a telephone number with an area code or a social security number as a whole, or has
    an e-mail address.

    >>> [is_contact(text) for text in ("+1 (617) 555-0148", "219-09-9998", "ana@a.example", "100-200")]
    [True, True, True, False]
    """
    if SSN.fullmatch(text) or EMAIL.search(text):
        return True
    before = COUNTRY.match(text)
    return any(AREA.fullmatch(text, start) for start in (0, before.end() if before else 0))


def find_area_numbers(note: IndexedNote) -> Iterator[tuple[Edges, bool]]:
    """Yield the offsets of numbers with an area code, and whether each is a fax number."""
    for start in note.find_numbers(AREA_CODES):
        before_it = note.text[max(0, start - 2) : start]
        if before_it.endswith((".", "/", "-")) and before_it not in ("1-", "1."):
            continue
        if match := AREA.match(note.text, start):
            begin = start - (note.text[start - 1 : start] == "(")
            yield (begin, match.end()), bool(FAX.search(cut_line_before(note, begin)))


@rule("PHONE", PHONES)
def phone_with_area(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """(nnn) nnn-nnnn, nnn-nnn-nnnn, nnn nnn nnnn, with full stops too, and an extension."""
    return (edges for edges, fax in find_area_numbers(note) if not fax)


@rule("FAX", f"{PHONES}; ours")
def fax_number(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
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


def find_extensions(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """An extension: "x12345", "ext. 1234"; with its x, as i2b2's phones have it."""
    for start, end in _labelled_extension.find(note, lists):
        number = note.starts[bisect_left(note.starts, start) + 1]
        yield start if number == start + 1 else number, end


extension = Rule("extension", "PHONE", DOUGLASS, find_extensions)

ssn = match_at_numbers(
    "ssn", "SSN", SSNS, "nnn-nn-nnnn.", SSN.pattern,
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
def email(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """An e-mail address."""
    at = note.text.find("@")
    if at < 0:
        return iter(())
    return (match.span() for match in EMAIL.finditer(note.text))


@rule("URL", "ours")
def url(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A web address with http or www, or a host of a common domain."""
    if note.vocabulary & HOSTS:
        yield from (m.span() for m in URL.finditer(note.text) if note.text[m.start() - 1 : m.start()] != "@")


ip_address = match_at_numbers(
    "ip_address", "IPADDR", "ours", "Four numbers up to 255 with full stops.",
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)",
    beside=Beside(next="."),
)  # fmt: skip

CONTACTS = (
    email, url, ip_address, fax_number, phone_with_area, ssn, labelled_ssn, pager, extension, spaced_phone,
    local_phone,
)  # fmt: skip

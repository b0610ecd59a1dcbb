"""Which findings in source code have strong evidence, and which of them somebody looked at and allowed.

A rule tagger expects a note. Source code has capitals, numbers and quotes everywhere, and nearly everything
that the rules find there is not PHI. So a finding counts only if its own line gives more evidence: a title,
a credential or a clue beside a name; a listed first name before a surname; the form of a number, and a
clue; a clue before a date with a year. A value that programmers write as an example (555-0148, 123-45-6789)
does not count. The list of allowed findings is a file with hashes, and no text.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from crfdeid import files
from crfdeid.errors import FormatError
from crfdeid.lexicon.letters import fold
from crfdeid.lexicon.names import CODE_CREDENTIALS, CODE_TITLES
from crfdeid.lexicon.word_lists import load_lowercase

SALT = re.compile(r"salt ([0-9a-f]{32})")
HASH = re.compile(r"[0-9a-f]{32}")
HEAD = "# Allowed by python -m crfdeid.check --allow-all: hashes of texts that are no PHI.\n"

BEFORE, AFTER = 40, 16  # characters of the line that are looked at
NAME_WORD = r"(?:(?:Mc|Mac|O'|D'|De|La)?[A-Z][a-z]{1,}(?:-[A-Z][a-z]+)?|[A-Z]{3,})"
NAME = re.compile(rf"{NAME_WORD}(?:,? (?:[A-Z]\.? )?{NAME_WORD}){{0,2}}(?:,? [A-Z]\.?)?")
TITLE = re.compile(rf"\b(?:{CODE_TITLES})\.?\s+$")
CREDENTIAL = re.compile(rf"\s?,\s?(?:{CODE_CREDENTIALS})\b")
GAP = r"[\s_\"']*(?:name)?[\"'\]]*\s*(?:[:=]+|,|=>|is)?\s*[\"'(\[]*"
NAME_CLUE = re.compile(
    r"(?i)(?<![a-z])(?:patient|pt|attending|physician|surgeon|provider|nurse|mother|father|wife|husband|"
    r"daughter|son|resident|(?:referred|seen|signed|dictated) by|dear|next of kin|"
    r"(?:first|last|maiden|full)[\s_]?name)"
    rf"{GAP}$"
)
PHONE = re.compile(
    r"(?:\+?1[-. ]?)?(?:\([2-9]\d\d\)\s?|[2-9]\d\d[-. ])(?P<exchange>[2-9]\d\d)[-. ](?P<line>\d{4})"
)
SSN = re.compile(r"(?!000|666|9)(\d{3})-(?!00)(\d\d)-(?!0000)(\d{4})")
EXAMPLES = {"123-45-6789", "078-05-1120", "111-11-1111", "219-09-9999", "987-65-4321"}
NUMBER_CLUE = re.compile(
    r"(?i)(?<![a-z])(?:mrn?|medical[\s_]?record|med[\s_]?rec|chart|account|acct|member|policy|subscriber|"
    r"insurance|medicare|medicaid|patient[\s_]?id)[\w\s\"'\]]{0,12}(?:[:=#]+|,|no\.?)?[\s\"'(#]*$"
)
DATE_CLUE = re.compile(
    r"(?i)(?<![a-z])(?:d\.?o\.?b|birth[\s_]?date|date[\s_]?of[\s_]?(?:birth|death|admission|discharge)|born|birthday|"
    r"admitted|admission|discharged?|deceased|died)[\w\s\"'\]]{0,12}(?:[:=]+|,)?[\s\"'(]*$"
)
WITH_YEAR = re.compile(r".*\b(?:19|20)\d\d\b.*|\d\d?[-/.]\d\d?[-/.]\d\d")
STREET = re.compile(
    r"\d{1,5} (?:[A-Z][a-z]+\.? ){1,3}(?i:st|street|ave|avenue|rd|road|blvd|boulevard|dr|drive|ln|lane|"
    r"ct|court|way|place|pl|terrace)\.?(?:[, ].*)?"
)
EXAMPLE_STREETS = re.compile(
    r"(?i)(?:12|123|1234|742|221b?|1|100) (?:main|any|elm|evergreen|baker|fake|example|test)\b"
)


class FoundText(NamedTuple):
    """A finding with what is before and after it in its line."""

    text: str
    before: str
    after: str


def is_strong(type: str, line: str, start: int, end: int) -> bool:
    """Whether the finding ``line[start:end]`` of a type has strong evidence. Types without a test have it.

    >>> line = "    note = 'Mr. Okafor was seen, MRN 4471902'"
    >>> is_strong("PATIENT", line, 16, 22), is_strong("MEDICALRECORD", line, 37, 44)
    (True, True)
    >>> is_strong("PATIENT", "class Okafor(Base):", 6, 12)
    False
    """
    place = FoundText(line[start:end], line[max(0, start - BEFORE) : start], line[end : end + AFTER])
    return TESTS[type](place) if type in TESTS else True


def is_name(place: FoundText) -> bool:
    """A name with a title, a credential or a clue beside it, or a listed first name and a surname."""
    if not NAME.fullmatch(place.text) or re.match(r"[\w(]", place.after):
        return False
    firsts = "first_names" if is_value(place) else "popular_first_names"
    if is_listed_pair(place.text, firsts) or CREDENTIAL.match(place.after):
        return True
    is_word = is_listed(place.text, "common_words")
    is_known = any(is_listed(word, "surnames") for word in split(place.text))
    if TITLE.search(place.before):
        return is_known or not is_word
    return is_known and not is_word and bool(NAME_CLUE.search(place.before))


def is_value(place: FoundText) -> bool:
    """Whether a finding is a whole string or a whole cell of a table."""
    return place.before[-1:] in ("'", '"', ",") and place.after[:1] in ("'", '"', ",")


def is_listed_pair(text: str, firsts: str = "popular_first_names") -> bool:
    """Whether a text is a listed first name and a surname, in any order with a comma; none of them is an
    ordinary word.

    >>> is_listed_pair("John Okafor"), is_listed_pair("OKAFOR, JOHN"), is_listed_pair("Grant Number")
    (True, True, False)
    """
    words = [word for word in split(text) if len(word) > 1]
    if len(words) != 2:
        return False
    first, last = reversed(words) if "," in text else words
    is_pair = is_listed(first, firsts) and is_listed(last, "surnames")
    is_word = is_listed(last, "common_words") or (
        firsts == "first_names" and is_listed(first, "common_words")
    )
    return is_pair and not is_word


def split(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:[-'][^\W\d_]+)*", text)


def is_phone(place: FoundText) -> bool:
    """A number of ten digits with its separators, which is not one for examples (exchange 555)."""
    match = PHONE.search(place.text)
    return match is not None and match["exchange"] != "555" and not is_pattern(place.text)


def is_ssn(place: FoundText) -> bool:
    return bool(SSN.fullmatch(place.text)) and place.text not in EXAMPLES


def is_number(place: FoundText) -> bool:
    """A number of five digits or more after its clue."""
    return (
        len(digits(place.text)) >= 5 and bool(NUMBER_CLUE.search(place.before)) and not is_pattern(place.text)
    )


def is_date(place: FoundText) -> bool:
    """A date with a year after a clue."""
    return bool(WITH_YEAR.fullmatch(place.text)) and bool(DATE_CLUE.search(place.before))


def is_street(place: FoundText) -> bool:
    return bool(STREET.match(place.text)) and not EXAMPLE_STREETS.match(place.text)


def is_pattern(text: str) -> bool:
    """Whether the digits look like an example: all the same, or counted up or down.

    >>> is_pattern("1234567"), is_pattern("000000"), is_pattern("4471902")
    (True, True, False)
    """
    found = digits(text)
    return len(set(found)) == 1 or found in "01234567890123456789" or found in "98765432109876543210"


def digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def is_listed(word: str, name: str) -> bool:
    return word.lower() in load_lowercase(name)


TESTS: dict[str, Callable[[FoundText], bool]] = {
    "PATIENT": is_name, "DOCTOR": is_name, "PHONE": is_phone, "FAX": is_phone, "SSN": is_ssn,
    "MEDICALRECORD": is_number, "HEALTHPLAN": is_number, "ACCOUNT": is_number, "DATE": is_date,
    "STREET": is_street,
}  # fmt: skip


class AllowList:
    """The texts that are allowed, of any type, whatever their capitals and blanks. The salt keeps two
    repositories from being compared; who has the file can still test a guess."""

    def __init__(self, path: Path) -> None:
        """Read the list, or begin an empty one if the file does not exist. Raises :class:`FormatError` for a
        file of another kind."""
        self.path, self.salt, self.hashes = path, secrets.token_hex(16), set[str]()
        if path.exists():
            self._read(files.read_text(path).splitlines())

    def _read(self, lines: Iterable[str]) -> None:
        entries = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
        match = SALT.fullmatch(entries[0][1].strip()) if entries else None
        if not match:
            raise FormatError(f"{self.path}: no salt; wanted a file that --allow-all has written")
        self.salt = match[1]
        for number, line in entries[1:]:
            text = line.partition("#")[0].strip()
            if not HASH.fullmatch(text):
                raise FormatError(f"{self.path}, line {number}: wanted a hash of 32 digits")
            self.hashes.add(text)

    def hash(self, text: str) -> str:
        return hmac.digest(bytes.fromhex(self.salt), normalize(text).encode(), hashlib.sha256).hex()[:32]

    def has(self, text: str) -> bool:
        return self.hash(text) in self.hashes

    def add(self, texts: Iterable[str]) -> int:
        """Allow texts, and write the file. Return how many are new."""
        new = {self.hash(text) for text in texts} - self.hashes
        self.hashes |= new
        with files.open_whole(self.path) as file:
            file.write(HEAD + f"salt {self.salt}\n" + "".join(f"{each}\n" for each in sorted(self.hashes)))
        return len(new)


def normalize(text: str) -> str:
    return " ".join(fold(text).split())

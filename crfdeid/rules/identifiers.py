"""Numbers of people and things "by looking for words around strings of numbers" (Douglass
2005, section 5.1.3). The words are ours, one rule for each type of i2b2 2014."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.lists import Lists
from crfdeid.rules.names import CREDENTIAL_WORDS
from crfdeid.rules.rule import Edges, Note, Rule, at_numbers, at_words, rule

SOURCE = "Douglass 2005, section 5.1.3 (words around strings of numbers); ours"
NUMBER = r"[ ]*(?:number|num|no\.?|nr\.?|id|code|\#)?[ ]*(?:is)?[ ]*[#:=]{0,2}[ \t]*"
VALUE = r"(?P<phi>(?=[\w:./-]*\d[\w:./-]*\d)\w(?:[\w./:-]*\w)?)"


def labelled(name: str, type: str, about: str, labels: str) -> Rule:
    """A number after one of the ``labels``, alternatives of a regular expression."""
    first = {word for label in re.split(r"\|", labels) for word in re.findall(r"[a-z]+", label)[:1]}
    return at_words(name, type, SOURCE, about, first, rf"(?:{labels}){NUMBER}{VALUE}")


medical_record_number = labelled(
    "medical_record_number", "MEDICALRECORD", "The number of a medical record or hospital unit.",
    r"mrn|mr[ ]?\#|mr(?= ?[:#])|med(?:ical)?[ ]rec(?:ord)?s?|hosp(?:ital)?(?= ?(?:\#|no|num))|unit(?= ?(?:\#|no\b|num))"
    r"|patient(?= ?(?:id|\#))|pt(?= ?(?:id|\#))|chart(?= ?(?:\#|no\b|num))|record(?= ?(?:\#|no\b|num))",
)  # fmt: skip
account_number = labelled(
    "account_number", "ACCOUNT", "The number of an account.", r"account|acct\.?|billing(?= ?(?:\#|no|num))|fin(?= ?[:#])",
)  # fmt: skip
health_plan_number = labelled(
    "health_plan_number", "HEALTHPLAN", "The number of a policy or of a member of a health plan.",
    r"policy|member(?= ?(?:id|\#|no|num))|subscriber|insurance(?= ?(?:id|\#|no|num))|medicare(?= ?(?:id|\#|no|num))"
    r"|medicaid(?= ?(?:id|\#|no|num))|health[ ]plan|group(?= ?(?:\#|no\b|num))|beneficiary",
)  # fmt: skip
license_number = labelled(
    "license_number", "LICENSE", "The number of a licence.", r"license|licence|lic\.?|dea|npi",
)  # fmt: skip
device_number = labelled(
    "device_number", "DEVICE", "The number of a device.", r"serial|s/n|sn(?= ?[:#])|lot(?= ?(?:\#|no|num))|model(?= ?(?:\#|no|num))|ref(?= ?\#)",
)  # fmt: skip
vehicle_number = labelled(
    "vehicle_number", "VEHICLE", "The number of a vehicle or its plate.", r"vin|plate|license[ ]plate|tag(?= ?\#)",
)  # fmt: skip
id_number = labelled(
    "id_number", "IDNUM", "The number of a job, order, case, accession, protocol or specimen.",
    r"accession|acc(?= ?[:#])|job|case(?= ?(?:\#|no\b|num))|order(?= ?(?:\#|no\b|num))|tracking|specimen(?= ?(?:\#|no|id))"
    r"|protocol(?= ?\#)|document(?= ?(?:\#|id|no|num))|dictation(?= ?(?:\#|id|no|num))|transcription(?= ?(?:\#|id|no|num))"
    r"|encounter|csn|visit(?= ?(?:\#|id|no\b|num))|confirmation|reference(?= ?(?:\#|no|num))|ticket|study(?= ?(?:\#|id))|id(?= ?[:#])",
)  # fmt: skip
record_shape = at_numbers(
    "record_shape", "MEDICALRECORD", SOURCE, "nn-nn-nn and nnn-nn-nn(-n), which are no dates.",
    r"(?<![\w./-])\d{2,3}-\d{2}-\d{2}(?:-\d)?(?![\w/-])",
    lambda match, note: int(match[0].split("-")[0]) > 31,
)  # fmt: skip
long_number = at_numbers(
    "long_number", "IDNUM", "ours", "Seven digits or more, alone.", r"(?<![\w./,$#-])\d{7,}(?![\w%-])(?![.,]\d)",
)  # fmt: skip
USER = re.compile(r"(?:[a-z]{1,3}\d{1,6}|[A-Z]{2,3}\d{2,6})(?![\w-])")


@rule("USERNAME", "ours")
def username(note: Note, lists: Lists) -> Iterator[Edges]:
    """Letters and digits after credentials or "Transcribed": "M.D. kw83"."""
    for index in note.places(CREDENTIAL_WORDS | {"transcribed", "transcriptionist", "typed", "user", "login"}):
        start = re.compile(r"\.?(?: by)?[:,/]? {1,2}\(?").match(note.text, note.ends[index])
        if note.capital(index) and start and (match := USER.match(note.text, start.end())):
            yield match.span()


RULES = (
    medical_record_number, account_number, health_plan_number, license_number, vehicle_number, device_number, id_number,
    username, record_shape, long_number,
)  # fmt: skip

"""The words by which hospitals are told: Tafvizi 2011, section 2.5.4; Douglass 2005, section 5.1.2."""

from __future__ import annotations

import re

from crfdeid.rules.name_clues import FUNCTION
from crfdeid.rules.word_forms import words

# Head words, as the words they are.
HEAD_WORDS = (
    "hospital", "hospitals", "hosp", "infirmary", "hospice", "sanatorium", "sanitarium", "clinic",
    "medical center", "medical centre", "medical ctr", "med center", "med ctr", "health center",
    "health centre", "health system", "healthcare", "health care", "rehab", "rehab center",
    "rehabilitation", "rehabilitation center", "rehabilitation hospital", "nursing home",
    "nursing center", "nursing facility", "cancer center", "cancer institute", "heart institute",
    "eye institute", "care center", "surgery center", "dialysis center", "manor", "pavilion", "vamc",
    "assisted living", "medical group", "medical associates", "family practice", "primary care",
    "general", "memorial",
)  # fmt: skip
HEADS = tuple(tuple(head.split()) for head in HEAD_WORDS)
# These stand in names of hospitals but do not make one.
GENERIC = words(
    """the a an this our your local outside community general memorial regional university hospital
    center medical day children childrens state county city veterans affairs acute care home
    admission discharge emergency course inpatient outpatient primary nursing rehab rehabilitation
    health system in at"""
)
# Heads before which a common word makes no name; and what goes with the others without being one.
WEAK = words("clinic hospice rehab healthcare health primary family general memorial pavilion assisted")
NO_HEADS = (
    GENERIC
    | FUNCTION
    | words(
        """skilled long term acute sub subacute post same short inpatient previous prior recent first second
    last next another other area nearby new old private public teaching tertiary referring
    transferring receiving psychiatric mental military base field general house"""
    )
)
NEVER = FUNCTION - {"of", "and"}
MORE = words("""st saint mt of and the s general memorial regional university children medical""")
SHORT = words("st mt mc la el ny va")
MOST = 5
ABBREVIATED = 5  # letters of an abbreviation at most
ABBREVIATION = re.compile(
    r"(?:at|from|to|in) (?P<phi>[A-Z]{2,6})\b"
    r"(?![-/]|\.\w| \d| [A-Z]{2}| (?:of|level)\b)"
)
MOVES = words(
    """transfer transferred admitted discharged presented brought referred seen hospitalized sent
    followed care admission presents drawn done dx diagnosed evaluated treated performed records
    visit clinic"""
)
MOVED = 5  # words between such a word and the preposition
NOT_HOSPITALS = words(
    """ed er ew icu micu sicu ccu cvicu nicu picu pacu tcu or osh ot pt snf cath ent gi gu ob obgyn gyn
    ir ct mri ltac rehab opd ob cvu msicu nsicu tsicu csru ercp ep or iv im sl po pcp hd rt lt us
    usa uk pr am pm labor nh cpap bipap acls vvir ddd ap vvi aai rusb lusb llsb rlsb dej lsb ua cc
    ppm pe rv lv aic bid tid qd prn npo dnr dni"""
)

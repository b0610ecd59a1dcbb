"""What becomes of each field of an HL7 v2 message: an allow-list by datatype. What is not listed is emptied.

The datatypes of the fields are those of HL7 v2.5.1, and of v2.8.2 for later fields (as in hl7apy 1.3.5, MIT),
where CE, CNE are written CWE, and TS, DT are written DTM.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from crfdeid.lexicon.names import TITLE_PART

KEEP, TEXT, EMPTY, NAME, TITLE, NUMBER, RANGE = (
    "keep", "text", "empty", "NAME", "title", "number", "range",
)  # fmt: skip
NARRATIVE = ("TX", "FT", "ST")  # the types of OBX-5 that are lines of a text
DATE = "DATE"

# By datatype: what becomes of its components, in their order; those after the last are emptied. A word in
# capitals is the type of PHI that the component is.
COMPONENTS = {
    name: tuple(actions.split())
    for name, actions in {
        "CWE": "keep text keep keep text keep keep keep text",
        "CX": "IDNUM empty keep empty keep",
        "CX-MR": "MEDICALRECORD empty keep empty keep",
        "CX-ACCOUNT": "ACCOUNT empty keep empty keep",
        "CX-PLAN": "HEALTHPLAN empty keep empty keep",
        "XPN": "NAME NAME NAME title title title keep keep",
        "XCN": "IDNUM DOCTOR DOCTOR DOCTOR title title title keep empty keep empty keep keep",
        "XAD": "STREET STREET CITY STATE ZIP COUNTRY keep",
        "XTN": "PHONE keep keep EMAIL number",
        "XON": "HOSPITAL keep IDNUM empty empty empty keep empty empty IDNUM",
        "PL": "DEPARTMENT ROOM ROOM HOSPITAL keep keep",
        "EI": "IDNUM empty empty keep",
        "EIP": "IDNUM IDNUM",
        "HD": "empty",
        "DLN": "LICENSE",
        "PPN": "IDNUM DOCTOR DOCTOR DOCTOR title title title",
        "NDL": "DOCTOR DATE DATE",
        "DR": "DATE DATE",
        "DTM": "DATE keep",
        "FC": "flag DATE",
        "DLD": "IDNUM DATE",
        "CQ": "number keep",
        "CP": "number keep",
        "SN": "comparator number comparator number",
        "MSG": "keep keep keep",
        "PT": "keep keep",
        "VID": "keep keep",
        "ID": "flag",
        "IS": "flag",
        "SI": "number",
        "NM": "number",
        "TM": "time",
        "ST": "text",
        "FT": "text",
        "TX": "text",
        "VERSION": "keep",
    }.items()
}
SHAPES = {  # of what is kept: what else is in such a component is emptied, because it may be a name
    KEEP: re.compile(r"[\w.+*%^/-]{1,20}", re.ASCII),
    "flag": re.compile(r"(?!.*[0-9]{4})[\w.+*/-]{1,12}", re.ASCII),
    NUMBER: re.compile(r"[+-]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})"),
    "comparator": re.compile(r"[<>=/:+-]{1,2}"),
    "time": re.compile(r"[0-9]{2,6}(\.[0-9]{1,4})?([+-][0-9]{4})?"),
    TITLE: TITLE_PART,
    RANGE: re.compile(r"[<>=]{0,2}\s?[0-9]{1,4}(\.[0-9]{1,4})?(\s?-\s?[0-9]{1,4}(\.[0-9]{1,4})?)?"),
}  # fmt: skip

SEGMENTS = {
    name: tuple(types.split())
    for name, types in {
        "FHS": "- - HD HD HD HD DTM - - - IDNUM IDNUM",
        "BHS": "- - HD HD HD HD DTM - - - IDNUM IDNUM",
        "BTS": "NM - NM",
        "FTS": "NM -",
        "MSH": "- - HD HD HD HD DTM - MSG IDNUM PT VID NM - ID ID ID ID CWE ID EI XON XON HD HD",
        "MSA": "ID IDNUM ST NM - CWE NM ID",
        "EVN": "ID DTM DTM IS XCN DTM HD",
        "PID": "SI CX-MR CX-MR CX-MR XPN XPN DTM IS XPN CWE XAD - XTN XTN CWE CWE CWE CX-ACCOUNT SSN DLN "
        "CX-MR CWE - ID NM CWE CWE CWE DTM ID ID IS DTM HD CWE CWE ST CWE CWE XTN",
        "PD1": "IS IS XON XCN IS IS IS IS ID CX CWE ID DTM XON CWE IS DTM DTM IS IS IS DTM",
        "NK1": "SI XPN CWE XAD XTN XTN CWE DTM DTM ST - CX XON CWE IS DTM IS IS CWE CWE IS CWE ID IS CWE XPN "
        "CWE CWE CWE XPN XTN XAD CX IS CWE IS SSN - IS XTN XTN",
        "PV1": "SI IS PL IS CX PL XCN XCN XCN IS PL IS IS IS IS IS XCN IS CX-ACCOUNT FC IS IS IS IS DTM NM "
        "NM IS IS DTM IS NM NM IS DTM IS DLD CWE IS IS IS PL PL DTM DTM NM NM NM NM CX IS XCN CX",
        "PV2": "PL CWE CWE CWE ST ST IS DTM DTM NM NM ST XCN DTM ID IS DTM IS ID NM IS ID XON IS IS DTM IS "
        "DTM DTM CWE IS ID DTM ID ID ID ID CWE CWE CWE CWE CWE IS IS CWE DTM DTM DTM IS DTM",
        "ORC": "ID EI EI EI ID ID - EIP DTM XCN XCN XCN PL XTN DTM CWE CWE CWE XCN CWE XON XAD XTN XAD CWE "
        "CWE DTM CWE CWE CWE CWE DTM CX CWE",
        "OBR": "SI EI EI CWE ID DTM DTM DTM CQ XCN ID CWE ST DTM - XCN XTN IDNUM IDNUM IDNUM IDNUM DTM - ID "
        "ID - - XCN EIP ID CWE NDL NDL NDL NDL DTM NM CWE CWE CWE ID ID CWE CWE CWE CWE CWE CWE IS "
        "CWE EIP",
        "OBX": "SI ID CWE ST - CWE ST IS NM ID ID DTM - DTM CWE XCN CWE EI DTM CWE EI CWE XON XAD XCN ID CWE "
        "CWE ID ID",
        "NTE": "SI ID - CWE XCN DTM DTM DTM",
        "TXA": "SI IS ID DTM XCN DTM DTM DTM XCN XCN XCN EI EI EI EI IDNUM ID ID ID ID ST PPN XCN CWE ST DTM",
        "SPM": "SI EIP EIP CWE CWE CWE CWE CWE CWE CWE CWE CQ NM ST CWE CWE DR DTM DTM ID CWE CWE CWE CWE CQ "
        "NM CWE CWE CWE CX CX EI",
        "DG1": "SI ID CWE ST DTM IS CWE CWE ID IS CWE NM CP ST ID XCN IS ID DTM EI ID",
        "PR1": "SI IS CWE ST DTM IS NM XCN IS NM XCN XCN CWE ID CWE CWE IS CWE EI ID CWE CWE PL ID EI",
        "AL1": "SI CWE CWE CWE ST DTM",
        "IAM": "SI CWE CWE CWE ST CWE EI ST CWE CWE DTM ST DTM XPN CWE CWE CWE XCN XON DTM XCN DTM XCN DTM "
        "XCN DTM CWE XON XON XON",
        "GT1": "SI CX XPN XPN XAD XTN XTN DTM IS IS CWE SSN DTM DTM NM XPN XAD XTN CX IS XON ID CWE DTM ID "
        "CWE CP NM CX CWE DTM DTM IS IS CWE CWE IS CWE ID IS CWE XPN CWE CWE XPN XTN CWE IS - - XON "
        "IS IS FC CWE - IS",
        "IN1": "SI CWE CX XON XAD XPN XTN HEALTHPLAN XON CX XON DTM DTM - IS XPN CWE DTM XAD IS IS - ID DTM "
        "ID DTM IS - DTM XCN IS IS NM NM IS HEALTHPLAN CP CP NM CP CP CWE IS XAD - IS IS IS CX-PLAN "
        "IS DTM - IS",
        "ACC": "DTM CWE ST CWE ID ID XCN ST ST ID XAD NM EI",
        "MRG": "CX-MR CX-MR CX-ACCOUNT CX-MR CX CX XPN",
        "SCH": "EI EI NM EI CWE CWE CWE CWE NM CWE - XCN XTN XAD PL XCN XTN XAD PL XCN XTN PL EI EI CWE EI "
        "EI",
        "AIS": "SI ID CWE DTM NM CWE NM CWE IS CWE CWE CWE",
        "RXA": "NM NM DTM DTM CWE NM CWE CWE CWE XCN - ST NM CWE IDNUM DTM CWE CWE CWE ID ID DTM NM CWE CWE "
        "ID XAD EI",
        "RXR": "CWE CWE CWE CWE CWE CWE",
    }.items()
}  # fmt: skip
PHI_TYPES = ("SSN", "IDNUM", "HEALTHPLAN")  # of fields that are PHI as a whole
NO_TYPE = "-"
SAME_TYPES = {"CE": "CWE", "CNE": "CWE", "TS": "DTM", "DT": "DTM"}
OF_PATIENT = ("PID", "NK1", "MRG", "GT1", "IN1")  # segments whose names are those of patients and their kin
NOT_KNOWN = ("STATE", "COUNTRY", DATE, "ROOM", "DEPARTMENT")  # types that are not searched in the texts
OWN_SEGMENTS = ("PID", "MRG")  # what they say of the patient is emptied where a rule keeps it
KEPT_FIELDS = (("MSH", 9), ("MSH", 11), ("MSH", 12), ("OBX", 2))  # without them no message can be read
KNOWN_DATES = (("PID", 7), ("PID", 29), ("NK1", 16))  # birth and death


class Rule(NamedTuple):
    """What becomes of a component: ``action`` is KEEP, TEXT, EMPTY, a key of SHAPES, or a type of PHI."""

    action: str
    is_known: bool


def find_rule(segment: str, field: int, component: int, datatype: str = "") -> Rule:
    """Return the rule of a component; ``datatype`` is that of OBX-5.

    >>> find_rule("PID", 5, 1), find_rule("PV1", 7, 2), find_rule("ZPI", 1, 1).action
    (Rule(action='PATIENT', is_known=True), Rule(action='DOCTOR', is_known=True), 'empty')
    """
    if datatype:
        actions = COMPONENTS.get(SAME_TYPES.get(datatype, datatype), ())
    else:
        types = SEGMENTS.get(segment, ())
        listed = types[field - 1] if field <= len(types) else NO_TYPE
        actions = (listed,) if listed in PHI_TYPES else COMPONENTS.get(listed, ())
    action = actions[component - 1] if component <= len(actions) else EMPTY
    if action == NAME:
        action = "PATIENT" if segment in OF_PATIENT else "DOCTOR"
    of_patient = segment in OF_PATIENT and action.isupper() and action not in NOT_KNOWN
    is_known = of_patient or action == "DOCTOR" or (action == DATE and (segment, field) in KNOWN_DATES)
    return Rule(action, is_known)


def is_kept(action: str, text: str) -> bool:
    """Whether a component that is kept has the shape that it should have.

    >>> is_kept("keep", "LN"), is_kept("keep", "Ana Okafor"), is_kept("title", "Okafor")
    (True, False, False)
    """
    return SHAPES[action].fullmatch(text) is not None

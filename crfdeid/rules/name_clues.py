"""Words and fields that tell of a name: the context clues of Douglass 2005, section 5.1.1, and of
Sibanda & Uzuner 2006, section 4.1. The papers name kinds and examples; the lists are ours."""

from __future__ import annotations

import re

from crfdeid.rules.word_forms import words

PATIENT_TITLES = words("mr mrs ms miss mister sr sra madam")
DOCTOR_TITLES = words("dr drs doctor prof professor")
OTHER_TITLES = words("rev reverend father rabbi sister capt captain sgt")

# Before a surname; Douglass 2005, table 5.1, has 148.
PREFIXES = words(
    """van von der den de del della da di du la le los bin ibn al el ter ten san st mc mac o d"""
)
SMALL_PREFIXES = PREFIXES - {"st", "mc", "mac", "o", "d", "san"}

RELATIVES = words(
    """wife husband spouse partner fiance fiancee girlfriend boyfriend mother father mom dad mum parents
    daughter daughters son sons child stepson stepdaughter brother brothers sister sisters sibling
    siblings grandmother grandfather grandson granddaughter aunt uncle niece nephew cousin friend
    friends neighbor neighbour roommate caregiver caretaker guardian proxy hcp kin visitor"""
)
STAFF = words(
    """nurse rn resident intern attending surgeon fellow physician pcp cardiologist oncologist
    neurologist psychiatrist pediatrician urologist radiologist pathologist anesthesiologist
    therapist np pa hospitalist consultant dentist midwife provider social worker chaplain
    pharmacist"""
)
SAID = words("named is called name names")
BY = words("""signed dictated reviewed verified approved read interpreted seen referred cosigned""")

COLON = r"[ ]*(?::|=|\|)[ \t]*"
PATIENT_FIELDS = re.compile(
    r"(?:(?:pt|patient|member|client|last|first|full|legal|maiden|subscriber|guarantor)(?:'s)?[ ]+name"
    rf"|name|patient|pt|last|first|re|alias|aka){COLON}",
    re.IGNORECASE,
)
PATIENT_FIELD_WORDS = words(
    """pt patient member client last first full legal maiden subscriber guarantor name re alias aka"""
)
DOCTOR_FIELDS = re.compile(
    r"(?:(?:attending|ordering|referring|primary|dictating|admitting|resident|consulting|signing"
    r"|rendering)?[ ]?"
    r"(?:attending|physician|provider|prov|surgeon|resident|pcp|doctor|author|radiologist|pathologist|md"
    r"|assistant|cosigner|fellow|consultant|anesthesiologist)(?:[ ]care)?(?:[ ]physician|[ ]md)?(?:\(s\)|s)?"
    r"|cc|cosigned|signed|dictated|transcribed|reviewed|verified|approved|read|interpreted|seen|referred)"
    rf"(?:[ ](?:by|and[ ]signed[ ]by|electronically[ ]by))?{COLON}(?:dr\.?[ ])?",
    re.IGNORECASE,
)
DOCTOR_FIELD_WORDS = BY | words(
    """attending ordering referring primary dictating admitting resident consulting signing rendering
    physician provider prov surgeon surgeons pcp doctor author radiologist pathologist md
    assistant cosigner fellow consultant anesthesiologist cc transcribed"""
)

CREDENTIALS = re.compile(
    r"(?:M\.?[ ]?D\b|D\.?O\b|Ph\.?[ ]?D\b|R\.?N\b|L\.?P\.?N\b|N\.?P\b|A?RNP|CRNP|P\.?A(?:-C)?\b|CRNA|CNM"
    r"|D\.?D\.?S\b|D\.?M\.?D\b|DPM|Pharm\.?D\b|RPh|LICSW|LCSW|MSW|PsyD|MBBS|DPT|OTR|SLP|RRT)(?!\w)",
    re.IGNORECASE,
)
CREDENTIAL_WORDS = words(
    """m md d do ph phd r rn l lpn n np arnp rnp crnp p pa crna cnm dds dmd dpm pharmd pharm rph licsw
    lcsw msw psyd mbbs dpt otr slp rrt"""
)

# Capitalised or not, these are no names.
FUNCTION = words(
    """a an and are as at but by for from had has have he her his i if in is it its no not of on or our
    she so that the their then there they this to was we were who will with you your when while
    after before also does did do been said says may can could should would please here
    electronically unknown none"""
)

# Behind a name, these make it an eponym's or a brand's: no one is called a retractor.
THINGS = words(
    """retractor retractors forceps clamp clamps bag tube tubes curette stem score scores scale criteria
    sign signs test tests type classification syndrome disease catheter drain drains suture
    sutures needle wire wires stent valve valves device devices pacemaker icd lead leads
    phenomenon maneuver procedure operation technique position index formula rules rule grade
    class cyst fracture palsy nodes node tumor sarcoma lymphoma contractions hicks blade scissors
    speculum pouch dynamometer stain reflex triad law point line angle screw screws rod plate
    prosthesis implant implants lens fascia layers layer splints splint silk awl arm trilogy
    dissector sounds baths hugger brace heart wort inventory questionnaire ulcer hernia changes"""
)

r"""Words beside a name: titles, credentials, and words for relatives and staff.

A name in capitals here is a set or a tuple of words, or the alternatives of a regular expression, which its
reader puts in brackets and gives its edges. Title words are in lower case and have no full stop.

Trained models depend on :data:`OBSERVED_TITLES` and :data:`OBSERVED_CREDENTIALS`: these two never change.
"""

from __future__ import annotations

import re

from crfdeid.lexicon import spanish
from crfdeid.lexicon.letters import word_set

# Titles
COURTESY = ("mr", "mrs", "ms", "miss")
DOCTORS = ("dr", "drs", "doctor")
PROFESSORS = ("prof", "professor")
TITLES = (*COURTESY, *DOCTORS, *PROFESSORS)
PATIENT_TITLES = frozenset([*COURTESY, "mister", "madam", *spanish.TITLES])
DOCTOR_TITLES = frozenset([*DOCTORS, *PROFESSORS])
OTHER_TITLES = word_set("rev reverend father rabbi sister capt captain sgt")
OBSERVED_TITLES = frozenset([*COURTESY, *DOCTORS, "prof", *spanish.TITLES])
KEPT_TITLES = frozenset([*TITLES, "nurse", "madam", "mister", "sra"])
SHORT_TITLES = "Dr|Mr|Mrs|Ms"
SMALL_TITLES = frozenset(("dr", "drs", "mr", "mrs", "prof"))  # with a full stop also in small letters
CAPITALIZED_TITLES = "|".join(map(str.title, TITLES))
CODE_TITLES = "Mrs?|Ms|Miss|Dr|Prof|MR|MRS|MS|DR|Doctor|Sra?|Dra?"  # in source code, MISS and PROF are words
PATIENT_TITLE_CUES = r"Mr|Mrs|Miss|(?:MR|MRS|Ms|MS)(?=\.)"  # without a full stop, MS is a disease
DOCTOR_TITLE_CUES, DOCTORS_TITLE_CUES = "Dr|DR", "Drs|DRS"
TITLE_SEARCH = (  # begins with few characters, because then a search is fast
    "[DMPNdmpn](?:rs?|RS?|s|S|rof|iss|ISS|octor|OCTOR|urse|URSE)"
)
LEADING_TITLES = (  # before a name, in the languages of patients
    "signora|signor|señora|señor|sra|doña|madame|monsieur|mme|herr|frau|haji|sheikh|encik|puan|cikgu|mister|dr"
    "|professor|reverend|rabbi|imam|shri|smt|alhaji|mallam|mzee|opanyin|kokum|mémère|pépère|sergeant|sgt"
    "|captain|capt|constable|caseworker|case worker"
    rf"|inspector|subedar|hav|aka|a\.k\.a|{'|'.join(COURTESY)}"
)
SMALL_LEADING_TITLES = (  # these are names too, when they begin with a capital
    "don|pan|pani|sir|dame|lady|lord|prof|rev|fr|father|pastor|bishop|canon|deacon|elder|chief|ex|bub|bn|bibi|bi"
)
LEADING_ROLES = (  # what staff are called before the name, in these letters
    "SpR|SHO|RMO|HMO|JMO|NIC|CNM|CNS|ANP|PHM|PHN|ANM|CHO|CHV|CHEW|AMO|DMO|SLT|OT|RN|RMN|MSW|PharmD|Pharm|RPh|GP"
    "|SLP|RD|RDN|SW|LCSW|LICSW|BCBA|CCLS|CRNA|LPN|LVN|FNP|APRN|RRT|EMT|EMT-P|HCA|CHW|GAL|FY[12]|ST[1-8]|PGY-?[1-7]"
    "|Arrestee|Inmate|Veteran|Vet|Witness|Driver|Passenger|Crew|Medic|Charge|Attn|Interp"
)
RANKS = (  # of armed forces and police, before the name, in these letters
    "PVT|Pvt|Pte|PTE|PFC|SPC|CPL|Cpl|LCpl|L/Cpl|SGT|SSG|SSgt|SFC|MSG|MSgt|TSgt|GySgt|1SG|1stSgt|SGM|CSM|SrA|A1C"
    "|HM[1-3]|HMC|HN|PO[1-3]|WO[12]?|CW[2-5]|ENS|LTJG|LT|Lt|2LT|1LT|2Lt|1Lt|LCDR|CDR|CPT|MAJ|Maj|LTC|LtCol|COL"
    "|Ofc|Ofcr|Det|Dep|Insp|Const|Cst|Cons|PCSO|WPC|Supt|Tpr|Trooper|Deputy|Sheriff|Marshal"
)
WRITTEN_TITLES = (  # of women and of men, as notes write them; a frequent one has several entries
    ("Ms.", "Mrs.", "Ms.", "Ms", "Mrs", "Miss"),
    ("Mr.", "Mr.", "Mr", "Mr."),
)

# Credentials. "DO" is also a word and a surname: it is added where capitals or full stops tell.
CREDENTIALS = ("MD", "RN", "NP", "PA", "PhD")
DOTTED = r"M\.?D|D\.?O|R\.?N|N\.?P|Ph\.?D"  # with or without full stops
WITH_STOPS = r"M\.D|D\.O|R\.N|N\.P|P\.A"
LONG_WITH_STOPS = (  # of three letters or more, because two others may be initials
    r"F\.A\.C\.(?:[CPS]|O\.G)|[FM]\.R\.C\.[A-Z]|M\.B\.B\.S|M\.B\.,?\s?Ch\.B|D\.D\.S|D\.M\.D|D\.P\.[MT]|L\.P\.N"
    r"|M\.P\.H|[LM]\.[CS]\.S?\.?W|[BM]\.S\.N|[AC]\.R\.N\.[AP]|F\.N\.P|C\.N\.[AM]|Pharm\.\s?D|Psy\.\s?D"
)
OBSERVED_CREDENTIALS = rf"m\.?\s?d|{DOTTED}"
CODE_CREDENTIALS = rf"{DOTTED}|PA-C|LPN|LCSW"
CUE_CREDENTIALS = r"MD|M\.D\.|D\.O\.|MSN|RN|R\.N\.|FNP|PA-C"
NEXT_CREDENTIALS = rf"(?:{DOTTED})\.?|PA(?:-C)?|P\.A\.|ARNP|FNP|CRNA|CNM|LPN|LCSW|DPM|PGY"
CREDENTIAL_SEARCH = r"[MDRNPLC](?:\.?[DONP]\b|A-C\b|h\.?D\b|DS\b|PN\b|RNA\b)"  # as TITLE_SEARCH
RULE_CREDENTIALS = (
    rf"{DOTTED}|M\.?[ ]D|Ph\.?[ ]D|L\.?P\.?N|A?RNP|CRNP|P\.?A(?:-C)?|CRNA|CNM"
    r"|D\.?D\.?S|D\.?M\.?D|DPM|Pharm\.?D|RPh|LICSW|LCSW|MSW|PsyD|MBBS|DPT|OTR|SLP|RRT"
)
RULE_CREDENTIAL_WORDS = word_set(  # the first words of a match of RULE_CREDENTIALS
    """m md d do ph phd r rn l lpn n np arnp rnp crnp p pa crna cnm dds dmd dpm pharmd pharm rph licsw
    lcsw msw psyd mbbs dpt otr slp rrt"""
)
ENDING_CREDENTIALS = (  # at the end of a name, in the countries of the written corpus
    r"RN|RM|RMN|RGN|SRN|NP|PA|PA-C|MD|DO|PT|OT|OTR|SW|CC|S[Rr]|PharmD|RPh|PhD|BSc|MSc|MBBS|MBChB|"
    r"[MF]RC[A-Z][A-Za-z]*|MFOM|FACP|FACS|FACOG|FACC|ARNP|APRN|CNS|CNM|CNP|CNA|FNP|PMHNP|AGACNP|CRNA|CCRN|CEN|CCDS|"
    r"CDE|CCM|LCDC|LCSW|LMSW|MSW|LMFT|LPC|LPN|LVN|EN|EEN|RD|LDN|RRT|RCO|RSW|SLP|CCC-SLP|DDS|DMD|BDS|DPM|DPT|MCSP|DCH|"
    r"DRCOG|MPH|MBA|ANNP|ANP|KMPDC|SANC|HPCSA|PGY-?\d|[CS]T\d|F(?:Y?[12])|SHO|SpR|I{1,3}|"
    r"MW|MO|SN|AP|HCA|CHO|CHN|CHV|CHEW|AMO|DMO|RMO|HMO|JMO|NIC|MHA|MPSI|MICS|KRCHN|KRMHN|KECHN|AuD|OD|"
    r"RDH|LADC|MLADC|LCMHC|CRNI|NCSN|BSN|MSN|DNP|APRN(?:-[A-Z]+)?|PsyD|ABPP(?:-[A-Z]+)?|MB|BCh|BAO|FRCEM|FRANZCR|"
    r"FACEM|FRACS|FRACP|FANZCA|FANZCOG|FRANZC(?:OG|P)|FACRRM|FRNZC[A-Z]+|FCICM|FCEM|MMed|MICGP|MPharm|CCFP|FCPS|"
    r"CCLS|CTRS|LICSW|LISW|LCAS|LPCC|LMHC|LCPC|CADC|SUDP|BCBA|RBT|RDN|CNSC|CDCES|BCPS|BCOP|CRNP|AGPCNP|WHNP|CPNP|PNP|"
    r"NNP|OCN|CWOCN|WOCN|SANE(?:-[AP])?|IBCLC|ATC|OTR/L|COTA|PTA|RVT|RDMS|RDCS|CHW|EMT(?:-[BIP])?|NRP|FP-C|MEd|EdD|JD|"
    r"MAJ|LTC|LTCOL|LtCol|CPT|LCDR|CDR|USAF|USN|USMC|USA|IDC"
)
CHECKED_CREDENTIALS = "MD|RN|DO|PA-C|NP|MBBS|FRCS|FRACP|PhD|RM|LCSW|PharmD"  # in the written corpus
TITLE_PART = re.compile(  # what a field for titles, suffixes or degrees may hold: anything else may be a name
    rf"(?:[JS]r|I{{1,3}}|IV|V|Drs?|Mr|Mrs|Ms|Miss|Prof|{'|'.join(CREDENTIALS)}|DO|M\.D|D\.O|PA-C|Ph\.D)\.?",
    re.IGNORECASE,
)

# Words for relatives and staff
RELATIVES = word_set(
    """wife husband spouse partner fiance fiancee girlfriend boyfriend mother father mom dad mum parents
    daughter daughters son sons child stepson stepdaughter brother brothers sister sisters sibling
    siblings grandmother grandfather grandson granddaughter aunt uncle niece nephew cousin friend
    friends neighbor neighbour roommate caregiver caretaker guardian proxy hcp kin visitor"""
)
RELATION = (
    r"daughter|son|wife|husband|mother|father|sister|brother|aunt|uncle|niece|nephew|cousin|"
    r"grand(?:daughter|son|mother|father)|spouse|fianc[eé]e?"
)
KIN = (  # what relatives are called directly before the name, in the languages of patients
    r"nana|nain|nanny|grannie|granny|grandma|grandmother|grandpa|grandad|granddad|grandfather|nonno|taid|"
    r"mamgu|tadcu|memaw|mawmaw|pawpaw|mum|mom|mam|mummy|mommy|dad|daddy|aunt|auntie|aunty|tante|tannie|"
    r"uncle|oom|ouma|oupa|koro|kuia|whaea|matua|tío|tía|abuela|abuelo|khala|chacha|chachi|ntate|gogo|"
    r"mkhulu|induna|cousin|brother|husband|wife|partner|daughter|niece|nephew|stepdad|stepmum|stepmom|"
    r"stepson|stepdaughter|friend|neighbour|neighbor|girlfriend|boyfriend|fiance|fiancé|fiancée|fiancee|"
    r"baby"
)
SMALL_KIN = (  # these are names too, when they begin with a capital
    r"nan|gran|nonna|moko|mama|baba|babu|dadi|thatha|rra|sister|sis|bro|hubby|son|dtr|pa|pop|pops|tia|tio|"
    r"titi|lola|lolo|tita|kuya"
)
STAFF = word_set(
    """nurse rn resident intern attending surgeon fellow physician pcp cardiologist oncologist
    neurologist psychiatrist pediatrician urologist radiologist pathologist anesthesiologist
    therapist np pa hospitalist consultant dentist midwife provider social worker chaplain
    pharmacist"""
)
STAFF_TITLES = (  # what a member of the staff is called directly before the name
    r"nurse|midwife|physio|physiotherapist|dietitian|dietician|pharmacist|surgeon|registrar|consultant|"
    r"psychologist|psychiatrist|therapist|counsellor|counselor|social worker|case manager|care manager|"
    r"link worker|key worker|support worker|health visitor|interpreter|officer|teacher|solicitor|"
    r"attorney|receptionist|paramedic|technician|radiographer|sonographer|optometrist|dentist|hygienist|"
    r"chaplain|coordinator|clerk|resident|intern|hca|cns|spr|sho|phn|senco|charge nurse|judge|detective|"
    r"sergeant|constable"
)
SAYS_PERSON = (  # before a name that is also another word
    rf"{'|'.join(sorted(KEPT_TITLES))}|{LEADING_TITLES}|{SMALL_LEADING_TITLES}|{KIN}|{SMALL_KIN}"
    rf"|{'|'.join(sorted(RELATIVES))}|{STAFF_TITLES}|{'|'.join(sorted(STAFF))}"
    r"|in[ -]law|patient|pt|name|by|per|from|cc|attn|author|provider|clinician|loc|location|ward|unit|signed"
    r"|employee|contact|d/w|discussed with|(?:out|handoff) to|supervision of|calls h(?:er|im)|i am|called"
    r"|named|hi|hello|dear|thanks|thank you|okay"
)

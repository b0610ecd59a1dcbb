"""The patterns that the development set adds to the reports: mentions, heads, feet and queries.

They are written by hand. ``{TYPE}``, ``{TYPE2}``, ``{TYPE.kind}`` are slots of
:class:`devset_surrogates.Cast`; the rest is not PHI. ``{DATE3}`` is a date of birth.
"""

from __future__ import annotations

import re

MENTIONS = """
The patient lives with her sister in {CITY}, {STATE}.
He was born in {COUNTRY} and came to {CITY2} in {DATE.year}.
Previously followed at {HOSPITAL2} by Dr. {DOCTOR3.last}.
Old records were requested from {HOSPITAL2}.
She works as a {PROFESSION} for {ORGANIZATION}.
He is employed as a {PROFESSION}.
Occupation: {PROFESSION}.
Mother died at {AGE2}, father alive at {AGE3}.
A brother, {AGE2}, has diabetes.
His daughter {PATIENT2.first} can be reached at {PHONE2}.
Her husband, {PATIENT2.full}, was at the bedside and agrees with the plan.
I discussed the findings with {DOCTOR2.full}, MD, by telephone.
Case reviewed with Dr. {DOCTOR2.last} on {DATE.us}.
Last seen in this office {DATE.us2}.
She underwent the same study on {DATE.long} at {HOSPITAL2}.
Follow up with {DOCTOR.full} on {DATE2.noyear}.
Return to clinic the week of {DATE2.long}.
Chart reviewed; labs from {DATE.us2} and {DATE2.us2} noted.
Mr. {PATIENT.last} understands and wishes to proceed.
{PATIENT.full} was identified by name and date of birth.
{PATIENT.first} did well overnight.
Seen and examined with {DOCTOR2.last} PA-C.
Please page {DOCTOR2.short} at {PHONE} with questions.
The consent was signed by the daughter, {PATIENT2.full}.
Insurance: {HEALTHPLAN}. Authorization #{IDNUM}.
Specimen {IDNUM} was sent to pathology.
Transferred from {HOSPITAL2} in {CITY2} late on {DATE.noyear}.
Implanted device number {DEVICE}, interrogated {DATE.us}.
The patient was in room {ROOM} at the time.
Message left for {DOCTOR3.full} (fax {FAX}).
Thank you, Dr. {DOCTOR3.last}, for this kind referral.
He moved here from {STATE.full} after the flood of {DATE.year}.
First noted in {DATE.month} by her family doctor, Dr. {DOCTOR3.last}.
Pharmacy called re {PATIENT.last}, refill phoned in {DATE2.us2}.
Home address confirmed as {STREET}, {CITY} {STATE} {ZIP}.
Case manager {DOCTOR3.full} will arrange placement at {HOSPITAL2}.
Contact by e-mail at {EMAIL} preferred.
Nurse {DOCTOR3.first} called with critical potassium.
Patient known to us since {DATE.year}.
{DOCTOR2.full}, RN, was present for the whole conversation.
Dr. {DOCTOR2.last}'s note of {DATE.noyear} was reviewed.
The {AGE2} year old roommate of the patient is also ill.
{PATIENT.last} is a pleasant {AGE}-year-old known to Drs. {DOCTOR2.last} and {DOCTOR3.last}.
Ms. {PATIENT.last}'s son {PATIENT2.first} ({PHONE}) holds power of attorney.
She drove from {CITY} this morning and will return to {HOSPITAL2} on {DATE2.weekday}.
Films from {HOSPITAL2} dated {DATE.dash} were available for comparison.
Anesthesia by Dr. {DOCTOR2.full}; assistant {DOCTOR3.short}, PA-C.
Retired {PROFESSION}, formerly with {ORGANIZATION}.
Social worker {DOCTOR3.full} spoke with the wife, {PATIENT2.first}.
Prior MRN at {HOSPITAL2} was {MEDICALRECORD2}.
The stress test in {DATE.my} was negative.
Tetanus given {DATE.ddmmm}.
Critical value read back to {DOCTOR2.first} {DOCTOR2.last} at 04:10 on {DATE.us2}.
He plans to visit {COUNTRY} in {DATE2.monthonly}.
"""

HEADS = """
{HOSPITAL}
{STREET}
{CITY}, {STATE} {ZIP}
Phone: {PHONE}   Fax: {FAX}

PATIENT NAME: {PATIENT.caps}
MR#: {MEDICALRECORD}          ACCT#: {ACCOUNT}
DOB: {DATE3.us4}     AGE: {AGE}   SEX: M
ADMIT DATE: {DATE.us4}
ATTENDING: {DOCTOR.middle}, M.D.

----
Patient:  {PATIENT.comma}          MRN:  {MEDICALRECORD}
Date of Birth:  {DATE3.us}          Date of Service:  {DATE.us}
Provider:  {DOCTOR.full}, MD          Location:  {HOSPITAL}

----
** {HOSPITAL} **
NAME: {PATIENT.caps}   UNIT NO: {MEDICALRECORD}
PHYS: {DOCTOR.comma} MD   LOC: {DEPARTMENT}   BED: {ROOM}
DOB: {DATE3.us2}  AGE: {AGE}   ACCT NO: {ACCOUNT}
EXAM DATE: {DATE.us2}   STATUS: ADM IN
RAD NO: {IDNUM}

----
{MEDICALRECORD} {PATIENT.caps} {DATE.us4}
{HOSPITAL}
DICTATED BY: {DOCTOR.full}, M.D.
REFERRED BY: {DOCTOR3.full}, D.O.

----
|{PATIENT.comma}|{DATE3.iso}|F|{MEDICALRECORD}|{DOCTOR.last}|{HOSPITAL}|{DATE.iso}|

----
Encounter Date: {DATE.dash}
{PATIENT.full} ({AGE} y.o. female)
MRN {MEDICALRECORD} | CSN {IDNUM} | SSN {SSN}
PCP: {DOCTOR3.comma}, MD
Department: {HOSPITAL}

----
{DATE.long}

{DOCTOR3.full}, M.D.
{HOSPITAL2}
{STREET}
{CITY}, {STATE} {ZIP}

RE: {PATIENT.full}
DOB: {DATE3.us}
File #: {MEDICALRECORD}

Dear Dr. {DOCTOR3.last}:

----
{PATIENT.vista}            {SSN}            {DATE3.dash}
LOCAL TITLE: PRIMARY CARE NOTE
DATE OF NOTE: {DATE.dash}@10:32     ENTRY DATE: {DATE.dash}@10:40:11
AUTHOR: {DOCTOR.vista}             EXP COSIGNER: {DOCTOR2.vista}

----
RUN DATE: {DATE2.us2}          {HOSPITAL} LAB/RAD **LIVE**          PAGE 1
RUN TIME: 0611                 {STREET}, {CITY}, {STATE} {ZIP}
--------------------------------------------------------------------
Patient: {PATIENT.vista}     Acct: {ACCOUNT}   Loc: {ROOM}   U#: {MEDICALRECORD}
Age/Sex: {AGE}/F      DOB: {DATE3.us2}     Attend Dr: {DOCTOR.vista}

----
Name: {PATIENT.full} | DOB: {DATE3.us} | MRN: {MEDICALRECORD} | PCP: {DOCTOR3.full}, MD | {PATIENT.comma}

----
FROM: {HOSPITAL}, {CITY} {STATE}
TO: {DOCTOR3.full} MD, FAX {FAX}
PT {PATIENT.caps} / {AGE} M / {MEDICALRECORD} / {DATE.us2}

----
DATE OF PROCEDURE:  {DATE.long}
PATIENT:  {PATIENT.full}
SURGEON:  {DOCTOR.middle}, M.D.
ASSISTANT:  {DOCTOR2.full}, PA-C
ANESTHESIOLOGIST:  {DOCTOR3.short}

----
{DATE.us4}
{PATIENT.lower}
{STREET}
{CITY}, {STATE} {ZIP}
RE: your visit with {DOCTOR.full}

----
Page 1 of 2    {PATIENT.comma}    {MEDICALRECORD}    {DATE.us2}
Admitted {DATE.us2}  Discharged {DATE2.us2}

"""

FEET = """

______________________________
{DOCTOR.full}, M.D.
D: {DATE.us4} 14:20
T: {DATE2.us4} 09:12
{USERNAME}
Job #: {IDNUM}
cc: {DOCTOR3.full}, M.D.
----

Electronically signed by {DOCTOR.full}, MD on {DATE.us} at 8:47 AM
----

{DOCTOR.caps}
DD: {DATE.us2}   DT: {DATE2.us2}   TR: {USERNAME}
----

Thank you for allowing me to take part in the care of Mrs. {PATIENT.last}.

Sincerely,

{DOCTOR.middle}, DO
{HOSPITAL}
Tel {PHONE}
----

** REPORT SIGNED IN OTHER VENDOR SYSTEM {DATE2.us4} **
Reported By: {DOCTOR.caps}
CC: {DOCTOR2.last}; {DOCTOR3.last}
Batch {IDNUM}
----

Dictated By: {DOCTOR.full}, MD    {DATE.us4} 11:05
Transcribed By: {USERNAME}        {DATE2.us4} 15:48
Authenticated by {DOCTOR.comma} On {DATE2.us4} 05:12:09 PM
----

/es/ {DOCTOR.caps}, MD
Staff Physician
Signed: {DATE2.us4} 10:44

Receipt Acknowledged By:
{DATE2.us4} 11:02        /es/ {DOCTOR2.caps}, RN
----

Provider: {DOCTOR.full}, NP    NPI {IDNUM.npi}    ({PHONE})
Patient: {PATIENT.full}  DOB {DATE3.us2}  Visit {DATE.us2}
----
{DOCTOR.first} {DOCTOR.last}, DO / {USERNAME}  {DATE.us2} {DATE2.us2}  Conf# {IDNUM}
cc: {DOCTOR2.full}, {DOCTOR3.full}, {HOSPITAL2}, {CITY}
----

Signed: {DOCTOR.short} MD {DATE.noyear} 1635, pager {PHONE}
----

{PATIENT.comma}   {MEDICALRECORD}   Page 2 of 2   Printed {DATE2.us} by {USERNAME}
----
"""

QUERIES = """
find notes for {PATIENT.lower} dob {DATE3.us}
who is the pcp of mrn {MEDICALRECORD}
{PATIENT.lower} last a1c
{PATIENT.lowercomma}
{PATIENT.comma} mri brain
mrn {MEDICALRECORD} allergies
mr# {MEDICALRECORD} discharge summary {DATE.us2}
{PATIENT.full} {DATE3.us4}
labs for {PATIENT.lower} since {DATE.us}
show ct chest from {DATE.us} for {PATIENT.last}
dr {DOCTOR.lowerlast} clinic notes {DATE.month}
all patients of dr {DOCTOR.lowerlast} on warfarin
operative note dr. {DOCTOR.last} {DATE.us2}
is {DOCTOR.lower} on call tonight
phone number for {DOCTOR.lower} cardiology
patients transferred from {HOSPITAL.lower} with sepsis
{HOSPITAL.lower} outside records {PATIENT.lower}
discharge summaries {HOSPITAL} {DATE.year}
{AGE} yo female with chest pain seen {DATE.us2}
{AGE} year old man with lung nodule dr {DOCTOR.lowerlast}
when was {PATIENT.lower} admitted
meds of {PATIENT.lower} at discharge {DATE.noyear}
patient living at {STREET.lower} {CITY.lower}
who lives at {STREET}
callback {PHONE} re biopsy result
which patient has phone {PHONE}
ssn {SSN}
ssn {SSN} insurance card
fax results to {FAX} attn dr {DOCTOR.lowerlast}
did mr {PATIENT.lowerlast} get his flu shot
mrs {PATIENT.lowerlast} knee replacement op note
pathology accession {IDNUM}
account {ACCOUNT} billing notes
member id {HEALTHPLAN} eligibility
{PATIENT.lower} {AGE} f hip fracture
email for {PATIENT.lower} is it {EMAIL}
echo report {PATIENT.lower} ef
last colonoscopy for {PATIENT.last}, {PATIENT.first}
notes by {DOCTOR.full} between {DATE.us} and {DATE2.us}
admissions from {CITY.lower} {STATE} in {DATE.year}
patients from {COUNTRY.lower} screened for tb
man from {CITY.lower} with asbestosis
nursing notes {DATE.iso} room {ROOM}
consult {DOCTOR.lowerlast} for {PATIENT.lowerlast} afib
{PATIENT.first} {PATIENT.last} potassium trend
what did dr {DOCTOR.lowerlast} say about the mass
note signed by {USERNAME}
ed visits {DATE.words} {PATIENT.lower}
wife of {PATIENT.lower} phone
{DOCTOR.lowerlast} {PATIENT.lowerlast} {DATE.us2}
{PATIENT.firstlower} {PATIENT.lowerlast} icu course
pull up {PATIENT.full}'s ekg
{PATIENT.lower}, {AGE}, s/p cabg
any notes from {HOSPITAL.lower} for mrn {MEDICALRECORD}
{MEDICALRECORD}
{PATIENT.lower}
hba1c {PATIENT.lowerlast} {PATIENT.firstlower} {DATE.year}
pts of {DOCTOR.firstlower} {DOCTOR.lowerlast} with missed appts {DATE.monthlower}
appt {DATE.words} with {DOCTOR.lowerlast}
{HOSPITAL.lower} ed note {DATE.us2}
seen at {HOSPITAL.lower} in {CITY.lower}
{PATIENT.lowerlast} {DATE3.us}
does {PATIENT.lower} of {CITY.lower} have a pacemaker
psych consult for {PATIENT.firstlower} in room {ROOM}
biopsy {IDNUM} {PATIENT.lowerlast}
ms {PATIENT.lowerlast} allergic to sulfa?
cath report dr {DOCTOR.lower} {DATE.iso}
find {AGE} yr old {PATIENT.firstlower} from {CITY.lower} {STATE.lower}
"""

# Without PHI: each line, or each line with a word of TOPICS.
CLEAR_QUERIES = """
patients with {topic} on metformin
latest guidelines {topic}
{topic} and elevated troponin
history of {topic} no anticoagulation
ct findings {topic}
{topic} treated with prednisone 40 mg daily
parkinson disease with falls last 6 months
foley catheter removed and retention
graves disease thyroidectomy complications
swan ganz readings wedge over 18
bell palsy steroids
women over 65 with {topic}
bp 150/90 not on ace inhibitor
t 38.5 hr 120 wbc 14.2
ef less than 35 percent
l4-5 disc herniation
{topic} icd 10 code
how to taper keppra 500 mg
difference between type 1 and type 2 mi
crohn flare infliximab failure
hodgkin lymphoma abvd cycle 3
baker cyst rupture vs dvt
notes mentioning {topic}
billroth ii anastomosis leak
whipple procedure outcomes
hashimoto thyroiditis tsh 12
"""
TOPICS = [
    "pneumonia", "copd exacerbation", "pancreatitis", "breast cancer", "afib", "stroke", "hip fracture",
    "gout", "cirrhosis", "sepsis", "lupus", "asthma",
]  # fmt: skip


def split_blocks(text: str) -> list[str]:
    """Return the blocks between lines of four hyphens."""
    parts = re.split(r"^----\n", text, flags=re.MULTILINE)
    return [part.removeprefix("\n") for part in parts if part.strip()]


def split_lines(text: str) -> list[str]:
    """Return the lines that are not empty."""
    return [line for line in text.splitlines() if line]

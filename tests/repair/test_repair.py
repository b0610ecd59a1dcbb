"""Repair of spans, form by form, and as a stage of every tagger."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.repair import BY_SCHEME, FORMS, dates, find_forms, places, repair_batch, repair_spans, spans
from crfdeid.systems import model
from crfdeid.text.document import Document, Span, find_overlap, mask_spans
from crfdeid.text.scheme import read_scheme

MARK = re.compile(r"<([A-Z-]+)\|([^>]*)>", re.DOTALL)

LEFT_ALONE = """
told Mrs. <DOCTOR|Dunn>
<PATIENT|Noor Mohd. Khan> x
<PATIENT|Lionel Burrows>, P x
<DATE|12 May> and <DATE|3 Feb> x
Mrs. <DOCTOR|Ruiz> came
born <DATE|4-7-08> x
in <DATE|2057> and <DATE|2131> x
since <DATE|Christmas 2019> x
in <DATE|early 2019> x
on the <DATE|25th> she
since <DATE|Feb 47>. Ate well
to <CITY|Erie> <DATE|2016> again
at <HOSPITAL|St. Joseph>, <DATE|Day> 3
seen <DATE|6/9> again
<PATIENT|Jean DUPONT> came
<PATIENT|Ana HO> came
<PATIENT|Bibi Roth> came
in <CITY|Erie> General medicine
since <DATE|1955-1971> there
<PATIENT|John Ruiz Jr.> came
<DOCTOR|Ruiz, J.> wrote
at <HOSPITAL|St. Mary Hospital> today
<STREET|12 Knoll St.>, Erie
<STATE|D.C.> only
call <PHONE|(617) 555-0101> now
<DATE|12 / 25 / 2010> it was
<DATE|May 3> and the <DATE|4th>
<AGE|61>-year-old
see <URL|http://a.org/b/> here
seen at <STREET|12 Knoll Blvd>, Today, in 16501
no. <MEDICALRECORD|202213070914> has no month 13
TIME: <DATE|3161> was <STREET|0611>
printed 12:30@elm and 4@5 mg
write to <EMAIL|ana@elm.org or leo@oak.org> today
from <HOSPITAL|MGH> and <HOSPITAL|BWH> both
from <HOSPITAL|Elm Hospital> and <HOSPITAL|Oak Hospital> both
from <HOSPITAL|Elm Hospital> of <HOSPITAL|Oak Hospital> both
phone/fax <PHONE|617-555-0101>
Fax: <FAX|617-555-0101>
<DOCTOR|Robert Page> wrote
<IDNUM|12345678AB> is the number
<MEDICALRECORD|123456>MG of it
Phone MRN<MEDICALRECORD|123456>
phone mrn<MEDICALRECORD|123456>
<MEDICALRECORD|123456>Radiology of it
<HOSPITAL|Elm Hospital> at noon
to <HOSPITAL|Elm Hospital> - <HOSPITAL|Oak Hospital> by car
<HOSPITAL|Elm Hospital> - <CITY|Boston>, MA 02115
from <HOSPITAL|Elm> hospital course
<DOCTOR|Ana Roth>, M.D.
<HOSPITAL|Elm Clinic>
<DOCTOR|Ana Ruiz>, <DOCTOR|Leo Roth>
seen by <DOCTOR|Smith-Jones> MD
<PATIENT|Ruiz, Ana M.>
<DATE|March 3> at noon
call <PHONE|617-555-0101> or fax <FAX|617-555-0102>
Phone: <PHONE|617-555-0101> Fax: <FAX|617-555-0102>
<MEDICALRECORD|12-34-56> / <DATE|3/7/61>
<IDNUM|SW9788/78>
Dear <DOCTOR|Leo>
Dr. Who is that
the Dr. said so
MS was found and MR imaging
his wife, who is well
DR. AND MRS.
please call us at 617
Hospital (1)
The patient is a 32-year-old
Patient is a 32-year-old
I, however, was
Nephrology (see above)
signed by me
Assistant: None
RN: None
Social worker: Patient has none
by <DOCTOR|M.> MD now
Surgeon: Same as above
Attending:
Patient: Pain, none
SIGNED BY: RESIDENT, MEDICINE
Percocet and Vicodin (GI). No
NPI none
12345678Radiology
<AGE|25> M
rang <PATIENT|Col Hargreave> x
at <ORGANIZATION|SFC> now, <DOCTOR|Pulido>
for hepatitis C. <DOCTOR|Brown> says
at the E.R. <DOCTOR|Brown> says
plan B. <DOCTOR|Brown> says
rv 2/52; seen on <DATE|3/12>
cough since <DATE|5/7> TDS
TDS <DATE|5/7>/24 done
cough <DATE|3/12> again
winter <DATE|95/96> bad
on <DATE|12/18> seen
id <IDNUM|2/52> x
at <HOSPITAL|NHS 24 Clinic> x
<DATE|Mon>, <DATE|Wed>, <DATE|Fri> x
on <DATE|May 3> 11 x
of <DATE|2016>-<DATE|2018> x
the flat at <STREET|17 Elm Court>, Unit of
<STREET|1 Elm St> and <STREET|2 Oak St> x
0715 up, 1140 out, 2210 bed; MI in <DATE|2011>
\n<DATE|1990> stent, 0715 up, 1140 out
due <DATE|9.05>, seen 7.45
on <DATE|01.29> a fax
\n<DATE|9.05> seen\n8.10 out
seen by <PATIENT|Ana>, <DOCTOR|Ruiz> and all
present: <PATIENT|Ana>, <PATIENT|Bee>, <PATIENT|Roth>
<PATIENT|Hope> is in <PATIENT|Ruiz>
seen <DATE|3/19>, <STREET|12 Oak St> x
age <AGE|51> at <STREET|12 Oak St> x
M<AGE|27> GSW, F<AGE|72> #NOF
DOL 1, <AGE|19> hours, 2.1 kg
seen at <AGE|40> min old, wt 3
had <AGE|85> years of age, <AGE|2> years of her life
is <AGE|four> months on Sunday
<AGE|4> days on discharge x
a <AGE|61> MI and <AGE|47> FT teacher
a <AGE|61> MM, <AGE|52> MG, <AGE|40> mm hm
in her <AGE|97>th year, his <AGE|75>th. x
this <AGE|20>-month F and <AGE|fifty>-odd
GCS 15 <AGE|61> M, BP <AGE|71> yo, HR <AGE|61>F
room <AGE|61> F, bed 4  <AGE|52>
drowned at <AGE|15>, good. From <AGE|six>, in care
normal for <AGE|3> months, for <AGE|61> years old
in her <AGE|40s> 12 mm
You turned <AGE|ninety> in the middle
on <DATE|sat> by the river, from <DATE|SAT> with Ana
off since <DATE|sat> because, <DATE|Sat> with Ana
<DATE|sat> morning, <DATE|SAT 17> off
<DATE|1st> of the month, <DATE|14th> of this
on the <DATE|2nd> July, the <DATE|ninth> period
BCx <DATE|1/9> p, Sx <DATE|7/14> x
surgery for <DATE|4/12> now
<DATE|Christmas> dinner, the <DATE|Mar 3> visit
no. <MEDICALRECORD|4471> and <MEDICALRECORD|ZAB12CD>
bleep <PHONE|2204>, at <PHONE|0812> x
police item <IDNUM|F-18842-24>
M / 49 05 <MEDICALRECORD|20> / 1
amox TDS, D/C <DATE|13/12>, VFC <DATE|22/07>
amox TDS, Tues <DATE|2/7>, MRI <DATE|5/7>
amox TDS, lap <DATE|7/12> at 01:20, died <DATE|2/7>
last time <DATE|2023> was sad
VA 6/6 R and L, a refraction, a field and two pairs of glasses are due; home <DATE|6/9>, Erie <DATE|6/5>
since <DATE|May 3>, 2 and 5. x
saw Dr. <DOCTOR|Ana> <DATE|Christmas> Eve x
told <PATIENT|Ana> <DATE|Christmas> was x
on <DATE|May 3> and 8 units x
on <DATE|May 3>, 7 and 45. x
in <DATE|May 2015>, 16 and 17. x
""".strip().splitlines()

CHANGED = {
    "smear <DATE|Aug 6>, 7 and 8, 2015; x": "smear <DATE|Aug 6, 7 and 8, 2015>; x",
    "on <DATE|August 6th> & 8th she": "on <DATE|August 6th & 8th> she",
    "<DATE|May 3>, <DATE|4> or 9 (twice)": "<DATE|May 3, 4 or 9> (twice)",
    "drove. <AGE|47> MI FROM Erie": "drove. 47 MI FROM Erie",
    "walks <AGE|40> FT W WALKER": "walks 40 FT W WALKER",
    "up <AGE|sixty>-one miles, <AGE|40> km": "up sixty-one miles, 40 km",
    "max <AGE|46>.8°C, <AGE|3>.4 kg": "max 46.8°C, 3.4 kg",
    "His .<AGE|22> rifle, a <AGE|9> mm": "His .22 rifle, a 9 mm",
    "a .<DATE|30-06>. Dogs": "a .30-06. Dogs",
    "<AGE|31> yrs out of Erie, <AGE|1> yr sober": "31 yrs out of Erie, 1 yr sober",
    "In <AGE|twenty-six> years of practice I": "In twenty-six years of practice I",
    "now <AGE|sixteen> weeks on, and <AGE|12> weeks on she": "now sixteen weeks on, and 12 weeks on she",
    "born <AGE|seven> months after the <AGE|61> yrs ago": "born seven months after the 61 yrs ago",
    "<AGE|sixty>-one hours since her": "sixty-one hours since her",
    "after <AGE|51> years, partner of <AGE|four> years": "after 51 years, partner of four years",
    "an <AGE|8>th gr, <AGE|7>th hour": "an 8th gr, 7th hour",
    "Queue A<AGE|17>, B<AGE|12>, C<AGE|4>": "Queue A17, B12, C4",
    "SAT WAS <AGE|78>, HAM-D <AGE|27>, BP <AGE|82> again": "SAT WAS 78, HAM-D 27, BP 82 again",
    "sess <AGE|12>, sz <AGE|13>, room <AGE|61>": "sess 12, sz 13, room 61",
    "from <AGE|four> in the morning, <AGE|7> pm": "from four in the morning, 7 pm",
    "twin <AGE|27>+3, <AGE|7>/12 pregnant": "twin 27+3, 7/12 pregnant",
    "a <AGE|four>-corner fusion": "a four-corner fusion",
    "HR 58 <DATE|SAT 93> RA. The <DATE|SAT> WAS 78": "HR 58 SAT 93 RA. The SAT WAS 78",
    "he <DATE|sat> with him, I have since <DATE|sat> down": "he sat with him, I have since sat down",
    "Ana <DATE|sat> by the door": "Ana sat by the door",
    "<DATE|Sat> sri akal, in the hot <DATE|sun>": "Sat sri akal, in the hot sun",
    "daily on the <DATE|MAR>, <DATE|Christmas> disease": "daily on the MAR, Christmas disease",
    "<DATE|1st> time, <DATE|4th> period, <DATE|2nd> cert": "1st time, 4th period, 2nd cert",
    "<DATE|1ST> ASST, <DATE|3rd> POD, <DATE|sixty-third> centile": "1ST ASST, 3rd POD, sixty-third centile",
    "stiff × <DATE|4/12>, abx x <DATE|3/7>": "stiff × 4/12, abx x 3/7",
    "metformin bd, home <DATE|4/12>": "metformin bd, home 4/12",
    "seen 2/12 ago, hold <DATE|2/7> then": "seen 2/12 ago, hold 2/7 then",
    "TDS 1/52, off for <DATE|4/12>": "TDS 1/52, off for 4/12",
    "Act <DATE|12/12/16/20>, PG <DATE|01/04> OK": "Act 12/12/16/20, PG 01/04 OK",
    "Timing <DATE|8-11>, Next V<DATE|10>, Year <DATE|10>": "Timing 8-11, Next V10, Year 10",
    "at <DATE|10.05>, 10.40, 11.30 x": "at 10.05, 10.40, 11.30 x",
    "NHS <MEDICALRECORD|24>, <MEDICALRECORD|HC 38>": "NHS 24, HC 38",
    "ED ~<MEDICALRECORD|0105>, <VEHICLE|ETA 0725>": "ED ~0105, ETA 0725",
    "(MBS <IDNUM|30443>), ISO <IDNUM|15189>, CPT <ZIP|90837>": "(MBS 30443), ISO 15189, CPT 90837",
    "<ORGANIZATION|SFC> <DOCTOR|Pulido>": "SFC <DOCTOR|Pulido>",
    "see <DOCTOR|SFC Pulido>, <DOCTOR|LT H. CUTTER>": "see SFC <DOCTOR|Pulido>, LT <DOCTOR|H. CUTTER>",
    "with <DOCTOR|RD Ito> / <PATIENT|Arrestee Antone>": "with RD <DOCTOR|Ito> / Arrestee <PATIENT|Antone>",
    "<DOCTOR|Fern H. CCLS> and <DOCTOR|Ana Roth, MAJ>": "<DOCTOR|Fern H.> CCLS and <DOCTOR|Ana Roth>, MAJ",
    "stay <DATE|4/13-4/15> x": "stay <DATE|4/13>-<DATE|4/15> x",
    "in <DATE|1/2/24 – 3/2/24> x": "in <DATE|1/2/24> – <DATE|3/2/24> x",
    "recall l3 <DATE|Feb>, <DATE|22-Nov-l>937": "recall <DATE|l3 Feb>, <DATE|22-Nov-l937>",
    "DoB <DATE|l9/ll/5>O x, <DATE|4.4>.<STREET|5O> y": "DoB <DATE|l9/ll/5O> x, <DATE|4.4.5O> y",
    "Mr <DOCTOR|Horsfa><AGE|11> Weds": "Mr <DOCTOR|Horsfa11> Weds",
    "by <DOCTOR|Ana Cros><PHONE|5 01443 830 556> x": "by <DOCTOR|Ana Cros5> <PHONE|01443 830 556> x",
    "call <PATIENT|Otis. Otis> said": "call <PATIENT|Otis>. <PATIENT|Otis> said",
    "to <PATIENT|Ana — Leo> too": "to <PATIENT|Ana> — <PATIENT|Leo> too",
    "<PATIENT|khan saab> and <PATIENT|Usha Amma>": "<PATIENT|khan> saab and <PATIENT|Usha> Amma",
    "Re: <PATIENT|Encik Faizal> x": "Re: Encik <PATIENT|Faizal> x",
    "NOK <PATIENT|HO> <PATIENT|Chi Wai> x": "NOK <PATIENT|HO Chi Wai> x",
    '"<PATIENT|Hsu>, <PATIENT|Mei-Ling>",04': '"<PATIENT|Hsu, Mei-Ling>",04',
    "3  <PATIENT|Nowak>, A   39": "3  <PATIENT|Nowak, A>   39",
    " <PATIENT|Hand> M    19/2": " <PATIENT|Hand M>    19/2",
    "ATTENDING <DOCTOR|BHATT>,R    PCP": "ATTENDING <DOCTOR|BHATT,R>    PCP",
    "ABPI <DATE|June 1>.02, Wt <DATE|Feb 47>.1": "ABPI <DATE|June> 1.02, Wt <DATE|Feb> 47.1",
    "on <COUNTRY|Botswana> <DATE|Day> she": "on <DATE|Botswana Day> she",
    "since <LOCATION-OTHER|Candlemas> <DATE|2015> at": "since <DATE|Candlemas 2015> at",
    "<VEHICLE|NHI ZBR4471> x": "NHI <MEDICALRECORD|ZBR4471> x",
    "CHI <IDNUM|010190 4471>": "CHI <MEDICALRECORD|010190 4471>",
    "IP no. <IDNUM|PH24-06611>": "IP no. <MEDICALRECORD|PH24-06611>",
    "PHIN: <PHONE|620118553>": "PHIN: <HEALTHPLAN|620118553>",
    "||<MEDICALRECORD|202206070914>||": "||<DATE|20220607>0914||",
    "||<IDNUM|20230530072114>||": "||<DATE|20230530>072114||",
    "HCN: <PHONE|6583-204-117>": "HCN: <HEALTHPLAN|6583-204-117>",
    "GMC <IDNUM|7044118>": "GMC <LICENSE|7044118>",
    "<LICENSE|APC 118834> x": "APC <LICENSE|118834> x",
    "folder no <IDNUM|880417>": "folder no <MEDICALRECORD|880417>",
    "Rx pred <DATE|2/52>.": "Rx pred 2/52.",
    "review <DATE|6-8/52> then": "review 6-8/52 then",
    "born <DATE|34/40>, well": "born 34/40, well",
    "mJOA <DATE|14/18>.": "mJOA 14/18.",
    "amox TDS <DATE|5/7>, home": "amox TDS 5/7, home",
    "rv 2/52, cough <DATE|3/12>": "rv 2/52, cough 3/12",
    "no. mr<MEDICALRECORD|268398>, x": "no. <MEDICALRECORD|mr268398>, x",
    "mail <URL|www.a.org.> Then": "mail <URL|www.a.org>. Then",
    "call <PHONE|617-555-0101.> Then": "call <PHONE|617-555-0101>. Then",
    "by <DOCTOR|Ruiz (>pager": "by <DOCTOR|Ruiz> (pager",
    "by <DOCTOR|Ruiz)> pager": "by <DOCTOR|Ruiz>) pager",
    "by <DOCTOR|(Ruiz)> pager": "by (<DOCTOR|Ruiz>) pager",
    "<HOSPITAL|** Elm Clinic> **": "** <HOSPITAL|Elm Clinic> **",
    "<MEDICALRECORD|30990453SMITH, JOHN A> ": "<MEDICALRECORD|30990453><PATIENT|SMITH, JOHN A> ",
    "<IDNUM|30990453SMITH>, <DOCTOR|JOHN>": "<IDNUM|30990453><PATIENT|SMITH, JOHN>",
    "<MEDICALRECORD|30990453>SMITH came": "<MEDICALRECORD|30990453><PATIENT|SMITH> came",
    "<PATIENT|RUIZ,ANA   Acct>: 8": "<PATIENT|RUIZ,ANA>   Acct: 8",
    "<PATIENT|Ana Ruiz DOB>: 8": "<PATIENT|Ana Ruiz> DOB: 8",
    "<DATE|Date: 3/7/61> x": "Date: <DATE|3/7/61> x",
    "in the <HOSPITAL|Emergency Department> now": "in the Emergency Department now",
    "<HOSPITAL|Emergency Department of Elm Clinic>": "Emergency Department of <HOSPITAL|Elm Clinic>",
    "<HOSPITAL|Elm> <HOSPITAL|Medical Center>": "<HOSPITAL|Elm Medical Center>",
    "<HOSPITAL|Elm Hospital> at <HOSPITAL|Oakland> x": "<HOSPITAL|Elm Hospital at Oakland> x",
    "<HOSPITAL|Elm Hospital> - West Campus x": "<HOSPITAL|Elm Hospital - West Campus> x",
    "<HOSPITAL|Quabbin> Medical Center x": "<HOSPITAL|Quabbin Medical Center> x",
    "F: <PHONE|617-555-0101>": "F: <FAX|617-555-0101>",
    "<PHONE|617-555-0101> (fax)": "<FAX|617-555-0101> (fax)",
    "by <DOCTOR|Ruiz (pager>: 8": "by <DOCTOR|Ruiz> (pager: 8",
    "<PATIENT|SMITH (MR> 1234567)": "<PATIENT|SMITH> (MR 1234567)",
    "<MEDICALRECORD|4471203Okafor> came": "<MEDICALRECORD|4471203><PATIENT|Okafor> came",
    "<MEDICALRECORD|4471203Ng> came": "<MEDICALRECORD|4471203><PATIENT|Ng> came",
    "<MEDICALRECORD|4471203>Okafor came": "<MEDICALRECORD|4471203><PATIENT|Okafor> came",
    "<DOCTOR|712336O'Connor>": "<MEDICALRECORD|712336><PATIENT|O'Connor>",
    "<PATIENT|97973 ROTH, LEO Z>": "<MEDICALRECORD|97973> <PATIENT|ROTH, LEO Z>",
    "<PATIENT|ROTH, LEO Z 97973>": "<PATIENT|ROTH, LEO Z> <MEDICALRECORD|97973>",
    "<MEDICALRECORD|34829866 / 74> F": "<MEDICALRECORD|34829866> / <AGE|74> F",
    "/ <USERNAME|87 30> <DATE|38 / 03/21/11>": "/ <MEDICALRECORD|87 30 38> / <DATE|03/21/11>",
    "on <DATE|18-May-1984@10:32> x": "on <DATE|18-May-1984>@10:32 x",
    "<DATE|Friday’s> dose": "<DATE|Friday>’s dose",
    "NPI <PHONE|1078122636> x": "NPI <IDNUM|1078122636> x",
    "x <MEDICALRECORD|144-28-7188> x": "x <SSN|144-28-7188> x",
    "MRN: <IDNUM|144-28-718> x": "MRN: <MEDICALRECORD|144-28-718> x",
    "fax no. <PHONE|617-555-0101>": "fax no. <FAX|617-555-0101>",
    "(f) <PHONE|617-555-0101>": "(f) <FAX|617-555-0101>",
    "<PHONE|617-555-0101> (f)": "<FAX|617-555-0101> (f)",
    "Tel: <FAX|617-555-0101>": "Tel: <PHONE|617-555-0101>",
    "LOC <DEPARTMENT|Elm 2>D now": "LOC <DEPARTMENT|Elm 2D> now",
    "<MEDICALRECORD|RM 1144>": "RM <MEDICALRECORD|1144>",
    "a 5.<AGE|5> year old": "a <AGE|5.5> year old",
    "a 7 1/<AGE|2> year old": "a <AGE|7 1/2> year old",
    "<PATIENT|Ruiz>-Roth came": "<PATIENT|Ruiz-Roth> came",
    "Roth-<PATIENT|Ruiz, Ana>   49803244": "<PATIENT|Roth-Ruiz, Ana>   49803244",
    "Roth, <PATIENT|Leo>   49803244": "<PATIENT|Roth, Leo>   49803244",
    "<PATIENT|ROTH, LEO> S / 28 M": "<PATIENT|ROTH, LEO S> / 28 M",
    "Drs. <DOCTOR|Roth and Ruiz> came": "Drs. <DOCTOR|Roth> and <DOCTOR|Ruiz> came",
    "<DOCTOR|Ana Ruiz>  DOB: 3": "<PATIENT|Ana Ruiz>  DOB: 3",
    "<DOCTOR|Ruiz, Ana> / 25 M / 8": "<PATIENT|Ruiz, Ana> / 25 M / 8",
    "Page: <DOCTOR|Ruiz, Ana> x": "Page: <PATIENT|Ruiz, Ana> x",
    "<DOCTOR|Leo Roth> asked. <PATIENT|Roth> left": "<DOCTOR|Leo Roth> asked. <DOCTOR|Roth> left",
    "Midwife <PATIENT|Ruiz> came": "Midwife <DOCTOR|Ruiz> came",
    "Nan <DOCTOR|Ruiz> came": "Nan <DOCTOR|Ruiz> came",
    "his nan <DOCTOR|Ruiz> came": "his nan <PATIENT|Ruiz> came",
    "by <DOCTOR|Oom Leo Roth> x": "by Oom <PATIENT|Leo Roth> x",
    "aka <PATIENT|A.K.A. Bee> x": "aka A.K.A. <PATIENT|Bee> x",
    "<DOCTOR|Ana Ruiz, CCDS> x": "<DOCTOR|Ana Ruiz>, CCDS x",
    "<DOCTOR|B. Ruiz LCDC III> x": "<DOCTOR|B. Ruiz> LCDC III x",
    "<PATIENT|Leo> (<PATIENT|Lee>) <PATIENT|Roth> x": "<PATIENT|Leo (Lee) Roth> x",
    "on <DATE|2-17 @ 0422> x": "on <DATE|2-17> @ 0422 x",
    "by <DATE|the end of August>, x": "by the end of <DATE|August>, x",
    "on <DATE|the 12th>, x": "on the <DATE|12th>, x",
    "in <DATE|the nineties> x": "in the <DATE|nineties> x",
    "at <DATE|0710> she": "at 0710 she",
    "x\n4. <DATE|4. 4/23>, 19:40": "x\n4. 4. <DATE|4/23>, 19:40",
    "due <DATE|baby Oct> x": "due baby <DATE|Oct> x",
    "palsy <DATE|R 2004> x": "palsy R <DATE|2004> x",
    "next <DATE|Dec 11, Dec 18>. x": "next <DATE|Dec 11>, <DATE|Dec 18>. x",
    "at <DATE|19:06> and <DATE|02h20> x": "at 19:06 and 02h20 x",
    "present <DATE|time 14.00–15.10> x": "present time 14.00–15.10 x",
    "Apgars <DATE|4-7-8>. x": "Apgars 4-7-8. x",
    "nodes <DATE|0/2> x": "nodes 0/2 x",
    "Katz <DATE|5/6>, x": "Katz 5/6, x",
    "fusion C<DATE|5/6> x": "fusion C5/6 x",
    "VA cc <DATE|6/9> x": "VA cc 6/9 x",
    "height <DATE|25th> centile": "height 25th centile",
    "<DATE|Wednesday> <DATE|3/7> x": "<DATE|Wednesday 3/7> x",
    "0715 up, 1140 out\n<DATE|2010> bed, 2215 lamp": "0715 up, 1140 out\n2010 bed, 2215 lamp",
    "0715 up, 1140 out, 2215 lamp ~<DATE|1930> x": "0715 up, 1140 out, 2215 lamp ~1930 x",
    "x 0715, 1140, 2215; nap 1940-<DATE|2030> x": "x 0715, 1140, 2215; nap 1940-2030 x",
    "at <DATE|8.45> x": "at 8.45 x",
    "call <DATE|2.15>am x": "call 2.15am x",
    "7.45 up\n<DATE|9.05> seen\n10.40 x": "7.45 up\n9.05 seen\n10.40 x",
    "<DOCTOR|Thila> a/p <DOCTOR|Muru>, MD": "<DOCTOR|Thila a/p Muru>, MD",
    "\n<DOCTOR|Ruiz>, <PATIENT|Ana>, 71, x": "\n<PATIENT|Ruiz, Ana>, 71, x",
    "| <PATIENT|Roth>, <PATIENT|Bee> | self": "| <PATIENT|Roth, Bee> | self",
    "at <AGE|51>a <STREET|Oak St> x": "at <STREET|51a Oak St> x",
    "at <DATE|3/19> <STREET|Oak St> x": "at <STREET|3/19 Oak St> x",
    "to #<DATE|03-41> Elm": "to <STREET|#03-41> Elm",
    "on <DATE|11 Jul 2018>, <DATE|Wed> x": "on <DATE|11 Jul 2018, Wed> x",
    "on <DATE|saturday> the <DATE|tenth> x": "on <DATE|saturday the tenth> x",
    "from <DATE|Feb 1981 - Nov 2009> x": "from <DATE|Feb 1981> - <DATE|Nov 2009> x",
    "sculler <DATE|'71–'83> x": "sculler <DATE|'71>–<DATE|'83> x",
    "at <DATE|Wed 6 Dec 11>:02 x": "at <DATE|Wed 6 Dec> 11:02 x",
    "<DATE|1st Oct — 34>+4. Scan": "<DATE|1st Oct> — 34+4. Scan",
    "<DATE|Mon 7>pm x": "<DATE|Mon> 7pm x",
    "at <STREET|3 Elm House>, <STREET|40 Oak St>, x": "at <STREET|3 Elm House, 40 Oak St>, x",
    "of Flat 3, <STREET|40 Oak St> x": "of <STREET|Flat 3, 40 Oak St> x",
    "<STREET|40 Oak St>, Bldg. C x": "<STREET|40 Oak St, Bldg. C> x",
    "by <DOCTOR|M.> Hand. Counts": "by <DOCTOR|M. Hand>. Counts",
    "CC: <DOCTOR|Ana M.> Diet-Roth": "CC: <DOCTOR|Ana M. Diet-Roth>",
    "seen by A. <DOCTOR|Brown> today": "seen by <DOCTOR|A. Brown> today",
    "Dr. J.R. <DOCTOR|Brown>, MD": "Dr. <DOCTOR|J.R. Brown>, MD",
    "SEEN BY A.<DOCTOR|BROWN> TODAY": "SEEN BY <DOCTOR|A.BROWN> TODAY",
    "<DOCTOR|Roth> A. <DOCTOR|Brown> x": "<DOCTOR|Roth> <DOCTOR|A. Brown> x",
    "Case manager: Early\n": "Case manager: <DOCTOR|Early>\n",
    "RN: Still, Ana\n": "RN: <DOCTOR|Still, Ana>\n",
    "known to drs. <DOCTOR|roth> and early": "known to drs. <DOCTOR|roth> and <DOCTOR|early>",
    "she is well.\n4471203okafor\n": "she is well.\n<MEDICALRECORD|4471203><PATIENT|okafor>\n",
    "ruiz(gi) will see him": "<DOCTOR|ruiz>(gi) will see him",
    "<DOCTOR|roth> saw straßer (gi) who": "<DOCTOR|roth> saw straßer (gi) who",
    "by <PATIENT|Ana Ruiz>, MD now": "by <DOCTOR|Ana Ruiz>, MD now",
    "<PATIENT|Ruiz, Ana> (attending)": "<DOCTOR|Ruiz, Ana> (attending)",
    "Pt: <PATIENT|Ruiz, Ana> x <DOCTOR|Ana Ruiz> x": "Pt: <PATIENT|Ruiz, Ana> x <PATIENT|Ana Ruiz> x",
    "<HOSPITAL|Elm Hospital>, Downtown Campus x": "<HOSPITAL|Elm Hospital, Downtown Campus> x",
    "<HOSPITAL|Elm Hospital> At Spring Valley x": "<HOSPITAL|Elm Hospital At Spring Valley> x",
    "<HOSPITAL|Elm Hospital> At <CITY|Spring Valley> x": "<HOSPITAL|Elm Hospital At Spring Valley> x",
    "<HOSPITAL|Elm Clinic> – <CITY|Oakland> x": "<HOSPITAL|Elm Clinic – Oakland> x",
    "<CITY|Oakland> <HOSPITAL|Medical Center>": "<HOSPITAL|Oakland Medical Center>",
    "<DOCTOR|Our Lady> of the <HOSPITAL|Lakes Clinic>": "<HOSPITAL|Our Lady of the Lakes Clinic>",
    "at B. A. <HOSPITAL|Garret Hospital> x": "at <HOSPITAL|B. A. Garret Hospital> x",
    "at Life<HOSPITAL|Point Clinic> x": "at <HOSPITAL|LifePoint Clinic> x",
    "at <HOSPITAL|Life>Point x": "at <HOSPITAL|LifePoint> x",
    "at <HOSPITAL|St. Mary>'s for": "at <HOSPITAL|St. Mary's> for",
    "<HOSPITAL|ACTON> SKILLED NURSING x": "<HOSPITAL|ACTON SKILLED NURSING> x",
    "at <HOSPITAL|Mercy> hospital x": "at <HOSPITAL|Mercy hospital> x",
    "<ORGANIZATION|St. Ann's Emergency Department> x": "<HOSPITAL|St. Ann's> Emergency Department x",
    "from <ORGANIZATION|Quail Health ICU> to": "from <HOSPITAL|Quail Health> ICU to",
    "<HOSPITAL|Elm Clinic Department of Medicine> x": "<HOSPITAL|Elm Clinic> Department of Medicine x",
    "PHONE/FAX: <FAX|617-555-0101 / 617-555-0102> x": (
        "PHONE/FAX: <FAX|617-555-0101> / <FAX|617-555-0102> x"
    ),
    "<DATE|38020600><DOCTOR|ROTH, LEO>": "<MEDICALRECORD|38020600><PATIENT|ROTH, LEO>",
    "<PHONE|9661075653><PATIENT|ROTH> x": "<MEDICALRECORD|9661075653><PATIENT|ROTH> x",
    "<DOCTOR|ROTH> (<IDNUM|34243123>) x": "<PATIENT|ROTH> (<MEDICALRECORD|34243123>) x",
    "<MEDICALRECORD|4471203><PATIENT|Roth>, Leo A x": "<MEDICALRECORD|4471203><PATIENT|Roth, Leo A> x",
    "the daughter, <DOCTOR|Ana Ruiz>, x": "the daughter, <PATIENT|Ana Ruiz>, x",
    "<DOCTOR|Ana Ruiz> (continued from": "<PATIENT|Ana Ruiz> (continued from",
    "with <PATIENT|Ana Ruiz> (nephrology)": "with <DOCTOR|Ana Ruiz> (nephrology)",
    "<PATIENT|ROTH (M>, 68)": "<PATIENT|ROTH> (M, 68)",
    "D 3/7/61 <DATE|T 3/8/61> x": "D 3/7/61 T <DATE|3/8/61> x",
    "<PATIENT|ROTH> <DATE|88> M": "<PATIENT|ROTH> <AGE|88> M",
    "(<MEDICALRECORD|MR 8220180>)": "(MR <MEDICALRECORD|8220180>)",
    "behalf <HOSPITAL|of Elm Clinic> x": "behalf of <HOSPITAL|Elm Clinic> x",
    "<ORGANIZATION|Elm Clinic\nQuestions? Write>": ("<HOSPITAL|Elm Clinic>\n<ORGANIZATION|Questions? Write>"),
    "<DOCTOR|Elm Health> At <HOSPITAL|Yuma> x": "<HOSPITAL|Elm Health At Yuma> x",
    "at Clinic at <HOSPITAL|Yuma> x": "at <HOSPITAL|Clinic at Yuma> x",
    "<HOSPITAL|Eye Center> of Macon x": "<HOSPITAL|Eye Center of Macon> x",
    "of Surgery\n<HOSPITAL|Elm Clinic> x": "of Surgery\n<HOSPITAL|Elm Clinic> x",
    "LOC: <PATIENT|Gilroy 1>  BED": "LOC: <DEPARTMENT|Gilroy 1>  BED",
    "<HOSPITAL|Elm Clinic>, <DOCTOR|Erie>\n": "<HOSPITAL|Elm Clinic>, <CITY|Erie>\n",
    "/es/ <DOCTOR|LEO H>, MD": "/es/ <DOCTOR|LEO H>, MD",
    "/es/ ROTH, <DOCTOR|LEO H>, MD": "/es/ <DOCTOR|ROTH, LEO H>, MD",
    "<PATIENT|CHOI,MIN>-<DATE|JUN S>  9": "<PATIENT|CHOI,MIN-JUN S>  9",
    "Copies to: <DOCTOR|Ana Ruiz, Roth> x": "Copies to: <DOCTOR|Ana Ruiz>, <DOCTOR|Roth> x",
    "Yours,\n<DOCTOR|Leo>\n": "Yours,\n<DOCTOR|Leo>\n",
    "by Dr. Roth-Ruiz now": "by Dr. <DOCTOR|Roth-Ruiz> now",
    "by DR. J. ROTH now": "by DR. <DOCTOR|J. ROTH> now",
    "Mr. Ng came": "Mr. <PATIENT|Ng> came",
    "Drs. <DOCTOR|Early> and Roth.": "Drs. <DOCTOR|Early> and <DOCTOR|Roth>.",
    "with the wife, Ahmed. No": "with the wife, <PATIENT|Ahmed>. No",
    "Please page C. Roth at <PHONE|x8-3394> now": "Please page <DOCTOR|C. Roth> at <PHONE|x8-3394> now",
    "Roth(<MEDICALRECORD|7989103192>) continued": "<PATIENT|Roth>(<MEDICALRECORD|7989103192>) continued",
    "9155422454ROTH  Page 2": "<MEDICALRECORD|9155422454><PATIENT|ROTH>  Page 2",
    "by Dr.\nRoth now": "by Dr.\n<DOCTOR|Roth> now",
    "x Roth (GI) will": "x <DOCTOR|Roth> (GI) will",
    "SIGNED BY ROTH, CHIH-HAO ON": "SIGNED BY <DOCTOR|ROTH, CHIH-HAO> ON",
    "Assistant: T. Roth\n": "Assistant: <DOCTOR|T. Roth>\n",
    "ASST: Le, My\nDOS": "ASST: <DOCTOR|Le, My>\nDOS",
    "PT TING, LI-HSUEH L / 36 M": "PT <PATIENT|TING, LI-HSUEH L> / 36 M",
    "Yours, (covering for Roth)": "Yours, (covering for <DOCTOR|Roth>)",
    "to Tae-yang Roth, MSN, for": "to <DOCTOR|Tae-yang Roth>, MSN, for",
    "ROTH (M, 49)  9": "<PATIENT|ROTH> (M, 49)  9",
    "I, Roth, was present": "I, <DOCTOR|Roth>, was present",
    "x. Roth is a pleasant 32-year-old": "x. <PATIENT|Roth> is a pleasant 32-year-old",
    "mail a-b@elm.org. Or": "mail <EMAIL|a-b@elm.org>. Or",
    "to <PATIENT|ana>@<HOSPITAL|elm>.org, or": "to <EMAIL|ana@elm.org>, or",
    "see www.elm.org/a_b. Or": "see <URL|www.elm.org/a_b>. Or",
    "at <HOSPITAL|HTTPS://ELM.org>:80/x?y=1 now": "at <URL|HTTPS://ELM.org:80/x?y=1> now",
    "|<STREET|1 Elm St>^^Elm City^OH^12345^": "|<STREET|1 Elm St>^^<CITY|Elm City>^<STATE|OH>^<ZIP|12345>^",
    "<DOCTOR|Ruiz>, <PATIENT|Roth>^Ana^B <DOCTOR|Ruiz>^<DOCTOR|Leo>, <DATE|May>^Elm <DOCTOR|Ruiz>": (
        "<DOCTOR|Ruiz>, <PATIENT|Roth^Ana^B> <DOCTOR|Ruiz^Leo>, <DATE|May>^Elm <DOCTOR|Ruiz>"
    ),
    "<STREET|1 Elm St>, Erie, <STATE|PA>, 16501": "<STREET|1 Elm St>, <CITY|Erie>, <STATE|PA>, <ZIP|16501>",
    "<STREET|1 Elm St>|Erie|PA|<IDNUM|16501>": "<STREET|1 Elm St>|<CITY|Erie>|<STATE|PA>|<IDNUM|16501>",
    "<STREET|1 Elm St>, <CITY|Erie>, PA, 16501": "<STREET|1 Elm St>, <CITY|Erie>, <STATE|PA>, <ZIP|16501>",
    "TIME: <STREET|0611>   <STREET|12 Elm St>": "TIME: 0611   <STREET|12 Elm St>",
    "Run Time <DATE|2315> x": "Run Time 2315 x",
    "NP NPI 1011518115 x": "NP NPI <IDNUM|1011518115> x",
    "MRN: 1234567 x": "MRN: <MEDICALRECORD|1234567> x",
    "SSN 144-28-7188 x": "SSN <SSN|144-28-7188> x",
    "<DOCTOR|Ana> <PATIENT|Roth> (19 yo)": "<PATIENT|Ana Roth> (19 yo)",
    "to <HOSPITAL|PACU> for": "to PACU for",
    "by <DOCTOR|Ana R. SN> x": "by <DOCTOR|Ana R.> SN x",
    "by <DOCTOR|A.S. MO> x": "by <DOCTOR|A.S.> MO x",
    "by <DOCTOR|Ana Ruiz KRCHN> x": "by <DOCTOR|Ana Ruiz> KRCHN x",
    "at <PATIENT|Mzee Roth> x": "at Mzee <PATIENT|Roth> x",
    "with <DOCTOR|SpR Roth> x": "with SpR <DOCTOR|Roth> x",
    "told <DOCTOR|NIC J Roth> x": "told NIC <DOCTOR|J Roth> x",
    "Ana Ruiz, <DOCTOR|APRN-NP> x": "Ana Ruiz, APRN-NP x",
    "at 11:40 <DOCTOR|CDT> x": "at 11:40 CDT x",
    "to <CITY|Erie> Clinic, x": "to <HOSPITAL|Erie Clinic>, x",
    "from <CITY|Erie> PHC x": "from <HOSPITAL|Erie PHC> x",
    "<CITY|ERIE> <HOSPITAL|SCH> x": "<HOSPITAL|ERIE SCH> x",
    "ref <CITY|Erie> General, x": "ref <HOSPITAL|Erie General>, x",
    "M.D., <DOCTOR|F.A.C.S.> x": "M.D., F.A.C.S. x",
    "<DOCTOR|Ana\nBatch> 9": "<DOCTOR|Ana>\nBatch 9",
    "<DOCTOR|Ana\r\nBatch> 9": "<DOCTOR|Ana>\r\nBatch 9",
    "<HOSPITAL|Elm\nHospital> 9": "<HOSPITAL|Elm\nHospital> 9",
    "<HOSPITAL|Elm\n\nHospital> 9": "<HOSPITAL|Elm>\n\nHospital 9",
    f"{'word ' * 10}<DOCTOR|Ana\nRuiz> 9": f"{'word ' * 10}<DOCTOR|Ana\nRuiz> 9",
}


def read_sample(sample: str) -> Document:
    """Read a text in which ``<TYPE|text>`` is a span."""
    text, spans, at = "", [], 0
    for match in MARK.finditer(sample):
        text += sample[at : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1]))
        text, at = text + match[2], match.end()
    return Document("n", text + sample[at:], tuple(spans))


@pytest.mark.parametrize("name", FORMS)
def test_each_form_repairs_its_sample(name):
    form = FORMS[name]
    before, after = read_sample(form.before), read_sample(form.after)
    assert before.text == after.text
    assert tuple(sorted(form.apply(before.text, before.spans))) == after.spans
    assert repair_spans(before) == after


@pytest.mark.parametrize("name", FORMS)
def test_no_form_touches_a_good_span(name):
    for document in map(read_sample, LEFT_ALONE):
        found = tuple(sorted(FORMS[name].apply(document.text, document.spans)))
        assert found == document.spans, document.text


def test_the_forms_together():
    for before, after in CHANGED.items():
        assert repair_spans(read_sample(before)) == read_sample(after), before


def test_a_batch_is_repaired_note_by_note():
    notes = [read_sample(sample) for sample in [*CHANGED, *LEFT_ALONE, "", "(Ana Ruiz)"]]
    assert repair_batch(notes) == [repair_spans(note) for note in notes]
    assert repair_batch([]) == []


def test_spans_that_overlap_stay():
    document = Document("n", "(Ana Ruiz)", (Span(0, 10, "DOCTOR"), Span(4, 8, "DATE")))
    assert repair_spans(document) is document


@pytest.mark.parametrize(
    ("module", "name", "text", "left"),
    [
        (spans, "FIELD_AFTER", "<PATIENT|Ana{}Ruiz MRN>", "<PATIENT|Ana{}Ruiz> MRN"),
        (spans, "FIELD_COLON", "<PATIENT|Ana{}Ruiz Sex>: F", "<PATIENT|Ana{}Ruiz> Sex: F"),
        (dates, "DATE_AFTER", "<DATE|3{}May on>", "<DATE|3{}May> on"),
        (places, "DEPARTMENT_AFTER", "<HOSPITAL|Elm{}Oak ICU>", "<HOSPITAL|Elm{}Oak> ICU"),
    ],
)
def test_the_end_of_a_long_span_is_looked_at_and_not_all_of_it(monkeypatch, module, name, text, left):
    pattern, seen = getattr(module, name), []

    class Seen:
        def search(self, value, start):
            seen.append(len(value) - start)
            return pattern.search(value, start)

    monkeypatch.setattr(module, name, Seen())
    for size in (20, 500):
        samples = (read_sample(each.format("." * size)) for each in (text, left))
        assert repair_spans(next(samples)) == next(samples)
    assert max(seen) == 100


def test_pieces_keep_the_probability():
    spans = (Span(0, 13, "MEDICALRECORD", 0.7),)
    found = repair_spans(Document("n", "30990453SMITH", spans)).spans
    assert [span.probability for span in found] == [0.7, 0.7]


def test_a_joined_span_has_the_lower_probability():
    spans = (Span(0, 3, "HOSPITAL", 0.7), Span(4, 10, "HOSPITAL", 0.6))
    assert [span.probability for span in repair_spans(Document("n", "Elm Clinic", spans)).spans] == [0.6]


WORDS = """
    Dr. Ng wife, page 7989103 Batch the hospital PACU
    Drs. Mrs. Patient: MD DD: Roth, Mc Page: cc: NPI Campus At Inc. ICU @10:32 38 87 1/ 2 5. ED Life Point St.
    Ruiz SMITH Jr. J. St. MRN DOB: Date: ( ) [ , . - / : fax F: Fax: on in 3/7/61 617-555-0101 30990453 AB12
    Elm Hospital Clinic Medical Center of and at the & Emergency Department Inc. Campus a@b.org ** MR 61
"""
PIECES = st.sampled_from([*WORDS.split(), " ", " ", " ", "  ", "\n", "\r\n", "\t", "é", "½", "\u2028"])
CLOSED = """
    mrn dob acct csn ssn npi dos d o b date phone fax tel name page loc sex age room s
    on in at from since until through by to and or with for was is seen dated who when
    the emergency department room of intensive care unit operating recovery burn
    medical records medicine surgery mr id pager loc rm pgr bed ed er icu m f t dd dt td
    a an to per this our outlying outside local hospital center clinic rehabilitation rehab nursing home
    health micu sicu ccu nicu pacu postpartum batch exam fac facs es dictated signed transcribed printed
    anesthesia drains impression seen dear c
"""
CLOSED_WORDS = frozenset(CLOSED.split())
TIME = re.compile(r"(?:@|[\s,]+(?:at\s+)?)\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m)?", re.IGNORECASE)


@st.composite
def documents(draw):
    text = "".join(draw(st.lists(PIECES, min_size=1, max_size=14)))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=10)))
    types = st.sampled_from(read_scheme().types)
    named = st.sampled_from(["HOSPITAL", "DOCTOR", "DATE", "MEDICALRECORD", "PHONE", "EMAIL"])
    spans = [Span(a, b, draw(named | types)) for a, b in zip(edges, edges[1:]) if draw(st.booleans())]
    return Document("n", text, tuple(spans))


@given(documents())
def test_repaired_spans_are_sorted_and_do_not_overlap(document):
    found = repair_spans(document)
    assert found.text == document.text and find_overlap(found.spans) is None


@given(documents())
def test_repair_again_changes_nothing(document):
    once = repair_spans(document)
    assert repair_spans(once) == once


@given(documents())
def test_only_words_of_the_closed_lists_and_numbers_of_two_digits_lose_their_span(document):
    before = mask_spans(len(document.text), document.spans)
    after = mask_spans(len(document.text), repair_spans(document).spans)
    lost = [bool(b and not a) for b, a in zip(before, after)]
    for match in TIME.finditer(document.text):
        lost[match.start() : match.end()] = [False] * len(match[0])
    for word in re.finditer(r"[^\W_]+", document.text):
        piece = "".join(c for c, is_lost in zip(word[0], lost[word.start() : word.end()]) if is_lost)
        is_word = piece.lower() in CLOSED_WORDS or word[0].lower() in CLOSED_WORDS
        assert not piece or is_word or (piece == word[0] and re.fullmatch(r"\d{1,2}", piece))


def test_the_configuration_turns_repair_off():
    tagger = model.load("rules")
    document = Document("n", "mail a.ruiz@example.org. Thanks, call 617-555-0101. F: 617-555-0102")
    assert tagger.tag(document) == repair_spans(next(tagger.tag_unrepaired([document])))
    tagger.config = dataclasses.replace(tagger.config, repair=False)
    assert tagger.tag(document) == next(tagger.tag_unrepaired([document]))


def test_other_schemes_are_not_repaired():
    tagger = model.load("rules")
    tagger.scheme = dataclasses.replace(tagger.scheme, name="mine")
    found = [Document("n", "(Ana)", (Span(0, 5, "DOCTOR"),))]
    assert list(tagger.repair_all(found)) == found


def test_other_languages_are_repaired_by_their_own_forms():
    assert find_forms("i2b2-2014") == tuple(FORMS.values())
    assert not {*find_forms("i2b2-2014")} & {*find_forms("i2b2-2014", "spanish")}


def test_repair_is_of_a_shipped_scheme():
    assert [read_scheme(name).name for name in BY_SCHEME] == [*BY_SCHEME]


@pytest.mark.parametrize("end", [2, 5])
def test_initials_in_another_span_leave_no_blank_before_a_name(end):
    text = "V. M. D'Schmidt II, MD"
    document = Document("1", text, (Span(0, end, "HOSPITAL"), Span(6, 18, "DOCTOR")))
    assert [text[span.start : span.end] for span in repair_spans(document).spans][1:] == [
        text[min(6, end + 1) : 18]
    ]

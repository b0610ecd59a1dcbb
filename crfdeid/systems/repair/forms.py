"""The table of the forms of repair, in the order in which they run."""

from __future__ import annotations

from crfdeid.systems.repair.addresses import find_addresses, find_towns, read_addresses
from crfdeid.systems.repair.cues import drop_words, find_names, read_cues
from crfdeid.systems.repair.dates import drop_dates, split_dates, split_name_and_date, trim_date_words
from crfdeid.systems.repair.edges import split_gaps, trim_fields, trim_marks
from crfdeid.systems.repair.hospitals import (
    OTHER_PIECES,
    PLACES,
    join_hospitals,
    mark_places,
    split_places,
    trim_departments,
    widen_hospitals,
)
from crfdeid.systems.repair.names import (
    join_components,
    join_nicknames,
    mark_names,
    split_names,
    trim_titles,
    widen_names,
)
from crfdeid.systems.repair.numbers import (
    LABELLED,
    join_glued_name,
    join_numbers,
    mark_numbers,
    mark_phones,
    split_glued_name,
    split_numbers,
    split_phones,
    widen_ages,
    widen_numbers,
)
from crfdeid.systems.repair.spans import NAMES, NUMBERS, PHONE_TYPES, Repair

FORMS = {
    "split_gaps": Repair(
        split_gaps, "<STREET|0611    12 Knoll Blvd>, Erie", "<STREET|0611>    <STREET|12 Knoll Blvd>, Erie"
    ),
    "split_numbers": Repair(
        split_numbers,
        "/ 80 M / <DATE|47110532 / 03/07/14>",
        "/ 80 M / <MEDICALRECORD|47110532> / <DATE|03/07/14>",
        NUMBERS | {"DATE"},
    ),
    "join_numbers": Repair(
        join_numbers,
        "/ <USERNAME|87 30> <MEDICALRECORD|38> / ",
        "/ <MEDICALRECORD|87 30 38> / ",
        frozenset({"MEDICALRECORD"}),
    ),
    "split_glued_name": Repair(
        split_glued_name,
        "<MEDICALRECORD|30990453SMITH> ",
        "<MEDICALRECORD|30990453><PATIENT|SMITH> ",
        NAMES | LABELLED,
    ),
    "join_glued_name": Repair(
        join_glued_name,
        "<IDNUM|30990453><PATIENT|SMITH>, <PATIENT|JOHN>",
        "<IDNUM|30990453><PATIENT|SMITH, JOHN>",
        NAMES,
    ),
    "split_phones": Repair(
        split_phones,
        "T: <PHONE|617-555-0101 / 617-555-0102>",
        "T: <PHONE|617-555-0101> / <PHONE|617-555-0102>",
        PHONE_TYPES,
    ),
    "split_names": Repair(
        split_names, "cc: <DOCTOR|Ana Ruiz, Leo Roth>", "cc: <DOCTOR|Ana Ruiz>, <DOCTOR|Leo Roth>", NAMES
    ),
    "split_places": Repair(
        split_places,
        "of <DOCTOR|Elm Clinic, Erie> today",
        "of <HOSPITAL|Elm Clinic>, <CITY|Erie> today",
        PLACES | NAMES,
    ),
    "trim_fields": Repair(trim_fields, "MRN 1 | <IDNUM|CSN 0-70327691>", "MRN 1 | CSN <IDNUM|0-70327691>"),
    "split_dates": Repair(
        split_dates,
        "used <DATE|01.09.2024 – 30.09.2024> daily",
        "used <DATE|01.09.2024> – <DATE|30.09.2024> daily",
        frozenset({"DATE"}),
    ),
    "split_name_and_date": Repair(
        split_name_and_date,
        "<DATE|Roth 30.11.1990> at",
        "<PATIENT|Roth> <DATE|30.11.1990> at",
        frozenset({"DATE"}),
    ),
    "trim_date_words": Repair(
        trim_date_words, "seen <DATE|on 3/7> here", "seen on <DATE|3/7> here", frozenset({"DATE"})
    ),
    "trim_departments": Repair(
        trim_departments,
        "in <HOSPITAL|Elm Clinic Emergency Department> now",
        "in <HOSPITAL|Elm Clinic> Emergency Department now",
        PLACES,
    ),
    "trim_marks": Repair(trim_marks, "mail <EMAIL|a@b.org.> or", "mail <EMAIL|a@b.org>. or"),
    "find_addresses": Repair(
        find_addresses,
        "to <EMAIL|a.ruiz@elm>.info now",
        "to <EMAIL|a.ruiz@elm.info> now",
        search=read_addresses,
    ),
    "find_towns": Repair(
        find_towns,
        'at "<STREET|12 Knoll Blvd>","Erie","PA","16501"',
        'at "<STREET|12 Knoll Blvd>","<CITY|Erie>","<STATE|PA>","<ZIP|16501>"',
        frozenset({"STREET"}),
    ),
    "widen_numbers": Repair(
        widen_numbers,
        "no. MR<MEDICALRECORD|268398>",
        "no. <MEDICALRECORD|MR268398>",
        NUMBERS | {"DEPARTMENT", "ROOM"},
    ),
    "widen_ages": Repair(widen_ages, "a 2-1/<AGE|2>-year-old", "a <AGE|2-1/2>-year-old", frozenset({"AGE"})),
    "trim_titles": Repair(
        trim_titles,
        "her <PATIENT|Auntie Ana> saw <DOCTOR|Leo Roth MFOM>",
        "her Auntie <PATIENT|Ana> saw <DOCTOR|Leo Roth> MFOM",
        NAMES,
    ),
    "join_nicknames": Repair(
        join_nicknames,
        '<PATIENT|Ana> "<PATIENT|Bee>" <PATIENT|Ruiz> came',
        '<PATIENT|Ana "Bee" Ruiz> came',
        NAMES,
    ),
    "join_components": Repair(
        join_components, "||BELL^<PATIENT|MARTIN>^F||", "||<PATIENT|BELL^MARTIN^F>||", NAMES
    ),
    "widen_names": Repair(widen_names, "by Mc<DOCTOR|Namara> today", "by <DOCTOR|McNamara> today", NAMES),
    "join_hospitals": Repair(
        join_hospitals,
        "at <HOSPITAL|Lady> of the <HOSPITAL|Lakes Hospital>",
        "at <HOSPITAL|Lady of the Lakes Hospital>",
        frozenset({"HOSPITAL", "CITY"}),
    ),
    "widen_hospitals": Repair(
        widen_hospitals,
        "<HOSPITAL|Elm Clinic>, Inc. wrote",
        "<HOSPITAL|Elm Clinic, Inc.> wrote",
        frozenset({"HOSPITAL"}),
    ),
    "mark_places": Repair(
        mark_places,
        "at <CITY|Elm Clinic> today",
        "at <HOSPITAL|Elm Clinic> today",
        OTHER_PIECES | {"HOSPITAL"},
    ),
    "drop_words": Repair(
        drop_words, "at <HOSPITAL|the hospital> now", "at the hospital now", NAMES | {"HOSPITAL"}
    ),
    "drop_dates": Repair(
        drop_dates,
        "AMTS <DATE|6/10>, seen <DATE|6/10>",
        "AMTS 6/10, seen <DATE|6/10>",
        frozenset({"DATE", "STREET"}),
    ),
    "find_names": Repair(find_names, "by Dr. Roth today", "by Dr. <DOCTOR|Roth> today", search=read_cues),
    "mark_phones": Repair(mark_phones, "Fax: <PHONE|617-555-0101>", "Fax: <FAX|617-555-0101>", PHONE_TYPES),
    "mark_numbers": Repair(
        mark_numbers, "ACCT NO: <IDNUM|5811528013>", "ACCT NO: <ACCOUNT|5811528013>", LABELLED
    ),
    "mark_names": Repair(mark_names, "Attending: <PATIENT|Ana Ruiz>", "Attending: <DOCTOR|Ana Ruiz>", NAMES),
}

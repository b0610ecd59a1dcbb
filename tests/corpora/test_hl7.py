"""HL7 v2: what is read, where it is, and that everything else stays."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.corpora import hl7, hl7_fields
from crfdeid.corpora.messages import ATTACHMENTS, EMPTIED, UNKNOWN
from crfdeid.errors import FormatError
from crfdeid.text.document import Document

HEAD = r"MSH|^~\&|APP|HOSP|LAB|L|20610402101500||ORU^R01|MSG1|P|2.5.1"
PID = r"PID|1||4471902^^^GH^MR||OKAFOR^ANA^M^JR^MRS||20010307|F|||12 ELM STREET^^BOSTON^MA^02115^USA"


@dataclass
class Made:
    start: int
    end: int
    replacement: str


def parse(*segments: str):
    return hl7.parse_message("\r".join([HEAD, *segments]) + "\r", "m", "m.hl7")


def read_fields(*segments: str) -> list[tuple[str, str]]:
    return [(each.type, each.text) for each in parse(*segments).fields][2:]  # without those of MSH


def keep_all(message) -> str:
    """Write the message with what it has."""
    made = {
        note.id: [Made(span.start, span.end, note.text_of(span)) for span in note.spans]
        for note in message.list_documents(fields=True)
    }
    return message.render(made, str)


def test_lines_of_one_observation_are_one_text():
    message = parse(
        "OBX|1|TX|A^Report||Seen by Dr. Ruiz||||||F", "OBX|2|TX|A^Report||again~and again", "OBX|3|NM|B||72",
        "OBX|4|FT|C||BP 120\\T\\80\\.br\\ok", "NTE|1|L|one", "NTE|2|L|two", "OBX|5|ST|C||",
    )  # fmt: skip
    texts = {document.id: document.text for document in message.list_documents()}
    assert texts == {
        "m.OBX.2": "Seen by Dr. Ruiz\nagain\nand again", "m.OBX.5": "BP 120&80\nok", "m.NTE.6": "one\ntwo",
        "m.OBX.8": "", "m.terms": "Report\nReport",
    }  # fmt: skip


def test_lines_of_two_observations_are_two_texts():
    message = parse("OBX|1|TX|A||one", "OBX|2|TX|B||two", "OBX|3|ST|B||three", "PV1|1", "OBX|4|TX|B||four")
    texts = {document.id: document.text for document in message.list_documents()}
    assert texts == {"m.OBX.2": "one", "m.OBX.3": "two\nthree", "m.OBX.6": "four"}


@pytest.mark.parametrize(
    ("segment", "fields"),
    [
        (PID, [
            ("MEDICALRECORD", "4471902"), ("PATIENT", "OKAFOR"), ("PATIENT", "ANA"), ("PATIENT", "M"),
            ("DATE", "2001-03-07"), ("STREET", "12 ELM STREET"), ("CITY", "BOSTON"), ("STATE", "MA"),
            ("ZIP", "02115"),
        ]),
        ("NK1|1|Eze&van^Chidi|SPO||(617)555-0171", [
            ("PATIENT", "Eze"), ("PATIENT", "van"), ("PATIENT", "Chidi"), ("PHONE", "(617)555-0171"),
        ]),
        ("PV1|1|I|5W^101^A^GH||||0047^RUIZ^ELENA^^^DR", [
            ("DEPARTMENT", "5W"), ("ROOM", "101"), ("ROOM", "A"), ("HOSPITAL", "GH"), ("IDNUM", "0047"),
            ("DOCTOR", "RUIZ"), ("DOCTOR", "ELENA"),
        ]),
        ('PID|1||""||""^ANA||2001', [("PATIENT", "ANA"), ("DATE", "2001")]),
        ("OBX|1|DT|B||20610401", [("DATE", "2061-04-01")]),
        ("OBX|1|XPN|B||Eze^Chidi", [("DOCTOR", "Eze"), ("DOCTOR", "Chidi")]),
        ("OBR|1|A\\T\\7^EPIC", [("IDNUM", "A&7")]),
        ("NK1|1|||^^US^^^CAN", [("CITY", "US"), ("COUNTRY", "CAN")]),
        (r"PV1|1||^\XE9\^\XC3A9\^\XC3\^", [("ROOM", "é"), ("ROOM", "é"), ("HOSPITAL", "Ã")]),
    ],
)  # fmt: skip
def test_structured_values_are_typed_fields(segment, fields):
    assert read_fields(segment) == fields


@pytest.mark.parametrize(
    ("segment", "clean", "masked"),
    [
        ("ZPI|1|Ana|x", "ZPI|||", {UNKNOWN: 1}),
        ("OBX|1|ED|PDF^||^application^pdf^Base64^JVBERi0x", "OBX|1|ED|PDF^||^^^^", {ATTACHMENTS: 1}),
        ("OBX|1|SSN|A||Ana", "OBX|1|SSN|A||", {ATTACHMENTS: 1}),
        ("OBX|1||A||Ana", "OBX|1||A||", {ATTACHMENTS: 1}),
        ("PID|1|||||||Ana Okafor", "PID|1|||||||", {EMPTIED: 1}),  # no code of a sex
        (f"PID|1{'|' * 40}Ana", f"PID|1{'|' * 40}", {EMPTIED: 1}),  # beyond the last field
        ("PID|1||||||March 2001", "PID|1||||||", {EMPTIED: 1}),  # no date
        ("OBX|1|NM|A||72|/min|60-100|N", "OBX|1|NM|A||72|/min|60-100|N", {}),
        ("OBX|1|NM|A^Age||93|a^year", "OBX|1|NM|A^Age|||a^year", {EMPTIED: 1}),  # an age over 89
        ("OBX|1|NM|A||89|yr", "OBX|1|NM|A||89|yr", {}),
        ("OBX|1|NM|A||90|YRS", "OBX|1|NM|A|||YRS", {EMPTIED: 1}),
        ("OBX|1|NM|A||+89.5|years", "OBX|1|NM|A|||years", {EMPTIED: 1}),
        ("OBX|1|NM|A||.|yr", "OBX|1|NM|A|||yr", {EMPTIED: 1}),  # no number
        ("PID|1|^US||||| ", "PID|1|^|||||", {EMPTIED: 2}),
        ("PID|1||||||US", "PID|1||||||", {EMPTIED: 1}),  # no date
        ("NK1|1|||^^^^^ ", "NK1|1|||^^^^^", {EMPTIED: 1}),
        ("OBX|1|NM|A||93|kg", "OBX|1|NM|A||93|kg", {}),
        ("ZPI|Ana\rZPI|1^Eze|2", "ZPI|\rZPI|^|", {UNKNOWN: 2}),
        ("PV1|1|I|||||^^^^^^^^Ana^^Eze~^^^^^^^^Obi", "PV1|1|I|||||^^^^^^^^^^~^^^^^^^^", {EMPTIED: 1}),
        ("OBX|1|ED|A||Ana|Ana Eze", "OBX|1|ED|A|||", {ATTACHMENTS: 1, EMPTIED: 1}),
        ("OBX|1|CE|A^B||Ana Okafor", "OBX|1|CE|A^B||", {EMPTIED: 1}),
        ("NK1|1|||^^^^^CAN", "NK1|1|||^^^^^CAN", {}),  # a surrogate's place
        ("NK1|1|||^^^^^US", "NK1|1|||^^^^^US", {}),
        ("OBX|1|NM|A||call Ana", "OBX|1|NM|A||", {EMPTIED: 1}),
        ("PV1|1|12345678", "PV1|1|", {EMPTIED: 1}),  # a number in place of a code
        ("PV1|1|Okoń", "PV1|1|", {EMPTIED: 1}),  # codes are ASCII
        ("OBX|1|NM|A||88123456", "OBX|1|NM|A||", {EMPTIED: 1}),  # a number of a person, not a measure
        ("OBX|1|SN|A||>^88123456", "OBX|1|SN|A||>^", {EMPTIED: 1}),
        ("OBX|1|NM|A||12000000", "OBX|1|NM|A||12000000", {}),
        ("NTE|1|OKAFOR", "NTE|1|", {EMPTIED: 1}),  # the source of a comment is L, P or O
    ],
)  # fmt: skip
def test_what_no_rule_lets_out_is_emptied(segment, clean, masked):
    message = parse(segment)
    head = r"MSH|^~\&|||||20610402101500||ORU^R01|MSG1|P|2.5.1"
    assert keep_all(message) == f"{head}\r{clean}\r"
    assert message.masked == Counter({EMPTIED: 4}) + Counter(masked)


SHAPES = {
    "keep": ("A 1 .+*%^/- abcdefghij0123456789", ["", "abcdefghij01234567890", "Okoń", "Ana Eze", "a,b"]),
    "flag": ("A 7 123 A123B456 .+*/- abcdefghijkl", ["", "abcdefghijklm", "1234", "A1234", "%", "Okoń"]),
    "number": (
        "7 -1.5 +.5 5. 1234567 120000000 123456789012.123456789012",
        ["", "+", ".", "12345678", "1234567890123", "1e5", "--1", "1.1234567890123", "+-1"],
    ),
    "source": ("L P O DR", ["", "l", "ANA", "1"]),
    "comparator": ("< <= >= = / : + -", ["", "<=>", "a", "1"]),
    "time": ("08 083000 083000.1 083000.1234-0500 08+0500", ["8", "0830000", "08.", "08+050", "08.12345"]),
    "title": (
        "Jr Sr. jr I II III IV V Dr Drs. DR MR Mrs Ms Miss Prof. M.D. md DO D.O RN NP PA PA-C PhD Ph.D.",
        ["", "IIII", "Okafor", "Dr..", "Dr Eze", "J"],
    ),
    "range": (
        "7 <=7.5 >1234.1234 60-100 3.5-5.25 0.1234-1.5",
        ["", "-", "60-", "12345", "1-12345", "<=>7", "1.12345"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("action", hl7_fields.SHAPES)
def test_what_is_kept_has_its_shape(action):
    kept, emptied = SHAPES[action]
    assert [text for text in kept.split() if not hl7_fields.is_kept(action, text)] == []
    assert [text for text in emptied if hl7_fields.is_kept(action, text)] == []


def test_a_range_may_have_blanks():
    spaced = ["< 7", "60 - 100", "60 -100", "3.5 - 5"]
    assert [text for text in spaced if not hl7_fields.is_kept(hl7_fields.RANGE, text)] == []
    assert not hl7_fields.is_kept(hl7_fields.RANGE, "60  - 100")


@pytest.mark.parametrize(
    ("place", "action", "is_known"),
    [
        (("PID", 5, 1), "PATIENT", True),
        (("PID", 5, 5), "title", False),
        (("PID", 5, 9), "empty", False),  # after the last component of a name
        (("PID", 11, 3), "CITY", True),
        (("PID", 11, 4), "STATE", False),
        (("PID", 11, 6), "COUNTRY", False),
        (("PID", 19, 1), "SSN", True),
        (("PID", 19, 2), "empty", False),
        (("PID", 7, 1), "DATE", True),
        (("PID", 29, 1), "DATE", True),
        (("NK1", 16, 1), "DATE", True),
        (("PID", 33, 1), "DATE", False),
        (("OBR", 7, 1), "DATE", False),
        (("PID", 40, 1), "PHONE", True),
        (("PID", 41, 1), "empty", False),  # after the last field
        (("MRG", 1, 1), "MEDICALRECORD", True),
        (("PV1", 7, 2), "DOCTOR", True),
        (("PV1", 7, 1), "IDNUM", False),
        (("PV1", 3, 4), "HOSPITAL", False),
        (("GT1", 3, 1), "PATIENT", True),
        (("IN1", 8, 1), "HEALTHPLAN", True),
        (("OBX", 5, 1, "XPN"), "DOCTOR", True),
        (("OBX", 5, 2, "CE"), "text", False),
        (("OBX", 5, 1, "TS"), "DATE", False),
        (("OBX", 5, 1, "ZZ"), "empty", False),
        (("ZPI", 1, 1), "empty", False),
    ],
)
def test_the_rule_of_a_component(place, action, is_known):
    assert hl7_fields.find_rule(*place) == hl7_fields.Rule(action, is_known)


def test_every_component_that_a_rule_keeps_has_a_shape():
    actions = {action for listed in hl7_fields.COMPONENTS.values() for action in listed}
    small = {action for action in actions if action.islower()} - {hl7_fields.TEXT, hl7_fields.EMPTY}
    assert small <= set(hl7_fields.SHAPES)
    types = {type for listed in hl7_fields.SEGMENTS.values() for type in listed}
    assert types - set(hl7_fields.COMPONENTS) == {hl7_fields.NO_TYPE, *hl7_fields.PHI_TYPES}


def test_separators_are_those_of_the_message(tmp_path):
    path = tmp_path / "a.hl7"
    path.write_text("MSH#*;!@#A\rPID#1##7*X\rOBX#1#TX#A*B##x | y !F! z\r\nMSH|^~\\&|A\nNTE|1||two\n")
    texts = {note.id: (note.text, note.patient) for note in corpora.read(path)}
    assert texts == {"a.1.OBX.3": ("x | y # z", "7"), "a.1.terms": ("B", "7"), "a.2.NTE.2": ("two", None)}


DATES = [
    ("2061", "2061"), ("206104", "2061-04"), ("20610402", "2061-04-02"), ("2061040210", "2061-04-02"),
    ("20610402101530.25-0500", "2061-04-02"), ("20610402.5", "2061-04-02"), ("2061+0100", "2061"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "text"), DATES)
def test_a_date_has_a_year_and_may_have_more(written, text):
    assert read_fields(f"PID|1||||||{written}") == [("DATE", text)]
    assert keep_all(parse(f"PID|1||||||{written}")).endswith(f"|{written}\r")


@pytest.mark.parametrize("text", ["206", "20614", "3061", "206104021015301", "20610402+100", "2061.", "0961"])
def test_what_is_no_date_is_emptied(text):
    assert read_fields(f"PID|1||||||{text}") == []
    assert keep_all(parse(f"PID|1||||||{text}")).endswith("PID|1||||||\r")


@pytest.mark.parametrize(
    ("replacement", "written"),
    [
        ("2061-05-09", "206105091230"),
        ("2061-05", "206105"),
        ("2061", "2061"),
        ("2061-05-09 ", ""),
        ("May", ""),
    ],
)
def test_another_date_keeps_the_time_if_it_has_a_day(replacement, written):
    message = hl7.parse_message("MSH|^~\\&\rPID|1||||||206104021230\r", "m", "m")
    (document,) = message.list_documents(fields=True)
    (span,) = document.spans
    assert document.text[: span.start] == "born "
    made = {"m.fields": [Made(span.start, span.end, replacement)]}
    assert message.render(made, str) == f"MSH|^~\\&\rPID|1||||||{written}\r"


def test_names_of_one_letter_are_not_searched_in_the_texts():
    message = parse("PID|1||||Xu^A^Ana", "PV1|1||5W^10||||7^Li^B")
    known = [field.text for field in message.fields if field.is_known]
    assert known == ["Xu", "Ana", "Li"]


@pytest.mark.parametrize("marks", ["|^~", r"|^~\\"[:4], r"|^~\&", r"|^~\&#"])
def test_a_message_has_three_to_six_separators(marks):
    (passage,) = hl7.parse_message(f"MSH{marks}\rNTE|1||one~two", "m", "m").passages
    assert passage.text == "one\ntwo"


@pytest.mark.parametrize("marks", ["|^", r"|^~\&#@", r"|^~\^", "|^~Z", "|^ &", "|^.&", '|^"&'])
def test_other_separators_are_refused(marks):
    with pytest.raises(FormatError, match=r"^m, segment 1: no separators; wanted such as \|\^~\\&"):
        hl7.parse_message(f"MSH{marks}|\rNTE|1||one", "m", "m")


def test_a_batch_has_a_head_and_each_message_its_place(tmp_path):
    source = f"\x0bBHS|^~\\&|A\r{HEAD}\rNTE|1||one\r\x1c\r{HEAD}\rNTE|1||two\rBTS|2\r"
    path = tmp_path / "a.hl7"
    path.write_bytes(source.encode())
    messages = list(hl7.read_messages(path))
    assert "".join(message.source for message in messages) == source
    assert [note.text for note in corpora.read(path)] == ["one", "two"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Zzyzx\r", "message 1, segment 1: not an HL7 v2 message"),
        (f"{HEAD}\rPID|1\rZzyzx\r", "message 1, segment 3: no name of a segment"),
        (f"{HEAD}\rPIDZzyzx|1\r", "message 1, segment 2: no name of a segment"),
        (f"{HEAD}\rZzyzx|1\r", "message 1, segment 2: no name of a segment"),
        (f"{HEAD}\r1PD|Zzyzx\r", "message 1, segment 2: no name of a segment"),
        (f"{HEAD}\r{HEAD}\r\nNTE|1||a\nZzyzx", "message 2, segment 3: no name"),
        ("MSH|||Zzyzx\r", "message 1, segment 1: no separators"),
        ("MSH|^^\\&|Zzyzx\r", "message 1, segment 1: no separators"),
        ("MSH\r", "message 1, segment 1: no separators"),
        ("", "no documents$"),
        (f"{HEAD}\r{HEAD}\r", "no documents: 2 messages without a text; wanted a note"),
    ],
)
def test_what_is_no_message_is_refused_without_its_text(tmp_path, content, said):
    path = tmp_path / "a.hl7"
    path.write_text(content, newline="")
    with pytest.raises(FormatError, match=said) as refused:
        list(corpora.read(path))
    assert "Zzyzx" not in str(refused.value)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.text(r"|^~\&.brEFSTX0\n", max_size=12)


@given(TEXTS, TEXTS.filter(lambda text: text not in ("", hl7.DELETED)))
def test_a_text_that_is_written_is_read_again(tmp_path_factory, text, patient):
    path = tmp_path_factory.mktemp("hl7") / "a.hl7"
    corpora.write([Document("n1", text, patient=patient)], path, "hl7")
    (note,) = corpora.read(path)
    assert (note.text, note.patient) == (text, patient)


VALUES = st.lists(
    st.sampled_from([*"abAB7 |^~&", r"\F\\"[:3], "20610402", '""', "Ana", r"\.br\\"[:5]]), max_size=9
)
SEGMENTS = st.tuples(st.sampled_from([*hl7_fields.SEGMENTS, "ZZZ"][3:]), VALUES)


@given(st.lists(SEGMENTS, max_size=5), st.sampled_from(["\r", "\n", "\r\n"]))
def test_what_stays_stays_to_the_byte(segments, end):
    lines = [HEAD, *(f"{name}|{''.join(value)}" for name, value in segments if name != "MSH")]
    message = hl7.parse_message(end.join(lines), "m", "m")
    clean = keep_all(message)
    again = hl7.parse_message(clean, "m", "m")
    assert not again.masked
    assert keep_all(again) == clean
    assert [note.text for note in message.list_documents(True)] == [
        note.text for note in again.list_documents(True)
    ]


@given(TEXTS, st.integers(0, 9), st.integers(1, 5), TEXTS)
def test_a_redacted_text_is_read_as_it_was_made(text, start, size, replacement):
    source = next(hl7.render_corpus([Document("n", text)]))
    message = hl7.parse_message(source, "m", "m")
    end = min(start + size, len(text))
    if start < end and "\r" not in text[start:end] + replacement:
        made = [Made(start, end, replacement)]
        clean = message.render({message.fields_id: message_fields(message), "m.OBX.3": made}, str)
        (passage,) = hl7.parse_message(clean, "m", "m").passages
        assert passage.text == text[:start] + replacement + text[end:]


def message_fields(message) -> list[Made]:
    fields = next(message.list_documents(True))
    return [Made(span.start, span.end, fields.text_of(span)) for span in fields.spans]


def test_stems_name_the_notes_of_a_folder(tmp_path: Path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.hl7").write_text(f"{HEAD}\nNTE|1||x\n")
    assert [note.id for note in corpora.read(tmp_path)] == ["a.1.NTE.2", "b.1.NTE.2"]


CANARIES = st.lists(st.sampled_from(["Zan Eze", "^", "&", "~", "|", "|", "|", "7", ""]), max_size=30)


@given(st.lists(st.tuples(st.sampled_from([*hl7_fields.SEGMENTS, "ZZZ"]), CANARIES), max_size=4))
def test_no_value_goes_out_that_is_no_text_or_field(segments):
    lines = [f"{name}|{''.join(value)}" for name, value in segments if name not in ("MSH", "FHS", "BHS")]
    message = parse(*lines)
    documents = [note for note in message.list_documents(fields=True) if note.text]
    blank = {note.id: [Made(0, len(note.text), "")] for note in documents if not note.spans}
    fields = {note.id: [Made(s.start, s.end, "x") for s in note.spans] for note in documents if note.spans}
    empty = {note.id: [] for note in message.list_documents()}
    assert "Zan" not in message.render(empty | blank | fields, str)


@pytest.mark.parametrize(
    ("field", "patient"),
    [("^^^GH^MR", None), ("^^^GH~4471902^^^GH", "4471902"), ('""', None), (r"A\T\7^^^GH", "A&7")],
)
def test_the_patient_is_the_first_identifier(field, patient):
    assert parse(f"PID|1|55|{field}").patient == patient


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a£Fx", "a£Fx"),
        ("£.br", "£.br"),
        ("£F££F£", "||"),
        ("££F££", "£|£"),
        ("£H£a£N£", "a"),
        ("£.sp2££.ce£", "\n\n"),
        ("£.in+4£a£.ti-1£", "a"),
        ("£M00A1£a£Zx£", "a"),
        ("£X4142£", "AB"),
        ("£X414£", "£X414£"),
        ("£Q£", "£Q£"),
        (f"£X{'41' * 30}£", "A" * 30),
        (f"£X{'41' * 31}£", f"£X{'41' * 31}£"),  # too long
    ],
)
def test_the_escapes_of_a_text(source, text):
    (passage,) = parse("NTE|1||" + source.replace("£", "\\")).passages
    assert passage.text == text.replace("£", "\\")

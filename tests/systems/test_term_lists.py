"""Lists of what is always PHI and what never is, in tag and redact."""

import json
from pathlib import Path

import pytest

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError
from crfdeid.policy import read_policy
from crfdeid.redact import __main__ as redact
from crfdeid.systems.term_lists import Terms, read_always, read_never, read_terms
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def found(path: Path, text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.type) for span in read_always(path).find(text)]


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("HOSPITAL Lakeside Pavilion", "at LAKESIDE\n  pavilion", ["LAKESIDE\n  pavilion"]),
        ("HOSPITAL Lakeside Pavilion", "lakeside-pavilion", ["lakeside-pavilion"]),
        ("HOSPITAL Mary-Ann House", "Mary Ann House", ["Mary Ann House"]),
        ("HOSPITAL MAYO", "Mayo on MAYO", ["MAYO"]),
        ("PATIENT OKAFOR", "Okafor, okafor's", ["Okafor", "okafor"]),
        ("PATIENT Okafor", "Okaforson", []),
        ("PATIENT O'Neil", "O’Neil", ["O’Neil"]),
        ("ORGANIZATION AT&T", "AT&T, AT T", ["AT&T"]),
        ("PATIENT Okafor", "Oka\u00adfor", ["Oka\u00adfor"]),
        (r"IDNUM /\bSTUDY-\d{4}\b/", "study-1234 STUDY\u20131234", ["STUDY\u20131234"]),
        (r"IDNUM /case (\d+)/", "case 12", ["12"]),
    ],
)  # fmt: skip
def test_terms_that_are_always_phi_are_found(tmp_path, line, text, expected):
    path = write(tmp_path / "always.txt", "# a list", "", line)
    assert found(path, text) == [(each, line.split()[0]) for each in expected]


@pytest.mark.parametrize(
    ("line", "text", "span", "stays"),
    [
        ("Medtronic", "a Medtronic pump", "Medtronic", False),
        ("Medtronic", "a MEDTRONIC pump", "MEDTRONIC", True),
        ("foley", "a Foley catheter", "Foley", False),
        ("Medtronic", "Dr. Medtronic Smith", "Medtronic Smith", True),
        ("St. Jude", "a St. Jude valve", "Jude", False),
        ("C++", "C and C++", "C", True),
        ("/Model [A-Z]\\d/", "a Model X5 pump", "Model X5", False),
        ("Mark", "seen by Dr. Mark today", "Mark", True),
        ("Mark", "told Mrs Mark", "Mark", True),
        ("Mark", "by nurse Mark", "Mark", True),
        ("Dr. Mark", "a Dr. Mark catheter", "Mark", False),
        ("Mark", "a Mark II pump", "Mark", False),
    ],
)
def test_spans_that_are_terms_of_no_phi_are_left_out(tmp_path, line, text, span, stays):
    terms = Terms(never=read_never(write(tmp_path / "never.txt", line)))
    start = text.index(span)
    note = Document("1", text, (Span(start, start + len(span), "PATIENT"),))
    assert bool(terms.apply(note).spans) is stays and terms.left_out == (not stays)


def test_a_term_that_is_always_phi_wins_over_other_spans_and_over_the_other_list(tmp_path):
    always = read_always(write(tmp_path / "a.txt", "PATIENT Jackson", "DATE May"))
    terms = Terms(always, read_never(write(tmp_path / "n.txt", "Jackson")))
    note = Document("1", "Jackson, May 3", (Span(0, 7, "CITY"), Span(9, 14, "DATE")))
    assert terms.apply(note).spans == (Span(0, 7, "PATIENT"), Span(9, 14, "DATE"))
    assert terms.report() == {"listed_terms": {"always": {"PATIENT": 1, "DATE": 1}, "never": 1}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("PATEINT Zzyzx", "line 1: the first word is not a type of PHI; did you mean PATIENT"),
        ("PATIENT", "line 1: a type without a term"),
        ("PATIENT ++", "line 1: a term without letters"),
        ("PATIENT /(/", "line 1: no regular expression"),
        ("PATIENT /(a+)+$/", "line 1: a repeat or a choice inside a repeat"),
        ("PATIENT /(a|aa)+$/", "line 1: a repeat or a choice inside a repeat"),
        ("PATIENT /a+a+a+b/", "line 1: the pattern is too slow"),
        ("PATIENT /a*/", "line 1: the pattern finds an empty text"),
    ],
)
def test_a_list_that_is_wrong_or_slow_is_refused_in_one_line_without_its_terms(tmp_path, line, said):
    with pytest.raises(ConfigurationError, match=said) as refused:
        read_always(write(tmp_path / "a.txt", line))
    assert "Zzyzx" not in str(refused.value)


def test_a_type_that_the_policy_keeps_is_refused(tmp_path):
    always = write(tmp_path / "a.txt", "CITY Lakeside")
    with pytest.raises(ConfigurationError, match="CITY, which policy limited_data_set keeps"):
        read_terms(always, None, read_policy("limited_data_set"))


def test_tag_uses_the_lists_and_counts_on_standard_error(tmp_path, small_model, capsys):
    note = tmp_path / "note.txt"
    note.write_text("The Zzyzx wing. Zzyzx again.")
    always = write(tmp_path / "a.txt", "DEPARTMENT Zzyzx")
    tag.main([str(note), "--model", str(small_model.folder), "--always", str(always)])
    out, err = capsys.readouterr()
    assert out.count("DEPARTMENT") == 2 and "2 texts of the list --always were found" in err
    tag.main([str(note), "--model", str(small_model.folder), "--never", str(write(tmp_path / "n", "Zzyzx"))])
    assert "DEPARTMENT" not in capsys.readouterr().out


def test_redact_uses_the_lists_and_reports_them(tmp_path, capsys):
    note = Document("1", "Okafor uses a Medtronic pump at Lakeside.", (Span(14, 23, "PATIENT"),), "7")
    corpora.write([note], tmp_path / "n.jsonl", "jsonl")
    report = tmp_path / "report.json"
    lists = [
        "--always",
        write(tmp_path / "a.txt", "PATIENT Okafor"),
        "--never",
        write(tmp_path / "n.txt", "Medtronic"),
    ]
    options = ["--spans", "gold", "--seed", 1, "--report", report, *lists]
    redact.main([str(each) for each in (tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", *options)])
    clean = next(corpora.read(tmp_path / "c.jsonl")).text
    assert "Okafor" not in clean and clean.endswith("uses a Medtronic pump at Lakeside.")
    assert json.loads(report.read_text())["listed_terms"] == {"always": {"PATIENT": 1}, "never": 1}
    assert "1 spans were left out, which the list --never has" in capsys.readouterr().out


def test_a_run_with_another_list_is_not_resumed(tmp_path):
    first, second = (Terms(read_always(write(tmp_path / "a.txt", line))) for line in ("CITY X1", "CITY X2"))
    assert first.options != second.options and Terms().options == ()


def test_an_unreadable_list_ends_with_status_2(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: tag.main(["-", "--always", str(tmp_path / "no.txt")]))
    assert stopped.value.code == 2 and "no.txt" in capsys.readouterr().err

"""Policies in redact: what becomes of each type, and what the report says of it."""

import json
from datetime import date

import pytest
from marked_notes import SECRET, marked, redacted, run, status

from crfdeid import corpora, policy
from crfdeid.errors import ConfigurationError
from crfdeid.policy import Policy, Rule, list_shipped, read_policy
from crfdeid.redact.actions import list_schemes
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates.dates.resolve import QUARTER, YEAR, generalize_text
from crfdeid.redact.surrogates.generalize import band_age
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

NOTE = (
    "<DATE 3/7/2067>: <PATIENT Robert Okafor>, <AGE 67>-year-old <PROFESSION baker> of <CITY Boston>, "
    "<STATE MA> <ZIP 02115>, ill since <DATE 2058>, MRN <MEDICALRECORD 4471902>. Mother is <AGE 93>. "
    "Okafor left."
)


def redact_with(name: str, text: str = NOTE, **options) -> Document:
    return redacted([marked(text)], policy=read_policy(name), **options)["1"]


def make_policy(action: str, **others: str) -> Policy:
    """A policy for all types of i2b2 2014: one action, except for some types."""
    types = [type for type in read_scheme().types if type not in others]
    rules = [Rule("all", "all types", action, tuple(types))]
    return Policy(
        "test", "a test", (*rules, *(Rule("one", type, act, (type,)) for type, act in others.items()))
    )


def test_without_a_policy_and_with_the_guidelines_every_span_gets_a_surrogate():
    assert redacted([marked(NOTE)])["1"] == redact_with("i2b2")


def test_the_limited_data_set_keeps_dates_ages_and_towns_and_replaces_names():
    clean = redact_with("limited_data_set")
    for kept in ("3/7/2067", "67-year-old", "baker of Boston, MA 02115", "2058", "is 93"):
        assert kept in clean.text
    assert "Okafor" not in clean.text and "4471902" not in clean.text


def test_under_the_safe_harbor_states_stay_with_their_towns_and_years_shift_with_the_dates():
    clean = redact_with("safe_harbor")
    assert ", MA " in clean.text and "Boston" not in clean.text and "67-year-old" in clean.text
    real = ("since 2058", "3/7/2067", "is 93", "Okafor")
    assert "90+" in clean.text and not any(text in clean.text for text in real)
    zip = next(clean.text_of(span) for span in clean.spans if span.type == "ZIP")
    assert "010" <= zip[:3] <= "027"  # of Massachusetts


def test_years_only_writes_the_real_years():
    clean = redact_with("years_only")
    assert clean.text.startswith("2067: ") and "since 2058" in clean.text and "3/7" not in clean.text


@pytest.mark.parametrize("name", ["years_only", "gdpr"])
@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Born in <DATE 1921>, is <AGE 92>.", "1921"),
        ("Born <DATE 3/7/1921>, is <AGE 92>.", "1921"),
        ("DOB <DATE 3/7/1951>. In <DATE 2043> she is <AGE ninety-two>.", "1951"),
        ("Born in <DATE 1921>.", "1921"),
        ("Had polio in <DATE 1930>.", "1930"),
        ("Seen <DATE 3/7/2013>. Polio in <DATE 1920>.", "1920"),
    ],
)
def test_no_real_year_shows_an_age_over_89(name, text, year):
    assert year not in redact_with(name, text).text


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("Seen <DATE 09/05/22>.", "2022"),
        ("DOB <DATE 1/2/1950>. Seen <DATE 09/05/22>.", "1950 2022"),
        ("DOB <DATE 1/2/30>. Seen <DATE 09/05/98>.", "1930 1998"),
        ("DOB <DATE 1/2/30>, aged <AGE 88>.", "1930"),
        ("DOB <DATE 1/2/1930>. Seen <DATE 09/05/22>.", "2022"),
        ("Born <DATE '21>, is <AGE 92>.", ""),
        ("Born <DATE '21>, has diabetes.", ""),  # 1921 or 2021
        ("Born <DATE '45>, has diabetes.", "1945"),
        ("Born <DATE '21>, aged <AGE 4>.", "2021"),
        ("Seen <DATE 3/7/2019>. Born <DATE '21>.", "2019"),
        ("Seen <DATE 3/7/2023>. Born <DATE '21>.", "2023 2021"),
    ],
)
def test_two_digits_are_a_year_in_which_a_note_can_be_written(text, years):
    """09/05/22 was 1922 where the note had no other date, or only a birth."""
    found = redact_with("years_only", text).text.replace(".", " ").replace(",", " ").split()
    assert [word for word in found if word.isdigit() and len(word) == 4] == years.split()


def test_a_birth_of_two_digits_is_not_after_the_note():
    """A surrogate '10 in a note of 2008 still says that the patient is 98."""
    for text, treatment in (("Seen <DATE 3/7/2019>. Born <DATE '21>.", "marker"),
                            ("Seen <DATE 3/7/2019>. Born <DATE 1/2/30>.", "shifted")):  # fmt: skip
        (found,) = Redactor(SECRET, policy=read_policy("safe_harbor")).redact([marked(text)])
        assert [made.treatment for made in found.replacements] == ["shifted", treatment]


@pytest.mark.parametrize(
    "text", ["Born in <DATE 1951>, is <AGE 62>.", "Ill since <DATE 1951>.", "Seen <DATE 2013>; is <AGE 92>."]
)
def test_other_real_years_stay(text):
    years = {"1951", "2013"} & {*text.replace(">", " ").replace(".", " ").split()}
    assert years and all(year in redact_with("years_only", text).text for year in years)


def test_the_policy_for_the_gdpr_makes_dates_ages_and_places_less_exact():
    clean = redact_with("gdpr")
    assert (
        clean.text.startswith("Q1 2067: ")
        and "60-69-year-old [**PROFESSION**] of Massachusetts, MA 021" in clean.text
    )
    assert "Mother is 90+" in clean.text and "since 2058" in clean.text


def test_a_kept_text_is_replaced_where_a_name_is_in_it():
    clean = redact_with(
        "limited_data_set", "<PATIENT Ana Jackson> of <CITY Jackson>. <CITY Boston> is kept; Boston"
    )
    assert "Jackson" not in clean.text and clean.text.endswith("Boston is kept; Boston")


def test_a_map_has_nothing_of_what_a_policy_keeps():
    redactor = Redactor(SECRET, policy=read_policy("limited_data_set"))
    redactor.histories = {}
    redactor.redact([marked("<PATIENT Ana Okafor> of <CITY Boston>")])
    (history,) = redactor.histories.values()
    assert [(type, list(pairs)) for type, pairs in history.pairs.items()] == [("PATIENT", ["Ana Okafor"])]


def test_overlapping_spans_of_a_kept_and_a_replaced_type_are_replaced():
    note = Document("1", "Seen May 2014", (Span(5, 8, "PATIENT"), Span(5, 13, "DATE")), "7")
    assert "May" not in redacted([note], policy=read_policy("limited_data_set"))["1"].text


def test_hashes_are_keyed_and_the_same_for_the_same_text():
    chosen = make_policy(policy.HASH, DATE=policy.BLANK, CITY=policy.MARKER)
    note = marked("<PATIENT Okafor>, OKAFOR, <IDNUM 447-19-02> on <DATE 3/7> in <CITY Boston>")
    clean = redacted([note], policy=chosen)["1"].text
    name, same, number = clean.split(" on ")[0].split(", ")
    assert name == same and name.startswith("[PATIENT:") and number.startswith("[IDNUM:")
    assert clean.endswith(" on ___ in [**CITY**]")
    assert redacted([note], b"another secret, long enough", policy=chosen)["1"].text.split(",")[0] != name


def test_a_style_writes_the_surrogates_of_a_policy():
    clean = redact_with("limited_data_set", style="type")
    assert "[**PATIENT**], 67" in clean.text and "Boston, MA" in clean.text


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (Policy("p", "s", (Rule("c", "t", "keep", ("DATE",)),)), "policy p: no rule for PATIENT"),
        (make_policy(policy.SURROGATE, PATIENT=policy.GENERALIZE), "PATIENT cannot be generalized"),
    ],
)
def test_a_policy_that_lacks_a_type_or_cannot_be_done_is_refused(chosen, said):
    with pytest.raises(ConfigurationError, match=said):
        Redactor(SECRET, policy=chosen)


def test_a_policy_is_for_the_schemes_whose_own_types_it_has():
    def name_schemes(*types):
        policy = Policy("p", "s", (Rule("c", "t", "keep", types),))
        return [scheme.name for scheme in list_schemes(policy)]

    assert name_schemes("ZIP", "DATE") == ["i2b2-2014"]
    assert name_schemes("FECHAS", "ZIP") == ["i2b2-2014", "meddocan"]
    assert name_schemes("ID") == ["i2b2-2006"]
    assert name_schemes("PATIENT", "HOSPITAL") == name_schemes("SPECIES") == []  # of several, of none


def test_a_span_of_another_scheme_needs_a_rule_too():
    redactor = Redactor(SECRET, policy=make_policy(policy.KEEP))
    with pytest.raises(ConfigurationError, match="no rule for FECHAS"):
        redactor.redact([marked("<FECHAS 3/7/2067>")])
    assert redactor.redact([marked("<SPECIES Rex>")])[0].document.text == "[**PHI**]"


def test_the_report_counts_by_the_rules_of_the_policy(tmp_path, capsys):
    corpora.write([marked(NOTE)], tmp_path / "n.jsonl", "jsonl")
    report, options = tmp_path / "report.json", ("--spans", "gold", "--seed", 1)
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", *options, "--policy", "gdpr", "--report", report)
    found = json.loads(report.read_text())["policy"]
    assert found["name"] == "gdpr" and "2016/679" in found["source"]
    bands = next(rule for rule in found["rules"] if "bands" in rule["title"])
    assert bands == {"cite": "recital 26", "title": "ages, in bands of ten years", "generalised": 2}
    out = capsys.readouterr().out
    assert "Regulation (EU) 2016/679" in out and "what policy gdpr keeps" in out


def test_a_policy_of_the_user_is_read_and_one_without_a_type_is_refused(tmp_path, capsys):
    corpora.write([marked("<CITY Boston>")], tmp_path / "n.jsonl", "jsonl")
    shipped = policy.files.find_file(policy.FOLDER, "gdpr", ".toml").read_text()
    options = (tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--spans", "gold", "--policy")
    (tmp_path / "less.toml").write_text(shipped.replace('"STREET", ', ""))
    assert status(*options, tmp_path / "less.toml") == 2
    assert "no rule for STREET" in capsys.readouterr().err
    (tmp_path / "mine.toml").write_text(shipped)
    run(*options, tmp_path / "mine.toml")
    assert next(corpora.read(tmp_path / "c.jsonl")).text == "Massachusetts"


@pytest.mark.parametrize("name", list_shipped())
def test_each_shipped_policy_can_be_done(name):
    assert Redactor(SECRET, policy=read_policy(name)).actions.policy == read_policy(name)


@pytest.mark.parametrize(
    ("text", "after", "width", "expected"),
    [
        ("67", "", 5, "65-69"), ("67", "", 20, "60-79"), ("88", "", 20, "80-89"),
        ("18", " months", 10, "0-119"),
        ("sixty-seven", "", 10, "60-69"), ("twenties", "", 10, "20-29"), ("mid-80s", "", 10, "80-89"),
        ("2-1/2", "-year-old", 10, "0-9"), ("3.5", " years", 10, "0-9"), ("92", "", 10, "90+"),
        ("ninety-two", "", 10, "90+"), ("octogenarian", "", 10, "80-89"), ("late 60's", "", 10, "60-69"),
        ("65 to 67", "", 10, "60-69"), ("101", " days", 10, "0-3649"), ("Smith", "", 10, None),
    ],
)  # fmt: skip
def test_ages_become_bands(text, after, width, expected):
    assert band_age(text, after, width) == expected


@pytest.mark.parametrize(
    ("text", "year", "quarter"),
    [
        ("03/07/2066", "2066", "Q1 2066"), ("7 Dec 2066", "2066", "Q4 2066"), ("March", "2067", "Q1 2067"),
        ("March 3-5, 2066", "2066", "Q1 2066"), ("12/30/66-1/2/67", "2066, 2067", "Q4 2066, Q1 2067"),
        ("the 12th", "2067", "Q2 2067"), ("2066", "2066", "2066"), ("1990s", "1990s", "1990s"),
        ("Christmas 2066", "2066", "Q4 2066"), ("Monday", None, None), ("soon", None, None),
    ],
)  # fmt: skip
def test_dates_become_years_and_quarters(text, year, quarter):
    seen = date(2067, 5, 1)
    assert (generalize_text(text, YEAR, seen), generalize_text(text, QUARTER, seen)) == (year, quarter)
    if "66" not in text and "19" not in text:
        assert generalize_text(text, YEAR) is None  # no date in the note says which year

"""The report of one note and of two systems, whole: every number follows by hand."""

import pytest

from crfdeid.evaluate import evaluation, report
from crfdeid.evaluate.evaluation import Comparison, EvaluationOptions, Signature
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.significance import Difference, ZTest
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

SCHEME = read_scheme()
TEXT = "Ana Roe-May saw Tom at 9."
GOLD = (Span(0, 11, "PATIENT"), Span(16, 19, "DOCTOR"))
SYSTEM = (Span(0, 11, "PATIENT"), Span(16, 18, "DOCTOR"))  # "To" of Tom

REPORT = """\
                                  strict                 relaxed                token
             gold system  right   P      R      F1       P      R      F1       P      R      F1
all             2      2      1   0.5000 0.5000 0.5000   1.0000 1.0000 1.0000   0.7500 0.7500 0.7500
HIPAA           1      1      1   1.0000 1.0000 1.0000   1.0000 1.0000 1.0000   1.0000 1.0000 1.0000
NAME            2      2      1   0.5000 0.5000 0.5000   1.0000 1.0000 1.0000   0.7500 0.7500 0.7500
  PATIENT       1      1      1   1.0000 1.0000 1.0000   1.0000 1.0000 1.0000   1.0000 1.0000 1.0000
  DOCTOR        1      1      0   0.0000 0.0000 0.0000   1.0000 1.0000 1.0000   0.0000 0.0000 0.0000
criterion:strict,relaxed,token|average:micro|SIGNATURE

mean of documents   P (SD)            R (SD)            F1
strict              0.5000 (0.0000)   0.5000 (0.0000)   0.5000
relaxed             1.0000 (0.0000)   1.0000 (0.0000)   1.0000
token               0.7500 (0.0000)   0.7500 (0.0000)   0.7500
criterion:strict,relaxed,token|average:macro|SIGNATURE

95% interval        P                 R                 F1
strict              0.5000-0.5000     0.5000-0.5000     0.5000-0.5000
relaxed             0.1581-1.0000     0.1581-1.0000     0.2731-1.0000
token               0.7500-0.7500     0.7500-0.7500     0.7500-0.7500
characters          0.7529-1.0000     0.9286-0.9286     0.9630-0.9630
method:bootstrap|unit:document|resamples:5|seed:0|SIGNATURE

character precision         1.0000
character recall            0.9286
character f1                0.9630
any-overlap recall          1.0000
covered recall              0.5000
leaks per 1000 words      142.8571
leaks per document          1.0000
documents without a leak    0.0000
patients without a leak     0.0000
criterion:characters|types:ignored|SIGNATURE

                   words   P       R       F
Non-PHI                3   1.00000 1.00000 1.00000
Patients               3   1.00000 1.00000 1.00000
Doctors                1   1.00000 1.00000 1.00000
criterion:words|average:micro|SIGNATURE

error             number    share
type                   0    0.00%
extent                 1  100.00%
type and extent        0    0.00%
missing                0    0.00%
spurious               0    0.00%

gold, down             1   2
 1 PATIENT             1   .
 2 DOCTOR              .   1

extent errors               short            long  short and long
DOCTOR                          1               0               0

most frequent contexts of missing spans
criterion:strict|SIGNATURE"""


def evaluate(gold, system, **options):
    sides = [[build_scored_document(Document("a", TEXT, spans), SCHEME)] for spans in (gold, system)]
    return evaluation.evaluate(*sides, EvaluationOptions(SCHEME, **options))


@pytest.fixture(scope="module")
def evaluated():
    return evaluate(GOLD, SYSTEM, resamples=5)


def test_the_report_has_all_tables_with_their_signatures(evaluated):
    assert report.format_report(evaluated) == REPORT.replace("SIGNATURE", evaluated.signature.text())


def test_the_summary_is_a_part_of_the_report(evaluated):
    """Not the means, nor words, nor types; of the errors only the kinds."""
    wanted = REPORT.replace("SIGNATURE", evaluated.signature.text()).split("\n\n")
    scores = "\n".join(line for line in wanted[0].splitlines() if not line.startswith("  PAT"))
    scores = "\n".join(line for line in scores.splitlines() if not line.startswith("  DOC"))
    signature = wanted[-1].splitlines()[-1]
    found = report.format_summary(evaluated).split("\n\n")
    assert [" ".join(table.split()) for table in found] == [
        " ".join(table.split()) for table in (scores, wanted[2], wanted[3], f"{wanted[5]}\n{signature}")
    ]


def test_without_resamples_there_are_no_intervals():
    assert "interval" not in report.format_report(evaluate(GOLD, SYSTEM, resamples=0))


def test_a_note_without_a_span_has_no_mean_f1():
    macro = report.format_macro(evaluate((), SYSTEM, resamples=0).scores)
    assert macro.splitlines()[1] == "strict              0.0000 (0.0000)   0.0000 (0.0000)   -"


def test_the_json_has_each_row_under_each_criterion(evaluated):
    found = report.build_json(evaluated)
    rows = {(row["row"], row["criterion"], row["subset"], row["binary"]): row for row in found["scores"]}
    whole = [(*row, binary) for row in (("all", "all"), ("HIPAA", "hipaa")) for binary in (False, True)]
    parts = [(name, "all", False) for name in ("NAME", "PATIENT", "DOCTOR")]
    criteria = ("strict", "relaxed", "token")
    assert rows.keys() == {(row, name, *rest) for row, *rest in whole + parts for name in criteria}
    assert rows["DOCTOR", "strict", "all", False]["micro"] == {
        "tp": 0, "fp": 1, "fn": 1, "precision": 0, "recall": 0, "f1": 0,
    }  # fmt: skip
    assert rows["DOCTOR", "strict", "all", False]["macro"]["f1"] is None
    assert rows["PATIENT", "token", "all", False]["micro"]["tp"] == 3
    assert found["intervals"]["characters"]["precision"] == pytest.approx([0.7529, 1], abs=1e-4)
    assert found["exposure"]["counts"] == {
        "gold": 14, "system": 13, "common": 13, "spans": 2, "touched": 2, "leaks": 1, "words": 7,
    }  # fmt: skip
    assert found["words"]["Patients"]["tp"] == 3 and found["mistakes"]["kinds"]["extent"] == 1
    assert found["mistakes"]["extents"] == {"DOCTOR": {"short": 1, "long": 0, "short and long": 0}}
    assert found["mistakes"]["confusion"]["DOCTOR"]["DOCTOR"] == 1


COMPARISON = Comparison(
    {"strict": {"precision": Difference(0.9, 0.85, 0.04), "f1": Difference(0.5, 0.25, 0.001)}},
    {"Patients": (0.97517, 0.96903, ZTest(0.52857, 0.6))},
    {"NAME": (Difference(0.9, 0.8, 0.01), 0.03)},
)
OPTIONS = EvaluationOptions(SCHEME, resamples=99, seed=3, unit="patient")
SIGNATURE = Signature("s", "script", "0f3a", 2, 9, 8)
COMPARED = """\
criterion metric       system   other       p
strict    precision    0.9000  0.8500  0.0400
strict    f1           0.5000  0.2500  0.0010
method:approximate randomisation|unit:patient|resamples:99|seed:3|SIGNATURE

strict F1              system   other       p  p, Holm
NAME                   0.9000  0.8000  0.0100   0.0300
criterion:strict|method:Holm over categories, types and unions|unit:patient|resamples:99|seed:3|SIGNATURE

words, F           system    other        z        p
Patients          0.97517  0.96903   0.5286   0.6000
method:z-test|criterion:words|SIGNATURE
z takes F for a proportion and words as independent, and finds differences too easily: use p above"""
COMPARED_LONG = """\
criterion metric       a name of 19 letters       b       p
strict    precision                  0.9000  0.8500  0.0400
strict    f1                         0.5000  0.2500  0.0010
method:approximate randomisation|unit:patient|resamples:99|seed:3|SIGNATURE

strict F1              a name of 19 letters       b       p  p, Holm
NAME                                 0.9000  0.8000  0.0100   0.0300
criterion:strict|method:Holm over categories, types and unions|unit:patient|resamples:99|seed:3|SIGNATURE

words, F           a name of 19 letters        b        z        p
Patients                        0.97517  0.96903   0.5286   0.6000
method:z-test|criterion:words|SIGNATURE
z takes F for a proportion and words as independent, and finds differences too easily: use p above"""


@pytest.mark.parametrize(
    ("names", "wanted"), [(("system", "other"), COMPARED), (("a name of 19 letters", "b"), COMPARED_LONG)]
)
def test_columns_of_a_comparison_are_as_wide_as_the_names(names, wanted):
    found = report.format_comparison(COMPARISON, SIGNATURE, OPTIONS, names)
    assert found == wanted.replace("SIGNATURE", SIGNATURE.text())


def test_a_comparison_as_json():
    assert report.build_comparison_json(COMPARISON, SIGNATURE, OPTIONS) == {
        "recipe": "method:approximate randomisation|unit:patient|resamples:99|seed:3|" + SIGNATURE.text(),
        "randomisation": {
            "strict": {
                "precision": {"first": 0.9, "second": 0.85, "p": 0.04},
                "f1": {"first": 0.5, "second": 0.25, "p": 0.001},
            }
        },
        "rows": {"NAME": {"first": 0.9, "second": 0.8, "p": 0.01, "p Holm": 0.03}},
        "z-test": {"Patients": {"first": 0.97517, "second": 0.96903, "z": 0.52857, "p": 0.6}},
    }

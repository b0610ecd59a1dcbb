"""choose: what is missed, which threshold passes, and what the choice remembers."""

import json

import numpy as np
import pytest
from small_release import make_note

from crfdeid import corpora
from crfdeid.certify import choose
from crfdeid.certify.__main__ import main
from crfdeid.certify.bounds import bound_share_above
from crfdeid.certify.choose import count_missed, measure_precision
from crfdeid.certify.sampling import refuse_tuning_notes
from crfdeid.errors import CrfdeidError
from crfdeid.text.document import Document, Span

NOTES = [make_note(number, 0) for number in range(200)]


class Stub:
    """Misses the first date where t is above 0.01, and every doctor above 0.1."""

    def tag_all(self, documents, threshold):
        for number, note in enumerate(documents):
            dropped = {"DATE"} if threshold > 0.01 and number == 0 else set()
            dropped |= {"DOCTOR"} if threshold > 0.1 else set()
            yield note.with_spans(span for span in note.spans if span.type not in dropped)


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(choose.model, "load", lambda folder: Stub())
    corpora.write(NOTES, tmp_path / "gold.jsonl", "jsonl")
    return tmp_path / "gold.jsonl"


def test_a_span_of_which_a_letter_is_not_masked_is_missed():
    gold = Document("1", "Ann Lee, 12", (Span(0, 7, "PATIENT"), Span(9, 11, "AGE")), "p")
    system = gold.with_spans([Span(0, 3, "PATIENT"), Span(8, 11, "AGE")])
    found = count_missed([gold], [system])
    assert (found.misses.tolist(), found.spans.tolist()) == ([1], [2])
    assert measure_precision([gold], [system]) == 1.0


def test_notes_of_a_patient_are_one_cluster():
    found = count_missed(NOTES, NOTES)
    assert len(found.spans) == 100 and np.all(found.spans == 4) and not found.misses.any()


def test_the_least_cautious_threshold_that_passes_is_chosen(corpus, tmp_path, capsys):
    main(["choose", str(corpus), "--aim", "0.05", "--out", str(tmp_path / "choice.json")])
    chosen = json.loads((tmp_path / "choice.json").read_text())
    assert chosen["threshold"] == 0.1
    assert chosen["points"][0]["bound"] == pytest.approx(bound_share_above(0, 400 / 4))  # 4 spans a patient
    assert "Threshold 0.1: at most 5.00%" in capsys.readouterr().out


def test_the_sequence_ends_at_the_first_failure(corpus, capsys):
    main(["choose", str(corpus), "--aim", "0.001"])
    assert "No threshold misses at most 0.10%" in capsys.readouterr().out


def test_the_notes_of_a_choice_are_refused_by_draw(corpus, tmp_path):
    main(["choose", str(corpus), "--out", str(tmp_path / "choice.json")])
    with pytest.raises(CrfdeidError, match="2 of 2 notes of the release tuned"):
        refuse_tuning_notes(NOTES[:2], [tmp_path / "choice.json"])
    assert "Ruiz" not in (tmp_path / "choice.json").read_text()


def test_few_notes_are_refused(tmp_path):
    corpora.write(NOTES[:99], tmp_path / "few.jsonl", "jsonl")
    with pytest.raises(CrfdeidError, match="99 notes; wanted 100 or more"):
        main(["choose", str(tmp_path / "few.jsonl")])

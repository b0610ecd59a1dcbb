"""A small model is adapted to a site that writes doctors and days otherwise."""

import dataclasses
import json

import numpy as np
import pytest
from small_notes import NAMES

from crfdeid import corpora
from crfdeid.adapt import choose, folder, ways
from crfdeid.adapt.__main__ import main
from crfdeid.adapt.ways import BOTH, SHIPPED, WEIGHTS
from crfdeid.certify.sampling import read_tuning_list
from crfdeid.errors import ConfigurationError, CrfdeidError, DocumentError, ModelError
from crfdeid.systems import model
from crfdeid.systems.model import hash_notes, hash_text, read_model_hashes
from crfdeid.text.document import Span


@pytest.fixture(scope="module")
def adapted(before, tmp_path_factory, site):
    """The folder of an adapted model, and what the command printed is not looked at."""
    place = tmp_path_factory.mktemp("adapted")
    corpora.write(site[:10], place / "corrected.jsonl", "jsonl")
    options = ["--notes", str(place / "corrected.jsonl"), "--model", str(before.folder)]
    main([*options, "--out", str(place / "site"), "--page", str(place / "gained.html")])
    return place


def tag(tagger, notes):
    return list(tagger.tag_all([note.with_spans(()) for note in notes]))


def test_a_few_notes_teach_the_writing_of_the_site(before, adapted, site):
    after = model.load(adapted / "site")
    assert choose.compute_f1(site[10:], tag(before, site[10:])) < 0.6
    assert choose.compute_f1(site[10:], tag(after, site[10:])) > 0.9


def test_the_written_model_tags_as_the_one_in_memory_compiled_or_not(before, site):
    choice = choose.adapt(before, site[:10])
    plain = [note.spans for note in tag(choice.tagger, site)]
    choice.tagger.compile()
    assert [note.spans for note in tag(choice.tagger, site)] == plain
    assert [note.spans for note in tag(before, site)] != plain  # the model before stays as it was


def test_the_model_as_it_is_wins_where_nothing_is_better(before, notes):
    choice = choose.adapt(before, notes[:8])
    assert choice.way == SHIPPED and choice.tagger is before
    assert choice.before is choice.after


def test_a_gain_by_chance_or_with_less_covered_is_none(site):
    half = [note.with_spans(note.spans[:2]) for note in site]
    assert choose.is_better(site, half, site) and not choose.is_better(site, site, site)
    one = [site[0], *half[1:]]  # better in one note
    assert not choose.is_better(site, half, one)
    wide = [
        note.with_spans([Span(0, len(note.text), "DATE")]) for note in site
    ]  # all is covered, all is wrong
    assert not choose.is_better(site, wide, half)


def test_the_folds_keep_a_patient_together(site):
    for rest, held in choose.split_notes(site):
        assert not {note.patient for note in rest} & {note.patient for note in held}


def test_no_note_is_judged_by_a_model_that_saw_its_patient(before, monkeypatch, site):
    trained = []
    train = ways.train_weights

    def watch(tagger, notes, c2):
        found = train(tagger, notes, c2)
        trained.append(({note.patient for note in notes}, found))
        return found

    monkeypatch.setattr(choose, "train_weights", watch)
    folds = choose.split_notes(site[:10])
    held = choose.hold_out_each(before, folds, 0.03, lambda: None)
    for (patients, tagger), each, (_, inside) in zip(trained, held, folds):
        assert each.tagger is tagger and not patients & {note.patient for note in inside}


def test_trees_of_a_fold_learn_of_the_other_folds_only():
    parts = [[(np.full((1, 1), number), np.ones(1))] for number in range(3)]
    assert [int(rows[0, 0]) for rows, _ in ways.split_rows(parts, 1)] == [0, 2]


def test_the_folder_has_the_notes_of_before_and_the_corrected_ones_as_hashes(before, adapted, notes, site):
    hashes = set(read_model_hashes(adapted / "site"))
    assert hashes == set(hash_notes(notes[:24])) | set(hash_notes(site[:10]))
    assert read_tuning_list(adapted / "site") >= set(hash_notes(site[:10]))  # certify refuses them


def test_the_card_and_the_manifest_have_counts_and_hashes_and_no_text(before, adapted, site):
    card = (adapted / "site" / "CARD.md").read_text()
    manifest = (adapted / "site" / "manifest.json").read_text()
    record = json.loads(manifest)["training"]["adapted"]
    assert record["model"] == {"name": "before", "fingerprint": before.fingerprint}
    assert record["notes"] == sorted(hash_text(note.text) for note in site[:10])
    gain = record["gain"]
    assert record["patients"] == 5 and gain["before"]["f1"] < 0.6
    assert 0.6 < gain["after"]["low"] <= gain["after"]["f1"]
    assert "10 corrected notes" in card and "| as it is |" in card
    assert not [name for name in NAMES if name in card + manifest]


def test_the_page_shows_errors_in_their_notes_to_its_owner_only(adapted):
    page = adapted / "gained.html"
    assert "ATT//" in page.read_text() and page.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_same_notes_give_the_same_files(before, adapted, tmp_path):
    options = ["--notes", str(adapted / "corrected.jsonl"), "--model", str(before.folder)]
    main([*options, "--out", str(tmp_path / "site")])
    for name in ("model.crfsuite", "trees.npz", "word_shares.json.gz", "tuned_notes.json.gz"):
        assert (tmp_path / "site" / name).read_bytes() == (adapted / "site" / name).read_bytes()


@pytest.mark.slow
def test_the_command_prints_the_figures_of_each_way(before, adapted, tmp_path, capsys):
    options = ["--notes", str(adapted / "corrected.jsonl"), "--model", str(before.folder)]
    main([*options, "--out", str(tmp_path / "site")])
    printed = capsys.readouterr().out
    assert "10 notes of 5 patients with 30 spans" in printed
    assert all(f"| {way.name}" in printed or f"| **{way.name}**" in printed for way in ways.WAYS)
    assert "95% interval" in printed and "site, its card in CARD.md" in printed


def test_lost_coverage_is_a_warning(small_model, site):
    less = [site[0].with_spans(site[0].spans[1:]), *site[1:]]
    for before, after, count in ((site, less, 1), (less, site, 0), (site, site, 0)):
        found = {SHIPPED.name: before, WEIGHTS.name: after}
        choice = choose.Choice(WEIGHTS, small_model, site, found)
        assert len(list(folder.list_warnings(choice))) == count


def test_a_crf_by_itself_has_no_trees(small_model, site):
    assert ways.list_ways(small_model) == [SHIPPED, WEIGHTS]
    assert choose.adapt(small_model, site[:10]).way == WEIGHTS
    assert BOTH not in ways.list_ways(small_model)


def test_what_cannot_be_adapted_is_refused(before, adapted, tmp_path, site):
    with pytest.raises(ConfigurationError, match="a model of the system rules; wanted judged or crf"):
        ways.check_model(model.load("rules"))
    shared = dataclasses.replace(before.config, min_patients=2)
    other = ways.copy.copy(before)
    other.config = shared
    with pytest.raises(ConfigurationError, match="a model for sharing"):
        ways.check_model(other)
    with pytest.raises(DocumentError, match="no span in the corrected notes"):
        choose.adapt(before, [note.with_spans(()) for note in site])
    with pytest.raises(DocumentError, match="of 2 patients; wanted at least 3"):
        choose.adapt(before, site[:4])
    options = ["--notes", str(adapted / "corrected.jsonl"), "--model", str(before.folder)]
    with pytest.raises(ModelError, match="--overwrite replaces it"):
        main([*options, "--out", str(adapted / "site")])
    wrong = [dataclasses.replace(site[0], spans=(Span(0, 3, "DOCTR"),))]
    corpora.write(wrong, tmp_path / "wrong.jsonl", "jsonl")
    with pytest.raises(CrfdeidError, match="s0: the type at 0-3"):
        main(
            [
                "--notes",
                str(tmp_path / "wrong.jsonl"),
                "--model",
                str(before.folder),
                "--out",
                str(tmp_path / "m"),
            ]
        )
    assert not (tmp_path / "m").exists()

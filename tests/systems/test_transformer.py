"""A tiny random encoder, made here: it tags, learns, and joins other systems."""

import json

import numpy as np
import pytest
from small_notes import NAMES, note

import crfdeid
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.evaluate.scores import score
from crfdeid.systems import model
from crfdeid.systems.transformer.encoder import map_label
from crfdeid.text.document import Document, mask_spans
from crfdeid.train import main as train_main

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages' own imports
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

NOTES = [note(number) for number in range(40)]
LONG = Document("long", "\n".join(each.text for each in NOTES))
QUICK = {"epochs": 12, "rate": 3e-3, "batch": 4, "stride": 8, "threads": 1}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A folder with an encoder of 32 dimensions, and with labels that our scheme does not have."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    folder = tmp_path_factory.mktemp("encoder")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    subwords = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    subwords.normalizer, subwords.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special)
    subwords.train_from_iterator([each.text for each in NOTES], trainer)
    subwords.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), special))
    transformers.PreTrainedTokenizerFast(tokenizer_object=subwords, **names).save_pretrained(folder)
    torch.manual_seed(0)
    labels = ["O", "B-STAFF", "I-STAFF", "B-WHEN", "I-WHEN", "B-AGE", "I-AGE"]
    shape = transformers.BertConfig(
        vocab_size=subwords.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=96, id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )  # fmt: skip
    transformers.BertForTokenClassification(shape).save_pretrained(folder)
    return folder


def configure(encoder, **changes) -> Config:
    return Config(system="transformer", options={"encoder": str(encoder), **QUICK, **changes})


@pytest.fixture(scope="module")
def learned(encoder, tmp_path_factory):
    return model.train(NOTES[:30], configure(encoder), tmp_path_factory.mktemp("models") / "learned")


def test_an_encoder_learns_our_corpus_and_our_scorer_scores_it(learned):
    found = list(learned.tag_all([each.with_spans(()) for each in NOTES[30:]]))
    assert score(NOTES[30:], found).micro(crfdeid.evaluate.matching.Criterion("strict")).f1 > 0.9


def test_windows_give_a_long_note_the_spans_of_its_parts(learned):
    (found,) = learned.tag_all([LONG])
    texts = [found.text_of(span) for span in found.spans if span.type == "DOCTOR"]
    assert sum(text in NAMES for text in texts) >= 36


def test_a_lower_threshold_tags_more_and_spans_have_probabilities(learned):
    tagged = [learned.tag(LONG, threshold=t, probabilities=True) for t in (0.999, 0.5, 0.001)]
    covered = [sum(mask_spans(len(LONG.text), each.spans)) for each in tagged]
    assert covered[0] < covered[1] < covered[2]
    assert all(0 <= s.probability <= 1 for each in tagged for s in each.spans if s.probability is not None)
    scores = np.exp(learned.score_tokens(LONG))
    assert scores.shape[1] == len(learned.labels) and scores.sum(axis=1) == pytest.approx(1, abs=1e-6)


def test_the_model_folder_has_all_that_it_needs(learned, tmp_path):
    again = model.load(learned.folder)
    assert [d.spans for d in again.tag_all(NOTES)] == [d.spans for d in learned.tag_all(NOTES)]
    assert again.fingerprint == learned.fingerprint
    (learned.folder / "encoder" / "config.json").rename(tmp_path / "config.json")
    with pytest.raises(ModelError, match="missing from the model"):
        model.load(learned.folder)
    (tmp_path / "config.json").rename(learned.folder / "encoder" / "config.json")


def test_the_same_seed_gives_the_same_weights(encoder, tmp_path):
    options = configure(encoder, epochs=1)
    first, second = (model.train(NOTES[:6], options, tmp_path / name) for name in "ab")
    assert first.fingerprint == second.fingerprint


def test_a_bare_folder_needs_a_map_of_its_labels(encoder):
    with pytest.raises(ConfigurationError, match='labels: WHEN is not a type .* wanted WHEN = "TYPE"'):
        model.load(encoder)


def test_a_bare_folder_joins_by_name(encoder, learned):
    table = 'system = "transformer"\n[options]\nstride = 8\n[options.labels]\nWHEN = "DATE"\n'
    (encoder / "crfdeid.toml").write_text(table)
    try:
        alone, joined = model.load(encoder), model.load(f"rules+{encoder}")
    finally:
        (encoder / "crfdeid.toml").unlink()
    assert alone.labels == ["O", "B-AGE", "I-AGE", "B-DATE", "I-DATE", "B-DOCTOR", "I-DOCTOR"]
    both = joined.tag(NOTES[0])
    assert set(model.load("rules").tag(NOTES[0]).spans) <= set(both.spans)
    assert sum(mask_spans(len(both.text), both.spans)) >= sum(
        mask_spans(len(both.text), alone.tag(NOTES[0]).spans)
    )


def test_a_stack_asks_an_encoder(encoder, tmp_path):
    bases = {
        "reads": {"system": "transformer", "options": {"encoder": str(encoder), **QUICK, "epochs": 8}},
        "knows": {"system": "rules"},
    }
    stack = Config(features=("lexical",), system="multi", options={"bases": bases, "folds": 2})
    tagger = model.train(NOTES[:20], stack, tmp_path / "stack")
    found = list(tagger.tag_all([each.with_spans(()) for each in NOTES[30:]]))
    assert score(NOTES[30:], found).micro(crfdeid.evaluate.matching.Criterion("strict")).f1 > 0.8


@pytest.mark.parametrize("text", ["", "\n\n", "Dr. Ruiz\u00a0saw \U0001f600 on 3/4/2061", "x" * 5000])
def test_every_text_can_be_tagged(learned, text):
    found = learned.tag(Document("1", text), probabilities=True, threshold=0.01)
    assert found.text == text


@pytest.mark.parametrize(
    ("name", "label"),
    [("O", "O"), ("U-STAFF", "B-DOCTOR"), ("L-Patient-Id", "I-IDNUM"), ("X", "O"), ("hosp", "I-HOSPITAL")],
)
def test_labels_map_to_types(name, label):
    types = ("DOCTOR", "HOSPITAL", "IDNUM")
    assert map_label(name, {"Patient-Id": "IDNUM", "X": ""}, types) == label


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "options.encoder is not set"), ({"encoder": "/no/such"}, "/no/such: OSError: wanted tokenizer")],
)
def test_a_missing_encoder_is_an_error_of_one_line(options, message, tmp_path):
    with pytest.raises((ConfigurationError, ModelError), match=message):
        model.train(NOTES[:4], Config(system="transformer", options=options), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_command_line_trains_and_tags(encoder, tmp_path, capsys):
    crfdeid.write(NOTES[:30], tmp_path / "notes.jsonl", "jsonl")
    options = f'options={{encoder="{encoder}", epochs=8, rate=3e-3, batch=4, threads=1}}'
    train_main(
        [
            str(tmp_path / "notes.jsonl"),
            "--config",
            "transformer",
            "--set",
            options,
            "--out",
            str(tmp_path / "m"),
        ]
    )
    from crfdeid.tag.__main__ import main

    capsys.readouterr()
    main([str(tmp_path / "notes.jsonl"), "--model", str(tmp_path / "m"), "--format", "jsonl"])
    assert len(json.loads(capsys.readouterr().out.splitlines()[0])["spans"]) >= 2


def test_hiding_a_token_shows_what_the_label_depends_on(learned, tmp_path, capsys):
    """The scores with nothing hidden are those that it tags with, in a note of several windows too."""
    from crfdeid.explain import __main__ as explain

    scores = learned.score_hidden(LONG, range(80, 90), 84)
    assert scores.shape == (11, len(learned.labels))
    np.testing.assert_allclose(np.exp(scores[0]), np.exp(learned.score_tokens(LONG)[84]), atol=1e-4)
    assert abs(np.exp(scores[1:]) - np.exp(scores[0])).max() > 0.001
    (tmp_path / "note.txt").write_text(NOTES[30].text, encoding="utf-8")
    explain.main([str(learned.folder), "--note", str(tmp_path / "note.txt"), "--at", "12", "--top", "2"])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"token 4, 12-{12 + len(NAMES[30 % len(NAMES)])}, {NAMES[30 % len(NAMES)]}: B-DOCTOR"
    assert len(said[-2:]) == 2 and said[-3].split()[:3] == ["hidden", "probability", "change"]

"""A token-classification model of Hugging Face's format: its probabilities for the tokens of a text.

A text is longer than what an encoder can read, so it reads overlapping windows. A subword that is in two of
them has the probabilities of the window in which it is farther from the edge. Nothing is downloaded, no
code of a model is run, and weights are read only from safetensors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from crfdeid.errors import ConfigurationError, DocumentError, ModelError, did_you_mean, show_install
from crfdeid.text import bio
from crfdeid.text.document import Token

LONGEST = 512  # subwords, where an encoder does not say how many it can read
Rows = dict[tuple[int, int], np.ndarray]  # of the subwords, by their offsets

PREFIXES = {
    "B": "B",
    "U": "B",
    "S": "B",
    "I": "I",
    "L": "I",
    "E": "I",
    "M": "I",
}  # of BIO, BILOU, BIOES, BMES
KNOWN = {  # names that published models use for types of i2b2 2014
    "PER": "PATIENT", "PERSON": "PATIENT", "NAME": "PATIENT", "STAFF": "DOCTOR", "HCW": "DOCTOR",
    "HOSP": "HOSPITAL", "PATORG": "ORGANIZATION", "ORG": "ORGANIZATION", "LOC": "LOCATION-OTHER",
    "LOCATION": "LOCATION-OTHER", "GPE": "CITY", "ID": "IDNUM", "OTHERPHI": "OTHER", "VENDOR": "ORGANIZATION",
    "MEDICAL_RECORD": "MEDICALRECORD", "BIRTHDATE": "DATE", "DATE_TIME": "DATE", "ZIPCODE": "ZIP",
}  # fmt: skip
NOT_PHI = ""
LEAST = {"window": 0, "stride": 0, "epochs": 0, "batch": 1, "seed": 0, "threads": 0}


def import_transformers() -> Any:
    """Import the package, which then looks for nothing in the network."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def load_network(folder: Path, **settings: Any) -> Any:
    """Load the weights in ``folder``. Raises :class:`ModelError` where there are none as safetensors."""
    network = import_transformers().AutoModelForTokenClassification
    try:
        return network.from_pretrained(str(folder), local_files_only=True, use_safetensors=True, **settings)
    except (OSError, ValueError) as error:
        wanted = "wanted a token-classification model with config.json and model.safetensors"
        raise ModelError(f"{folder}: {type(error).__name__}: {wanted}") from None


def load_subwords(folder: Path) -> Any:
    """Load the tokenizer in ``folder``. Raises :class:`ModelError` where it gives no offsets."""
    try:
        found = import_transformers().AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder}: {type(error).__name__}: wanted tokenizer.json of the encoder") from None
    if not found.is_fast:
        raise ModelError(f"{folder}: its tokenizer gives no offsets; wanted a fast one (tokenizer.json)")
    return found


class Encoder:
    """A network with its tokenizer. ``names`` are its labels in the order of their numbers."""

    def __init__(self, network: Any, subwords: Any, options: Options) -> None:
        self.network, self.subwords, self.options = network.to(options.device), subwords, options
        self.names = [str(network.config.id2label[number]) for number in range(network.config.num_labels)]
        can_read = getattr(network.config, "max_position_embeddings", LONGEST) - 2  # RoBERTa counts from 2
        self.window = options.window or min(LONGEST, subwords.model_max_length, can_read)
        self.stride = min(options.stride, self.window // 4)
        if self.window > can_read + 2:
            wanted = f"the encoder reads at most {can_read + 2}"
            raise ConfigurationError(f"options.window: {self.window} subwords; {wanted}")

    def cut(self, texts: Sequence[str]) -> Any:
        """Return the windows of the texts: subword numbers, offsets, and the text of each window."""
        return self.subwords(
            list(texts),
            truncation=True,
            max_length=self.window,
            stride=self.stride,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )

    def find_probabilities(self, texts: Sequence[str]) -> list[Rows]:
        """Return the probabilities [labels] of each subword of each text."""
        windows = self.cut(texts)
        found: list[Rows] = [{} for _ in texts]
        margins: list[dict[tuple[int, int], int]] = [{} for _ in texts]
        for number, rows in enumerate(self._run(windows["input_ids"])):
            owner, offsets = windows["overflow_to_sample_mapping"][number], windows["offset_mapping"][number]
            for at, (start, end) in enumerate(offsets):
                margin = min(at, len(offsets) - 1 - at)
                if start < end and margin > margins[owner].get((start, end), -1):
                    margins[owner][start, end] = margin
                    found[owner][start, end] = rows[at]
        return found

    def find_hidden(self, text: str, place: tuple[int, int], hidden: Sequence[tuple[int, int]]) -> np.ndarray:
        """Return the probabilities [1 + hidden, labels] of the first subword at a place of the text: as it
        is, and with the subwords at each of the places ``hidden`` as the tokenizer's mask, or its unknown
        subword where it has no mask. Raises :class:`DocumentError` where the place has no subword."""
        windows = self.cut([text])
        found = [
            (number, at, min(at, len(offsets) - 1 - at))
            for number, offsets in enumerate(windows["offset_mapping"])
            for at in find_overlapping(offsets, place)[:1]
        ]
        if not found:
            raise DocumentError("the encoder has no subword for this token, so it is O")
        number, at, _ = max(found, key=lambda row: row[2])
        numbers, offsets = windows["input_ids"][number], windows["offset_mapping"][number]
        mask = self.subwords.mask_token_id
        mask = self.subwords.unk_token_id if mask is None else mask
        rows = [list(numbers)]
        for other in hidden:
            masked = set(find_overlapping(offsets, other))
            rows.append([mask if n in masked else each for n, each in enumerate(numbers)])
        return np.stack([probabilities[at] for probabilities in self._run(rows)])

    def _run(self, windows: Sequence[Sequence[int]]) -> Iterator[np.ndarray]:
        """Yield the probabilities [subwords, labels] of each window of subword numbers."""
        import torch

        self.network.eval()
        with torch.inference_mode():
            for start in range(0, len(windows), self.options.batch):
                some = windows[start : start + self.options.batch]
                inputs = self.subwords.pad({"input_ids": some}, return_tensors="pt").to(self.options.device)
                yield from self.network(**inputs).logits.float().softmax(-1).cpu().numpy()


def find_overlapping(offsets: Sequence[tuple[int, int]], place: tuple[int, int]) -> list[int]:
    """Return the numbers of the subwords that have a character of the place.

    >>> find_overlapping([(0, 0), (0, 2), (2, 5), (6, 8), (0, 0)], (1, 5))
    [1, 2]
    """
    return [n for n, (start, end) in enumerate(offsets) if start < min(end, place[1]) and end > place[0]]


def match_subwords(tokens: Sequence[Token], offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each token the number of the first subword that has a character of it, -1 for none.
    ``offsets`` are sorted.

    >>> match_subwords([Token("Dr", 0), Token("\\n", 2), Token("Ruiz", 4)], [(0, 2), (4, 6), (6, 8)])
    [0, -1, 1]
    """
    found, at = [], 0
    for token in tokens:
        while at < len(offsets) and offsets[at][1] <= token.start:
            at += 1
        found.append(at if at < len(offsets) and offsets[at][0] < token.end else -1)
    return found


@dataclass(frozen=True)
class Options:
    """``encoder`` is the folder of a token-classification model in Hugging Face's format, with safetensors.
    ``labels`` maps the names of its labels, without B- and I-, to types of the scheme, or to "" if they are
    not PHI; names that the scheme or :data:`KNOWN` has need no entry. With ``epochs`` 0 the encoder stays as
    it is; otherwise it gets the labels of the training documents, and learns them at the ``rate`` from
    ``batch`` windows at once. A ``window`` has so many subwords (0: as many as the encoder can read), of
    which ``stride`` are also in the next. ``threads`` 0 leaves the number to torch; ``device`` is torch's."""

    encoder: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    epochs: int = 3
    rate: float = 5e-5
    batch: int = 8
    window: int = 0
    stride: int = 64
    seed: int = 0
    threads: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            if type(value := getattr(self, name)) is not int or value < least:
                raise ValueError(f"{name} = {value!r}: wanted a whole number, {least} or more")
        if not self.rate > 0:
            raise ValueError(f"rate = {self.rate!r}: wanted a number above 0")
        if self.window and self.window < 2 * self.stride + 8:
            raise ValueError(f"window = {self.window}: wanted at least 8 more than twice the stride")


def check_extra() -> None:
    """Raise :class:`ConfigurationError` where the extra ``transformer`` is not installed."""
    if missing := [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]:
        wanted = ", ".join(missing)
        raise ConfigurationError(f"the system transformer needs {wanted}: {show_install('transformer')}")


def map_labels(names: Sequence[str], labels: Mapping[str, str], types: Sequence[str]) -> list[str]:
    """Return our BIO label for each of the encoder's. Raises :class:`ConfigurationError` for one that is
    neither a type, nor known, nor in ``labels``, and where none is PHI.

    >>> map_labels(["O", "B-PER", "I-PER", "L-DRUG", "DATE"], {"DRUG": ""}, ["PATIENT", "DATE"])
    ['O', 'B-PATIENT', 'I-PATIENT', 'O', 'I-DATE']
    """
    found = [map_label(name, labels, types) for name in names]
    if set(found) == {bio.OUTSIDE}:
        raise ConfigurationError("options.labels: no label of the encoder is a type of PHI")
    return found


def map_label(name: str, labels: Mapping[str, str], types: Sequence[str]) -> str:
    """As :func:`map_labels`, for one."""
    if name == bio.OUTSIDE:
        return name
    prefix, dash, rest = name.partition("-")
    part, bare = (PREFIXES[prefix], rest) if dash and prefix in PREFIXES else ("I", name)
    type = labels.get(name, labels.get(bare, bare if bare in types else KNOWN.get(bare.upper(), bare)))
    if type == NOT_PHI:
        return bio.OUTSIDE
    if type not in types:
        near = did_you_mean(type, types)
        raise ConfigurationError(
            f'options.labels: {bare} is not a type of the scheme{near}; wanted {bare} = "TYPE"'
        )
    return f"{part}-{type}"

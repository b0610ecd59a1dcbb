"""The options of the system ``rnn``, and the check of the packages that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from crfdeid.errors import ConfigurationError, did_you_mean, show_install
from crfdeid.systems.works.rnn_vocabulary import UNKNOWN_WORDS

NETWORKS = ("elman", "jordan")
DIMENSIONS = {"random": 100, "rnnlm": 80, "cbow": 300}  # their table 4
FILE = "file"
LEARNED = ("rnnlm", "cbow")
CHOICES = {"network": NETWORKS, "embedding": (*DIMENSIONS, FILE), "unknown": UNKNOWN_WORDS}
LEAST = {
    "window": 1, "dimensions": 0, "embedding_epochs": 1, "hidden": 1, "layers": 1, "epochs": 1,
    "patience": 1, "least": 1, "seed": 0, "threads": 1, "batch": 1, "words": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """The defaults are those of Shweta et al.'s table 3 for Elman's network, where it has them.

    ``window`` counts all words of the window. ``dimensions = 0`` means the paper's number for the
    ``embedding``. ``spread`` is the range of the first weights. ``development`` is the share of the
    patients whose documents decide when to stop: after ``patience`` epochs in which neither their F1 nor
    their loss got better. ``least`` is how often a word must occur to be known.

    ``embedding = "file"`` takes the vectors, and their dimensions, of the file ``vectors`` (see
    :mod:`crfdeid.systems.works.vector_file`). ``text`` names documents in any format, without their spans:
    ``cbow`` and ``rnnlm`` learn from them and from the training notes. From either source at most ``words``
    words are known that the training notes do not have. A step is on ``batch`` sequences (the paper has 1).
    ``device`` is torch's, or ``auto``: a GPU where torch sees one."""

    network: str = "elman"
    window: int = 11
    hidden: int = 100
    layers: int = 1
    rate: float = 0.01
    dropout: float = 0.5
    epochs: int = 25
    patience: int = 5
    development: float = 0.1
    embedding: str = "cbow"
    dimensions: int = 0
    embedding_epochs: int = 10
    spread: float = 1.0
    least: int = 2
    unknown: str = "forms"
    seed: int = 0
    threads: int = 1
    vectors: str = ""
    text: str = ""
    words: int = 50_000
    batch: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                wanted = ", ".join(allowed)
                raise ValueError(
                    f"{name} = {value!r}: wanted one of {wanted}{did_you_mean(str(value), allowed)}"
                )
        for name, least in LEAST.items():
            if type(value := getattr(self, name)) is not int or value < least:
                raise ValueError(f"{name} = {value!r}: wanted a whole number, {least} or more")
        for name in ("rate", "spread"):
            if not (value := getattr(self, name)) > 0:
                raise ValueError(f"{name} = {value!r}: wanted a number above 0")
        for name in ("dropout", "development"):
            if not 0 <= (value := getattr(self, name)) < 1:
                raise ValueError(f"{name} = {value!r}: wanted a number from 0 to below 1")
        if self.window % 2 == 0:
            raise ValueError(
                f"window = {self.window}: wanted an odd number: a word, and equally many words on each side"
            )
        check_sources(self)

    @property
    def size(self) -> int:
        """The number of dimensions of a word's vector that is drawn or learned."""
        return self.dimensions or DIMENSIONS[self.embedding]


def check_sources(options: Options) -> None:
    """Raise ``ValueError`` where the file or the text of the vectors does not fit the ``embedding``."""
    if (options.embedding == FILE) != bool(options.vectors):
        raise ValueError('vectors: wanted the path of a file with embedding = "file", and none without')
    if options.embedding == FILE and options.dimensions:
        raise ValueError(f"dimensions = {options.dimensions}: the file of the vectors has its own")
    if options.text and options.embedding not in LEARNED:
        raise ValueError(f"text: embedding = {options.embedding!r} learns nothing; wanted cbow or rnnlm")


def check_extra(options: Options, training: bool) -> None:
    """Raise :class:`ConfigurationError` where the extra ``rnn`` is not installed."""
    wanted = ["torch", "safetensors", *(["gensim"] if training and options.embedding == "cbow" else [])]
    if missing := [name for name in wanted if find_spec(name) is None]:
        raise ConfigurationError(f"the system rnn needs {', '.join(missing)}: {show_install('rnn')}")

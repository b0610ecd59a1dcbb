"""The attack on a model that is to be shared, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from crfdeid import files
from crfdeid.engine import crfsuite_file
from crfdeid.files import read_text
from crfdeid.share import canaries, strings
from crfdeid.share.canaries import DECOYS, Canary
from crfdeid.systems import model_folder
from crfdeid.systems.crf import CrfTagger, find_weights
from crfdeid.systems.judged.judged import SHARES
from crfdeid.systems.judged.network import VALUES as NETWORK_VALUES
from crfdeid.systems.judged.word_evidence import read_compressed
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import COMPRESSED, TRAINING, name_list, read_compressed_list

SHIPPED = ("configs", "features")  # with the code: public text


@dataclass(frozen=True)
class CanaryFigures:
    """Of ``planted`` names, how many were ``read`` in the model, how many were ``guessed`` (an attacker with
    as many names as the census has surnames takes each for the likeliest),
    and the mean share of decoys that the model scores higher (equal ones count half; 0.5 is chance)."""

    planted: int
    read: int
    guessed: int
    mean_rank: float


@dataclass(frozen=True)
class Figures:
    """The results of the attack. ``strings`` has, by kind, the readable and all strings of one patient, of
    2 to before ``k`` patients, and of ``k`` or more; ``scanned_rare`` are strings of fewer than ``k``
    patients in the other files of the folder. ``has_other_bytes``: the model file has more than its parts."""

    k: int
    notes: int
    patients: int
    attributes: int
    fewest_patients: int
    long_numbers: int
    strings: dict[str, list[tuple[int, int]]]
    canaries: dict[str, CanaryFigures]
    decoys: int
    scanned_files: int
    scanned_rare: int
    has_other_bytes: bool
    public_lists: list[str]

    def list_breaches(self) -> list[str]:
        """Return what breaks the claim, as counts."""
        rare = sum(read for kind in self.strings.values() for read, _ in kind[:2])
        planted = self.canaries.values()
        found = {
            f"an attribute of {self.fewest_patients} patients": self.fewest_patients < self.k,
            f"{rare} readable strings of fewer than {self.k} patients": rare,
            f"{self.long_numbers} readable long numbers": self.long_numbers,
            f"{sum(one.read for one in planted)} planted names read": any(one.read for one in planted),
            f"{sum(one.guessed for one in planted)} planted names guessed": any(c.guessed for c in planted),
            f"{self.scanned_rare} rare strings in other files": self.scanned_rare,
            "a model file with other bytes than its weights": self.has_other_bytes,
        }
        return [text for text, is_broken in found.items() if is_broken]

    def to_table(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return asdict(self)


def attack_model(
    tagger: CrfTagger,
    twin: CrfTagger,
    planted: Sequence[Canary],
    documents: Sequence[Document],
    public: Sequence[str],
    seed: int,
    on_document: Callable[[], object] = lambda: None,
) -> Figures:
    """Attack ``tagger``, trained on the folded ``documents``, and ``twin``, trained in the same way on
    documents with planted names. ``public`` are the names of lists that anyone can have."""
    k = tagger.config.min_patients
    own = strings.count_strings(documents, tagger.pipeline)
    readable = read_model(tagger)
    patients = strings.count_patients_of_attributes(
        watch(documents, on_document), tagger.pipeline, tagger.weights.attributes
    )
    files = list_other_files(tagger.folder, public)
    program = read_program_words()
    return Figures(
        k=k,
        notes=len(documents),
        patients=len({document.owner for document in documents}),
        attributes=len(tagger.weights.attributes),
        fewest_patients=min(patients, default=0),
        long_numbers=len(readable & own.numbers.keys()),
        strings=strings.count_readable(own, readable, [1, 2, k]),
        canaries=attack_twin(twin, planted, set(own.in_spans) | set(own.others), seed),
        decoys=DECOYS,
        scanned_files=len(files),
        scanned_rare=strings.scan_files(files, own.list_rare(k), lambda text: text in program),
        has_other_bytes=has_other_bytes(find_weights(tagger.folder)),
        public_lists=sorted(public),
    )


def watch(documents: Sequence[Document], on_document: Callable[[], object]) -> Iterator[Document]:
    """Yield the documents, and report each."""
    for document in documents:
        yield document
        on_document()


def read_model(tagger: CrfTagger) -> set[str]:
    """Return the words and long numbers that can be read in a model: in its attributes, in its known words,
    in its table of the shares of words, in its network's values, and in its gazetteers of training spans."""
    readers = {model_folder.KNOWN_WORDS: read_text, NETWORK_VALUES: read_text, SHARES: read_compressed}
    texts = [read(path) for name, read in readers.items() if (path := tagger.folder / name).is_file()]
    known = {found for text in texts for found in strings.find_strings(text)}
    attributes = strings.read_strings(tagger.weights.attributes)
    return attributes | known | strings.read_training_lists(tagger.folder)


def attack_twin(
    twin: CrfTagger, planted: Sequence[Canary], known: set[str], seed: int
) -> dict[str, CanaryFigures]:
    """Read the planted names in the twin, and guess them among decoys."""
    taken = known | {canary.name.lower() for canary in planted}
    decoys = canaries.invent_names(DECOYS, Random(f"decoys {seed}"), taken)
    readable = read_model(twin)
    found = {}
    for title in ("easy", "hard"):
        some = [canary for canary in planted if canary.is_easy == (title == "easy")]
        ranks = [canaries.rank_canary(twin, canary, decoys) for canary in some]
        found[title] = CanaryFigures(
            planted=len(some),
            read=sum(canary.name.lower() in readable for canary in some),
            guessed=sum(
                higher + equal == 0 and canaries.is_guessed(twin, canary, taken)
                for canary, (higher, equal) in zip(some, ranks)
            ),
            mean_rank=round(sum(h + e / 2 for h, e in ranks) / max(len(ranks), 1) / DECOYS, 3),
        )
    return found


def list_other_files(folder: Path, public: Sequence[str]) -> list[Path]:
    """Return the text files of a model folder, except the public lists. The manifest has only the names of
    these files and checksums."""
    others = find_weights(folder), folder / model_folder.MANIFEST
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path not in others
        and not (path.parent.name == "gazetteers" and path.name in public)
    )


def read_program_words() -> set[str]:
    """Return the words of the program's own text: code, configurations, feature groups."""
    paths = [*files.PACKAGE.rglob("*.py")]
    for name in SHIPPED:
        paths += [
            path for path in files.find_folder(name).rglob("*") if path.suffix in (".toml", ".template")
        ]
    return {text for path in paths for text in strings.find_strings(read_text(path))}


def list_public(folder: Path, declared: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return the names of the files in ``folder/gazetteers`` that are the same as shipped ones or are
    ``declared`` public, and the names of the others, except the gazetteers of training spans."""
    public, others = [], []
    for path in model_folder.list_gazetteer_files(folder):
        name = name_list(path)
        shipped = files.find_folder("gazetteers") / f"{name}.txt"
        text = read_compressed_list(path) if path.suffix == COMPRESSED else read_text(path)
        if name in declared or (shipped.is_file() and read_text(shipped) == text):
            public.append(path.name)
        elif not path.name.startswith(TRAINING):
            others.append(path.name)
    return public, others


def has_other_bytes(path: Path) -> bool:
    """Whether a CRFsuite file has more than its labels, attributes and weights: writing these again would
    give other bytes."""
    weights = crfsuite_file.read(path)
    copy = path.with_name(f"copy{path.suffix}")
    try:
        crfsuite_file.write(copy, weights.labels, weights.attributes, weights.records)
        return copy.read_bytes() != path.read_bytes()
    finally:
        copy.unlink(missing_ok=True)

"""The store of a study: what was planned and drawn, and what readers marked. It holds ids, offsets and types,
and no text of a note; only its owner may read it, because it says where the planted leaks are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from crfdeid.certify.reading_copy import Allowed, Plant
from crfdeid.certify.sample_size import Aim
from crfdeid.certify.sampling import Unit
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import open_whole, read_text
from crfdeid.policy import read_policy

VERSION = 1
LATER = ("policy", "shows_kept", "drawn", "has_chosen_seed")  # fields that earlier stores lack
Marks = Mapping[str, Mapping[str, list[tuple[int, int, str]]]]  # by reader and note: start, end, type


@dataclass(frozen=True)
class SampleFrame:
    """The release that a sample was drawn from. ``strata`` has the number of notes of each; ``columns``
    made them, and ``stratum_of`` has the stratum of each note (empty without columns);
    ``refused`` is the number of notes in the lists of those that tuned the model, None without a list."""

    notes: int
    patients: int
    strata: dict[str, int]
    columns: list[str]
    stratum_of: dict[str, str] = field(repr=False)
    refused: int | None = None


@dataclass(frozen=True)
class SampleStore:
    """A study. ``precision`` is the share of the masked spans that are PHI. ``allowed`` are
    types that the release may show: their marks are not leaks; what ``policy`` keeps are not leaks either.
    Readers see both where ``shows_kept``. ``drawn`` is the day of the draw (empty in stores of earlier
    versions), and ``has_chosen_seed`` says that a person chose the seed. ``looks`` has the marks of each
    look that was taken: of the first half of the sample, or of all of it."""

    aim: Aim
    precision: float
    seed: int
    release: str  # hash_documents
    frame: SampleFrame
    sample: tuple[Unit, ...]
    plants: tuple[Plant, ...]
    allowed: tuple[str, ...] = ()
    looks: tuple[Marks, ...] = field(default=())
    policy: str = ""
    shows_kept: bool = False
    drawn: str = ""
    has_chosen_seed: bool = False

    @property
    def keeps(self) -> Allowed:
        """The PHI that the release keeps."""
        return Allowed(self.allowed, read_policy(self.policy) if self.policy else None, self.shows_kept)

    def list_part(self, look: int) -> tuple[Unit, ...]:
        """Return the notes that are new at a look, 1 or 2."""
        half = -(-len(self.sample) // self.aim.looks)
        return self.sample[half * (look - 1) : half * look]

    def list_read(self) -> tuple[Unit, ...]:
        """Return the notes that were read at the looks taken."""
        return tuple(unit for look in range(len(self.looks)) for unit in self.list_part(look + 1))

    def with_look(self, marks: Marks) -> SampleStore:
        return replace(self, looks=(*self.looks, marks))

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the plan and of the draw, without what readers marked."""
        return hashlib.sha256(render_store(replace(self, looks=())).encode()).hexdigest()


def render_store(store: SampleStore) -> str:
    """Return the store as JSON. A plant says only that it is hard, and later fields are left out where they
    say nothing: stores of 0.1.0 keep their hash."""
    plants = [
        {key: value for key, value in asdict(plant).items() if key != "hard" or value}
        for plant in store.plants
    ]
    fields = {key: value for key, value in asdict(store).items() if key not in LATER or value}
    return json.dumps({"version": VERSION, **fields, "plants": plants}, indent=1, sort_keys=True) + "\n"


def write_store(store: SampleStore, path: Path) -> None:
    with open_whole(path, private=True) as file:
        file.write(render_store(store))


def read_store(path: Path) -> SampleStore:
    """Read a store. Raises :class:`FormatError` where the file is not one."""
    try:
        found = json.loads(read_text(path))
        if found.pop("version") != VERSION:
            raise FormatError(f"{path}: a store of another version; wanted version {VERSION}")
        return build_store(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{path}: not a store; wanted what certify draw has written") from None


def build_store(found: dict[str, Any]) -> SampleStore:
    looks = tuple(
        {reader: {id: [tuple(mark) for mark in marks] for id, marks in notes.items()}
         for reader, notes in look.items()}
        for look in found.pop("looks")
    )  # fmt: skip
    aim, frame = Aim(**found.pop("aim")), SampleFrame(**found.pop("frame"))
    sample = tuple(Unit(**unit) for unit in found.pop("sample"))
    plants = tuple(Plant(**plant) for plant in found.pop("plants"))
    allowed = tuple(found.pop("allowed"))
    return SampleStore(
        allowed=allowed, aim=aim, frame=frame, sample=sample, plants=plants, looks=looks, **found
    )


@dataclass(frozen=True)
class Draw:
    """A sample that was drawn from a release: the hash of the release, the fingerprint of the store, the day,
    and the marks that are closed (:func:`seal_marks`); None in a ledger of an earlier version."""

    release: str
    store: str
    time: str = ""
    marks: tuple[dict[str, str], ...] | None = None


def name_ledger(release: Path) -> Path:
    """The file beside a release that lists all samples that were drawn from it."""
    return release.absolute().with_name(f"{release.absolute().name}.draws.json")


def read_ledger(release: Path) -> list[Draw]:
    path = name_ledger(release)
    if not path.exists():
        return []
    try:
        return [read_draw(draw) for draw in json.loads(read_text(path))]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{path}: not a list of draws; wanted what certify draw has written") from None


def list_draws(release: Path) -> list[dict[str, str]]:
    """Return the draws of the ledger as a statement lists them."""
    return [
        {key: getattr(draw, key) for key in ("release", "store", "time")} for draw in read_ledger(release)
    ]


def read_draw(found: dict[str, Any]) -> Draw:
    marks = found.get("marks")
    looks = None if marks is None else tuple(dict(look.items()) for look in marks)
    return Draw(found["release"], found["store"], found.get("time", ""), looks)


def write_ledger(release: Path, draws: Iterable[Draw]) -> None:
    found = [{key: value for key, value in asdict(draw).items() if value is not None} for draw in draws]
    with open_whole(name_ledger(release)) as file:
        file.write(json.dumps(found, indent=1) + "\n")


def refuse_second_draw(release: Path, hash: str) -> None:
    """Raise :class:`ConfigurationError` where a sample was drawn from this release before: it may have been
    looked at."""
    if any(draw.release == hash for draw in read_ledger(release)):
        raise ConfigurationError(
            f"{name_ledger(release)}: a sample was drawn from this release before; a second one, drawn after "
            "looking at the first, proves nothing: wanted a new release, or the first sample"
        )


def record_draw(release: Path, store: SampleStore) -> None:
    """Add the draw to the ledger of the release."""
    draw = Draw(store.release, store.fingerprint, store.drawn, ())
    write_ledger(release, [*read_ledger(release), draw])


def refuse_unrecorded(release: Path, store: SampleStore) -> None:
    """Raise :class:`ConfigurationError` where the ledger does not have the draw of this store."""
    if find_draw(release, store) is None:
        raise ConfigurationError(
            f"{name_ledger(release)}: does not have the draw of this store; a sample, plan or seed that was "
            "changed after the draw proves nothing"
        )


def find_draw(release: Path, store: SampleStore) -> Draw | None:
    """Return the draw of this store in the ledger."""
    own = (store.release, store.fingerprint)
    return next((draw for draw in read_ledger(release) if (draw.release, draw.store) == own), None)


def seal_marks(store: SampleStore) -> tuple[dict[str, str], ...]:
    """Return for each look that was taken the hash of each reader's marks, of the draw, and of all marks of
    the looks before."""
    sealed: list[dict[str, str]] = []
    for look in store.looks:
        before = [store.fingerprint, *sealed]
        sealed.append({reader: hash_json([before, reader, marks]) for reader, marks in look.items()})
    return tuple(sealed)


def hash_json(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def refuse_edited_marks(release: Path, store: SampleStore, new: int = 0) -> None:
    """Raise :class:`ConfigurationError` where the marks of a look are not those that the ledger has of it.
    The last ``new`` looks may be absent from it. A ledger of an earlier version has no marks."""
    draw, sealed = find_draw(release, store), seal_marks(store)
    if draw is None or draw.marks is None:
        return
    for number, look in enumerate(sealed):
        closed = draw.marks[number] if number < len(draw.marks) else {}
        is_new = number >= max(len(draw.marks), len(sealed) - new)
        if look != closed and not is_new:
            both = sorted({**look, **closed})
            readers = [f"{n}" for n, reader in enumerate(both, 1) if look.get(reader) != closed.get(reader)]
            raise ConfigurationError(
                f"{name_ledger(release)}: the marks of reader {' and '.join(readers) or 0} (by name) at look "
                f"{number + 1} are not those that were read then; marks that were edited, added or removed "
                "prove nothing: wanted the store as certify state left it"
            )


def close_marks(release: Path, store: SampleStore) -> None:
    """Write to the ledger which marks the store has, before the store is written: a run that is interrupted
    between both can take the same look again."""
    own = find_draw(release, store)
    if own is not None and (own.marks is None or len(own.marks) < len(store.looks)):
        closed = replace(own, marks=seal_marks(store))
        write_ledger(release, [closed if draw == own else draw for draw in read_ledger(release)])

"""The options of the system ``transformer``, the check of its packages, and the map of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.text import bio

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
        raise ConfigurationError(f"the system transformer needs {wanted}: pip install crfdeid[transformer]")


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

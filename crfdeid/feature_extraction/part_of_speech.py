"""Parts of speech, offline: named sources behind one function, ``load_tagger(name)(words)``, which
gives Penn tags.

He et al. 2015 used GENIA. Here:

- ``gruut``: the CRFsuite model of the wheel gruut-lang-en (MIT);
- ``aptagger``: the averaged perceptron of the wheel textblob-aptagger (MIT), whose pickle is read
  by an unpickler that allows only plain containers and numbers;
- ``nltk``: nltk's averaged perceptron, if its data is installed.

Nothing is downloaded. A missing wheel is a :class:`ConfigurationError` that names it.
"""

from __future__ import annotations

import pickle
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.text.word_cache import remember_words

Tagger = Callable[[Sequence[str]], list[str]]
PUNCTUATION = frozenset(".,;:!?\"'`()[]{}-/…—–&*#%$")


@cache
def load_tagger(name: str) -> Tagger:
    """Load the source of that name, once. Raises :class:`ConfigurationError` if there is none, or its
    wheel or data is not installed."""
    if name not in SOURCES:
        raise ConfigurationError(f"{name}: no such part-of-speech source{did_you_mean(name, SOURCES)}")
    return SOURCES[name]()


def find_wheel_file(module: str, inside: str, wheel: str) -> Path:
    """Find a data file of an installed wheel without importing the wheel."""
    spec = find_spec(module)
    path = Path(spec.origin).parent / inside if spec and spec.origin else None
    if path is None or not path.is_file():
        raise ConfigurationError(f"this part-of-speech source needs the wheel {wheel}: pip install {wheel}")
    return path


def load_gruut() -> Tagger:
    import pycrfsuite

    model = pycrfsuite.Tagger()
    model.open(str(find_wheel_file("gruut_lang_en", "pos/model.crf", "gruut-lang-en")))
    return lambda words: (
        model.tag([make_gruut_features(words, i) for i in range(len(words))]) if words else []
    )


@remember_words(200_000)
def make_gruut_word_features(word: str, head: str) -> dict[str, str | float]:
    """Make one word's features, named as in gruut's model."""
    return {
        f"{head}bias": 1.0,
        f"{head}word": b64encode(word.encode()).decode(),
        f"{head}len(word)": float(len(word)),
        f"{head}word.ispunctuation": float(word in PUNCTUATION),
        f"{head}word.isdigit()": float(word.isdigit()),
        f"{head}word[:2]": word[:2],
        f"{head}word[:3]": word[:3],
        f"{head}word[-2:]": word[-2:],
        f"{head}word[-3:]": word[-3:],
    }


def make_gruut_features(words: Sequence[str], index: int) -> dict[str, str | float]:
    """Make the features of a word and its two neighbours on each side."""
    found: dict[str, str | float] = {}
    for offset, head in ((0, ""), (-1, "-1:"), (-2, "-2:"), (1, "+1:"), (2, "+2:")):
        if 0 <= index + offset < len(words):
            found |= make_gruut_word_features(words[index + offset], head)
    if index == 0:
        found["BOS"] = 1.0
    if index == len(words) - 1:
        found["EOS"] = 1.0
    return found


class PlainUnpickler(pickle.Unpickler):
    """Refuses every class and function except ``set``, so that a pickle can hold only data."""

    def find_class(self, module: str, name: str) -> type[set[Any]]:
        if (module, name) in (("__builtin__", "set"), ("builtins", "set")):
            return set
        raise ConfigurationError(f"the tagger's file asks for {module}.{name}; wanted plain data")


def load_aptagger() -> Tagger:
    path = find_wheel_file("textblob_aptagger", "trontagger-0.1.0.pickle", "textblob-aptagger")
    with path.open("rb") as file:
        weights, known, classes = PlainUnpickler(file).load()
    ranked = sorted(classes)

    def tag(words: Sequence[str]) -> list[str]:
        context = ["-START-", "-START2-", *map(normalize_word, words), "-END-", "-END2-"]
        before, tags = ("-START2-", "-START-"), []
        for index, word in enumerate(words):
            seen = make_perceptron_features(index + 2, word, context, before)
            found = known.get(word) or predict_tag(weights, ranked, seen)
            tags.append(found)
            before = (before[1], found)
        return tags

    return tag


def predict_tag(weights: Mapping[str, Mapping[str, float]], classes: list[str], features: list[str]) -> str:
    """Return the class with the greatest sum; on a tie the last in alphabetical order."""
    scores: dict[str, float] = dict.fromkeys(classes, 0.0)
    for feature in features:
        for label, weight in weights.get(feature, {}).items():
            scores[label] += weight
    return max(classes, key=lambda label: (scores[label], label))


def normalize_word(word: str) -> str:
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit():
        return "!YEAR" if len(word) == 4 else "!DIGITS"
    return "!DIGITS" if word[0].isdigit() else word.lower()


def make_perceptron_features(i: int, word: str, context: list[str], before: tuple[str, str]) -> list[str]:
    """Make the features of textblob-aptagger; ``before`` holds the tags two words and one word back."""
    two, one = before
    return [
        "bias", f"i suffix {word[-3:]}", f"i pref1 {word[0]}", f"i-1 tag {one}", f"i-2 tag {two}",
        f"i tag+i-2 tag {one} {two}", f"i word {context[i]}", f"i-1 tag+i word {one} {context[i]}",
        f"i-1 word {context[i - 1]}", f"i-1 suffix {context[i - 1][-3:]}", f"i-2 word {context[i - 2]}",
        f"i+1 word {context[i + 1]}", f"i+1 suffix {context[i + 1][-3:]}", f"i+2 word {context[i + 2]}",
    ]  # fmt: skip


def load_nltk() -> Tagger:
    from nltk.tag import PerceptronTagger

    try:
        model = PerceptronTagger()
    except LookupError:
        raise ConfigurationError(
            "pos = nltk: its data averaged_perceptron_tagger_eng is not installed; gruut needs none"
        ) from None
    return lambda words: [tag for _, tag in model.tag(list(words))]


SOURCES: dict[str, Callable[[], Tagger]] = {"gruut": load_gruut, "aptagger": load_aptagger, "nltk": load_nltk}

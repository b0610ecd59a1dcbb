"""Parts of speech and chunks, offline: named sources behind one function, ``load_tagger(name)(words)``,
which gives Penn tags.

He et al. 2015 used GENIA. Here:

- ``gruut``: the CRFsuite model of the wheel gruut-lang-en (MIT);
- ``aptagger``: the averaged perceptron of the wheel textblob-aptagger (MIT), whose pickle is read
  by an unpickler that allows only plain containers and numbers;
- ``nltk``: nltk's averaged perceptron, whose data (:data:`NLTK_DATA`) nltk finds in its own folders.

Nothing is downloaded. Missing wheels and data are a :class:`ConfigurationError` that says what to install.

Chunks and their names come from the CoNLL-2000 task (Tjong Kim Sang & Buchholz 2000): NP, VP, PP,
ADJP, ADVP, PRT, without overlap. Each part of speech becomes one letter, so that the grammar is one
regular expression over a line's letters. This grammar is our own and small: openNLP's trained chunker
(Shweta et al. 2016, section 5.5) knows more.
"""

from __future__ import annotations

import pickle
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import regex

from crfdeid.errors import ConfigurationError, did_you_mean, show_install, show_nltk_download
from crfdeid.feature_extraction.token import Value
from crfdeid.lexicon.letters import remember_words
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

Tagger = Callable[[Sequence[str]], list[str]]
NLTK_DATA = "averaged_perceptron_tagger_eng"
PUNCTUATION = frozenset(".,;:!?\"'`()[]{}-/…—–&*#%$")

Tag = Callable[[list[str]], list[str]]

# Penn Treebank tags by their letter; all other tags become "-".
LETTERS = {
    "D": "DT PDT WDT PRP$ WP$",
    "P": "PRP WP EX",
    "N": "NN NNS NNP NNPS",
    "C": "CD $ #",
    "J": "JJ JJR JJS",
    "R": "RB RBR RBS WRB",
    "G": "VBG VBN",
    "V": "VB VBD VBP VBZ",
    "M": "MD",
    "T": "TO",
    "I": "IN",
    "A": "RP",
    "S": "POS",
    "H": "HYPH",
}
LETTER = {tag: letter for letter, tags in LETTERS.items() for tag in tags.split()}
GRAMMAR = regex.compile(
    r"""
      (?P<NP>   P                               # 1  she
              | S?D*(?:R?[JG]H?|[NC]H?)*[NC]    # 2  the very old man; a 54-year-old woman; 's knee; room 12
              | D )                             # 3  this
    | (?P<VP>   (?:[MT]R*)?[VG](?:R*[VGA])*     # 4  was not taken up; to see
              | M )                             # 5  may
    | (?P<PP>   [IT] )                          # 6  of
    | (?P<ADJP> R*J+ )                          # 7  very well
    | (?P<ADVP> R+ )
    | (?P<PRT>  A )
    """,
    regex.VERBOSE,
)


@cache
def load_tagger(name: str) -> Tagger:
    """Load the source of that name, once. Raises :class:`ConfigurationError` if there is none, or its
    wheel or data is not installed."""
    if name not in SOURCES:
        raise ConfigurationError(f"{name}: no such part-of-speech source{did_you_mean(name, SOURCES)}")
    return SOURCES[name]()


def find_wheel_file(module: str, inside: str, wheel: str, extra: str) -> Path:
    """Find a data file of an installed wheel without importing the wheel; ``extra`` brings it."""
    spec = find_spec(module)
    path = Path(spec.origin).parent / inside if spec and spec.origin else None
    if path is None or not path.is_file():
        raise ConfigurationError(f"this part-of-speech source needs the wheel {wheel}: {show_install(extra)}")
    return path


def load_gruut() -> Tagger:
    import pycrfsuite

    model = pycrfsuite.Tagger()
    model.open(str(find_wheel_file("gruut_lang_en", "pos/model.crf", "gruut-lang-en", "works")))
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
    path = find_wheel_file("textblob_aptagger", "trontagger-0.1.0.pickle", "textblob-aptagger", "pos")
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
        wanted = show_nltk_download(NLTK_DATA)
        raise ConfigurationError(
            f"pos = nltk: its data is not installed: {wanted}; gruut needs none"
        ) from None
    except (OSError, ValueError, TypeError, AttributeError):
        raise ConfigurationError(
            f"pos = nltk: its data {NLTK_DATA} cannot be read; install it again"
        ) from None
    return lambda words: [tag for _, tag in model.tag(list(words))]


SOURCES: dict[str, Callable[[], Tagger]] = {"gruut": load_gruut, "aptagger": load_aptagger, "nltk": load_nltk}


class PartsOfSpeech:
    """The observation ``pos``: one Penn tag per token, from ``tag`` line by line. The tags of the latest
    document are kept, for observations that share them."""

    def __init__(self, tag: Tag) -> None:
        self.tag = tag
        self.latest: tuple[TokenizedDocument, list[Value]] | None = None

    def __call__(self, document: TokenizedDocument) -> list[Value]:
        if self.latest is None or self.latest[0] is not document:
            self.latest = document, self._tag_lines(document)
        return self.latest[1]

    def _tag_lines(self, document: TokenizedDocument) -> list[Value]:
        values: list[Value] = [None] * len(document.tokens)
        for line in document.lines:
            words = [index for index in line if not is_line_end(document.tokens[index])]
            for index, tag in zip(words, self.tag([document.tokens[i].text for i in words])):
                values[index] = tag
        return values


def parse_chunks(document: TokenizedDocument, tags: list[Value]) -> Iterator[tuple[str, range]]:
    """Yield the name and the index range of each chunk, line by line."""
    for line in document.lines:
        letters = "".join(LETTER.get(str(tags[index]), "-") for index in line)
        for match in GRAMMAR.finditer(letters):
            yield str(match.lastgroup), range(line.start + match.start(), line.start + match.end())


def chunk_tag(pos: PartsOfSpeech, document: TokenizedDocument) -> list[Value]:
    """``B-NP``, ``I-NP`` and so on; nothing outside chunks.

    >>> from crfdeid.text.tokenizer import fine
    >>> pos = PartsOfSpeech(lambda words: ["DT", "JJ", "NN", "VBD", "IN", "NNP", "."])
    >>> text = "The old man walked in Boston."
    >>> chunk_tag(pos, TokenizedDocument(text, fine(text)))
    ['B-NP', 'I-NP', 'I-NP', 'B-VP', 'B-PP', 'B-NP', None]
    """
    values: list[Value] = [None] * len(document.tokens)
    for name, part in parse_chunks(document, pos(document)):
        values[part.start : part.stop] = [f"B-{name}", *[f"I-{name}"] * (len(part) - 1)]
    return values

"""Lists of names, and finding them in tokens.

A list matches in two ways: a token that occurs in any entry (He et al. 2015, section 2.2: "Los
Angeles" gives the elements ``los`` and ``angeles``), and a run of tokens that is a whole entry. Both
ignore case. Entries of ``NAME.exclude.txt`` beside a list never match.

A table of words says what general text knows of a word, such as its cluster, how frequent it is, and how
often it has a capital. It is a gazetteer whose entries are a word and its values, ``rosa|0132|11|-2``; its
head names them: ``# columns: cluster frequency capitals``. A word has several entries where its capitals
tell it apart.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet, WeakValueDictionary

import regex

from crfdeid import files
from crfdeid.errors import FormatError
from crfdeid.files import decode_text, read_text
from crfdeid.text.tokenizer import FINE, fold_text, is_folded

TRAINING = "training_"  # the prefix of lists that training makes of its own spans
JOIN = "+"  # between the names of lists that are asked as one

NOT_PLAIN = re.compile(r"^(?![A-Za-z][a-z]*$)(.+)", re.MULTILINE)  # a line that is not one word of ASCII
SIMPLE = re.compile("[A-Za-z][a-z]*(?:[- '][A-Za-z][a-z]*)+")  # several words of ASCII, a mark between two
SIMPLE_LETTERS = regex.compile(
    r"(?:\p{Lu}\p{Ll}*|\p{Ll}+)(?:[- '](?:\p{Lu}\p{Ll}*|\p{Ll}+))+"
)  # of any letters
PIECE = re.compile("[^- ']+|[-']")  # a token of such an entry in lower case
CAPITAL_INSIDE = re.compile(r"(?<=\w)[^\W\d_a-z]|[^\0-\x7f]")  # where capitals can split a token
Entry = tuple[str, ...]  # lowercased tokens
Item = TypeVar("Item")

_lists: WeakValueDictionary[tuple[str, bytes], Gazetteer] = WeakValueDictionary()  # by name and content

COLUMNS = re.compile(r"^# columns: (.+)$", re.MULTILINE)
MARK = "|"
COMPRESSED, LONGEST = ".gz", 200_000_000  # a compressed table: the end of its name, most bytes of its text
UNKNOWN = "none"  # the value of a word of letters that the table does not have


@dataclass(frozen=True)
class Gazetteer:
    """The entries by their lowercased tokens: ``single`` are those of one token, ``longer`` those of several.
    ``words`` are the tokens of entries that consist of letters and digits, except excluded ones."""

    name: str
    words: frozenset[str] = field(repr=False)
    single: frozenset[str] = field(repr=False)
    longer: frozenset[Entry] = field(repr=False)

    @property
    def entries(self) -> frozenset[Entry]:
        return self.longer.union(zip(self.single))

    @cached_property
    def longer_by_first(self) -> dict[str, list[Entry]]:
        """The entries of several tokens by their first one, the longest first."""
        found: dict[str, list[Entry]] = {}
        for entry in sorted(self.longer, key=len, reverse=True):
            found.setdefault(entry[0], []).append(entry)
        return found

    def find_matches(self, lowered: Sequence[str]) -> list[tuple[int, int]]:
        """Return the half-open index ranges of whole entries: from the left, the longest at each place.

        >>> build_gazetteer("us_cities", ["New York", "York"]).find_matches(["in", "new", "york"])
        [(1, 3)]
        """
        found, free = [], 0
        for index, word in enumerate(lowered):
            if index >= free and (length := self.match_longest(lowered, index) or (word in self.single)):
                free = index + length
                found.append((index, free))
        return found

    def match_longest(self, lowered: Sequence[str], index: int) -> int:
        """Return the length of the longest entry of several tokens that begins at ``index``, or 0."""
        entries = self.longer_by_first.get(lowered[index], ())
        lengths = (len(entry) for entry in entries if tuple(lowered[index : index + len(entry)]) == entry)
        return next(lengths, 0)


def build_gazetteer(name: str, entries: Iterable[str], excluded: Iterable[str] = ()) -> Gazetteer:
    """Make a gazetteer of ``entries`` without the ``excluded`` ones."""
    return combine_entries(name, (), tokenize_entries(entries), tokenize_entries(excluded))


def combine_entries(name: str, plain: Iterable[str], others: set[Entry], excluded: set[Entry]) -> Gazetteer:
    """Make a gazetteer of ``plain`` words in lower case and of ``others`` without the ``excluded`` ones."""
    others = others - excluded
    never = {entry[0] for entry in excluded if len(entry) == 1}
    kept = frozenset(set(plain) - never if never else plain)
    if not others:  # one set for both, which is made once
        return Gazetteer(name, kept, kept, frozenset())
    single = {entry[0] for entry in others if len(entry) == 1}
    inside = {word for word in set(chain.from_iterable(others)) if word.isalnum()} - never
    longer = frozenset(entry for entry in others if len(entry) > 1)
    return Gazetteer(name, kept.union(inside), kept.union(single), longer)


def merge_gazetteers(gazetteers: Sequence[Gazetteer]) -> Gazetteer:
    """Return one gazetteer of all entries; each list keeps its own exclusions.

    >>> names = [build_gazetteer("first", ["Ann"]), build_gazetteer("last", ["Ruiz", "Ann"])]
    >>> sorted(merge_gazetteers(names).words), merge_gazetteers(names).name
    (['ann', 'ruiz'], 'first+last')
    """
    parts = zip(*((gazetteer.words, gazetteer.single, gazetteer.longer) for gazetteer in gazetteers))
    return Gazetteer(JOIN.join(gazetteer.name for gazetteer in gazetteers), *map(unite, parts))


def unite(sets: Iterable[frozenset[Item]]) -> frozenset[Item]:
    return frozenset().union(*sets)


def tokenize_entries(entries: Iterable[str]) -> set[Entry]:
    """Return what :func:`tokenize_entry` finds in all entries. Most of several words are simple, which is
    quick."""
    found: set[Entry] = set()
    for entry in entries:
        if SIMPLE.fullmatch(entry) or SIMPLE_LETTERS.fullmatch(entry):
            found.add(tuple(PIECE.findall(entry.lower())))
        else:
            found |= tokenize_entry(entry)
    return found


def tokenize_entry(entry: str) -> set[Entry]:
    r"""Return the lowercased tokens that an entry has in a note, written as it is and in lower case
    (capitals split tokens). Typography is folded, as it is in notes. A name of a capital and small letters
    is one token, also where the tokenizer parts it at a letter without case: its parts, such as the i of
    Alapa\u02bbi, would make each I a name.

    >>> sorted(tokenize_entry("McKay"))
    [('mc', 'kay'), ('mckay',)]
    >>> len(tokenize_entry("Alapa\u02bbi"))
    1
    """
    entry = entry if is_folded(entry) else fold_text(entry).text
    if entry.isalpha() and entry[1:].islower():
        return {(entry.lower(),)}
    forms = (entry, entry.lower()) if CAPITAL_INSIDE.search(entry) else (entry.lower(),)
    return {tuple(match[0].lower() for match in FINE.finditer(form)) for form in forms} - {()}


def read_gazetteer(path: Path) -> Gazetteer:
    """Read the list at ``path`` with the exclusions beside it. A list that a model and the rules share is one
    object. Raises :class:`FormatError` where it has no entries, except for lists that training makes of its
    own spans: a type may have none."""
    text = read_text(path)
    beside = path.with_name(path.stem + ".exclude.txt")
    excluded = read_text(beside) if beside.is_file() else ""
    key = path.stem, hashlib.sha256(f"{text}\0{excluded}".encode()).digest()
    found = _lists.get(key)
    if found is None:
        found = _lists[key] = parse_gazetteer(path.stem, text, excluded)
    if not (found.single or found.longer or path.stem.startswith(TRAINING)):
        raise FormatError(f"{path}: no entries")
    return found


def parse_gazetteer(name: str, text: str, excluded: str) -> Gazetteer:
    """Make a gazetteer of the text of a list and of the one beside it. Most lines are one word of ASCII,
    which is quick."""
    parts = NOT_PLAIN.split(text)
    plain, others = "".join(parts[::2]).lower().split("\n"), "\n".join(parts[1::2])
    never = tokenize_entries(list_entries(excluded))
    return combine_entries(name, filter(None, plain), tokenize_entries(list_entries(others)), never)


def read_entries(path: Path) -> list[str]:
    """Return the lines of a list without blank lines and comments (``#``)."""
    return list_entries(read_text(path))


def list_entries(text: str) -> list[str]:
    lines = text.splitlines()
    if "#" in text:
        lines = [line for line in lines if line[:1] != "#"]
    return list(filter(None, map(str.strip, lines)))


def find_gazetteer(name: str, folders: Sequence[Path] = ()) -> Path:
    """Return the file of list ``name``: in the first of ``folders`` (a model's own) that has it, else the
    shipped one."""
    for folder in folders:
        if (path := folder / f"{name}.txt").is_file():
            return path
    return files.find_file("gazetteers", name, ".txt")


class WordTable(Gazetteer):
    """``columns[name]`` maps a word, as it is written in the table, to its value. All have the same words."""

    def __init__(self, name: str, columns: Mapping[str, Mapping[str, str]]) -> None:
        nothing: frozenset[Any] = frozenset()
        vars(self).update(name=name, single=nothing, longer=nothing, columns=columns)

    columns: Mapping[str, Mapping[str, str]]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words in lower case, of which a run that reads only columns makes no set."""
        return frozenset(map(str.lower, chain.from_iterable(self.columns.values())))


_tables: WeakSet[TableRows] = WeakSet()


def forget_texts() -> None:
    """Forget which texts the tables found last."""
    for table in _tables:
        table.last = (), []


class TableRows:
    """The entries of a table by their words. What was found last is kept: columns ask for the same texts."""

    def __init__(self, entries: Mapping[str, str], columns: int) -> None:
        self.entries, self.unknown = entries, [UNKNOWN] * (columns + 1)
        self.last: tuple[Sequence[str], list[Sequence[str] | None]] = (), []
        _tables.add(self)

    def find_all(self, texts: Sequence[str]) -> list[Sequence[str] | None]:
        """Return the parts of each text's entry, as :func:`find_value` finds it."""
        last, found = self.last
        if texts != last:
            found = [self.find(text) for text in texts]
            self.last = texts, found
        return found

    def find(self, text: str) -> Sequence[str] | None:
        """Return the parts of a text's entry."""
        get = self.entries.get
        if entry := get(text) or get(text.lower()) or get(text.capitalize()):
            return entry.split(MARK)
        return self.unknown if text.isalpha() else None


@dataclass(frozen=True)
class TableColumn(Mapping[str, str]):
    """The values at ``place`` of the entries of ``rows``, which are parted only when they are asked for."""

    rows: TableRows = field(repr=False)
    place: int

    def __getitem__(self, word: str) -> str:
        return self.rows.entries[word].split(MARK)[self.place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows.entries)

    def __len__(self) -> int:
        return len(self.rows.entries)

    def find_all(self, texts: Sequence[str]) -> list[str | None]:
        """Return what :func:`find_value` finds for each text."""
        place = self.place
        return [parts and parts[place] for parts in self.rows.find_all(texts)]  # type: ignore[misc]


def find_value(values: Mapping[str, str], text: str) -> str | None:
    """Return the value of the text as it is written, else in lower case, else with a first capital. A text
    with other characters than letters has no value where the table does not have it.

    >>> values = {"rosa": "flower", "Rosa": "name"}
    >>> [find_value(values, text) for text in ("Rosa", "ROSA", "xyz", "7")]
    ['name', 'flower', 'none', None]
    """
    for form in (text, text.lower(), text.capitalize()):
        if (found := values.get(form)) is not None:
            return found
    return UNKNOWN if text.isalpha() else None


def read_list(path: Path) -> Gazetteer:
    """Read the list at ``path``: a :class:`WordTable` where its head names columns, else a gazetteer. A
    compressed one is a table. Raises :class:`FormatError` as :func:`parse_table`,
    :func:`read_compressed_list` and :func:`read_gazetteer` do."""
    if path.suffix == COMPRESSED:
        text = read_compressed_list(path)
        if not (columns := find_columns(io.StringIO(text))):
            raise FormatError(f"{path}: wanted a table of words")
        return parse_table(path, columns, list_entries(text))
    with path.open(encoding="utf-8") as file:
        columns = find_columns(file)
    return parse_table(path, columns, read_entries(path)) if columns else read_gazetteer(path)


def name_list(path: Path) -> str:
    """Return the name of the list in a file, which can be compressed.

    >>> [name_list(Path(file)) for file in ("en_words.txt", "en_words.txt.gz", "my.words.txt")]
    ['en_words', 'en_words', 'my.words']
    """
    return path.name.removesuffix(COMPRESSED).removesuffix(".txt")


def find_columns(lines: Iterable[str]) -> list[str]:
    """Return the names of the columns in a list's head; of a list that is not a table there are none."""
    found = COLUMNS.search("".join(takewhile(lambda line: line.startswith("#"), lines)))
    return found[1].split() if found else []


def read_compressed_list(path: Path) -> str:
    """Return the text of a compressed list. Raises :class:`FormatError` where it is damaged, or longer than
    :data:`LONGEST`."""
    try:
        with gzip.open(path) as file:
            data = file.read(LONGEST + 1)
    except (OSError, EOFError, zlib.error):
        raise FormatError(f"{path}: damaged, or not a compressed list") from None
    if len(data) > LONGEST:
        raise FormatError(f"{path}: wanted at most {LONGEST:,} bytes")
    return decode_text(data, str(path))


def parse_table(path: Path, columns: Sequence[str], entries: Sequence[str]) -> WordTable:
    """Make a table of a list's entries. Raises :class:`FormatError` at an entry with another number of
    values, where there is no entry, or where a column's name is not small letters."""
    if not all(re.fullmatch("[a-z]+", name) for name in columns):
        raise FormatError(f"{path}: columns: wanted names of small letters")
    if not entries:
        raise FormatError(f"{path}: no entries")
    for number, entry in enumerate(entries, 1):
        if entry.count(MARK) != len(columns):
            raise FormatError(f"{path}, entry {number}: wanted a word and {len(columns)} values")
    rows = TableRows({entry.partition(MARK)[0]: entry for entry in entries}, len(columns))
    found = {name: TableColumn(rows, place) for place, name in enumerate(columns, 1)}
    return WordTable(name_list(path), found)

"""Which released note belongs to which original: by id, by a map or a key of new ids, or by its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from crfdeid.errors import CrfdeidError
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run.destination import remove_quotes
from crfdeid.redact.run.new_ids import IdReplacer
from crfdeid.redact.surrogates import keyed_choice, surrogate_map
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.utility.comparison import Utility
from crfdeid.text.document import Document

NEW_IDS = "; for a release with new ids: --map, --key-file, or --by-order for a table"


class MatchError(CrfdeidError):
    """Original and released notes that do not belong together."""


def compare_notes(
    originals: Sequence[Document], released: Iterable[Document], places: Mapping[str, int] | None
) -> Utility:
    """Compare each released note with its original. ``places`` are those of the originals by the ids of their
    releases; without them the notes have the same order. Raises :class:`MatchError` where no two notes belong
    together, or where the order cannot be the same."""
    found, order = Utility(), find_orders(originals)
    compared = set()
    for number, note in enumerate(released):
        place = find_place(note, places) if places is not None else number
        if place is None or place >= len(originals):
            found.unknown += 1
            continue
        compared.add(place)
        original = originals[place]
        found.add(original, note.text, place + 1, order[original.owner])
    found.missing = len(originals) - len(compared)
    if places is None and (found.missing or found.unknown):
        after = len(compared) + found.unknown
        raise MatchError(f"--by-order: {len(originals)} original and {after} released notes; wanted as many")
    if not compared:
        counts = f"{len(originals)} original and {found.unknown} released notes"
        raise MatchError(f"no common documents: {counts}, no id in both{NEW_IDS}")
    return found


def find_place(note: Document, places: Mapping[str, int]) -> int | None:
    """Return the place of the original; ``redact`` may have quoted the id of a table."""
    return places.get(note.id, places.get(remove_quotes(note).id))


def find_orders(originals: Iterable[Document]) -> dict[tuple[bool, str], bool]:
    """Return for each patient whether "3/7" is March 7: by the order of other dates, as
    ``redact`` reads it."""
    orders: dict[tuple[bool, str], Counter[str]] = {}
    for note in originals:
        proven = (parser.find_order(match[0]) for match in parser.NUMERIC.finditer(note.text))
        habits = (parser.find_habit(match[0]) for match in parser.SPOKEN.finditer(note.text))
        orders.setdefault(note.owner, Counter()).update(filter(None, (*proven, *habits)))
    return {owner: parser.is_month_first(found) for owner, found in orders.items()}


def locate_originals(
    originals: Sequence[Document], map: Path | None, map_key: Path | None, key_file: Path | None
) -> dict[str, int]:
    """Return the places of the originals by all ids that their releases may have."""
    places = {note.id: place for place, note in enumerate(originals)}
    released: dict[str, str] = {}
    secrets = [keyed_choice.read_key_file(key_file)] if key_file else []
    if map:
        read = surrogate_map.read_map(map, surrogate_map.read_key(map_key))
        secrets.append(read.secret)
        for history in read.patients.values():
            released |= dict(list_random(history.ids))
    for secret in secrets:
        keyed = IdReplacer("keyed", Redactor(secret))
        released |= {keyed.rename(note).id: note.id for note in originals}
    return {new: places[id] for new, id in released.items() if id in places} | places


def list_random(codes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the new and the real id of each note in the codes of a patient.

    >>> list(list_random({"document 110-01": "5f", "patient 110": "7a"}))
    [('n5f', '110-01')]
    """
    for name, code in codes.items():
        kind, _, id = name.partition(" ")
        if kind == "document":
            yield f"n{code}", id

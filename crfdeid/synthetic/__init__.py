"""Clinical notes written from frames, with exact gold spans. See docs/synthetic.md."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice

from crfdeid.synthetic import genres, notes, train_test_parts
from crfdeid.text.document import Document


def generate(documents: int, seed: int, part: str = "all", kinds: tuple[str, ...] = ()) -> Iterator[Document]:
    """So many notes. ``part`` train or test shares no names, places or genres of its own
    with the other; ``kinds`` restricts the genres. A note depends on the seed, the part,
    the kinds and its place in the row, not on how many are written. Raises
    :class:`~crfdeid.errors.ConfigurationError` on an unknown part or genre.

    >>> [note.id for note in generate(3, seed=1)][0]
    '100-01'
    """
    train_test_parts.check(part)
    chosen = genres.named(kinds)
    return islice(chain.from_iterable(notes.patient(seed, n, part, chosen) for n in count()), documents)

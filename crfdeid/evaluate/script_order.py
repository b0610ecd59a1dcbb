"""The order in which the challenge's script adds up the documents' figures.

The script takes the documents in the order of a set of their names, as Python 2.7 keeps one, and means them
with numpy. The order decides the last printed digit of a mean that is halfway between two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SMALLEST = 8  # slots of a new table
BITS = (1 << 64) - 1


def order_as_script(ids: Sequence[str]) -> list[int]:
    """Return the positions of the ids in the order of the script, whose files are read by name.

    The script makes a dictionary of each side, a set of its keys, and the set of the keys of both; each
    keeps its keys as :func:`order_keys` says.

    >>> ids = ["100-01", "101-01", "102-01", "103-01", "104-01", "105-01"]
    >>> [ids[position] for position in order_as_script(ids)]
    ['105-01', '101-01', '104-01', '100-01', '102-01', '103-01']
    """
    positions = {id.encode(): position for position, id in enumerate(ids)}
    keys: Iterable[bytes] = sorted(positions)
    for _ in range(3):
        keys = order_keys(keys)
    return [positions[key] for key in keys]


def order_keys(keys: Iterable[bytes]) -> list[bytes]:
    """Return different keys in the order of a table of Python 2.7 (64 bits) that they are added to: four
    times as many slots, or twice above 50,000 keys, when two of three are taken."""
    table: list[bytes | None] = [None] * SMALLEST
    for number, key in enumerate(keys, 1):
        insert_key(table, key)
        if number * 3 >= len(table) * 2:
            table = grow_table(table, number * (2 if number > 50_000 else 4))
    return [key for key in table if key is not None]


def grow_table(table: Sequence[bytes | None], least: int) -> list[bytes | None]:
    """Return a table of more than ``least`` slots with the same keys."""
    grown: list[bytes | None] = [None] * max(SMALLEST, 1 << least.bit_length())
    for key in table:
        if key is not None:
            insert_key(grown, key)
    return grown


def insert_key(table: list[bytes | None], key: bytes) -> None:
    """Put a key into the first free slot of its probe sequence."""
    mask = len(table) - 1
    rest = hash_key(key)
    slot = rest & mask
    while table[slot & mask] is not None:
        slot = (5 * slot + rest + 1) & BITS
        rest >>= 5
    table[slot & mask] = key


def hash_key(key: bytes) -> int:
    """Return Python 2.7's hash of a byte string, without a sign.

    >>> hash_key(b"100-01"), hash_key(b"")
    (13455315717272786609, 0)
    """
    if not key:
        return 0
    value = key[0] << 7
    for byte in key:
        value = (1000003 * value ^ byte) & BITS
    value ^= len(key)
    return BITS - 1 if value == BITS else value

"""The surrogates that redact proposes for a note of the consensus, checked by a person and then written out
(Douglass 2005, section 2.4.2 and figure 2-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crfdeid.review.room import Room

Table = dict[str, Any]


def notes(room: Room, part: str | None) -> Table:
    raise NotImplementedError


def view(room: Room, number: int) -> Table:
    raise NotImplementedError


def act(room: Room, reader: Any, number: int, given: Mapping[str, Any]) -> Table:
    raise NotImplementedError


def export(room: Room, given: Mapping[str, Any]) -> Table:
    raise NotImplementedError

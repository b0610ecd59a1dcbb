"""Books of actions: what a reader did to a note, in order. The log only grows.

A book has a name (``reader:ann``, ``consensus``, ``surrogates``) and holds one sequence of actions for
each note. Its state is the fold of the actions; undo and redo are actions too. A version is the number
of actions so far, and an action names the version that its reader saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from crfdeid.review.study.errors import ConflictError, StageError
from crfdeid.review.study.store import Store

State = TypeVar("State")
Action = Mapping[str, Any]


class Summary(NamedTuple):
    """The part of a state that lists of notes show, so that they need not decode it."""

    done: bool
    marks: int
    decided: int


@dataclass(frozen=True)
class Fold(Generic[State]):
    """How the actions of one kind of book change its state. ``apply`` is pure and trusts its actions: they
    were checked before they were written. ``encode`` and ``decode`` convert a state to and from JSON."""

    initial: State
    apply: Callable[[State, Action], State]
    encode: Callable[[State], Any]
    decode: Callable[[Any], State]
    summarize: Callable[[State], Summary]


@dataclass(frozen=True)
class BookEntry(Generic[State]):
    """A book at one note. ``undo`` and ``redo`` are the numbers of actions that can be undone and redone."""

    version: int
    state: State
    undo: int = 0
    redo: int = 0


class History(Generic[State]):
    """All states before the present one, and those that were undone.

    >>> history = History(Fold(0, lambda state, action: state + action["by"], None, None, None))
    >>> for action in ({"kind": "add", "by": 2}, {"kind": "add", "by": 5}, {"kind": "undo"}):
    ...     _ = history.act(action)
    >>> history.present, len(history.past), len(history.future)
    (2, 1, 1)
    """

    def __init__(self, fold: Fold[State]) -> None:
        self.fold, self.present = fold, fold.initial
        self.past: list[tuple[State, Action]] = []
        self.future: list[tuple[State, Action]] = []

    def act(self, action: Action) -> Action:
        """Apply an action; return the action that was done, undone or redone."""
        if action["kind"] == "undo":
            return self.move_last(self.past, self.future)
        if action["kind"] == "redo":
            return self.move_last(self.future, self.past)
        self.past.append((self.present, action))
        self.future.clear()
        self.present = self.fold.apply(self.present, action)
        return action

    def move_last(self, source: list[tuple[State, Action]], target: list[tuple[State, Action]]) -> Action:
        if not source:
            raise StageError("nothing", "there is nothing to undo or redo")
        state, action = source.pop()
        target.append((self.present, action))
        self.present = state
        return action


class EventLog(Generic[State]):
    """The books of one kind in a store."""

    def __init__(self, store: Store, fold: Fold[State]) -> None:
        self.store, self.fold = store, fold

    def read_entry(self, book: str, note: int) -> BookEntry[State]:
        sql = "SELECT version, undo, redo, state FROM states WHERE book = ? AND note = ?"
        if (row := self.store.fetch_one(sql, book, note)) is None:
            return BookEntry(0, self.fold.initial)
        version, undo, redo, state = row
        return BookEntry(version, self.fold.decode(json.loads(state)), undo, redo)

    def append(self, book: str, note: int, version: int, by: str, action: Action) -> BookEntry[State]:
        """Write one action and the state after it. Raises :class:`ConflictError` where the book is no longer
        at ``version``, :class:`StageError` where there is nothing to undo."""
        with self.store.transaction() as connection:
            before = self.read_entry(book, note)
            if before.version != version:
                raise ConflictError(before.version)
            after, groups = self.advance(book, note, before, action)
            row = (book, note, after.version, by, time.time(), json.dumps(dict(action)))
            connection.execute("INSERT INTO actions VALUES(?, ?, ?, ?, ?, ?)", row)
            state = json.dumps(self.fold.encode(after.state), separators=(",", ":"))
            summary = self.fold.summarize(after.state)
            values = (book, note, after.version, after.undo, after.redo, *groups, *summary, state)
            connection.execute(
                "INSERT OR REPLACE INTO states VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
            )
            return after

    def advance(
        self, book: str, note: int, before: BookEntry[State], action: Action
    ) -> tuple[BookEntry[State], tuple[str | None, str | None]]:
        """The entry after the action, and the groups of the actions that undo and redo would meet next."""
        if action["kind"] not in ("undo", "redo"):
            state = self.fold.apply(before.state, action)
            return BookEntry(before.version + 1, state, before.undo + 1, 0), (action.get("group"), None)
        history = self.replay(book, note)
        history.act(action)
        past, future = history.past, history.future
        groups = (find_last_group(past), find_last_group(future))
        return BookEntry(before.version + 1, history.present, len(past), len(future)), groups

    def replay(self, book: str, note: int) -> History[State]:
        """Fold the whole log of a note again, from its first action."""
        history = History(self.fold)
        sql = "SELECT action FROM actions WHERE book = ? AND note = ? ORDER BY version"
        for (action,) in self.store.fetch_all(sql, book, note):
            history.act(json.loads(action))
        return history

    def find_same_group(self, book: str, note: int, kind: str) -> list[tuple[int, int]]:
        """Number and version of the other notes of the book where ``kind`` (undo or redo) would meet an
        action of the same group as in this note."""
        sql = f"""SELECT other.note, other.version FROM states AS own JOIN states AS other
                  ON own.book = other.book AND own.{kind}_group = other.{kind}_group
                  WHERE own.book = ? AND own.note = ? AND own.note <> other.note ORDER BY other.note"""
        return [(number, version) for number, version in self.store.fetch_all(sql, book, note)]


def find_last_group(stack: list[tuple[State, Action]]) -> str | None:
    return stack[-1][1].get("group") if stack else None

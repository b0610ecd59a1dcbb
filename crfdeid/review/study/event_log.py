"""Books of actions: what a reader did to a note, in order, never rewritten.

A book is named (``reader:ann``, ``consensus``, ``surrogates``) and holds one sequence of actions for
each note. Its state is the fold of the actions; undo and redo are actions too. A version is the number
of actions so far, and whoever acts must name the version they saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from crfdeid.review.study.errors import Conflict, Stage
from crfdeid.review.study.store import Store

S = TypeVar("S")
Action = Mapping[str, Any]


class Summary(NamedTuple):
    """What lists of notes show of a state without reading it."""

    done: bool
    marks: int
    decided: int


@dataclass(frozen=True)
class Fold(Generic[S]):
    """How the actions of one kind of book add up. ``apply`` is pure and trusts its actions, which were
    checked before they were written."""

    initial: S
    apply: Callable[[S, Action], S]
    dump: Callable[[S], Any]
    load: Callable[[Any], S]
    summary: Callable[[S], Summary]


@dataclass(frozen=True)
class Entry(Generic[S]):
    """A book at one note. ``undo`` and ``redo`` count what can be taken back, and done again."""

    version: int
    state: S
    undo: int = 0
    redo: int = 0


class History(Generic[S]):
    """All states on the way to the present one, as undo needs them.

    >>> history = History(Fold(0, lambda state, action: state + action["by"], None, None, None))
    >>> for action in ({"kind": "add", "by": 2}, {"kind": "add", "by": 5}, {"kind": "undo"}):
    ...     _ = history.act(action)
    >>> history.present, len(history.past), len(history.future)
    (2, 1, 1)
    """

    def __init__(self, fold: Fold[S]) -> None:
        self.fold, self.present = fold, fold.initial
        self.past: list[tuple[S, Action]] = []
        self.future: list[tuple[S, Action]] = []

    def act(self, action: Action) -> Action:
        """Apply; answers with the action that was done, undone or redone."""
        if action["kind"] == "undo":
            return self.swap(self.past, self.future)
        if action["kind"] == "redo":
            return self.swap(self.future, self.past)
        self.past.append((self.present, action))
        self.future.clear()
        self.present = self.fold.apply(self.present, action)
        return action

    def swap(self, source: list[tuple[S, Action]], target: list[tuple[S, Action]]) -> Action:
        if not source:
            raise Stage("nothing", "there is nothing to take back or to do again")
        state, action = source.pop()
        target.append((self.present, action))
        self.present = state
        return action


class Log(Generic[S]):
    """The books of one kind in a store."""

    def __init__(self, store: Store, fold: Fold[S]) -> None:
        self.store, self.fold = store, fold

    def entry(self, book: str, note: int) -> Entry[S]:
        sql = "SELECT version, undo, redo, state FROM states WHERE book = ? AND note = ?"
        if (found := self.store.row(sql, book, note)) is None:
            return Entry(0, self.fold.initial)
        version, undo, redo, state = found
        return Entry(version, self.fold.load(json.loads(state)), undo, redo)

    def append(self, book: str, note: int, version: int, by: str, action: Action) -> Entry[S]:
        """Write one action and the state it leads to. Raises :class:`Conflict` where the book has moved
        on from ``version``, :class:`Stage` where there is nothing to undo."""
        with self.store.writing() as connection:
            before = self.entry(book, note)
            if before.version != version:
                raise Conflict(before.version)
            after, groups = self.next(book, note, before, action)
            row = (book, note, after.version, by, time.time(), json.dumps(dict(action)))
            connection.execute("INSERT INTO actions VALUES(?, ?, ?, ?, ?, ?)", row)
            state = json.dumps(self.fold.dump(after.state), separators=(",", ":"))
            row = (book, note, after.version, after.undo, after.redo, *groups,
                   *self.fold.summary(after.state), state)  # fmt: skip
            connection.execute("INSERT OR REPLACE INTO states VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            return after

    def next(
        self, book: str, note: int, before: Entry[S], action: Action
    ) -> tuple[Entry[S], tuple[str | None, str | None]]:
        """The entry after the action, and the groups of what could be undone and redone next."""
        if action["kind"] not in ("undo", "redo"):
            state = self.fold.apply(before.state, action)
            return Entry(before.version + 1, state, before.undo + 1, 0), (action.get("group"), None)
        history = self.history(book, note)
        history.act(action)
        past, future = history.past, history.future
        groups = tuple(stack[-1][1].get("group") if stack else None for stack in (past, future))
        return Entry(before.version + 1, history.present, len(past), len(future)), groups

    def history(self, book: str, note: int) -> History[S]:
        """The whole log of a note, folded again from the beginning."""
        history = History(self.fold)
        sql = "SELECT action FROM actions WHERE book = ? AND note = ? ORDER BY version"
        for (action,) in self.store.rows(sql, book, note):
            history.act(json.loads(action))
        return history

    def alike(self, book: str, note: int, kind: str) -> list[tuple[int, int]]:
        """Number and version of the other notes of the book where ``kind`` (undo or redo) would meet an
        action of the same group as in this note."""
        sql = f"""SELECT other.note, other.version FROM states AS own JOIN states AS other
                  ON own.book = other.book AND own.{kind}_group = other.{kind}_group
                  WHERE own.book = ? AND own.note = ? AND own.note <> other.note ORDER BY other.note"""
        return [(number, version) for number, version in self.store.rows(sql, book, note)]

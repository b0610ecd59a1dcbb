"""What the reading room answers when it cannot do what was asked. Each fault knows its HTTP status and
the fields that go with it (docs/review_api.md); none holds note text."""

from __future__ import annotations

from typing import Any

from crfdeid.errors import CrfdeidError


class StoreError(CrfdeidError):
    """A store that cannot be opened: damaged, of a newer version, of other notes, readable by others."""


class Answer(CrfdeidError):
    """A fault that is answered to the page."""

    status = 422

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class Invalid(Answer):
    """A value that cannot be."""


class Unauthorised(Answer):
    status = 401


class Forbidden(Answer):
    status = 403


class Unknown(Answer):
    """No such note, set, mark, item or system."""

    status = 404


class Conflict(Answer):
    """Another tab or reader was quicker. Whoever answers adds the current ``state``."""

    status = 409

    def __init__(self, version: int) -> None:
        super().__init__("this note was changed in another window; here is how it stands", conflict=True)
        self.version = version


class Stage(Answer):
    """Not now: ``stage`` says in a word what stands in the way."""

    status = 409

    def __init__(self, stage: str, message: str, **details: Any) -> None:
        super().__init__(message, stage=stage, **details)


class Refused(Answer):
    """A note that is not what was marked: ``why`` is ``changed`` or ``missing``."""

    status = 409

    def __init__(self, note: str, why: str) -> None:
        told = {"changed": "changed on disk since the study began", "missing": "no longer on disk"}[why]
        super().__init__(f"note {note}: {told}; its marks would not fit", refused=why, note=note)
        self.why = why


class Closed(Answer):
    """The note is in consensus: this reader's marks are closed."""

    status = 423


class Wait(Answer):
    status = 429


class Full(Answer):
    """The disk is full."""

    status = 507

    def __init__(self) -> None:
        super().__init__("the disk is full: the action was not saved; all acknowledged before is safe")

"""The errors that the review server replies with. Each has its HTTP status and the fields of its reply
(docs/review_api.md); none holds note text."""

from __future__ import annotations

from typing import Any

from crfdeid.errors import CrfdeidError


class StoreError(CrfdeidError):
    """A store that cannot be opened: damaged, of a newer version, of other notes, readable by others."""


class RequestError(CrfdeidError):
    """An error that the server replies with; ``details`` are further fields of the reply."""

    status = 422

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class InvalidValueError(RequestError):
    """A value that is not allowed."""


class UnauthorizedError(RequestError):
    """No session, or a wrong name or password."""

    status = 401


class ForbiddenError(RequestError):
    """The reader's role does not allow it."""

    status = 403


class NotFoundError(RequestError):
    """No such note, set, mark, item or system."""

    status = 404


class SlowRequestError(RequestError):
    """The body of the request does not come."""

    status = 408


class ConflictError(RequestError):
    """Another tab or reader was faster. The function that replies adds the present ``state``."""

    status = 409

    def __init__(self, version: int) -> None:
        super().__init__("this note was changed in another window; here is its present state", conflict=True)
        self.version = version


class StageError(RequestError):
    """Not possible now; ``stage`` names the reason in one word."""

    status = 409

    def __init__(self, stage: str, message: str, **details: Any) -> None:
        super().__init__(message, stage=stage, **details)


class NoteRefusedError(RequestError):
    """A note on disk that is not the note that was marked: ``why`` is ``changed`` or ``missing``."""

    status = 409

    def __init__(self, note: str, why: str) -> None:
        reason = {"changed": "changed on disk since the study began", "missing": "no longer on disk"}[why]
        super().__init__(f"note {note}: {reason}; its marks would not fit", refused=why, note=note)
        self.why = why


class MarksClosedError(RequestError):
    """The note is in consensus: this reader's marks are closed."""

    status = 423


class TooManyAttemptsError(RequestError):
    """Too many wrong passwords; ``seconds`` is how long to wait."""

    status = 429


class DiskFullError(RequestError):
    """The disk is full."""

    status = 507

    def __init__(self) -> None:
        super().__init__("the disk is full: the action was not saved; all actions saved before are safe")

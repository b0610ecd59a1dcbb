"""PHI in DuckDB: two functions for SQL.

    import crfdeid.duckdb, duckdb

    connection = duckdb.connect()
    crfdeid.duckdb.register(connection)
    connection.sql("SELECT id, phi_redact(text, patient) FROM 'notes.parquet'")

docs/databases.md says what they promise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from crfdeid.errors import ConfigurationError, CrfdeidError, locate_error, show_install
from crfdeid.policy import Policy
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import AnyThreshold
from crfdeid.text.document import Document

if TYPE_CHECKING:
    import duckdb

SPANS = 'STRUCT("start" INTEGER, "end" INTEGER, "type" VARCHAR)[]'


class QueryError(CrfdeidError):
    """A query that could not be answered; the message has no text of a row."""


def register(
    connection: duckdb.DuckDBPyConnection,
    tagger: Tagger | None = None,
    secret: bytes | None = None,
    policy: Policy | None = None,
    threshold: AnyThreshold | None = None,
) -> None:
    """Give the connection the functions ``phi_spans(text)``, a list of structs with start, end (offsets in
    code points, exclusive) and type, and ``phi_redact(text, patient)``, the text with surrogates. NULL text
    gives NULL.

    ``tagger`` is by default :data:`crfdeid.systems.model.CAREFUL`. Without a ``secret`` (at least 16 bytes)
    each connection has other surrogates. Raises :class:`ConfigurationError` where pyarrow is not
    installed, the secret is too short, or policy or threshold do not fit the model."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ConfigurationError(f"pyarrow not installed: {show_install('duckdb')}") from None
    if secret is not None and len(secret) < keyed_choice.MIN_KEY_BYTES:
        raise ConfigurationError(
            f"a secret of {len(secret)} bytes; wanted {keyed_choice.MIN_KEY_BYTES} or more"
        )
    functions = Functions(tagger or model.load(model.CAREFUL), secret, policy, threshold)
    create = connection.create_function
    special: Any = {"type": "arrow", "null_handling": "special"}
    create("phi_spans", functions.find_spans, ["VARCHAR"], SPANS, **special)
    create("phi_redact", functions.redact, ["VARCHAR", "VARCHAR"], "VARCHAR", **special)


class Functions:
    """The two functions on columns of rows. One thread at a time uses the tagger."""

    def __init__(
        self, tagger: Tagger, secret: bytes | None, policy: Policy | None, threshold: AnyThreshold | None
    ) -> None:
        if policy:
            policy.check_scheme(tagger.scheme)
        self.tagger, self.lock = tagger, Lock()
        self.threshold = None if threshold is None else tagger.check_threshold(threshold)
        self.redactor = Redactor(secret or keyed_choice.make_secret(), by_note=True, policy=policy)
        self.redactor.write_in(tagger.language)

    def find_spans(self, texts: Any) -> Any:
        """The spans of a column of Arrow. DuckDB evaluates the types here, so they do not name pyarrow."""
        import pyarrow

        found = self._work(lambda: list(map(list_spans, self._tag(texts.to_pylist(), None))))
        struct = pyarrow.struct(
            [("start", pyarrow.int32()), ("end", pyarrow.int32()), ("type", pyarrow.string())]
        )
        return pyarrow.array(found, pyarrow.list_(struct))

    def redact(self, texts: Any, patients: Any) -> Any:
        """The redacted texts of a column of Arrow; ``patients`` is another one."""
        import pyarrow

        tagged = self._work(lambda: list(self._tag(texts.to_pylist(), patients.to_pylist())))
        clean = self._work(
            lambda: [note and self.redactor.redact([note])[0].document.text for note in tagged]
        )
        return pyarrow.array(clean, pyarrow.string())

    def _tag(
        self, texts: Sequence[str | None], patients: Sequence[str | None] | None
    ) -> Iterator[Document | None]:
        """Yield the tagged notes, and None for rows without text. A row without a patient is a patient that
        its text names, so that equal rows stay equal."""
        owners = patients or [None] * len(texts)
        notes = [
            None if text is None else Document(hashlib.sha256(text.encode()).hexdigest(), text, patient=owner)
            for text, owner in zip(texts, owners)
        ]
        with self.lock:
            bare = (Document(note.id, note.text) for note in notes if note)
            found = list(self.tagger.tag_all(bare, threshold=self.threshold))
        spans = iter(found)
        for note in notes:
            yield note.with_spans(next(spans).spans) if note else None

    def _work(self, work: Callable[[], list[Any]]) -> list[Any]:
        """Do it. Raises :class:`QueryError` without text for an unexpected error."""
        try:
            return work()
        except CrfdeidError:
            raise
        except Exception as error:
            raise QueryError(f"not answered: {locate_error(error)}") from None


def list_spans(note: Document | None) -> list[dict[str, Any]] | None:
    if note is None:
        return None
    return [{"start": span.start, "end": span.end, "type": span.type} for span in note.spans]

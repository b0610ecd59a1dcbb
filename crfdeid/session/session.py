"""One conversation: what was redacted in it, and what undoes that. Nothing of it is written anywhere.

text ─▶ tag ─▶ replacements (crfdeid.redact) ─▶ what is issued for each ─▶ applied; the pairs are remembered
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from types import TracebackType

from crfdeid.errors import ConfigurationError, CrfdeidError, DocumentError, did_you_mean, locate_error
from crfdeid.lexicon.ordinary import is_ordinary
from crfdeid.policy import Policy
from crfdeid.redact.redactor import Redaction, Redactor, Replacement, apply_replacements, identify_patient
from crfdeid.redact.released_notes import list_edits, undo_edits
from crfdeid.redact.surrogates import keyed_choice, kinds
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.session.placeholders import LITERAL, PLACEHOLDER, Numbering, read_placeholder
from crfdeid.session.restorer import Pair, Restorer, StreamRestorer
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import AnyThreshold
from crfdeid.text.document import Document, Span, SpanIndex

STYLES = {"placeholder": "type", "surrogate": "surrogate"}  # each with the style of the redactor
CONVERSATION = "conversation"  # the patient of all its texts, so that they get the same surrogates
LEAST, LEAST_NAME = 5, 3  # letters and digits of a surrogate that an answer is searched for
REPLACED = ("surrogate", "shifted")  # treatments whose surrogate tells its real text from all others
_tagging = Lock()  # a tagger is not for two threads at once


class SessionError(CrfdeidError):
    """A session that is closed, or a text that was not redacted."""


class Session:
    """A conversation with a language model. Placeholders and surrogates are the same in all its texts.

    ``tagger`` finds the PHI (default: :data:`crfdeid.systems.model.CAREFUL`, which this loads: share one
    between sessions). ``style`` is ``placeholder`` (``[PATIENT_1]``) or ``surrogate``, where what a
    surrogate could not bring back gets a placeholder. A policy says what counts as PHI. ``pairs`` are those
    of an earlier session. Raises :class:`ConfigurationError` for an impossible style, policy or threshold."""

    def __init__(
        self,
        tagger: Tagger | None = None,
        style: str = "placeholder",
        policy: Policy | None = None,
        threshold: AnyThreshold | None = None,
        pairs: Iterable[Pair] = (),
    ) -> None:
        if style not in STYLES:
            raise ConfigurationError(
                f"{style}: not a style{did_you_mean(style, STYLES)}; the styles are {', '.join(STYLES)}"
            )
        self.tagger = tagger or model.load(model.CAREFUL)
        self.threshold = None if threshold is None else self.tagger.check_threshold(threshold)
        self.style, self.turns, self.is_open = style, 0, True
        self.redactor = Redactor(keyed_choice.make_secret(), STYLES[style], policy=policy, avoid=is_ordinary)
        self.redactor.write_in(self.tagger.language)
        self._begin()
        for pair in pairs:
            self._continue(pair)

    def _begin(self) -> None:
        self.redactor.histories = {}
        self.numbering, self.restorer = Numbering(), Restorer()
        self.issued: dict[str, Pair] = {}  # by what was issued
        self.meant: dict[str, str] = {}  # lowercase: by what was issued, the real text

    def _continue(self, pair: Pair) -> None:
        """Take over a pair of an earlier session."""
        if place := read_placeholder(pair.issued):
            self.numbering.take_over(*place, pair.type, pair.real)
        self._remember(pair)
        history = self.redactor.open_history(f"patient {CONVERSATION}")
        history.pairs.setdefault(pair.type, {})[pair.real] = pair.issued

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({len(self.issued)} pairs)"  # never the pairs

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of the session: they are as secret as the texts."""
        return list(self.issued.values())

    def close(self) -> None:
        """Forget the map, the caches of words and the texts. A closed session is of no further use. Python
        does not overwrite the memory of a string that it frees."""
        if self.is_open:
            self._begin()
            self.redactor.secret, self.is_open = b"", False
            with _tagging:
                self.tagger.forget()

    def redact(self, text: str) -> str:
        """Return the text with a placeholder or surrogate for each PHI. Raises :class:`SessionError`, without
        a word of the text, if anything goes wrong: nothing is returned that was not searched."""
        return self.redact_all([text])[0]

    def redact_all(self, texts: Iterable[str]) -> list[str]:
        """Return the texts, redacted as by :meth:`redact` one after the other; they are tagged together."""
        self._check_open()
        with hide_text(f"text {self.turns + 1} of the session or a later one"):
            documents = [
                Document(f"text {self.turns + number}", text, patient=CONVERSATION)
                for number, text in enumerate(texts, 1)
            ]
            with _tagging:
                tagged = list(self.tagger.tag_all(documents, threshold=self.threshold))
            self.turns += len(documents)
            return [self._redact(*both) for both in zip(documents, tagged)]

    def _redact(self, document: Document, tagged: Document) -> str:
        found = tagged.with_spans([*tagged.spans, *self._find_literals(document.text)])
        self.numbering.reserve(document.text)
        proposed = self._propose(found)
        before = set(self.issued)
        redacted = self._issue_all(document, proposed)
        if self.style == "surrogate" and self.restorer.restore(redacted) != document.text:
            # a surrogate meets words beside it that would be restored with it
            self._withdraw(set(self.issued) - before)
            redacted = self._issue_all(document, [replace(made, treatment="marker") for made in proposed])
        return redacted

    def _propose(self, found: Document) -> list[Replacement]:
        """The replacements of the text. What was found and still survives elsewhere is replaced too: it comes
        back, so that one word too many costs nothing."""
        (redaction,) = self.redactor.redact([found])
        if survivors := find_survivors(found, redaction):
            (redaction,) = self.redactor.redact([found.with_spans([*found.spans, *survivors])])
        assert self.redactor.histories is not None
        history = self.redactor.histories[identify_patient(found)]
        history.released.clear()
        self.restorer.month_first = PatientFacts(orders=Counter(history.orders)).month_first
        return [made for made in redaction.replacements if made.treatment != "kept"]

    def _withdraw(self, issued: Iterable[str]) -> None:
        """Forget the pairs of what was issued."""
        for text in issued:
            self.meant.pop(self.issued.pop(text).issued.lower(), None)
        targets = self.restorer.targets
        self.restorer = Restorer(self.issued.values(), self.restorer.month_first)
        self.restorer.targets = targets

    def _find_literals(self, text: str) -> Iterator[Span]:
        """Yield where the text itself has what was issued before, and which would be restored to a real text:
        it is replaced too, so that it comes back as it was."""
        for span in self.restorer.find(text):
            is_placeholder = PLACEHOLDER.search(text, max(0, span.start - 2), span.end + 2)
            yield Span(
                span.start, span.end, LITERAL if is_placeholder or self.style == "placeholder" else span.type
            )

    def _issue_all(self, document: Document, proposed: Iterable[Replacement]) -> str:
        """Choose what is issued for each replacement, and remember it. Return the text with it."""
        chosen = []
        for made in proposed:
            real = document.text[made.start : made.end]
            can_return = self._can_return(made, real)
            issued = made.replacement if can_return else self.numbering.issue(made.type, real)
            self._remember(Pair(issued, real, made.type))
            chosen.append(replace(made, replacement=issued))
        redacted = apply_replacements(document.with_spans(()), chosen).text
        self.restorer.allow_targets(redacted)
        return redacted

    def _can_return(self, made: Replacement, real: str) -> bool:
        """Whether an answer with this surrogate can be restored: it is one, long enough, no word of the
        language, and of no other real text."""
        text = made.replacement
        least = LEAST_NAME if kinds.kind_of(made.type) == kinds.NAME else LEAST
        if made.treatment not in REPLACED or sum(map(str.isalnum, text)) < least or is_ordinary(text.lower()):
            return False
        return self.meant.get(text.lower(), real.lower()) == real.lower()

    def _remember(self, pair: Pair) -> None:
        if self.issued.setdefault(pair.issued, pair) == pair:
            self.meant[pair.issued.lower()] = pair.real.lower()
            self.restorer.add(pair)

    def restore(self, text: str) -> str:
        """Return an answer with the real texts in place of what was issued for them."""
        self._check_open()
        return self.restorer.restore(text)

    def restore_stream(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield a restored answer as its chunks come, together what :meth:`restore` gives for the whole."""
        stream = self.open_stream()
        for chunk in chunks:
            if restored := stream.feed(chunk):
                yield restored
        if rest := stream.finish():
            yield rest

    def open_stream(self) -> StreamRestorer:
        """Return what restores an answer chunk by chunk, for programs that are called with each chunk."""
        self._check_open()
        return StreamRestorer(self.restorer)

    def _check_open(self) -> None:
        if not self.is_open:
            raise SessionError("the session is closed, and its map is gone")


def find_survivors(found: Document, redaction: Redaction) -> tuple[Span, ...]:
    """Return where a text that was found still is in the redacted one, outside the replacements."""
    index = SpanIndex(redaction.document.spans)
    survivors = [span for span in redaction.survivors if not index.find(span)]
    made = [(each.start, each.end, each.replacement) for each in redaction.replacements]
    return undo_edits(redaction.document.with_spans(survivors), list_edits(found.text, made)).spans


@contextmanager
def hide_text(what: str) -> Iterator[None]:
    """Turn an unexpected error into one line that has the lines of code and no text."""
    try:
        yield
    except DocumentError as error:
        raise SessionError(f"{what}: not redacted: {error}") from None
    except CrfdeidError:
        raise
    except Exception as error:
        raise SessionError(f"{what}: not redacted: {locate_error(error)}") from None

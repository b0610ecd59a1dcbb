"""The action for each span, by the policy or the style; and the form of a marker.

A policy's ``keep`` is a permission, and here it has two limits. Years shift with the patient's dates: real
years beside shifted dates would give the shift away. A kept span is replaced where a found text is in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from crfdeid.errors import ConfigurationError
from crfdeid.policy import GENERALIZE, KEEP, SURROGATE, Policy
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.generalize import GENERALIZED
from crfdeid.text.document import Document, Span, SpanIndex, keep_leftmost
from crfdeid.text.scheme import SHIPPED, Scheme, read_scheme

MARKER = "[**{type}**]"
SHWETA = "shweta"  # names the markers of Shweta et al. 2016 (the end of their section on methods)
GENERIC_TYPE = "PHI"
BLANK = "_"

KEPT = "kept"
PLACE_FORMS = {kinds.STATE: "province", kinds.COUNTRY: "country"}  # of other languages than English


class PolicyActions:
    """The actions of a policy, or only ``style_action`` where the policy is None. Raises
    :class:`ConfigurationError` for a policy that leaves a type out. ``is_place`` knows by kind the states and
    countries of another language, in the forms that the policy names."""

    def __init__(self, policy: Policy | None, style_action: str) -> None:
        self.policy, self.style_action = policy, style_action
        self.is_place: Callable[[str, str], bool] = lambda kind, text: False
        if policy:
            check_policy(policy)

    @property
    def options(self) -> tuple[Policy, ...]:
        return (self.policy,) if self.policy else ()

    @property
    def may_keep_words(self) -> bool:
        """Whether a replacement may have words of its text."""
        return self.policy is not None or self.style_action == SURROGATE

    @property
    def keeps_states(self) -> bool:
        """Whether states stay, so that a surrogate town needs to be a town of the same state."""
        rule = self.policy.by_type.get("STATE") if self.policy else None
        return rule is not None and KEEP in (rule.action, rule.forms.get("state"))

    def keeps(self, treatment: str) -> bool:
        """Whether the policy left a text as it was."""
        return self.policy is not None and treatment == KEPT

    def shows_years(self, type: str) -> bool:
        """Whether the policy writes the real years of dates of this type."""
        rule = self.policy.by_type.get(type) if self.policy else None
        return rule is not None and rule.action == GENERALIZE and kinds.kind_of(type) == kinds.DATE

    def find_unit(self, type: str) -> str:
        """The form to which the policy generalizes a date or age; empty if it does not say."""
        return self.policy.by_type[type].to if self.policy else ""

    def choose(self, document: Document, span: Span) -> str:
        """Return the action for a span. Raises :class:`ConfigurationError` for a type of a scheme for which
        the policy has no rule."""
        if self.policy is None:
            return self.style_action
        if span.type not in self.policy.by_type and kinds.kind_of(span.type) != kinds.UNKNOWN:
            raise ConfigurationError(f"policy {self.policy.name}: no rule for {span.type}, which a note has")
        action = self.policy.choose_action(document, span)
        rule, kind = self.policy.by_type.get(span.type), kinds.kind_of(span.type)
        may_stay = rule is not None and rule.forms.get(PLACE_FORMS.get(kind, "")) == KEEP
        if may_stay and self.is_place(kind, document.text_of(span)):
            action = KEEP
        if action == KEEP and kinds.kind_of(span.type) == kinds.DATE and self.policy.shifts(span.type):
            action = SURROGATE
        return self.style_action if action == SURROGATE else action

    def select_phi(self, document: Document) -> Sequence[Span]:
        """Return the spans that the policy does not keep."""
        if self.policy is None:
            return document.spans
        return [span for span in document.spans if self.choose(document, span) != KEEP]

    def select_kept(self, document: Document, replaced: Sequence[Span]) -> list[Span]:
        """Return the spans that the policy keeps and that no replaced span overlaps."""
        phi, index = set(self.select_phi(document)), SpanIndex(replaced)
        kept = (span for span in document.spans if span not in phi and not index.find(span))
        return keep_leftmost(kept, lambda span: span)

    def drop_kept(
        self, texts: Mapping[str, Iterable[str]], documents: Iterable[Document]
    ) -> Mapping[str, Iterable[str]]:
        """Return the texts by type without those that the policy keeps wherever they have a span."""
        if self.policy is None:
            return texts
        phi: set[tuple[str, str]] = set()
        kept: set[tuple[str, str]] = set()
        for document in documents:
            chosen = set(self.select_phi(document))
            for span in document.spans:
                (phi if span in chosen else kept).add((span.type, document.text_of(span)))
        return {
            type: [text for text in found if (type, text) not in kept - phi] for type, found in texts.items()
        }


def check_policy(policy: Policy) -> None:
    """Raise :class:`ConfigurationError` where the policy lacks a type of a scheme of which it has others, or
    generalizes a type that has no less exact form."""
    for scheme in list_schemes(policy) or [read_scheme()]:
        policy.check_scheme(scheme)
    for type, rule in policy.by_type.items():
        if GENERALIZE in (rule.action, *rule.forms.values()) and kinds.kind_of(type) not in GENERALIZED:
            raise ConfigurationError(
                f"policy {policy.name}: {type} cannot be generalized; wanted another action"
            )


def list_schemes(policy: Policy) -> list[Scheme]:
    """Return the shipped schemes that have a type of the policy that no other shipped scheme has."""
    schemes = [read_scheme(name) for name in SHIPPED]
    types = Counter(type for scheme in schemes for type in scheme.types)
    return [
        scheme
        for scheme in schemes
        if any(type in policy.by_type and types[type] == 1 for type in scheme.types)
    ]


def check_marker(marker: str) -> str:
    """Return ``marker``. Raises :class:`ConfigurationError` if it has a field other than ``{type}``."""
    if marker == SHWETA:
        return marker
    try:
        marker.format(type="PATIENT")
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ConfigurationError(f"--marker: wanted a text with {{type}} in it, such as {MARKER}") from None
    return marker


def name_type(type: str) -> str:
    """The type as it is written out. One that no scheme has is never repeated: it may be text of a note."""
    return GENERIC_TYPE if kinds.kind_of(type) == kinds.UNKNOWN else type


def make_marker(type: str, marker: str = MARKER) -> str:
    """The marker of a type; the generic one for a type that no scheme has.

    >>> make_marker("DOCTOR"), make_marker("SPECIES"), make_marker("DOCTOR", "<{type}>")
    ('[**DOCTOR**]', '[**PHI**]', '<DOCTOR>')
    >>> [make_marker(type, "shweta") for type in ("PATIENT", "DATE", "SSN")]
    ['XYZ_Patient', '00.00.Date', 'NUM_ID']
    """
    kind, name = kinds.kind_of(type), name_type(type)
    if marker != SHWETA:
        return marker.format(type=name)
    if kind == kinds.DATE:
        return "00.00.Date"
    if kind in (kinds.PHONE, kinds.IDENTIFIER):
        return "NUM_PHONE" if kind == kinds.PHONE else "NUM_ID"
    return f"XYZ_{name.title()}"


def make_blanks(text: str) -> str:
    """Replace each character by a blank, except line ends.

    >>> make_blanks("Ana Ruiz")
    '________'
    """
    return "".join(c if c in "\r\n" else BLANK for c in text)

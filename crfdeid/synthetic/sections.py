"""The sentences of a section: frames with PHI and without, each of them once in a note as far as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

from crfdeid.synthetic import frames
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import choose_weighted, is_in_part
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.pieces import Piece

Pieces = list[Piece]

# The share of a section's sentences that hold PHI; most of a note must be narrative without any.
PHI_SHARE = 0.17
PHI_SHARES = {
    "queries": 0.7, "letter": 0.35, "phone": 0.4, "social_work": 0.35, "ed": 0.3, "discharge": 0.3,
    "admission": 0.5, "exam": 0.05, "radiology": 0.25, "operative": 0.1, "social": 0.3, "family": 0.3,
    "case_opening": 0.85, "case_history": 0.12, "case_findings": 0.03, "case_course": 0.1,
    "case_discussion": 0.02, "dialogue_doctor": 0.04, "dialogue_patient": 0.06, "portal": 0.25,
    "portal_opening": 0.6, "portal_closing": 0.8, "portal_reply": 0.3, "phone_lines": 0.6,
    "gp_letter": 0.3, "gp_opening": 0.7, "gp_closing": 0.35, "obx": 0.08, "run_sheet": 0.45,
    "operative_log": 0.75, "lab_header": 0.8, "lab_lines": 0.06, "transfer": 0.6, "consent": 0.25,
    "prescription": 0.5, "reminder": 0.7, "psych": 0.4, "pathology_gross": 0.25, "query_what": 0.0,
    "query_verb": 0.0,
}  # fmt: skip


@cache
def select_frames(section: str, part: str, phi: bool) -> tuple[tuple[float, Frame], ...]:
    """Return the frames of a section, with or without PHI, that belong to ``part``; all of them
    if the part has none."""
    kind = [frame for frame in frames.read_sections().get(section, ()) if bool(frame.types) == phi]
    chosen = [frame for frame in kind if is_in_part(frame.text, part)] or kind
    return tuple((frames.frame_weight(frame), frame) for frame in chosen)


def choose_frames(section: str, count: int, rng: Random, part: str, used: set[str]) -> Iterator[Frame]:
    """Yield ``count`` frames of the section, those in ``used`` only when nothing else is left."""
    share = PHI_SHARES.get(section, PHI_SHARE)
    for _ in range(count):
        frames_of_kind = (
            select_frames(section, part, rng.random() < share)
            or select_frames(section, part, False)
            or select_frames(section, part, True)
        )
        fresh = [entry for entry in frames_of_kind if entry[1].text not in used] or frames_of_kind
        if fresh:
            frame = choose_weighted(rng, fresh)
            used.add(frame.text)
            yield frame


def write_sentences(section: str, count: int, cast: Cast, used: set[str]) -> list[Pieces]:
    """Write ``count`` sentences of the section."""
    return [cast.render(frame) for frame in choose_frames(section, count, cast.rng, cast.world.part, used)]


def join_sentences(sentences: Sequence[Pieces], before: Callable[[int], str]) -> Pieces:
    """Join sentences; ``before`` gives the text before each, by its number."""
    pieces: Pieces = []
    for index, sentence in enumerate(sentences):
        pieces += [Piece(before(index)), *sentence]
    return pieces

"""One self-contained page that explains a model and its decisions in a note.

The page contains words of notes: only its owner may read the file, and a warning on top says so. It
loads nothing, sends nothing and runs nothing: its content security policy allows only its style. The
markup is in ``page.html``; comments there mark the places that are filled (:mod:`crfdeid.pages`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from crfdeid import files, pages
from crfdeid.evaluate.error_page import render_colours
from crfdeid.explain import text as explanation_text
from crfdeid.explain.attribution import DocumentTrace, Explanation
from crfdeid.explain.model_weights import ModelWeights, Weight
from crfdeid.explain.text import TOTAL, escape_controls
from crfdeid.files import open_page
from crfdeid.text.bio import OUTSIDE
from crfdeid.text.scheme import Scheme

WARNING = (
    "This page holds words of the documents that the model was trained on, and text of any note it explains. "
    "Keep it where those may be kept; do not mail, copy or publish it."
)
LONGEST = 140  # pixels of the longest bar


def write(
    path: Path,
    weights: ModelWeights,
    labels: Sequence[str],
    top: int,
    trace: DocumentTrace | None = None,
    explanations: Sequence[Explanation] = (),
    runners: int = 2,
) -> None:
    """Write the page to ``path``, readable only by its owner."""
    with open_page(path) as file:
        file.write(render_page(weights, labels, top, trace, explanations, runners))


def render_page(
    weights: ModelWeights,
    labels: Sequence[str],
    top: int,
    trace: DocumentTrace | None,
    explanations: Sequence[Explanation],
    runners: int,
) -> str:
    """The page as HTML: the note of ``trace``, the explained tokens, and the weights of ``labels`` (all
    labels if it is empty)."""
    parts = {
        "<!-- note -->": render_note(trace, explanations, weights.scheme) if trace else "",
        "<!-- tokens -->": "".join(render_explanation(one, runners, top) for one in explanations),
        "<!-- model -->": "".join(render_model(weights, labels or weights.labels, top)),
    }
    body = pages.fill_file(files.PACKAGE / "explain" / "page.html", parts)
    about = pages.stamp(system=weights.folder.name)
    style = render_colours(weights.scheme)
    return pages.render_page("A model explained", about, body, warning=WARNING, style=style)


def render_note(trace: DocumentTrace, explanations: Sequence[Explanation], scheme: Scheme) -> str:
    """The note's text: what the model found is shaded, and explained tokens are links."""
    explained = {explanation.number for explanation in explanations}
    text, at, pieces = trace.document.text, 0, []
    labelled = list(trace.label_tokens())
    for number, token, label, certainty in labelled:
        pieces.append(escape(text[at : token.start]))
        word, said = text[token.start : token.end], f"{label}, {trace.certainty} {certainty:.4f}"
        pieces.append(render_token(word, number, label, said, number in explained, scheme))
        at = token.end
    body = "".join([*pieces, escape(text[at:])])
    found = {category_number(label, scheme) for _, _, label, _ in labelled if label != OUTSIDE}
    key = render_legend(found, scheme, trace.certainty) if found else "The model found nothing here."
    return f"<h2>{escape(trace.document.id)}</h2><div class=note>{body}</div>\n<p>{key}</p>\n"


def render_legend(categories: Iterable[int], scheme: Scheme, certainty: str) -> str:
    names = list(scheme.categories)
    shades = (f'<span class="s c{number}">{escape(names[number])}</span>' for number in sorted(categories))
    return f"Found: {' '.join(shades)}; point at a word for its label and {certainty}."


def render_token(text: str, number: int, label: str, said: str, explained: bool, scheme: Scheme) -> str:
    """One token: shaded by its category, and a link if the page explains it; ``said`` is its title."""
    if label == OUTSIDE and not explained:
        return escape(text)
    names = [] if label == OUTSIDE else ["s", f"c{category_number(label, scheme)}"]
    title = escape(f"token {number}: {said}")
    link = f'a href="#token{number}"' if explained else "span"
    kinds = " ".join([*names, *(["asked"] if explained else [])])
    return f'<{link} class="{kinds}" title="{title}">{escape(text)}</{link.split()[0]}>'


def category_number(label: str, scheme: Scheme) -> int:
    """The number of a label's category in the scheme, from 0."""
    return list(scheme.categories).index(scheme.category(label[2:]))


def render_explanation(explanation: Explanation, runners: int, top: int) -> str:
    """Why one token got its label: the labels, then groups, templates and features."""
    token, chosen = explanation.token, explanation_text.choose_candidates(explanation, runners)
    word = escape_controls(token.text)
    title = f"Token {explanation.number}, {token.start}–{token.end}, “{word}”: {explanation.label}"
    rows = [explanation_text.candidate_cells(explanation.candidates[n]) for n in chosen]
    parts = [f'<section id="token{explanation.number}"><h2>{escape(title)}</h2>']
    parts.append(f'<p class="headline">{escape(explanation_text.format_answer(explanation))}</p>')
    if explanation.decisions:
        parts.append(f"<p>{escape(explanation_text.format_decisions(explanation))}</p>")
    parts.append(render_table("Labels", explanation_text.candidate_heads(explanation), rows))
    for name in ("group", "template", "feature"):
        head, *body = explanation_text.contribution_rows(explanation, name, chosen, top)
        caption = f"What each {name} adds to a label's emission; lead: {' over '.join(head[1:3])}"
        table = render_table(caption, head, body, bars=True)
        folded = f"<details><summary>By {name}</summary>{table}</details>"
        parts.append(table if name == "group" else folded)
    return "".join([*parts, "</section>\n"])


def render_model(weights: ModelWeights, labels: Sequence[str], top: int) -> Iterator[str]:
    head = ("group", "features", "weights", "sum of |weight|")
    size = f"{len(weights.labels)} labels, {len(weights.features)} features"
    size += f" with {weights.weight_count} weights, {weights.transition_count} transitions"
    yield f"<h2>The model</h2><p>{size}.</p>\n"
    yield render_table("Feature groups", head, map(explanation_text.group_row, weights.by_group()))
    for label in labels:
        yield f"<details><summary>{escape(label)}</summary>"
        yield render_weights("Strongest for", weights.strongest_features(label, top))
        yield render_weights("Strongest against", weights.strongest_features(label, top, -1))
        if weights.transition_count:
            yield render_weights("Likely transitions", weights.strongest_transitions(top, 1, label))
            yield render_weights("Unlikely transitions", weights.strongest_transitions(top, -1, label))
        yield "</details>\n"
    if weights.transition_count:
        yield "<details><summary>All transitions</summary>"
        yield render_weights("Likely", weights.strongest_transitions(top))
        yield render_weights("Unlikely", weights.strongest_transitions(top, -1)) + "</details>\n"


def render_weights(caption: str, weights: Sequence[Weight]) -> str:
    if not weights:
        return f"<p>{escape(caption)}: none.</p>"
    rows = [(escape_controls(weight.name), weight.group, f"{weight.value:+.4f}") for weight in weights]
    return render_table(caption, ("", "group", "weight"), rows, bars=True)


def render_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], bars: bool = False) -> str:
    """A table; with ``bars``, the last column is drawn too."""
    rows = list(rows)
    longest = max((abs(float(row[-1])) for row in rows if row[0] != TOTAL), default=0) if bars else 0

    def draw(row: Sequence[str]) -> str:
        return render_bar(0 if row[0] == TOTAL else float(row[-1]), longest)

    return pages.render_table(caption, head, rows, TOTAL, draw if bars else None)


def render_bar(value: float, longest: float) -> str:
    """A bar for the number beside it: green for the winner, red against it."""
    width = round(LONGEST * min(1.0, abs(value) / longest)) if longest else 0
    kind = "bar minus" if value < 0 else "bar"
    return f'<td class="track" aria-hidden="true"><span class="{kind}" style="width:{width}px"></span></td>'

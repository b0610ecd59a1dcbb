"""One self-contained page that explains a model, and its decisions in a note.

It holds words of notes, so only its owner may read the file and it says so on top. It loads
nothing, sends nothing and runs nothing: its content security policy allows only its style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from crfdeid import resources
from crfdeid.evaluate.error_page import colours
from crfdeid.explain import text as explanation_text
from crfdeid.explain.attribution import DocumentTrace, Explanation
from crfdeid.explain.model_weights import ModelWeights, Weight
from crfdeid.explain.text import TOTAL, shown
from crfdeid.files import whole
from crfdeid.text.bio import OUTSIDE
from crfdeid.text.scheme import Scheme

LONGEST = 140  # pixels of the longest bar


def write(
    path: Path,
    anatomy: ModelWeights,
    labels: Sequence[str],
    top: int,
    reading: DocumentTrace | None = None,
    asked: Sequence[Explanation] = (),
    runners: int = 2,
) -> None:
    with whole(path, private=True) as file:
        file.write(page(anatomy, labels, top, reading, asked, runners))


def page(
    anatomy: ModelWeights,
    labels: Sequence[str],
    top: int,
    reading: DocumentTrace | None,
    asked: Sequence[Explanation],
    runners: int,
) -> str:
    folder = resources.PACKAGE / "explain"
    filled = {
        "/* style */": (folder / "page.css").read_text(encoding="utf-8"),
        "/* colours */": colours(anatomy.scheme),
        "<!-- note -->": note(reading, asked, anatomy.scheme) if reading else "",
        "<!-- tokens -->": "".join(token(one, runners, top) for one in asked),
        "<!-- model -->": "".join(model(anatomy, labels or anatomy.labels, top)),
    }
    text = (folder / "page.html").read_text(encoding="utf-8")
    for mark, value in filled.items():
        text = text.replace(mark, value, 1)
    return text


def note(reading: DocumentTrace, asked: Sequence[Explanation], scheme: Scheme) -> str:
    """The note's text with what the model found shaded, and links to the tokens explained."""
    numbers = {explanation.number for explanation in asked}
    text, at, pieces = reading.document.text, 0, []
    labelled = list(reading.labelled())
    for number, it, label, probability in labelled:
        pieces.append(escape(text[at : it.start]))
        pieces.append(marked(text[it.start : it.end], number, label, probability, number in numbers, scheme))
        at = it.end
    body = "".join([*pieces, escape(text[at:])])
    found = {category(label, scheme) for _, _, label, _ in labelled if label != OUTSIDE}
    key = legend(found, scheme) if found else "The model found nothing here."
    return f"<h2>{escape(reading.document.id)}</h2><div class=note>{body}</div>\n<p>{key}</p>\n"


def legend(found: Iterable[int], scheme: Scheme) -> str:
    names = list(scheme.categories)
    shades = (f'<span class="s c{number}">{escape(names[number])}</span>' for number in sorted(found))
    return f"Found: {' '.join(shades)}; point at a word for its label and probability."


def marked(text: str, number: int, label: str, probability: float, asked: bool, scheme: Scheme) -> str:
    """One token: shaded by its category, linked where it is explained below."""
    if label == OUTSIDE and not asked:
        return escape(text)
    names = [] if label == OUTSIDE else ["s", f"c{category(label, scheme)}"]
    title = escape(f"token {number}: {label}, probability {probability:.4f}")
    link = f'a href="#token{number}"' if asked else "span"
    kinds = " ".join([*names, *(["asked"] if asked else [])])
    return f'<{link} class="{kinds}" title="{title}">{escape(text)}</{link.split()[0]}>'


def category(label: str, scheme: Scheme) -> int:
    return list(scheme.categories).index(scheme.category(label[2:]))


def token(explanation: Explanation, runners: int, top: int) -> str:
    """Why one token got its label: the labels, then groups, templates and features."""
    it, chosen = explanation.token, explanation_text.compared(explanation, runners)
    title = f"Token {explanation.number}, {it.start}–{it.end}, “{shown(it.text)}”: {explanation.label}"
    rows = [explanation_text.cells(explanation.candidates[n]) for n in chosen]
    parts = [f'<section id="token{explanation.number}"><h2>{escape(title)}</h2>']
    parts.append(table("Labels", explanation_text.heads(explanation), rows))
    for name in ("group", "template", "feature"):
        head, *body = explanation_text.table(explanation, name, chosen, top)
        caption = f"What each {name} adds to a label's emission; lead: {' over '.join(head[1:3])}"
        made = table(caption, head, body, bars=True)
        folded = f"<details><summary>By {name}</summary>{made}</details>"
        parts.append(made if name == "group" else folded)
    return "".join([*parts, "</section>\n"])


def model(anatomy: ModelWeights, labels: Sequence[str], top: int) -> Iterator[str]:
    head = ("group", "features", "weights", "sum of |weight|")
    size = f"{len(anatomy.labels)} labels, {len(anatomy.features)} features with {anatomy.size} weights"
    yield f"<h2>The model</h2><p>{size}, {anatomy.moves} transitions.</p>\n"
    yield table("Feature groups", head, map(explanation_text.group, anatomy.by_group()))
    for label in labels:
        yield f"<details><summary>{escape(label)}</summary>"
        yield weights("Strongest for", anatomy.strongest(label, top))
        yield weights("Strongest against", anatomy.strongest(label, top, -1))
        yield weights("Likely transitions", anatomy.moved(top, 1, label))
        yield weights("Unlikely transitions", anatomy.moved(top, -1, label)) + "</details>\n"
    yield "<details><summary>All transitions</summary>"
    yield weights("Likely", anatomy.moved(top)) + weights("Unlikely", anatomy.moved(top, -1)) + "</details>\n"


def weights(caption: str, found: Sequence[Weight]) -> str:
    if not found:
        return f"<p>{escape(caption)}: none.</p>"
    rows = [(shown(weight.name), weight.group, f"{weight.value:+.4f}") for weight in found]
    return table(caption, ("", "group", "weight"), rows, bars=True)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], bars: bool = False) -> str:
    """A table whose first column heads its rows; with ``bars``, the last column is drawn too."""
    rows = list(rows)
    longest = max((abs(float(row[-1])) for row in rows if row[0] != TOTAL), default=0) if bars else 0
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head) + ("<td></td>" if bars else "")
    lines = []
    for name, *cells in rows:
        tail = bar(0 if name == TOTAL else float(cells[-1]), longest) if bars else ""
        inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        kind = ' class="total"' if name == TOTAL else ""
        lines.append(f'<tr{kind}><th scope="row">{escape(name)}</th>{inside}{tail}</tr>')
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>\n"
    )


def bar(value: float, longest: float) -> str:
    """A picture of the number beside it, green for and red against."""
    width = round(LONGEST * min(1.0, abs(value) / longest)) if longest else 0
    kind = "bar minus" if value < 0 else "bar"
    return f'<td class="track" aria-hidden="true"><span class="{kind}" style="width:{width}px"></span></td>'

# ruff: noqa: E501 — the markup reads better in its own lines
"""The frame of :mod:`crfdeid.evaluate.error_page`: style, script and markup. Comments such as
``<!-- notes -->`` are the places to fill. It is a module so that it is wherever the code is."""

STYLE = """\
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 68rem; padding: 0 1rem 4rem; color: #1b1b1b; background: #fff; }
.warning { background: #8b0000; color: #fff; padding: .6rem 1rem; margin: 0 -1rem; font-weight: 600; }
nav { position: sticky; top: 0; background: #fffffff2; border-bottom: 1px solid #ccc; padding: .5rem 0; z-index: 2; }
nav fieldset { border: 0; margin: 0; padding: 0; }
nav label { white-space: nowrap; margin-right: .6rem; }
#types { max-height: 5.5rem; overflow: auto; font-size: 13px; }
button { font: inherit; }
pre { white-space: pre-wrap; background: #f6f6f6; padding: .8rem; font-size: 12.5px; line-height: 1.35; }
svg { font: 11px system-ui, sans-serif; }
rect { stroke: #ddd; } rect.hit { fill: #2f7d4f; } rect.miss { fill: #c22; }
h2 { font-size: 1rem; margin: 2rem 0 .3rem; scroll-margin-top: 12rem; }
.note { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.7 ui-monospace, monospace; border: 1px solid #ddd; padding: .8rem; }
.g { border-bottom: 3px solid hsl(var(--hue) 65% 38%); }
.s { background: hsl(var(--hue) 75% 88%); }
.extra { background: repeating-linear-gradient(-45deg, hsl(var(--hue) 75% 88%) 0 4px, #fff 4px 8px); }
.leak { background: #c00; color: #fff; font-weight: 700; border-radius: 2px; outline: 2px solid #c00; }
.flag { font: 600 11px system-ui, sans-serif; background: #333; color: #fff; border-radius: 3px; padding: 0 .3em; margin: 0 .25em; scroll-margin: 14rem 0 6rem; }
.flag[data-kind=missing] { background: #c00; }
.flag[data-kind=spurious] { background: #777; }
.flag.here { outline: 3px solid #f90; }
[hidden] { display: none !important; }
/* colours */
"""

SCRIPT = """\
"use strict";
const flags = [...document.querySelectorAll(".flag")], place = document.getElementById("place");
let shown = [], here = -1;
const chosen = name => new Set([...document.querySelectorAll(`input[name=${name}]:checked`)].map(box => box.value));
function filter() {
  const kinds = chosen("kind"), types = chosen("type"), clean = document.getElementById("clean").checked;
  const current = shown[here];
  shown = flags.filter(flag => !(flag.hidden = !(kinds.has(flag.dataset.kind) && types.has(flag.dataset.type))));
  for (const section of document.querySelectorAll("section"))
    section.hidden = !clean && !section.querySelector(".flag:not([hidden])");
  here = shown.indexOf(current);
  tell();
}
function tell() {
  flags.forEach(flag => flag.classList.toggle("here", flag === shown[here]));
  place.textContent = here < 0 ? `${shown.length} mistakes` : `${here + 1} of ${shown.length}`;
}
function go(step) {
  if (!shown.length) return;
  here = here < 0 ? (step > 0 ? 0 : shown.length - 1) : (here + step + shown.length) % shown.length;
  tell();
  shown[here].scrollIntoView({ block: "center" });
  shown[here].focus({ preventScroll: true });
}
function every(checked) {
  document.querySelectorAll("input[name=type]").forEach(box => box.checked = checked);
  filter();
}
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "n" || event.key === "j") go(1);
  if (event.key === "p" || event.key === "k") go(-1);
});
document.getElementById("next").onclick = () => go(1);
document.getElementById("previous").onclick = () => go(-1);
document.getElementById("all").onclick = () => every(true);
document.getElementById("none").onclick = () => every(false);
document.addEventListener("change", filter);
filter();
"""

PAGE = f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>crfdeid: mistakes</title>
<style>
{STYLE}</style>
</head>
<body>
<p class="warning" role="alert">This page holds the text of clinical notes with protected health information. Keep it where the notes may be kept; do not mail, copy or publish it.</p>
<h1>What went wrong</h1>
<nav aria-label="mistakes">
<fieldset id="kinds"><b>Kind</b> <!-- kinds --></fieldset>
<fieldset id="types"><b>Type</b> <button type="button" id="all">all</button> <button type="button" id="none">none</button> <!-- types --></fieldset>
<button type="button" id="previous">← previous (p)</button> <button type="button" id="next">next (n) →</button>
<output id="place"></output>
<label><input type="checkbox" id="clean"> show notes without a shown mistake</label>
</nav>
<details open><summary>Scores</summary><!-- tables --></details>
<details open><summary>Which type was taken for which: gold in rows, system in columns; darker is more of the row</summary><!-- matrix --></details>
<p>Underlined: gold. Shaded: found by the system. <span class="g leak c0">Red</span>: gold that the system left readable. <span class="s extra c0">Striped</span>: not in gold. Colours: <!-- legend --></p>
<main>
<!-- notes -->
</main>
<script>
{SCRIPT}</script>
</body>
</html>
"""

# ruff: noqa: E501 — the markup reads better in its own lines
"""The frame of :mod:`crfdeid.explain.page`: style and markup; there is no script. Comments such
as ``<!-- note -->`` are the places to fill. It is a module so that it is wherever the code is."""

STYLE = """\
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ccc; --soft: #f4f4f4; --for: #1f6f43; --against: #a3312a; --shade: 88%; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #161616; --line: #444; --soft: #222; --for: #6fcf97; --against: #ff8a80; --shade: 24%; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 0 1rem 4rem; color: var(--ink); background: var(--paper); }
a { color: inherit; }
.warning { background: #8b0000; color: #fff; padding: .6rem 1rem; margin: 0 -1rem; font-weight: 600; }
h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; margin: .4rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .15rem .6rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
tbody th { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 8rem; }
thead th { background: var(--soft); }
tr.total > * { border-top: 2px solid var(--ink); font-weight: 600; }
.bar { display: inline-block; height: .7em; background: var(--for); vertical-align: baseline; }
.bar.minus { background: var(--against); }
td.track { text-align: left; min-width: 9rem; }
details { margin: .4rem 0; } summary { cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 3px solid #f90; }
.note { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.7 ui-monospace, monospace; border: 1px solid var(--line); padding: .8rem; }
.s { background: hsl(var(--hue) 55% var(--shade)); }
.asked { outline: 2px solid #f90; font-weight: 700; }
/* colours */
"""

PAGE = f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>crfdeid: a model explained</title>
<style>
{STYLE}</style>
</head>
<body>
<p class="warning" role="alert">This page holds words of the documents that the model was trained on, and text of any note it explains. Keep it where those may be kept; do not mail, copy or publish it.</p>
<main>
<h1>A model explained</h1>
<!-- note -->
<!-- tokens -->
<details><summary>What the numbers mean</summary>
<p><b>Probability</b>: of the label at this token, over all labellings. <b>Emission</b>: the sum of the weights that the token's features have for the label. <b>From, to</b>: the weights of coming from the label before and going to the one after. <b>Behind</b>: how far the best labelling with this label scores below the best of all. <b>Lead</b>: what a row gives the winner more than the first runner-up; bars draw it, green for the winner and red against. A large weight is not an important feature: it may belong to something rare.</p>
</details>
<!-- model -->
</main>
</body>
</html>
"""

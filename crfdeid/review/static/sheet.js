// Draws one screen of a note, and finds the character under a pointer.

import { element } from "./dom.js";

// rows: [{start, end}]; layers: [{start, end, class, label?}], which may overlap; later ones are drawn over earlier ones.
export function drawRow(text, row, layers, sentence) {
  const end = withoutLineEnd(text.points, row);
  const over = layers.filter((layer) => layer.start < row.end && layer.end > row.start);
  const cuts = new Set([row.start, end]);
  for (const layer of over) {
    if (layer.start > row.start && layer.start < end) cuts.add(layer.start);
    if (layer.end > row.start && layer.end < end) cuts.add(layer.end);
  }
  const edges = [...cuts].sort((a, b) => a - b);
  const made = element("div", { class: "row" });
  for (let i = 0; i + 1 < edges.length; i++) made.append(piece(text, edges[i], edges[i + 1], over, sentence, row));
  roomForLabels(made, row);
  if (!made.childNodes.length) made.append(element("span", {}, "\u200b"));
  made.range = row;
  return made;
}

function withoutLineEnd(points, row) {
  let end = row.end;
  while (end > row.start && (points[end - 1] === "\n" || points[end - 1] === "\r")) end--;
  return end;
}

function piece(text, start, end, over, sentence, row) {
  const layers = over.filter((layer) => layer.start < end && layer.end > start);
  const shown = text.shown(start, end, sentence);
  const made = element(layers.some((layer) => layer.mark) ? "mark" : "span", {}, shown);
  if (layers.length) made.className = layers.map((layer) => layer.class).join(" ");
  const labelled = layers.find((layer) => layer.label && Math.max(layer.start, row.start) === start);
  if (labelled) made.dataset.label = labelled.label;
  made.offset = start;
  return made;
}

// A label may be as wide as the columns to the next one, so that labels of short marks are cut only where necessary.
function roomForLabels(made, row) {
  let next = row.end + 30;
  for (const one of [...made.children].reverse()) {
    if (!one.dataset.label) continue;
    one.style.setProperty("--room", next - one.offset - 0.5);
    next = one.offset;
  }
}

// The character of a row at a horizontal place: {offset, inside}.
function offsetIn(row, x) {
  const range = document.createRange();
  let last = row.range.start;
  for (const made of row.children) {
    const node = made.firstChild;
    if (!node || made.offset === undefined) continue;
    let unit = 0;
    let offset = made.offset;
    for (const point of node.data) {
      range.setStart(node, unit);
      range.setEnd(node, unit + point.length);
      const box = range.getBoundingClientRect();
      if (box.width && x >= box.left && x < box.right) return { offset, inside: true };
      if (box.width && box.right <= x) last = offset;
      unit += point.length;
      offset += 1;
    }
  }
  return { offset: last, inside: false };
}

// The character under or nearest to a point of the window, among rows that are on the screen.
export function offsetAt(rows, x, y) {
  let best = null;
  for (const row of rows) {
    const box = row.getBoundingClientRect();
    const away = outside(x, box.left, box.right) * 10000 + outside(y, box.top, box.bottom);
    if (!best || away < best.away) best = { row, away };
  }
  if (!best) return null;
  const found = offsetIn(best.row, x);
  return { ...found, inside: found.inside && best.away === 0 };
}

function outside(value, low, high) {
  return value < low ? low - value : value >= high ? value - high + 1 : 0;
}

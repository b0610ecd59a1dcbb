// Which word a click marks, what a drag is trimmed to, and how a stretch grows: equal to crfdeid.review.study.marks.
// A stretch is {start, end}, half-open, in code points.

const BREAK = /[\p{White_Space},;()[\]{}<>"|=*]/u;
const INNER = /[\p{L}\p{M}\p{N}]/u;
const JOINED = /[\p{M}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/u;

function inWord(points, i) {
  if (i < 0 || i >= points.length) return false;
  if (points[i] === ":") return points[i + 1] === "/" && points[i + 2] === "/";
  return !BREAK.test(points[i]);
}

// The word around an offset without the punctuation at its ends, or null.
export function word(points, offset) {
  const run = runAround(points, offset);
  const found = run && trimmed(points, run.start, run.end);
  return found;
}

function runAround(points, offset) {
  if (!inWord(points, offset)) return null;
  let start = offset;
  let end = offset + 1;
  while (inWord(points, start - 1)) start--;
  while (inWord(points, end)) end++;
  return { start, end };
}

export function trimmed(points, start, end) {
  while (start < end && !INNER.test(points[start])) start++;
  while (start < end && !INNER.test(points[end - 1])) end--;
  return start < end ? { start, end } : null;
}

// Widens a stretch so that a letter keeps its accent and an emoji its skin colour.
export function whole(points, start, end) {
  while (start > 0 && joins(points, start)) start--;
  while (end < points.length && joins(points, end)) end++;
  return { start, end };
}

function joins(points, i) {
  return i > 0 && i < points.length && (JOINED.test(points[i]) || points[i - 1] === "\u200d");
}

// The first word that ends after an offset, and the last that begins before it.
export function wordAfter(points, offset) {
  let i = Math.max(0, offset);
  while (inWord(points, i - 1) && inWord(points, i)) i--;
  for (; i < points.length; i++) {
    const run = runAround(points, i);
    if (!run) continue;
    const found = trimmed(points, run.start, run.end);
    if (found && found.end > offset) return found;
    i = run.end;
  }
  return null;
}

export function wordBefore(points, offset) {
  for (let i = Math.min(offset, points.length) - 1; i >= 0; i--) {
    const run = runAround(points, i);
    if (!run) continue;
    const found = trimmed(points, run.start, run.end);
    if (found && found.start < offset) return found;
    i = run.start;
  }
  return null;
}

// A stretch with one edge moved, by a word or by a character; never empty, never outside the text.
// edge: "start" or "end"; outward: whether the stretch grows.
export function resized(points, { start, end }, edge, outward, byWord) {
  const later = (edge === "end") === outward;
  const from = edge === "end" ? end : start;
  const to = byWord ? byWords(points, from, edge, later) : byPoint(points, from, later);
  const moved = edge === "end" ? { start, end: to } : { start: to, end };
  return to === null || moved.start >= moved.end ? { start, end } : moved;
}

function byWords(points, from, edge, later) {
  if (edge === "end") return later ? (wordAfter(points, from)?.end ?? null) : lastEndBefore(points, from);
  return later ? firstStartAfter(points, from) : (wordBefore(points, from)?.start ?? null);
}

function lastEndBefore(points, offset) {
  let found = wordBefore(points, offset);
  while (found && found.end >= offset) found = wordBefore(points, found.start);
  return found?.end ?? null;
}

function firstStartAfter(points, offset) {
  let found = wordAfter(points, offset);
  while (found && found.start <= offset) found = wordAfter(points, found.end);
  return found?.start ?? null;
}

function byPoint(points, from, later) {
  let to = from + (later ? 1 : -1);
  while (joins(points, to)) to += later ? 1 : -1;
  return to < 0 || to > points.length ? null : to;
}

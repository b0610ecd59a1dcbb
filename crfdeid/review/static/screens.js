// Splits a note into rows, and rows into screens. Readers missed the ends of notes behind scroll bars (Douglass 2005, section 4.1),
// so nothing scrolls: every character is on exactly one screen.

const SPACE = /\p{White_Space}/u;
const TAB = 8;

// Offsets where rows begin. `width` gives a code point's width in columns; a row ends after white space, or inside a
// word that is wider than a row; line ends belong to the row that they end.
export function rowStarts(points, columns, width = () => 1) {
  const starts = points.length ? [0] : [];
  let column = 0;
  let afterSpace = 0;
  for (let i = 0; i < points.length; i++) {
    const point = points[i];
    if (point === "\n" || (point === "\r" && points[i + 1] !== "\n")) {
      if (i + 1 < points.length) starts.push(i + 1);
      column = 0;
      continue;
    }
    if (point === "\r") continue;
    const row = starts[starts.length - 1];
    const wide = point === "\t" ? TAB - (column % TAB) : width(point);
    if (column + wide > columns && i > row && !SPACE.test(point)) {
      const begins = afterSpace > row ? afterSpace : i;
      starts.push(begins);
      column = 0;
      for (let back = begins; back < i; back++) column += width(points[back]);
    }
    column += wide;
    if (SPACE.test(point)) afterSpace = i + 1;
  }
  return starts;
}

// The index of the last start that is not after an offset.
export function indexOf(starts, offset) {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Records which characters have been on a screen, so that a note cannot be finished unread. `before` are the stretches
// that the server knows.
export class Seen {
  constructor(length, before = []) {
    this.at = new Uint8Array(length);
    for (const [start, end] of before) this.see(start, end);
  }

  see(start, end) {
    this.at.fill(1, start, end);
  }

  // Whether a part of a stretch has not been shown.
  isNew(start, end) {
    return this.at.subarray(start, end).includes(0);
  }

  // The first offset that has not been shown, or -1.
  get unseen() {
    return this.at.indexOf(0);
  }
}

// The width of a code point in columns of the page's font; each is measured once.
export function measured(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const column = context.measureText("0").width;
  const known = new Map();
  return (point) => {
    if (point >= " " && point <= "~") return 1;
    if (!known.has(point)) known.set(point, Math.max(context.measureText(point).width / column, 0));
    return known.get(point);
  };
}

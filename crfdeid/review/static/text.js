// A note by code point. The server counts code points and JavaScript counts UTF-16 units: only this module knows both.

const LETTER = /\p{L}/u;
const ENDS_SENTENCE = /[.!?:]/;
const HIDDEN = /[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

export class NoteText {
  constructor(text) {
    this.points = Array.from(text);
    this.sentences = null;
  }

  get length() {
    return this.points.length;
  }

  slice(start, end) {
    return this.points.slice(start, end).join("");
  }

  // The characters drawn for a stretch: one code point for each, so that offsets hold; `sentence` lowers text in capitals.
  shown(start, end, sentence = false) {
    if (sentence) this.sentences ??= sentenceCase(this.points);
    return (sentence ? this.sentences : this.points).slice(start, end).map(visible).join("");
  }

  get mostlyCapitals() {
    const letters = this.points.filter((point) => LETTER.test(point));
    const capitals = letters.filter((point) => point !== point.toLowerCase());
    return letters.length > 40 && capitals.length > letters.length / 2;
  }
}

// Controls and direction marks, which are invisible or would reverse the text, are drawn as visible signs.
export function visible(point) {
  const code = point.codePointAt(0);
  if (code < 32 && code !== 9) return String.fromCodePoint(0x2400 + code);
  if (code === 127) return "\u2421";
  return HIDDEN.test(point) ? "\u25af" : point;
}

// Lines without a small letter, in small letters except the first of a sentence; the number of code points stays.
export function sentenceCase(points) {
  const shown = [];
  let opens = true;
  for (const [start, end] of lines(points)) {
    const blank = points.slice(start, end).every((point) => point.trim() === "");
    const capitals = inCapitals(points.slice(start, end));
    for (let i = start; i < end; i++) {
      const lower = points[i].toLowerCase();
      shown.push(capitals && !opens && Array.from(lower).length === 1 ? lower : points[i]);
      opens = ENDS_SENTENCE.test(points[i]) || (opens && !LETTER.test(points[i]));
    }
    opens ||= blank;
  }
  return shown;
}

function inCapitals(points) {
  const letters = points.filter((point) => LETTER.test(point));
  return letters.length > 1 && letters.every((point) => point === point.toUpperCase());
}

function* lines(points) {
  let start = 0;
  for (let i = 0; i < points.length; i++) {
    if (points[i] === "\n") {
      yield [start, i + 1];
      start = i + 1;
    }
  }
  if (start < points.length) yield [start, points.length];
}

// Rounded down, so that only certainty reads 100%.
export function percent(probability) {
  return probability === null ? "" : `${Math.floor(probability * 100)}%`;
}

export function shortened(text) {
  const points = Array.from(text);
  return points.length > 60 ? `${points.slice(0, 40).join("")} … ${points.slice(-15).join("")}` : text;
}

// The reader's place in a note: a stretch that is shown before it counts, and the mark (the target) at it, if any.

import { resized, word, wordAfter, wordBefore } from "./stretch.js";

export class Cursor {
  // targets(): the marks that can be chosen, as [{key, start, end, ...}]; earlier ones are chosen first
  constructor(reading, targets, changed) {
    this.reading = reading;
    this.targets = targets;
    this.changed = changed;
    this.clear();
  }

  clear() {
    this.stretch = null;
    this.target = null;
    this.moved = false;
  }

  get points() {
    return this.reading.text.points;
  }

  // Whether the stretch differs from the target's.
  get edited() {
    return Boolean(this.target) && (this.stretch.start !== this.target.start || this.stretch.end !== this.target.end);
  }

  // moved: the page went there by itself, so the reader has not chosen it yet.
  put(stretch, target = null, moved = false) {
    this.moved = moved;
    this.stretch = stretch && { start: stretch.start, end: stretch.end };
    this.target = target;
    if (stretch) this.follow(stretch.start);
    this.changed();
  }

  follow(offset) {
    const { start, end } = this.reading.range;
    if (offset < start || offset >= end) this.reading.go(offset);
  }

  targetAt({ start, end }) {
    return this.targets().find((target) => target.start < end && start < target.end) ?? null;
  }

  // Moves the cursor to the target or the word at an offset, or to nothing.
  at(offset) {
    const target = this.targetAt({ start: offset, end: offset + 1 });
    const found = target ?? word(this.points, offset);
    this.put(found, target);
    return found;
  }

  on(stretch) {
    const target = this.targetAt(stretch);
    this.put(target ?? stretch, target);
  }

  // The next (by = 1) or previous (by = -1) word or target.
  step(by) {
    const { start, end } = this.reading.range;
    if (!this.stretch || this.stretch.end <= start || this.stretch.start >= end) {
      const first = by > 0 ? wordAfter(this.points, start) : wordBefore(this.points, end);
      return first && this.on(first);
    }
    const found = by > 0 ? this.wordFrom(this.stretch.end) : wordBefore(this.points, this.stretch.start);
    if (found) this.on(found);
  }

  wordFrom(offset) {
    let found = wordAfter(this.points, offset);
    while (found && found.start < offset) found = wordAfter(this.points, found.end);
    return found;
  }

  // Up or down a row.
  row(by) {
    if (!this.stretch) return this.step(by);
    let to = this.reading.vertical(this.stretch.start, by);
    for (; to; to = this.reading.vertical(to.start, by)) {
      const found = word(this.points, to.offset) ?? inRow(wordAfter(this.points, to.offset), to) ??
        inRow(wordBefore(this.points, to.offset), to);
      if (found) return this.on(found);
    }
  }

  resize(edge, outward, byWord) {
    if (!this.stretch) return;
    this.put(resized(this.points, this.stretch, edge, outward, byWord), this.target);
  }

  restore() {
    if (this.target) this.put(this.target, this.target);
  }

  // After new targets: chooses the same one again, or the one that is now in its place.
  refresh() {
    if (!this.stretch) return;
    const same = this.target && this.targets().find((target) => target.key === this.target.key);
    const target = same ?? this.targetAt(this.stretch);
    this.put(target ?? this.stretch, target, this.moved);
  }

  // The nearest target after (by = 1) or before the cursor, in the order of the text, or null.
  nearest(targets, by) {
    const here = this.stretch ? (by > 0 ? this.stretch.start : this.stretch.start) : by > 0 ? this.reading.range.start - 1 : this.reading.range.end;
    const ordered = [...targets].sort((a, b) => by * (a.start - b.start));
    return ordered.find((target) => by * (target.start - here) > 0) ?? null;
  }
}

function inRow(stretch, row) {
  return stretch && stretch.start < row.end && stretch.end > row.start ? stretch : null;
}

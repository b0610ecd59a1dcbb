// A note on the page, one screen at a time, in one column, or in two like an open book where the screen is wide enough.

import { clear, element } from "./dom.js";
import { indexOf, measured, rowStarts, Seen } from "./screens.js";
import { drawRow } from "./sheet.js";
import { NoteText } from "./text.js";

const WIDEST = 92;
const GAP = 4;
const NARROWEST = 8; // columns
const LEGEND = 280; // pixels

export class Reading {
  // moved: called when another screen is shown; showed(start, end): when text was shown for the first time
  constructor(host, moved = () => {}, showed = () => {}) {
    this.host = host;
    this.moved = moved;
    this.showed = showed;
    this.layers = [];
    this.sentence = false;
    this.offset = 0;
    this.show("");
    this.observer = new ResizeObserver(() => this.lay());
    this.observer.observe(host);
  }

  close() {
    this.observer.disconnect();
  }

  show(text, offset = 0, before = []) {
    this.text = new NoteText(text);
    this.seen = new Seen(this.text.length, before);
    this.offset = offset;
    this.layers = [];
    this.lay();
  }

  // Computes rows and screens for the available space; the screen's first offset stays visible.
  lay() {
    this.fold();
    const room = this.room();
    if (!room) return;
    this.small = room.small;
    this.rowsAScreen = room.rows * room.leaves;
    this.leaves = room.leaves;
    this.starts = rowStarts(this.text.points, room.columns, room.width);
    this.draw();
    this.moved();
  }

  // The legend folds where it would leave fewer than half of the usual columns to the text.
  fold() {
    const desk = this.host.closest(".desk");
    const column = parseFloat(getComputedStyle(this.host).fontSize) * 0.6;
    desk?.classList.toggle("folded", desk.clientWidth - LEGEND < column * (WIDEST / 2));
  }

  room() {
    const probe = element("div", { class: "row probe" }, "0".repeat(100));
    clear(this.host, element("div", { class: "leaf" }, probe));
    const range = document.createRange();
    range.selectNodeContents(probe);
    const column = range.getBoundingClientRect().width / 100;
    const high = probe.getBoundingClientRect().height;
    const style = getComputedStyle(this.host);
    const wide = this.host.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const tall = this.host.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const font = getComputedStyle(probe).font;
    clear(this.host);
    this.host.style.setProperty("--column", `${column}px`);
    if (!(column > 0 && high > 0 && wide > 0)) return null;
    const fit = Math.floor(wide / column) - 1;
    const leaves = fit >= 2 * 72 + GAP ? 2 : 1;
    const columns = Math.max(1, Math.min(WIDEST, Math.floor((fit - (leaves - 1) * GAP) / leaves)));
    const small = columns < NARROWEST || tall < high;
    return { columns, leaves, rows: Math.max(1, Math.floor(tall / high)), width: measured(font), small };
  }

  get screens() {
    return Math.max(1, Math.ceil(this.starts.length / this.rowsAScreen));
  }

  get screen() {
    return Math.floor(indexOf(this.starts, this.offset) / this.rowsAScreen);
  }

  rowRange(index) {
    return { start: this.starts[index], end: this.starts[index + 1] ?? this.text.length };
  }

  // The stretch of text on the screen.
  get range() {
    const first = this.screen * this.rowsAScreen;
    const start = this.starts[first] ?? 0;
    return { start, end: this.starts[first + this.rowsAScreen] ?? this.text.length };
  }

  draw(layers = this.layers) {
    this.layers = layers;
    if (!this.starts) return;
    const first = this.screen * this.rowsAScreen;
    const last = Math.min(first + this.rowsAScreen, this.starts.length);
    const { start, end } = this.range;
    const here = layers.filter((layer) => layer.start < end && layer.end > start);
    this.rows = [];
    for (let i = first; i < last; i++) this.rows.push(drawRow(this.text, this.rowRange(i), here, this.sentence));
    const each = this.rowsAScreen / this.leaves;
    const leaves = Array.from({ length: this.leaves }, (_, i) =>
      element("div", { class: "leaf" }, this.rows.slice(i * each, (i + 1) * each)),
    );
    clear(this.host, leaves);
    if (!document.hidden && this.seen.isNew(start, end)) this.see();
  }

  // Text counts as shown only where its row is on the sheet from the first character to the last.
  see() {
    const sheet = this.host.getBoundingClientRect();
    for (const row of this.rows) {
      const { start, end } = row.range;
      if (this.small || !this.seen.isNew(start, end) || !fits(row, sheet)) continue;
      this.seen.see(start, end);
      this.showed(start, end);
    }
  }

  // Turns to the screen that holds an offset.
  go(offset) {
    const before = this.screen;
    this.offset = Math.max(0, Math.min(offset, this.text.length - 1));
    this.draw();
    if (this.screen !== before) this.moved();
  }

  // Turns the page; false where there is no other screen.
  turn(by) {
    const to = this.screen + by;
    if (to < 0 || to >= this.screens) return false;
    this.go(this.starts[to * this.rowsAScreen]);
    return true;
  }

  // The offset one row up or down, in about the same column; null beyond the text.
  vertical(offset, by) {
    const row = indexOf(this.starts, offset);
    const to = row + by;
    if (to < 0 || to >= this.starts.length) return null;
    const { start, end } = this.rowRange(to);
    return { offset: Math.min(start + offset - this.starts[row], end - 1), start, end };
  }
}

// Whether a row's text is inside the sheet and the window; white space may hang over.
function fits(row, sheet) {
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let last = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.trim()) last = node;
  const range = document.createRange();
  if (last) range.setStart(row, 0), range.setEnd(last, last.data.trimEnd().length);
  else range.selectNodeContents(row);
  const text = last ? range.getBoundingClientRect() : row.getBoundingClientRect();
  const right = Math.min(sheet.right, document.documentElement.clientWidth);
  const bottom = Math.min(sheet.bottom, document.documentElement.clientHeight);
  return text.left >= sheet.left && (!last || text.right <= right + 1) && text.top >= sheet.top && text.bottom <= bottom + 1;
}

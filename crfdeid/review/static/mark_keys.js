// The keys of Mark, and the keys that move in a note, which Agree shares.

import { findInNote, findNext } from "./find.js";
import { Keys } from "./keys.js";
import { compact, larger } from "./size.js";

export function moving(mode) {
  const { cursor } = mode;
  return [
    [["ArrowRight"], "next word", () => cursor.step(1)],
    [["ArrowLeft"], "previous word", () => cursor.step(-1)],
    [["Shift+ArrowRight", "Ctrl+Shift+ArrowRight"], "move the end to the right, by a word or a character", null],
    [["Shift+ArrowLeft", "Ctrl+Shift+ArrowLeft"], "move the end to the left", null],
    [["Shift+ArrowUp", "Ctrl+Shift+ArrowUp"], "move the beginning to the left", null],
    [["Shift+ArrowDown", "Ctrl+Shift+ArrowDown"], "move the beginning to the right", null],
    [["Escape"], "undo the changes of its ends", () => cursor.restore()],
    [[" ", "PageDown"], "next screen", () => mode.turn(1)],
    [["Shift+ ", "PageUp"], "previous screen", () => mode.turn(-1)],
    [["Ctrl+f"], "find a text in this note", () => findInNote(mode)],
    [["Ctrl+g"], "find it again", () => findNext(mode)],
    [["/"], "capitals in sentence case", () => mode.sentence()],
    [["+"], "larger text", () => (larger(1), mode.reading.lay())],
    [["|"], "rows close together, or apart", () => (compact(), mode.reading.lay())],
    [["-"], "smaller text", () => (larger(-1), mode.reading.lay())],
    [["Ctrl+z"], "undo", () => mode.step("undo")],
    [["Ctrl+y", "Ctrl+Shift+z"], "redo", () => mode.step("redo")],
  ];
}

const EDGES = { ArrowRight: ["end", true], ArrowLeft: ["end", false], ArrowUp: ["start", true], ArrowDown: ["start", false] };

// Keys whose table also has the eight chords that move an edge; they are listed as four rows.
export class NoteKeys extends Keys {
  constructor(mode, rows, type) {
    super(rows, type);
    for (const [arrow, [edge, outward]] of Object.entries(EDGES)) {
      this.table.set(`Shift+${arrow}`, () => mode.cursor.resize(edge, outward, true));
      this.table.set(`Ctrl+Shift+${arrow}`, () => mode.cursor.resize(edge, outward, false));
    }
  }
}

export function markKeys(mode) {
  const rows = [
    [["ArrowUp"], "row above", () => mode.cursor.row(-1)],
    [["ArrowDown"], "row below", () => mode.cursor.row(1)],
    [["Enter"], "mark with the current type; accept a pre-mark; save changed ends", () => mode.put()],
    [["Delete", "Backspace"], "remove a mark; reject a pre-mark", () => mode.remove()],
    [["."], "next pre-mark to decide, or next mark", () => mode.jump(1)],
    [[","], "the previous one", () => mode.jump(-1)],
    [["*"], "all repeats in this patient’s notes", () => mode.repeats()],
    [[";"], "unsure, or sure, of the mark", () => mode.doubt()],
    [[":"], "a remark or question on the place or the note", () => mode.remark()],
    [["Ctrl+Enter"], "finish the note", () => mode.finish()],
    [[">"], "next note", () => mode.beside(mode.note.next)],
    [["<"], "previous note", () => mode.beside(mode.note.previous)],
    ...moving(mode),
  ];
  return new NoteKeys(mode, rows, (letter) => mode.key(letter));
}

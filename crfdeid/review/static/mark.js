// Mark: a reader marks PHI in a note, word by word or stretch by stretch, and decides on each pre-mark.

import { Actions, ask } from "./api.js";
import { Clock } from "./clock.js";
import { Cursor } from "./cursor.js";
import { markKeys } from "./mark_keys.js";
import { MarkView } from "./mark_view.js";
import { around, layersOf, marks, putting, undecided } from "./marking.js";
import { kept } from "./filters.js";
import { STATES } from "./notes.js";
import { say, speak } from "./notice.js";
import { Reading } from "./reading.js";
import { shortened } from "./text.js";
import { listen } from "./pointer.js";
import { remark } from "./questions.js";
import { repeats } from "./repeats.js";
import { Shown } from "./shown.js";

export async function mark(main, room, { number, offset }) {
  if (!number) return void location.replace("#notes");
  const note = await ask(`/api/notes/${number}`);
  return new Mark(main, room, note, offset);
}

export class Mark {
  constructor(main, room, note, offset = 0) {
    Object.assign(this, { room, note, number: note.number, types: room.types, state: note, preview: null });
    this.view = new MarkView(main, this);
    this.shown = new Shown(note.number);
    this.reading = new Reading(this.view.sheet, () => this.view.screens(), (start, end) => this.shown.add(start, end));
    this.cursor = new Cursor(this.reading, () => this.targets(), () => this.pointed());
    this.actions = new Actions(`/api/notes/${note.number}/actions`, () => this.state, (state) => this.take(state));
    this.clock = new Clock(note.number, () => this.view.progress());
    this.reading.show(note.text, 0, note.shown);
    this.keys = markKeys(this);
    listen(this.reading, { preview: (one) => this.previewed(one), click: (at) => this.click(at), drag: (one) => this.drag(one), chosen: () => this.chosen(), resize: (one) => this.resize(one) });
    this.take(note);
    if (offset) this.cursor.at(offset);
    this.view.progress();
    if (note.closed) say("This note is in the consensus: your marks in it are closed.");
    if (this.reading.text.mostlyCapitals) say("Mostly capitals, where readers miss more: the key / shows the note in sentence case.");
  }

  close() {
    this.clock.close();
    this.shown.report();
    this.reading.close();
  }

  focus() {
    this.view.sheet.focus({ preventScroll: true });
  }

  take(state) {
    this.state = state;
    if (this.cursor.stretch) this.cursor.refresh();
    this.redraw();
  }

  targets() {
    return [...undecided(this.state), ...marks(this.state)];
  }

  layers() {
    return [...layersOf(this.state, this.types), ...around(this.cursor, this.preview)];
  }

  redraw() {
    this.reading.draw(this.layers());
    this.view.update();
  }

  pointed() {
    const { stretch, target } = this.cursor;
    if (stretch) speak([this.reading.text.slice(stretch.start, stretch.end), target && `${target.kind} ${target.type}`].filter(Boolean).join(", "));
    this.redraw();
  }

  previewed(stretch) {
    if (stretch?.start === this.preview?.start && stretch?.end === this.preview?.end) return;
    this.preview = stretch;
    this.reading.draw(this.layers());
  }

  // A click on a word marks it; on a mark it chooses it; on the chosen mark it removes it. A pre-mark to which the page
  // went by itself is not chosen yet.
  click(offset) {
    const before = this.cursor.moved ? null : this.cursor.target?.key;
    const found = this.cursor.at(offset);
    if (!found) return;
    const { target } = this.cursor;
    if (!target) this.put(this.types.current);
    else if (target.key === before) target.kind === "mark" ? this.remove() : this.put(target.type);
  }

  drag(stretch) {
    if (this.nested(stretch)) return;
    this.cursor.put(stretch, null);
    this.put(this.types.current);
  }

  // The mark whose ends can be dragged.
  chosen() {
    const { target } = this.cursor;
    return target && !this.state.closed ? { start: target.start, end: target.end } : null;
  }

  resize(stretch) {
    const { target } = this.cursor;
    if (!target || this.nested(stretch, target)) return;
    this.cursor.put(stretch, target);
    this.put();
  }

  // Says so where a stretch lies inside a mark, or a mark inside it: marks are not nested.
  nested(stretch, apart = null) {
    const inside = (a, b) => a.start <= b.start && b.end <= a.end;
    const other = marks(this.state).find((one) => one.key !== apart?.key && (inside(one, stretch) || inside(stretch, one)));
    if (!other) return false;
    say(`Marks cannot be nested: “${shortened(this.reading.text.slice(other.start, other.end))}” is marked. Choose it and drag its end, or remove it first.`);
    return true;
  }

  // Marks the stretch at the cursor, with a type or, without one, with its present type.
  put(type = null) {
    const { stretch, target, edited } = this.cursor;
    if (!stretch) return say("Go to a word first, with the arrow keys or a click.");
    if (type) this.types.current = type;
    const ends = edited ? { start: stretch.start, end: stretch.end } : {};
    const done = this.actions.do(() => putting(this.targets(), stretch, target, type ?? (target ? null : this.types.current), ends));
    if (target?.kind === "premark") done.then((state) => state && this.advance(target));
  }

  remove() {
    const { target } = this.cursor;
    if (!target) return;
    const action = target.kind === "mark" ? { kind: "remove", mark: target.id } : { kind: "reject", premark: target.id };
    this.actions.do(action).then((state) => state && target.kind === "premark" && this.advance(target));
  }

  // After a pre-mark, goes to the next one on this screen; never past text that has not been read.
  advance(from) {
    const { start, end } = this.reading.range;
    const next = undecided(this.state).find((one) => one.start >= from.start && one.start >= start && one.start < end);
    if (next) this.cursor.put(next, next, true);
  }

  jump(by) {
    const open = undecided(this.state);
    const { moved, target } = this.cursor;
    if (by > 0 && moved && open.some((one) => one.key === target?.key)) return this.cursor.put(target, target); // it is the next one
    const next = this.cursor.nearest(open.length ? open : this.targets(), by);
    if (next) this.cursor.put(next, next);
    else say(open.length ? "No more pre-marks in this direction." : "No more marks in this direction.");
  }

  pick(type) {
    this.types.current = type;
    if (this.cursor.stretch) this.put(type);
    else this.view.update();
  }

  // The reader is, or is no longer, unsure of the mark; the adjudicator sees it.
  doubt() {
    const { target } = this.cursor;
    if (target?.kind !== "mark") return say("Choose a mark first, or mark the word; then ; says that you are unsure.");
    this.actions.do({ kind: "doubt", mark: target.id, unsure: !target.unsure });
  }

  remark() {
    remark(this);
  }

  key(letter) {
    const type = this.types.byKey.get(letter);
    if (type) this.pick(type);
  }

  turn(by) {
    if (this.reading.turn(by)) this.cursor.put(null);
    else if (by > 0) say("The end of the note. Ctrl Enter finishes it.");
  }

  step(kind) {
    return this.actions.do(() => (this.state[kind] > 0 ? { kind } : say(`Nothing to ${kind}.`)));
  }

  async repeats() {
    const { target } = this.cursor;
    if (target?.kind !== "mark") return say("Choose a mark first. Then its text is searched in all notes of the patient.");
    const text = this.reading.text.slice(target.start, target.end);
    const state = await repeats(this.number, () => this.state.version, { ...target, text });
    if (state) this.take(state);
    this.focus();
  }

  sentence() {
    this.reading.sentence = !this.reading.sentence;
    this.redraw();
  }

  // A note is finished only when every screen has been shown and every pre-mark is decided.
  async finish() {
    await this.actions.last; // the key before may still be on its way
    const unseen = this.reading.seen.unseen;
    if (unseen >= 0) return this.lookAt(unseen, this.unshown(unseen));
    const [open] = undecided(this.state);
    if (open) return this.lookAt(open.start, "Each pre-mark has to be accepted, changed or rejected. This is the first.", open);
    if (this.state.done) return this.next();
    await this.shown.report();
    if (await this.actions.do({ kind: "done" })) this.next();
  }

  unshown(offset) {
    const here = this.reading.range;
    if (offset < here.start || offset >= here.end) return "Some screens of this note have not been shown yet. This is the first.";
    return "A row of this note does not fit: make the window larger, or the letters smaller with the key -.";
  }

  lookAt(offset, why, target = null) {
    this.reading.go(offset);
    if (target) this.cursor.put(target, target, true);
    say(why);
  }

  async next() {
    await this.clock.report();
    location.hash = await following(this.note, this.room);
  }

  beside(number) {
    if (number) location.hash = `mark/${number}`;
    else say("There are no more notes in this direction.");
  }
}

// The next note that the reader has to read: after this one in the order of the notes, else the first of the chosen order.
async function following(note, room) {
  const { order } = room.filters.notes;
  const { notes } = await ask(`/api/notes?${new URLSearchParams({ set: room.set, order })}`);
  const left = kept(notes, room.filters.notes, STATES).filter((one) => one.assigned && !one.done && !one.refused && one.number !== note.number);
  const next = order === "given" ? left.find((one) => one.number > note.number) : null;
  const open = next ?? left[0];
  return open ? `mark/${open.number}` : "notes";
}

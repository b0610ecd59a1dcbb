// One note of Agree: a key decides each item of the voters, and marks that no voter had can be added.

import { Actions, ask, query } from "./api.js";
import { adjudicationKeys } from "./adjudication_keys.js";
import { AdjudicationView } from "./adjudication_view.js";
import { Cursor } from "./cursor.js";
import { clear } from "./dom.js";
import { around } from "./marking.js";
import { say, speak } from "./notice.js";
import { listen } from "./pointer.js";
import { Reading } from "./reading.js";
import { agreementOf, layerOf, targetsOf } from "./variants.js";
import { voters } from "./voters.js";

const DOUBT = { fewer: 0, majority: 1, all: 2 };
const DECIDED = "Every item is decided. Ctrl Enter closes the note.";

// The less, the more doubtful: first what a reader was unsure of.
function doubt({ item }) {
  return item.unsure.length ? -1 : DOUBT[item.agreement];
}

export class Adjudication {
  // goOn() opens the next note.
  constructor(main, room, found, goOn, offset = 0) {
    Object.assign(this, { main, room, goOn, note: found, state: found, types: room.types, preview: null, chosen: new Map() });
    this.mayDecide = room.reader.role === "adjudicator";
    this.view = new AdjudicationView(main, this);
    this.reading = new Reading(this.view.sheet, () => this.view.screens());
    this.cursor = new Cursor(this.reading, () => this.targets(), () => this.pointed());
    this.actions = new Actions(`/api/consensus/${found.number}/actions`, () => this.state, (state) => this.take(state));
    this.reading.show(found.text, offset);
    this.keys = adjudicationKeys(this);
    listen(this.reading, { preview: (one) => this.previewed(one), click: (at) => this.cursor.at(at), drag: (one) => this.cursor.put(one) });
    const first = offset ? this.cursor.targetAt({ start: offset, end: offset + 1 }) : this.open()[0] ?? this.targets()[0];
    this.cursor.put(first ?? null, first ?? null);
  }

  close() {
    this.reading.close();
  }

  focus() {
    this.view.sheet.focus({ preventScroll: true });
  }

  take(state) {
    this.state = { ...this.state, ...state };
    this.chosen.clear();
    if (this.cursor.stretch) this.cursor.refresh();
    this.redraw();
  }

  targets() {
    return targetsOf(this.state, this.chosen);
  }

  open() {
    return this.targets().filter((one) => one.kind === "item" && !one.item.decision);
  }

  layers() {
    return [...this.targets().map((one) => layerOf(one, this.types)), ...around(this.cursor, this.preview)];
  }

  redraw() {
    this.reading.draw(this.layers());
    this.view.update();
  }

  pointed() {
    const { stretch, target } = this.cursor;
    if (stretch) speak([this.reading.text.slice(stretch.start, stretch.end), target?.item && agreementOf(target.item, this.state.voters)].filter(Boolean).join(", "));
    this.redraw();
  }

  previewed(stretch) {
    this.preview = stretch;
    this.reading.draw(this.layers());
  }

  choose(index) {
    const { target } = this.cursor;
    this.chosen.set(target.key, index);
    this.cursor.refresh();
    this.redraw();
  }

  vertical(by) {
    const { target } = this.cursor;
    if (target?.kind !== "item") return this.cursor.row(by);
    const { length } = target.all;
    this.choose(target.index < 0 ? (by > 0 ? 0 : length - 1) : (target.index + by + length) % length);
  }

  put(type = null) {
    const { stretch, target, edited } = this.cursor;
    if (!stretch || !this.mayDecide) return;
    if (type) this.types.current = type;
    if (target?.kind === "item") return this.decide(target, this.spans(type));
    const { start, end } = stretch;
    if (!target) return this.actions.do({ kind: "add", start, end, type: type ?? this.types.current });
    if (edited || type) this.actions.do({ kind: "change", mark: target.id, start, end, type: type ?? target.type });
  }

  // The spans of the answer at the cursor, or null where no answer is chosen yet.
  spans(type = null) {
    const { stretch, target, edited } = this.cursor;
    const chosen = target.all[target.index]?.spans ?? null;
    if (edited || (type && (chosen?.length ?? 0) <= 1)) return [{ start: stretch.start, end: stretch.end, type: type ?? target.type }];
    return type ? chosen.map((one) => ({ ...one, type })) : chosen;
  }

  decide(target, spans, ambiguous = false) {
    const few = this.state.voters.length === 2 ? agreementOf(target.item, this.state.voters) : "Fewer than half marked this";
    if (!spans) return say(`${few}. Choose an answer with ↓ or a type’s letter, or press Del for not PHI.`);
    const action = { kind: "decide", item: target.key, spans, ambiguous };
    this.actions.do(action).then((state) => state && !ambiguous && this.advance(target));
  }

  // One action for all items that every voter marked alike. What is left differs, and comes with the most doubtful first.
  decideAgreed() {
    this.byDoubt = true;
    this.actions.do({ kind: "decide_agreed" }).then((state) => state && this.mostDoubtful());
  }

  mostDoubtful() {
    const [next] = this.open().sort((a, b) => doubt(a) - doubt(b) || a.start - b.start);
    if (next) this.cursor.put(next, next);
    else say(DECIDED);
  }

  answered(questions) {
    this.state.questions = questions.filter((one) => one.number === this.note.number);
    this.redraw();
    this.focus();
  }

  remove() {
    const { target } = this.cursor;
    if (target?.kind === "item") this.decide(target, []);
    else if (target) this.actions.do({ kind: "remove", mark: target.id });
  }

  ambiguous() {
    const { target } = this.cursor;
    if (target?.kind !== "item") return;
    const spans = target.item.decision?.spans ?? this.spans() ?? [];
    this.decide(target, spans, !target.item.decision?.ambiguous);
  }

  undecide() {
    const { target } = this.cursor;
    if (target?.item?.decision) this.actions.do({ kind: "undecide", item: target.key });
  }

  advance(from) {
    if (this.byDoubt) return this.mostDoubtful();
    const open = this.open();
    const next = open.find((one) => one.start > from.start) ?? open[0];
    if (next) this.cursor.put(next, next);
    else say(DECIDED);
  }

  jump(by) {
    const next = this.cursor.nearest(this.targets(), by);
    if (next) this.cursor.put(next, next);
    else say("No more items in this direction.");
  }

  turn(by) {
    if (this.reading.turn(by)) this.cursor.put(null);
  }

  sentence() {
    this.reading.sentence = !this.reading.sentence;
    this.redraw();
  }

  step(kind) {
    this.actions.do(() => (this.mayDecide && this.state[kind] > 0 ? { kind } : say(`Nothing to ${kind}.`)));
  }

  async finish() {
    await this.actions.last; // the key before may still be on its way
    const [open] = this.open();
    if (open) return this.cursor.put(open, open), say("Some items are undecided. This is the first.");
    if (this.state.done || (await this.actions.do({ kind: "done" }))) await this.goOn();
  }

  reopen() {
    this.actions.do({ kind: "reopen" });
  }

  // Compare other readers or systems, or their present marks; decisions on unchanged items stay.
  async voters() {
    const found = await ask(`/api/consensus${query({ set: this.room.set })}`);
    const note = found.notes.find((one) => one.number === this.note.number);
    if (!note) return;
    voters(clear(this.main), note, found, async (chosen) => {
      await this.actions.do({ kind: "votes", ...chosen });
      window.dispatchEvent(new HashChangeEvent("hashchange"));
    });
  }
}

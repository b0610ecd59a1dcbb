// Surrogates: a person sees the replacement of each span in its context, edits and approves it, and writes the notes.

import { Actions, ask, query } from "./api.js";
import { clear, element, redrawn } from "./dom.js";
import { exportForm } from "./exports.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";
import { say } from "./notice.js";
import { setChooser } from "./notes.js";
import { Reading } from "./reading.js";
import { SurrogatesView } from "./surrogates_view.js";

export async function surrogates(main, room, { number }) {
  if (!number) return overview(main, room);
  return new Surrogates(main, room, await ask(`/api/surrogates/${number}`));
}

async function overview(main, room) {
  const { notes } = await ask(`/api/surrogates${query({ set: room.set })}`);
  const redraw = () => redrawn(main, () => overview(clear(main), room));
  const next = notes.find((one) => !one.approved && !one.refused);
  const list = listing("Notes whose consensus is decided", ["Note", "Spans", "Unresolved", "State"], notes.map(cells), { above: 480 });
  main.append(element("div", { class: "page" },
    element("h1", {}, "Surrogates"),
    element("p", { class: "lead" }, "Check what replaces each name, date and place before a note is written."),
    element("div", { class: "bar" }, setChooser(room, redraw), next ? link("Check on", `#surrogates/${next.number}`, { class: "primary", id: "read-on" }) : null),
    notes.length ? list : element("p", {}, "No note of this set has a decided consensus yet. Decide it in Agree."),
    notes.length ? exportForm("Write the notes of this set with surrogates", room, "/api/surrogates/export", { more: { set: room.set }, leaves: true }) : null));
  main.querySelector("#read-on")?.focus();
  return { keys: new Keys([[["PageDown", " "], "more notes", () => list.turn(1)], [["PageUp", "Shift+ "], "previous notes", () => list.turn(-1)]]) };
}

function cells(note) {
  const state = note.refused ? element("span", { class: "bad" }, `✗ refused: ${note.refused} on disk`) : note.approved ? "✓ approved" : "";
  const name = note.refused ? `${note.number}` : link(`${note.number}`, `#surrogates/${note.number}`, { class: "note-link" });
  return [element("span", {}, name, ` ${note.id}`), note.spans, note.unresolved, state];
}

class Surrogates {
  constructor(main, room, found) {
    Object.assign(this, { room, note: found, state: found, index: 0, types: room.types });
    this.view = new SurrogatesView(main, this);
    this.reading = new Reading(this.view.sheet);
    this.reading.show(found.text);
    this.actions = new Actions(`/api/surrogates/${found.number}/actions`, () => this.state, (state) => this.take(state));
    this.keys = new Keys([
      [["."], "next replacement", () => this.at(this.index + 1)],
      [[","], "previous replacement", () => this.at(this.index - 1)],
      [["Enter"], "edit; in the field: save and go on", () => this.view.edit()],
      [["*"], "this replacement for the same text in all notes of the patient", () => this.everywhere()],
      [["Ctrl+Enter"], "approve the note", () => this.approve()],
      [["PageDown", " "], "next screen", () => this.reading.turn(1)],
      [["PageUp", "Shift+ "], "previous screen", () => this.reading.turn(-1)],
      [["Ctrl+z"], "undo", () => this.step("undo")],
      [["Ctrl+y", "Ctrl+Shift+z"], "redo", () => this.step("redo")],
    ]);
    this.at(0);
  }

  close() {
    this.reading.close();
  }

  get current() {
    return this.state.proposals[this.index] ?? null;
  }

  take(state) {
    const before = this.current;
    this.state = { ...this.state, ...state };
    const same = this.state.proposals.findIndex((one) => one.start === before?.start && one.end === before?.end);
    this.index = Math.max(0, same);
    this.redraw();
  }

  at(index) {
    this.index = Math.max(0, Math.min(this.state.proposals.length - 1, index));
    if (this.current) this.reading.go(this.current.start);
    this.redraw();
  }

  redraw() {
    const layers = this.state.proposals.map((one) => ({ ...one, mark: true, class: `mark ${this.types.colour(one.type)}${one.resolved ? "" : " unresolved"}`, label: one.resolved ? `→ ${one.replacement}` : "? unresolved" }));
    const here = this.current ? [{ start: this.current.start, end: this.current.end, class: "cursor" }] : [];
    this.reading.draw([...layers, ...here]);
    this.view.update();
  }

  // Saves a replacement that was typed; the queue prevents saving it twice. An unresolved one is
  // resolved by saving the proposal. `everywhere`: for this text in all notes of the patient.
  keep({ start, end }, replacement, everywhere = false) {
    const here = () => this.state.proposals.find((one) => one.start === start && one.end === end);
    const kept = () => !everywhere && here().resolved && here().replacement === replacement;
    return this.actions.do(() => (kept() ? null : { kind: "edit", start, end, replacement, everywhere }));
  }

  everywhere() {
    if (this.current) this.keep(this.current, this.view.typed() ?? this.current.replacement, true);
  }

  // Saves it and goes to the next, in the order of the list.
  async edit(proposal, replacement) {
    const order = this.state.proposals.map((one) => one.start);
    const next = order[order.indexOf(proposal.start) + 1];
    await this.keep(proposal, replacement);
    const index = this.state.proposals.findIndex((one) => one.start === next);
    this.at(index < 0 ? this.index : index);
    this.view.edit();
  }

  async approve() {
    document.activeElement?.blur(); // saves the text in the field
    await this.actions.last;
    const open = this.state.proposals.findIndex((one) => !one.resolved);
    if (open >= 0) return this.at(open), say("Some replacements are unresolved. This is the first.");
    if (this.state.approved || (await this.actions.do({ kind: "approve" }))) location.hash = "surrogates";
  }

  reopen() {
    this.actions.do({ kind: "reopen" });
  }

  step(kind) {
    this.actions.do(() => (this.state[kind] > 0 ? { kind } : say(`Nothing to ${kind}.`)));
  }
}

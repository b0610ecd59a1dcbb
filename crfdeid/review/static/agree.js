// Agree: the list of notes with their readers, and the form that opens a note's consensus.

import { ask, query, save } from "./api.js";
import { Adjudication } from "./adjudication.js";
import { clear, element, redrawn } from "./dom.js";
import { filterBar, kept } from "./filters.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";
import { ORDERS, setChooser } from "./notes.js";
import { voters } from "./voters.js";

const STAGES = { none: "not read yet", ready: "ready", open: "begun", done: "✓ decided" };
const STATES = {
  all: ["all notes", () => true],
  ready: ["ready or begun", (note) => note.stage === "ready" || note.stage === "open"],
  doubt: ["with doubts or questions", (note) => note.unsure > 0],
  differ: ["where readers differ", (note) => note.differences > 0],
  done: ["decided", (note) => note.stage === "done"],
  none: ["not read yet", (note) => note.stage === "none"],
  refused: ["refused", (note) => Boolean(note.refused)],
};
const SORTS = [...ORDERS, ["disagreement", "most differences first"], ["unsure", "most doubts first"], ["left", "most to decide first"]];

export async function agree(main, room, { number, offset }) {
  if (!number) return overview(main, room);
  if (room.reader.role !== "adjudicator") return opened(main, room, number, offset);
  const found = await ask(`/api/consensus${query({ set: room.set })}`);
  const note = found.notes.find((one) => one.number === number);
  if (!note || note.stage === "open" || note.stage === "done") return opened(main, room, number, offset);
  return voters(main, note, found, async (chosen) => {
    await save(`/api/consensus/${number}/open`, chosen);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
}

async function opened(main, room, number, offset) {
  return new Adjudication(main, room, await ask(`/api/consensus/${number}`), () => goOn(room), offset);
}

// After a note the next one, or the list where none of those that its filter leaves is ready.
async function goOn(room) {
  const filter = room.filters.agree;
  const { notes } = await ask(`/api/consensus${query({ set: room.set, order: filter.order })}`);
  const next = nextOf(kept(notes, filter, STATES));
  location.hash = next ? `agree/${next.number}` : "agree";
}

function nextOf(notes) {
  return notes.find((one) => one.stage === "open") ?? notes.find((one) => one.stage === "ready");
}

async function overview(main, room) {
  const filter = room.filters.agree;
  const { notes } = await ask(`/api/consensus${query({ set: room.set, order: filter.order })}`);
  const redraw = () => redrawn(main, () => overview(clear(main), room));
  const readers = [...new Set(notes.flatMap((one) => one.readers))].sort();
  if (!readers.includes(filter.reader)) filter.reader = "";
  const list = element("div", {});
  const left = () => kept(notes, filter, STATES);
  const draw = () => {
    list.made = listing("Notes and their readers", ["Note", "Words", "Finished by", "Not finished", "Differ", "Doubts", "To decide", "State"], left().map(cells), { above: 460 });
    clear(list, list.made);
  };
  draw();
  const next = nextOf(left());
  const openFirst = () => {
    const first = left().find((one) => one.stage !== "none");
    if (first) location.hash = `agree/${first.number}`;
  };
  const done = notes.filter((one) => one.stage === "done").length;
  main.append(element("div", { class: "page wide" },
    element("h1", {}, "Agree"),
    element("p", { class: "lead" }, "Everyone’s marks side by side, decided one by one. The result is the consensus; it can be reopened."),
    element("div", { class: "bar" }, setChooser(room, redraw),
      next ? link("Decide on", `#agree/${next.number}`, { class: "primary", id: "read-on" }) : null,
      element("span", { class: "quiet-text" }, `${done} of ${notes.length} notes decided`)),
    filterBar(filter, { states: STATES, orders: SORTS, readers }, draw, redraw, openFirst),
    list));
  main.querySelector("#read-on")?.focus();
  return { keys: new Keys([[["PageDown", " "], "more notes", () => list.made.turn(1)], [["PageUp", "Shift+ "], "previous notes", () => list.made.turn(-1)]]) };
}

function cells(note) {
  const open = note.stage !== "none" && !note.refused;
  const name = open ? link(`${note.number}`, `#agree/${note.number}`, { class: "note-link" }) : `${note.number}`;
  const state = note.refused ? element("span", { class: "bad" }, `✗ refused: ${note.refused} on disk`) : STAGES[note.stage];
  return [element("span", {}, name, ` ${note.id}`), note.words, note.readers.join(", ") || "–", note.unfinished.join(", ") || "–", note.differences, note.unsure, note.stage === "open" ? note.undecided : "–", state];
}

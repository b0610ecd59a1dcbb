// The notes of a set: which are read, the reader's progress, and which note is next.

import { ask, query } from "./api.js";
import { choice, clear, element, labelled, redrawn } from "./dom.js";
import { searchForm } from "./find.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";

const QUICK = 300;

export async function notes(main, room) {
  const { notes: found, progress } = await ask(`/api/notes${query({ set: room.set })}`);
  const redraw = () => redrawn(main, () => notes(clear(main), room));
  const list = element("div", {});
  const draw = () => {
    list.made = listing("Notes", heads(room), arranged(found, room).map((note) => cells(note, room)), { above: 460 });
    clear(list, list.made);
  };
  draw();
  const next = arranged(found, room).find((note) => !note.done && !note.refused);
  main.append(
    element("div", { class: "page" },
      element("h1", {}, "Notes to read"),
      element("div", { class: "bar" }, setChooser(room, redraw), next ? link("Read on", `#mark/${next.number}`, { class: "primary", id: "read-on" }) : element("strong", {}, "All notes of this set are read.")),
      progressLine(progress),
      filters(room, draw, redraw),
      list,
      element("h2", {}, "Find a text"), searchForm(room)),
  );
  main.querySelector("#read-on")?.focus();
  return { keys: new Keys([
    [["PageDown", " "], "more notes", () => list.made.turn(1)],
    [["PageUp", "Shift+ "], "previous notes", () => list.made.turn(-1)],
  ]) };
}

const STATES = {
  own: ["yours to read", (note) => note.assigned],
  all: ["all notes", () => true],
  open: ["not read yet", (note) => !note.done && note.assigned],
  begun: ["begun", (note) => !note.done && note.marks > 0],
  done: ["read", (note) => note.done],
  refused: ["refused", (note) => Boolean(note.refused)],
};
const SORTS = {
  given: ["as given", null],
  uncertainty: ["least certain first", (a, b) => a.done - b.done || doubt(b) - doubt(a)],
  density: ["least certain by length first", (a, b) => a.done - b.done || doubt(b) / (b.words || 1) - doubt(a) / (a.words || 1)],
  random: ["at random (for figures without bias)", (a, b) => scatter(a.number) - scatter(b.number)],
  long: ["longest first", (a, b) => b.words - a.words],
  short: ["shortest first", (a, b) => a.words - b.words],
  marks: ["most marks first", (a, b) => b.marks - a.marks],
  patient: ["by patient", (a, b) => (a.patient ?? "").localeCompare(b.patient ?? "")],
};

// The expected number of wrong pre-marks.
function doubt(note) {
  return note.uncertainty ?? 0;
}

// The same random order each time, and for every reader (Knuth's multiplicative hash).
function scatter(number) {
  return Math.imul(number, 2654435761) >>> 0;
}

// The notes that the reader's filter leaves, in the chosen order.
export function arranged(found, room) {
  const wanted = room.filter.text.toLowerCase();
  const named = (note) => [`${note.number}`, note.id, note.patient ?? ""].some((one) => one.toLowerCase().includes(wanted));
  const kept = found.filter((note) => STATES[room.filter.state][1](note) && (!wanted || named(note)));
  const [, compare] = SORTS[room.order];
  return compare ? kept.sort(compare) : kept;
}

function filters(room, draw, redraw) {
  const { filter } = room;
  const field = element("input", { name: "filter", value: filter.text, autocomplete: "off", oninput: (event) => ((filter.text = event.target.value), draw()) });
  const states = Object.entries(STATES).map(([key, [text]]) => [key, text]);
  const orders = Object.entries(SORTS).filter(([key]) => !["uncertainty", "density"].includes(key) || room.study.premarks).map(([key, [text]]) => [key, text]);
  return element("div", { class: "bar" },
    labelled("Number, note or patient", field),
    labelled("Show", choice(states, filter.state, (one) => ((filter.state = one), draw()), "state")),
    labelled("Order", choice(orders, room.order, (one) => ((room.order = one), redraw()), "order")));
}

export function setChooser(room, redraw) {
  const sets = room.study.sets.map(({ name, notes: count }) => [name, `${name} (${count} notes)`]);
  return labelled("Set", choice(sets, room.set, (set) => ((room.set = set), redraw()), "set"));
}

function heads(room) {
  return ["Note", "Patient", "Words", "Your marks", ...(room.study.premarks ? ["Pre-marks left", "Uncertainty"] : []), "State"];
}

function cells(note, room) {
  const name = link(`${note.number}`, `#mark/${note.number}`, { class: "note-link" });
  const premarks = room.study.premarks ? [note.undecided, note.uncertainty === null ? null : note.uncertainty.toFixed(2)] : [];
  return [element("span", {}, name, ` ${note.id}`), note.patient ?? "–", note.words, note.marks, ...premarks, state(note)];
}

function state(note) {
  if (note.refused) return element("span", { class: "bad" }, `✗ refused: ${note.refused} on disk`);
  if (note.stage === "done" && note.done) return link("consensus", `#agree/${note.number}`);
  return note.done ? "✓ read" : note.marks ? "… begun" : "";
}

export function pace(progress) {
  if (!progress.words_per_minute) return "";
  return `${Math.round(progress.words_per_minute)} words a minute${progress.words_per_minute > QUICK ? " (fast: fast readers miss most)" : ""}`;
}

export function left(progress) {
  if (!progress.seconds_left) return "";
  const minutes = Math.round(progress.seconds_left / 60);
  return minutes > 90 ? `about ${Math.round(minutes / 60)} hours left` : `about ${Math.max(1, minutes)} min left`;
}

export function progressLine(progress) {
  const bar = element("progress", { max: Math.max(1, progress.words), value: progress.words_done, "aria-label": "Words read" });
  const parts = [`${progress.done} of ${progress.notes} notes`, `${progress.words_done} of ${progress.words} words`, pace(progress), left(progress)];
  return element("p", { class: "progress" }, bar, element("span", {}, parts.filter(Boolean).join(" · ")));
}

// The notes of a set: which are read, the reader's progress, and which note is next.

import { ask, query } from "./api.js";
import { choice, clear, element, labelled, redrawn } from "./dom.js";
import { filterBar, kept } from "./filters.js";
import { searchForm } from "./find.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";

const QUICK = 300;

export async function notes(main, room) {
  const filter = room.filters.notes;
  const { notes: found, progress } = await ask(`/api/notes${query({ set: room.set, order: filter.order })}`);
  const redraw = () => redrawn(main, () => notes(clear(main), room));
  const list = element("div", {});
  const left = () => kept(found, filter, STATES);
  const draw = () => {
    list.made = listing("Notes", heads(room), left().map((note) => cells(note, room)), { above: 460 });
    clear(list, list.made);
  };
  draw();
  const next = left().find((note) => !note.done && !note.refused);
  const openFirst = () => left().length && (location.hash = `mark/${left()[0].number}`);
  main.append(
    element("div", { class: "page" },
      element("h1", {}, "Notes to read"),
      element("div", { class: "bar" }, setChooser(room, redraw), next ? link("Read on", `#mark/${next.number}`, { class: "primary", id: "read-on" }) : element("strong", {}, "All notes of this set are read.")),
      progressLine(progress),
      filterBar(filter, { states: STATES, orders: orders(room) }, draw, redraw, openFirst),
      list,
      element("h2", {}, "Find a text"), searchForm(room)),
  );
  main.querySelector("#read-on")?.focus();
  return { keys: new Keys([
    [["PageDown", " "], "more notes", () => list.made.turn(1)],
    [["PageUp", "Shift+ "], "previous notes", () => list.made.turn(-1)],
  ]) };
}

export const STATES = {
  own: ["yours to read", (note) => note.assigned],
  all: ["all notes", () => true],
  open: ["not read yet", (note) => !note.done && note.assigned],
  begun: ["begun", (note) => !note.done && note.marks > 0],
  done: ["read", (note) => note.done],
  refused: ["refused", (note) => Boolean(note.refused)],
};

export const ORDERS = [["given", "as given"], ["long", "longest first"], ["short", "shortest first"], ["patient", "by patient"]];
const DOUBT = [["uncertainty", "least certain first"], ["density", "least certain by length first"]];

function orders(room) {
  return [...ORDERS, ["marks", "most marks first"], ["random", "at random (for figures without bias)"], ...(room.study.systems.length ? DOUBT : [])];
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

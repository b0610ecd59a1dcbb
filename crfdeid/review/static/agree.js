// Agree: the list of notes with their readers, and the form that opens a note's consensus.

import { ask, query, save } from "./api.js";
import { Adjudication } from "./adjudication.js";
import { clear, element, redrawn } from "./dom.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";
import { setChooser } from "./notes.js";
import { voters } from "./voters.js";

const STAGES = { none: "not read yet", ready: "ready", open: "begun", done: "✓ decided" };

export async function agree(main, room, { number, offset }) {
  if (!number) return overview(main, room);
  if (room.reader.role !== "adjudicator") return opened(main, room, number, offset);
  const { notes, systems } = await ask(`/api/consensus${query({ set: room.set })}`);
  const note = notes.find((one) => one.number === number);
  if (!note || note.stage === "open" || note.stage === "done") return opened(main, room, number, offset);
  return voters(main, note, systems, async (chosen) => {
    await save(`/api/consensus/${number}/open`, chosen);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  });
}

async function opened(main, room, number, offset) {
  return new Adjudication(main, room, await ask(`/api/consensus/${number}`), offset);
}

async function overview(main, room) {
  const { notes } = await ask(`/api/consensus${query({ set: room.set })}`);
  const redraw = () => redrawn(main, () => overview(clear(main), room));
  const next = notes.find((one) => one.stage === "open") ?? notes.find((one) => one.stage === "ready");
  const list = listing("Notes and their readers", ["Note", "Finished by", "Not finished", "To decide", "State"], notes.map(cells), { above: 400 });
  const done = notes.filter((one) => one.stage === "done").length;
  main.append(element("div", { class: "page" },
    element("h1", {}, "Agree"),
    element("p", { class: "lead" }, "Everyone’s marks side by side, decided one by one. The result is the consensus; it can be reopened."),
    element("div", { class: "bar" }, setChooser(room, redraw),
      next ? link("Decide on", `#agree/${next.number}`, { class: "primary", id: "read-on" }) : null,
      element("span", { class: "quiet-text" }, `${done} of ${notes.length} notes decided`)),
    list));
  main.querySelector("#read-on")?.focus();
  return { keys: new Keys([[["PageDown", " "], "more notes", () => list.turn(1)], [["PageUp", "Shift+ "], "previous notes", () => list.turn(-1)]]) };
}

function cells(note) {
  const open = note.stage !== "none" && !note.refused;
  const name = open ? link(`${note.number}`, `#agree/${note.number}`, { class: "note-link" }) : `${note.number}`;
  const state = note.refused ? element("span", { class: "bad" }, `✗ refused: ${note.refused} on disk`) : STAGES[note.stage];
  return [element("span", {}, name, ` ${note.id}`), note.readers.join(", ") || "–", note.unfinished.join(", ") || "–", note.undecided ?? "–", state];
}

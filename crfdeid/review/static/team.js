// Team: who reads which notes, how far everybody is, how far readers agree, and the log.

import { ask, query, send } from "./api.js";
import { button, clear, element, labelled, ratio, redrawn, table } from "./dom.js";
import { Keys } from "./keys.js";
import { listing } from "./listing.js";
import { left, setChooser } from "./notes.js";
import { fault } from "./notice.js";
import { form } from "./welcome.js";

export async function team(main, room) {
  const found = await ask(`/api/team${query({ set: room.set })}`);
  const redraw = () => redrawn(main, () => team(clear(main), room));
  main.append(element("div", { class: "page wide" },
    element("h1", {}, "Team"),
    element("div", { class: "bar" }, setChooser(room, redraw)),
    table("Readers", ["Name", "Role", "Notes", "Read", "Words a minute", "Left"], found.readers.map(reader)),
    agreement(found.agreement),
    assigning(found, room, redraw),
    log()));
  return { keys: new Keys([]) };
}

function reader(one) {
  return [one.name, one.role, one.notes, one.done, one.words_per_minute === null ? "–" : Math.round(one.words_per_minute), left(one) || "–"];
}

function agreement(pairs) {
  if (!pairs.length) return element("p", { class: "quiet-text" }, "No two readers have finished the same note yet.");
  const lowest = (one) => Object.entries(one.by_type).sort((a, b) => a[1] - b[1]).slice(0, 4).map(([type, f1]) => `${type} ${ratio(f1)}`).join(", ");
  return table("Agreement before the consensus: F1 of spans, in notes that both have finished", ["Pair", "Notes", "All", "Kappa of tokens", "Lowest types"],
    pairs.map((one) => [`${one.a} and ${one.b}`, one.notes, ratio(one.f1), ratio(one.kappa), lowest(one)]));
}

function assigning(found, room, redraw) {
  const boxes = found.readers.map((one) => ({ name: one.name, input: element("input", { type: "checkbox", checked: one.role === "reader" }) }));
  const k = element("input", { type: "number", name: "k", min: 1, value: 2, required: true });
  const assign = (readers) => send("/api/team/assign", { set: room.set, readers, k: Number(k.value) }).then(redraw).catch(fault);
  const chosen = () => boxes.filter((one) => one.input.checked).map((one) => one.name);
  const made = form([...boxes.map((one) => element("label", { class: "check" }, one.input, one.name)), labelled("Readers for each patient", k)], "Assign", () => assign(chosen()));
  made.classList.add("row-form");
  return element("section", {}, element("h2", {}, "Assign"), made,
    found.assigned ? button("Take all assignments of this set back", () => assign([])) : element("p", { class: "quiet-text" }, "Nothing is assigned: every reader sees every note as theirs to read."));
}

// The log, some rows at a time, and as a file.
function log() {
  const host = element("div", {});
  const show = async () => {
    const rows = await whole();
    const cells = rows.map((one) => [new Date(one.at * 1000).toLocaleString(), one.by, one.book, one.number, one.kind]);
    clear(host, listing(`${rows.length} actions`, ["When", "Who", "Book", "Note", "What"], cells, { above: 500 }));
  };
  return element("section", {}, element("h2", {}, "Log"),
    element("p", { class: "quiet-text" }, "Who did what, in which note and when; no text, no places."),
    button("Show", () => show().catch(fault)), " ", button("Save as a file", () => save().catch(fault)), host);
}

async function whole() {
  const rows = [];
  for (;;) {
    const { actions, total } = await ask(`/api/log${query({ after: rows.length || null })}`);
    rows.push(...actions);
    if (rows.length >= total || !actions.length) return rows;
  }
}

async function save() {
  const rows = (await whole()).map((one) => [new Date(one.at * 1000).toISOString(), one.by, one.book, one.number, one.version, one.kind].join("\t"));
  const file = new Blob([["at\tby\tbook\tnote\tversion\tkind", ...rows].join("\n")], { type: "text/tab-separated-values" });
  const address = URL.createObjectURL(file);
  element("a", { href: address, download: "log.tsv" }).click();
  URL.revokeObjectURL(address);
}

// Finding text: in the note that is open, and in all notes of a set.

import { send } from "./api.js";
import { button, clear, element } from "./dom.js";
import { link, listing } from "./listing.js";
import { fault, say } from "./notice.js";

const dialog = document.getElementById("dialog");
let last = "";

// Where `wanted`, whatever its capitals, stands next after an offset (code points), from the beginning again after the
// end; or -1.
export function nextPlace(points, wanted, after) {
  const small = [...wanted].map((point) => point.toLowerCase());
  const at = (offset) => small.every((point, i) => points[offset + i]?.toLowerCase() === point);
  for (let step = 1; step <= points.length; step++) {
    const offset = (after + step) % points.length;
    if (at(offset)) return offset;
  }
  return -1;
}

// Asks for a text and moves the cursor of a note to it; Enter in the field goes on to the next place.
export function findInNote(mode) {
  const field = element("input", { value: last, name: "find", autocomplete: "off", "aria-label": "Text to find in this note" });
  const go = (event) => {
    event.preventDefault();
    last = field.value;
    if (last) findNext(mode, true);
  };
  clear(dialog, element("h2", { id: "dialog-title" }, "Find in this note"),
    element("form", { class: "row-form", onsubmit: go }, field, button("Next place", go, { class: "primary", type: "submit" }), button("Close", () => dialog.close())),
    element("p", { id: "found", role: "status" }));
  dialog.showModal();
  field.select();
}

export function findNext(mode, inDialog = false) {
  if (!last) return findInNote(mode);
  const { points } = mode.reading.text;
  const offset = nextPlace(points, last, mode.cursor.stretch?.start ?? mode.reading.range.start - 1);
  const said = offset < 0 ? "The note does not hold this text." : `at character ${offset}`;
  if (offset >= 0) mode.cursor.on({ start: offset, end: offset + [...last].length });
  if (inDialog) document.getElementById("found").textContent = said;
  else if (offset < 0) say(said);
}

// The field that searches all notes of a set, and the list of what it found.
export function searchForm(room) {
  const field = element("input", { name: "search", minlength: 3, maxlength: 200, required: true, autocomplete: "off", "aria-label": "Text in all notes of the set" });
  const host = element("div", {});
  const search = async (event) => {
    event.preventDefault();
    clear(host, element("p", { class: "quiet-text", role: "status" }, "searching…"));
    const { notes, total } = await send("/api/search", { text: field.value, set: room.set });
    last = field.value;
    const rows = notes.map((one) => [element("span", {}, link(`${one.number}`, `#mark/${one.number}/${one.first}`, { class: "note-link" }), ` ${one.id}`), one.places]);
    const more = total > notes.length ? `; the first ${notes.length} are shown` : "";
    clear(host, listing(`${total} notes hold this text${more}`, ["Note", "Places"], rows, { above: 560 }));
  };
  const made = element("form", { class: "row-form", onsubmit: (event) => search(event).catch(fault) }, field, button("Search all notes", () => {}, { type: "submit" }));
  return element("section", {}, made, host);
}

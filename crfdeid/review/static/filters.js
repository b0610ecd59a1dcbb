// The filters above a list of notes. What is left out is decided here; the server sorts.

import { choice, element, labelled } from "./dom.js";

// The notes that a filter leaves. states: name → [text, whether a note is shown].
export function kept(notes, filter, states) {
  const wanted = filter.text.trim().toLowerCase();
  const named = (note) => [`${note.number}`, note.id, note.patient ?? ""].some((one) => one.toLowerCase().includes(wanted));
  const read = (note) => !filter.reader || note.readers.includes(filter.reader);
  return notes.filter((note) => states[filter.state][1](note) && (!wanted || named(note)) && read(note));
}

// draw() shows the notes that are left; redraw() asks the server for another order; Enter in the field opens the first note.
export function filterBar(filter, { states, orders, readers = [] }, draw, redraw, openFirst) {
  const set = (key, then) => (value) => ((filter[key] = value), then());
  const field = element("input", { name: "filter", value: filter.text, autocomplete: "off", oninput: (event) => set("text", draw)(event.target.value) });
  const shown = Object.entries(states).map(([key, [text]]) => [key, text]);
  const jump = (event) => (event.preventDefault(), openFirst());
  return element("form", { class: "bar filters", onsubmit: jump },
    labelled("Number, note or patient", field),
    labelled("Show", choice(shown, filter.state, set("state", draw), "state")),
    readers.length ? labelled("Read by", choice([["", "anybody"], ...readers.map((one) => [one, one])], filter.reader ?? "", set("reader", draw), "reader")) : null,
    labelled("Order", choice(orders, filter.order, set("order", redraw), "order")));
}

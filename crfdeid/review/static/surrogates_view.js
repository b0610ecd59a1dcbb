// The view of Surrogates: the note above, the replacements below, unresolved ones first.

import { button, clear, element, table } from "./dom.js";
import { shortened } from "./text.js";

const SHOWN = 5;

export class SurrogatesView {
  constructor(main, mode) {
    this.mode = mode;
    this.sheet = element("div", { class: "sheet", tabIndex: 0, role: "region", "aria-label": "The note with its replacements" });
    this.list = element("div", { class: "here proposals" });
    this.foot = element("div", { class: "foot" });
    this.undo = button("↶ Undo", () => mode.step("undo"));
    this.redo = button("↷ Redo", () => mode.step("redo"));
    this.state = element("span", { class: "quiet-text" });
    const top = element("div", { class: "top" },
      element("h1", {}, `Note ${mode.note.number}`, element("small", {}, ` ${mode.note.id}`)), this.state,
      element("span", { class: "tools" }, this.undo, this.redo, button("Keys ?", () => mode.room.help())));
    main.append(element("div", { class: "desk surrogates" }, top, this.sheet, this.list, this.foot));
  }

  update() {
    const { mode } = this;
    const { proposals, approved } = mode.state;
    const open = proposals.filter((one) => !one.resolved).length;
    this.state.textContent = approved ? "✓ approved" : open ? `${open} unresolved` : "all resolved";
    this.undo.disabled = !mode.state.undo;
    this.redo.disabled = !mode.state.redo;
    const first = Math.floor(mode.index / SHOWN) * SHOWN;
    const rows = proposals.slice(first, first + SHOWN).map((one, i) => this.row(one, first + i));
    const held = this.held();
    clear(this.list, table(`Replacements ${first + 1} to ${first + rows.length} of ${proposals.length}`, ["In the note", "Type", "Replacement", "Remark"], rows));
    this.marked(first);
    if (held) this.hold(held);
    this.screens(open);
  }

  held() {
    const field = document.activeElement;
    return field.matches("input") && this.list.contains(field) ? { key: field.dataset.key, value: field.value } : null;
  }

  // The text in a field survives when the list is drawn again.
  hold({ key, value }) {
    const field = this.list.querySelector("[aria-current] input");
    if (field && field.dataset.key === key) field.value = value;
    field?.focus();
  }

  // The text in the field of the current replacement.
  typed() {
    return this.list.querySelector("[aria-current] input")?.value;
  }

  row(one, index) {
    const { mode } = this;
    const original = shortened(mode.reading.text.slice(one.start, one.end));
    const submit = (event) => (event.preventDefault(), mode.edit(one, event.target.elements.replacement.value));
    const field = element("input", { name: "replacement", "data-key": one.start, value: one.replacement ?? "", autocomplete: "off", spellcheck: "false", disabled: mode.state.approved, "aria-label": `Replacement of ${original}`, class: one.resolved ? "" : "unresolved", onfocus: () => mode.index !== index && this.moved(index), onchange: (event) => this.changed(one, event.target) });
        return [button(element("q", {}, original), () => mode.at(index), { class: "quiet" }), element("span", { class: mode.types.colour(one.type) }, one.type), element("form", { onsubmit: submit }, field), remark(one)];
  }

  // Leaving a field by a click or Tab saves it, as Enter does.
  changed(one, field) {
    this.mode.keep(one, field.value);
  }

  moved(index) {
    this.mode.at(index);
    this.edit();
  }

  marked(first) {
    this.list.querySelectorAll("tbody tr")[this.mode.index - first]?.setAttribute("aria-current", "true");
  }

  edit() {
    this.list.querySelector("[aria-current] input")?.select();
  }

  screens(open) {
    const { mode } = this;
    const { length } = mode.state.proposals;
    clear(this.foot,
      button("‹ Replacement", () => mode.at(mode.index - 1), { disabled: mode.index === 0 }),
      element("span", { class: "where" }, length ? `${mode.index + 1} of ${length}` : "nothing to replace"),
      button("Replacement ›", () => mode.at(mode.index + 1), { disabled: mode.index + 1 >= length }),
      button("Same text everywhere *", () => mode.everywhere(), { disabled: mode.state.approved || !length }),
      mode.state.approved ? button("Reopen", () => mode.reopen(), { id: "reopen" }) : button("Approve note", () => mode.approve(), { id: "approve", class: open ? "" : "primary" }));
  }
}

const TREATMENTS = { shifted: "shifted in time", generalised: "generalised", kept: "kept", marker: "a marker", blank: "left out" };

function remark({ resolved, edited, why, treatment, repeat }) {
  const first = resolved ? (edited ? "edited" : (TREATMENTS[treatment] ?? "")) : `? ${why ?? "unresolved"}`;
  return [first, repeat ? "found elsewhere in the patient’s notes" : ""].filter(Boolean).join("; ");
}

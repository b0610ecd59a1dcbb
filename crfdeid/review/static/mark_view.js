// The view of Mark: the note, the legend beside it, and below it the word or mark at the cursor.

import { ask, query } from "./api.js";
import { button, clear, element } from "./dom.js";
import { left, pace } from "./notes.js";
import { remarks } from "./questions.js";
import { legend, types } from "./scheme.js";
import { compact, larger } from "./size.js";
import { percent, shortened } from "./text.js";

export class MarkView {
  constructor(main, mode) {
    this.mode = mode;
    this.sheet = element("div", { class: "sheet", tabIndex: 0, role: "application", "aria-label": "The note. Arrow keys go from word to word, letters mark." });
    this.side = element("aside", { "aria-label": "Types" });
    this.here = element("div", { class: "here" });
    this.where = element("span", { class: "where" });
    this.done = element("span", { class: "quiet-text" });
    this.foot = element("div", { class: "foot" });
    main.append(element("div", { class: "desk" }, this.top(), this.sheet, this.side, this.here, this.foot));
  }

  top() {
    const { mode } = this;
    const { note } = mode;
    this.undo = button("↶ Undo", () => mode.step("undo"), { "aria-keyshortcuts": "Control+Z" });
    this.redo = button("↷ Redo", () => mode.step("redo"), { "aria-keyshortcuts": "Control+Y" });
    this.sentence = button("Aa", () => mode.sentence(), { "aria-label": "Capitals in sentence case", title: "Capitals in sentence case ( / )" });
    return element("div", { class: "top" },
      element("h1", {}, `Note ${note.number}`, element("small", {}, ` ${note.id}${note.patient ? ` · patient ${note.patient}` : ""}`)),
      this.done,
      element("span", { class: "tools" }, this.undo, this.redo, this.sentence,
        button("A−", () => (larger(-1), mode.reading.lay()), { "aria-label": "Smaller text" }),
        button("A+", () => (larger(1), mode.reading.lay()), { "aria-label": "Larger text" }),
        button("≡", () => (compact(), mode.reading.lay()), { "aria-label": "Compact rows", title: "Compact rows ( | )" }),
        types(this.side), button("✎", () => mode.remark(), { "aria-label": "Remark or question", title: "Remark or question ( : )" }), button("Keys ?", () => mode.room.help())));
  }

  update() {
    const { mode } = this;
    const { state, types, cursor } = mode;
    this.undo.disabled = !state.undo;
    this.redo.disabled = !state.redo;
    this.sentence.setAttribute("aria-pressed", String(mode.reading.sentence));
    clear(this.side, legend(types, (type) => mode.pick(type), cursor.target?.type ?? null));
    clear(this.here, this.card());
    this.screens();
  }

  card() {
    const { mode } = this;
    const { cursor, state, types } = mode;
    const { stretch, target, edited } = cursor;
    if (!stretch) return [...remarks(mode.note.questions, null), hint(state.undecided ? `${state.undecided} pre-marks to decide: the key . goes to the next.` : "Click a word, drag over several words, or go to a word with the arrow keys and press a type’s letter.")];
    const text = element("q", {}, shortened(mode.reading.text.slice(stretch.start, stretch.end)));
    if (!target) return [text, hint(`not marked; Enter or a click marks it as ${types.current}`), button("Mark ⏎", () => mode.put(), { class: "primary" }), ...remarks(mode.note.questions, stretch)];
    const type = element("strong", {}, target.type);
    if (target.kind === "premark") return [text, type, element("span", {}, `found by the model${sure(target)}`), ...decisions(mode, edited)];
    return [text, type, element("span", {}, BY[target.by] ?? ""), edited ? button("Save ends ⏎", () => mode.put(), { class: "primary" }) : null,
      button("Remove Del", () => mode.remove()), button("All repeats *", () => mode.repeats()),
      button("Unsure ;", () => mode.doubt(), { "aria-pressed": String(target.unsure) }), ...remarks(mode.note.questions, stretch)];
  }

  screens() {
    const { mode } = this;
    if (!mode.reading?.starts) return;
    const { screen, screens } = mode.reading;
    this.where.textContent = `screen ${screen + 1} of ${screens}`;
    this.done.textContent = mode.state.done ? "✓ finished" : "";
    const last = screen + 1 === screens;
    clear(this.foot,
      button("‹ Note", () => mode.beside(mode.note.previous), { disabled: !mode.note.previous, "aria-label": "Previous note" }),
      button("‹ Screen", () => mode.turn(-1), { disabled: screen === 0, "aria-label": "Previous screen" }),
      this.where,
      button("Screen ›", () => mode.turn(1), { disabled: last, class: last ? "" : "primary", "aria-label": "Next screen" }),
      button("Finish note", () => mode.finish(), { class: last ? "primary" : "", id: "finish" }),
      button("Note ›", () => mode.beside(mode.note.next), { disabled: !mode.note.next, "aria-label": "Next note" }),
      (this.pace ??= element("span", { class: "quiet-text pace" })));
  }

  async progress() {
    try {
      const found = await ask(`/api/progress${query({ set: this.mode.room.set })}`);
      const progress = found.progress ?? found;
      this.pace.textContent = [`${progress.done} of ${progress.notes} notes`, pace(progress), left(progress)].filter(Boolean).join(" · ");
    } catch {
      this.pace.textContent = "";
    }
  }
}

const BY = { hand: "marked by you", premark: "from a pre-mark", repeat: "marked as a repeat", import: "imported" };

function hint(text) {
  return element("span", { class: "quiet-text" }, text);
}

function sure({ probability }) {
  return probability === null ? "" : `, ${percent(probability)} sure`;
}

function decisions(mode, edited) {
  return [button(edited ? "Accept change ⏎" : "Accept ⏎", () => mode.put(), { class: "primary" }), button("Reject Del", () => mode.remove())];
}

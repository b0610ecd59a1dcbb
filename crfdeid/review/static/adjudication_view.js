// The view of one note of Agree: the note, the legend, and below it the answer of each voter to the item.

import { button, clear, element } from "./dom.js";
import { fault } from "./notice.js";
import { remarks } from "./questions.js";
import { legend, types } from "./scheme.js";
import { AGREEMENT, agreementOf } from "./variants.js";
import { shortened } from "./text.js";

export class AdjudicationView {
  constructor(main, mode) {
    this.mode = mode;
    this.sheet = element("div", { class: "sheet", tabIndex: 0, role: "application", "aria-label": "The note. Full stop and comma go from item to item, Enter decides." });
    this.side = element("aside", { "aria-label": "Types" });
    this.card = element("div", { class: "here card" });
    this.foot = element("div", { class: "foot" });
    this.state = element("span", { class: "quiet-text" });
    main.append(element("div", { class: "desk agree" }, this.top(), this.sheet, this.side, this.card, this.foot));
  }

  top() {
    const { mode } = this;
    this.undo = button("↶ Undo", () => mode.step("undo"));
    this.redo = button("↷ Redo", () => mode.step("redo"));
    const names = mode.note.voters.map((one) => one.name).join(", ");
    return element("div", { class: "top" },
      element("h1", {}, `Note ${mode.note.number}`, element("small", {}, ` ${mode.note.id} · ${names}`)), this.state,
      element("span", { class: "tools" }, mode.mayDecide ? [button("Voters…", () => mode.voters().catch(fault)), this.undo, this.redo] : null, types(this.side), button("Keys ?", () => mode.room.help())));
  }

  update() {
    const { mode } = this;
    const { state, cursor } = mode;
    this.undo.disabled = !state.undo;
    this.redo.disabled = !state.redo;
    const open = mode.open().length;
    this.state.textContent = state.done ? "✓ decided" : `${open} of ${state.items.length} to decide`;
    clear(this.side, legend(mode.types, (type) => mode.put(type), cursor.target?.type ?? null));
    clear(this.card, this.content());
    this.screens();
  }

  content() {
    const { cursor } = this.mode;
    const { stretch, target } = cursor;
    if (!stretch) return [...this.remarks(null), element("span", { class: "quiet-text" }, "The keys . and , go from item to item. To add a word that nobody marked, go there and press a type’s letter.")];
    if (target?.kind === "item") return this.item(target);
    const text = element("q", {}, shortened(this.mode.reading.text.slice(stretch.start, stretch.end)));
    if (!this.mode.mayDecide) return [text, ...this.remarks(stretch)];
    if (!target) return [text, element("span", { class: "quiet-text" }, "marked by nobody"), button(`Add as ${this.mode.types.current} ⏎`, () => this.mode.put(), { class: "primary" }), ...this.remarks(stretch)];
    return [text, element("strong", {}, target.type), element("span", {}, "added by you"), button("Remove Del", () => this.mode.remove())];
  }

  item(target) {
    const { mode } = this;
    const { item } = target;
    const { sign } = AGREEMENT[item.agreement];
    const place = mode.state.items.findIndex((one) => one.key === item.key) + 1;
    return [
      element("div", { class: `agreement ${item.agreement}` }, element("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${agreementOf(item, mode.state.voters)}`,
        element("small", {}, ` item ${place} of ${mode.state.items.length}${decided(item)}`)),
      element("div", { class: "variants", role: "group", "aria-label": "Answers" }, this.answers(target)),
      mode.mayDecide ? this.buttons(item) : null,
      item.unsure.length ? element("p", { class: "remark" }, `${item.unsure.join(", ")}: unsure. The key ! excuses a mark here.`) : null,
      ...this.remarks(target),
    ];
  }

  remarks(stretch) {
    const { mode } = this;
    return remarks(mode.state.questions, stretch, mode.mayDecide ? (questions) => mode.answered(questions) : null);
  }

  answers(target) {
    const { cursor } = this.mode;
    const made = target.all.map((one, index) => this.answer(one, index === target.index && !cursor.edited, () => this.mode.choose(index)));
    if (!cursor.edited) return made;
    return [...made, this.answer({ spans: [{ ...cursor.stretch, type: target.type }], names: ["changed by you; Enter decides it"] }, true, () => {})];
  }

  answer({ spans, names }, chosen, act) {
    const { text } = this.mode.reading;
    const shown = spans.length
      ? spans.map((one) => element("span", { class: "said" }, element("q", {}, shortened(text.slice(one.start, one.end))), " ", element("strong", { class: this.mode.types.colour(one.type) }, one.type)))
      : [element("em", {}, "not PHI")];
    return button(element("span", {}, shown, element("small", {}, names.length ? names.join(", ") : "no vote")), act, { class: "variant", "aria-pressed": String(chosen) });
  }

  buttons(item) {
    const { mode } = this;
    return element("div", { class: "buttons" },
      button("Decide ⏎", () => mode.put(), { class: "primary" }), button("Not PHI Del", () => mode.remove()),
      button("Ambiguous !", () => mode.ambiguous(), { "aria-pressed": String(Boolean(item.decision?.ambiguous)) }),
      item.decision ? button("Undecided again", () => mode.undecide()) : null);
  }

  screens() {
    const { mode } = this;
    if (!mode.reading?.starts) return;
    const { screen, screens } = mode.reading;
    clear(this.foot,
      button("‹ Item", () => mode.jump(-1)), button("Item ›", () => mode.jump(1)),
      button("‹ Screen", () => mode.turn(-1), { disabled: screen === 0 }), element("span", { class: "where" }, `screen ${screen + 1} of ${screens}`),
      button("Screen ›", () => mode.turn(1), { disabled: screen + 1 === screens }),
      mode.mayDecide ? [agreed(mode), ending(mode)] : null);
  }
}

function agreed(mode) {
  const count = mode.open().filter((one) => one.item.agreement === "all").length;
  if (mode.state.done || mode.note.voters.length < 2 || !count) return null;
  return button(`Decide ${count} agreed =`, () => mode.decideAgreed(), { id: "agreed" });
}

function ending(mode) {
  if (mode.state.done) return button("Reopen", () => mode.reopen(), { id: "reopen" });
  return button("Note is decided", () => mode.finish(), { id: "finish", class: mode.open().length ? "" : "primary" });
}

function decided(item) {
  if (!item.decision) return "";
  return item.decision.ambiguous ? " · decided, ambiguous" : " · decided";
}

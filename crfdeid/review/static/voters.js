// The form that chooses whose marks are compared in a note.

import { button, element } from "./dom.js";
import { Keys } from "./keys.js";
import { fault } from "./notice.js";

// Which readers and systems vote, at first as in the last note; agreed(chosen) is called with {readers, systems}.
export function voters(main, note, { systems, last_voters: last }, agreed) {
  const boxes = [
    ...note.readers.map((name) => box("readers", name, !last.left_out.includes(name), "has finished")),
    ...note.unfinished.map((name) => box("readers", name, false, "has not finished: the present marks")),
    ...systems.map((name) => box("systems", name, last.systems.includes(name), "a system")),
  ];
  const chosen = (kind) => boxes.filter((one) => one.kind === kind && one.input.checked).map((one) => one.name);
  const start = () => agreed({ readers: chosen("readers"), systems: chosen("systems") }).catch(fault);
  const begin = button("Compare", start, { class: "primary" });
  main.append(element("div", { class: "page" },
    element("h1", {}, `Note ${note.number}`, element("small", {}, ` ${note.id}`)),
    element("fieldset", {}, element("legend", {}, "Whose marks are compared?"), boxes.map((one) => one.label)),
    element("p", { class: "quiet-text" }, "They can no longer change their marks in this note. Two readers find more than one, and three more than two."),
    begin));
  begin.focus();
  return { keys: new Keys([[["Ctrl+Enter"], "compare", start]]) };
}

function box(kind, name, checked, text) {
  const input = element("input", { type: "checkbox", checked });
  return { kind, name, input, label: element("label", { class: "check" }, input, element("strong", {}, name), ` ${text}`) };
}

// What each key does. Letters and digits without a modifier choose the scheme's types; all other keys are the page's.

import { button, clear, element } from "./dom.js";

const NAMES = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", PageDown: "Page ↓", PageUp: "Page ↑", Delete: "Del" };
const SHIFTED = /^(Arrow|Enter$|Tab$| $|Page|Delete$|Backspace$|Escape$|[a-zA-Z]$)/;

// "Ctrl+z", "Shift+ArrowRight", "a", "?": characters that need Shift on a keyboard are named without it.
export function chord(event) {
  const key = event.key.length === 1 && (event.ctrlKey || event.metaKey) ? event.key.toLowerCase() : event.key;
  const control = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  const shift = event.shiftKey && SHIFTED.test(key) ? "Shift+" : "";
  return event.altKey && key.length > 1 ? `Alt+${key}` : control + shift + key;
}

export function shownChord(name) {
  const parts = name === "+" ? ["+"] : name.split("+");
  return parts.map((part) => NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(" ");
}

// Keys that repeat while held down. Every other key counts once, so that nothing is decided or turned unseen.
const HELD = /Arrow|^[+-]$|^Ctrl\+(Shift\+)?[yz]$/;

// A mode's keys: [chords, what they do, function]. With a null function the row is only in the list.
export class Keys {
  constructor(rows, type = null) {
    this.rows = rows;
    this.type = type;
    this.table = new Map(rows.flatMap(([chords, , act]) => (act ? chords.map((one) => [one, act]) : [])));
  }

  // Whether the key belongs to the mode.
  press(event) {
    if (event.altKey && !event.getModifierState("AltGraph")) return false; // a shortcut of the browser
    const name = chord(event);
    const letter = this.type && /^[a-z0-9]$/i.test(name) ? () => this.type(name.toLowerCase()) : null;
    const act = this.table.get(name) ?? letter;
    if (!act) return false;
    event.preventDefault();
    if (!event.repeat || HELD.test(name)) act();
    return true;
  }
}

const FIELDS = "input:not([type=radio]):not([type=checkbox]), select, textarea";

// Whether a key press belongs to the element that has the focus and not to the mode.
export function belongsElsewhere(event) {
  const target = event.target;
  if (target.matches?.(FIELDS)) return !(event.ctrlKey && event.key === "Enter");
  if (target.matches?.("a[href]")) return event.key === "Enter";
  if (target.matches?.("button, input, summary")) return event.key === "Enter" || event.key === " ";
  return false;
}

// choose(type, key), where given, is called with another key for a type.
export function showKeys(keys, types = [], choose = null) {
  const dialog = document.getElementById("dialog");
  const rows = keys.rows.map(([chords, does]) => element("li", {}, element("span", {}, chords.map((one) => element("kbd", {}, shownChord(one)))), does));
  const letters = types.map(([key, type]) => element("li", {}, choose ? rebinding(key, type, choose) : element("kbd", {}, key.toUpperCase()), ` ${type}`));
  clear(
    dialog,
    element("h2", { id: "dialog-title" }, "Keys"),
    element("ul", { class: "keys" }, rows),
    letters.length && choose ? element("p", { class: "quiet-text" }, "To change a type’s key, click the key and press another one. A key that is taken changes places.") : null,
    letters.length ? element("ul", { class: "letters" }, letters) : null,
    button("Close", () => dialog.close(), { class: "primary" }),
  );
  dialog.showModal();
}

// A button that takes the next letter or digit as the key of a type.
function rebinding(key, type, choose) {
  const made = button(key.toUpperCase(), () => made.classList.add("waiting"), { class: "key", "aria-label": `Key of ${type}: ${key}` });
  made.addEventListener("keydown", (event) => {
    if (!/^[a-z0-9]$/i.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(type, event.key.toLowerCase());
  });
  return made;
}

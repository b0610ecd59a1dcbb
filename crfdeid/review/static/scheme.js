// The scheme's types, their keys and colours, and the legend that shows them.

import { button, element } from "./dom.js";

export class Types {
  constructor({ scheme, keys }) {
    this.categories = Object.entries(scheme.categories);
    this.bind(keys);
    this.colours = new Map(this.categories.flatMap(([, types], i) => types.map((type) => [type, `cat-${i % 8}`])));
    this.current = this.categories[0][1][0];
  }

  bind(keys) {
    this.keys = keys;
    this.byKey = new Map(Object.entries(keys).map(([type, key]) => [key, type]));
  }

  colour(type) {
    return this.colours.get(type) ?? "cat-7";
  }

  get pairs() {
    return [...this.colours.keys()].map((type) => [this.keys[type], type]);
  }
}

// pick(type) is called at a click; `held` is the type of the chosen mark, or null.
export function legend(types, pick, held = null) {
  const groups = types.categories.map(([category, members]) => {
    const head = members.length > 1 || members[0] !== category ? element("h2", {}, category) : null;
    return element("div", { class: "group" }, head, members.map((type) => entry(types, type, pick, held)));
  });
  return element("div", { class: "legend", role: "group", "aria-label": "Types and their keys" }, groups);
}

function entry(types, type, pick, held) {
  const key = types.keys[type] ?? "";
  return button(element("span", { class: "name" }, element("kbd", {}, key.toUpperCase()), ` ${type}`), () => pick(type), {
    class: `type ${types.colour(type)}`,
    "aria-pressed": String(type === (held ?? types.current)),
    "aria-keyshortcuts": key,
    "data-type": type,
  });
}

// The button that opens the legend where it is folded.
export function types(side) {
  const toggle = () => made.setAttribute("aria-expanded", String(side.classList.toggle("unfolded")));
  const made = button("Types", toggle, { class: "types", "aria-expanded": "false" });
  side.addEventListener("click", (event) => event.target.closest(".type") && side.classList.contains("unfolded") && toggle());
  return made;
}

// All places with the text of a mark in a patient's notes: the reader sees them first, then marks them together.

import { save, send } from "./api.js";
import { button, clear, element } from "./dom.js";
import { fault } from "./notice.js";

const SHOWN = 8;

// mark: {id, type, text}. Resolves to the new state, or to null where nothing was marked.
export async function repeats(number, version, mark) {
  const path = `/api/notes/${number}/repeats`;
  try {
    const found = await send(path, { version: version(), mark: mark.id, apply: false });
    if (!(await agreed(found, mark))) return null;
    return (await save(path, { version: version(), mark: mark.id, apply: true })).state;
  } catch (error) {
    fault(error);
    return error.body?.state ?? null;
  }
}

function agreed({ places, skipped }, mark) {
  const dialog = document.getElementById("dialog");
  const list = element("ul", { class: "places" });
  let page = 0;
  const pages = Math.max(1, Math.ceil(places.length / SHOWN));
  const turn = (by) => {
    page = Math.max(0, Math.min(pages - 1, page + by));
    clear(list, places.slice(page * SHOWN, (page + 1) * SHOWN).map((one) => place(one, mark.text)));
    count.textContent = pages > 1 ? ` (${page + 1} of ${pages})` : "";
  };
  const count = element("span", {});
  turn(0);
  return new Promise((resolve) => {
    const end = (answer) => () => (dialog.close(), resolve(answer));
    clear(dialog,
      element("h2", { id: "dialog-title" }, places.length ? `${places.length} more ${places.length === 1 ? "place" : "places"} as ${mark.type}?` : "No more places in this patient’s notes.", count),
      list,
      skipped?.length ? element("p", { class: "quiet-text" }, `${skipped.length} notes are closed or refused and stay as they are.`) : null,
      element("p", { class: "buttons" },
        places.length ? button("Mark them all", end(true), { class: "primary", autofocus: true }) : null,
        pages > 1 ? button("‹ Back", () => turn(-1)) : null,
        pages > 1 ? button("On ›", () => turn(1)) : null,
        button(places.length ? "None" : "Close", end(false))));
    dialog.addEventListener("cancel", () => resolve(false), { once: true });
    dialog.showModal();
  });
}

function place({ number, before, after }, text) {
  return element("li", {}, element("small", {}, `note ${number} `), before, element("mark", {}, text), after);
}

// A long list, some rows at a time: nothing scrolls.

import { button, clear, element, redrawn, table } from "./dom.js";

const ROW = 38;

// rows(): lists of cells; `above` is the height in pixels that the rest of the page takes.
export function listing(caption, heads, rows, { above = 330, page = 0 } = {}) {
  const host = element("section", { class: "listing", "aria-label": caption });
  const each = () => Math.max(5, Math.floor((window.innerHeight - above) / ROW));

  function draw(to) {
    const pages = Math.max(1, Math.ceil(rows.length / each()));
    page = Math.max(0, Math.min(to, pages - 1));
    const shown = rows.slice(page * each(), (page + 1) * each());
    clear(host, table(caption, heads, shown, { class: "list" }), pages > 1 ? pager(pages) : null);
  }

  function pager(pages) {
    return element(
      "p",
      { class: "pager" },
      button("‹ Back", () => turn(-1), { name: "back", disabled: page === 0 }),
      element("span", {}, `${page + 1} of ${pages}`),
      button("On ›", () => turn(1), { name: "on", disabled: page === pages - 1 }),
    );
  }

  const turn = (by) => redrawn(host, () => draw(page + by));
  draw(page);
  host.turn = turn;
  return host;
}

export function link(text, address, properties = {}) {
  return element("a", { href: address, ...properties }, text);
}

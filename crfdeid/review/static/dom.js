// Creates elements. Note text enters the page only through text nodes, so that no part of it can run.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) set(made, key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "type", "name", "htmlFor", "tabIndex", "selected", "open"]);

function set(made, key, value) {
  if (key === "class") made.className = value;
  else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
  else if (PROPERTIES.has(key)) made[key] = value;
  else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
}

export function button(text, onclick, properties = {}) {
  return element("button", { type: "button", onclick, ...properties }, text);
}

export function labelled(text, control) {
  return element("label", { class: "labelled" }, element("span", {}, text), control);
}

export function choice(options, chosen, onchange, name = null) {
  return element(
    "select",
    { ...(name && { name }), onchange: (event) => onchange(event.target.value) },
    options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)),
  );
}

// A table: heads are texts, rows are lists of texts, numbers or nodes; a row's first cell is its header.
export function table(caption, heads, rows, properties = {}) {
  const body = rows.map((cells) =>
    element("tr", {}, cells.map((cell, index) => element(index ? "td" : "th", cellProperties(cell, index), shown(cell)))),
  );
  return element(
    "table",
    properties,
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads.map((head, i) => element("th", { scope: "col", ...numeric(rows[0]?.[i]) }, head)))),
    element("tbody", {}, body),
  );
}

function cellProperties(cell, index) {
  return index ? numeric(cell) : { scope: "row", ...numeric(cell) };
}

function numeric(cell) {
  return typeof cell === "number" ? { class: "number" } : {};
}

function shown(cell) {
  if (cell === null || cell === undefined) return "–";
  return typeof cell === "number" ? String(cell) : cell;
}

// A ratio with three decimals, or a dash where it has no denominator.
export function ratio(value) {
  return value === null || value === undefined ? "–" : value.toFixed(3);
}

// Draws again, and returns the focus to the control of the same name, for readers who work by keyboard.
export async function redrawn(host, draw) {
  const { name } = host.contains(document.activeElement) ? document.activeElement : {};
  await draw();
  if (name) host.querySelector(`[name="${CSS.escape(name)}"]`)?.focus();
}

export function clear(host, ...children) {
  host.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return host;
}

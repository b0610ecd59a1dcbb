// Forms that make the server write files; the server replies with the path.

import { send } from "./api.js";
import { choice, clear, element, labelled } from "./dom.js";
import { form } from "./welcome.js";

const SPANS_SHOW = "This format has the surrogates' spans too. They show which words were found, and so which words were missed.";

// more: other fields of the request; choosers: more labelled controls, [key, text, options]. A value of two
// words such as "reader ann" is sent as {what: "reader", who: "ann"}. `leaves`: the notes leave the house, so formats
// without spans come first.
export function exportForm(title, room, path, { more = {}, choosers = [], leaves = false } = {}) {
  const name = element("input", { name: "name", required: true, pattern: "[A-Za-z0-9_\\-]+", autocomplete: "off" });
  const formats = leaves ? textFirst(room.study) : room.study.formats;
  const values = { format: formats[0], ...Object.fromEntries(choosers.map(([key, , options]) => [key, options[0]?.[0]])) };
  const pick = (key) => (value) => (values[key] = value);
  const fields = choosers.map(([key, text, options]) => labelled(text, choice(options, values[key], pick(key))));
  const hint = element("p", { class: "quiet-text" });
  const pickFormat = (value) => {
    values.format = value;
    clear(hint, leaves && !room.study.formats_without_spans.includes(value) ? SPANS_SHOW : "");
  };
  const format = labelled("Format", choice(formats.map((one) => [one, one]), values.format, pickFormat));
  const said = element("p", { class: "quiet-text", role: "status" });
  const write = async () => {
    try {
      const done = await send(path, { name: name.value, ...more, ...values, ...whose(values.what) });
      clear(said, `${done.notes} notes written to `, element("code", {}, done.path), done.train ? element("span", {}, ". Train on them: ", element("code", {}, done.train)) : null);
    } catch (error) {
      clear(said, element("span", { class: "bad" }, `✗ nothing was written: ${error.message}${left(error.body)}`));
    }
  };
  const made = form([labelled("Name", name), ...fields, format], "Write", write);
  made.classList.add("row-form");
  return element("section", { class: "export" }, element("h2", {}, title), made, hint, said);
}

function textFirst({ formats, formats_without_spans: plain }) {
  return [...plain, ...formats.filter((one) => !plain.includes(one))];
}

function left(body) {
  return body?.left ? ` (${body.left.length} notes left)` : "";
}

function whose(what) {
  const [, kind, who] = what?.match(/^(\w+) (.*)$/) ?? [];
  return kind ? { what: kind, who } : {};
}

// Forms that make the server write files; the server replies with the path.

import { save } from "./api.js";
import { choice, clear, element, labelled } from "./dom.js";
import { fault } from "./notice.js";
import { form } from "./welcome.js";

// more: other fields of the request; choosers: more labelled controls, [key, text, options]. A value of two
// words such as "reader ann" is sent as {what: "reader", who: "ann"}.
export function exportForm(title, room, path, more = {}, choosers = []) {
  const name = element("input", { name: "name", required: true, pattern: "[A-Za-z0-9_\\-]+", autocomplete: "off" });
  const values = { format: room.study.formats[0], ...Object.fromEntries(choosers.map(([key, , options]) => [key, options[0]?.[0]])) };
  const pick = (key) => (value) => (values[key] = value);
  const fields = choosers.map(([key, text, options]) => labelled(text, choice(options, values[key], pick(key))));
  const format = labelled("Format", choice(room.study.formats.map((one) => [one, one]), values.format, pick("format")));
  const said = element("p", { class: "quiet-text", role: "status" });
  const write = async () => {
    try {
      const done = await save(path, { name: name.value, ...more, ...values, ...whose(values.what) });
      clear(said, `${done.notes} notes written to `, element("code", {}, done.path), done.train ? element("span", {}, ". Train on them: ", element("code", {}, done.train)) : null);
    } catch (error) {
      clear(said);
      fault(error.body?.left ? new Error(`${error.message} (${error.body.left.length} notes left)`) : error);
    }
  };
  const made = form([labelled("Name", name), ...fields, format], "Write", write);
  made.classList.add("row-form");
  return element("section", { class: "export" }, element("h2", {}, title), made, said);
}

function whose(what) {
  const [, kind, who] = what?.match(/^(\w+) (.*)$/) ?? [];
  return kind ? { what: kind, who } : {};
}

// Who is reading: pick a name, or add one where the server allows it.

import { ask, send } from "./api.js";
import { button, clear, element, labelled } from "./dom.js";
import { fault } from "./notice.js";

export async function welcome(main, session, entered) {
  const box = element("section", { class: "welcome" }, element("h1", {}, "Who is reading?"));
  main.append(box);
  if (!session.open && session.needs === "key") {
    box.append(element("p", {}, "This page opens with the address that the program printed. The address works once; start the program again for a new one."));
    return;
  }
  if (session.needs === "proxy") {
    box.append(element("p", {}, "You are not a reader of this study under the name with which you logged in. Ask who started it to add the name."));
    return;
  }
  if (session.needs === "password") return box.append(passwordForm(entered));
  const { readers, may_add } = await ask("/api/readers");
  const names = element("ul", { class: "names" }, readers.map((reader) => element("li", {}, nameOf(reader, box, entered))));
  box.append(names.childNodes.length ? names : element("p", { class: "quiet-text" }, "Nobody yet. Add the first name."));
  if (may_add) box.append(addForm(entered));
  box.querySelector("button, input")?.focus();
}

function nameOf(reader, box, entered) {
  const enter = () => (reader.password ? box.replaceChildren(box.firstChild, passwordForm(entered, reader.name)) : login({ name: reader.name }, entered));
  const shown = element("span", {}, element("strong", {}, reader.name), element("small", {}, reader.role));
  return button(shown, enter, { class: "name-button" });
}

async function login(who, entered) {
  try {
    await send("/api/login", who);
    await entered();
  } catch (error) {
    fault(error);
  }
}

function passwordForm(entered, known = "") {
  const name = element("input", { name: "name", value: known, autocomplete: "username", required: true });
  const password = element("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  return form([labelled("Name", name), labelled("Password", password)], "Enter", () => login({ name: name.value, password: password.value }, entered));
}

function addForm(entered) {
  const name = element("input", { name: "name", maxlength: 40, required: true, autocomplete: "off" });
  const role = element("select", { name: "role" }, ["reader", "adjudicator"].map((one) => element("option", { value: one }, one)));
  const add = async () => {
    await send("/api/readers", { name: name.value.trim(), role: role.value });
    await login({ name: name.value.trim() }, entered);
  };
  const made = form([labelled("Name", name), labelled("Role", role)], "Add and enter", () => add().catch(fault));
  made.classList.add("row-form");
  return element("div", {}, element("h2", {}, "A new name"), made, element("p", { class: "quiet-text" }, "An adjudicator also decides the consensus and sees every reader’s marks there; before that, a reader cannot see other readers’ marks."));
}

export function form(fields, text, act) {
  const submit = (event) => (event.preventDefault(), act());
  return element("form", { onsubmit: submit }, fields, element("button", { class: "primary", type: "submit" }, text));
}

// What a reader can do about who may get in: another browser, and an end to all sessions.

import { send } from "./api.js";
import { button, clear, element } from "./dom.js";
import { fault } from "./notice.js";

const dialog = document.getElementById("dialog");

export function account(reader, mayInvite) {
  const host = element("div", {});
  const leave = (body) => send("/api/logout", body).then(() => location.assign("/")).catch(fault);
  clear(dialog,
    element("h2", { id: "dialog-title" }, reader.name, element("small", {}, ` ${reader.role}`)),
    host,
    mayInvite ? button("Invite a browser", () => invite(host).catch(fault)) : null,
    button("Leave", () => leave({})),
    button("Sign out everywhere", () => leave({ everywhere: true })),
    button("Close", () => dialog.close(), { class: "primary" }));
  dialog.showModal();
}

// An address that opens the page once, in another browser of this machine.
async function invite(host) {
  const { address } = await send("/api/keys");
  const field = element("input", { value: address, readonly: true, "aria-label": "Address for one other browser", size: "60" });
  clear(host, element("p", {}, "Open this address in the other browser. It works once, and for a reader; an adjudicator also needs a password."), field);
  field.focus();
  field.select();
}

// The page: which reader, which mode is open, and which part handles a key.

import { account } from "./account.js";
import { ask, readAs, send } from "./api.js";
import { steady } from "./bounce.js";
import { button, clear, element } from "./dom.js";
import { belongsElsewhere, Keys, showKeys } from "./keys.js";
import { fault, hush } from "./notice.js";
import { Types } from "./scheme.js";
import { welcome } from "./welcome.js";
import { notes } from "./notes.js";
import { mark } from "./mark.js";
import { agree } from "./agree.js";
import { measure } from "./measure.js";
import { surrogates } from "./surrogates.js";
import { learn } from "./learn.js";
import { team } from "./team.js";

const MODES = { notes, mark, agree, measure, surrogates, learn, team };
const TABS = [["notes", "Mark"], ["agree", "Agree"], ["measure", "Measure"], ["surrogates", "Surrogates"], ["learn", "Learn"], ["team", "Team"]];

const main = document.getElementById("main");
const room = { reader: null, study: null, types: null, set: null, filters: { notes: { text: "", state: "own", order: "given" }, agree: { text: "", state: "all", order: "given" } } };
let open = null;
let opening = 0;

// The address after # is a mode and the number of a note, never its text or its name.
function place() {
  const [mode, number, offset] = location.hash.slice(1).split("/");
  const known = Object.hasOwn(MODES, mode) ? mode : "notes";
  return { mode: known, number: Number(number) || null, offset: Number(offset) || 0 };
}

async function show() {
  const mine = ++opening;
  const where = place();
  open?.close?.();
  open = null;
  if (document.getElementById("word").dataset.kind !== "stay") hush();
  tabs(where.mode);
  main.setAttribute("aria-busy", "true");
  const host = element("div", { class: "mode" }); // a new element, so that a mode that loads too late cannot draw over the next one
  clear(main, host);
  try {
    const made = await MODES[where.mode](host, room, where);
    if (mine !== opening) return made?.close?.();
    open = made;
    if (open?.focus) open.focus();
    else if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    if (mine === opening) failed(error);
  } finally {
    if (mine === opening) main.removeAttribute("aria-busy");
  }
}

function failed(error) {
  if (error.status === 401) return start();
  if (error.status === undefined) console.error("an error in the page", error.name);
  fault(error);
}

function tabs(mode) {
  const all = room.reader?.role === "adjudicator" ? TABS : TABS.slice(0, 1);
  const current = mode === "mark" ? "notes" : mode;
  const links = all.map(([name, text]) => element("a", { href: `#${name}`, "aria-current": name === current ? "page" : null }, text));
  clear(document.getElementById("modes"), links);
}

function who() {
  const more = button(room.reader.name, () => account(room.reader, room.mayInvite), { class: "quiet", title: "Other browsers, leaving" });
  const out = button("Leave", async () => (await send("/api/logout"), location.assign("/")), { class: "quiet" });
  clear(document.getElementById("who"), more, out);
}

async function start() {
  const session = await ask("/api/session");
  if (!session.reader) {
    clear(document.getElementById("modes"));
    clear(document.getElementById("who"));
    open = null;
    return welcome(clear(main), session, start);
  }
  room.mayInvite = session.may_invite;
  readAs(session.reader.name);
  room.study = await ask("/api/study");
  room.types = new Types(room.study);
  room.set ??= room.study.sets[0].name;
  room.reader = session.reader; // last: from now on a new address opens a mode, which needs the others
  who();
  await show();
}

const GENERAL = new Keys([[["?"], "these keys", help]]);

function help() {
  const rows = [...(open?.keys?.rows ?? []), ...GENERAL.rows];
  showKeys({ rows }, open?.keys?.type ? room.types.pairs : [], (type, key) => rebind(type, key).catch(fault));
}

// Another key for a type, for this reader; a key that is taken changes places.
async function rebind(type, key) {
  const keys = { ...room.study.keys };
  const other = Object.keys(keys).find((one) => keys[one] === key);
  if (other) keys[other] = keys[type];
  keys[type] = key;
  ({ keys: room.study.keys } = await send("/api/preferences", { keys }));
  room.types.bind(room.study.keys);
  open?.view?.update();
  help();
}

document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.matches?.("button, a[href]")) event.preventDefault();
  if (document.querySelector("dialog[open]") || belongsElsewhere(event)) return;
  if (event.key === "Escape") hush();
  if (!open?.keys?.press(event)) GENERAL.press(event);
});

// A click leaves no focus on a button, so that the next Space turns the page and does not press the button again.
document.addEventListener("click", (event) => {
  if (event.detail && event.target.closest?.("button") && open?.focus) open.focus();
});

steady();
room.help = help;
window.addEventListener("hashchange", () => room.reader && show());
window.addEventListener("unhandledrejection", (event) => (event.preventDefault(), fault(event.reason)));
start().catch(fault);

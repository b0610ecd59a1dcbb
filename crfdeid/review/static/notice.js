// The line that shows whether work is saved, messages for screen readers, and messages over the page.

import { saving } from "./api.js";
import { button, clear, element } from "./dom.js";

const status = document.getElementById("saved");
const spoken = document.getElementById("spoken");
const word = document.getElementById("word");

saving.addEventListener("state", ({ detail }) => {
  status.dataset.state = detail.state;
  if (detail.state === "saved") status.textContent = "✓ saved";
  else if (detail.state === "saving") status.textContent = "saving…";
  else status.textContent = `✗ not saved: ${detail.why}`;
});

// Only for screen readers.
export function speak(text) {
  spoken.textContent = text;
}

const PASSES = 7_000;
let passing = 0;

// A message over the page. A normal one disappears after a while; a "fault" and a "stay" stay until they are closed.
export function say(text, kind = "calm") {
  hush();
  word.dataset.kind = kind;
  clear(word, element("span", {}, text), button("Close", hush, { class: "quiet" }));
  word.hidden = false;
  if (kind === "calm") passing = setTimeout(hush, PASSES);
}

export function hush() {
  clearTimeout(passing);
  word.hidden = true;
}

export function fault(error) {
  say(error.message, "fault");
}

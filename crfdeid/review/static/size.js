// The text size of notes and the distance of their rows, which are all that the browser stores.

const SIZES = [14, 15, 16, 17, 18, 20, 22, 25, 28, 32];
const NAME = "crfdeid text size";

function stored() {
  const found = SIZES.indexOf(Number(localStorage.getItem(NAME)));
  return found < 0 ? SIZES.indexOf(window.innerWidth < 2000 ? 17 : 20) : found;
}

export function larger(by) {
  const index = Math.max(0, Math.min(SIZES.length - 1, stored() + by));
  if (by) localStorage.setItem(NAME, String(SIZES[index]));
  document.documentElement.style.setProperty("--text-size", `${SIZES[index]}px`);
}

// Rows close together, so that more of a note is on the screen.
const COMPACT = "crfdeid compact";

export function compact(change = true) {
  const now = (localStorage.getItem(COMPACT) === "yes") !== change;
  if (change) localStorage.setItem(COMPACT, now ? "yes" : "no");
  document.documentElement.classList.toggle("compact", now);
}

larger(0);
compact(false);

// The text size of notes. It is the only value that the browser stores.

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

larger(0);

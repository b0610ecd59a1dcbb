"use strict";
const flags = [...document.querySelectorAll(".flag")], place = document.getElementById("place");
let shown = [], here = -1;
const chosen = name => new Set([...document.querySelectorAll(`input[name=${name}]:checked`)].map(box => box.value));
function filter() {
  const kinds = chosen("kind"), types = chosen("type"), clean = document.getElementById("clean").checked;
  const current = shown[here];
  shown = flags.filter(flag => !(flag.hidden = !(kinds.has(flag.dataset.kind) && types.has(flag.dataset.type))));
  for (const section of document.querySelectorAll("section"))
    section.hidden = !clean && !section.querySelector(".flag:not([hidden])");
  here = shown.indexOf(current);
  tell();
}
function tell() {
  flags.forEach(flag => flag.classList.toggle("here", flag === shown[here]));
  place.textContent = here < 0 ? `${shown.length} mistakes` : `${here + 1} of ${shown.length}`;
}
function go(step) {
  if (!shown.length) return;
  here = here < 0 ? (step > 0 ? 0 : shown.length - 1) : (here + step + shown.length) % shown.length;
  tell();
  shown[here].scrollIntoView({ block: "center" });
  shown[here].focus({ preventScroll: true });
}
function every(checked) {
  document.querySelectorAll("input[name=type]").forEach(box => box.checked = checked);
  filter();
}
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "n" || event.key === "j") go(1);
  if (event.key === "p" || event.key === "k") go(-1);
});
document.getElementById("next").onclick = () => go(1);
document.getElementById("previous").onclick = () => go(-1);
document.getElementById("all").onclick = () => every(true);
document.getElementById("none").onclick = () => every(false);
document.addEventListener("change", filter);
filter();

// Draws recall against notes read, with the system and its value at each point.

const SPACE = "http://www.w3.org/2000/svg";
const [WIDE, HIGH, LEFT, BELOW, ABOVE] = [520, 260, 46, 40, 16];

function drawn(name, attributes, text) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// systems: [{name, notes_read, recall}]; those without a recall yet are left out.
export function drawRecall(systems) {
  const points = systems.filter((one) => one.recall !== null).sort((a, b) => a.notes_read - b.notes_read);
  const most = Math.max(1, ...points.map((one) => one.notes_read));
  const x = (notes) => LEFT + (notes / most) * (WIDE - LEFT - 50);
  const y = (recall) => ABOVE + (1 - recall) * (HIGH - BELOW - ABOVE);
  const summary = points.map((one) => `${one.name} ${one.recall.toFixed(3)} after ${one.notes_read} notes`).join("; ");
  const made = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img", "aria-label": `Recall against notes read: ${summary || "no system has been tested yet"}` });
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    made.append(drawn("line", { x1: LEFT, x2: WIDE - 20, y1: y(value), y2: y(value), class: "grid" }), drawn("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(2)));
  }
  made.append(drawn("text", { x: (LEFT + WIDE) / 2, y: HIGH - 6, "text-anchor": "middle" }, "notes read when the model was loaded"));
  // No line: each point is another model, tested on other notes.
  for (const one of points) {
    const right = x(one.notes_read) > WIDE / 2;
    made.append(drawn("circle", { cx: x(one.notes_read), cy: y(one.recall), r: 4.5, class: "point" }), drawn("text", { x: x(one.notes_read) + (right ? -9 : 9), y: y(one.recall) + (right ? -8 : 16), "text-anchor": right ? "end" : "start" }, `${one.name}: ${one.recall.toFixed(3)}`), drawn("text", { x: x(one.notes_read), y: HIGH - BELOW + 16, "text-anchor": "middle" }, String(one.notes_read)));
  }
  return made;
}

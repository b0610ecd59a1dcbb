// Mouse, pen and finger on a note: a click is a word, a drag a stretch, and a drag from an end of the chosen mark moves
// that end.

import { Bounce, STILL } from "./bounce.js";
import { offsetAt } from "./sheet.js";
import { trimmed, whole, word } from "./stretch.js";

const NEAR = 5; // pixels from an end

// answers: {preview(stretch or null), click(offset), drag(stretch)}, and for ends {chosen(): stretch or null, resize(stretch)}
export function listen(reading, answers) {
  const host = reading.host;
  let down = null;
  const bounce = new Bounce();

  const at = (event) => offsetAt(reading.rows, event.clientX, event.clientY);

  function stretch(event) {
    const here = at(event);
    if (!here || !down?.at) return null;
    const points = reading.text.points;
    if (down.edge) return moved(points, down.edge, here.offset);
    const [from, to] = [down.at.offset, here.offset].sort((a, b) => a - b);
    const wide = whole(points, from, to + 1);
    return trimmed(points, wide.start, wide.end);
  }

  function pressed(event) {
    if (event.button !== 0 || bounce.is(event)) return;
    down = { x: event.clientX, y: event.clientY, at: at(event), edge: edgeAt(event), dragging: false };
    host.setPointerCapture(event.pointerId);
  }

  // The end of the chosen mark that is under the pointer: {side, start, end}, or null.
  function edgeAt(event) {
    const chosen = answers.chosen?.();
    if (!chosen || !reading.rows) return null;
    const [left, right] = [-NEAR, NEAR].map((by) => offsetAt(reading.rows, event.clientX + by, event.clientY));
    if (!left || !right) return null;
    if (right.inside && right.offset === chosen.start && (left.offset < chosen.start || !left.inside)) return { side: "start", ...chosen };
    if (left.inside && left.offset === chosen.end - 1 && (right.offset >= chosen.end || !right.inside)) return { side: "end", ...chosen };
    return null;
  }

  function movedTo(event) {
    if (!down) {
      const edge = edgeAt(event);
      host.classList.toggle("on-edge", Boolean(edge));
      return answers.preview(edge ? null : hovered(event));
    }
    down.dragging ||= Math.hypot(event.clientX - down.x, event.clientY - down.y) > STILL;
    if (down.dragging) answers.preview(stretch(event));
  }

  function hovered(event) {
    const here = event.pointerType === "mouse" && reading.rows ? at(event) : null;
    return here?.inside ? word(reading.text.points, here.offset) : null;
  }

  function released(event) {
    if (!down) return;
    const { at: began, edge, dragging } = down;
    const marked = dragging ? stretch(event) : null;
    down = null;
    bounce.remember(event);
    answers.preview(null);
    if (marked && edge) answers.resize(marked);
    else if (marked) answers.drag(marked);
    else if (!dragging && began?.inside) answers.click(began.offset);
  }

  host.addEventListener("pointerdown", pressed);
  host.addEventListener("pointermove", movedTo);
  host.addEventListener("pointerup", released);
  host.addEventListener("pointercancel", () => ((down = null), answers.preview(null)));
  host.addEventListener("pointerleave", () => !down && answers.preview(null));
}

// A stretch after one of its ends was moved to an offset.
function moved(points, { side, start, end }, offset) {
  const [from, to] = side === "start" ? [Math.min(offset, end - 1), end] : [start, Math.max(offset + 1, start + 1)];
  const wide = whole(points, from, to);
  return trimmed(points, wide.start, wide.end);
}

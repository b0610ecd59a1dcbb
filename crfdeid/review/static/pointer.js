// Mouse, pen and finger on a note: a click is a word, a drag a stretch.

import { Bounce, STILL } from "./bounce.js";
import { offsetAt } from "./sheet.js";
import { trimmed, whole, word } from "./stretch.js";

// answers: {preview(stretch or null), click(offset), drag(stretch)}
export function listen(reading, answers) {
  const host = reading.host;
  let down = null;
  const bounce = new Bounce();

  const at = (event) => offsetAt(reading.rows, event.clientX, event.clientY);

  function stretch(event) {
    const here = at(event);
    if (!here || !down?.at) return null;
    const points = reading.text.points;
    const [from, to] = [down.at.offset, here.offset].sort((a, b) => a - b);
    const wide = whole(points, from, to + 1);
    return trimmed(points, wide.start, wide.end);
  }

  function pressed(event) {
    if (event.button !== 0 || bounce.is(event)) return;
    down = { x: event.clientX, y: event.clientY, at: at(event), dragging: false };
    host.setPointerCapture(event.pointerId);
  }

  function movedTo(event) {
    if (!down) return answers.preview(hovered(event));
    down.dragging ||= Math.hypot(event.clientX - down.x, event.clientY - down.y) > STILL;
    if (down.dragging) answers.preview(stretch(event));
  }

  function hovered(event) {
    const here = event.pointerType === "mouse" && reading.rows ? at(event) : null;
    return here?.inside ? word(reading.text.points, here.offset) : null;
  }

  function released(event) {
    if (!down) return;
    const { at: began, dragging } = down;
    const marked = dragging ? stretch(event) : null;
    down = null;
    bounce.remember(event);
    answers.preview(null);
    if (marked) answers.drag(marked);
    else if (!dragging && began?.inside) answers.click(began.offset);
  }

  host.addEventListener("pointerdown", pressed);
  host.addEventListener("pointermove", movedTo);
  host.addEventListener("pointerup", released);
  host.addEventListener("pointercancel", () => ((down = null), answers.preview(null)));
  host.addEventListener("pointerleave", () => !down && answers.preview(null));
}

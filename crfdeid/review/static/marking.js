// The targets of a reader's state in a note, how they are drawn, and which action a key means.

import { percent } from "./text.js";

// Pre-marks without a decision; they are chosen before marks.
export function undecided({ premarks }) {
  const open = premarks.filter((one) => one.decision === null);
  return open.map((one) => ({ ...one, kind: "premark", key: `premark ${one.id}` }));
}

export function marks({ marks }) {
  return marks.map((one) => ({ ...one, kind: "mark", key: `mark ${one.id}` }));
}

export function layersOf(state, types) {
  const made = state.marks.map((one) => ({ ...one, mark: true, class: `mark ${types.colour(one.type)}`, label: one.unsure ? `${one.type} ~ unsure` : one.type }));
  const open = undecided(state).map((one) => ({ ...one, class: `premark ${types.colour(one.type)}`, label: `${percent(one.probability)} ${one.type}?` }));
  return [...made, ...open];
}

// The cursor, and the stretch that a click would mark.
export function around(cursor, preview) {
  const here = cursor.stretch ? [{ ...cursor.stretch, class: cursor.edited ? "cursor edited" : "cursor" }] : [];
  return preview ? [...here, { ...preview, class: "preview" }] : here;
}

// The action that marks a stretch with a type: a new mark, another type or other ends of the target, its acceptance, or
// none (null). `targets` are the present ones; the target may have been removed since the key was pressed.
export function putting(targets, stretch, target, type, ends) {
  const same = (one) => (target ? one.key === target.key : one.start === stretch.start && one.end === stretch.end);
  const now = targets.find(same);
  if (!now) return { kind: "add", start: stretch.start, end: stretch.end, type: type ?? target.type };
  const changes = { ...ends, ...(type && type !== now.type ? { type } : {}) };
  const changed = Object.keys(changes).length > 0;
  if (now.kind === "mark") return changed ? { kind: "change", mark: now.id, ...changes } : null;
  return changed ? { kind: "alter", premark: now.id, ...changes } : { kind: "accept", premark: now.id };
}

// The keys of one note of Agree.

import { moving, NoteKeys } from "./mark_keys.js";

export function adjudicationKeys(mode) {
  const decide = [
    [["Enter"], "decide as chosen; add a mark that no voter had", () => mode.put()],
    [["="], "decide all on which everybody agrees, and go to what differs most", () => mode.decideAgreed()],
    [["Delete", "Backspace"], "not PHI", () => mode.remove()],
    [["!"], "ambiguous: a mark here is not a mistake", () => mode.ambiguous()],
    [["Shift+Delete", "Shift+Backspace"], "undecided again", () => mode.undecide()],
    [["Ctrl+Enter"], "the note is decided", () => mode.finish()],
  ];
  return new NoteKeys(mode, [
    [["."], "next item", () => mode.jump(1)],
    [[","], "previous item", () => mode.jump(-1)],
    [["ArrowDown"], "next answer; row below", () => mode.vertical(1)],
    [["ArrowUp"], "previous answer; row above", () => mode.vertical(-1)],
    ...(mode.mayDecide ? decide : []),
    ...moving(mode),
  ], (letter) => mode.types.byKey.has(letter) && mode.put(mode.types.byKey.get(letter)));
}

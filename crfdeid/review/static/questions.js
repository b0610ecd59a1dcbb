// Remarks and questions: a reader writes one about a place or the whole note, an adjudicator answers.

import { send } from "./api.js";
import { button, clear, element } from "./dom.js";
import { fault } from "./notice.js";

const dialog = document.getElementById("dialog");

// Asks the reader for a remark on the stretch at the cursor, or on the note.
export function remark(mode) {
  const { stretch } = mode.cursor;
  const field = element("textarea", { name: "remark", maxlength: 1000, rows: 3, cols: 60, required: true, "aria-label": "Your remark" });
  const write = async (event) => {
    event.preventDefault();
    const { questions } = await send(`/api/notes/${mode.number}/questions`, { text: field.value, ...(stretch ?? {}) });
    mode.note.questions = questions;
    dialog.close();
    mode.redraw();
  };
  clear(dialog,
    element("h2", { id: "dialog-title" }, stretch ? "Remark on this place" : "Remark on this note"),
    element("p", { class: "quiet-text" }, "The adjudicator sees it and can answer. It is kept in the study, so write no more of the note than you need."),
    element("form", { onsubmit: (event) => write(event).catch(fault) }, field,
      element("p", {}, element("button", { class: "primary", type: "submit" }, "Write"), " ", button("Close", () => dialog.close()))));
  dialog.showModal();
  field.focus();
}

// The remarks on a stretch (or those on the note, without one), with a field for the answer where `answered` is given.
export function remarks(questions, stretch, answered = null) {
  const here = (one) => (stretch ? one.start !== null && one.start < stretch.end && stretch.start < one.end : one.start === null);
  return questions.filter(here).map((one) => element("p", { class: "remark" },
    element("strong", {}, one.reader), `: ${one.text} `,
    one.answer ? element("em", {}, `${one.answered_by}: ${one.answer}`) : answered ? answerForm(one, answered) : null));
}

function answerForm(question, answered) {
  const field = element("input", { name: `answer ${question.id}`, maxlength: 1000, required: true, autocomplete: "off", "aria-label": `Answer to ${question.reader}` });
  const write = async (event) => {
    event.preventDefault();
    answered((await send(`/api/questions/${question.id}`, { text: field.value })).questions);
  };
  return element("form", { class: "row-form", onsubmit: (event) => write(event).catch(fault) }, field, element("button", { type: "submit" }, "Answer"));
}

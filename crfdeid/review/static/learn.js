// Learn: export the consensus, load a model that was trained on it elsewhere, and list where it disagrees with open notes.

import { ask, query, send } from "./api.js";
import { button, choice, clear, element, labelled, ratio, table } from "./dom.js";
import { drawRecall } from "./curve.js";
import { exportForm } from "./exports.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";
import { fault } from "./notice.js";
import { form } from "./welcome.js";

export async function learn(main, room) {
  const [found, { readers }] = await Promise.all([ask("/api/learn"), ask("/api/readers")]);
  const columns = element("div", { class: "two" }, results(found), element("div", {}, trainForm(main, room, found.bases), consensusExport(room, found.train, readers), room.mayInvite ? modelForm(main, room) : null));
  main.append(element("div", { class: "page wide" },
    element("h1", {}, "Learn"),
    element("p", { class: "lead" }, `${found.notes_read} notes have a decided consensus. Train on it here, or export it, train elsewhere and load the model: each model is tested on notes decided later.`),
    columns,
    await disagreements(found, room)));
  return { keys: new Keys([]) };
}

function results({ systems }) {
  if (!systems.length) return element("p", {}, "No system has been loaded yet.");
  const rows = systems.map((one) => [one.name, one.notes_read, one.tested, ratio(one.recall), ratio(one.precision), one.premarks ? "shown" : ""]);
  return element("div", {}, drawRecall(systems), table("Systems, on notes decided after they were loaded (strict)", ["System", "Read before", "Tested on", "Recall", "Precision", "Pre-marks"], rows));
}

function consensusExport(room, train, readers) {
  const what = [
    ["consensus", "the consensus"],
    ...readers.map(({ name }) => [`reader ${name}`, `the marks of ${name}`]),
    ...room.study.systems.map(({ name }) => [`system ${name}`, `the spans of ${name}`]),
  ];
  const made = exportForm("Export", room, "/api/export", { choosers: [["what", "What", what]] });
  made.append(train ? element("p", { class: "quiet-text" }, "Then, in a terminal: ", element("code", {}, train)) : "");
  return made;
}

// Trains, or adapts a model, with the interpreter that runs the server, in a process of its own.
function trainForm(main, room, bases) {
  const models = [...bases.map((one) => [one, `${one}, adapted to them`]), ["", "a new model of them only"]];
  const shown = bases.find((one) => one === room.study.systems.at(-1)?.name) ?? "";
  let base = shown;
  const begin = choice(models, shown, (one) => { base = one; }, "base");
  const name = element("input", { name: "model", required: true, autocomplete: "off" });
  const premarks = element("input", { type: "checkbox", name: "train-premarks" });
  const said = element("p", { class: "quiet-text", role: "status" });
  const stop = button("Stop", () => send("/api/learn/stop").catch(fault), { hidden: true });
  const train = async () => {
    try {
      await send("/api/learn/train", { name: name.value, premarks: premarks.checked, base });
      stop.hidden = false;
      const job = await watch(said);
      room.study = await ask("/api/study");
      await learn(clear(main), room);
      const shown = main.querySelector("#trained");
      if (shown) shown.textContent = job.state === "stopped" ? "Stopped; nothing was loaded." : figures(job.result);
    } catch (error) {
      stop.hidden = true;
      fault(error);
    }
  };
  const made = form([labelled("From the decided notes", begin), labelled("Name of the new model", name), element("label", { class: "check" }, premarks, "show its spans as pre-marks")], "Train now", train);
  made.classList.add("row-form");
  return element("section", { class: "export" }, element("h2", {}, "Train"), made, stop, said, element("p", { id: "trained", role: "status" }));
}

// What a model gained by cross-validation on the notes that it was adapted to.
function gain({ base, way, patients, gain: found }, learned) {
  const one = ({ covered, f1, low, high }) => `covered ${ratio(covered)}, strict F1 ${ratio(f1)} (${ratio(low)}–${ratio(high)})`;
  const notes = `${learned} notes of ${patients} patients, by cross-validation`;
  if (way === "as it is") return `Nothing is surely better than ${base}, which stays as it is. On ${notes}: ${one(found.before)}.`;
  return `Adapted ${base}: ${way}. On ${notes}, before: ${one(found.before)}; after: ${one(found.after)}.`;
}

function figures({ learned, aside, patients, figures: found, adapted }) {
  const before = adapted?.gain ? `${gain(adapted, learned)} ` : "";
  return before + asideFigures({ learned, aside, patients, found });
}

function asideFigures({ learned, aside, patients, found }) {
  if (!found.length) return `Trained on ${learned} notes: too few to keep some aside for a test.`;
  const shown = found.map((one) => `${one.name}: recall ${withInterval(one, "recall")}, precision ${withInterval(one, "precision")}`);
  const counts = `${aside} notes of ${patients} other patient${patients === 1 ? "" : "s"} with ${found[0].spans} spans`;
  const kind = patients === 1 ? "strict; one patient gives no interval" : "strict; 95% intervals, drawn by patient";
  return `Trained on ${learned} notes. On ${counts}, before and after: ${shown.join("; ")} (${kind}).`;
}

function withInterval(one, figure) {
  const ends = one[`${figure}_interval`];
  return ends ? `${ratio(one[figure])} (${ends.map(ratio).join("–")})` : ratio(one[figure]);
}

function modelForm(main, room) {
  const folder = element("input", { name: "folder", required: true, autocomplete: "off", placeholder: "models/trained" });
  const name = element("input", { name: "name", required: true, autocomplete: "off" });
  const premarks = element("input", { type: "checkbox", name: "premarks" });
  const said = element("p", { class: "quiet-text", role: "status" });
  const load = async () => {
    try {
      await send("/api/learn/models", { folder: folder.value, name: name.value, premarks: premarks.checked });
      await watch(said);
      room.study = await ask("/api/study");
      learn(clear(main), room).catch(fault);
    } catch (error) {
      fault(error);
    }
  };
  const made = form([labelled("Folder on this machine", folder), labelled("Name", name), element("label", { class: "check" }, premarks, "show its spans as pre-marks")], "Load", load);
  made.classList.add("row-form");
  return element("section", { class: "export" }, element("h2", {}, "Load a model"), made, said);
}

async function watch(said) {
  for (;;) {
    const job = await ask("/api/learn/job");
    if (job.state === "failed") throw new Error(job.fault);
    if (job.state !== "running") return job;
    said.textContent = job.phase === "train" ? `training for ${Math.round(job.seconds)} s` : `tagging: ${job.done} of ${job.total} notes`;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

async function disagreements({ systems }, room) {
  const last = systems.at(-1)?.name ?? null;
  const host = element("section", { class: "disagreements" });
  if (!last) return host;
  const list = element("div", {});
  const draw = async (system) => {
    const { notes } = await ask(`/api/learn/disagreements${query({ system })}`);
    const rows = notes.map((one) => [element("span", {}, link(`${one.number}`, `#mark/${one.number}`, { class: "note-link" }), ` ${one.id}`), Array.isArray(one.against) ? one.against.join(", ") : (one.against ?? "–"), one.differences]);
    clear(list, notes.length ? listing("Most differences first", ["Note", "Against", "Differences"], rows, { above: 620 }) : element("p", { class: "quiet-text" }, "There is no open note with which it disagrees."));
  };
  await draw(last);
  host.append(element("h2", {}, "Open notes it disagrees with"), labelled("System", choice(systems.map(({ name }) => [name, name]), last, (one) => draw(one).catch(fault), "system")), list);
  return host;
}

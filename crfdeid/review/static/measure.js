// Measure: readers and systems against the consensus, by the rules of the thesis and by those of i2b2.

import { ask, query } from "./api.js";
import { button, choice, clear, element, labelled, ratio, redrawn, table } from "./dom.js";
import { Keys } from "./keys.js";
import { link, listing } from "./listing.js";
import { shortened } from "./text.js";

const RULES = {
  once: "an instance counts once, whatever its number of words",
  part: "an instance found in part counts as found",
  extra: "extra words do not count",
  systematic: "the same mistake counts once",
  excused: "ambiguous places do not count",
  types: "the type must be right",
};
const ON = ["once", "part", "extra", "systematic", "excused"];
const VIEWS = { readers: "One by one", unions: "Together", agreement: "With each other", mistakes: "Mistakes" };

export async function measure(main, room) {
  const page = new Measures(main, room);
  await page.load();
  const names = Object.keys(VIEWS);
  const turn = (by) => page.view(names[(names.indexOf(page.shown) + by + names.length) % names.length]);
  return { keys: new Keys([[["ArrowRight"], "next table", () => turn(1)], [["ArrowLeft"], "previous table", () => turn(-1)]]) };
}

class Measures {
  constructor(main, room) {
    Object.assign(this, { main, room, set: "", rules: new Set(ON), shown: "readers", voter: null });
  }

  get asked() {
    return { set: this.set, rules: [...this.rules].join(",") || "none" };
  }

  async load() {
    this.found = await ask(`/api/measures${query(this.asked)}`);
    await redrawn(this.main, () => this.draw());
  }

  async view(name) {
    this.shown = name;
    await redrawn(this.main, () => this.draw());
  }

  draw() {
    const { found } = this;
    const body = element("div", { class: "tables" });
    clear(this.main, element("div", { class: "page wide" },
      element("h1", {}, "Measure"),
      element("p", { class: "lead" }, `Against the consensus of ${found.notes} notes with ${found.instances} instances of PHI.`),
      this.controls(), this.tabs(), body));
    if (!found.notes) body.append(element("p", {}, "No note has a decided consensus yet. Decide it in Agree."));
    else body.append(...this[this.shown]().filter(Boolean));
  }

  controls() {
    const sets = [["", "all sets"], ...this.room.study.sets.map(({ name }) => [name, name])];
    const chooser = labelled("Set", choice(sets, this.set, (set) => ((this.set = set), this.load()), "set"));
    const boxes = Object.entries(RULES).map(([rule, text]) => {
      const toggle = () => (this.rules.has(rule) ? this.rules.delete(rule) : this.rules.add(rule), this.load());
      return element("label", { class: "check" }, element("input", { type: "checkbox", name: rule, checked: this.rules.has(rule), onchange: toggle }), text);
    });
    return element("div", { class: "bar" }, chooser, element("fieldset", { class: "rules" }, element("legend", {}, "Rules (Douglass 2005, section 3.4)"), boxes));
  }

  tabs() {
    return element("p", { class: "tabs" }, Object.entries(VIEWS).map(([name, text]) => button(text, () => this.view(name), { name, "aria-pressed": String(this.shown === name) })));
  }

  readers() {
    const rows = this.found.voters.map((one) => [one.name, one.kind, one.notes, one.tp, one.fp, one.fn, ratio(one.sensitivity), ratio(one.ppv), number(one.seconds_per_note), number(one.words_per_minute)]);
    const criteria = this.found.voters.map((one) => [one.name, ...["strict", "relaxed", "token"].flatMap((name) => ["precision", "recall", "f1"].map((score) => ratio(one.i2b2[name]?.[score])))]);
    const heads = ["strict", "relaxed", "token"].flatMap((name) => [`${name} P`, "R", "F1"]);
    return [
      table("By the rules of the thesis (like its table A.1)", ["Who", "Kind", "Notes", "Found", "Spurious", "Missed", "Sensitivity", "PPV", "Seconds a note", "Words a minute"], rows),
      table("By the criteria of i2b2 2014", ["Who", ...heads], criteria),
    ];
  }

  unions() {
    const { summary, published, unions } = this.found;
    const made = Object.entries(unions).map(([size, teams]) => size === "1" ? null : table(`Teams of ${size} (like its table A.${size})`, ["Readers", "Set", "Notes", "Sensitivity", "PPV"],
      teams.map((one) => [one.voters.join(", "), one.set, one.whole ? one.notes : `${one.notes}: a part, not in the table above`, ratio(one.sensitivity), ratio(one.ppv)])));
    const rows = Object.keys(summary).flatMap((size) => [["sensitivity", "Sensitivity"], ["ppv", "PPV"]].map(([key, text]) => [
      `${size} ${size === "1" ? "person" : "people"}, ${text}`, ...spread(summary[size]?.[key]), ...spread(published?.[size]?.[key], 2)]));
    return [table("The union of one, two and three readers who read whole sets, beside Douglass 2005, table 4.1", ["", "Min", "Max", "Mean", "published Min", "Max", "Mean"], rows), ...made];
  }

  agreement() {
    const rows = this.found.agreement.map((one) => [`${one.a} and ${one.b}`, one.notes, ratio(one.f1), ratio(one.kappa)]);
    return [table("Agreement of each two voters", ["Pair", "Notes", "F1 of spans", "Cohen’s kappa of tokens"], rows)];
  }

  mistakes() {
    const names = this.found.voters.map((one) => [one.name, one.name]);
    this.voter ??= names[0]?.[0] ?? null;
    const host = element("div", {});
    if (this.voter) this.mistakesOf(host);
    return [labelled("Whose", choice(names, this.voter, (name) => ((this.voter = name), this.mistakesOf(host)), "voter")), host];
  }

  async mistakesOf(host) {
    const { mistakes } = await ask(`/api/measures/mistakes${query({ voter: this.voter, ...this.asked })}`);
    const rows = mistakes.map((one) => [element("span", {}, element("q", {}, shortened(one.text)), " ", link(`note ${one.number}, ${one.start}–${one.end}`, `#agree/${one.number}/${one.start}`)), one.kind, one.counted ? "counts" : "not counted by a rule"]);
    clear(host, listing(`${mistakes.length} mistakes`, ["Text and place", "Kind", "By the rules"], rows, { above: 480 }));
  }
}

function spread(values, digits = 3) {
  return ["min", "max", "mean"].map((key) => (values?.[key] === null || values?.[key] === undefined ? "–" : values[key].toFixed(digits)));
}

function number(value) {
  return value === null || value === undefined ? "–" : value.toFixed(0);
}

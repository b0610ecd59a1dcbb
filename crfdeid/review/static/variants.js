// The answers of the voters to one item, each different answer once, and the signs of their agreement.

// Colours differ in lightness as well, and each has a sign and a word, so that nobody needs to see the colour.
export const AGREEMENT = {
  all: { sign: "●", text: "agreed by all" },
  majority: { sign: "◐", text: "agreed by most" },
  fewer: { sign: "○", text: "not agreed" },
};

// What is said of an item: of two voters, "not agreed" would not say which of both is meant.
export function agreementOf(item, voters) {
  if (voters.length !== 2 || item.agreement === "all") return AGREEMENT[item.agreement].text;
  return voters.every((one) => one.kind === "reader") ? "The readers disagree" : "The voters disagree";
}

const same = (a, b) => JSON.stringify(a.map(({ start, end, type }) => [start, end, type])) === JSON.stringify(b.map(({ start, end, type }) => [start, end, type]));

// [{spans, names}]: the suggestion first, then the others by their votes, "not PHI" last, with a decision of the adjudicator's own before it.
function variants(item) {
  const found = [];
  const add = (spans, name) => {
    const known = found.find((one) => same(one.spans, spans));
    if (known) known.names.push(name);
    else found.push({ spans, names: [name] });
  };
  for (const [name, spans] of Object.entries(item.votes)) add(spans, name);
  const decided = item.decision?.spans;
  for (const spans of [item.suggestion, ...(decided ? [decided] : []), []]) {
    if (!found.some((one) => same(one.spans, spans))) found.push({ spans, names: [] });
  }
  const rank = (one) => (one.spans.length === 0 ? 1e6 : same(one.spans, item.suggestion) ? -1 : -one.names.length / 1e3);
  return found.sort((a, b) => rank(a) - rank(b));
}

// The index of the present answer: the decision, or the suggestion where most marked something; else -1.
function standing(item, all) {
  if (item.decision) return all.findIndex((one) => same(one.spans, item.decision.spans));
  return item.preset ? all.findIndex((one) => same(one.spans, item.suggestion)) : -1;
}

function ends(spans) {
  return { start: Math.min(...spans.map((one) => one.start)), end: Math.max(...spans.map((one) => one.end)) };
}

// The targets in a note of Agree: its items, each with its answers and the chosen one, and the added marks.
// chosen: answers that were chosen but not decided, by the item's key.
export function targetsOf(state, chosen) {
  const items = state.items.map((item) => {
    const all = variants(item);
    const index = chosen.get(item.key) ?? standing(item, all);
    const spans = all[index]?.spans ?? [];
    const type = (spans[0] ?? item.suggestion[0]).type;
    return { key: item.key, kind: "item", item, all, index, type, ...ends(spans.length ? spans : item.suggestion) };
  });
  return [...items, ...state.extra.map((one) => ({ ...one, kind: "extra", key: `extra ${one.id}` }))];
}

export function layerOf(one, types) {
  if (one.kind === "extra") return { ...one, mark: true, class: `mark ${types.colour(one.type)}`, label: `+ ${one.type}` };
  const { agreement, decision } = one.item;
  if (!decision) return { ...one, class: `item ${agreement}`, label: `${AGREEMENT[agreement].sign} ${one.type}` };
  if (!decision.spans.length) return { ...one, class: "item rejected", label: "✗ not PHI" };
  return { ...one, mark: true, class: `mark ${types.colour(one.type)}`, label: `✓ ${one.type}` };
}

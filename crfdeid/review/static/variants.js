// What the voters say about one item, each different answer once, and the signs of how far they agree.

// Colours differ in lightness as well, and each has a sign and a word, so that none is told by colour alone.
export const AGREEMENT = {
  all: { sign: "●", text: "agreed by all" },
  majority: { sign: "◐", text: "agreed by most" },
  fewer: { sign: "○", text: "not agreed" },
};

const same = (a, b) => JSON.stringify(a.map(({ start, end, type }) => [start, end, type])) === JSON.stringify(b.map(({ start, end, type }) => [start, end, type]));

// [{spans, names}]: the suggestion first, then the others by their votes, "not PHI" last, an own decision before it.
export function variants(item) {
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

// The variant that stands: the decision, or the suggestion where most marked something; otherwise none (-1).
export function standing(item, all) {
  if (item.decision) return all.findIndex((one) => same(one.spans, item.decision.spans));
  return item.preset ? all.findIndex((one) => same(one.spans, item.suggestion)) : -1;
}

export function ends(spans) {
  return { start: Math.min(...spans.map((one) => one.start)), end: Math.max(...spans.map((one) => one.end)) };
}

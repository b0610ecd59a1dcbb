// Tells the server which parts of a note were on the screen: it finishes no note that was not shown whole.

import { send } from "./api.js";

const SOON = 400; // milliseconds

export class Shown {
  constructor(number) {
    Object.assign(this, { number, stretches: [], timer: 0, last: Promise.resolve() });
  }

  add(start, end) {
    const last = this.stretches.at(-1);
    if (last?.[1] === start) last[1] = end;
    else this.stretches.push([start, end]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.report(), SOON);
  }

  // Resolves when all of it has been sent, also what is on its way. What could not be sent is sent with the next report.
  report() {
    clearTimeout(this.timer);
    this.last = this.last.then(() => this.send());
    return this.last;
  }

  async send() {
    const { stretches } = this;
    if (!stretches.length) return;
    this.stretches = [];
    try {
      await send(`/api/notes/${this.number}/shown`, { stretches });
    } catch {
      this.stretches = [...stretches, ...this.stretches];
    }
  }
}

// Measures how long a reader looks at a note; reports it to the server while the page is visible and the reader active.

import { send } from "./api.js";
import { say } from "./notice.js";

const EVERY = 15;
const AWAY = 60_000;
const HOUR = 3600;
const AGAIN = 1200;

let active = performance.now();
for (const kind of ["keydown", "pointerdown", "pointermove"]) {
  document.addEventListener(kind, () => (active = performance.now()), { capture: true, passive: true });
}

export class Clock {
  // onReport(answer): after each report
  constructor(number, onReport = () => {}) {
    Object.assign(this, { number, onReport, seconds: 0 });
    this.timer = setInterval(() => this.tick(), 1000);
  }

  tick() {
    if (document.hidden || performance.now() - active > AWAY) return;
    this.seconds += 1;
    if (this.seconds >= EVERY) this.report();
  }

  async report() {
    const seconds = this.seconds;
    this.seconds = 0;
    if (!seconds) return;
    try {
      const answer = await send(`/api/notes/${this.number}/time`, { seconds });
      pause(answer.worked);
      this.onReport(answer);
    } catch {
      this.seconds = Math.min(60, this.seconds + seconds);
    }
  }

  close() {
    clearInterval(this.timer);
    this.report();
  }
}

let said = 0;

// Suggests a pause after an hour, and then every twenty minutes.
export function pause(worked) {
  if (worked < said) said = 0;
  if (worked < HOUR || worked - said < AGAIN) return;
  said = worked;
  const minutes = Math.round(worked / 60);
  say(`You have read for ${minutes} minutes. Attention fades: after a pause of a few minutes you find more.`, "stay");
}

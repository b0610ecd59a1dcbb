// Pens clicked twice where one click was meant, mostly on the buttons between notes (Douglass 2005, section
// 4.1): a second click at the same moment and place does not count.

export const BOUNCE = 350;
export const STILL = 6;

export class Bounce {
  constructor() {
    this.last = { timeStamp: -BOUNCE, clientX: 0, clientY: 0 };
  }

  // Whether an event repeats the last one.
  is(event) {
    const { last } = this;
    return event.timeStamp - last.timeStamp < BOUNCE && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < 2 * STILL;
  }

  remember({ timeStamp, clientX, clientY }) {
    this.last = { timeStamp, clientX, clientY };
  }
}

// For links and buttons: after the first click another one may be in the same place.
export function steady() {
  const bounce = new Bounce();
  document.addEventListener("click", (event) => {
    if (!event.detail || !event.target.closest?.("button, a[href]")) return; // a key press, or another kind of control
    if (!bounce.is(event)) return bounce.remember(event);
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}

// Requests to the server, and whether the last action is saved.

export class RequestError extends Error {
  constructor(status, body) {
    super(body.fault ?? `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

// Events about saving; app.js listens to them.
export const saving = new EventTarget();

function tell(state, why = "") {
  saving.dispatchEvent(new CustomEvent("state", { detail: { state, why } }));
}

const headers = { "Content-Type": "application/json" };

// The reader of this window. All windows of a browser share a session, and another name may be picked in one of them.
export function readAs(name) {
  headers["X-Reader"] = encodeURIComponent(name);
}

async function request(method, path, body) {
  const options = { method, credentials: "same-origin", headers };
  if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new RequestError(0, { fault: "the server does not answer; is it still running?" });
  }
  const found = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (!answer.ok) throw new RequestError(answer.status, found);
  return found;
}

export const ask = (path) => request("GET", path);
export const send = (path, body = {}) => request("POST", path, body);

export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

// Sends an action and reports whether it is saved. A 200 means that it is on disk.
export async function save(path, body) {
  tell("saving");
  try {
    const answer = await send(path, body);
    tell("saved");
    return answer;
  } catch (fault) {
    tell("unsaved", fault.message);
    throw fault;
  }
}

// Sends actions one after the other, each with the version after the one before it: `state()` is {version, ...}.
export class Actions {
  constructor(path, state, take) {
    Object.assign(this, { path, state, take, last: Promise.resolve() });
  }

  // Resolves to the new state, or to null where nothing changed.
  do(action) {
    this.last = this.last.then(() => this.now(action));
    return this.last;
  }

  async now(action) {
    const body = typeof action === "function" ? action() : action;
    if (!body) return null;
    try {
      const state = await save(this.path, { version: this.state().version, ...body });
      this.take(state);
      return state;
    } catch (fault) {
      if (fault.body?.state) this.take(fault.body.state);
      return null;
    }
  }
}

'use strict';

const REGISTER_FRAME = '/webmcp/imperative/resources/iframe-register-tool.html';

// A window that shows iframe-register-tool.html. It may be of another origin.
class RemoteContext {
  static #lastRequest = 0;
  #window;
  #requests = new Map();
  #events = [];
  #waiting = [];

  constructor(t, target) {
    this.#window = target;
    const listener = event => {
      if (event.source === this.#window) {
        this.#receive(event.data);
      }
    };
    addEventListener('message', listener);
    t.add_cleanup(() => removeEventListener('message', listener));
  }

  get window() {
    return this.#window;
  }

  // Carries out one of the actions of the page, and settles as it does there.
  call(action, parameters = {}) {
    const id = ++RemoteContext.#lastRequest;
    const {promise, resolve, reject} = Promise.withResolvers();
    this.#requests.set(id, {resolve, reject});
    this.#window.postMessage({id, action, parameters}, '*');
    return promise;
  }

  // Resolves to the next report of that type, be it one that has come already.
  waitFor(type) {
    const index = this.#events.findIndex(event => event.type === type);
    if (index !== -1) {
      return Promise.resolve(this.#events.splice(index, 1)[0]);
    }
    const {promise, resolve} = Promise.withResolvers();
    this.#waiting.push({type, resolve});
    return promise;
  }

  // How many reports of that type have come and have not been waited for, after all that was under way has arrived.
  async count(type) {
    await this.call('ping');
    return this.#events.filter(event => event.type === type).length;
  }

  #receive(data) {
    if (data.type !== undefined) {
      const index = this.#waiting.findIndex(({type}) => type === data.type);
      if (index === -1) {
        this.#events.push(data);
      } else {
        this.#waiting.splice(index, 1)[0].resolve(data);
      }
      return;
    }
    const request = this.#requests.get(data.id);
    if (request === undefined) {
      // Of an earlier context of the same window.
      return;
    }
    this.#requests.delete(data.id);
    if (data.error === undefined) {
      request.resolve(data.result);
    } else {
      request.reject(new RemoteError(data.error));
    }
  }
}

// What an action was rejected with in another window.
class RemoteError extends Error {
  constructor({name, message}) {
    super(message);
    this.name = name;
  }
}

// Adds an iframe until the end of the test, and resolves to it once it has loaded.
async function addIframe(t, src, attributes = {}) {
  const iframe = document.createElement('iframe');
  for (const [name, value] of Object.entries({allow: 'tools', src, ...attributes})) {
    if (value !== null) {
      iframe.setAttribute(name, value);
    }
  }
  const loaded = waitForEvent(iframe, 'load');
  document.body.append(iframe);
  t.add_cleanup(() => iframe.remove());
  await loaded;
  return iframe;
}

// Adds an iframe of that origin, and resolves to its RemoteContext, which answers; the element is the `iframe` of it.
async function addRemoteContext(t, origin = location.origin, attributes = {}) {
  const iframe = await addIframe(t, origin + REGISTER_FRAME, attributes);
  const context = new RemoteContext(t, iframe.contentWindow);
  context.iframe = iframe;
  await context.call('ping');
  return context;
}

// Asserts that an action is rejected with an error of that name.
async function rejectsRemotely(name, promise) {
  const outcome = await promise.then(value => ({value}), error => ({error}));
  assert_true('error' in outcome, `the action must be rejected, but gave ${outcome.value}`);
  assert_equals(outcome.error.name, name);
}

// Resolves to the next `toolcancel` event for that tool at this document's ModelContext.
function waitForToolCancel(toolName) {
  return new Promise(resolve => {
    const listener = event => {
      if (event.toolName === toolName) {
        document.modelContext.removeEventListener('toolcancel', listener);
        resolve(event);
      }
    };
    document.modelContext.addEventListener('toolcancel', listener);
  });
}

// Returns true, or a string that says how the tools differ. Windows are not compared.
function toolsAreEqual(actual, expected) {
  const text = value => JSON.stringify(value);
  for (const member of ['name', 'title', 'description', 'origin']) {
    if (expected[member] !== undefined && actual[member] !== expected[member]) {
      return `${member}: ${text(actual[member])} instead of ${text(expected[member])}`;
    }
  }
  if (text(actual.inputSchema) !== text(expected.inputSchema)) {
    return `inputSchema: ${text(actual.inputSchema)} instead of ${text(expected.inputSchema)}`;
  }
  for (const hint of ['readOnlyHint', 'untrustedContentHint', 'consequentialHint', 'debugging']) {
    if (actual.annotations?.[hint] !== expected.annotations?.[hint]) {
      return `${hint}: ${actual.annotations?.[hint]} instead of ${expected.annotations?.[hint]}`;
    }
  }
  return true;
}

// Servo has no requestIdleCallback yet, which applications put off their start with.
// Nothing tells a script that the page is idle: a period begins after the tasks that are queued, and lasts 50 ms.
(() => {
  "use strict";
  if ("requestIdleCallback" in window) {
    return;
  }

  const PERIOD = 50;
  const setTimeout = window.setTimeout.bind(window);
  const now = performance.now.bind(performance);

  const states = new WeakMap();
  function stateOf(deadline) {
    const state = states.get(deadline);
    if (!state) {
      throw new TypeError("This is not an IdleDeadline");
    }
    return state;
  }

  class IdleDeadline {
    constructor() {
      throw new TypeError("Illegal constructor");
    }
    get didTimeout() {
      return stateOf(this).didTimeout;
    }
    timeRemaining() {
      const { didTimeout, end } = stateOf(this);
      return didTimeout ? 0 : Math.max(0, end - now());
    }
  }
  for (const name of ["didTimeout", "timeRemaining"]) {
    Object.defineProperty(IdleDeadline.prototype, name, { enumerable: true });
  }
  Object.defineProperty(IdleDeadline.prototype, Symbol.toStringTag, { value: "IdleDeadline", configurable: true });

  const requests = new Map();
  let lastHandle = 0;
  let isScheduled = false;

  function schedule() {
    if (!isScheduled) {
      isScheduled = true;
      setTimeout(begin, 1);
    }
  }

  // A callback that is requested during a period waits for the next one.
  function begin() {
    run([...requests.keys()], now() + PERIOD);
  }

  // Each callback has a task of its own, so that its microtasks run before the next one.
  function run(handles, end) {
    const index = handles.findIndex(handle => requests.has(handle) && (now() < end || isDue(handle)));
    if (index === -1) {
      isScheduled = false;
      if (requests.size) {
        schedule();
      }
      return;
    }
    const handle = handles[index];
    const { callback } = requests.get(handle);
    const deadline = Object.create(IdleDeadline.prototype);
    states.set(deadline, { didTimeout: isDue(handle), end });
    requests.delete(handle);
    setTimeout(run, 0, handles.slice(index + 1), end);
    callback(deadline);
  }

  function isDue(handle) {
    return now() >= requests.get(handle).expires;
  }

  const functions = {
    requestIdleCallback(callback, options = {}) {
      if (typeof callback !== "function") {
        throw new TypeError("requestIdleCallback: the callback is not a function");
      }
      const timeout = Number(options?.timeout) || 0;
      lastHandle += 1;
      requests.set(lastHandle, { callback, expires: timeout > 0 ? now() + timeout : Infinity });
      schedule();
      return lastHandle;
    },
    cancelIdleCallback(handle) {
      requests.delete(Number(handle));
    },
  };
  for (const [name, value] of Object.entries(functions)) {
    Object.defineProperty(window, name, { value, configurable: true, enumerable: true, writable: true });
  }
  Object.defineProperty(window, "IdleDeadline", { value: IdleDeadline, configurable: true, writable: true });
})();

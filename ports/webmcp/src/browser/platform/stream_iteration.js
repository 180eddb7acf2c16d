// Servo's ReadableStream has no async iteration yet, which pages rely on: `for await (const chunk of response.body)`.
// This runs in every document before its own scripts, does nothing where the engine has it, and leaves no trace besides.
(() => {
  "use strict";
  const { prototype } = ReadableStream;
  if (Symbol.asyncIterator in prototype) {
    return;
  }

  const { getReader } = prototype;
  const { read, cancel, releaseLock } = ReadableStreamDefaultReader.prototype;
  const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
  const states = new WeakMap();

  // The steps of a call wait for the steps of the call before, as the queue of an async iterator does.
  function inTurn(iterator, steps) {
    const state = states.get(iterator);
    if (!state) {
      return Promise.reject(new TypeError("This is not an iterator of a ReadableStream"));
    }
    const run = () => steps(state);
    const result = state.last ? state.last.then(run, run) : run();
    state.last = result;
    return result;
  }

  const iteratorMethods = {
    next() {
      return inTurn(this, async (state) => {
        if (state.finished) {
          return { value: undefined, done: true };
        }
        let result;
        try {
          result = await read.call(state.reader);
        } catch (error) {
          state.finished = true;
          releaseLock.call(state.reader);
          throw error;
        }
        if (result.done) {
          state.finished = true;
          releaseLock.call(state.reader);
          return { value: undefined, done: true };
        }
        return { value: result.value, done: false };
      });
    },
    return(value) {
      return inTurn(this, async (state) => {
        if (state.finished) {
          return { value, done: true };
        }
        state.finished = true;
        const cancelled = state.preventCancel ? undefined : cancel.call(state.reader, value);
        releaseLock.call(state.reader);
        await cancelled;
        return { value, done: true };
      });
    },
  };
  const iteratorPrototype = Object.create(asyncIteratorPrototype);
  for (const name of ["next", "return"]) {
    Object.defineProperty(iteratorPrototype, name, {
      value: iteratorMethods[name],
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  Object.defineProperty(iteratorPrototype, Symbol.toStringTag, {
    value: "ReadableStream AsyncIterator",
    configurable: true,
  });

  const { values } = {
    values(options = {}) {
      const preventCancel = Boolean(options?.preventCancel);
      const reader = getReader.call(this);
      const iterator = Object.create(iteratorPrototype);
      states.set(iterator, { reader, preventCancel, finished: false, last: undefined });
      return iterator;
    },
  };
  Object.defineProperty(prototype, "values", { value: values, configurable: true, enumerable: true, writable: true });
  Object.defineProperty(prototype, Symbol.asyncIterator, { value: values, configurable: true, writable: true });
})();

/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// Helpers for the scripts of the engine tests. Every page that the tests serve starts with these.

'use strict';

// What events and callbacks leave behind, in their order.
globalThis.log = [];

/** Registers a tool. `extra` holds further members of the tool, or of the options. */
function register(name, execute = () => 'done', { signal, exposedTo, ...extra } = {}) {
  const options = {};
  if (signal !== undefined) {
    options.signal = signal;
  }
  if (exposedTo !== undefined) {
    options.exposedTo = exposedTo;
  }
  const tool = { name, description: `What ${name} does.`, execute, ...extra };
  return document.modelContext.registerTool(tool, options);
}

/** The names of the tools that are listed. */
async function listed(options) {
  return (await document.modelContext.getTools(options)).map(tool => tool.name);
}

/** The one listed tool of a name. */
async function findTool(name, options) {
  const tools = (await document.modelContext.getTools(options)).filter(tool => tool.name === name);
  if (tools.length !== 1) {
    throw new Error(`${tools.length} tools named ${name} are listed`);
  }
  return tools[0];
}

/** Finds a tool by its name and runs it. */
async function call(name, input = {}, { fromOrigins, ...options } = {}) {
  const tool = await findTool(name, fromOrigins && { fromOrigins });
  return document.modelContext.executeTool(tool, input, options);
}

/** A tool as `getTools()` could have listed it. */
function toolOf(window, name, origin = location.origin) {
  return { name, description: 'Made by hand.', window, origin };
}

/** A promise that never settles. */
function never() {
  return new Promise(() => {});
}

/**
 * How a promise settles, as JSON can carry it: the name of what it is rejected with, or `fulfilled`. What is no
 * exception is told by its text.
 */
async function ending(promise) {
  try {
    await promise;
  } catch (error) {
    return error instanceof Object && 'name' in error ? error.name : String(error);
  }
  return 'fulfilled';
}

/** The next event of a type. */
function nextEvent(target, type) {
  return new Promise(resolve => target.addEventListener(type, resolve, { once: true }));
}

/** Puts the types of these events at the ModelContext into the log. */
function watch(...types) {
  for (const type of types) {
    document.modelContext.addEventListener(type, () => log.push(type));
  }
}

/** Adds a frame with these attributes, and waits until it has loaded. */
async function addFrame(attributes = {}, parent = document.body) {
  const frame = document.createElement('iframe');
  for (const [name, value] of Object.entries(attributes)) {
    frame.setAttribute(name, value);
  }
  const loaded = nextEvent(frame, 'load');
  parent.append(frame);
  await loaded;
  return frame;
}

/** The frames of this document, in tree order. */
function frameAt(index) {
  return document.querySelectorAll('iframe')[index];
}

/** Navigates a frame, and waits until it has loaded. */
async function navigateFrame(index, url) {
  const loaded = nextEvent(frameAt(index), 'load');
  frameAt(index).src = url;
  await loaded;
}

// Scripts for frames. A path is the index of each frame on the way down; each document hands a script on to the next
// one, which works whatever the origins are.

const AsyncFunction = (async () => {}).constructor;
const runs = new Map();
let runCount = 0;

/** Runs the body of an async function in a frame, and gives what it returns. */
function runInFrame([first, ...path], script) {
  return new Promise((resolve, reject) => {
    const id = ++runCount;
    runs.set(id, { resolve, reject });
    frameAt(first).contentWindow.postMessage({ harness: 'run', id, path, script }, '*');
  });
}

addEventListener('message', async ({ data }) => {
  if (data?.harness === 'run') {
    const answer = { harness: 'ran', id: data.id };
    try {
      answer.value = data.path.length > 0
        ? await runInFrame(data.path, data.script)
        : await new AsyncFunction(data.script)();
    } catch (error) {
      answer.error = String(error);
    }
    parent.postMessage(answer, '*');
  } else if (data?.harness === 'ran') {
    const { resolve, reject } = runs.get(data.id);
    runs.delete(data.id);
    if ('error' in data) {
      reject(new Error(data.error));
    } else {
      resolve(data.value);
    }
  }
});

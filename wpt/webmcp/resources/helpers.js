'use strict';

// The members of a tool that no test cares about.
const TOOL_DEFAULTS = {
  description: 'A tool for tests',
  execute: async () => 'hello',
};

// Registers a tool until the end of the test, or until the controller that this resolves to is aborted.
async function registerTool(t, tool, options = {}) {
  const controller = new AbortController();
  t.add_cleanup(async () => {
    controller.abort();
    await pendingEventsHaveFired();
  });
  await document.modelContext.registerTool({...TOOL_DEFAULTS, ...tool}, {...options, signal: controller.signal});
  return controller;
}

// Counts the events of that type at the document's ModelContext until the end of the test. `reach()` of the counter
// resolves once there are that many.
function countEvents(t, type) {
  const counter = {
    events: 0,
    async reach(number) {
      while (this.events < number) {
        await waitForEvent(document.modelContext, type);
      }
    },
  };
  const listener = () => {
    ++counter.events;
  };
  document.modelContext.addEventListener(type, listener);
  t.add_cleanup(() => document.modelContext.removeEventListener(type, listener));
  return counter;
}

// Resolves to the tool of that name that getTools() lists, or to undefined.
async function findTool(name, options = {}) {
  const tools = await document.modelContext.getTools(options);
  return tools.find(tool => tool.name === name);
}

// Registers a tool as registerTool() does, and resolves to it as getTools() lists it.
async function registerAndFindTool(t, tool, options = {}) {
  await registerTool(t, tool, options);
  return findTool(tool.name);
}

// Resolves to the tool of that name once getTools() lists it.
async function waitForTool(name, options = {}) {
  for (;;) {
    const changed = waitForEvent(document.modelContext, 'toolchange');
    const tool = await findTool(name, options);
    if (tool) {
      return tool;
    }
    await changed;
  }
}

// Resolves to the next event of that type at the target.
function waitForEvent(target, type) {
  return new Promise(resolve => target.addEventListener(type, resolve, {once: true}));
}

// Resolves when everything that has been queued for this document by a change of tools must have run: the answer of
// getTools() comes from the same task source as the events.
async function pendingEventsHaveFired() {
  await document.modelContext.getTools();
}

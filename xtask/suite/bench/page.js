/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// Measures what the methods of document.modelContext cost, beside an empty message as the floor.
//
// Each row is a piece of work that is done many times in a row; the clock is read only around a whole batch, since
// browsers make it coarse. `runBench()` gives the median time of one call for each row, in microseconds. Of a page whose
// address has `?report` it is sent to the server.

"use strict";

/** How long a batch is to take at least where its size is free, in milliseconds. */
const BATCH = 40;
/** For how long each row is run before it counts: for the compilers of the engine, and to find the size of a batch. */
const WARM_UP = 150;
/** For how long each row is measured at least. */
const MEASURED = 250;
/** How many batches count at least. */
const FEWEST_BATCHES = 5;

const context = document.modelContext;

/** The other name of this machine, which makes another site of the same server. */
const otherOrigin = location.origin.replace("//localhost", "//127.0.0.1");

/**
 * @param work `run(count, prepared)` does it `count` times; `prepare(count)` and `clean(prepared)` are not timed;
 *   `count`, where given, is the size of every batch.
 */
async function measure(work) {
  let count = work.count ?? 1;
  const warm = performance.now() + WARM_UP;
  for (let time = 0; performance.now() < warm || (!work.count && time < BATCH);) {
    time = await timeOf(work, count);
    if (!work.count && time < BATCH) {
      count = Math.ceil(count * Math.min(8, 1.2 * BATCH / Math.max(time, 1))) + 1;
    }
  }
  const times = [];
  for (let sum = 0; sum < MEASURED || times.length < FEWEST_BATCHES;) {
    const time = await timeOf(work, count);
    sum += time;
    times.push(time);
  }
  return 1000 * median(times) / count / (work.parts ?? 1);
}

async function timeOf(work, count) {
  const prepared = await work.prepare?.(count);
  const start = performance.now();
  await work.run(count, prepared);
  const time = performance.now() - start;
  await work.clean?.(prepared);
  return time;
}

/** One call after the other. */
function inTurn(call) {
  return {
    async run(count) {
      for (let done = 0; done < count; done++) {
        await call();
      }
    },
  };
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function check(condition, what) {
  if (!condition) {
    throw new Error(`not as expected: ${what}`);
  }
}

/** A tool of the usual size. */
function tool(name, execute = input => input) {
  return {
    name,
    title: "Search the catalogue",
    description: "Finds the articles of the catalogue that match a query, the best ones first",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for" },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        order: { type: "string", enum: ["relevance", "price", "name"] },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true },
    execute,
  };
}

/** Registers tools with names of their own, runs `body`, and takes them away again. */
async function withTools(count, body) {
  const controller = new AbortController();
  const registered = Array.from({ length: count }, (_, index) =>
    context.registerTool(tool(`search_${index}`), { signal: controller.signal }));
  await Promise.all(registered);
  const result = await body();
  await unregister(controller);
  return result;
}

async function unregister(...controllers) {
  for (const controller of controllers) {
    controller.abort();
  }
  // Answered after all of that has been taken note of.
  await context.getTools();
}

/** There and back between the two ends of a channel in this document. */
function channelRoundTrip() {
  const { port1, port2 } = new MessageChannel();
  let answered;
  port1.onmessage = () => answered();
  port2.onmessage = () => port2.postMessage(null);
  return inTurn(() => new Promise(resolve => {
    answered = resolve;
    port1.postMessage(null);
  }));
}

/** There and back between this document and that of a frame. */
function frameRoundTrip(frame, origin) {
  let answered;
  addEventListener("message", event => {
    if (event.data === "pong") {
      answered();
    }
  });
  return inTurn(() => new Promise(resolve => {
    answered = resolve;
    frame.contentWindow.postMessage("ping", origin);
  }));
}

/** One registration after the other, each awaited. */
const registrations = {
  count: 100,
  prepare: count => Array.from({ length: count }, () => new AbortController()),
  async run(count, controllers) {
    for (let done = 0; done < count; done++) {
      await context.registerTool(tool(`search_${done}`), { signal: controllers[done].signal });
    }
  },
  clean: controllers => unregister(...controllers),
};

/** All at once; the time is that of one of them. */
const manyRegistrations = {
  count: 1,
  parts: 1000,
  prepare: () => new AbortController(),
  async run(_, controller) {
    const registered = [];
    for (let done = 0; done < this.parts; done++) {
      registered.push(context.registerTool(tool(`search_${done}`), { signal: controller.signal }));
    }
    await Promise.all(registered);
  },
  clean: controller => unregister(controller),
};

async function listing(count) {
  return withTools(count, async () => {
    const tools = await context.getTools();
    check(tools.length === count && tools[0].inputSchema.required[0] === "query", `${count} tools are listed`);
    return measure(inTurn(() => context.getTools()));
  });
}

async function calling(registered, input) {
  const call = () => context.executeTool(registered, input);
  const result = JSON.parse(await call());
  check(JSON.stringify(result) === JSON.stringify(input), "the tool gives back its input");
  return measure(inTurn(call));
}

/** From the abort of a call, which its tool waits for, to the event at the signal of the tool. */
async function aborting() {
  const aborted = [];
  let isStarted;
  const controller = new AbortController();
  const hang = (_, { signal }) => {
    aborted.push(new Promise(resolve => signal.addEventListener("abort", resolve, { once: true })));
    isStarted();
    return new Promise(() => {});
  };
  await context.registerTool(tool("hang", hang), { signal: controller.signal });
  const [registered] = await context.getTools();
  const time = await measure({
    count: 100,
    async prepare(count) {
      aborted.length = 0;
      const calls = [];
      for (let done = 0; done < count; done++) {
        const controller = new AbortController();
        const started = new Promise(resolve => isStarted = resolve);
        const ended = context.executeTool(registered, {}, { signal: controller.signal }).catch(error => error);
        await started;
        calls.push({ controller, ended });
      }
      return calls;
    },
    async run(count, calls) {
      for (let done = 0; done < count; done++) {
        calls[done].controller.abort();
        await aborted[done];
      }
    },
    clean: calls => Promise.all(calls.map(({ ended }) => ended)),
  });
  await unregister(controller);
  return time;
}

/** A frame of an origin, when its tool is there, and the tool as this document gets it. */
async function frameWithTool(origin) {
  const frame = document.createElement("iframe");
  frame.allow = "tools";
  frame.src = `${origin}/frame.html?embedder=${encodeURIComponent(location.origin)}`;
  const ready = new Promise(resolve => {
    addEventListener("message", function listener(event) {
      if (event.source === frame.contentWindow && event.data === "ready") {
        removeEventListener("message", listener);
        resolve();
      }
    });
  });
  document.body.append(frame);
  await ready;
  const tools = await context.getTools({ fromOrigins: [origin] });
  const registered = tools.find(({ name, origin: owner }) => name === "frame_echo" && owner === origin);
  check(registered, `the tool of ${origin} is listed`);
  return [frame, registered];
}

async function runBench() {
  const small = { query: "tea", limit: 10 };
  const megabyte = { text: "A \"line\" of text, 32 bytes long.\n".repeat(32768) };
  const results = {};

  results.channel = await measure(channelRoundTrip());
  results.register_one = await measure(registrations);
  results.register_1000 = await measure(manyRegistrations);
  results.list_10 = await listing(10);
  results.list_1000 = await listing(1000);
  const controller = new AbortController();
  await context.registerTool(tool("echo"), { signal: controller.signal });
  const [echo] = await context.getTools();
  results.call_same_document = await calling(echo, small);
  results.call_megabyte = await calling(echo, megabyte);
  await unregister(controller);
  results.abort = await aborting();

  const [sameOriginFrame, sameOriginEcho] = await frameWithTool(location.origin);
  results.call_same_origin_frame = await calling(sameOriginEcho, small);
  sameOriginFrame.remove();

  const [otherFrame, otherEcho] = await frameWithTool(otherOrigin);
  results.frame_message = await measure(frameRoundTrip(otherFrame, otherOrigin));
  results.call_cross_origin_frame = await calling(otherEcho, small);
  results.call_cross_origin_1000 = await withTools(1000, () => calling(otherEcho, small));
  results.call_megabyte_cross_origin = await calling(otherEcho, megabyte);
  otherFrame.remove();
  return results;
}

if (location.search === "?report") {
  addEventListener("load", async () => {
    const report = await runBench().catch(error => ({ error: String(error) }));
    await fetch("report", { method: "POST", body: JSON.stringify(report) });
  });
}

// Chrome's guide to the imperative API, carried out. What a reader of the guide would type into the console is gathered
// in `window.guide`, so that `webmcp eval demo:guide 'guide.discover()'` does it too.

const context = document.modelContext;
const element = (id) => document.getElementById(id);

function addLine(id, text) {
  const line = document.createElement("li");
  line.textContent = text;
  element(id).append(line);
}

// Events come first, so that no change is missed.

let changes = 0;
context?.addEventListener("toolchange", () => {
  changes += 1;
  element("changes").textContent = changes;
});

// Registering a tool: a pizza whose layers can be toggled.

async function toggleLayer(layer, action = "toggle") {
  const wanted = { add: true, remove: false, toggle: undefined }[action];
  return element(layer).classList.toggle("on", wanted);
}

const toggleLayerTool = {
  name: "toggle_layer",
  description: 'Put a layer of the pizza on or take it off: "add", "remove" or "toggle".',
  inputSchema: {
    type: "object",
    properties: {
      layer: { type: "string", enum: ["sauce-layer", "cheese-layer"] },
      action: { type: "string", enum: ["add", "remove", "toggle"] },
    },
    required: ["layer"],
  },
  execute: async ({ layer, action }) => {
    await toggleLayer(layer, action);
    return `Performed ${action || "toggle"} on layer: ${layer}`;
  },
};

// Registering a tool: orders, by the time in which they were made.

const timeframes = {
  today: ["Today", 1],
  yesterday: ["Yesterday", 2],
  last_7_days: ["Last 7 Days", 7],
  last_30_days: ["Last 30 Days", 30],
  last_6_months: ["Last 6 Months", 183],
};

const orders = [
  { number: 1009, age: 0, status: "being packed", location: "Warehouse" },
  { number: 1007, age: 1, status: "shipped", location: "Hamburg" },
  { number: 1001, age: 20, status: "delivered", location: "Front door" },
];

const getOrderStatusTool = {
  name: "get_order_status",
  description: "Look up the orders of a time: their numbers, how far they are and where.",
  inputSchema: {
    type: "object",
    properties: {
      timeframe: {
        type: "string",
        oneOf: Object.entries(timeframes).map(([name, [title]]) => ({ type: "string", const: name, title })),
        enum: Object.keys(timeframes),
        description: "When the orders were made.",
      },
    },
    required: ["timeframe"],
  },
  execute: async ({ timeframe }) => {
    const [title, days] = timeframes[timeframe];
    const youngest = timeframe === "yesterday" ? 1 : 0;
    const lines = orders
      .filter(({ age }) => age >= youngest && age < days)
      .map(({ number, status, location }) => `${number}: ${status}, ${location}`);
    element("orders").replaceChildren();
    lines.forEach((line) => addLine("orders", line));
    return lines.length ? lines.join("\n") : `No orders: ${title}.`;
  },
};

// Annotations: all four hints.

const bookFlightTool = {
  name: "book_flight",
  description: "Book seats on a flight whose details the user has confirmed.",
  inputSchema: {
    type: "object",
    properties: {
      flightId: { type: "string", description: "Which flight" },
      passengers: { type: "number", description: "How many tickets to buy" },
    },
    required: ["flightId", "passengers"],
  },
  annotations: {
    readOnlyHint: false,
    consequentialHint: true,
    untrustedContentHint: false,
    debugging: false,
  },
  execute: async ({ flightId, passengers }) => {
    addLine("flights", `${flightId}: ${passengers}`);
    return `Booked ${passengers} passenger(s) on flight ${flightId}.`;
  },
};

// Unregistering a tool through an AbortSignal.

const addTodoTool = {
  name: "addTodo",
  description: "Add an item to the to-do list.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: false, untrustedContentHint: true },
  execute: async ({ text }) => {
    addLine("todos", text);
    return `Added to-do: ${text}`;
  },
};
const todoController = new AbortController();

// Cancelling: a fetch that streams and honours the signal of its call.

const fetchTool = {
  name: "fetch_tool",
  description: "Fetch the text behind a URL and show it while it arrives.",
  inputSchema: {
    type: "object",
    properties: {
      url: { type: "string", description: "What to fetch" },
      priority: { type: "string", enum: ["high", "low", "auto"] },
    },
    required: ["url"],
  },
  execute: async ({ url, priority }, { signal }) => {
    const show = (state) => (element("stream-state").textContent = state);
    element("stream").textContent = "";
    show("streaming");
    try {
      const response = await fetch(url, { priority, signal });
      const stream = response.body.pipeThrough(new TextDecoderStream());
      for await (const chunk of stream) {
        element("stream").textContent += chunk;
      }
      show("complete");
    } catch (error) {
      show(`stopped by ${error.name}`);
      throw error;
    }
    return "Success";
  },
};

// A frame of another origin. The local server has two names, which makes two sites.

const partnerOrigin = (() => {
  const url = new URL(location.origin);
  url.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return url.origin;
})();
/** Resolves when the partner has registered its tools. */
const partnerReady = new Promise((resolve) => {
  addEventListener("message", ({ origin, data }) => origin === partnerOrigin && data === "ready" && resolve());
});
element("partner").src = new URL("partner.html", partnerOrigin + location.pathname);

function registerAll() {
  return Promise.all([
    context.registerTool(toggleLayerTool),
    context.registerTool(getOrderStatusTool),
    context.registerTool(bookFlightTool),
    context.registerTool(addTodoTool, { signal: todoController.signal }),
    context.registerTool(fetchTool),
  ]);
}

/** Resolves when everything that the examples below use is there. */
const ready = context ? Promise.all([registerAll(), partnerReady]) : Promise.reject(new Error("There is no API."));
ready.catch((error) => {
  element("no-api").hidden = Boolean(context);
  console.error(error);
});

// What the guide does with tools once they are there.

async function ownTool(name) {
  await ready;
  const tools = await context.getTools();
  return tools.find((tool) => tool.name === name);
}

/** Resolves once `condition` holds after a change of the document. */
function documentShows(condition) {
  return new Promise((resolve) => {
    const look = () => {
      if (condition()) {
        observer.disconnect();
        resolve();
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  });
}

window.guide = {
  partnerOrigin,

  /** Discovering tools: those of this origin, then also those of the partner that it exposes. */
  async discover() {
    await ready;
    const names = (tools) => tools.map((tool) => tool.name);
    return {
      sameOrigin: names(await context.getTools()),
      withPartner: names(await context.getTools({ fromOrigins: [partnerOrigin] })),
    };
  },

  /** What one discovered tool looks like. */
  async describe(name) {
    const { window: owner, ...tool } = await ownTool(name);
    return { ...tool, ownWindow: owner === window };
  },

  /** Executing a tool. */
  async execute(name = "addTodo", input = { text: "Buy milk" }) {
    return context.executeTool(await ownTool(name), input);
  },

  /** Executing the partner's tool across origins. */
  async executeShared(input = { text: "hello" }) {
    await ready;
    const tools = await context.getTools({ fromOrigins: [partnerOrigin] });
    return context.executeTool(tools.find((tool) => tool.name === "my_shared_tool"), input);
  },

  /** Streaming to the end. */
  async stream(lines = 3) {
    const result = await guide.execute("fetch_tool", { url: `stream?lines=${lines}&pause=10`, priority: "high" });
    return { result, text: element("stream").textContent, state: element("stream-state").textContent };
  },

  /** Cancelling a call in the middle of a stream that would go on for hours. */
  async cancel() {
    const controller = new AbortController();
    const tool = await ownTool("fetch_tool");
    const call = context.executeTool(tool, { url: "stream?lines=100000&pause=50" }, { signal: controller.signal });
    const outcome = call.then(
      () => "resolved",
      (error) => `rejected with ${error.name}`,
    );
    await documentShows(() => element("stream").textContent.includes("line 2"));
    controller.abort();
    const ending = await outcome;
    await documentShows(() => element("stream-state").textContent.startsWith("stopped"));
    return { call: ending, tool: element("stream-state").textContent };
  },

  /** Unregistering a tool: the names before and after. Ends once the change has been heard of. */
  async unregister() {
    const before = (await guide.discover()).sameOrigin;
    const heardBefore = changes;
    todoController.abort();
    const after = (await guide.discover()).sameOrigin;
    await documentShows(() => changes > heardBefore);
    return { before, after };
  },
};

function showResultOf(id, action) {
  element(id).addEventListener("click", async () => {
    try {
      element("result").textContent = JSON.stringify(await action(), null, 2);
    } catch (error) {
      element("result").textContent = String(error);
    }
  });
}
showResultOf("discover", guide.discover);
showResultOf("execute", () => guide.execute());
showResultOf("cancel", guide.cancel);
showResultOf("unregister", guide.unregister);

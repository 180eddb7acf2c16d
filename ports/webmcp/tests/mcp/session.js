// A client of either revision, connected to the program over either transport.
//
// The environment says what is tested: WEBMCP is the path of the program, and REVISION, if it is there, the only revision.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

assert(process.env.WEBMCP, "WEBMCP must be the path of the program");

// The transport as it is first starts the program once more, to see which revisions it speaks. What is derived from it does
// not, and a browser that is started twice takes twice as long.
class ModernStdioOnce extends ModernStdio {}

export const LIST_CHANGED = "notifications/tools/list_changed";
export const RESOURCE_UPDATED = "notifications/resources/updated";

// What differs between the official clients of the two revisions.
export const REVISIONS = [
  {
    name: "2026-07-28",
    Stdio: ModernStdioOnce,
    Http: modern.StreamableHTTPClientTransport,
    client: (info, options) =>
      new modern.Client(info, { ...options, versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    onQuestion: (client, answer) => client.setRequestHandler("elicitation/create", answer),
    callTool: (client, params, options) => client.callTool(params, options),
    watch: async ({ client }, uris) => {
      await client.listen({ toolsListChanged: true, ...(uris.length && { resourceSubscriptions: uris }) });
    },
  },
  {
    name: "2025-11-25",
    Stdio: LegacyStdio,
    Http: LegacyHttp,
    client: (info, options) => new LegacyClient(info, options),
    onQuestion: (client, answer) => client.setRequestHandler(ElicitRequestSchema, answer),
    callTool: (client, params, options) => client.callTool(params, undefined, options),
    // Changes of the list are told without being asked for.
    watch: async ({ client, listening }, uris) => {
      await listening;
      for (const uri of uris) {
        await client.subscribeResource({ uri });
      }
    },
  },
];

const wanted = (revision) => [undefined, revision.name].includes(process.env.REVISION);
assert(REVISIONS.some(wanted), `there is no revision ${process.env.REVISION}`);

// One that hangs fails under its own name.
const TIMEOUT = { timeout: 300_000 };

// Defines the test once for the client of each revision.
export function eachRevision(name, body) {
  for (const revision of REVISIONS.filter(wanted)) {
    test(`${name} (${revision.name})`, TIMEOUT, (t) => body(t, revision));
  }
}

// Defines a test that has nothing to do with revisions. It runs with those of the first.
export function plainTest(name, body) {
  if (wanted(REVISIONS[0])) {
    test(name, TIMEOUT, body);
  }
}

// The path of one of our pages.
const page = (name) => fileURLToPath(new URL(`pages/${name}`, import.meta.url));

// The arguments of the program that serve a page.
export const serve = (name, options = []) => ["serve", page(name), "--timeout", "100", ...options];

// A connected client.
export class Session {
  constructor(revision, client, transport, listening) {
    this.revision = revision;
    this.client = client;
    this.transport = transport;
    // Over HTTP, when what the server says by itself can arrive.
    this.listening = listening;
    // Every message since the connection, in the order of arrival.
    this.messages = [];
    this.arrival = new EventEmitter();
    const handle = transport.onmessage;
    transport.onmessage = (message, extra) => {
      this.messages.push(message);
      this.arrival.emit("message");
      handle.call(transport, message, extra);
    };
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  async names() {
    return (await this.tools()).map(({ name }) => name);
  }

  async tool(name) {
    const tools = await this.tools();
    const tool = tools.find((tool) => tool.name === name);
    assert(tool, `${name} is not among ${tools.map((tool) => tool.name)}`);
    return tool;
  }

  call(name, args = {}, options = {}) {
    return this.revision.callTool(this.client, { name, arguments: args }, { timeout: 100_000, ...options });
  }

  // The text of the result of a call that must succeed.
  async text(name, args = {}) {
    const result = await this.call(name, args);
    assert(!result.isError, JSON.stringify(result.content));
    return textOf(result);
  }

  // The text of the result of a call that must fail.
  async failure(name, args = {}) {
    const result = await this.call(name, args);
    assert.equal(result.isError, true, JSON.stringify(result));
    return textOf(result);
  }

  // From now on the server tells of changes of the tools, and of these resources.
  watch(uris = []) {
    return this.revision.watch(this, uris);
  }

  // Waits for a message that fits; those that arrived after the first `since` ones count.
  async message(fits, since = 0) {
    for (let next = since; ; next += 1) {
      while (next >= this.messages.length) {
        await once(this.arrival, "message");
      }
      if (fits(this.messages[next])) {
        return next;
      }
    }
  }

  notification(method, since = 0) {
    return this.message((message) => message.method === method, since);
  }

  // Waits until the list has been told to have changed, and has this tool.
  async isListed(name, since) {
    for (let next = since; ; next += 1) {
      next = await this.notification(LIST_CHANGED, next);
      if ((await this.names()).includes(name)) {
        return;
      }
    }
  }

  // Starts a call of the tool `wait`, and returns when the page has begun to run it.
  async startWaiting(options = {}) {
    const since = this.messages.length;
    const result = this.call("wait", {}, options);
    // It may fail before anybody looks.
    result.catch(() => {});
    await this.isListed("is_waiting", since);
    // In an object, or the caller would wait for it.
    return { result };
  }
}

// All texts of a result.
export const textOf = (result) =>
  result.content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n");

// A client for a transport. `answer` is how the user answers questions; without it the client cannot ask.
export async function open(revision, transport, { answer, name = "tests", listening } = {}) {
  const client = revision.client(
    { name, version: "1.0.0" },
    { capabilities: answer ? { elicitation: { form: {} } } : {} },
  );
  if (answer) {
    revision.onQuestion(client, answer);
  }
  await client.connect(transport);
  return new Session(revision, client, transport, listening);
}

// A client that has started the program and speaks to it over standard input and output.
export async function connect(t, revision, name, options = [], settings = {}) {
  const { Stdio = revision.Stdio } = settings;
  const transport = new Stdio({
    command: process.env.WEBMCP,
    args: serve(name, options),
    env: process.env,
    stderr: "inherit",
  });
  t.after(() => transport.close());
  return open(revision, transport, settings);
}

// The program, serving over HTTP; the address at which it does.
export async function startHttp(t, name, options = [], env = {}) {
  const server = spawn(process.env.WEBMCP, serve(name, ["--http", "127.0.0.1:0", ...options]), {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(server, "exit");
  t.after(async () => {
    server.kill("SIGKILL");
    await ended;
  });
  const lines = [];
  for await (const line of createInterface({ input: server.stderr })) {
    const found = /http:\/\/\S+\/mcp/.exec(line);
    if (found) {
      server.stderr.on("data", (text) => process.stderr.write(text));
      return { url: new URL(found[0]), server, ended };
    }
    lines.push(line);
  }
  assert.fail(`the server ended before it told its address: ${lines.join("\n")}`);
}

// A client of a server over HTTP.
export async function connectHttp(t, revision, url, settings = {}) {
  const { token } = settings;
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  let hears;
  const listening = new Promise((resolve) => {
    hears = resolve;
  });
  const transport = new revision.Http(url, {
    requestInit: { headers },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "GET" && response.ok) {
        hears();
      }
      return response;
    },
  });
  t.after(() => transport.close());
  return open(revision, transport, { ...settings, listening });
}

// Both transports, for tests of what may differ between them.
export function eachTransport(name, body) {
  eachRevision(`${name}, over stdio`, (t, revision) =>
    body(t, (page, options, settings) => connect(t, revision, page, options, settings)),
  );
  eachRevision(`${name}, over HTTP`, (t, revision) =>
    body(t, async (page, options, settings) => {
      const { url } = await startHttp(t, page, options);
      return connectHttp(t, revision, url, settings);
    }),
  );
}

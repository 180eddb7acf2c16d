// Listing tools, calling them, and what becomes of results and errors.

import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { REVISIONS, connect, eachRevision, eachTransport, plainTest, textOf } from "./session.js";

const FIXED = [
  "browser_call_page_tool",
  "browser_go_back",
  "browser_list_page_tools",
  "browser_navigate",
  "browser_read_text",
  "browser_reload",
  "browser_screenshot",
];

eachTransport("tools are listed and called", async (t, start) => {
  const session = await start("results.html");
  assert.equal(await session.text("greet", { name: "Ada" }), "Hello Ada");

  const tools = await session.tools();
  assert.deepEqual(
    tools
      .map(({ name }) => name)
      .filter((name) => name.startsWith("browser_"))
      .sort(),
    FIXED,
  );
  const greet = tools.find(({ name }) => name === "greet");
  assert.equal(greet.title, "Greet somebody");
  assert.match(greet.description, /web page.*The tool greet\./s);
  assert.match(greet.description, /others wrote/);
  assert.deepEqual(greet.inputSchema.required, ["name"]);
  assert.deepEqual(greet.annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: true });
  const meta = greet._meta;
  assert.match(meta["webmcp/origin"], /^http:\/\/localhost:\d+$/);
  assert.deepEqual(meta["webmcp/frame"], []);
  assert.match(meta["webmcp/registration"], /^[0-9a-f-]{36}$/);
  assert.equal(meta["webmcp/untrustedContent"], true);
});

eachRevision("a tool without a schema takes any object", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const { inputSchema } = await session.tool("list_primes");
  assert.equal(inputSchema.type, "object");
  assert.equal(inputSchema.required, undefined);
  await session.text("list_primes", { anything: 1 });
});

eachRevision("a page cannot have arguments copied into headers", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const { inputSchema } = await session.tool("plant_header");
  assert.deepEqual(inputSchema.properties.city, { type: "string" });
});

eachRevision("values are given as text and as structured content", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const order = await session.call("order", { lines: [{ pieces: 2 }, { pieces: 3 }] });
  assert.deepEqual(order.structuredContent, { pieces: 5 });
  assert.match(textOf(order), /\{"pieces":5\}/);

  // Before 2026-07-28 structured content had to be an object.
  const primes = await session.call("list_primes");
  const structured = revision.name === "2026-07-28" ? [2, 3, 5] : undefined;
  assert.deepEqual(primes.structuredContent, structured);
  assert.match(textOf(primes), /\[2,3,5\]/);
});

eachRevision("content of MCP passes through", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const { content, isError } = await session.call("draw");
  assert(!isError);
  assert.deepEqual(
    content.filter(({ type }) => type === "image"),
    [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }],
  );
  assert(content.some(({ text }) => text === "a dot"));
  assert.match(await session.failure("refuse"), /Out of stock\./);
});

eachRevision("the text of what a tool throws reaches the client", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  assert.match(await session.failure("throw"), /Only up to 9\./);
});

eachRevision("arguments that do not fit the schema do not reach the page", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  for (const [name, args, parts] of [
    ["greet", { name: 7 }, [/\/name/, /string/, /not run/]],
    ["greet", {}, [/"name"/, /required/]],
    ["greet", { name: "Ada", age: 36 }, [/age/]],
    ["order", { lines: [{ pieces: 1 }, { pieces: "two" }] }, [/\/lines\/1\/pieces/, /integer/]],
  ]) {
    const reason = await session.failure(name, args);
    for (const part of parts) {
      assert.match(reason, part);
    }
  }
  await session.text("greet", { name: "Ada" });
  assert.deepEqual((await session.call("names_greeted")).structuredContent, { calls: ["Ada"] });
});

eachRevision("arguments are not checked with --no-validate", async (t, revision) => {
  const session = await connect(t, revision, "results.html", ["--no-validate"]);
  assert.equal(await session.text("greet", { name: 7 }), "Hello 7");
});

eachRevision("tools for debugging are hidden unless they are wanted", async (t, revision) => {
  const usual = await connect(t, revision, "results.html");
  assert(!(await usual.names()).includes("inspect"));
  const wanted = await connect(t, revision, "results.html", ["--debugging"]);
  assert(await wanted.tool("inspect"));
  assert.equal(await wanted.text("inspect"), "the inside");
});

eachRevision("a page cannot take the place of the browser's own tools", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const tools = await session.tools();
  const { name } = tools.find(({ _meta }) => _meta?.["webmcp/name"] === "browser_read_text");
  assert(!name.startsWith("browser_"), name);
  assert.equal(await session.text(name), "an imitation");
  assert.doesNotMatch(await session.text("browser_read_text"), /an imitation/);
});

eachRevision("a tool that does not exist is an error that says so", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  await session.tools();
  await assert.rejects(session.call("gret"), /There is no tool "gret"/);
});

eachRevision("clients with a fixed list reach the page's tools by name", async (t, revision) => {
  const session = await connect(t, revision, "results.html");
  const { structuredContent } = await session.call("browser_list_page_tools");
  assert(structuredContent.tools.some(({ name, inputSchema }) => name === "greet" && inputSchema.required));
  const args = { name: "greet", arguments: { name: "Ada" } };
  assert.equal(await session.text("browser_call_page_tool", args), "Hello Ada");
  args.arguments = { name: 7 };
  assert.match(await session.failure("browser_call_page_tool", args), /\/name/);
});

plainTest("a client that takes what it finds out finds the new revision", async (t) => {
  const negotiating = {
    ...REVISIONS[0],
    client: (info, options) => new Client(info, { ...options, versionNegotiation: { mode: "auto" } }),
  };
  const session = await connect(t, negotiating, "results.html", [], { Stdio: StdioClientTransport });
  assert.equal(session.client.getNegotiatedProtocolVersion(), "2026-07-28");
  assert.equal(await session.text("greet", { name: "Ada" }), "Hello Ada");
});

plainTest("the new client speaks the old revision if it is told to", async (t) => {
  const old = { ...REVISIONS[0], client: (info, options) => new Client(info, options) };
  const session = await connect(t, old, "results.html");
  assert.equal(session.client.getNegotiatedProtocolVersion(), "2025-11-25");
  assert.equal(await session.text("greet", { name: "Ada" }), "Hello Ada");
});

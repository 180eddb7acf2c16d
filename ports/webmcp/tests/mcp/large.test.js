// Much at once.

import assert from "node:assert/strict";

import { connect, eachRevision, eachTransport, textOf } from "./session.js";

const MEGABYTE = 1 << 20;

eachTransport("a megabyte goes in and comes out", async (t, start) => {
  const session = await start("results.html", ["--result-limit", String(8 * MEGABYTE)]);
  // Not all characters are of one byte, and some have to be escaped.
  const text = "0123456789é\"\\\n\u{1F600}".repeat(MEGABYTE / 16).slice(0, MEGABYTE);
  const { structuredContent, isError } = await session.call("echo", { text });
  assert(!isError);
  assert.equal(structuredContent.length, text.length);
  assert(structuredContent.text === text, "the text came back changed");
});

eachRevision("a result beyond the limit is cut, and says so", async (t, revision) => {
  const session = await connect(t, revision, "results.html", ["--result-limit", "2048"]);
  const result = await session.call("echo", { text: "x".repeat(MEGABYTE) });
  assert(!result.isError);
  const text = textOf(result);
  assert.match(text, /\d+ more bytes/);
  assert(JSON.stringify(result).length < 5000, String(JSON.stringify(result).length));
});

eachTransport("a thousand tools are listed and called", async (t, start) => {
  const session = await start("many.html");
  const tools = (await session.tools()).filter(({ name }) => name.startsWith("tool_"));
  assert.equal(new Set(tools.map(({ name }) => name)).size, 1000);
  for (const number of [0, 500, 999]) {
    const { structuredContent } = await session.call(`tool_${number}`, { add: 1 });
    assert.deepEqual(structuredContent, { sum: number + 1 });
  }
});

eachRevision("a hundred calls at once are all answered", async (t, revision) => {
  const session = await connect(t, revision, "many.html");
  const numbers = [...Array(100).keys()];
  const results = await Promise.all(numbers.map((number) => session.call(`tool_${number}`, { add: 1000 })));
  assert.deepEqual(
    results.map(({ structuredContent }) => structuredContent.sum),
    numbers.map((number) => number + 1000),
  );
});

// The page as resources.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { RESOURCE_UPDATED, connect, eachRevision, eachTransport } from "./session.js";

const at = (name) => `page://current/${name}`;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

async function read(session, name) {
  const { contents } = await session.client.readResource({ uri: at(name) });
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, at(name));
  return contents[0];
}

const lines = (text) =>
  text
    .split("\n")
    .filter((line) => line)
    .map((line) => JSON.parse(line));

eachTransport("the page can be read as resources", async (t, start) => {
  const session = await start("first.html");
  const { resources } = await session.client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri).sort(),
    ["html", "log", "screenshot", "text", "tools"].map(at),
  );

  const text = await read(session, "text");
  assert.equal(text.mimeType, "text/plain");
  assert.match(text.text, /First things/);
  assert.doesNotMatch(text.text, /</);
  const html = await read(session, "html");
  assert.equal(html.mimeType, "text/html");
  assert.match(html.text, /<h1>First things<\/h1>/);
  const screenshot = await read(session, "screenshot");
  assert.equal(screenshot.mimeType, "image/png");
  assert.deepEqual(Buffer.from(screenshot.blob, "base64").subarray(0, PNG.length), PNG);
  const tools = JSON.parse((await read(session, "tools")).text).tools;
  assert.deepEqual(tools.map(({ name }) => name), ["only_on_the_first", "leave"]);

  assert.deepEqual(lines((await read(session, "log")).text), []);
  await session.text("only_on_the_first");
  const [call, ...others] = lines((await read(session, "log")).text);
  assert.equal(call.tool, "only_on_the_first");
  assert.deepEqual(others, []);
});

eachRevision("a resource that does not exist is an error that names those that do", async (t, revision) => {
  const session = await connect(t, revision, "first.html");
  await assert.rejects(session.client.readResource({ uri: at("cookies") }), /page:\/\/current\/cookies.*page:\/\/current\/text/s);
});

eachTransport("a client that subscribed hears that the page was navigated", async (t, start) => {
  const session = await start("first.html");
  await session.watch([at("text"), at("tools")]);
  const origin = (await session.tool("leave"))._meta["webmcp/origin"];
  const since = session.messages.length;
  await session.call("browser_navigate", { url: `${origin}/second.html` });
  for (const name of ["text", "tools"]) {
    await session.message(({ method, params }) => method === RESOURCE_UPDATED && params.uri === at(name), since);
  }
  assert.match((await read(session, "text")).text, /Second things/);
  const told = session.messages.filter(({ method }) => method === RESOURCE_UPDATED).map(({ params }) => params.uri);
  assert.deepEqual(new Set(told), new Set([at("text"), at("tools")]));
});

eachRevision("text and picture can be had with tools too", async (t, revision) => {
  const session = await connect(t, revision, "first.html");
  assert.match(await session.text("browser_read_text"), /First things/);
  const { content } = await session.call("browser_screenshot");
  const image = content.find(({ type }) => type === "image");
  assert.equal(image.mimeType, "image/png");
  assert.deepEqual(Buffer.from(image.data, "base64").subarray(0, PNG.length), PNG);
});

eachRevision("calls are recorded in a file", async (t, revision) => {
  const folder = await mkdtemp(join(tmpdir(), "webmcp-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "calls.jsonl");
  const session = await connect(t, revision, "results.html", ["--log", file]);
  await session.text("greet", { name: "Ada" });
  await session.failure("greet", { name: 7 });
  await session.failure("throw");
  const records = lines(await readFile(file, "utf8"));
  assert.deepEqual(
    records.map(({ tool, arguments: args }) => [tool, args]),
    [
      ["greet", { name: "Ada" }],
      ["greet", { name: 7 }],
      ["throw", {}],
    ],
  );
  for (const record of records) {
    assert.match(record.client, /^tests 1\.0\.0$/);
    assert.match(record.origin, /^http:\/\/localhost:\d+$/);
    assert(Date.parse(record.time) <= Date.now(), record.time);
    assert(record.durationMs >= 0, String(record.durationMs));
  }
  assert.deepEqual(
    records.map(({ outcome }) => outcome),
    ["done", "invalid", "callback-threw"],
  );
  assert.match(records[2].error, /Only up to 9\./);
});

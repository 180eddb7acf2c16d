// What only streamable HTTP has: several clients at once, a token, and the wrong kind of visitors.

import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LIST_CHANGED, REVISIONS, connectHttp, eachRevision, plainTest, startHttp } from "./session.js";

const TOKEN = "correct-horse-battery-staple";

// The status with which a request is answered that is like a client's first but for these headers.
async function status(url, headers) {
  const call = request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  call.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  const [response] = await once(call, "response");
  response.destroy();
  return response.statusCode;
}

for (const other of REVISIONS) {
  eachRevision(`a client shares the page with one of ${other.name}`, async (t, revision) => {
    const { url } = await startHttp(t, "waiting.html");
    const waiting = await connectHttp(t, revision, url, { name: "waiting" });
    const helping = await connectHttp(t, other, url, { name: "helping" });
    await waiting.watch();
    await helping.watch();
    assert(!(await helping.names()).includes("is_waiting"));
    const { result } = await waiting.startWaiting();
    // The other client hears of what the first one's call did, and can help it to its end.
    await helping.notification(LIST_CHANGED);
    assert((await helping.names()).includes("is_waiting"));
    assert.equal(await helping.text("release"), "let go");
    assert.equal((await result).content.at(-1).text, "released");
  });
}

eachRevision("a client that leaves cancels its own calls only", async (t, revision) => {
  const { url } = await startHttp(t, "waiting.html");
  const leaving = await connectHttp(t, revision, url, { name: "leaving" });
  const staying = await connectHttp(t, revision, url, { name: "staying" });
  await leaving.watch();
  await leaving.startWaiting();
  const seen = staying.call("what_was_seen");
  if (leaving.transport.sessionId) {
    await leaving.transport.terminateSession();
  }
  await leaving.client.close();
  assert.deepEqual((await seen).structuredContent, { seen: ["abort AbortError", "toolcancel wait"] });
});

// The clients of the two revisions say it in different ways.
const isUnauthorized = (error) => error.code === 401 || /401|unauthorized/i.test(error);

eachRevision("a token in the environment is wanted of every client", async (t, revision) => {
  const { url } = await startHttp(t, "results.html", [], { WEBMCP_TOKEN: TOKEN });
  await assert.rejects(connectHttp(t, revision, url), isUnauthorized);
  await assert.rejects(connectHttp(t, revision, url, { token: "wrong" }), isUnauthorized);
  const session = await connectHttp(t, revision, url, { token: TOKEN });
  assert.equal(await session.text("greet", { name: "Ada" }), "Hello Ada");
});

eachRevision("a token in a file is wanted of every client", async (t, revision) => {
  const folder = await mkdtemp(join(tmpdir(), "webmcp-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "token");
  await writeFile(file, `${TOKEN}\n`, { mode: 0o600 });
  const { url } = await startHttp(t, "results.html", ["--token-file", file]);
  await assert.rejects(connectHttp(t, revision, url), isUnauthorized);
  const session = await connectHttp(t, revision, url, { token: TOKEN });
  assert.equal(await session.text("greet", { name: "Ada" }), "Hello Ada");
});

plainTest("requests under another name or from another origin are refused", async (t) => {
  const { url } = await startHttp(t, "results.html", ["--allow-origin", "https://inspector.example"]);
  assert.equal(await status(url, {}), 200);
  assert.equal(await status(url, { Host: `rebound.example:${url.port}` }), 403);
  assert.equal(await status(url, { Origin: "https://site.example" }), 403);
  assert.equal(await status(url, { Origin: "null" }), 403);
  assert.equal(await status(url, { Origin: "https://inspector.example" }), 200);
});

plainTest("another name is answered to if it is allowed", async (t) => {
  const { url } = await startHttp(t, "results.html", ["--allow-host", "proxy.example"]);
  assert.equal(await status(url, { Host: "proxy.example" }), 200);
  assert.equal(await status(url, { Host: "rebound.example" }), 403);
});

plainTest("the server ends when it is told to, also while a call runs", async (t) => {
  const { url, server, ended } = await startHttp(t, "waiting.html");
  const session = await connectHttp(t, REVISIONS[0], url);
  await session.watch();
  await session.startWaiting();
  server.kill("SIGTERM");
  assert.deepEqual(await ended, [130, null]);
});

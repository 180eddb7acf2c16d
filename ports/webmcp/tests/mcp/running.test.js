// Calls that take their time: cancelling them, hearing of them, giving up on them.

import assert from "node:assert/strict";

import { connect, eachRevision, eachTransport } from "./session.js";

eachTransport("a cancelled call is cancelled in the page", async (t, start) => {
  const session = await start("waiting.html");
  await session.watch();
  const controller = new AbortController();
  const { result } = await session.startWaiting({ signal: controller.signal });
  controller.abort("no longer needed");
  await assert.rejects(result, /no longer needed/);
  const seen = await session.call("what_was_seen");
  assert.deepEqual(seen.structuredContent, { seen: ["abort AbortError", "toolcancel wait"] });
});

eachTransport("a call that is not cancelled runs to its end beside others", async (t, start) => {
  const session = await start("waiting.html");
  await session.watch();
  const { result } = await session.startWaiting();
  assert.equal(await session.text("is_waiting"), "true");
  assert.equal(await session.text("release"), "let go");
  assert.equal((await result).content.at(-1).text, "released");
});

eachTransport("a client that wants to hear of progress does", async (t, start) => {
  const session = await start("waiting.html");
  await session.watch();
  const beats = [];
  let hasEnough;
  const enough = new Promise((resolve) => (hasEnough = resolve));
  const { result } = await session.startWaiting({
    onprogress: (progress) => {
      if (beats.push(progress) === 2) {
        hasEnough();
      }
    },
  });
  await enough;
  assert.equal(await session.text("release"), "let go");
  assert.equal((await result).content.at(-1).text, "released");
  assert(beats[0].progress > 0 && beats[1].progress > beats[0].progress, JSON.stringify(beats));
  assert.match(beats[0].message, /running/);
});

eachRevision("a call that takes too long is given up and cancelled in the page", async (t, revision) => {
  const session = await connect(t, revision, "waiting.html", ["--timeout", "20"]);
  assert.match(await session.failure("wait"), /timed out.*20 s/s);
  const seen = await session.call("what_was_seen");
  assert.deepEqual(seen.structuredContent, { seen: ["abort AbortError", "toolcancel wait"] });
});

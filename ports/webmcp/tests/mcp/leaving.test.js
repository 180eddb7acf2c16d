// Clients that go away.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { eachRevision, plainTest, serve } from "./session.js";

const VICTIM = fileURLToPath(new URL("victim.js", import.meta.url));

for (const options of [[], ["--multiprocess"]]) {
  eachRevision(["nothing is left of a client that is killed during a call", ...options].join(" "), async (t, revision) => {
    const victim = spawn(process.execPath, [VICTIM, revision.name, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    t.after(() => victim.kill("SIGKILL"));
    // The program and its content processes inherit the pipe, so it ends when the last of them has.
    const allEnded = once(victim.stderr, "end");
    victim.stderr.on("data", (text) => process.stderr.write(text));
    const [line] = await once(createInterface({ input: victim.stdout }), "line");
    assert.equal(line, "waiting");
    victim.kill("SIGKILL");
    await allEnded;
  });
}

for (const options of [[], ["--multiprocess"]]) {
  plainTest(["the program ends in peace when its input ends", ...options].join(" "), async () => {
    const program = spawn(process.env.WEBMCP, serve("results.html", options), { stdio: ["pipe", "pipe", "pipe"] });
    const ended = once(program, "exit");
    const allEnded = once(program.stderr, "end");
    const errors = [];
    program.stderr.on("data", (text) => errors.push(text));
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    program.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [line] = await once(createInterface({ input: program.stdout }), "line");
    assert.equal(JSON.parse(line).result.protocolVersion, "2025-11-25");
    program.stdin.end();
    assert.deepEqual(await ended, [0, null], errors.join(""));
    await allEnded;
  });
}

// Pages whose process dies.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";

import { LIST_CHANGED, connect, eachRevision, textOf } from "./session.js";

// The processes that a process has started.
async function children(parent) {
  const found = [];
  for (const entry of await readdir("/proc")) {
    if (/^\d+$/.test(entry)) {
      // It may have ended meanwhile.
      const status = await readFile(`/proc/${entry}/status`, "utf8").catch(() => "");
      if (status.includes(`\nPPid:\t${parent}\n`)) {
        found.push(Number(entry));
      }
    }
  }
  return found;
}

if (process.platform === "linux") {
  eachRevision("a call of a page that crashes has an unknown outcome, and the page can be loaded again", async (t, revision) => {
    const session = await connect(t, revision, "waiting.html", ["--multiprocess"]);
    await session.watch();
    const { result } = await session.startWaiting();
    const since = session.messages.length;
    const processes = await children(session.transport.pid);
    assert(processes.length > 0);
    for (const pid of processes) {
      process.kill(pid, "SIGKILL");
    }
    const crashed = await result;
    assert.equal(crashed.isError, true);
    assert.match(textOf(crashed), /unknown/);
    await session.notification(LIST_CHANGED, since);
    assert((await session.names()).every((name) => name.startsWith("browser_")));

    const { structuredContent } = await session.call("browser_reload");
    assert.equal(structuredContent.title, "A tool that waits");
    assert((await session.names()).includes("wait"));
    const again = await session.startWaiting();
    assert.equal(await session.text("release"), "let go");
    assert.equal((await again.result).content.at(-1).text, "released");
  });
}

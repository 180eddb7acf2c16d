// A client in a process of its own, which is to be killed: starts a call that does not end, and says so.

import { REVISIONS, open, serve } from "./session.js";

const [name, ...options] = process.argv.slice(2);
const revision = REVISIONS.find((revision) => revision.name === name);
const transport = new revision.Stdio({
  command: process.env.WEBMCP,
  args: serve("waiting.html", options),
  env: process.env,
  stderr: "inherit",
});
const session = await open(revision, transport);
await session.watch();
await session.startWaiting();
console.log("waiting");

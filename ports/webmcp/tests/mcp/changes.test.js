// Tools that come, go and change while a client looks on.

import assert from "node:assert/strict";

import { LIST_CHANGED, connect, eachRevision, eachTransport } from "./session.js";

const isResult = (message) => "result" in message;

eachTransport("a client hears of new and removed tools", async (t, start) => {
  const session = await start("changes.html");
  await session.watch();
  for (const [control, is] of [
    ["add", true],
    ["remove", false],
  ]) {
    const since = session.messages.length;
    await session.text(control, { names: ["one", "two"] });
    await session.notification(LIST_CHANGED, since);
    const names = await session.names();
    assert.deepEqual(["one", "two"].map((name) => names.includes(name)), [is, is]);
  }
});

eachTransport("a client hears of changes that no call has made", async (t, start) => {
  const session = await start("changes.html");
  await session.watch();
  const since = session.messages.length;
  await session.text("add_soon", { name: "late" });
  await session.isListed("late", since);
});

eachRevision("the change is told once, and before the result of the call that made it", async (t, revision) => {
  const session = await connect(t, revision, "changes.html");
  await session.watch();
  await session.tools();
  const since = session.messages.length;
  await session.text("add", { names: ["one", "two", "three"] });
  const result = await session.message(isResult, since);
  const before = session.messages.slice(since, result).filter(({ method }) => method === LIST_CHANGED);
  assert.equal(before.length, 1);
  // Nothing is left to be told: the next call changes nothing, and its result is the next message.
  await session.text("convert", { value: 1 });
  const next = session.messages.slice(result + 1);
  assert(next.every(isResult), JSON.stringify(next));
});

eachRevision("a tool with another schema is not called in place of the one that was listed", async (t, revision) => {
  const session = await connect(t, revision, "changes.html");
  await session.tools();
  await session.text("convert", { value: 1 });
  await session.text("redefine");
  // It fits the new schema, so nothing but the change stands in the way.
  assert.match(await session.failure("convert", { value: "1" }), /changed the tool "convert".*not run.*List the tools again/s);
  assert.equal((await session.tool("convert")).inputSchema.properties.value.type, "string");
  await session.text("convert", { value: "1" });
});

eachRevision("a tool that is registered again as it was can be called", async (t, revision) => {
  const session = await connect(t, revision, "changes.html");
  const before = await session.tool("convert");
  await session.text("register_again");
  await session.text("convert", { value: 1 });
  const after = await session.tool("convert");
  assert.notEqual(after._meta["webmcp/registration"], before._meta["webmcp/registration"]);
  assert.deepEqual(after.inputSchema, before.inputSchema);
});

eachRevision("a tool that is gone is an error that says so", async (t, revision) => {
  const session = await connect(t, revision, "changes.html");
  await session.tools();
  await session.text("remove", { names: ["convert"] });
  assert.match(await session.failure("convert", { value: 1 }), /unregistered the tool "convert"/);
});

eachRevision("tools stay when only the address changes, and go with the document", async (t, revision) => {
  const session = await connect(t, revision, "changes.html");
  await session.watch();
  const registrations = async () => (await session.tools()).map(({ _meta }) => _meta?.["webmcp/registration"]);
  const before = await registrations();
  assert.equal(await session.text("push_state"), "?pushed");
  assert.deepEqual(await registrations(), before);

  const origin = (await session.tool("convert"))._meta["webmcp/origin"];
  const since = session.messages.length;
  const { structuredContent } = await session.call("browser_navigate", { url: `${origin}/second.html` });
  assert.deepEqual(structuredContent, { url: `${origin}/second.html`, title: "The second page" });
  await session.notification(LIST_CHANGED, since);
  assert.match(await session.failure("convert", { value: 1 }), /navigated since the tools were listed/);
  const names = await session.names();
  assert(names.includes("only_on_the_second") && !names.includes("convert"), String(names));

  await session.call("browser_go_back");
  assert((await session.names()).includes("convert"));
});

eachRevision("a call that navigates its own page away has an unknown outcome", async (t, revision) => {
  const session = await connect(t, revision, "first.html");
  await session.tools();
  assert.match(await session.failure("leave"), /page navigated away.*outcome is unknown.*List the tools again/s);
  assert((await session.names()).includes("only_on_the_second"));
});

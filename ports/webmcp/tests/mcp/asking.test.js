// Tools with consequences run only if the user agrees.

import assert from "node:assert/strict";

import { connect, eachRevision, eachTransport } from "./session.js";

const paid = async (session) => (await session.call("how_much_was_paid")).structuredContent.paid;

// How the user answers, and a list of what was asked.
function user(action) {
  const questions = [];
  const answer = async ({ params }) => {
    questions.push(params);
    return action === "accept" ? { action, content: {} } : { action };
  };
  return { questions, answer };
}

eachTransport("the tool runs when the user says yes, and is asked anew each time", async (t, start) => {
  const { questions, answer } = user("accept");
  const session = await start("paying.html", [], { answer });
  assert.equal(await session.text("pay", { amount: 7 }), "paid 7");
  assert.equal(questions.length, 1);
  for (const part of [/pay/, /http:\/\/localhost:\d+/, /7/]) {
    assert.match(questions[0].message, part);
  }
  assert.equal(await session.text("pay", { amount: 2 }), "paid 2");
  assert.equal(questions.length, 2);
  assert.equal(await paid(session), 9);
});

for (const [action, reason] of [
  ["decline", /said no.*not run/s],
  ["cancel", /without an answer.*not run/s],
]) {
  eachTransport(`the tool does not run when the user's answer is ${action}`, async (t, start) => {
    const { questions, answer } = user(action);
    const session = await start("paying.html", [], { answer });
    assert.match(await session.failure("pay", { amount: 7 }), reason);
    assert.equal(questions.length, 1);
    assert.equal(await paid(session), 0);
  });
}

eachTransport("the tool does not run for a client that cannot ask", async (t, start) => {
  const session = await start("paying.html");
  assert.match(await session.failure("pay", { amount: 7 }), /does not support elicitation.*not run/s);
  assert.equal(await paid(session), 0);
});

eachRevision("nobody is asked about arguments that do not fit, or about other tools", async (t, revision) => {
  const { questions, answer } = user("accept");
  const session = await connect(t, revision, "paying.html", [], { answer });
  assert.match(await session.failure("pay", { amount: "much" }), /\/amount/);
  assert.equal(await paid(session), 0);
  assert.deepEqual(questions, []);
});

eachRevision("a call by name is asked about too", async (t, revision) => {
  const { questions, answer } = user("decline");
  const session = await connect(t, revision, "paying.html", [], { answer });
  const call = { name: "pay", arguments: { amount: 7 } };
  assert.match(await session.failure("browser_call_page_tool", call), /said no/);
  assert.equal(questions.length, 1);
  assert.equal(await paid(session), 0);
});

eachRevision("the tool runs without a question with --consequential allow", async (t, revision) => {
  const { questions, answer } = user("decline");
  const session = await connect(t, revision, "paying.html", ["--consequential", "allow"], { answer });
  assert.equal(await session.text("pay", { amount: 7 }), "paid 7");
  assert.deepEqual(questions, []);
});

eachRevision("the tool does not run at all with --consequential deny", async (t, revision) => {
  const { questions, answer } = user("accept");
  const session = await connect(t, revision, "paying.html", ["--consequential", "deny"], { answer });
  assert.match(await session.failure("pay", { amount: 7 }), /--consequential deny/);
  assert.equal(await paid(session), 0);
  assert.deepEqual(questions, []);
});

eachRevision("the tool is marked", async (t, revision) => {
  const session = await connect(t, revision, "paying.html");
  const pay = await session.tool("pay");
  assert.equal(pay.annotations.destructiveHint, true);
  assert.equal(pay._meta["webmcp/consequential"], true);
  assert.match(pay.description, /The user should agree to it first/);
});

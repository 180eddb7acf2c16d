// The support chat, in a frame of its own: it has a document, and so a tool, of its own.

const answers = [
  [/ship|deliver|long/i, "Parcels leave the same day and take two to four days."],
  [/return|refund|back/i, "Send back what is unopened within 30 days and we refund it."],
  [/brew|temperature|steep/i, "Green tea: 70 °C and two minutes. Black tea: 95 °C and four."],
];

function say(text, who = "shop") {
  const line = document.createElement("p");
  line.className = who;
  line.textContent = text;
  document.getElementById("messages").append(line);
}

function ask(question) {
  say(question, "you");
  const [, answer] = answers.find(([pattern]) => pattern.test(question)) ?? [, "A colleague will write to you today."];
  say(answer);
  return answer;
}

await document.modelContext?.registerTool({
  name: "ask_support",
  title: "Ask the shop",
  description: "Ask the shop's support about delivery, returns or brewing.",
  inputSchema: {
    type: "object",
    properties: { question: { type: "string" } },
    required: ["question"],
  },
  execute: ({ question }) => ask(question),
});

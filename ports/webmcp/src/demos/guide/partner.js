// The page of another origin: one tool for the page that frames it, one that it keeps to itself.

const host = new URL(location.origin);
host.hostname = host.hostname === "localhost" ? "127.0.0.1" : "localhost";

const said = document.getElementById("said");

const shared = document.modelContext?.registerTool(
  {
    name: "my_shared_tool",
    description: "Shared across origins: repeats a text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: async ({ text }) => {
      said.textContent = text;
      return `The partner says: ${text}`;
    },
  },
  { exposedTo: [host.origin] },
);

const kept = document.modelContext?.registerTool({
  name: "my_private_tool",
  description: "Not shared: no other origin may see it.",
  execute: async () => "private",
});

await Promise.all([shared, kept]);
parent.postMessage("ready", host.origin);

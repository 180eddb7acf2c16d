// A task list. Its tools are there only while they make sense: what can be completed or cleared decides which.

const tasks = [];
let lastId = 0;

const element = (id) => document.getElementById(id);
const open = () => tasks.filter((task) => !task.done);
const done = () => tasks.filter((task) => task.done);

function add(title) {
  if (typeof title !== "string" || !title.trim()) {
    throw new Error("A task needs a title.");
  }
  lastId += 1;
  const task = { id: lastId, title: title.trim(), done: false };
  tasks.push(task);
  changed();
  return task;
}

function complete(id) {
  const task = open().find((candidate) => candidate.id === id);
  if (!task) {
    throw new Error(`There is no open task ${id}. Use list_tasks to find ids.`);
  }
  task.done = true;
  changed();
  return task;
}

function clearDone() {
  const cleared = done();
  tasks.splice(0, tasks.length, ...open());
  changed();
  return `Cleared ${cleared.length} ${cleared.length === 1 ? "task" : "tasks"}.`;
}

function show() {
  element("tasks").replaceChildren(
    ...tasks.map((task) => {
      const row = document.createElement("li");
      row.className = task.done ? "done" : "";
      row.textContent = `${task.id}. ${task.title}`;
      row.addEventListener("click", () => task.done || complete(task.id));
      return row;
    }),
  );
  element("count").textContent = tasks.length
    ? `${open().length} to do, ${done().length} done.`
    : "Nothing to do.";
}

/** Resolves after `milliseconds`, or rejects at once when `signal` is aborted. */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener("abort", stop, { once: true });
  });
}

async function importTasks({ count = 5, pause: milliseconds = 200 }, signal) {
  element("import").hidden = false;
  const imported = [];
  try {
    for (let number = 1; number <= count; number += 1) {
      await pause(milliseconds, signal);
      imported.push(add(`Imported task ${number}`));
      element("progress").value = number / count;
      element("import-text").textContent = `${number} of ${count}`;
    }
  } catch (error) {
    element("import-text").textContent = `Stopped after ${imported.length} of ${count}.`;
    throw error;
  }
  element("import-text").textContent = `Imported ${count}.`;
  return imported;
}

const taskId = { type: "integer", description: "The id of a task, as list_tasks gives it" };

// A tool without `when` is always there.
const tools = [
  {
    name: "add_task",
    title: "Add a task",
    description: "Add a task to the end of the list.",
    inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    execute: ({ title }) => add(title),
  },
  {
    name: "list_tasks",
    title: "List the tasks",
    description: "All tasks in order, the done ones too.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
    execute: () => tasks,
  },
  {
    name: "import_tasks",
    title: "Import tasks",
    description: "Add several tasks, one after the other. Takes its time, and stops when it is cancelled.",
    inputSchema: {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 1, maximum: 100, description: "How many; 5 if not given" },
        pause: { type: "integer", minimum: 0, description: "Milliseconds before each; 200 if not given" },
      },
    },
    execute: (input, { signal }) => importTasks(input, signal),
  },
  {
    name: "complete_task",
    title: "Complete a task",
    description: "Mark an open task as done.",
    inputSchema: { type: "object", properties: { id: taskId }, required: ["id"] },
    execute: ({ id }) => complete(id),
    when: () => open().length > 0,
  },
  {
    name: "clear_done",
    title: "Clear done tasks",
    description: "Delete all tasks that are done. They cannot be brought back.",
    inputSchema: { type: "object", properties: {} },
    annotations: { consequentialHint: true },
    execute: clearDone,
    when: () => done().length > 0,
  },
];

/** The controllers of the tools that are registered, by name. */
const registered = new Map();

/** Registers the tools that make sense now and takes the others back. */
function updateTools() {
  for (const { when = () => true, ...tool } of tools) {
    const controller = registered.get(tool.name);
    if (when() && !controller) {
      const controller = new AbortController();
      registered.set(tool.name, controller);
      document.modelContext
        .registerTool(tool, { signal: controller.signal })
        .catch((error) => controller.signal.aborted || console.error(error));
    } else if (!when() && controller) {
      registered.delete(tool.name);
      controller.abort();
    }
  }
}

function changed() {
  show();
  if (document.modelContext) {
    updateTools();
  }
}

element("add").addEventListener("submit", (event) => {
  event.preventDefault();
  add(element("title").value);
  element("title").value = "";
});
element("no-api").hidden = Boolean(document.modelContext);
add("Water the plants");
add("Write to Ada");

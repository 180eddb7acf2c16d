// A stopwatch in a frame: start_timer and stop_timer take turns.

const context = document.modelContext;
let startedAt = 0;
let turn = new AbortController();

function offer(tool) {
  turn.abort();
  turn = new AbortController();
  const { signal } = turn;
  context?.registerTool(tool, { signal }).catch((error) => signal.aborted || console.error(error));
}

const startTimer = {
  name: "start_timer",
  title: "Start the timer",
  description: "Start to measure time.",
  inputSchema: { type: "object", properties: {} },
  execute() {
    startedAt = performance.now();
    document.getElementById("state").textContent = "Running.";
    offer(stopTimer);
    return "The timer is running.";
  },
};

const stopTimer = {
  name: "stop_timer",
  title: "Stop the timer",
  description: "Stop to measure time and say how much has passed.",
  inputSchema: { type: "object", properties: {} },
  execute() {
    const seconds = (performance.now() - startedAt) / 1000;
    document.getElementById("clock").textContent = `${seconds.toFixed(1)} s`;
    document.getElementById("state").textContent = "Stopped.";
    offer(startTimer);
    return { seconds };
  },
};

offer(startTimer);

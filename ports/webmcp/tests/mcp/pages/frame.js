// Every frame offers a tool of the same name, and one of its own.
function offer(place) {
  for (const name of ["where", `only_in_${place}`]) {
    document.modelContext.registerTool({
      name,
      description: `Says where it is, which is ${place}.`,
      execute: async () => ({ place, origin: location.origin }),
    });
  }
}

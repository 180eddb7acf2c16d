// Tools of frames: of the same origin, of another one, and nested.

import assert from "node:assert/strict";

import { connect, eachRevision } from "./session.js";

for (const options of [[], ["--multiprocess"]]) {
  eachRevision(["every frame's tools have names of their own and run where they are", ...options].join(" "), async (t, revision) => {
    const session = await connect(t, revision, "frames.html", options);
    const tools = (await session.tools()).filter(({ name }) => !name.startsWith("browser_"));
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);

    const places = [
      ["top", []],
      ["same", [0]],
      ["other", [1]],
      ["nested", [1, 0]],
    ];
    const origins = {};
    for (const [place, frame] of places) {
      for (const inPage of ["where", `only_in_${place}`]) {
        const found = tools.filter(
          ({ _meta }) => _meta["webmcp/name"] === inPage && String(_meta["webmcp/frame"]) === String(frame),
        );
        assert.equal(found.length, 1, `${inPage} in ${place}`);
        const [{ name, _meta }] = found;
        const { structuredContent } = await session.call(name);
        assert.deepEqual(structuredContent, { place, origin: _meta["webmcp/origin"] });
        origins[place] = structuredContent.origin;
      }
    }
    assert.equal(tools.length, 2 * places.length);
    assert.equal(origins.same, origins.top);
    assert.equal(origins.nested, origins.other);
    assert.notEqual(origins.other, origins.top);

    const again = (await session.tools()).filter(({ name }) => !name.startsWith("browser_"));
    assert.deepEqual(
      again.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
  });
}

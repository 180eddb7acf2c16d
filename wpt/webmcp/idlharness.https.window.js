// META: script=/resources/WebIDLParser.js
// META: script=/resources/idlharness.js

// https://webmachinelearning.github.io/webmcp/

'use strict';

idl_test(
  ['webmcp'],
  ['html', 'dom'],
  idl_array => {
    idl_array.add_objects({
      Document: ['document'],
      ModelContext: ['document.modelContext'],
      ToolActivatedEvent: ['new ToolActivatedEvent("toolactivated")'],
      ToolCancelEvent: ['new ToolCancelEvent("toolcancel")'],
    });
  }
);

test(() => {
  for (const name of ['unregisterTool', 'provideContext', 'clearContext']) {
    assert_false(name in ModelContext.prototype, name);
  }
}, 'Methods of earlier versions of the API do not exist');

test(() => {
  assert_false('modelContext' in navigator);
  assert_false('modelContext' in Navigator.prototype);
}, 'navigator.modelContext does not exist');

test(() => {
  for (const name of ['ModelContextClient']) {
    assert_false(name in window, name);
  }
}, 'Interfaces of earlier versions of the API do not exist');

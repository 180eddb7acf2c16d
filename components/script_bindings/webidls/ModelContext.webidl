/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// https://webmachinelearning.github.io/webmcp/
//
// Some types depart from the published IDL for the sake of the bindings generator; what a page sees is the same.
// `RegisteredTool.window` is `any` and is checked to be a WindowProxy where it is used, because the generator has no safe
// conversion for a WindowProxy in a dictionary. `inputObject` and the callback's first argument are `any` and are checked
// to be objects, because the generator passes `object` arguments as unrooted pointers. The callback returns `any`, which
// is made a promise where it is called, because the generator refuses to make one of null.

partial interface Document {
  [SecureContext, SameObject, Pref="dom_modelcontext_enabled"]
  readonly attribute ModelContext modelContext;
};

[Exposed=Window, SecureContext, Pref="dom_modelcontext_enabled"]
interface ModelContext : EventTarget {
  Promise<undefined> registerTool(
      ModelContextTool tool, optional ModelContextRegisterToolOptions options = {});
  Promise<sequence<RegisteredTool>> getTools(optional ModelContextGetToolOptions options = {});
  Promise<DOMString?> executeTool(
      RegisteredTool tool, optional any inputObject, optional ModelContextExecuteToolOptions options = {});

  attribute EventHandler ontoolchange;
  attribute EventHandler ontoolactivated;
  attribute EventHandler ontoolcancel;
};

callback ToolExecuteCallback = any (any inputObject, ToolExecuteCallbackOptions options);

dictionary ModelContextTool {
  required DOMString name;
  USVString title;
  required DOMString description;
  object inputSchema;
  required ToolExecuteCallback execute;
  ToolAnnotations annotations;
};

dictionary ToolAnnotations {
  boolean readOnlyHint = false;
  boolean untrustedContentHint = false;
  boolean consequentialHint = false;
  boolean debugging = false;
};

dictionary ToolExecuteCallbackOptions {
  required AbortSignal signal;
};

dictionary ModelContextRegisterToolOptions {
  sequence<USVString> exposedTo;
  AbortSignal signal;
};

dictionary ModelContextGetToolOptions {
  sequence<USVString> fromOrigins;
};

dictionary ModelContextExecuteToolOptions {
  AbortSignal signal;
};

dictionary RegisteredTool {
  required DOMString name;
  DOMString title;
  required DOMString description;
  object inputSchema;
  required any window;
  required USVString origin;
  ToolAnnotations annotations;
};

// https://html.spec.whatwg.org/multipage/#dom-iframe-allow
partial interface HTMLIFrameElement {
  [CEReactions, Pref="dom_modelcontext_enabled"]
  attribute DOMString allow;
};

// The earlier place of the attribute, for pages from before it moved to Document.
partial interface Navigator {
  [SecureContext, SameObject, Pref="dom_modelcontext_navigator_alias_enabled"]
  readonly attribute ModelContext modelContext;
};

// https://html.spec.whatwg.org/multipage/#dom-originagentcluster
partial interface Window {
  [Pref="dom_modelcontext_enabled"]
  readonly attribute boolean originAgentCluster;
};

/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// https://webmachinelearning.github.io/webmcp/#toolcancelevent
[Exposed=Window, SecureContext, Pref="dom_modelcontext_enabled"]
interface ToolCancelEvent : Event {
  constructor(DOMString type, optional ToolCancelEventInit eventInitDict = {});
  readonly attribute DOMString toolName;
};

dictionary ToolCancelEventInit : EventInit {
  DOMString toolName = "";
};

/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// https://webmachinelearning.github.io/webmcp/#toolactivatedevent
[Exposed=Window, SecureContext, Pref="dom_modelcontext_enabled"]
interface ToolActivatedEvent : Event {
  constructor(DOMString type, optional ToolActivatedEventInit eventInitDict = {});
  readonly attribute DOMString toolName;
};

dictionary ToolActivatedEventInit : EventInit {
  DOMString toolName = "";
};

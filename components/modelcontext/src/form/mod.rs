/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Forms as tools: which parameters a form has, their schema, and how an input fills them.

mod control;
mod decimal;
mod fill;
mod microsyntax;
mod parameter;
mod schema;
#[cfg(test)]
mod testing;

pub use control::{Control, ControlKind, NumberAttributes, SelectOption};
pub use fill::{Assignment, fill};
pub use schema::synthesize;

/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One module a command.

pub mod build;
pub mod cargo;
pub mod check;
pub mod doctor;
pub mod export;
pub mod prepare;
pub mod run;
pub mod suite;
pub mod test;
pub mod tidy;

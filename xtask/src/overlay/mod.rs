/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The prepared copy of Servo in `.overlay/`.
//!
//! [`manifest`] says which crates it is made of, [`crates`] unpacks them, [`patch`] and [`series`]
//! hold what changes their text, [`tree`] computes the wanted bytes of every file, [`repository`]
//! keeps them as a git history and writes them to disk, and [`links`] lays our own files over them.

pub mod crates;
pub mod links;
pub mod manifest;
pub mod patch;
pub mod repository;
pub mod series;
pub mod tree;

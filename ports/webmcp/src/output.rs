/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What goes to standard output and standard error.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use image::{ImageFormat, ImageResult, RgbaImage};
use serde::Serialize;
use serde_json::Value;

use crate::escape::{for_json, for_terminal, in_message};
use crate::exit::{Failure, Result, Status};
use crate::process;

/// Standard output, once nothing else in this process can write to it.
static RESULTS: OnceLock<File> = OnceLock::new();

/// Keeps standard output for what [`print_line`] prints. To be called before the engine starts.
pub fn keep_stdout_for_results() -> Result<()> {
    let file = process::take_stdout().map_err(|error| {
        Failure::new(
            Status::Failed,
            format!("cannot use standard output: {error}"),
        )
    })?;
    RESULTS.get_or_init(|| file);
    Ok(())
}

/// Standard output, for somebody who writes there all the time. Nobody else may.
pub fn results() -> Result<File> {
    RESULTS
        .get()
        .map_or_else(process::take_stdout, File::try_clone)
        .map_err(|error| {
            Failure::new(
                Status::Failed,
                format!("cannot use standard output: {error}"),
            )
        })
}

/// A picture in the PNG format.
pub fn as_png(picture: &RgbaImage) -> ImageResult<Vec<u8>> {
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// Prints what a page gives as a result, and a line end: exactly that into a pipe or a file, and escaped on a terminal.
pub fn print_result(text: &str) -> Result<()> {
    let is_terminal = match RESULTS.get() {
        Some(file) => file.is_terminal(),
        None => io::stdout().is_terminal(),
    };
    print_line(&for_reader(text, is_terminal))
}

/// `text` for a terminal, or for a program.
fn for_reader(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal {
        for_terminal(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// Prints JSON of this program, which may hold texts of a page, over several lines.
pub fn print_json(value: &Value) -> Result<()> {
    print_line(&for_json(&format!("{value:#}")))
}

/// Prints `text`, which holds nothing of a page that is not escaped, and a line end.
pub fn print_line(text: &str) -> Result<()> {
    print_text(format!("{text}\n").as_bytes())
}

/// Prints a text of this program. A reader that went away (as `head` does) is no failure.
pub fn print_text(text: &[u8]) -> Result<()> {
    let written = match RESULTS.get() {
        Some(mut file) => file.write_all(text),
        None => io::stdout().write_all(text),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            Status::Failed,
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints a message to standard error, where everything goes that is not a result. It may hold text that comes from a
/// page.
///
/// Nobody can be told when this fails, and the exit status says enough.
pub fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", in_message(text));
}

/// What `call --json` prints.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum CallReport<'a> {
    Done { ok: bool, result: Option<&'a str> },
    Failed { ok: bool, error: CallError<'a> },
}

#[derive(Debug, Serialize)]
pub struct CallError<'a> {
    kind: &'a str,
    message: &'a str,
}

impl<'a> CallReport<'a> {
    /// The tool gave `result`, or navigated its page away.
    pub fn done(result: Option<&'a str>) -> Self {
        Self::Done { ok: true, result }
    }

    /// The call failed.
    pub fn failed(failure: &'a Failure) -> Self {
        Self::Failed {
            ok: false,
            error: CallError {
                kind: failure.kind,
                message: &failure.message,
            },
        }
    }

    /// The report as one line of JSON.
    pub fn to_line(&self) -> String {
        let json =
            serde_json::to_string(self).expect("strings, booleans and null always serialise");
        for_json(&json).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_reported_in_the_two_forms_of_the_contract() {
        assert_eq!(
            CallReport::done(Some("5 items")).to_line(),
            r#"{"ok":true,"result":"5 items"}"#
        );
        assert_eq!(
            CallReport::done(None).to_line(),
            r#"{"ok":true,"result":null}"#
        );
        let failure = Failure::new(Status::Refused, "not without --yes");
        assert_eq!(
            CallReport::failed(&failure).to_line(),
            r#"{"ok":false,"error":{"kind":"refused","message":"not without --yes"}}"#
        );
    }

    #[test]
    fn a_result_goes_to_a_program_as_it_is_and_to_a_terminal_escaped() {
        let result = "\u{1b}]0;pwned\u{7}hi\u{9b}31m\nthere";
        assert_eq!(for_reader(result, false), result);
        assert_eq!(
            for_reader(result, true),
            "\\u{1b}]0;pwned\\u{7}hi\\u{9b}31m\nthere"
        );
    }

    #[test]
    fn a_report_means_what_the_page_said_and_shows_it_escaped() {
        let result = "\u{1b}\u{9b}\u{202e}";
        let line = CallReport::done(Some(result)).to_line();
        assert_eq!(line, r#"{"ok":true,"result":"\u001b\u009b\u202e"}"#);
        let report: Value = serde_json::from_str(&line).expect("it is JSON");
        assert_eq!(report["result"], result);
    }
}

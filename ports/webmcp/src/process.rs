/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What this process asks of the system beyond the standard library.

#![expect(
    unsafe_code,
    reason = "each of these is a call of the system that the standard library has no safe form of"
)]

use std::ffi::{CStr, OsString};
use std::fs::File;
use std::io;

/// Hides the displays of the user from the engine, which draws into memory only.
///
/// It would look for one all the same, and the libraries that it uses for that complain on standard error when there is
/// none. To be called before any thread is started.
#[cfg(unix)]
pub fn hide_displays() {
    // SAFETY: the caller promises that there is no other thread that could read the environment meanwhile.
    unsafe {
        std::env::remove_var("DISPLAY");
        // An absolute path is tried without a word; what is there is no socket.
        std::env::set_var("WAYLAND_DISPLAY", "/dev/null");
    }
}

#[cfg(not(unix))]
pub fn hide_displays() {}

/// Takes a secret out of the environment: neither the processes that this one starts nor anybody who looks at what it was
/// started with finds it there afterwards. To be called before any thread is started.
pub fn take_secret(name: &CStr) -> Option<OsString> {
    let text = name.to_str().expect("the names of our variables are ASCII");
    let secret = std::env::var_os(text)?;
    // SAFETY: the caller promises that there is no other thread that could read the environment meanwhile. The value is
    // text in memory of this process that ends with a zero, and no longer one takes its place.
    unsafe {
        #[cfg(unix)]
        {
            let value = libc::getenv(name.as_ptr());
            if !value.is_null() {
                value.write_bytes(0, libc::strlen(value));
            }
        }
        std::env::remove_var(text);
    }
    Some(secret)
}

/// Keeps the engine's log, in which texts of pages stand as they are, from standard error, unless `RUST_LOG` asks for it.
/// To be called before any thread is started.
pub fn hide_engine_log() {
    if std::env::var_os("RUST_LOG").is_none() {
        // SAFETY: the caller promises that there is no other thread that could read the environment meanwhile.
        unsafe { std::env::set_var("RUST_LOG", "off") };
    }
}

/// Takes standard output away from everything else in this process, whose prints go nowhere from now on.
///
/// The engine prints there, for one when a page calls `alert()`: the words of a page as they are, which no terminal must
/// see, and with an end of the page if they cannot be written.
#[cfg(unix)]
pub fn take_stdout() -> io::Result<File> {
    use std::os::fd::{AsFd, AsRawFd};

    let results = io::stdout().as_fd().try_clone_to_owned()?;
    let nowhere = File::options().write(true).open("/dev/null")?;
    // SAFETY: both descriptors are open, since the standard library opens what was closed, and a file that is replaced
    // by another behind its number is no danger to memory.
    let replaced = unsafe { libc::dup2(nowhere.as_raw_fd(), io::stdout().as_raw_fd()) };
    if replaced == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(results.into())
}

#[cfg(windows)]
pub fn take_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;

    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// Ends the process here and now.
///
/// The usual way out lets every library clean up, which crashes while a thread of the engine is still at work.
#[cfg(unix)]
pub fn exit_now(status: u8) -> ! {
    // SAFETY: it does not return, and asks nothing of its caller.
    unsafe { libc::_exit(status.into()) }
}

#[cfg(not(unix))]
pub fn exit_now(status: u8) -> ! {
    std::process::exit(status.into())
}

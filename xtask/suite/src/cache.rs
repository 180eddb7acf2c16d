/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is fetched or made once for all checkouts, and kept in the user's folder for caches.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use directories::ProjectDirs;
use fs4::fs_std::FileExt as _;
use sha2::{Digest as _, Sha256};
use xtask::util;

/// The folder for one purpose.
pub fn folder(purpose: &str) -> Result<PathBuf> {
    let folders = ProjectDirs::from("", "", "servo-webmcp")
        .context("there is no home folder to keep what is fetched in")?;
    Ok(folders.cache_dir().join(purpose))
}

/// The folder `key` in `cache`, which `make` fills if nobody has done so yet.
pub fn once(cache: &Path, key: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    let folder = cache.join(key);
    let stamp = folder.join("ready");
    if stamp.is_file() {
        return Ok(folder);
    }
    let lock = File::create(cache.join("lock"))?;
    lock.lock_exclusive()
        .with_context(|| format!("cannot lock {}", cache.display()))?;
    if stamp.is_file() {
        return Ok(folder);
    }
    // Left over from a time that was cut short.
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    make(&folder)?;
    File::create(&stamp)?;
    Ok(folder)
}

/// A name for the folder that is made from `texts`.
pub fn key(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    util::hex(&hash.finalize()).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn a_folder_is_made_once_and_again_after_a_failure() {
        let cache = tempfile::tempdir().unwrap();
        let failed = once(cache.path(), "a", |folder| {
            fs::write(folder.join("half"), "")?;
            bail!("cut short")
        });
        assert!(failed.is_err());
        let folder = once(cache.path(), "a", |folder| {
            Ok(fs::write(folder.join("whole"), "")?)
        })
        .unwrap();
        assert!(folder.join("whole").is_file() && !folder.join("half").exists());
        let again = once(cache.path(), "a", |_| bail!("made again")).unwrap();
        assert_eq!(again, folder);
    }

    #[test]
    fn keys_tell_texts_apart() {
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab"]));
        assert_ne!(key(&["a", "b"]), key(&["b", "a"]));
    }
}

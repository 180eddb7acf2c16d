/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `.overlay/` as a git repository: one commit of Servo's own text, one of the added dependencies,
//! and one for each patch. The working tree is written by us and never checked out by git, so that
//! files whose bytes stay the same keep their times and cargo rebuilds only what changed.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fs4::fs_std::FileExt as _;

use super::tree::{Files, History};
use crate::util::git::Git;

/// The branch that the working tree stands on.
const BRANCH: &str = "refs/heads/servo";
/// Where the last prepared or exported commit is, to notice commits that somebody else made.
const PREPARED: &str = "refs/xtask/prepared";
/// The commit below the first patch.
const BASE: &str = "refs/xtask/base";

pub struct Repository {
    pub root: PathBuf,
    git: Git,
}

/// The right to change the repository and the working tree.
pub struct Lock {
    _file: fs::File,
}

/// What stands in the working tree and is not in the commit of the last patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Files of Servo that were changed.
    pub changed: BTreeSet<String>,
    /// Files of Servo that are gone.
    pub removed: BTreeSet<String>,
    /// Files that are neither Servo's nor links to ours.
    pub added: BTreeSet<String>,
}

impl Edits {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty() && self.added.is_empty()
    }
}

impl Repository {
    /// The repository in `root`, if there is one.
    pub fn open(root: &Path) -> Option<Self> {
        let repository = Self {
            root: root.to_owned(),
            git: Git::new(root),
        };
        root.join(".git").is_dir().then_some(repository)
    }

    pub fn open_or_create(root: &Path) -> Result<Self> {
        if let Some(repository) = Self::open(root) {
            return Ok(repository);
        }
        fs::create_dir_all(root)?;
        let repository = Self {
            root: root.to_owned(),
            git: Git::new(root),
        };
        repository
            .git
            .run(["init", "--quiet", "--initial-branch=servo"])?;
        for (key, value) in [
            ("core.autocrlf", "false"),
            ("core.safecrlf", "false"),
            ("core.fsync", "none"),
            ("gc.auto", "0"),
            ("commit.gpgSign", "false"),
        ] {
            repository.git.run(["config", key, value])?;
        }
        fs::create_dir_all(root.join(".git/info"))?;
        // What Servo's crates say about line ends does not count here: bytes are kept.
        fs::write(
            root.join(".git/info/attributes"),
            "* -text -ident -filter\n",
        )?;
        Ok(repository)
    }

    /// Keeps others who prepare or export away until the result is dropped.
    pub fn lock(&self) -> Result<Lock> {
        let file = fs::File::create(self.note("xtask-lock"))?;
        file.lock_exclusive()?;
        Ok(Lock { _file: file })
    }

    /// A file inside the repository's own folder, for what is remembered between runs.
    pub fn note(&self, name: &str) -> PathBuf {
        self.root.join(".git").join(name)
    }

    /// The commit of the last patch, if anything was prepared yet.
    pub fn head(&self) -> Result<Option<String>> {
        self.git.resolve(BRANCH)
    }

    /// Fails if somebody committed on top of what was prepared.
    pub fn ensure_head_is_ours(&self) -> Result<()> {
        ensure!(
            self.head()? == self.git.resolve(PREPARED)?,
            "somebody committed in .overlay/. Patches are made from edits that are not committed: run\n  \
             git -C .overlay reset --soft {PREPARED}\nand then `cargo xtask export`"
        );
        Ok(())
    }

    /// The bytes of a blob, whose name may be cut short; nothing if it is not here.
    pub fn blob(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.bytes(&format!("{name}^{{blob}}"))
    }

    /// The bytes of a file as they are committed.
    pub fn committed(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        self.bytes(&format!("{commit}:{path}"))
    }

    fn bytes(&self, expression: &str) -> Result<Option<Vec<u8>>> {
        match self.git.resolve(expression)? {
            Some(name) => self.git.output(["cat-file", "blob", &name]).map(Some),
            None => Ok(None),
        }
    }

    pub fn edits(&self) -> Result<Edits> {
        let mut edits = Edits::default();
        if self.head()?.is_none() {
            return Ok(edits);
        }
        let diff = self.git.text([
            "diff",
            "--no-renames",
            "--no-ext-diff",
            "--name-status",
            "-z",
            "HEAD",
        ])?;
        let mut parts = diff.split_terminator('\0');
        while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
            let set = if status.starts_with('D') {
                &mut edits.removed
            } else {
                &mut edits.changed
            };
            set.insert(path.to_owned());
        }
        let others = self
            .git
            .text(["ls-files", "--others", "--exclude-standard", "-z"])?;
        edits.added = others.split_terminator('\0').map(str::to_owned).collect();
        Ok(edits)
    }

    /// Commits the whole history and returns the commit of each patch, after that of the base.
    /// The same history always gives the same commits.
    pub fn commit(&self, history: &History) -> Result<Vec<String>> {
        let mut stream = Vec::new();
        let mut marks = 0;
        let mut add = |message: &str, files: &Files, first: bool| -> Result<()> {
            marks += 1;
            let message = format!("{}\n", message.trim_end());
            writeln!(stream, "commit refs/xtask/import\nmark :{marks}")?;
            writeln!(stream, "committer cargo xtask <xtask@localhost> 0 +0000")?;
            writeln!(stream, "data {}\n{message}", message.len())?;
            if !first {
                writeln!(stream, "from :{}", marks - 1)?;
            }
            for (path, file) in files {
                let mode = if file.executable { "100755" } else { "100644" };
                writeln!(stream, "M {mode} inline {path}\ndata {}", file.bytes.len())?;
                stream.extend_from_slice(&file.bytes);
                stream.push(b'\n');
            }
            stream.push(b'\n');
            Ok(())
        };
        add("Servo as it was published", &history.pristine, true)?;
        add(
            "Dependencies that patches/overlay.toml adds",
            &history.dependencies,
            false,
        )?;
        for step in &history.steps {
            add(&step.message, &step.files, false)?;
        }
        let marks = tempfile::NamedTempFile::new()?;
        self.git
            .resolve("refs/xtask/import")?
            .map(|_| self.git.run(["update-ref", "-d", "refs/xtask/import"]))
            .transpose()?;
        let option = format!("--export-marks={}", marks.path().display());
        self.git
            .feed(["fast-import", "--quiet", "--force", &option], &stream)?;
        let text = fs::read_to_string(marks.path())?;
        let mut commits = text
            .lines()
            .filter_map(|line| line.strip_prefix(':')?.split_once(' '))
            .filter_map(|(mark, commit)| Some((mark.parse::<usize>().ok()?, commit.to_owned())))
            .collect::<Vec<_>>();
        commits.sort();
        let commits = commits
            .into_iter()
            .skip(1)
            .map(|(_, commit)| commit)
            .collect::<Vec<_>>();
        ensure!(
            commits.len() == history.steps.len() + 1,
            "git fast-import did not report all commits"
        );
        Ok(commits)
    }

    /// The paths that differ between two commits.
    pub fn differing(&self, old: &str, new: &str) -> Result<BTreeSet<String>> {
        let paths = self.git.text([
            "diff-tree",
            "-r",
            "--no-renames",
            "--name-only",
            "-z",
            old,
            new,
        ])?;
        Ok(paths.split_terminator('\0').map(str::to_owned).collect())
    }

    /// Makes the last of `commits` the one that the working tree stands on, without touching files.
    pub fn stand_on(&self, commits: &[String]) -> Result<()> {
        let (base, head) = (
            commits.first().context("no base")?,
            commits.last().context("no commit")?,
        );
        self.git.run(["update-ref", BRANCH, head])?;
        self.git.run(["update-ref", BASE, base])?;
        self.git.run(["update-ref", PREPARED, head])?;
        self.git.run(["reset", "--quiet", "--mixed"])
    }

    /// The difference between two neighbouring commits, as `git diff -U0` prints it.
    pub fn diff(&self, old: &str, new: &str) -> Result<Vec<u8>> {
        self.git.output([
            "-c",
            "core.abbrev=12",
            "diff-tree",
            "--patch",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--diff-algorithm=histogram",
            "--indent-heuristic",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            old,
            new,
        ])
    }
}

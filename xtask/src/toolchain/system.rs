/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Programs and libraries that the system has to have, and how they get there.

use anyhow::{Result, bail};

use super::compilers::{self, CLANG_RELEASES, Compilers, Linker, OLDEST_CLANG};
use crate::util::command::Command;
use crate::util::{self};

/// The oldest Python that runs the generator of the bindings.
const OLDEST_PYTHON: (u32, u32) = (3, 11);

/// Something the system has to have.
pub struct Requirement {
    pub name: &'static str,
    /// What it is needed for.
    pub why: &'static str,
    pub need: Need,
    /// Says what was found, such as a version, or what is wrong.
    find: fn() -> Result<String>,
    /// Packages of Debian and Ubuntu. Of the names in one group the first that exists is taken.
    packages: &'static [&'static [&'static str]],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing builds without it.
    Must,
    /// It makes things faster.
    Should,
}

/// `-19` and the like after the names of the packages that come in several releases.
const RELEASE: &str = "-RELEASE";

/// All requirements, in the order in which they are shown.
pub static REQUIREMENTS: [Requirement; 12] = [
    Requirement {
        name: "clang",
        why: "compiles SpiderMonkey and other C++",
        need: Need::Must,
        find: || {
            Compilers::find().map(|found| {
                format!(
                    "{} ({})",
                    found.version_text.lines().next().unwrap_or_default(),
                    found.cc.display()
                )
            })
        },
        packages: &[&["clang-RELEASE"]],
    },
    Requirement {
        name: "libclang",
        why: "reads C++ headers for bindgen",
        need: Need::Must,
        find: || match Compilers::find()?.libclang {
            Some(folder) => Ok(folder.display().to_string()),
            None => bail!("not beside clang"),
        },
        packages: &[&["libclang-RELEASE-dev"]],
    },
    Requirement {
        name: "llvm-objdump",
        why: "SpiderMonkey's build looks into object files",
        need: Need::Must,
        find: || {
            let release = Compilers::find()?.release;
            program(&[&format!("llvm-objdump-{release}"), "llvm-objdump"])
        },
        packages: &[&["llvm-RELEASE"]],
    },
    Requirement {
        name: "C++ library",
        why: "headers and library of the C++ standard library",
        need: Need::Must,
        find: cxx_library,
        packages: &[&["g++"]],
    },
    Requirement {
        name: "lld",
        why: "links the engine in seconds, and smaller",
        need: Need::Should,
        find: || {
            let compilers = Compilers::find()?;
            match compilers.linker {
                Linker::Lld => program(&[&compilers::lld(compilers.release), "ld.lld"]),
                Linker::System => bail!(
                    "there is neither {} nor ld.lld",
                    compilers::lld(compilers.release)
                ),
            }
        },
        packages: &[&["lld-RELEASE"]],
    },
    Requirement {
        name: "make",
        why: "SpiderMonkey's build",
        need: Need::Must,
        find: || program(&["gmake", "make"]),
        packages: &[&["make"]],
    },
    Requirement {
        name: "m4",
        why: "SpiderMonkey's build",
        need: Need::Must,
        find: || program(&["m4"]),
        packages: &[&["m4"]],
    },
    Requirement {
        name: "cmake",
        why: "compiles the TLS library",
        need: Need::Must,
        find: || program(&["cmake"]),
        packages: &[&["cmake"]],
    },
    Requirement {
        name: "python",
        why: "generates the DOM bindings",
        need: Need::Must,
        find: python,
        packages: &[&["python3"]],
    },
    Requirement {
        name: "git",
        why: "keeps the patches of Servo",
        need: Need::Must,
        find: || {
            program(&["git"])?;
            Ok(first_line(&Command::new("git").arg("--version").output()?))
        },
        packages: &[&["git"]],
    },
    Requirement {
        name: "fontconfig",
        why: "finds the fonts of the system",
        need: Need::Must,
        find: || library("fontconfig"),
        packages: &[
            &["pkg-config", "pkgconf"],
            &["libfontconfig1-dev", "libfontconfig-dev"],
        ],
    },
    Requirement {
        name: "freetype",
        why: "draws fonts",
        need: Need::Must,
        find: || library("freetype2"),
        packages: &[
            &["pkg-config", "pkgconf"],
            &["libfreetype-dev", "libfreetype6-dev"],
        ],
    },
];

impl Requirement {
    pub fn find(&self) -> Result<String> {
        (self.find)()
    }
}

/// What of the requirements is not there.
pub fn missing() -> Vec<&'static Requirement> {
    REQUIREMENTS
        .iter()
        .filter(|requirement| requirement.find().is_err())
        .collect()
}

/// Installs what is missing where that is possible, and otherwise says what to do.
pub fn install_what_is_missing() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing
        .iter()
        .map(|requirement| requirement.name)
        .collect::<Vec<_>>()
        .join(", ");
    if let (Some(update), Some(install)) = (apt_get(), apt_get()) {
        util::say(format_args!(
            "Missing on this system: {names}. Installing them with apt-get"
        ));
        update.arg("update").run()?;
        let packages = packages(&missing, is_in_apt);
        util::say(format_args!("Installing {}", packages.join(" ")));
        install
            .args(["-y", "--no-install-recommends", "install"])
            .args(&packages)
            .run()?;
    }
    let missing = self::missing();
    if missing.is_empty() {
        return Ok(());
    }
    let is_needed = missing
        .iter()
        .any(|requirement| requirement.need == Need::Must);
    let text = instructions(&missing, has_apt());
    if is_needed {
        bail!("this system lacks something that the engine needs.\n{text}");
    }
    util::say(text);
    Ok(())
}

/// What to do about what is missing, in words.
pub fn instructions(missing: &[&Requirement], has_apt: bool) -> String {
    let mut text = String::new();
    for requirement in missing {
        let why = requirement
            .find()
            .err()
            .map(|error| format!("{error:#}"))
            .unwrap_or_default();
        text.push_str(&format!(
            "  {}: {} ({why})\n",
            requirement.name, requirement.why
        ));
    }
    if has_apt {
        let packages = packages(missing, is_in_apt).join(" ");
        text.push_str(&format!("Install it with\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends {packages}\nand run this again"));
    } else {
        text.push_str(&format!(
            "Install these with your system's package manager (clang has to be of release {OLDEST_CLANG} or later, \
             Python {}.{} or later) and run this again",
            OLDEST_PYTHON.0, OLDEST_PYTHON.1
        ));
    }
    text
}

/// The packages to install, given what the system has to offer.
fn packages(missing: &[&Requirement], exists: impl Fn(&str) -> bool) -> Vec<String> {
    // The packages of one release of clang belong together. One that is here already decides.
    let present = Compilers::find().ok().map(|compilers| compilers.release);
    let offered = || {
        CLANG_RELEASES
            .into_iter()
            .find(|release| exists(&format!("clang-{release}")))
    };
    let release = present.or_else(offered).unwrap_or(CLANG_RELEASES[0]);
    let mut packages: Vec<String> = Vec::new();
    for group in missing.iter().flat_map(|requirement| requirement.packages) {
        let names = group
            .iter()
            .map(|name| name.replace(RELEASE, &format!("-{release}")))
            .collect::<Vec<_>>();
        let name = names.iter().find(|name| exists(name)).or(names.first());
        packages.extend(name.filter(|name| !packages.contains(name)).cloned());
    }
    packages
}

/// Installs the packages of programs that are not here, where that is possible. Each program goes with the name of
/// its package in Debian and Ubuntu.
pub fn install_programs(programs: &[(&str, &str)]) -> Result<()> {
    let missing: Vec<&str> = programs
        .iter()
        .filter(|(program, _)| which::which(program).is_err())
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        install_packages(&missing)
    }
}

/// Installs packages of Debian and Ubuntu where that is possible, and otherwise says what to do.
pub fn install_packages(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    let (Some(update), Some(install)) = (apt_get(), apt_get()) else {
        bail!(
            "this needs {names}: install it with your system's package manager and run this again"
        );
    };
    util::say(format_args!("Installing {names} with apt-get"));
    update.arg("update").run()?;
    install
        .args(["-y", "--no-install-recommends", "install"])
        .args(packages)
        .run()
}

/// Whether this system installs its software with apt.
pub fn has_apt() -> bool {
    which::which("apt-get").is_ok()
}

fn is_in_apt(package: &str) -> bool {
    Command::new("apt-cache")
        .args(["show", "--no-all-versions", package])
        .output()
        .is_ok_and(|text| !text.is_empty())
}

/// `apt-get`, with what goes before it so that it has the rights of root; nothing if they cannot be
/// had without asking somebody.
fn apt_get() -> Option<Command> {
    // It must not ask anything either.
    let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
    has_apt().then_some(())?;
    if Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|id| id.trim_ascii() == b"0")
    {
        return Some(Command::new(quiet[0]).args(&quiet[1..]));
    }
    Command::new("sudo")
        .args(["-n", "true"])
        .output()
        .is_ok()
        .then(|| Command::new("sudo").arg("-n").args(quiet))
}

fn program(names: &[&str]) -> Result<String> {
    match names.iter().find_map(|name| which::which(name).ok()) {
        Some(path) => Ok(path.display().to_string()),
        None => bail!("not found"),
    }
}

fn library(name: &str) -> Result<String> {
    program(&["pkg-config"])?;
    match Command::new("pkg-config")
        .args(["--modversion", name])
        .output()
    {
        Ok(version) => Ok(first_line(&version)),
        Err(_) => bail!("pkg-config does not know {name}"),
    }
}

fn python() -> Result<String> {
    program(&["python3"])?;
    let version = first_line(
        &Command::new("python3")
            .args(["-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"])
            .output()?,
    );
    let mut parts = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let is_new_enough = matches!((parts.next(), parts.next()), (Some(major), Some(minor)) if (major, minor) >= OLDEST_PYTHON);
    // `uv` brings a Python of its own, and Servo prefers it.
    if !is_new_enough && which::which("uv").is_err() {
        bail!(
            "python3 is {version}; {}.{} or later is needed, or `uv`",
            OLDEST_PYTHON.0,
            OLDEST_PYTHON.1
        );
    }
    Ok(format!("Python {version}"))
}

/// Compiles next to nothing, since clang finds the library of gcc in ways of its own.
fn cxx_library() -> Result<String> {
    let compilers = Compilers::find()?;
    let source = b"#include <vector>\nint main() { return std::vector<int>(1).front(); }\n";
    let folder = tempfile::tempdir()?;
    let result = Command::new(&compilers.cxx)
        .args(["-x", "c++", "-", "-o"])
        .arg(folder.path().join("program"))
        .output_with_input(source);
    match result {
        Ok(_) => Ok(format!("{} links against it", compilers.cxx.display())),
        Err(_) => bail!(
            "{} cannot compile and link a C++ program",
            compilers.cxx.display()
        ),
    }
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_one_release_are_taken_together_and_once() {
        let missing = REQUIREMENTS.iter().collect::<Vec<_>>();
        let packages = packages(&missing, |_| true);
        let release = packages[0].strip_prefix("clang-").unwrap();
        assert!(packages.contains(&format!("libclang-{release}-dev")));
        assert!(packages.contains(&format!("llvm-{release}")));
        assert_eq!(
            packages.iter().filter(|name| *name == "pkg-config").count(),
            1
        );
    }

    #[test]
    fn the_first_package_that_exists_is_taken() {
        let fontconfig = REQUIREMENTS
            .iter()
            .filter(|requirement| requirement.name == "fontconfig")
            .collect::<Vec<_>>();
        assert_eq!(
            packages(&fontconfig, |name| name != "pkg-config"),
            ["pkgconf", "libfontconfig1-dev"]
        );
        assert_eq!(
            packages(&fontconfig, |name| !name.starts_with("libfontconfig1")),
            ["pkg-config", "libfontconfig-dev"]
        );
    }

    #[test]
    fn instructions_say_what_is_missing_and_what_for() {
        let make = REQUIREMENTS
            .iter()
            .filter(|requirement| requirement.name == "make")
            .collect::<Vec<_>>();
        let text = instructions(&make, false);
        assert!(
            text.contains("make")
                && text.contains("SpiderMonkey")
                && text.contains("package manager")
        );
    }
}

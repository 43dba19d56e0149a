//! Debian packages that tests need: installed by apt if possible, else named in the error.

use std::path::Path;

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::progress;

/// A program and the Debian package that contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) program: &'static str,
    pub(crate) package: &'static str,
    /// Environment variable with the path of another copy of the program.
    pub(crate) variable: &'static str,
}

pub(crate) const CHROMIUM: Wanted = Wanted { program: "chromium", package: "chromium", variable: "CHROMIUM" };
/// Chromium without windows, in which a page opens in half the time.
pub(crate) const HEADLESS_SHELL: Wanted = Wanted {
    program: "chromium-headless-shell",
    package: "chromium-headless-shell",
    variable: "CHROMIUM_HEADLESS_SHELL",
};
pub(crate) const FIREFOX: Wanted = Wanted { program: "firefox-esr", package: "firefox-esr", variable: "FIREFOX" };
pub(crate) const WEBKIT_DRIVER: Wanted =
    Wanted { program: "WebKitWebDriver", package: "webkit2gtk-driver", variable: "WEBKIT_DRIVER" };
pub(crate) const XVFB_RUN: Wanted = Wanted { program: "xvfb-run", package: "xvfb", variable: "XVFB_RUN" };
pub(crate) const CHROMEDRIVER: Wanted =
    Wanted { program: "chromedriver", package: "chromium-driver", variable: "CHROMEDRIVER" };
pub(crate) const REDIS_SERVER: Wanted =
    Wanted { program: "redis-server", package: "redis-server", variable: "REDIS_SERVER" };

pub(crate) const REDIS_CLI: Wanted = Wanted { program: "redis-cli", package: "redis-tools", variable: "REDIS_CLI" };
pub(crate) const REDIS_BENCHMARK: Wanted =
    Wanted { program: "redis-benchmark", package: "redis-tools", variable: "REDIS_BENCHMARK" };
pub(crate) const PYTHON: Wanted = Wanted { program: "python3", package: "python3", variable: "PYTHON" };

/// Path of a program, from its variable or from PATH.
pub(crate) fn find(wanted: Wanted) -> Option<String> {
    if let Ok(path) = std::env::var(wanted.variable)
        && Path::new(&path).is_file()
    {
        return Some(path);
    }
    let folders = std::env::var_os("PATH")?;
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(wanted.program));
    candidates.find(|path| path.is_file()).map(|path| path.display().to_string())
}

/// Path of a program that has to be there.
pub(crate) fn path(wanted: Wanted) -> Result<String> {
    find(wanted).ok_or_else(|| Failure::new(format!("{} was not found", wanted.program)))
}

/// Installs missing packages, or fails with their names.
pub(crate) fn ensure(all: &[Wanted]) -> Result {
    let missing: Vec<&Wanted> = all.iter().filter(|wanted| find(**wanted).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|wanted| wanted.package).collect();
    let variables: Vec<&str> = missing.iter().map(|wanted| wanted.variable).collect();
    let hint = format!(
        "install {} (Debian's names), or name other copies in {}, or leave these tests out with --without",
        packages.join(" and "),
        variables.join(" and ")
    );
    if !can_install() {
        return Err(Failure::new(format!("missing: {}. {hint}", packages.join(", "))));
    }
    install(&packages).map_err(|failure| Failure::new(format!("{failure}\n{hint}")))?;
    match all.iter().find(|wanted| find(**wanted).is_none()) {
        Some(wanted) => {
            Err(Failure::new(format!("the package {} does not contain {}", wanted.package, wanted.program)))
        }
        None => Ok(()),
    }
}

/// Installs packages by their names.
pub(crate) fn install(packages: &[&str]) -> Result {
    let step = progress::step(&format!("Debian packages {}", packages.join(" ")));
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())?;
    step.done();
    Ok(())
}

fn apt(arguments: &[&str]) -> Result {
    Program::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").run()
}

fn can_install() -> bool {
    let has_apt = Program::new("apt-get").arg("--version").output().is_ok();
    let is_root = Program::new("id").arg("-u").output().is_ok_and(|user| user.trim() == "0");
    has_apt && is_root
}

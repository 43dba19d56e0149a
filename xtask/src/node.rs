//! Node and npm: checks their versions, and installs the packages of a folder exactly as its lock file lists them.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;
use crate::progress;
use crate::stamp::Stamp;

/// The oldest Node that Vite runs on.
const OLDEST: (u32, u32) = (20, 19);

pub(crate) fn check() -> Result {
    let hint = format!("install Node.js {}.{} or newer (it brings npm) and put it on the PATH", OLDEST.0, OLDEST.1);
    let Ok(version) = Program::node().arg("--version").output() else {
        return Err(Failure::new(format!("node was not found: {hint}")));
    };
    match parse_version(&version) {
        Some(found) if found >= OLDEST => {}
        _ => return Err(Failure::new(format!("node {} is too old: {hint}", version.trim()))),
    }
    match Program::npm().arg("--version").output() {
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::new(format!("npm was not found: {hint}"))),
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Runs `npm ci`, unless the installed packages came from the same lock file.
pub(crate) fn install(folder: &Path) -> Result {
    let name = paths::short(folder);
    if !folder.join("package.json").is_file() {
        return Err(Failure::new(format!("{name}/package.json is missing")));
    }
    if !folder.join("package-lock.json").is_file() {
        return Err(Failure::new(format!(
            "{name}/package-lock.json is missing: run `npm install` in {name} and commit it"
        )));
    }
    let mut stamp = Stamp::in_file(folder.join("node_modules/.keylatch-stamp"));
    for file in ["package.json", "package-lock.json", ".npmrc"] {
        stamp.add_file(&folder.join(file))?;
    }
    if stamp.is_fresh() {
        return Ok(());
    }
    let step = progress::step(&format!("npm packages of {name}"));
    Program::npm().args(&["ci", "--no-audit", "--no-fund", "--loglevel=error"]).folder(folder).run()?;
    stamp.keep()?;
    step.done();
    Ok(())
}

/// A script of an installed npm package of `folder`, for [`Program::node`].
pub(crate) fn tool(folder: &Path, package: &str, script: &str) -> Result<PathBuf> {
    let path = folder.join("node_modules").join(package).join(script);
    if path.is_file() {
        return Ok(path);
    }
    let name = paths::short(folder);
    Err(Failure::new(format!("{package} is missing: {name}/package.json must name it in its devDependencies")))
}

/// True when package.json has a script of that name.
pub(crate) fn has_script(folder: &Path, script: &str) -> Result<bool> {
    let text = paths::read_text(&folder.join("package.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{}/package.json is no JSON: {error}", paths::short(folder))))?;
    Ok(manifest["scripts"][script].is_string())
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, parse_version};

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert!(parse_version("v20.9.0") < Some(OLDEST));
        assert!(parse_version("v24.0.0") > Some(OLDEST));
        assert_eq!(parse_version("nonsense"), None);
    }
}

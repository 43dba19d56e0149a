//! The package of an earlier commit, which rows of Node show beside today's: built once, and kept in target/bench.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::BenchOptions;
use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::{paths, progress};

/// The last commit with separate fast paths for some commands.
const COMMIT: &str = "393ad1d26ff99317d3b63ec6cc658ca04e11a13c";

/// The package's folder. None when it cannot be built, or is not built yet and the run is a quick one.
pub(super) fn package(options: &BenchOptions) -> Option<PathBuf> {
    let folder = paths::bench().join("landed");
    let package = folder.join("keylatch");
    if is_package(&package) {
        return Some(package);
    }
    let built = match options.quick {
        true => Err(Failure::new("not built, and --quick does not build it")),
        false => build(&folder, &package),
    };
    built.inspect_err(|failure| println!("LEFT OUT  the store `landed`: {failure}")).ok()?;
    Some(package)
}

fn is_package(folder: &Path) -> bool {
    folder.join("package.json").is_file()
}

/// Runs the commit's own build in a copy of its sources, and keeps the package only.
fn build(folder: &Path, package: &Path) -> Result {
    let step = progress::step(&format!("package of commit {}", &COMMIT[..9]));
    let sources = folder.join("sources");
    remove(&sources)?;
    paths::create_folder(&sources)?;
    unpack(folder, &sources)?;
    Program::cargo()
        .args(&["run", "--quiet", "--package", "xtask", "--", "build"])
        .folder(&sources)
        .without_env("CARGO_TARGET_DIR")
        .run()?;
    let built = sources.join("target/npm/keylatch");
    if !is_package(&built) {
        return Err(Failure::new("the build of the commit left no package"));
    }
    remove(package)?;
    fs::rename(&built, package).map_err(|error| Failure::file("move", &built, &error))?;
    remove(&sources)?;
    step.done();
    Ok(())
}

/// Writes the commit's files; a shallow clone may lack the commit.
fn unpack(folder: &Path, sources: &Path) -> Result {
    let archive = folder.join("sources.tar");
    Program::new("git").args(&["archive", "--format=tar", "-o"]).arg(&archive).arg(COMMIT).output()?;
    Program::new("tar").arg("-xf").arg(&archive).arg("-C").arg(sources).output()?;
    fs::remove_file(&archive).map_err(|error| Failure::file("remove", &archive, &error))
}

fn remove(folder: &Path) -> Result {
    match folder.exists() {
        true => fs::remove_dir_all(folder).map_err(|error| Failure::file("remove", folder, &error)),
        false => Ok(()),
    }
}

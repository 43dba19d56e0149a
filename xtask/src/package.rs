//! The package step: pkg-templates/npm, the generated files and the engine's outputs become the installable package
//! target/npm/keylatch.

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::stamp::Stamp;
use crate::{node, paths, progress};

pub(crate) fn build() -> Result {
    let sources = paths::package_sources();
    node::install(&sources)?;
    let mut stamp = Stamp::of_step("package")?;
    stamp.add_folder(&sources)?;
    stamp.add_folder(&paths::engine())?;
    stamp.add_folder(&paths::generated())?;
    // The package contains the licences and the change log of the project.
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "CHANGELOG.md"] {
        stamp.add_file(&paths::root().join(file))?;
    }
    let manifest = paths::package().join("package.json");
    if stamp.is_fresh() && manifest.is_file() {
        progress::unchanged("npm package");
        return Ok(());
    }
    stamp.forget();
    let step = progress::step("npm package");
    Program::npm()
        .args(&["run", "build", "--silent"])
        .env("KEYLATCH_ENGINE", paths::engine())
        .env("KEYLATCH_OUT", paths::package())
        .folder(&sources)
        .run()?;
    if !manifest.is_file() {
        return Err(Failure::new("the package's build wrote no target/npm/keylatch/package.json"));
    }
    step.done();
    stamp.keep()
}

//! The package step: pkg-templates/npm, the generated files and the engine's outputs become the installable package
//! target/npm/keylatch, and with the engine that has Lua target/npm/keylatch-scripting.

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::stamp::Stamp;
use crate::variant::Variant;
use crate::{node, paths, progress};

pub(crate) fn build(variant: Variant) -> Result {
    let sources = paths::package_sources();
    node::install(&sources)?;
    let mut stamp = Stamp::of_step(variant.package_name())?;
    stamp.add_folder(&sources)?;
    stamp.add_folder(&variant.engine())?;
    stamp.add_folder(&paths::generated())?;
    // The package contains the licences and the change log of the project.
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "CHANGELOG.md"] {
        stamp.add_file(&paths::root().join(file))?;
    }
    let manifest = variant.package().join("package.json");
    if stamp.is_fresh() && manifest.is_file() {
        progress::unchanged(&step_name(variant));
        return Ok(());
    }
    stamp.forget();
    let step = progress::step(&step_name(variant));
    Program::npm()
        .args(&["run", "build", "--silent"])
        .env("KEYLATCH_ENGINE", variant.engine())
        .env("KEYLATCH_OUT", variant.package())
        .env("KEYLATCH_NAME", variant.package_name())
        .folder(&sources)
        .run()?;
    if !manifest.is_file() {
        return Err(Failure::new(format!("the package's build wrote no {}", paths::short(&manifest))));
    }
    step.done();
    stamp.keep()
}

fn step_name(variant: Variant) -> String {
    format!("npm package {}", variant.package_name())
}

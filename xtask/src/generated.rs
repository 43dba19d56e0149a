//! The step of generated files: what is printed from the rows, before anything is built of it.
//!
//! - `target/generated`: the command table, the calling convention, and commands as programs write them, as JSON;
//! - `target/docs/commands`: a page for each group of commands, with examples that were run;
//! - `pkg-templates/npm/src/*/generated`: TypeScript of the package, ignored by git. It lies among the sources that import it, so
//!   that tsc, esbuild and editors find it without settings, and declarations keep their relative paths.

use crate::failure::Result;
use crate::process::Program;
use crate::stamp::Stamp;
use crate::{paths, progress};

/// Read by the printer: the engine with its rows, the printer itself, the session files that it shows, and the lessons.
const SOURCES: [&str; 5] = ["src", "examples/generate", "tests/sessions", "tests/support", "www/lessons"];

/// Printed TypeScript, in the sources of the package.
const TYPESCRIPT: [&str; 12] = [
    "base/generated/awaitable.ts",
    "client/generated/calls.ts",
    "client/generated/commands.ts",
    "client/generated/key-positions.ts",
    "client/generated/methods.ts",
    "client/generated/options.ts",
    "client/generated/reads.ts",
    "host/generated/convention.ts",
    "host/generated/events.ts",
    "host/generated/modes.ts",
    "locks/generated/latch-script.ts",
    "race/generated/independent.ts",
];

pub(crate) fn build() -> Result {
    let mut stamp = Stamp::of_step("generated")?;
    for folder in SOURCES {
        stamp.add_folder(&paths::root().join(folder))?;
    }
    stamp.add_file(&paths::root().join("Cargo.lock"))?;
    stamp.add_file(&paths::root().join("docs/recipes.md"))?;
    stamp.add_file(&paths::package_sources().join("generate.mjs"))?;
    stamp.add_folder(&paths::package_sources().join("generate"))?;
    stamp.add_file(&paths::package_sources().join("src/client/sugar/blocking.ts"))?;
    stamp.add_folder(&paths::package_sources().join("src/locks/latch"))?;
    if stamp.is_fresh() && outputs_exist() {
        progress::unchanged("generated files");
        return Ok(());
    }
    stamp.forget();
    let step = progress::step("generated files");
    Program::cargo()
        // With Lua, examples of scripts show their replies. The rows are those of every build.
        .args(&["run", "--quiet", "--package", "keylatch", "--features", "scripting"])
        .args(&["--example", "generate", "--"])
        .arg(paths::root().join("target"))
        .run()?;
    Program::npm().args(&["run", "generate", "--silent"]).folder(&paths::package_sources()).run()?;
    step.done();
    stamp.keep()
}

fn outputs_exist() -> bool {
    let typescript = paths::package_sources().join("src");
    TYPESCRIPT.iter().all(|name| typescript.join(name).is_file())
        && ["commands.json", "convention.json", "events.json", "examples.json", "forms.json"]
            .iter()
            .all(|name| paths::generated().join(name).is_file())
        && paths::command_pages().join("README.md").is_file()
}

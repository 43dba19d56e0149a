//! Suites in JavaScript: format and lint of the sources; the package, its tarball, the worker template and the page as built.

use std::path::Path;

use crate::debian::{
    self, CHROMIUM, FIREFOX, HEADLESS_SHELL, REDIS_BENCHMARK, REDIS_CLI, REDIS_SERVER, WEBKIT_DRIVER, XVFB_RUN,
};
use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::variant::Variant;
use crate::{node, paths, python};

/// Node takes one core less than there are, which leaves one of two idle.
const FILES_AT_ONCE: &str = "--test-concurrency=2";

/// Runs Biome over TypeScript and scripts of every folder, as configured in biome.jsonc. Biome is one of the package's
/// build tools.
pub(super) fn fmt() -> Result {
    node::check()?;
    node::install(&paths::package_sources())?;
    let tool = node::tool(&paths::package_sources(), "@biomejs/biome", "bin/biome")?;
    Program::node().arg(&tool).args(&["ci", "--error-on-warnings"]).run()
}

/// Runs tsc over the sources; the worker template is checked by its own tests, in the layout of a user's project.
pub(super) fn types() -> Result {
    node::install(&paths::package_sources())?;
    script(&paths::package_sources(), "check")?.run()?;
    node::install(&paths::page_sources())?;
    script(&paths::page_sources(), "types")?.run()
}

pub(super) fn package() -> Result {
    let folder = paths::root().join("tests/js");
    // Tests of the tarball are a separate suite.
    let tests: Vec<_> = paths::files_below(&folder)?
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs") && !path.starts_with(folder.join("packaging")))
        .collect();
    if tests.is_empty() {
        return Err(Failure::new("tests/js has no file that ends in .test.mjs"));
    }
    let mut program = Program::node().args(&["--test", FILES_AT_ONCE]);
    for test in &tests {
        program = program.arg(test);
    }
    program.run()
}

pub(super) fn packaging() -> Result {
    let folder = paths::root().join("tests/js/packaging");
    let chromium = debian::path(CHROMIUM)?;
    node::install(&folder)?;
    script(&folder, "test")?.env("CHROMIUM", chromium).env("KEYLATCH_PACKAGE", paths::package()).run()
}

pub(super) fn clients() -> Result {
    let folder = paths::root().join("tests/clients");
    node::install(&folder)?;
    let python = python::environment("clients", "tests/clients/python/requirements.txt")?;
    let mut program = script(&folder, "test")?.env("KEYLATCH_PACKAGE", paths::package()).env("KEYLATCH_PYTHON", python);
    for wanted in [REDIS_SERVER, REDIS_CLI, REDIS_BENCHMARK] {
        program = program.env(wanted.variable, debian::path(wanted)?);
    }
    program.run()
}

/// Lock, limiter and queue libraries that ship scripts, with the package that has Lua.
pub(super) fn scripts() -> Result {
    let folder = paths::root().join("tests/scripts");
    node::install(&folder)?;
    let python = python::environment("scripts", "tests/scripts/python/requirements.txt")?;
    let server = debian::path(REDIS_SERVER)?;
    script(&folder, "test")?
        .env("KEYLATCH_PACKAGE", Variant::Scripting.package())
        .env("KEYLATCH_PYTHON", python)
        .env(REDIS_SERVER.variable, server)
        .run()
}

pub(super) fn worker() -> Result {
    let folder = paths::root().join("tests/worker");
    node::install(&folder)?;
    let mut program = script(&folder, "test")?.env("KEYLATCH_PACKAGE", paths::package());
    for wanted in [REDIS_SERVER, REDIS_CLI] {
        program = program.env(wanted.variable, debian::path(wanted)?);
    }
    program.run()
}

pub(super) fn browser() -> Result {
    let folder = paths::root().join("tests/browser");
    // Some systems package Chromium alone.
    let chromium = match debian::ensure(&[HEADLESS_SHELL]) {
        Ok(()) => debian::path(HEADLESS_SHELL)?,
        Err(_) => debian::path(CHROMIUM)?,
    };
    debian::ensure(&[FIREFOX, WEBKIT_DRIVER, XVFB_RUN])?;
    // Its table tests compile modules of the page with the page's own tools.
    node::install(&paths::page_sources())?;
    node::install(&folder)?;
    let mut program = script(&folder, "test")?.env("CHROMIUM", chromium).env("KEYLATCH_WWW", paths::www());
    for wanted in [FIREFOX, WEBKIT_DRIVER, XVFB_RUN] {
        program = program.env(wanted.variable, debian::path(wanted)?);
    }
    program.run()
}

fn script(folder: &Path, name: &str) -> Result<Program> {
    if !node::has_script(folder, name)? {
        return Err(Failure::new(format!("{}/package.json has no script `{name}`", paths::short(folder))));
    }
    Ok(Program::npm().args(&["run", "--silent", name]).folder(folder))
}

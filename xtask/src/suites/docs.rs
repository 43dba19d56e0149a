//! The crate as docs.rs and crates.io show it: documentation, public API, package.

use std::fs;

use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;

/// The public API, one item a line.
const API_FILE: &str = "docs/public-api.txt";

pub(super) fn run() -> Result {
    Program::cargo()
        .args(&["doc", "--package", "keylatch", "--no-deps"])
        .env("RUSTDOCFLAGS", "--deny warnings")
        .run()?;
    check_public_api()?;
    package()
}

/// Compares the public API with the list in the repository, and updates the list: the change is then committed, or undone.
fn check_public_api() -> Result {
    // rustdoc prints JSON on a stable toolchain only with this variable; it changes nothing that is built.
    Program::cargo()
        .args(&["rustdoc", "--package", "keylatch", "--lib", "--", "-Z", "unstable-options", "--output-format", "json"])
        .env("RUSTC_BOOTSTRAP", "1")
        .run()?;
    let api = public_api::Builder::from_rustdoc_json(paths::target().join("doc/keylatch.json"))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| Failure::new(format!("the public API cannot be listed: {error}")))?;
    let list: String = api.items().map(|item| format!("{item}\n")).collect();
    let file = paths::root().join(API_FILE);
    if fs::read_to_string(&file).is_ok_and(|committed| committed == list) {
        return Ok(());
    }
    paths::write(&file, &list)?;
    Err(Failure::new(format!("the public API has changed: {API_FILE} was updated; commit it if the change is wanted")))
}

/// Packs the crate as for publication; a warning of Cargo is an error.
fn package() -> Result {
    let arguments = ["package", "--package", "keylatch", "--no-verify", "--allow-dirty"];
    let warnings = Program::cargo().args(&arguments).warnings()?;
    match warnings.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("`cargo package` warns:\n{}", warnings.join("\n")))),
    }
}

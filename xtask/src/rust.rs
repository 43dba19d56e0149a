//! Rust targets: checks that a target's standard library is installed, and has rustup install it if not.

use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;
use crate::progress;

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A target without an operating system: builds for it need neither std nor an allocator of the host.
pub(crate) const BARE_METAL: &str = "thumbv7em-none-eabi";

pub(crate) fn ensure_target(target: &str) -> Result {
    // The compiler prints the folder also for a target that is not installed; only its existence counts.
    let folder = Program::new("rustc").args(&["--print", "target-libdir", "--target", target]).output()?;
    if std::path::Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    let step = progress::step(&format!("adding the Rust target {target}"));
    let added = Program::new("rustup").args(&["target", "add", target]).folder(&paths::root()).run();
    added.map_err(|failure| {
        Failure::new(format!("the Rust target {target} is missing and could not be added: {failure}\ninstall it with `rustup target add {target}`, or with your system's packages"))
    })?;
    step.done();
    Ok(())
}

//! `cargo xtask play`: serves the built playground until Ctrl-C, with Vite's preview server.
//!
//! The server skips ports in use, prints its address, and sends the headers of www/vite.config.ts.

use std::io::IsTerminal;

use crate::cli::PlayOptions;
use crate::failure::Result;
use crate::process::Program;
use crate::{node, paths};

pub(crate) fn serve(options: &PlayOptions) -> Result {
    let folder = paths::page_sources();
    node::install(&folder)?;
    let tool = node::tool(&folder, "vite", "bin/vite.js")?;
    let port = options.port.to_string();
    let mut program =
        Program::node().arg(&tool).args(&["preview", "--host", "127.0.0.1", "--port", &port]).folder(&folder);
    if options.open && std::io::stdout().is_terminal() && has_desktop() {
        program = program.arg("--open");
    }
    println!("\nkeylatch playground; press Ctrl-C to stop");
    program.run()
}

/// True when a browser can be opened; otherwise the address is only printed.
fn has_desktop() -> bool {
    cfg!(any(target_os = "macos", windows))
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

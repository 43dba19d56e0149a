//! `cargo xtask play`: serves the built playground until Ctrl-C.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use crate::cli::PlayOptions;
use crate::failure::Result;
use crate::{paths, server};

pub(crate) fn serve(options: &PlayOptions) -> Result {
    let server = server::Server::bind(options.port, paths::www())?;
    let url = format!("http://127.0.0.1:{}/", server.port());
    println!("\nkeylatch playground: {url}\npress Ctrl-C to stop");
    if options.open && std::io::stdout().is_terminal() {
        open_browser(&url);
    }
    server.run()
}

/// Opens the page where the system knows how; the printed URL serves everywhere else.
fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        "xdg-open"
    } else {
        return;
    };
    // Not being able to open a browser is no failure.
    let _ = Command::new(opener).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

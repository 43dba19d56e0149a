//! All paths that xtask reads or writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::variant::Variant;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    // The manifest of xtask is one level below the workspace, so it always has a parent.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask/ has a parent").to_path_buf()
}

/// Cargo's output folder, honouring CARGO_TARGET_DIR as Cargo does.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Tables that are printed from the rows.
pub(crate) fn generated() -> PathBuf {
    root().join("target/generated")
}

/// Pages of the commands.
pub(crate) fn command_pages() -> PathBuf {
    root().join("target/docs/commands")
}

/// The installable npm package without Lua.
pub(crate) fn package() -> PathBuf {
    Variant::Core.package()
}

/// The built playground.
pub(crate) fn www() -> PathBuf {
    root().join("target/www")
}

/// Results of the benches.
pub(crate) fn bench() -> PathBuf {
    root().join("target/bench")
}

pub(crate) fn package_sources() -> PathBuf {
    root().join("pkg-templates/npm")
}

pub(crate) fn page_sources() -> PathBuf {
    root().join("www")
}

/// A path relative to the workspace's folder, for messages.
pub(crate) fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

pub(crate) fn create_folder(path: &Path) -> Result {
    fs::create_dir_all(path).map_err(|error| Failure::file("create the folder", path, &error))
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Failure::file("read", path, &error))
}

pub(crate) fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result {
    fs::write(path, bytes).map_err(|error| Failure::file("write", path, &error))
}

/// All files below a folder in a fixed order, without installed packages and build outputs. Empty for a missing folder.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&folder).map_err(|error| Failure::file("list", &folder, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| Failure::file("list", &folder, &error))?.path();
            let installed = path.file_name().is_some_and(|name| name == "node_modules");
            match path.is_dir() {
                true if installed => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    Ok(files)
}

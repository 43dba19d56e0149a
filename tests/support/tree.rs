//! Reads the handwritten files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its path from the root of the repository, written with slashes.
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    pub fn new(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }
}

/// Folders written by tools; `generated` files are written from the command rows.
const NOT_OURS: [&str; 4] = ["node_modules", "target", "generated", ".wrangler"];

const SESSION_FOLDERS: [&str; 2] = ["tests/sessions", "www/lessons"];

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files of the given extensions below a folder, in the order of their paths. Empty for a missing folder.
pub fn files(folder: &str, kinds: &[&str]) -> Vec<File> {
    let mut paths = Vec::new();
    collect(&root().join(folder), &mut paths);
    paths.sort();
    let wanted =
        |path: &PathBuf| path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| kinds.contains(&kind));
    paths.into_iter().filter(wanted).map(|path| read(&path)).collect()
}

/// All session files of the repository.
pub fn sessions() -> Vec<File> {
    let found: Vec<Vec<File>> = SESSION_FOLDERS.iter().map(|folder| files(folder, &["session"])).collect();
    assert!(found.iter().all(|files| !files.is_empty()), "a folder of {SESSION_FOLDERS:?} holds no session file");
    found.into_iter().flatten().filter(|file| fits_build(&file.path)).collect()
}

/// Whether a session file is about this build: with Lua, or without.
pub fn fits_build(path: &str) -> bool {
    let has_lua = cfg!(feature = "scripting");
    let lesson_with_lua = path.contains("-scripting-");
    !path.contains(if has_lua { "/without-lua/" } else { "/scripting/" }) && (has_lua || !lesson_with_lua)
}

fn read(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let short = path.strip_prefix(root()).unwrap_or(path);
    let parts: Vec<String> = short.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    File { path: parts.join("/"), text }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            true if NOT_OURS.contains(&name.as_str()) => {}
            true => collect(&path, paths),
            false => paths.push(path),
        }
    }
}

#[test]
fn finds_files_by_kind_and_passes_over_installed_ones() {
    let files = files("tests", &["rs"]);
    assert!(files.iter().any(|file| file.path == "tests/support/tree.rs"));
    assert!(files.iter().all(|file| file.path.ends_with(".rs") && !file.path.contains("node_modules")));
}

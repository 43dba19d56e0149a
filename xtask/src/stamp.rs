//! Stamps of build steps, with which a step is skipped while its inputs are unchanged.
//!
//! A stamp is a hash over the names and contents of the inputs and over xtask itself, so that a changed step runs
//! again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::failure::{Failure, Result};
use crate::paths;

#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    hasher: DefaultHasher,
}

impl Stamp {
    /// The stamp of one step, kept in target/stamps.
    pub(crate) fn of_step(name: &str) -> Result<Self> {
        let mut stamp = Stamp::in_file(paths::root().join("target/stamps").join(name));
        stamp.add_xtask()?;
        Ok(stamp)
    }

    /// A stamp stored beside its output, so that both are deleted together.
    pub(crate) fn in_file(file: PathBuf) -> Self {
        Stamp { file, hasher: DefaultHasher::new() }
    }

    pub(crate) fn add_text(&mut self, text: &str) {
        text.hash(&mut self.hasher);
    }

    /// Hash of a file; a missing file has a hash of its own, so that creating it is a change.
    pub(crate) fn add_file(&mut self, path: &Path) -> Result {
        self.add_text(&paths::short(path));
        if path.is_file() {
            paths::read(path)?.hash(&mut self.hasher);
        }
        Ok(())
    }

    pub(crate) fn add_folder(&mut self, folder: &Path) -> Result {
        for file in paths::files_below(folder)? {
            self.add_file(&file)?;
        }
        Ok(())
    }

    /// True when the step completed with the same inputs before.
    pub(crate) fn is_fresh(&self) -> bool {
        std::fs::read_to_string(&self.file).is_ok_and(|kept| kept == self.text())
    }

    /// Removes the stamp before the step runs: until `keep`, its outputs are not valid.
    pub(crate) fn forget(&self) {
        // A stamp that cannot be removed does not exist.
        let _ = std::fs::remove_file(&self.file);
    }

    pub(crate) fn keep(&self) -> Result {
        if let Some(folder) = self.file.parent() {
            paths::create_folder(folder)?;
        }
        paths::write(&self.file, self.text())
    }

    fn text(&self) -> String {
        format!("{:016x}\n", self.hasher.finish())
    }

    /// Length and time of the running binary replace its content, which is too large to hash each time.
    fn add_xtask(&mut self) -> Result {
        let path =
            std::env::current_exe().map_err(|error| Failure::new(format!("cannot find xtask itself: {error}")))?;
        let data = path.metadata().map_err(|error| Failure::file("read", &path, &error))?;
        let modified_ms =
            data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|age| age.as_millis());
        (data.len(), modified_ms).hash(&mut self.hasher);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn a_change_of_any_input_is_seen() {
        let folder = std::env::temp_dir().join(format!("keylatch-stamp-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inputs")).unwrap();
        let input = folder.join("inputs/a.txt");
        let stamp = || {
            let mut stamp = Stamp::in_file(folder.join("stamp"));
            stamp.add_folder(&folder.join("inputs")).unwrap();
            stamp
        };
        std::fs::write(&input, "one").unwrap();
        assert!(!stamp().is_fresh());
        stamp().keep().unwrap();
        assert!(stamp().is_fresh());
        std::fs::write(&input, "two").unwrap();
        assert!(!stamp().is_fresh());
        std::fs::write(&input, "one").unwrap();
        std::fs::write(folder.join("inputs/b.txt"), "").unwrap();
        assert!(!stamp().is_fresh());
        std::fs::remove_file(folder.join("inputs/b.txt")).unwrap();
        assert!(stamp().is_fresh());
        stamp().forget();
        assert!(!stamp().is_fresh());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

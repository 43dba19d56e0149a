//! Texts of libraries of functions. They are kept as they were loaded, also by a build that cannot run them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::argv::Argv;
use crate::base::headroom::{OutOfMemory, copied, try_reserve};
use crate::resp::decode::split_line;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::scripts::size::text_bytes;

/// Library with its whole text, the first line included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Library {
    pub name: Box<[u8]>,
    pub code: Box<[u8]>,
}

/// Libraries in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    entries: Vec<Library>,
    /// Number of changes, by which a machine notices that it holds other libraries.
    changes: u64,
    counted_bytes: u64,
}

impl Libraries {
    pub fn iter(&self) -> impl Iterator<Item = &Library> {
        self.entries.iter()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Counted bytes of all libraries.
    pub fn counted_bytes(&self) -> u64 {
        self.counted_bytes
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a library, in place of one of the same name. A text without a readable name is kept under its first line.
    pub fn insert(&mut self, code: &[u8]) -> Result<(), OutOfMemory> {
        let first_line = code.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let name = copied(&header(code).map_or(first_line.into(), |header| header.name))?;
        try_reserve(&mut self.entries, 1)?;
        let library = Library { name: name.into(), code: copied(code)?.into() };
        self.changes += 1;
        self.counted_bytes += text_bytes(code.len());
        match self.position(&library.name) {
            Ok(at) => {
                let replaced = core::mem::replace(&mut self.entries[at], library);
                self.counted_bytes -= text_bytes(replaced.code.len());
            }
            Err(at) => self.entries.insert(at, library),
        }
        Ok(())
    }

    /// Removes a library; false if there is none of that name.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let Ok(at) = self.position(name) else { return false };
        let removed = self.entries.remove(at);
        self.changes += 1;
        self.counted_bytes -= text_bytes(removed.code.len());
        true
    }

    pub fn clear(&mut self) {
        self.replace_with(Libraries::default());
    }

    /// Takes over other libraries, as changes of these.
    pub fn replace_with(&mut self, others: Libraries) {
        self.entries = others.entries;
        self.counted_bytes = others.counted_bytes;
        self.changes += 1;
    }

    fn position(&self, name: &[u8]) -> Result<usize, usize> {
        self.entries.binary_search_by(|library| (*library.name).cmp(name))
    }
}

#[cfg(feature = "scripting")]
impl Libraries {
    pub fn changes(&self) -> u64 {
        self.changes
    }

    pub fn contains(&self, name: &[u8]) -> bool {
        self.position(name).is_ok()
    }
}

/// First line of a library: `#!lua name=locks`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub engine: Vec<u8>,
    pub name: Vec<u8>,
    /// Length of the line without its end.
    pub len: usize,
}

/// Reads the first line of a library.
pub fn header(code: &[u8]) -> Result<Header, ErrorText> {
    if !code.starts_with(b"#!") {
        return Err(CommandError::NO_LIBRARY_HEADER.into());
    }
    let len = code.iter().position(|&byte| byte == b'\n').ok_or(CommandError::BAD_LIBRARY_HEADER)?;
    let mut words = Argv::default();
    split_line(&code[..len], &mut words).map_err(|_| CommandError::BAD_LIBRARY_HEADER)?;
    let mut words = words.as_ref().iter();
    let engine = words.next().and_then(|word| word.get(2..)).unwrap_or_default().to_vec();
    let mut name = None;
    for word in words {
        match word.split_at_checked(5) {
            Some((key, _)) if key.eq_ignore_ascii_case(b"name=") && name.is_some() => {
                return Err(CommandError::LIBRARY_NAME_TWICE.into());
            }
            Some((key, value)) if key.eq_ignore_ascii_case(b"name=") => name = Some(value.to_vec()),
            _ => return Err(ErrorText::with_bytes("ERR Invalid metadata value given: ", word)),
        }
    }
    Ok(Header { engine, name: name.ok_or(CommandError::NO_LIBRARY_NAME)?, len })
}

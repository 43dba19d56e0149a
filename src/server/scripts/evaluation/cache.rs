//! Cache of scripts: those that SCRIPT LOAD named stay, those that EVAL ran are forgotten when there are many.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use hashbrown::HashTable;

use crate::base::hash::hash_bytes;
use crate::base::sha1;
use crate::server::scripts::size::text_bytes;

/// Largest number of scripts that stay because EVAL ran them, as in Redis 8.
pub const EVALUATED_MAX: usize = 500;

/// Name of a script: the digest of its text in lower-case hexadecimal digits.
pub type ScriptName = [u8; sha1::HEX_LEN];

/// Script with its text.
#[derive(Clone, Debug)]
pub struct Script {
    pub name: ScriptName,
    pub text: Box<[u8]>,
    /// Whether SCRIPT LOAD named it.
    is_loaded: bool,
}

/// Scripts by name and by text.
#[derive(Clone, Debug, Default)]
pub struct ScriptCache {
    scripts: Vec<Option<Script>>,
    free: Vec<u32>,
    by_name: HashTable<u32>,
    by_text: HashTable<u32>,
    /// Scripts that EVAL ran, the oldest first.
    evaluated: VecDeque<u32>,
    /// Scripts that were forgotten since the machine asked last.
    forgotten: Vec<u32>,
    counted_bytes: u64,
}

fn hash(bytes: &[u8]) -> u64 {
    // A name is the digest of a text: its first bytes are as good as a hash of all.
    hash_bytes(0, bytes)
}

impl ScriptCache {
    pub fn script(&self, slot: u32) -> Option<&Script> {
        self.scripts.get(slot as usize)?.as_ref()
    }

    /// Returns the slot of the script with a name, in lower-case digits.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let is_it = |slot: &u32| self.script(*slot).is_some_and(|script| script.name == *name);
        self.by_name.find(hash(name), is_it).copied()
    }

    /// Returns the slot of the script with a text.
    pub fn find_text(&self, text: &[u8]) -> Option<u32> {
        let is_it = |slot: &u32| self.script(*slot).is_some_and(|script| *script.text == *text);
        self.by_text.find(hash(text), is_it).copied()
    }

    /// Adds a script that is not there yet; returns its slot.
    pub fn add(&mut self, text: &[u8], is_loaded: bool) -> u32 {
        let script = Script { name: sha1::hex(text), text: text.into(), is_loaded };
        let (name_hash, text_hash) = (hash(&script.name), hash(text));
        let slot = self.free.pop().unwrap_or(self.scripts.len() as u32);
        if slot as usize == self.scripts.len() {
            self.scripts.push(None);
        }
        self.scripts[slot as usize] = Some(script);
        let scripts = &self.scripts;
        let of = |slot: &u32| scripts[*slot as usize].as_ref();
        self.by_name.insert_unique(name_hash, slot, |slot| of(slot).map_or(0, |script| hash(&script.name)));
        self.by_text.insert_unique(text_hash, slot, |slot| of(slot).map_or(0, |script| hash(&script.text)));
        self.counted_bytes += text_bytes(text.len());
        if !is_loaded {
            self.evaluated.push_back(slot);
            if self.evaluated.len() > EVALUATED_MAX {
                self.forget_oldest();
            }
        }
        slot
    }

    /// Number of scripts.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Counted bytes of all scripts.
    pub fn counted_bytes(&self) -> u64 {
        self.counted_bytes
    }

    /// Keeps a script until SCRIPT FLUSH.
    pub fn keep(&mut self, slot: u32) {
        if let Some(Some(script)) = self.scripts.get_mut(slot as usize)
            && !core::mem::replace(&mut script.is_loaded, true)
        {
            self.evaluated.retain(|evaluated| *evaluated != slot);
        }
    }

    /// Forgets the oldest script that EVAL ran. Returns the bytes that it was counted with, or `None` if there is none.
    pub fn forget_oldest(&mut self) -> Option<u64> {
        let slot = self.evaluated.pop_front()?;
        let script = self.scripts.get_mut(slot as usize)?.take()?;
        if let Ok(entry) = self.by_name.find_entry(hash(&script.name), |found| *found == slot) {
            entry.remove();
        }
        if let Ok(entry) = self.by_text.find_entry(hash(&script.text), |found| *found == slot) {
            entry.remove();
        }
        self.forgotten.push(slot);
        self.free.push(slot);
        let bytes = text_bytes(script.text.len());
        self.counted_bytes -= bytes;
        Some(bytes)
    }

    /// Takes the slots that were freed since the last call.
    pub fn take_forgotten(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.forgotten)
    }

    /// Texts and whether SCRIPT LOAD named them, for a migration.
    pub fn iter(&self) -> impl Iterator<Item = (&Script, bool)> {
        self.scripts.iter().flatten().map(|script| (script, script.is_loaded))
    }
}

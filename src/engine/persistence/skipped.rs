//! Parts of a snapshot or log that a load left out on request, because the engine lacks their type.

use alloc::string::String;
use alloc::vec::Vec;

use crate::base::headroom::{OutOfMemory, copied};

/// Maximum number of parts that are described, and of types that are counted.
const DESCRIBED_MAX: usize = 100;

/// Parts that were left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Skipped {
    /// Number of values of a snapshot and of commands of a log.
    pub count: u64,
    /// These numbers by type, for the first 100 types.
    pub types: Vec<(String, u64)>,
    /// The first 100 parts; of commands on one key only the first.
    pub parts: Vec<SkippedPart>,
}

/// One part that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedPart {
    /// `None` for data of a module that belongs to no key.
    pub key: Option<Vec<u8>>,
    pub database: u8,
    /// Name of the type as TYPE replies it.
    pub type_name: String,
    /// Bytes before the part.
    pub offset: usize,
}

impl Skipped {
    /// Adds a part of `type_name` at `offset`.
    pub fn add(
        &mut self,
        key: Option<&[u8]>,
        database: u8,
        type_name: String,
        offset: usize,
    ) -> Result<(), OutOfMemory> {
        self.count += 1;
        match self.types.iter().position(|(name, _)| *name == type_name) {
            Some(position) => self.types[position].1 += 1,
            None if self.types.len() < DESCRIBED_MAX => self.types.push((type_name.clone(), 1)),
            None => {}
        }
        let is_same =
            |part: &SkippedPart| part.key.as_deref() == key && part.database == database && part.type_name == type_name;
        if self.parts.len() < DESCRIBED_MAX && !self.parts.iter().any(is_same) {
            let key = key.map(copied).transpose()?;
            self.parts.push(SkippedPart { key, database, type_name, offset });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_bounded_and_counts_are_not() {
        let mut skipped = Skipped::default();
        for index in 0..150u8 {
            skipped.add(Some(&[index]), 0, "stream".into(), index.into()).unwrap();
            skipped.add(None, 0, alloc::format!("{index}"), 0).unwrap();
        }
        skipped.add(Some(&[0]), 0, "stream".into(), 7).unwrap();
        assert_eq!((skipped.count, skipped.parts.len(), skipped.types.len()), (301, 100, 100));
        assert_eq!(skipped.types[0], ("stream".into(), 151));
        assert_eq!(skipped.parts[0].offset, 0);
    }
}

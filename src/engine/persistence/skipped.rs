//! Parts of a snapshot or log that a load left out on request, because the engine lacks their type.

use alloc::vec::Vec;

use crate::base::headroom::{OutOfMemory, copied};

/// Maximum number of parts that are described, and of types that are counted.
const DESCRIBED_MAX: usize = 100;

/// Parts that were left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Skipped {
    /// Number of values of a snapshot and of commands of a log.
    pub count: u64,
    /// These numbers by label, for the first 100 labels.
    pub labels: Vec<(Vec<u8>, u64)>,
    /// The first 100 parts; of commands on one key only the first.
    pub parts: Vec<SkippedPart>,
}

/// One part that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedPart {
    /// `None` for data of a module that belongs to no key.
    pub key: Option<Vec<u8>>,
    pub database: u8,
    /// Name of a module's type, digits of the code of any other type in a snapshot, or name of a command in a log.
    pub label: Vec<u8>,
    /// Bytes before the part.
    pub offset: usize,
}

impl Skipped {
    /// Adds a part.
    pub fn add(&mut self, key: Option<&[u8]>, database: u8, label: Vec<u8>, offset: usize) -> Result<(), OutOfMemory> {
        self.count += 1;
        match self.labels.iter().position(|(name, _)| *name == label) {
            Some(position) => self.labels[position].1 += 1,
            None if self.labels.len() < DESCRIBED_MAX => self.labels.push((label.clone(), 1)),
            None => {}
        }
        let is_same =
            |part: &SkippedPart| part.key.as_deref() == key && part.database == database && part.label == label;
        if self.parts.len() < DESCRIBED_MAX && !self.parts.iter().any(is_same) {
            let key = key.map(copied).transpose()?;
            self.parts.push(SkippedPart { key, database, label, offset });
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
            skipped.add(Some(&[index]), 0, b"21".to_vec(), index.into()).unwrap();
            skipped.add(None, 0, alloc::vec![index], 0).unwrap();
        }
        skipped.add(Some(&[0]), 0, b"21".to_vec(), 7).unwrap();
        assert_eq!((skipped.count, skipped.parts.len(), skipped.labels.len()), (301, 100, 100));
        assert_eq!(skipped.labels[0], (b"21".to_vec(), 151));
        assert_eq!(skipped.parts[0].offset, 0);
    }
}

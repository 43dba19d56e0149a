//! The loader of snapshots, continued: parts of types that the engine lacks are left out if the load asks for that.

use alloc::vec::Vec;

use super::{Loader, Refusal};
use crate::base::headroom::copied;
use crate::values::rdb::{DumpError, Input, module_name, skip_module, skip_value, type_label};

/// Bytes of the number of a class of metadata.
const METADATA_CLASS_BYTES: usize = 4;

impl<'a> Loader<'a> {
    /// Reads past data of a module that belongs to no key.
    pub(super) fn skip_module_aux(&mut self) -> Result<(), Refusal> {
        let name = module_name(self.input.length()?);
        skip_module(&mut self.input)?;
        self.note_skipped(None, name)
    }

    /// Reads past data of modules that belongs to the next key, which is loaded without it.
    pub(super) fn skip_key_metadata(&mut self) -> Result<(), Refusal> {
        for _ in 0..self.input.length()? {
            self.input.take(METADATA_CLASS_BYTES)?;
            skip_module(&mut self.input)?;
        }
        self.note_skipped(None, b"metadata".to_vec())
    }

    /// Reads past a value of a type that the engine lacks.
    pub(super) fn skip_key(&mut self, key: &[u8], type_byte: u8, value: &Input<'a>) -> Result<(), Refusal> {
        self.input = value.clone();
        let skipped =
            if self.skipped.is_some() { skip_value(type_byte, &mut self.input) } else { Err(DumpError::Unsupported) };
        match skipped {
            Err(DumpError::Unsupported) => Err(Refusal::Value { key: copied(key)?, type_code: type_byte }),
            skipped => {
                skipped?;
                self.note_skipped(Some(key), type_label(type_byte, value))
            }
        }
    }

    fn note_skipped(&mut self, key: Option<&[u8]>, label: Vec<u8>) -> Result<(), Refusal> {
        match &mut self.skipped {
            Some(skipped) => Ok(skipped.add(key, self.database, label, self.item_at)?),
            None => Ok(()),
        }
    }
}

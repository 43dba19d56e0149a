//! HyperLogLog sketches: strings that estimate how many different elements they were shown. Their effects hold the
//! elements; whether a sketch is sparse or dense is decided by the limits of whoever replays them, as in Redis.

use crate::keyspace::txn::{Access, Txn};
use crate::keyspace::{Error, EventKind, Slot};
use crate::values::{Registers, Sketch, add_to_dense};

impl Txn<'_> {
    /// Shows elements to a sketch, creating it; true when it changed.
    pub fn sketch_add<'e>(
        &mut self,
        key: &[u8],
        elements: impl Iterator<Item = &'e [u8]> + Clone,
    ) -> Result<bool, Error> {
        let slot = self.write_string(key)?;
        let sketch = match slot.is_vacant() {
            false => Some(Sketch::new(self.string(slot)).ok_or(Error::NotASketch)?),
            true => None,
        };
        // Nothing to show: what the sketch holds is not looked at.
        if !slot.is_vacant() && elements.clone().next().is_none() {
            return Ok(false);
        }
        let changed = match sketch {
            Some(sketch) if sketch.is_dense() => {
                let changes = elements.clone().any(|element| !sketch.knows(element));
                if changes {
                    self.edit_grown(slot, key, 0, EventKind::PfAdd, &mut |sketch| {
                        elements.clone().for_each(|element| add_to_dense(sketch, element));
                    })?;
                }
                changes
            }
            _ => {
                let mut registers = Registers::new()?;
                if let Some(sketch) = sketch {
                    sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?;
                }
                let grown = elements.clone().filter(|element| registers.add(element)).count();
                let changes = slot.is_vacant() || grown > 0;
                if changes {
                    self.put_sketch(slot, key, &registers)?;
                }
                changes
            }
        };
        if changed {
            self.state_elements(b"PFADD", key, elements);
        }
        Ok(changed)
    }

    fn put_sketch(&mut self, slot: Slot, key: &[u8], registers: &Registers) -> Result<(), Error> {
        let sketch = registers.to_sketch(self.limits().sketch)?;
        self.put_edited(slot, key, sketch, EventKind::PfAdd)
    }

    /// About how many different elements the sketches were shown together; a missing one was shown none.
    pub fn sketch_count<'k>(&mut self, keys: impl ExactSizeIterator<Item = &'k [u8]>) -> Result<u64, Error> {
        let is_single = keys.len() == 1;
        let mut registers = Registers::new()?;
        for key in keys {
            let Some(bytes) = self.get(key)? else { continue };
            let sketch = Sketch::new(bytes).ok_or(Error::NotASketch)?;
            match sketch.estimate() {
                Some(estimate) if is_single => return Ok(estimate),
                _ => sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?,
            }
        }
        Ok(registers.estimate())
    }

    /// Makes `to` a sketch that was shown what the others and itself were shown.
    pub fn sketch_merge<'k>(
        &mut self,
        to: &'k [u8],
        keys: impl Iterator<Item = &'k [u8]> + Clone,
    ) -> Result<(), Error> {
        let mut registers = Registers::new()?;
        for key in core::iter::once(to).chain(keys.clone()) {
            let Some(bytes) = self.get(key)? else { continue };
            let sketch = Sketch::new(bytes).ok_or(Error::NotASketch)?;
            sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?;
        }
        let slot = self.entry(to, Access::Write);
        self.put_sketch(slot, to, &registers)?;
        self.state_elements(b"PFMERGE", to, keys);
        Ok(())
    }

    fn state_elements<'e>(&mut self, command: &[u8], key: &[u8], elements: impl Iterator<Item = &'e [u8]>) {
        self.effect(|effect| {
            effect.bytes(command).bytes(key);
            elements.for_each(|element| {
                effect.bytes(element);
            });
        });
    }
}

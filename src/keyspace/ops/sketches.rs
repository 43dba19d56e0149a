//! HyperLogLog sketches: strings that estimate the number of distinct elements added. Effects contain the elements. The
//! replaying engine's limits decide whether a sketch is sparse or dense, as in Redis.

use crate::keyspace::ops::strings;
use crate::keyspace::txn::{Access, Txn, count_visits};
use crate::keyspace::{Error, EventKind, Lookup};
use crate::values::{Kind, Registers, Sketch, add_to_dense};

/// Visits that the registers of a sketch count as, when all are read or written.
const REGISTERS_VISITS: usize = 512;

/// Adds elements to a sketch and creates it if missing. Returns whether it changed.
pub fn add<'e>(txn: &mut Txn<'_>, key: &[u8], elements: impl Iterator<Item = &'e [u8]> + Clone) -> Result<bool, Error> {
    let lookup = txn.find_for_write(key, Kind::String)?;
    let sketch = match lookup.is_vacant() {
        false => Some(Sketch::new(strings::string_of(txn, lookup)).ok_or(Error::NotASketch)?),
        true => None,
    };
    // Without elements the registers are not decoded.
    if !lookup.is_vacant() && elements.clone().next().is_none() {
        return Ok(false);
    }
    let changed = match sketch {
        Some(sketch) if sketch.is_dense() => {
            let changes = elements.clone().any(|element| !sketch.knows(element));
            if changes {
                strings::edit_grown(txn, lookup, key, 0, EventKind::PfAdd, &mut |sketch| {
                    elements.clone().for_each(|element| add_to_dense(sketch, element));
                })?;
            }
            changes
        }
        _ => {
            let mut registers = Registers::new()?;
            count_visits(txn, 2 * REGISTERS_VISITS);
            let sketch = match lookup.is_vacant() {
                false => Sketch::new(strings::string_of(txn, lookup)),
                true => None,
            };
            if let Some(sketch) = sketch {
                sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?;
            }
            let grown = elements.clone().filter(|element| registers.add(element)).count();
            let changes = lookup.is_vacant() || grown > 0;
            if changes {
                put(txn, lookup, key, &registers)?;
            }
            changes
        }
    };
    if changed {
        state_elements(txn, b"PFADD", key, elements);
    }
    Ok(changed)
}

fn put(txn: &mut Txn<'_>, lookup: Lookup, key: &[u8], registers: &Registers) -> Result<(), Error> {
    let sketch = registers.to_sketch(txn.limits().sketch)?;
    txn.put_edited(lookup, key, sketch, EventKind::PfAdd)
}

/// Estimates the number of distinct elements in the union of the sketches. A missing key is an empty sketch.
pub fn count<'k>(txn: &mut Txn<'_>, keys: impl ExactSizeIterator<Item = &'k [u8]>) -> Result<u64, Error> {
    let is_single = keys.len() == 1;
    let mut registers = Registers::new()?;
    count_visits(txn, if is_single { 0 } else { REGISTERS_VISITS });
    for key in keys {
        count_visits(txn, REGISTERS_VISITS);
        let Some(bytes) = strings::get(txn, key)? else { continue };
        let sketch = Sketch::new(bytes).ok_or(Error::NotASketch)?;
        match sketch.estimate() {
            Some(estimate) if is_single => return Ok(estimate),
            _ => sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?,
        }
    }
    Ok(registers.estimate())
}

/// Stores the union of the sketches at `keys` and at `to` in `to`.
pub fn merge<'k>(txn: &mut Txn<'_>, to: &'k [u8], keys: impl Iterator<Item = &'k [u8]> + Clone) -> Result<(), Error> {
    let mut registers = Registers::new()?;
    count_visits(txn, 2 * REGISTERS_VISITS);
    for key in core::iter::once(to).chain(keys.clone()) {
        count_visits(txn, REGISTERS_VISITS);
        let Some(bytes) = strings::get(txn, key)? else { continue };
        let sketch = Sketch::new(bytes).ok_or(Error::NotASketch)?;
        sketch.merge_into(&mut registers).ok_or(Error::DamagedSketch)?;
    }
    let lookup = txn.entry(to, Access::Write);
    put(txn, lookup, to, &registers)?;
    state_elements(txn, b"PFMERGE", to, keys);
    Ok(())
}

fn state_elements<'e>(txn: &mut Txn<'_>, command: &[u8], key: &[u8], elements: impl Iterator<Item = &'e [u8]>) {
    txn.effect(|effect| {
        effect.bytes(command).bytes(key);
        elements.for_each(|element| {
            effect.bytes(element);
        });
    });
}

//! A check of each linked engine: the allocator's own checks are still conditions.
//!
//! The allocator reads the word in front of a block that is freed. If LLVM inlines that into the function that allocated the
//! block, it takes the word for unreadable, and the check becomes a panic without a condition: the engine would trap there.
//! `WithReserve` in src/wasm keeps its methods out of their callers; a copy of the panic in each caller shows that it fails.

use std::path::Path;

use wasmparser::{DataKind, Operator, Parser, Payload};

use crate::failure::{Failure, Result};
use crate::paths;

/// Text of the panic, from the allocator of the standard library.
const PANIC: &[u8] = b"assertion failed: psize >= size + min_overhead";
/// Methods of `WithReserve`, each of which may have copies. Inlined into callers there were 750.
const FUNCTIONS_MAX: usize = 4;

/// Counts the functions of a module that raise the panic.
pub(crate) fn check(linked: &Path) -> Result {
    let functions =
        count(&paths::read(linked)?).map_err(|error| Failure::new(format!("{}: {error}", linked.display())))?;
    match functions {
        0 => {
            Err(Failure::new("the allocator has other panics now: read its source, and change xtask/src/allocator.rs"))
        }
        1..=FUNCTIONS_MAX => Ok(()),
        _ => Err(Failure::new(format!(
            "{functions} functions have a check of the allocator inlined, {FUNCTIONS_MAX} at most may: each may trap. See WithReserve"
        ))),
    }
}

fn count(module: &[u8]) -> wasmparser::Result<usize> {
    let mut addresses = Vec::new();
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::CodeSectionEntry(body) => bodies.push(body),
            Payload::DataSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    let DataKind::Active { offset_expr, .. } = segment.kind else { continue };
                    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else { continue };
                    let found = segment.data.windows(PANIC.len()).enumerate().filter(|(_, text)| *text == PANIC);
                    addresses.extend(found.map(|(at, _)| value + at as i32));
                }
            }
            _ => {}
        }
    }
    let mut functions = 0;
    for body in bodies {
        let mut raises = false;
        for operator in body.get_operators_reader()? {
            raises |= matches!(operator?, Operator::I32Const { value } if addresses.contains(&value));
        }
        functions += usize::from(raises);
    }
    Ok(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with the text at address 16, and functions with so many references to it.
    fn module(references: &[u8]) -> Vec<u8> {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let mut section = |id: u8, body: &[u8]| {
            module.extend([id, body.len() as u8]);
            module.extend_from_slice(body);
        };
        let len = references.len() as u8;
        section(1, &[1, 0x60, 0, 0]);
        section(3, &[&[len], &*vec![0; references.len()]].concat());
        section(5, &[1, 0, 1]);
        let mut bodies = vec![len];
        for references in references {
            let code: Vec<u8> = [0x41, 16, 0x1a].repeat(usize::from(*references));
            bodies.extend([code.len() as u8 + 2, 0]);
            bodies.extend(code);
            bodies.push(0x0b);
        }
        section(10, &bodies);
        let mut data = vec![1, 0, 0x41, 14, 0x0b, PANIC.len() as u8 + 2, b'-', b'-'];
        data.extend_from_slice(PANIC);
        section(11, &data);
        module
    }

    #[test]
    fn counts_functions_with_references() {
        assert_eq!(count(&module(&[0])).unwrap(), 0);
        assert_eq!(count(&module(&[3, 0, 1])).unwrap(), 2);
        assert!(count(b"\0asm").is_err());
    }
}

//! Functions that raise panics, without the making of their messages.
//!
//! In WebAssembly a panic ends in a trap, and its message is lost: the standard library has no output there. With
//! bodies that only trap, wasm-opt removes the arguments too, which each check of a bound has: places in the source, lengths
//! and texts are 1 % of the engine.

use std::path::Path;

use walrus::Module;

use crate::failure::{Failure, Result};

/// Beginnings of the names of functions that only panic.
const PANICS: &[&str] = &[
    "core::panicking::",
    "core::option::expect_failed",
    "core::option::unwrap_failed",
    "core::result::unwrap_failed",
    "core::slice::index::slice_index_fail",
    "core::cell::panic_already_",
    "std::panicking::panic_with_hook",
];
/// Functions that are found at least; fewer, and the standard library has other names for them.
const FOUND_MIN: usize = 8;

/// Replaces the functions in a module that still has names.
pub(crate) fn remove_messages(file: &Path) -> Result {
    let failure = |error| Failure::new(format!("{}: {error:#}", file.display()));
    let mut module = Module::from_file(file).map_err(failure)?;
    match replace_bodies(&mut module) {
        FOUND_MIN.. => module.emit_wasm_file(file).map_err(failure),
        found => Err(Failure::new(format!(
            "{found} functions that panic were found, {FOUND_MIN} at least are there: see their names in xtask/src/panics.rs"
        ))),
    }
}

/// Number of the functions that got another body.
fn replace_bodies(module: &mut Module) -> usize {
    let named = module.funcs.iter().filter(|each| each.name.as_deref().is_some_and(is_panic));
    let panics: Vec<_> = named.map(|each| each.id()).collect();
    for id in &panics {
        let mut body = module.funcs.get_mut(*id).kind.unwrap_local_mut().builder_mut().func_body();
        body.instrs_mut().clear();
        body.unreachable();
    }
    panics.len()
}

/// Whether a function only panics. Names have a hash behind that of the crate: `core[c5930c85a12de822]::option::unwrap_failed`.
fn is_panic(name: &str) -> bool {
    let Some((root, rest)) = name.split_once('[') else { return false };
    let Some((_, path)) = rest.split_once(']') else { return false };
    PANICS.iter().any(|beginning| beginning.strip_prefix(root).is_some_and(|wanted| path.starts_with(wanted)))
}

#[cfg(test)]
mod tests {
    use walrus::{FunctionBuilder, ValType};

    use super::*;

    #[test]
    fn only_functions_that_panic_are_replaced() {
        let mut module = Module::default();
        for name in ["core[0a]::panicking::panic_bounds_check", "core[0a]::option::take"] {
            let mut builder = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[]);
            builder.name(name.into()).func_body().i32_const(1).drop();
            let argument = module.locals.add(ValType::I32);
            builder.finish(vec![argument], &mut module.funcs);
        }
        assert_eq!(replace_bodies(&mut module), 1);
        let lens: Vec<_> = module.funcs.iter_local().map(|(_, each)| each.size()).collect();
        assert_eq!(lens, [1, 2]);
    }
}

//! Rates of charges: work that takes about the time of one instruction of an empty loop, which is the unit of
//! `lua-instruction-limit`. Measured in WebAssembly (`cargo xtask fuzz script-costs`); a rate may be too low by a factor
//! of two, since other work is charged with it.

/// Steps of a list that the compiler walks.
pub const COMPILER_STEPS: usize = 4;

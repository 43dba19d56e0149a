//! Charges of scripts: what instructions, functions, the compiler and tables cost in units of the limit.

pub mod checks;
pub mod compile_costs;
pub mod functions;
pub mod rates;
pub mod sampling;
pub mod tables;
pub mod weights;
pub mod words;

//! Commands of scripts in a build with Lua.

mod bridge;
mod eval;
mod functions;
mod program;
mod rights;
mod run;

pub use eval::{eval, eval_ro, evalsha, evalsha_ro, flush, may_write, script_exists, script_load};
pub use functions::{fcall, fcall_ro, flush_functions, function_list, function_load, function_restore, function_stats};
pub use run::resume;

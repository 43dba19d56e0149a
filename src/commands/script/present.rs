//! Commands of scripts in a build with Lua.

pub use super::eval::{eval, eval_ro, evalsha, evalsha_ro, flush, may_write, script_exists, script_load};
pub use super::functions::{
    fcall, fcall_ro, flush_functions, function_list, function_load, function_restore, function_stats,
};
pub use super::run::resume;

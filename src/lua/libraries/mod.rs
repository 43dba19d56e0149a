//! Libraries that Redis adds to Lua, one module each. A module fills one table of functions and constants; it reaches
//! no command and no key. To add one, write its module, with a function `open` like the others, and list it here.

pub mod bit;
pub mod cjson;
pub mod cmsgpack;
mod output;
mod refusal;
pub mod struct_pack;

use lua_types::{GcRef, LuaError, LuaTable};
use lua_vm::state::LuaState;

/// Fills the table of a library, which is new and empty.
pub type Open = fn(&mut LuaState, &GcRef<LuaTable>) -> Result<(), LuaError>;

/// Libraries by the name of their global variable.
pub const LIBRARIES: &[(&str, Open)] =
    &[("bit", bit::open), ("cjson", cjson::open), ("cmsgpack", cmsgpack::open), ("struct", struct_pack::open)];

//! Commands of scripts in a build without Lua.

use crate::base::argv::ArgvRef;
use crate::commands::table::args::Args;
use crate::commands::{Context, Reply, Row};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::Server;
use crate::server::scripts::suspended::Suspended;

/// Answers how to get Lua.
pub fn refuse(_: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    Err(CommandError::NO_SCRIPTING)
}

pub use refuse as eval;
pub use refuse as eval_ro;
pub use refuse as evalsha;
pub use refuse as evalsha_ro;
pub use refuse as fcall;
pub use refuse as fcall_ro;
pub use refuse as function_list;
pub use refuse as function_load;
pub use refuse as function_restore;
pub use refuse as function_stats;
pub use refuse as script_load;

/// `SCRIPT EXISTS sha1...`: there are none.
pub fn script_exists(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    cx.reply.array(args.left());
    args.rest().for_each(|_| cx.reply.integer(0));
    Ok(())
}

/// Forgets no script.
pub fn flush(_: &mut Context<'_>) {}

/// Forgets no function.
pub fn flush_functions(_: &mut Context<'_>) {}

/// Ends a suspended script: there is none.
pub fn resume(_: &mut Context<'_>, _: &mut Suspended) -> Result<bool, ErrorText> {
    Ok(false)
}

/// Whether a request runs a script that may write: none is run.
pub fn may_write(_: &Server, _: &Row, _: ArgvRef<'_>) -> bool {
    false
}

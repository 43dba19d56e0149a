//! FUNCTION DELETE, DUMP and FLUSH, and the loading of libraries from a log: what needs no Lua, because libraries are kept
//! as texts.

use super::execution;
use super::flush_type::check_flush_type;
use crate::commands::table::args::Args;
use crate::commands::{Context, Reply};
use crate::resp::error::{CommandError, ErrorText};
use crate::values::rdb::{FUNCTION_2, Output, RDB_VERSION, crc64};

/// `FUNCTION LOAD [REPLACE] code`. A log was checked when it was written: its libraries are kept as they are.
pub fn function_load(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if !cx.keyspace.is_loading() {
        return execution::function_load(cx, args);
    }
    let code = args.rest().last().ok_or(CommandError::NO_FUNCTION_CODE)?;
    cx.server.scripts.libraries.insert(code)?;
    Ok(())
}

/// `FUNCTION DELETE name`
pub fn function_delete(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let name = args.bytes()?;
    if !cx.server.scripts.libraries.remove(name) {
        return Err(CommandError::NO_SUCH_LIBRARY);
    }
    let database = cx.database();
    cx.keyspace.log_change(database, &[b"FUNCTION", b"DELETE", name]);
    cx.reply.ok();
    Ok(())
}

/// `FUNCTION FLUSH [ASYNC | SYNC]`
pub fn function_flush(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    if args.left() > 1 {
        return Err(args.refuse(ErrorText::unknown_or_wrong("FUNCTION", b"FLUSH")));
    }
    check_flush_type(args, CommandError::FUNCTION_FLUSH_TYPE)?;
    if !cx.server.scripts.libraries.is_empty() {
        cx.server.scripts.libraries.clear();
        let database = cx.database();
        cx.keyspace.log_change(database, &[b"FUNCTION", b"FLUSH"]);
    }
    execution::flush_functions(cx);
    cx.reply.ok();
    Ok(())
}

/// `FUNCTION DUMP`: the texts in the format of snapshots, with version and checksum.
pub fn function_dump(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    let mut out = Output::default();
    for library in cx.server.scripts.libraries.iter() {
        out.byte(FUNCTION_2);
        out.string(&library.code);
    }
    out.raw(&(RDB_VERSION as u16).to_le_bytes());
    let checksum = crc64(out.written());
    out.raw(&checksum.to_le_bytes());
    cx.reply.bulk(&out.finish()?);
    Ok(())
}

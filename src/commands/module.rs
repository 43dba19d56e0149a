//! MODULE: no module can be loaded.

use super::table::args::Args;
use super::table::row::{Group, flags::*};
use super::{Context, Reply, Row};

const fn row(name: &'static str, arity: i32, flags: u32, handler: super::Handler) -> Row {
    Row::of(Group::Server, name, arity, flags, &[], handler)
}

pub(super) const ROWS: &[Row] = &[Row {
    since: "4.0.0",
    complexity: "Depends on the subcommand.",
    summary: "Inspects modules; none can be loaded.",
    reply: "any",
    subcommands: MODULE_ROWS,
    ..row("module", -2, 0, module_help)
}];

const MODULE_ROWS: &[Row] = &[
    Row {
        since: "5.0.0",
        summary: "Describes the subcommands.",
        reply: "array(status)",
        ..row("module|help", 2, LOADING | STALE, module_help)
    },
    Row {
        since: "4.0.0",
        summary: "Returns the loaded modules, always none.",
        reply: "array(any)",
        tips: &["nondeterministic_output_order"],
        ..row("module|list", 2, ADMIN | NOSCRIPT, module_list)
    },
];

fn module_help(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    super::help::write_help(cx, "module")
}

fn module_list(cx: &mut Context<'_>, _: &mut Args<'_>) -> Reply {
    cx.reply.array(0);
    Ok(())
}

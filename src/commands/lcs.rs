//! LCS: the longest common subsequence of two strings.

use super::table::args::{Args, is};
use super::table::row::{Begin, Find, Group, KeyAccess, KeySpec, flags::*};
use super::{Context, Reply, Row};
use crate::keyspace::lcs;
use crate::keyspace::{CommonRun, CommonSubsequence};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;

const TWO_KEYS: &[KeySpec] =
    &[KeySpec { access: KeyAccess::ReadAccess, begin: Begin::Index(1), find: Find::Range { last: 1, step: 1 } }];

pub(super) const ROWS: &[Row] = &[Row {
    arguments: "key1:key key2:key [LEN] [IDX] [MINMATCHLEN min-match-len:integer] [WITHMATCHLEN]",
    complexity: "O(N*M/64) with N and M the lengths of the strings.",
    since: "7.0.0",
    summary: "Returns the longest common subsequence of two strings, its length or its ranges.",
    reply: "bulk|integer|map(bulk,any)",
    ..Row::of(Group::String, "lcs", -3, READONLY, TWO_KEYS, lcs)
}];

#[derive(Default)]
struct Options {
    length: bool,
    indexes: bool,
    with_match_length: bool,
    /// Least length of a match in the reply of IDX.
    min_match_length: i64,
}

/// `LCS key1 key2 [LEN] [IDX] [MINMATCHLEN n] [WITHMATCHLEN]`
fn lcs(cx: &mut Context<'_>, args: &mut Args<'_>) -> Reply {
    let keys = [args.bytes()?, args.bytes()?];
    let options = match options(args) {
        Ok(options) => options,
        // An error of the keys' types has precedence over errors of the options.
        Err(error) => {
            lcs::expect_sources(&mut cx.txn(), keys)?;
            return Err(error);
        }
    };
    if options.length {
        let length = lcs::common_length(&mut cx.txn(), keys)?;
        cx.reply.integer(length as i64);
        return Ok(());
    }
    let common = lcs::common_subsequence(&mut cx.txn(), keys)?;
    if options.indexes {
        write_runs(&common, &options, cx.reply)
    } else {
        cx.reply.bulk(&common.bytes)
    }
    Ok(())
}

fn options(args: &mut Args<'_>) -> Result<Options, CommandError> {
    let mut options = Options::default();
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "LEN") => options.length = true,
            _ if is(word, "IDX") => options.indexes = true,
            _ if is(word, "WITHMATCHLEN") => options.with_match_length = true,
            _ if is(word, "MINMATCHLEN") => options.min_match_length = args.integer()?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    if options.length && options.indexes { Err(CommandError::LCS_LENGTH_AND_INDEXES) } else { Ok(options) }
}

fn write_runs(common: &CommonSubsequence, options: &Options, reply: &mut Writer) {
    let is_long_enough = |run: &&CommonRun| run.len as i64 >= options.min_match_length;
    let runs = common.runs.iter().filter(is_long_enough);
    reply.map(2);
    reply.bulk(b"matches");
    reply.array(runs.clone().count());
    for run in runs {
        reply.array(if options.with_match_length { 3 } else { 2 });
        for start in run.starts {
            reply.array(2);
            reply.integer(start as i64);
            reply.integer((start + run.len - 1) as i64);
        }
        if options.with_match_length {
            reply.integer(run.len as i64);
        }
    }
    reply.bulk(b"len");
    reply.integer(common.bytes.len() as i64);
}

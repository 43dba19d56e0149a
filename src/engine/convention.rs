//! Calling convention for hosts: row numbers and status bits, with a hash of both. The hash detects a host that was printed
//! from another table, which would call the wrong commands.

use super::Status;
use crate::base::hash::hash_bytes;
use crate::commands::{Row, all_rows};

/// Commands without subcommands, with their row numbers.
fn numbered() -> impl Iterator<Item = (u32, &'static Row)> {
    let all = all_rows();
    (0..).zip(all).filter(|(_, row)| row.subcommands.is_empty() && !row.name.contains('|'))
}

/// Convention as JSON, one row a line. Members: `hash`; `status` (bits by name); `rows`, each with `number`, `name` in upper case,
/// `timed`, true if the command has to know the time, `timedByOptions`, true if it has to only with options, and `scripts`,
/// true if it may run a script.
#[cfg(feature = "internals")]
pub fn json() -> alloc::string::String {
    use alloc::{format, vec::Vec};

    use crate::commands::flags;

    let status = Status::NAMES.iter().map(|(status, name)| format!("\"{name}\":{}", status.bits()));
    let status = status.collect::<Vec<_>>().join(",");
    let rows = numbered().map(|(number, row)| {
        let (name, timed) = (row.name.to_ascii_uppercase(), row.has(flags::TIME));
        let scripts = row.has(flags::RUNS_SCRIPT | flags::RUNS_QUEUE);
        let by_options = row.has(flags::SHORT_WITHOUT_OPTIONS);
        format!(
            "{{\"number\":{number},\"name\":\"{name}\",\"timed\":{timed},\"timedByOptions\":{by_options},\
             \"scripts\":{scripts}}}"
        )
    });
    let rows = rows.collect::<Vec<_>>().join(",\n");
    format!("{{\n\"hash\":{},\n\"status\":{{{status}}},\n\"rows\":[\n{rows}\n]\n}}\n", hash())
}

/// Hash of row numbers and status bits.
pub fn hash() -> u32 {
    let status = Status::NAMES.iter().map(|(_, name)| *name);
    let all = numbered().map(|(number, row)| (number, row.name)).chain((0..).zip(status));
    (all.fold(0, |hash, (number, name)| hash_bytes(hash ^ u64::from(number), name.as_bytes())) >> 32) as u32
}

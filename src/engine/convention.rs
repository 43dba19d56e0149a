//! Facts that a host in another language needs to call commands by number: the numbers of rows, the bits of a status, and a hash
//! of both. The engine carries the same hash, because a host of another table would run a command that it does not name.

use super::Status;
use crate::base::hash::hash_bytes;
use crate::commands::{Row, all_rows};

/// Commands without subcommands, each with its number among all rows.
fn numbered() -> impl Iterator<Item = (u32, &'static Row)> {
    let all = all_rows();
    (0..).zip(all).filter(|(_, row)| row.subcommands.is_empty() && !row.name.contains('|'))
}

/// Convention as JSON, one row a line. Members: `hash`; `status` (bits by name); `rows`, each with `number`, `name` in upper case
/// and `timed`, true if the command has to know the time.
#[cfg(feature = "internals")]
pub fn json() -> alloc::string::String {
    use alloc::{format, vec::Vec};

    use crate::commands::flags;

    let status = Status::NAMES.iter().map(|(status, name)| format!("\"{name}\":{}", status.bits()));
    let status = status.collect::<Vec<_>>().join(",");
    let rows = numbered().map(|(number, row)| {
        let (name, timed) = (row.name.to_ascii_uppercase(), row.has(flags::TIME));
        format!("{{\"number\":{number},\"name\":\"{name}\",\"timed\":{timed}}}")
    });
    let rows = rows.collect::<Vec<_>>().join(",\n");
    format!("{{\n\"hash\":{},\n\"status\":{{{status}}},\n\"rows\":[\n{rows}\n]\n}}\n", hash())
}

/// Differs between tables whose rows have other numbers, and between status words with other bits.
pub fn hash() -> u32 {
    let status = Status::NAMES.iter().map(|(_, name)| *name);
    let all = numbered().map(|(number, row)| (number, row.name)).chain((0..).zip(status));
    (all.fold(0, |hash, (number, name)| hash_bytes(hash ^ u64::from(number), name.as_bytes())) >> 32) as u32
}

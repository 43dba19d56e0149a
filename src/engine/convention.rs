//! Calling convention for hosts: row numbers and status bits as printed constants, with a hash of both. The hash
//! detects a host printed from another table, which would call the wrong commands.

use super::Status;
use crate::base::hash::hash_bytes;
use crate::commands::{Row, all_rows};

/// Bit of a printed row number: the command needs the time.
#[cfg(feature = "internals")]
const TIMED: u32 = 1 << 16;

/// Commands without subcommands, with their row numbers.
fn numbered() -> impl Iterator<Item = (u32, &'static Row)> {
    let all = all_rows();
    (0..).zip(all).filter(|(_, row)| row.subcommands.is_empty() && !row.name.contains('|'))
}

/// Returns the constants as TypeScript.
#[cfg(feature = "internals")]
pub fn typescript() -> alloc::string::String {
    use alloc::{format, string::String};

    use crate::commands::flags;

    let mut text = String::from("/** Printed from the table of commands: how they are called by number. */\n\n");
    text += "/** Rows by command; the seventeenth bit is set for those that have to know the time. */\nexport const enum Row {\n";
    for (number, row) in numbered() {
        let timed = if row.has(flags::TIME) { TIMED } else { 0 };
        text += &format!("  {} = {},\n", row.name.to_ascii_uppercase(), number | timed);
    }
    text += "}\n\n/** What a call leaves to do. */\nexport const enum Status {\n";
    for (status, name) in Status::NAMES {
        text += &format!("  {name} = {},\n", status.bits());
    }
    text +=
        &format!("}}\n\n/** Shown by an engine that was made of the same. */\nexport const CONVENTION = {};\n", hash());
    text += "\n/** Names of commands by row. */\nexport const NAMES: Readonly<Record<number, string>> = {\n";
    for (number, row) in numbered() {
        text += &format!("  {number}: '{}',\n", row.name.to_ascii_uppercase());
    }
    text + "};\n"
}

/// Hash of row numbers and status bits.
pub fn hash() -> u32 {
    let status = Status::NAMES.iter().map(|(_, name)| *name);
    let all = numbered().map(|(number, row)| (number, row.name)).chain((0..).zip(status));
    (all.fold(0, |hash, (number, name)| hash_bytes(hash ^ u64::from(number), name.as_bytes())) >> 32) as u32
}

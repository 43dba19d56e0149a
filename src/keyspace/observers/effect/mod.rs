//! Effects: what a command did, as commands for the log. Deadlines are absolute, so that a replay gives the same
//! keyspace at any time. The log is a valid append-only file of Redis.
//!
//! A drained piece is the line `#KL:<now> v1`, followed by units. Once a token of a latch was granted, the line is
//! `#KL:<now> v2 <token>` with the largest token so far. A unit holds the effects of one command, transaction
//! or script. Units of several effects are framed by MULTI and EXEC, so that a torn unit is dropped whole.

use alloc::format;
use alloc::vec::Vec;

use crate::base::bytes;
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, try_reserve};
use crate::base::number::{IntegerText, write_double, write_integer};

/// Version of the annotation line. Logs with a newer version are refused.
pub const LOG_VERSION: u32 = 2;
/// Version of annotation lines without a token, which older releases read.
const TOKENLESS_VERSION: u32 = 1;

/// Bytes of pending effects from which a host is asked to take them.
const FULL_BYTES: usize = 64 * 1024;
/// Prefix of an annotation line. Redis 7.0 and newer skip lines that begin with `#`.
pub const ANNOTATION: &str = "#KL:";

/// Upper bound in bytes of the frame of a unit: annotation, SELECT, MULTI, EXEC, command names, deadlines.
const FRAME_BYTES: usize = 1024;
/// Upper bound of log bytes per counted byte of a request. Each argument counts 8 bytes for its span, and its header is
/// no longer than span and argument together.
const LOGGED_FACTOR: usize = 2;

/// Maximum length of an argument that is written in one piece. Most arguments are shorter.
const SHORT_MAX: usize = 64;
/// Maximum length of the header of such an argument: `$64` and the line end.
const HEADER_MAX: usize = 5;

/// Writer of one effect.
#[derive(Debug)]
pub struct EffectWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Offset of the effect in `out`.
    start: usize,
    len: usize,
}

impl<'a> EffectWriter<'a> {
    /// Begins an effect, with one digit reserved for the number of arguments, which is known last.
    fn at_end(out: &'a mut Vec<u8>) -> EffectWriter<'a> {
        let start = out.len();
        out.extend_from_slice(b"*0\r\n");
        EffectWriter { start, out, len: 0 }
    }

    /// Ends the effect by writing the number of arguments.
    #[inline(always)]
    pub(in crate::keyspace) fn close(&mut self) {
        match (self.len, self.out.get_mut(self.start + 1)) {
            (..10, Some(digit)) => *digit = b'0' + self.len as u8,
            _ => self.close_long(),
        }
    }

    #[cold]
    #[inline(never)]
    fn close_long(&mut self) {
        let digits = IntegerText::of(self.len as i64);
        let digits = digits.as_bytes();
        // One digit is reserved already.
        self.out.extend_from_slice(&digits[1..]);
        self.out[self.start + 2..].rotate_right(digits.len() - 1);
        self.out[self.start + 1..][..digits.len()].copy_from_slice(digits);
    }

    #[inline(never)]
    pub fn bytes(&mut self, argument: &[u8]) -> &mut Self {
        self.len += 1;
        if argument.len() > SHORT_MAX {
            write_header(b'$', argument.len(), self.out);
            self.out.extend_from_slice(argument);
            self.out.extend_from_slice(b"\r\n");
        } else {
            self.short_bytes(argument);
        }
        self
    }

    /// Appends an argument of at most [`SHORT_MAX`] bytes with a single copy.
    #[inline(always)]
    fn short_bytes(&mut self, argument: &[u8]) {
        let len = argument.len();
        let mut line = [0; HEADER_MAX + SHORT_MAX + 2];
        let (tens, ones) = (b'0' + (len / 10) as u8, b'0' + (len % 10) as u8);
        let (header, start) = match len {
            ..10 => ([b'$', ones, b'\r', b'\n', 0], HEADER_MAX - 1),
            _ => ([b'$', tens, ones, b'\r', b'\n'], HEADER_MAX),
        };
        line[..HEADER_MAX].copy_from_slice(&header);
        bytes::copy(&mut line[start..], argument);
        bytes::copy(&mut line[start + len..], b"\r\n");
        self.out.extend_from_slice(&line[..start + len + 2]);
    }

    pub fn integer(&mut self, argument: i64) -> &mut Self {
        self.bytes(IntegerText::of(argument).as_bytes())
    }

    /// Appends a double as text that parses to the same number.
    pub fn double(&mut self, argument: f64) -> &mut Self {
        let mut text = Vec::new();
        write_double(argument, &mut text);
        self.bytes(&text)
    }
}

/// Numbers of effects since the engine was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EffectCounts {
    pub requested: u64,
    /// Removals of keys and fields after their deadlines: a reader of the log finds them expired without these.
    pub expired: u64,
}

/// Collects effects unit by unit.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    wanted: bool,
    /// Whether effects are suppressed, in load mode: a replayed log contains them already.
    muted: bool,
    /// Encoded units that were not taken yet, and the effects of the running unit.
    pending: Vec<u8>,
    /// Offset of the running unit in `pending`, without and with the SELECT in front of it.
    unit_start: usize,
    ended: usize,
    /// Database of its first effect.
    unit_database: u8,
    /// Number of effects in the running unit.
    unit_len: usize,
    /// Database that a reader of `pending` has selected at its end.
    selected: Option<u8>,
    counts: EffectCounts,
    /// Whether the running unit changed a key. A change without an effect is a defect, and the reverse.
    changed: bool,
    /// Whether the running unit stated an effect.
    stated: bool,
}

impl Effects {
    /// Whether no effects wait to be taken.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        if self.unit_len > 0 { self.ended == 0 } else { self.pending.is_empty() }
    }

    /// Whether so many effects wait that they should be taken before more are stated.
    pub fn is_full(&self) -> bool {
        !self.is_empty() && self.pending.len() >= FULL_BYTES
    }

    /// Number of effects since the engine was made, while effects were built.
    pub fn count(&self) -> u64 {
        self.counts.requested + self.counts.expired
    }

    /// Numbers of effects by their causes.
    pub fn counts(&self) -> EffectCounts {
        self.counts
    }

    /// Notes that the effects since an earlier count state an expiration.
    pub(in crate::keyspace) fn expired_since(&mut self, before: EffectCounts) {
        self.counts.expired += self.counts.requested - before.requested;
        self.counts.requested = before.requested;
    }

    /// Starts or stops building effects.
    pub fn want(&mut self, wanted: bool) {
        self.wanted = wanted;
    }

    pub(in crate::keyspace) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Whether effects are built. If not, callers need not prepare their arguments.
    pub(in crate::keyspace) fn are_built(&self) -> bool {
        self.wanted && !self.muted
    }

    pub(in crate::keyspace) fn changed(&mut self) {
        self.changed = self.are_built();
    }

    /// States an effect. `write` runs only while effects are built.
    pub(in crate::keyspace) fn state(&mut self, database: u8, write: impl FnOnce(&mut EffectWriter<'_>)) {
        if let Some(mut effect) = self.open(database) {
            write(&mut effect);
            effect.close();
        }
    }

    /// Begins an effect, to be ended by [`EffectWriter::close`]. `None` while effects are not built.
    #[inline(never)]
    pub(in crate::keyspace) fn open(&mut self, database: u8) -> Option<EffectWriter<'_>> {
        if !self.are_built() {
            return None;
        }
        self.stated = true;
        self.begin(database);
        Some(EffectWriter::at_end(&mut self.pending))
    }

    /// Selects the database if needed, and begins a unit if none is running.
    #[inline(never)]
    fn begin(&mut self, database: u8) {
        if self.unit_len == 0 {
            (self.ended, self.unit_database) = (self.pending.len(), database);
        }
        if self.selected != Some(database) {
            self.selected = Some(database);
            self.append(|effect| {
                effect.bytes(b"SELECT").integer(database.into());
            });
        }
        if self.unit_len == 0 {
            // The first SELECT precedes the frame, so that it is kept if the torn unit is dropped.
            self.unit_start = self.pending.len();
        }
        self.unit_len += 1;
        self.counts.requested += 1;
    }

    /// Reserves memory for effects of `bytes` bytes and for the frame of their unit.
    pub(in crate::keyspace) fn try_reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        match self.are_built() {
            true => try_reserve(&mut self.pending, bytes.saturating_mul(LOGGED_FACTOR).saturating_add(FRAME_BYTES)),
            false => Ok(()),
        }
    }

    /// Closes the unit of one command, transaction or script.
    #[inline(always)]
    pub fn end_unit(&mut self) {
        debug_assert!(self.stated || !self.changed, "a change without an effect");
        debug_assert!(self.changed || !self.stated, "an effect without a change");
        (self.changed, self.stated) = (false, false);
        if core::mem::take(&mut self.unit_len) > 1 {
            self.frame_unit();
        }
    }

    /// Drops the effects of the running unit. What they changed stays changed.
    pub fn abandon_unit(&mut self) {
        (self.changed, self.stated) = (false, false);
        self.counts.requested -= self.unit_len as u64;
        if core::mem::take(&mut self.unit_len) > 0 {
            self.pending.truncate(self.ended);
            // A SELECT may be among what was dropped.
            self.selected = None;
        }
    }

    fn frame_unit(&mut self) {
        let end = self.pending.len();
        self.append(|effect| {
            effect.bytes(b"MULTI");
        });
        let len = self.pending.len() - end;
        self.pending[self.unit_start..].rotate_right(len);
        self.append(|effect| {
            effect.bytes(b"EXEC");
        });
    }

    /// Takes the units since the last call as one piece of log; empty if there are none. The running unit, of a script that
    /// is suspended, stays. `last_token` is the largest token of a latch so far, 0 before the first one.
    pub fn take(&mut self, now: Timestamp, last_token: u64) -> Vec<u8> {
        let mut piece = if self.unit_len > 0 {
            self.take_ended()
        } else {
            self.selected = None;
            core::mem::take(&mut self.pending)
        };
        if !piece.is_empty() {
            let annotation = match last_token {
                0 => format!("{ANNOTATION}{} v{TOKENLESS_VERSION}\r\n", now.as_ms()),
                token => format!("{ANNOTATION}{} v{LOG_VERSION} {token}\r\n", now.as_ms()),
            };
            piece.extend_from_slice(annotation.as_bytes());
            piece.rotate_right(annotation.len());
        }
        piece
    }

    /// Takes the units before the running one, which begins with a SELECT from now on. None if memory is short.
    #[cold]
    fn take_ended(&mut self) -> Vec<u8> {
        let mut piece = Vec::new();
        let room = try_reserve(&mut piece, self.ended).and_then(|()| try_reserve(&mut self.pending, FRAME_BYTES));
        if self.ended == 0 || room.is_err() {
            return piece;
        }
        piece.extend_from_slice(&self.pending[..self.ended]);
        self.pending.drain(..self.ended);
        self.unit_start -= self.ended;
        self.ended = 0;
        if self.unit_start == 0 {
            let (end, database) = (self.pending.len(), self.unit_database);
            self.append(|effect| {
                effect.bytes(b"SELECT").integer(database.into());
            });
            self.unit_start = self.pending.len() - end;
            self.pending.rotate_right(self.unit_start);
        }
        piece
    }

    /// Appends a command as a RESP array of bulk strings.
    fn append(&mut self, write: impl FnOnce(&mut EffectWriter<'_>)) {
        let mut effect = EffectWriter::at_end(&mut self.pending);
        write(&mut effect);
        effect.close();
    }
}

fn write_header(kind: u8, len: usize, out: &mut Vec<u8>) {
    out.push(kind);
    write_integer(len as i64, out);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests;

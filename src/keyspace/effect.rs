//! What a command did, as commands: time-free, with absolute deadlines, so that replaying them gives the same keyspace
//! whenever it happens. The log is a valid append-only file of Redis.
//!
//! A drained piece is `#KL:<now> v1`, then units. A unit is everything one command, transaction or script did; of more
//! than one effect it is framed by MULTI and EXEC, so that a torn unit is recognised and dropped whole.

use alloc::format;
use alloc::vec::Vec;

use crate::argv::{Argv, ArgvRef};
use crate::clock::Timestamp;
use crate::number::{write_double, write_integer};

/// The version of the annotation line; a newer one is refused when a log is read.
pub const LOG_VERSION: u32 = 1;
/// How an annotation line begins. Redis (7.0 and newer) skips lines that begin with `#`.
pub const ANNOTATION: &str = "#KL:";

/// One effect on its way into the log.
#[derive(Debug)]
pub struct EffectWriter<'a> {
    argv: &'a mut Argv,
}

impl EffectWriter<'_> {
    pub fn bytes(&mut self, argument: &[u8]) -> &mut Self {
        self.argv.push(argument);
        self
    }

    pub fn integer(&mut self, argument: i64) -> &mut Self {
        let mut text = Vec::with_capacity(20);
        write_integer(argument, &mut text);
        self.bytes(&text)
    }

    /// A number that is read back as it is.
    pub fn double(&mut self, argument: f64) -> &mut Self {
        let mut text = Vec::new();
        write_double(argument, &mut text);
        self.bytes(&text)
    }
}

/// Collects effects unit by unit.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    wanted: bool,
    /// What a log being replayed does is in that log already.
    muted: bool,
    /// The effects of the running unit, each with its database.
    unit: Vec<(u8, Argv)>,
    /// Encoded units that nobody took yet.
    pending: Vec<u8>,
    /// The database the reader of `pending` has selected.
    selected: Option<u8>,
    /// Changes and statements of the running unit: one without the other is a defect.
    changed: bool,
    stated: bool,
}

impl Effects {
    /// Starts or stops building effects.
    pub fn want(&mut self, wanted: bool) {
        self.wanted = wanted;
    }

    pub(super) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Whether statements are built: a long one need not be prepared while they are not.
    pub(super) fn are_built(&self) -> bool {
        self.wanted && !self.muted
    }

    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// States what changed; `write` runs only while somebody takes effects.
    pub(super) fn state(&mut self, database: u8, write: impl FnOnce(&mut EffectWriter<'_>)) {
        self.stated = true;
        if self.are_built() {
            let mut argv = Argv::default();
            write(&mut EffectWriter { argv: &mut argv });
            self.unit.push((database, argv));
        }
    }

    /// Closes the unit of one command, transaction or script.
    #[inline(always)]
    pub fn end_unit(&mut self) {
        debug_assert!(self.stated || !self.changed, "a change without an effect");
        debug_assert!(self.changed || !self.stated, "an effect without a change");
        (self.changed, self.stated) = (false, false);
        if !self.unit.is_empty() {
            self.encode_unit();
        }
    }

    fn encode_unit(&mut self) {
        let unit = core::mem::take(&mut self.unit);
        let framed = unit.len() > 1;
        if let Some(&(first, _)) = unit.first() {
            // The selection stands before the frame, so that dropping a torn unit does not lose it.
            self.select(first);
        }
        if framed {
            encode(Argv::from_slices(&["MULTI"]).as_ref(), &mut self.pending);
        }
        for (database, argv) in &unit {
            self.select(*database);
            encode(argv.as_ref(), &mut self.pending);
        }
        if framed {
            encode(Argv::from_slices(&["EXEC"]).as_ref(), &mut self.pending);
        }
    }

    /// The units since the last call as one piece of log; empty when there are none.
    pub fn take(&mut self, now: Timestamp) -> Vec<u8> {
        self.selected = None;
        if self.pending.is_empty() {
            return Vec::new();
        }
        let mut piece = format!("{ANNOTATION}{} v{LOG_VERSION}\r\n", now.as_ms()).into_bytes();
        piece.append(&mut self.pending);
        piece
    }

    fn select(&mut self, database: u8) {
        if self.selected != Some(database) {
            self.selected = Some(database);
            encode(Argv::from_slices(&["SELECT", &format!("{database}")]).as_ref(), &mut self.pending);
        }
    }
}

/// Appends a command as a RESP array of bulk strings.
fn encode(argv: ArgvRef<'_>, out: &mut Vec<u8>) {
    let header = |kind: u8, len: usize, out: &mut Vec<u8>| {
        out.push(kind);
        write_integer(len as i64, out);
        out.extend_from_slice(b"\r\n");
    };
    header(b'*', argv.len(), out);
    for argument in argv.iter() {
        header(b'$', argument.len(), out);
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn stated(effects: &mut Effects, database: u8, words: &[&str]) {
        effects.changed();
        effects.state(database, |effect| {
            words.iter().for_each(|word| {
                effect.bytes(word.as_bytes());
            });
        });
    }

    fn words(piece: &[u8]) -> String {
        let text = String::from_utf8_lossy(piece).replace("\r\n", " ");
        text.split(' ').filter(|word| !word.starts_with(['*', '$'])).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_unit_of_several_effects_is_framed_and_databases_are_selected() {
        let mut effects = Effects::default();
        effects.want(true);
        stated(&mut effects, 0, &["DEL", "a"]);
        effects.end_unit();
        stated(&mut effects, 0, &["DEL", "b"]);
        stated(&mut effects, 3, &["DEL", "c"]);
        effects.end_unit();
        let piece = effects.take(Timestamp::from_ms(42));
        let expected = "#KL:42 v1 SELECT 0 DEL a MULTI DEL b SELECT 3 DEL c EXEC ";
        assert_eq!(words(&piece), expected);
        assert!(effects.take(Timestamp::from_ms(43)).is_empty());
        stated(&mut effects, 3, &["DEL", "d"]);
        effects.end_unit();
        assert_eq!(words(&effects.take(Timestamp::from_ms(44))), "#KL:44 v1 SELECT 3 DEL d ");
    }

    #[test]
    fn nothing_is_built_while_nobody_takes() {
        let mut effects = Effects::default();
        stated(&mut effects, 0, &["DEL", "a"]);
        effects.end_unit();
        assert!(effects.take(Timestamp::MIN).is_empty());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a change without an effect")]
    fn a_change_without_an_effect_is_a_defect() {
        let mut effects = Effects::default();
        effects.changed();
        effects.end_unit();
    }
}

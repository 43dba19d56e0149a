//! Holders of latches, in the text form in which a hash stores them: one field for each owner.

use core::ops::Deref;

use crate::base::number::{IntegerText, parse_integer};

/// Mode in which a latch is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Excludes every other holder.
    Exclusive,
    /// Excludes holders that change: a reader.
    Shared,
    /// Some part below this name is held exclusively.
    IntentExclusive,
    /// Some part below this name is held shared.
    IntentShared,
    /// A number of permits of a semaphore.
    Permits,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 5] =
        [Mode::Exclusive, Mode::Shared, Mode::IntentExclusive, Mode::IntentShared, Mode::Permits];

    /// Name in the text of a holder.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Exclusive => "x",
            Mode::Shared => "s",
            Mode::IntentExclusive => "ix",
            Mode::IntentShared => "is",
            Mode::Permits => "p",
        }
    }

    /// Whether two owners may hold a latch in these modes at once. The sum of permits is limited in addition.
    pub fn admits(self, other: Mode) -> bool {
        use Mode::{Exclusive, IntentExclusive, IntentShared, Permits, Shared};
        match (self, other) {
            (Exclusive, _) | (_, Exclusive) => false,
            (Permits, other) | (other, Permits) => other == Permits,
            (IntentShared, _) | (_, IntentShared) => true,
            (Shared, other) => other == Shared,
            (IntentExclusive, other) => other == IntentExclusive,
        }
    }

    /// Weakest mode that allows what either of two modes allows.
    pub fn joined(self, other: Mode) -> Mode {
        use Mode::{Exclusive, IntentExclusive, IntentShared, Shared};
        match (self, other) {
            _ if self == other => self,
            (IntentShared, mode @ (Shared | IntentExclusive)) | (mode @ (Shared | IntentExclusive), IntentShared) => {
                mode
            }
            _ => Exclusive,
        }
    }

    /// Mode that only reads: a writer becomes a reader.
    pub fn shared(self) -> Mode {
        match self {
            Mode::Exclusive => Mode::Shared,
            Mode::IntentExclusive => Mode::IntentShared,
            mode => mode,
        }
    }
}

/// Value of a holder's field: `mode permits depth delay_ms token`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    pub mode: Mode,
    /// Number of permits; 1 in other modes.
    pub permits: i64,
    /// Number of acquisitions that the owner counts.
    pub depth: i64,
    /// Milliseconds between the end of the lease and the next grant.
    pub delay_ms: i64,
    pub token: u64,
}

/// Length of the longest text: a mode and four numbers of 19 digits, each after a blank.
const TEXT_MAX: usize = 2 + 4 * 20;

/// Text of a holder.
#[derive(Clone, Copy, Debug)]
pub struct HolderText {
    bytes: [u8; TEXT_MAX],
    len: usize,
}

impl HolderText {
    fn push(&mut self, bytes: &[u8]) {
        if let Some(free) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            free.copy_from_slice(bytes);
            self.len += bytes.len();
        }
    }
}

impl Deref for HolderText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl Holder {
    /// Parses the text of a field; `None` for any other text than [`Holder::text`] writes.
    pub fn parse(text: &[u8]) -> Option<Holder> {
        let mode = Mode::ALL.into_iter().find(|mode| {
            let name = mode.name().as_bytes();
            text.starts_with(name) && text.get(name.len()) == Some(&b' ')
        })?;
        let mut rest = text.get(mode.name().len()..)?;
        let mut number = |min: i64| {
            if let [b' ', digit @ b'0'..=b'9', b' ', ..] = rest {
                rest = rest.get(2..)?;
                return Some(i64::from(digit - b'0')).filter(|&number| number >= min);
            }
            let digits = rest.strip_prefix(b" ")?;
            let len = digits.iter().position(|&byte| byte == b' ').unwrap_or(digits.len());
            let (digits, after) = digits.split_at(len);
            rest = after;
            parse_integer(digits).filter(|&number| number >= min)
        };
        let (permits, depth, delay_ms, token) = (number(1)?, number(1)?, number(0)?, number(1)?);
        rest.is_empty().then_some(Holder { mode, permits, depth, delay_ms, token: token as u64 })
    }

    /// Text of the field.
    pub fn text(&self) -> HolderText {
        let mut text = HolderText { bytes: [0; TEXT_MAX], len: 0 };
        text.push(self.mode.name().as_bytes());
        for number in [self.permits, self.depth, self.delay_ms, self.token as i64] {
            match number {
                // Most numbers have one digit.
                0..10 => text.push(&[b' ', b'0' + number as u8]),
                _ => {
                    text.push(b" ");
                    text.push(IntegerText::of(number).as_bytes());
                }
            }
        }
        text
    }

    /// Whether the holder may do what these mode and permits allow.
    pub fn covers(&self, mode: Mode, permits: i64) -> bool {
        self.mode.joined(mode) == self.mode && (self.mode != Mode::Permits || permits <= self.permits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_text_of_a_holder_is_read_back_and_others_are_not() {
        for mode in Mode::ALL {
            let holder = Holder { mode, permits: 3, depth: 2, delay_ms: 500, token: 1_767_225_600_000_000 };
            assert_eq!(Holder::parse(&holder.text()), Some(holder));
        }
        let texts =
            ["", "x", "x 1 1 0", "x 1 1 0 5 6", "x 1 1 0 0", "x 0 1 0 5", "y 1 1 0 5", "x 1 1 -1 5", "x 1 01 0 5"];
        for text in texts {
            assert_eq!(Holder::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn modes_exclude_each_other_as_in_hierarchical_locking() {
        let admitted = |mode: Mode| {
            let others = Mode::ALL.into_iter().filter(|other| mode.admits(*other));
            others.map(Mode::name).collect::<Vec<_>>().join(" ")
        };
        let expected = ["", "s is", "ix is", "s ix is", "p"];
        assert_eq!(Mode::ALL.map(admitted), expected);
        for (one, other) in Mode::ALL.iter().flat_map(|one| Mode::ALL.iter().map(move |other| (*one, *other))) {
            assert_eq!((one.admits(other), one.joined(other)), (other.admits(one), other.joined(one)));
            // A mode that excludes one of two modes excludes their join.
            for third in Mode::ALL {
                assert!(!third.admits(one.joined(other)) || third.admits(one) && third.admits(other));
            }
        }
    }
}

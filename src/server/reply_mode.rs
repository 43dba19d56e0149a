//! CLIENT REPLY: whether the replies of a client are left out.

use alloc::vec::Vec;

/// State of CLIENT REPLY.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReplyMode {
    #[default]
    On,
    Off,
    /// The reply of the next command is left out.
    SkipNext,
    /// The reply of this command is left out.
    Skip,
}

impl ReplyMode {
    /// Drops the reply that begins at `start` if it is left out, and goes on to the next command.
    pub fn end_reply(&mut self, start: usize, out: &mut Vec<u8>) {
        if *self != ReplyMode::On {
            out.truncate(start);
        }
        *self = match *self {
            ReplyMode::SkipNext => ReplyMode::Skip,
            ReplyMode::Skip => ReplyMode::On,
            mode => mode,
        };
    }
}

//! Streams that bring GET and SET one after another, as most do: they are read where they arrived and answered in one go.
//! Whatever is unusual about a request or its answer ends the run in front of it, and the ordinary way takes over.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Guarded;
use super::guarded::plain_extent;
use super::plain::PlainRow;
use crate::keyspace::{INLINE_MAX, Space};
use crate::memory::{is_reserve_whole, make_room};
use crate::reply::writer::{Protocol, place_bulk};
use crate::request::PlainRequest;

/// What one run writes at most: room for the longest value (`Space::get_short`) and for many short ones.
const REPLIES_BYTES: usize = 4096;
const REPLY_MAX: usize = INLINE_MAX + 16;

/// Where a run writes its replies before all of them are handed on at once. It is kept, because clearing it would take longer
/// than to answer a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Replies(Option<Box<[u8; REPLIES_BYTES]>>);

impl Replies {
    fn reserve(&mut self) -> Option<&mut [u8; REPLIES_BYTES]> {
        if self.0.is_none() {
            let mut replies = Vec::new();
            make_room(&mut replies, REPLIES_BYTES).ok()?;
            replies.resize(REPLIES_BYTES, 0);
            self.0 = replies.into_boxed_slice().try_into().ok();
        }
        self.0.as_deref_mut()
    }
}

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlainRun {
    /// The client may not go the short way, and nothing was done.
    pub is_refused: bool,
    /// The length of the requests that were served.
    pub bytes: usize,
    /// The numbers of their commands, and how often each ran.
    pub counts: [(u16, u32); 2],
}

impl Guarded {
    /// Runs requests of the client who was admitted, at most so many, and writes no more than `room` and one reply.
    #[inline(never)] // What it keeps in hand fills every register.
    pub fn run_requests(&mut self, requests: &[u8], most: u32, room: usize, out: &mut Vec<u8>) -> PlainRun {
        let mut run = PlainRun::default();
        if make_room(out, REPLIES_BYTES).is_err() {
            return run;
        }
        let Some(replies) = self.replies.reserve() else { return run };
        let protocol = self.way.protocol;
        let mut space = self.engine.keyspace.at_rest(self.way.database, self.engine.now, self.way.is_quiet);
        let (mut len, mut gets, mut sets, mut last) = (0, 0, 0, None);
        let stop_at = room.min(REPLIES_BYTES - REPLY_MAX);
        while len < stop_at
            && gets + sets < most
            && let Some(place) = replies.get_mut(len..).and_then(|place| place.first_chunk_mut())
        {
            match requests.get(run.bytes..).and_then(PlainRequest::read) {
                Some((PlainRequest::Get(key), bytes)) => {
                    let Some(written) = answer_get(&mut space, key, protocol, place) else { break };
                    (len, run.bytes) = (len + written, run.bytes + bytes);
                    (gets, last) = (gets + 1, Some(PlainRow::Get));
                }
                Some((PlainRequest::Set(key, value), bytes)) => {
                    let Some(written) = answer_set(&mut space, key, value, place) else { break };
                    (len, run.bytes) = (len + written, run.bytes + bytes);
                    (sets, last) = (sets + 1, Some(PlainRow::Set));
                    // What it replaced may be large: its memory is given back before the next command.
                    if space.db().has_remains() || !is_reserve_whole() {
                        break;
                    }
                }
                None => break,
            }
        }
        out.extend_from_slice(replies.get(..len).unwrap_or_default());
        self.way.last = last.or(self.way.last);
        run.counts = [self.count(PlainRow::Get, gets), self.count(PlainRow::Set, sets)];
        run
    }

    fn count(&mut self, row: PlainRow, times: u32) -> (u16, u32) {
        self.way.calls[row as usize] += u64::from(times);
        (self.engine.plain_rows.number(row), times)
    }
}

/// Writes the answer and tells its length; nothing is done when it is none of the usual ones.
#[inline(always)]
fn answer_get(space: &mut Space<'_>, key: &[u8], protocol: Protocol, place: &mut [u8; REPLY_MAX]) -> Option<usize> {
    let answered = space.as_unit(plain_extent(key, b""), |space| {
        Ok(match (space.get_short(key), protocol) {
            (None, _) => None,
            (Some(Some(value)), _) => Some(place_bulk(place, value)),
            (Some(None), Protocol::Resp2) => Some(put(place, b"$-1\r\n")),
            (Some(None), Protocol::Resp3) => Some(put(place, b"_\r\n")),
        })
    });
    answered.ok()?
}

#[inline(always)]
fn answer_set(space: &mut Space<'_>, key: &[u8], value: &[u8], place: &mut [u8; REPLY_MAX]) -> Option<usize> {
    space.as_unit(plain_extent(key, value), |space| space.set_plain(key, value)).ok()?;
    Some(put(place, b"+OK\r\n"))
}

/// Writes a text at the front.
#[inline(always)]
fn put<const N: usize>(place: &mut [u8; REPLY_MAX], text: &[u8; N]) -> usize {
    place[..N].copy_from_slice(text);
    N
}

//! Streams that bring GET and SET one after another, as most do: they are read where they arrived and answered in one go.
//! Whatever is unusual about a request or its answer ends the run in front of it, and the ordinary way takes over.

use alloc::vec::Vec;

use super::Guarded;
use super::plain::PlainRow;
use crate::keyspace::{INLINE_MAX, SetOptions};
use crate::memory::{is_reserve_whole, make_room};
use crate::reply::writer::{Protocol, place_bulk};
use crate::request::PlainRequest;

/// What one run writes at most: room for the longest value (`Space::get_short`) and for many short ones.
const REPLIES_BYTES: usize = 4096;
const REPLY_MAX: usize = INLINE_MAX + 16;

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
    pub fn run_requests(&mut self, requests: &[u8], most: u32, room: usize, out: &mut Vec<u8>) -> PlainRun {
        let mut run = PlainRun::default();
        if make_room(out, REPLIES_BYTES).is_err() {
            return run;
        }
        let mut replies = [0; REPLIES_BYTES];
        let (mut len, mut gets, mut sets) = (0, 0, 0);
        let stop_at = room.min(REPLIES_BYTES - REPLY_MAX);
        while len < stop_at
            && gets + sets < most
            && let Some((request, bytes)) = requests.get(run.bytes..).and_then(PlainRequest::read)
            && let Some(place) = replies.get_mut(len..)
        {
            let written = match request {
                PlainRequest::Get(key) => self.answer_get(key, place),
                PlainRequest::Set(key, value) => self.answer_set(key, value, place),
            };
            let Some(written) = written else { break };
            (len, run.bytes) = (len + written, run.bytes + bytes);
            match request {
                PlainRequest::Get(_) => gets += 1,
                PlainRequest::Set(..) => sets += 1,
            }
            self.way.last = Some(request.row());
            // What it replaced may be large: its memory is given back before the next command.
            if self.has_remains() || !is_reserve_whole() {
                break;
            }
        }
        out.extend_from_slice(replies.get(..len).unwrap_or_default());
        run.counts = [self.count(PlainRow::Get, gets), self.count(PlainRow::Set, sets)];
        run
    }

    /// Writes the answer and tells its length; nothing is done when it is none of the usual ones.
    #[inline(always)]
    fn answer_get(&mut self, key: &[u8], place: &mut [u8]) -> Option<usize> {
        let protocol = self.way.protocol;
        let answered = self.run(key.len(), |space| {
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
    fn answer_set(&mut self, key: &[u8], value: &[u8], place: &mut [u8]) -> Option<usize> {
        let stored = self.run(key.len() + value.len(), |space| space.set(key, value, &SetOptions::default()));
        stored.ok().map(|_| put(place, b"+OK\r\n"))
    }

    fn count(&mut self, row: PlainRow, times: u32) -> (u16, u32) {
        self.way.calls[row as usize] += u64::from(times);
        (self.engine.plain_rows.number(row), times)
    }
}

#[inline(always)]
fn put<const N: usize>(place: &mut [u8], text: &[u8; N]) -> usize {
    place.first_chunk_mut::<N>().map_or(0, |place| {
        *place = *text;
        N
    })
}

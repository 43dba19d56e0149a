//! Streams that bring GET and SET one after another, as most do: they are read where they arrived and answered in one go.
//! Whatever is unusual about a request or its answer ends the run in front of it, and the ordinary way takes over.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Guarded;
use super::guarded::plain_extent;
use super::plain::PlainRow;
use crate::keyspace::{INLINE_MAX, ShortStrings, Space};
use crate::memory::{is_reserve_whole, make_room};
use crate::reply::writer::{Protocol, place_bulk};
use crate::request::PlainRequest;

/// What one run writes at most: room for the longest value (`Space::get_short`) and for many short ones.
const REPLIES_BYTES: usize = 4096;
const REPLY_MAX: usize = INLINE_MAX + 16;
/// A reply may begin up to here.
const REPLY_AT_MAX: usize = REPLIES_BYTES - REPLY_MAX;
const OK: &[u8; 5] = b"+OK\r\n";

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

/// A run under way.
struct Pass<'a> {
    requests: &'a [u8],
    /// So many bytes of them are answered.
    at: usize,
    replies: &'a mut [u8; REPLIES_BYTES],
    /// No reply is begun where so many are written, or so many bytes.
    most: u32,
    stop_at: usize,
    /// How long the replies are.
    len: usize,
    gets: u32,
    sets: u32,
    last: Option<PlainRow>,
}

impl Guarded {
    /// Runs requests of the client who was admitted, at most so many, and writes no more than `room` and one reply.
    #[inline(never)]
    pub fn run_requests(&mut self, requests: &[u8], most: u32, room: usize, out: &mut Vec<u8>) -> PlainRun {
        let mut run = PlainRun::default();
        if make_room(out, REPLIES_BYTES).is_err() {
            return run;
        }
        let Some(replies) = self.replies.reserve() else { return run };
        let protocol = self.way.protocol;
        let mut space = self.engine.keyspace.at_rest(self.way.database, self.engine.now, self.way.is_quiet);
        let stop_at = room.min(REPLY_AT_MAX + 1);
        let mut pass = Pass { requests, at: 0, replies, most, stop_at, len: 0, gets: 0, sets: 0, last: None };
        loop {
            if let Some(mut strings) = space.short_strings() {
                pass.answer_usual(&mut strings);
            }
            if !pass.answer_next(&mut space, protocol) {
                break;
            }
        }
        let Pass { at, replies, len, gets, sets, last, .. } = pass;
        run.bytes = at;
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

impl Pass<'_> {
    /// Answers those that find a short string at once, up to the first other one.
    #[inline(never)] // What it keeps in hand fills every register.
    fn answer_usual(&mut self, strings: &mut ShortStrings<'_>) {
        let Pass { requests, stop_at, .. } = *self;
        let (mut at, mut len, mut gets) = (self.at, self.len, 0);
        let most = self.most.saturating_sub(self.gets + self.sets);
        let mut left = most;
        while left > 0
            && len < stop_at
            && let Some(place) = self.replies.get_mut(len..)
            && let Some(place) = place.first_chunk_mut()
            && let Some(rest) = requests.get(at..)
            && let Some((request, bytes)) = PlainRequest::read(rest)
        {
            match request {
                PlainRequest::Get(key) => {
                    let Some(value) = strings.get(key) else { break };
                    len += place_bulk::<REPLY_MAX>(place, value);
                    gets += 1;
                    self.last = Some(PlainRow::Get);
                }
                PlainRequest::Set(key, value) => {
                    if !strings.set(key, value) {
                        break;
                    }
                    len += put(place, OK);
                    self.last = Some(PlainRow::Set);
                }
            }
            at += bytes;
            left -= 1;
        }
        strings.count_hits(gets);
        (self.at, self.len) = (at, len);
        (self.gets, self.sets) = (self.gets + gets, self.sets + (most - left - gets));
    }

    /// Answers one request, if there is another; whether the run may go on behind it.
    #[inline(never)]
    fn answer_next(&mut self, space: &mut Space<'_>, protocol: Protocol) -> bool {
        if self.gets + self.sets >= self.most || self.len >= self.stop_at {
            return false;
        }
        let Some((request, bytes)) = self.requests.get(self.at..).and_then(PlainRequest::read) else { return false };
        let Some(place) = self.replies.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut) else { return false };
        let (row, count, written) = match request {
            PlainRequest::Get(key) => (PlainRow::Get, &mut self.gets, answer_get(space, key, protocol, place)),
            PlainRequest::Set(key, value) => (PlainRow::Set, &mut self.sets, answer_set(space, key, value, place)),
        };
        let Some(written) = written else { return false };
        *count += 1;
        self.last = Some(row);
        self.len += written;
        self.at += bytes;
        // What it replaced may be large: its memory is given back before the next command.
        !space.db().has_remains() && is_reserve_whole()
    }
}

/// Writes the answer and tells its length; nothing is done when it is none of the usual ones.
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

fn answer_set(space: &mut Space<'_>, key: &[u8], value: &[u8], place: &mut [u8; REPLY_MAX]) -> Option<usize> {
    space.as_unit(plain_extent(key, value), |space| space.set_plain(key, value)).ok()?;
    Some(put(place, OK))
}

/// Writes a text at the front.
#[inline(always)]
fn put<const N: usize>(place: &mut [u8; REPLY_MAX], text: &[u8; N]) -> usize {
    place[..N].copy_from_slice(text);
    N
}

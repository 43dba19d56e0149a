//! The exported class, continued: the few operations a program calls most, without arguments and replies in between.
//! JavaScript writes keys and values into a scratch area of fixed size, and numbers come back. Where anything stands in
//! the way of the short way (`engine/guarded`), nothing is done and the answer says so: the command is then called as ever.

use wasm_bindgen::prelude::*;

use super::clock::timestamp;
use super::engine::Engine;
use crate::engine::PlainRow;
use crate::keyspace::{Comparison, DeadlineCondition, Error, Expiry, Presence, SetOptions, Space, TimeToLive};
use crate::memory::make_room;
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};
use crate::{ClientId, Kind, Span};

/// Answers that are no results; all of them are below every result.
mod answer {
    /// Call the command the ordinary way: nothing was done.
    pub const ORDINARY: f64 = -1e18;
    pub const NIL: f64 = -2e18;
    /// The reply is at `output()`, and `output_len` long: an error, or a number that JavaScript has none for.
    pub const OUTPUT: f64 = -3e18;
    /// Nothing was done: say the time and call again.
    pub const TIME: f64 = -4e18;
    /// Nothing was done: write the value and call again.
    pub const VALUE: f64 = -5e18;
}

/// Whole numbers from here on JavaScript does not have.
const SAFE_END: u64 = 1 << 53;
const WORD: usize = 4;
/// Values up to so many bytes are copied to the front of the scratch area, where JavaScript reads them quickest.
const SHORT_MAX: usize = 32;
const NO_VALUE: u32 = u32::MAX;
/// The bits that no ASCII character has.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

fn is_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let all = words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word));
    rest.iter().fold(all, |all, byte| all | u64::from(*byte)) & NOT_ASCII == 0
}

/// Copies a value and says whether it is ASCII; what lies behind it in its last word is cleared. There is no loop that only
/// copies: the compiler would make a call of the general copy of it, which costs more than all of this.
fn copy_short(value: &[u8], to: &mut [u8; SHORT_MAX]) -> bool {
    let (words, rest) = value.as_chunks::<8>();
    let word = |index: usize| words.get(index).map_or(0, |word| u64::from_le_bytes(*word));
    let words = [word(0), word(1), word(2), word(3)];
    let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte));
    let slots = to.as_chunks_mut::<8>().0;
    for (slot, word) in slots.iter_mut().zip(words) {
        *slot = word.to_le_bytes();
    }
    if let Some(slot) = slots.get_mut(value.len() / 8) {
        *slot = last.to_le_bytes();
    }
    (words[0] | words[1] | words[2] | words[3] | last) & NOT_ASCII == 0
}

fn tell_place(bytes: &[u8], scratch: &mut [u8]) {
    if let Some(place) = scratch.first_chunk_mut::<WORD>() {
        *place = (bytes.as_ptr() as u32).to_le_bytes();
    }
}

#[wasm_bindgen]
impl Engine {
    /// The scratch area of so many bytes, which stays where it is; 0 when there is no memory.
    pub fn scratch(&mut self, length: usize) -> usize {
        self.scratch.reserve(length)
    }

    /// How long the answer at `output()` is.
    #[wasm_bindgen(js_name = outputLength)]
    pub fn output_len(&self) -> usize {
        self.output.len()
    }

    /// The value of the key at the front of the scratch area: twice its length, and 1 more when it is ASCII. It takes the
    /// place of the key; where it is too long for that, the place where it lies until the next call does, as a 32-bit number.
    #[wasm_bindgen(js_name = hotGet)]
    pub fn hot_get(&mut self, client: u32, key_len: usize, now: f64) -> f64 {
        self.short(client, PlainRow::Get, now, (key_len, false), |space, scratch| {
            let Some(value) = space.get(front(scratch, key_len))? else { return Ok(answer::NIL) };
            let is_ascii = match scratch.first_chunk_mut::<SHORT_MAX>() {
                Some(short) if value.len() <= SHORT_MAX => copy_short(value, short),
                _ => {
                    tell_place(value, scratch);
                    is_ascii(value)
                }
            };
            Ok(value.len() as f64 * 2.0 + f64::from(u8::from(is_ascii)))
        })
    }

    /// Sets that key to the value that begins at `value_at`. `presence`: 1 only if missing, 2 only if there;
    /// `ttl_ms` 0: for ever. Answers 1 when it was set. A length of `NO_VALUE` tells that the value is yet to be written.
    #[wasm_bindgen(js_name = hotSet)]
    #[allow(clippy::too_many_arguments)] // They are the numbers of one call across the boundary.
    pub fn hot_set(
        &mut self,
        client: u32,
        key_len: usize,
        value_at: usize,
        value_len: u32,
        presence: u32,
        ttl_ms: f64,
        now: f64,
    ) -> f64 {
        let row = if presence == SETNX { PlainRow::SetNx } else { PlainRow::Set };
        let presence = match presence {
            0 => None,
            2 => Some(Presence::Existing),
            _ => Some(Presence::Missing),
        };
        let is_told = value_len != NO_VALUE;
        if !is_told && (presence != Some(Presence::Missing) || !self.holds(client, key_len)) {
            return answer::VALUE;
        }
        let told = if is_told { value_len as usize } else { 0 };
        self.short(client, row, now, (key_len.saturating_add(told), ttl_ms > 0.0), |space, scratch| {
            let value = if is_told { at(scratch, value_at, value_len as usize) } else { &[] };
            let expiry = match ttl_ms > 0.0 {
                true => Expiry::At(space.now().saturating_add_ms(ttl_ms as i64)),
                false => Expiry::Never,
            };
            let options = SetOptions { presence, expiry, ..SetOptions::default() };
            Ok(f64::from(u8::from(space.set(front(scratch, key_len), value, &options)?.stored)))
        })
    }

    /// 1 when the key was there.
    #[wasm_bindgen(js_name = hotDel)]
    pub fn hot_del(&mut self, client: u32, key_len: usize, now: f64) -> f64 {
        // What takes its time is measured, which this is not.
        if !self.is_string(client, key_len) {
            return answer::ORDINARY;
        }
        self.short(client, PlainRow::Del, now, (key_len, false), |space, scratch| {
            Ok(space.delete_all(core::iter::once(front(scratch, key_len))) as f64)
        })
    }

    /// Deletes the key if it holds the string that begins at `value_at`; 1 when it did. `as_delifeq`: DELIFEQ was called, not
    /// DELEX with IFEQ, which names another error for a key of another type.
    #[wasm_bindgen(js_name = hotDelIfEqual)]
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn hot_del_if_equal(
        &mut self,
        client: u32,
        key_len: usize,
        value_at: usize,
        value_len: usize,
        as_delifeq: bool,
        now: f64,
    ) -> f64 {
        let row = if as_delifeq { PlainRow::DelIfEq } else { PlainRow::DelEx };
        self.short(client, row, now, (key_len.saturating_add(value_len), false), |space, scratch| {
            let (key, value) = (front(scratch, key_len), at(scratch, value_at, value_len));
            let deleted = match as_delifeq {
                true => space.delete_if_equal(key, value)?,
                false => space.delete_if(key, Comparison::Equal(value))?,
            };
            Ok(f64::from(u8::from(deleted)))
        })
    }

    /// 1 when the key is there.
    #[wasm_bindgen(js_name = hotExists)]
    pub fn hot_exists(&mut self, client: u32, key_len: usize, now: f64) -> f64 {
        self.short(client, PlainRow::Exists, now, (key_len, false), |space, scratch| {
            Ok(f64::from(u8::from(space.probe(front(scratch, key_len)).is_some())))
        })
    }

    /// The number of the key, one larger now.
    #[wasm_bindgen(js_name = hotIncr)]
    pub fn hot_incr(&mut self, client: u32, key_len: usize, now: f64) -> f64 {
        let mut large = None;
        let answered = self.short(client, PlainRow::Incr, now, (key_len, false), |space, scratch| {
            let sum = space.increment(front(scratch, key_len), 1)?;
            large = Some(sum).filter(|sum| sum.unsigned_abs() >= SAFE_END);
            Ok(sum as f64)
        });
        match large {
            Some(sum) => self.answer_output(|reply| reply.integer(sum)),
            None => answered,
        }
    }

    /// 1 when the key now dies after `ttl_ms`.
    #[wasm_bindgen(js_name = hotExpire)]
    pub fn hot_expire(&mut self, client: u32, key_len: usize, ttl_ms: f64, now: f64) -> f64 {
        self.short(client, PlainRow::Expire, now, (key_len, true), |space, scratch| {
            let deadline = space.now().saturating_add_ms(ttl_ms as i64);
            let is_set = space.expire_at(front(scratch, key_len), deadline, DeadlineCondition::default())?;
            Ok(f64::from(u8::from(is_set)))
        })
    }

    /// The milliseconds the key has to live; -1 for ever, -2 without a key.
    #[wasm_bindgen(js_name = hotTtl)]
    pub fn hot_ttl(&mut self, client: u32, key_len: usize, now: f64) -> f64 {
        self.short(client, PlainRow::Ttl, now, (key_len, false), |space, scratch| {
            let now = space.now();
            Ok(match space.time_to_live(front(scratch, key_len)) {
                TimeToLive::NoKey => -2.0,
                TimeToLive::Forever => -1.0,
                TimeToLive::Until(deadline) => deadline.ms_since(now).max(0) as f64,
            })
        })
    }

    /// The values of `count` keys, joined at `output()`: twice the length of all of them, and 1 more when they are ASCII. The
    /// scratch area holds the lengths of the keys as 32-bit numbers, then their bytes; the lengths of the values (all ones:
    /// no value) take the places of those of the keys.
    #[wasm_bindgen(js_name = hotMget)]
    pub fn hot_mget(&mut self, client: u32, count: usize, now: f64) -> f64 {
        self.clear_output();
        let mut output = core::mem::take(&mut self.output);
        let bytes = joined_bytes(self.scratch.all(), count);
        let answered = self.short(client, PlainRow::MGet, now, (bytes, false), |space, scratch| {
            let lengths_end = count.saturating_mul(WORD);
            let (lengths, rest) = scratch.split_at_mut_checked(lengths_end).unwrap_or_default();
            let mut rest = &*rest;
            for length in lengths.as_chunks_mut::<WORD>().0 {
                // A key of another type reads as missing.
                let value = space.get(split_word(&mut rest, *length)).unwrap_or_default();
                *length = value.map_or(NO_VALUE, |value| value.len() as u32).to_le_bytes();
                let value = value.unwrap_or_default();
                make_room(&mut output, value.len())?;
                crate::bytes::append(&mut output, value);
            }
            Ok(output.len() as f64 * 2.0 + f64::from(u8::from(is_ascii(&output))))
        });
        if answered >= 0.0 {
            self.output = output;
        }
        answered
    }

    /// Sets keys to values, which stand in the scratch area by turns, as for `hot_mget`.
    #[wasm_bindgen(js_name = hotMset)]
    pub fn hot_mset(&mut self, client: u32, count: usize, now: f64) -> f64 {
        let bytes = joined_bytes(self.scratch.all(), count);
        self.short(client, PlainRow::MSet, now, (bytes, false), |space, scratch| {
            let mut words = joined(scratch, count);
            let pairs = core::iter::from_fn(move || Some((words.next()?, words.next()?)));
            space.set_many(pairs, None, Expiry::Never)?;
            Ok(1.0)
        })
    }
}

/// Says for `hot_set` that SETNX was called, not SET.
const SETNX: u32 = 3;

impl Engine {
    /// Runs one operation the short way, if that is open and the time is known where it matters.
    #[inline(always)]
    fn short(
        &mut self,
        client: u32,
        row: PlainRow,
        now: f64,
        (bytes, needs_time): (usize, bool),
        operation: impl FnOnce(&mut Space<'_>, &mut [u8]) -> Result<f64, Error>,
    ) -> f64 {
        let needs_time = needs_time || self.keylatch.is_timed();
        if needs_time && !self.time.is_manual() {
            match timestamp(now) {
                Some(now) => self.time.tell(now),
                None => return answer::TIME,
            }
        }
        let Engine { keylatch, scratch, .. } = self;
        let scratch = scratch.all_mut();
        match keylatch.operate(ClientId(client), row, (bytes, needs_time), |space| operation(space, scratch)) {
            None => answer::ORDINARY,
            Some(Ok(result)) => result,
            Some(Err(error)) => self.answer_error(error),
        }
    }

    #[cold]
    fn answer_error(&mut self, error: CommandError) -> f64 {
        self.answer_output(|reply| reply.error(&error.into()))
    }

    fn answer_output(&mut self, write: impl FnOnce(&mut Writer)) -> f64 {
        self.clear_output();
        let mut reply = Writer::appending_to(core::mem::take(&mut self.output), Protocol::Resp3);
        write(&mut reply);
        if reply.take_failure() {
            reply.truncate(0);
            reply.error(&CommandError::OUT_OF_MEMORY.into());
        }
        self.output = reply.into_bytes();
        answer::OUTPUT
    }

    /// Whether the key is there, dead or alive: asked before anything is done.
    fn holds(&self, client: u32, key_len: usize) -> bool {
        self.keylatch.glance(ClientId(client), front(self.scratch.all(), key_len)).is_some()
    }

    fn is_string(&self, client: u32, key_len: usize) -> bool {
        let kind = self.keylatch.glance(ClientId(client), front(self.scratch.all(), key_len));
        kind.is_none_or(|kind| kind == Kind::String)
    }
}

fn front(scratch: &[u8], len: usize) -> &[u8] {
    scratch.get(..len).unwrap_or_default()
}

fn at(scratch: &[u8], start: usize, len: usize) -> &[u8] {
    scratch.get(start..).and_then(|rest| rest.get(..len)).unwrap_or_default()
}

/// What joined words take as arguments: their bytes, and a span for each.
fn joined_bytes(scratch: &[u8], count: usize) -> usize {
    let lengths = scratch.get(..count.saturating_mul(WORD)).unwrap_or_default().as_chunks::<WORD>().0;
    lengths
        .iter()
        .fold(0, |bytes: usize, len| bytes.saturating_add(u32::from_le_bytes(*len) as usize + size_of::<Span>()))
}

/// Words whose lengths stand in front of all of them.
fn joined(scratch: &[u8], count: usize) -> impl Iterator<Item = &[u8]> + Clone {
    let (lengths, mut rest) = scratch.split_at_checked(count.saturating_mul(WORD)).unwrap_or_default();
    lengths.as_chunks::<WORD>().0.iter().map(move |length| split_word(&mut rest, *length))
}

/// The word at the front, and the rest behind it.
#[inline(always)]
fn split_word<'a>(rest: &mut &'a [u8], length: [u8; WORD]) -> &'a [u8] {
    let (word, behind) = rest.split_at_checked(u32::from_le_bytes(length) as usize).unwrap_or((*rest, &[]));
    *rest = behind;
    word
}

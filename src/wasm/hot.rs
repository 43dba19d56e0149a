//! The exported class, continued: the few operations a program calls most, without arguments and replies in between.
//! JavaScript writes keys and values into a scratch area of fixed size, and numbers come back. Where anything stands in
//! the way of the short way (`engine/guarded`), nothing is done and the answer says so: the command is then called as ever.

use wasm_bindgen::prelude::*;

use super::engine::Engine;
use super::repeats::{Board, Changes};
use crate::engine::PlainRow;
use crate::keyspace::{DeadlineCondition, Error, Expiry, Presence, SetOptions, Space, TimeToLive};
use crate::memory::make_room;
use crate::reply::error::CommandError;
use crate::reply::writer::{Protocol, Writer};
use crate::{ClientId, Span};

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
/// Values up to so many bytes are copied behind the place of their key, where JavaScript reads them quickest.
const SHORT_MAX: usize = 32;
/// How far behind.
const VALUE_BEHIND: usize = 64;
const NO_VALUE: u32 = u32::MAX;
/// The bits that no ASCII character has.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

fn is_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let all = words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word));
    rest.iter().fold(all, |all, byte| all | u64::from(*byte)) & NOT_ASCII == 0
}

/// What is known of an operation before it runs.
struct Plan {
    row: PlainRow,
    /// Of its arguments.
    bytes: usize,
    /// It tells or sets a lifetime.
    needs_time: bool,
    changes: Changes,
}

impl Plan {
    fn read(row: PlainRow, bytes: usize) -> Plan {
        Plan::write(row, bytes, Changes::Nothing)
    }

    fn write(row: PlainRow, bytes: usize, changes: Changes) -> Plan {
        Plan { row, bytes, needs_time: false, changes }
    }

    fn timed(self) -> Plan {
        Plan { needs_time: true, ..self }
    }
}

/// How a value is told: its length, and these two.
#[derive(Clone, Copy, Default)]
struct Told {
    /// What lies at its place is what lay there before.
    as_before: bool,
    is_ascii: bool,
}

impl Told {
    /// Both as the lowest bits of a number.
    fn bits(self) -> u32 {
        u32::from(self.as_before) << 1 | u32::from(self.is_ascii)
    }

    fn with_len(self, len: usize) -> f64 {
        len as f64 * 4.0 + f64::from(self.bits())
    }
}

/// Copies a value; what lies behind it is cleared. There is no loop over the words: it would be kept as one, and one that
/// only copies would become a call of the general copy, which costs more than all of this.
fn copy_short(value: &[u8], to: &mut [u8; SHORT_MAX]) -> Told {
    let (words, rest) = value.as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte));
    let word = |index: usize| match words.get(index) {
        Some(word) => u64::from_le_bytes(*word),
        None if index == words.len() => last,
        None => 0,
    };
    let [first, second, third, fourth] = [word(0), word(1), word(2), word(3)];
    let Some(places) = to.as_chunks_mut::<8>().0.first_chunk_mut() else { return Told::default() };
    let [first_place, second_place, third_place, fourth_place] = places;
    let changed =
        put(first, first_place) | put(second, second_place) | put(third, third_place) | put(fourth, fourth_place);
    Told { as_before: changed == 0, is_ascii: (first | second | third | fourth) & NOT_ASCII == 0 }
}

/// Answers which bits are others now.
#[inline(always)]
fn put(word: u64, place: &mut [u8; 8]) -> u64 {
    word ^ u64::from_le_bytes(core::mem::replace(place, word.to_le_bytes()))
}

/// A word of `hot_mget` for a key that lies in the scratch area already: the highest bit, where it lies, its length. It
/// becomes the word for the value behind the key: the two bits below the highest are those of [`Told`], and the length is
/// the value's.
#[derive(Clone, Copy)]
struct Known(u32);

impl Known {
    const FLAG: u32 = 1 << 31;
    const TOLD_SHIFT: u32 = 29;
    /// Keys in places have fewer than 64 bytes, and values no more than 32.
    const LENGTH_BITS: u32 = 6;
    const LENGTH_MASK: u32 = (1 << Known::LENGTH_BITS) - 1;

    fn of(word: u32) -> Option<Known> {
        (word & Known::FLAG != 0).then_some(Known(word))
    }

    fn key_at(self) -> usize {
        ((self.0 & !Known::FLAG) >> Known::LENGTH_BITS) as usize
    }

    fn len(self) -> usize {
        (self.0 & Known::LENGTH_MASK) as usize
    }

    fn told(self, value: &[u8], told: Told) -> u32 {
        self.0 & !Known::LENGTH_MASK | told.bits() << Known::TOLD_SHIFT | value.len() as u32
    }
}

/// Copies a value behind the place of its key, if it is short.
#[inline(always)]
fn copy_behind(value: &[u8], scratch: &mut [u8], key_at: usize) -> Option<Told> {
    let place = scratch.get_mut(key_at.saturating_add(VALUE_BEHIND)..)?.first_chunk_mut::<SHORT_MAX>()?;
    (value.len() <= SHORT_MAX).then(|| copy_short(value, place))
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

    /// Where the numbers lie by which JavaScript knows which reads it may repeat.
    pub fn board(&self) -> usize {
        self.keylatch.board_at()
    }

    /// Which of these numbers is the version of the key that begins at `key_at` of the scratch area.
    #[wasm_bindgen(js_name = versionIndex)]
    pub fn version_index(&self, key_at: usize, key_len: usize) -> usize {
        Board::index_of(at(self.scratch.all(), key_at, key_len))
    }

    /// The value of the key that begins at `key_at` of the scratch area: four times its length, 2 more when it is copied
    /// to its place and all that lay there already, 1 more when it is ASCII. A short value is copied behind the key, with
    /// zeros behind itself; of a longer one the address until the next call is told at the front, as a 32-bit number.
    #[wasm_bindgen(js_name = hotGet)]
    pub fn hot_get(&mut self, client: u32, key_at: usize, key_len: usize, now: f64) -> f64 {
        self.short(client, now, Plan::read(PlainRow::Get, key_len), |space, scratch, board| {
            let key = at(scratch, key_at, key_len);
            space.number_key(key_at);
            let Some(value) = space.get(key)? else { return Ok(answer::NIL) };
            if key_at != 0 {
                board.note(key);
            }
            let told = copy_behind(value, scratch, key_at).unwrap_or_else(|| {
                tell_place(value, scratch);
                Told { as_before: false, is_ascii: is_ascii(value) }
            });
            Ok(told.with_len(value.len()))
        })
    }

    /// Sets that key to the value that begins at `value_at`, for ever and whatever is there; answers 1. Most writes do no more,
    /// and with fewer numbers to keep at hand this takes fewer instructions than `hot_set`.
    #[wasm_bindgen(js_name = hotSetPlain)]
    #[allow(clippy::too_many_arguments)] // They are the numbers of one call across the boundary.
    pub fn hot_set_plain(
        &mut self,
        client: u32,
        key_at: usize,
        key_len: usize,
        value_at: usize,
        value_len: usize,
        now: f64,
    ) -> f64 {
        let changes = self.changes(key_at, key_len);
        let plan = Plan::write(PlainRow::Set, key_len.saturating_add(value_len), changes);
        self.short(client, now, plan, |space, scratch, _| {
            space.number_key(key_at);
            space.set_plain(at(scratch, key_at, key_len), at(scratch, value_at, value_len)).map(|()| 1.0)
        })
    }

    /// Sets that key to the value that begins at `value_at`. `presence`: 1 only if missing, 2 only if there;
    /// `ttl_ms` 0: for ever. Answers 1 when it was set. A length of `NO_VALUE` tells that the value is yet to be written.
    #[wasm_bindgen(js_name = hotSet)]
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn hot_set(
        &mut self,
        client: u32,
        key_at: usize,
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
        if !is_told && (presence != Some(Presence::Missing) || !self.holds(client, key_at, key_len)) {
            return answer::VALUE;
        }
        let told = if is_told { value_len as usize } else { 0 };
        let bytes = key_len.saturating_add(told);
        let plan = match ttl_ms > 0.0 {
            true => Plan::write(row, bytes, Changes::Anything).timed(),
            false => Plan::write(row, bytes, self.changes(key_at, key_len)),
        };
        self.short(client, now, plan, |space, scratch, _| {
            let key = at(scratch, key_at, key_len);
            let value = if is_told { at(scratch, value_at, value_len as usize) } else { &[] };
            space.number_key(key_at);
            let expiry = match ttl_ms > 0.0 {
                true => Expiry::At(space.now().saturating_add_ms(ttl_ms as i64)),
                false => Expiry::Never,
            };
            if presence == Some(Presence::Missing) {
                return space.set_missing(key, value, expiry).map(|stored| f64::from(u8::from(stored)));
            }
            let options = SetOptions { presence, expiry, ..SetOptions::default() };
            Ok(f64::from(u8::from(space.set(key, value, &options)?.stored)))
        })
    }

    /// As `hotSet` of a missing key with a lifetime, which is what acquires a lock.
    #[wasm_bindgen(js_name = hotAcquire)]
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn hot_acquire(
        &mut self,
        client: u32,
        key_at: usize,
        key_len: usize,
        value_at: usize,
        value_len: usize,
        ttl_ms: f64,
        now: f64,
    ) -> f64 {
        let plan = Plan::write(PlainRow::Set, key_len.saturating_add(value_len), Changes::Anything).timed();
        self.short(client, now, plan, |space, scratch, _| {
            let (key, value) = (at(scratch, key_at, key_len), at(scratch, value_at, value_len));
            let deadline = space.now().saturating_add_ms(ttl_ms as i64);
            Ok(f64::from(u8::from(space.set_missing(key, value, Expiry::At(deadline))?)))
        })
    }

    /// 1 when the key was there.
    #[wasm_bindgen(js_name = hotDel)]
    pub fn hot_del(&mut self, client: u32, key_at: usize, key_len: usize, now: f64) -> f64 {
        let changes = self.changes(key_at, key_len);
        self.short(client, now, Plan::write(PlainRow::Del, key_len, changes), |space, scratch, _| {
            Ok(f64::from(u8::from(space.delete_key(at(scratch, key_at, key_len)))))
        })
    }

    /// Deletes the key if it holds the string that begins at `value_at`; 1 when it did. `as_delifeq`: DELIFEQ was called, not
    /// DELEX with IFEQ, which names another error for a key of another type.
    #[wasm_bindgen(js_name = hotDelIfEqual)]
    #[allow(clippy::too_many_arguments)] // As above.
    pub fn hot_del_if_equal(
        &mut self,
        client: u32,
        key_at: usize,
        key_len: usize,
        value_at: usize,
        value_len: usize,
        as_delifeq: bool,
        now: f64,
    ) -> f64 {
        let row = if as_delifeq { PlainRow::DelIfEq } else { PlainRow::DelEx };
        let changes = self.changes(key_at, key_len);
        self.short(client, now, Plan::write(row, key_len.saturating_add(value_len), changes), |space, scratch, _| {
            let (key, value) = (at(scratch, key_at, key_len), at(scratch, value_at, value_len));
            let refusal = if as_delifeq { Error::WrongType } else { Error::ConditionNeedsString };
            Ok(f64::from(u8::from(space.delete_equal(key, value, refusal)?)))
        })
    }

    /// 1 when the key is there.
    #[wasm_bindgen(js_name = hotExists)]
    pub fn hot_exists(&mut self, client: u32, key_at: usize, key_len: usize, now: f64) -> f64 {
        self.short(client, now, Plan::read(PlainRow::Exists, key_len), |space, scratch, _| {
            Ok(f64::from(u8::from(space.probe(at(scratch, key_at, key_len)).is_some())))
        })
    }

    /// The number of the key, one larger now.
    #[wasm_bindgen(js_name = hotIncr)]
    pub fn hot_incr(&mut self, client: u32, key_at: usize, key_len: usize, now: f64) -> f64 {
        let mut large = None;
        let changes = self.changes(key_at, key_len);
        let answered = self.short(client, now, Plan::write(PlainRow::Incr, key_len, changes), |space, scratch, _| {
            space.number_key(key_at);
            let sum = space.increment(at(scratch, key_at, key_len), 1)?;
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
    pub fn hot_expire(&mut self, client: u32, key_at: usize, key_len: usize, ttl_ms: f64, now: f64) -> f64 {
        self.short(
            client,
            now,
            Plan::write(PlainRow::Expire, key_len, Changes::Anything).timed(),
            |space, scratch, _| {
                let deadline = space.now().saturating_add_ms(ttl_ms as i64);
                let is_set = space.expire_at(at(scratch, key_at, key_len), deadline, DeadlineCondition::default())?;
                Ok(f64::from(u8::from(is_set)))
            },
        )
    }

    /// The milliseconds the key has to live; -1 for ever, -2 without a key.
    #[wasm_bindgen(js_name = hotTtl)]
    pub fn hot_ttl(&mut self, client: u32, key_at: usize, key_len: usize, now: f64) -> f64 {
        self.short(client, now, Plan::read(PlainRow::Ttl, key_len), |space, scratch, _| {
            let now = space.now();
            Ok(match space.time_to_live(at(scratch, key_at, key_len)) {
                TimeToLive::NoKey => -2.0,
                TimeToLive::Forever => -1.0,
                TimeToLive::Until(deadline) => deadline.ms_since(now).max(0) as f64,
            })
        })
    }

    /// The values of `count` keys. The scratch area holds a word for each key, then the bytes of those keys whose word is
    /// their length; the others are [`Known`] keys. Words that tell of the values take the places of those of the keys:
    /// all ones where there is none; what a known key's [`Known`] word becomes where its value is short; else a length, and
    /// these values stand joined at `output()`. Answers twice the length of all that is there, and 1 more when it is ASCII.
    #[wasm_bindgen(js_name = hotMget)]
    pub fn hot_mget(&mut self, client: u32, count: usize, now: f64) -> f64 {
        self.clear_output();
        let mut output = core::mem::take(&mut self.output);
        let len = |word| Known::of(word).map_or(word, |known| known.len() as u32);
        let bytes = joined_bytes(self.scratch.all(), count, len);
        let answered = self.short(client, now, Plan::read(PlainRow::MGet, bytes), |space, scratch, board| {
            let (words, rest) = scratch.split_at_mut_checked(count.saturating_mul(WORD)).unwrap_or_default();
            let (words, mut next) = (words.as_chunks_mut::<WORD>().0, 0);
            let places_at = words.len() * WORD;
            for place in words {
                let word = u32::from_le_bytes(*place);
                let known = Known::of(word);
                let (start, len) = match known {
                    Some(known) => (known.key_at().saturating_sub(places_at), known.len()),
                    None => (next, word as usize),
                };
                next += if known.is_some() { 0 } else { len };
                let key = at(rest, start, len);
                // A key of another type reads as missing.
                let value = space.get(key).unwrap_or_default();
                if known.is_some() && value.is_some() {
                    board.note(key);
                }
                let told = known
                    .zip(value)
                    .and_then(|(known, value)| Some(known.told(value, copy_behind(value, rest, start)?)));
                let answer = told.unwrap_or(value.map_or(NO_VALUE, |value| value.len() as u32));
                *place = answer.to_le_bytes();
                if let (None, Some(value)) = (told, value) {
                    make_room(&mut output, value.len())?;
                    crate::bytes::append(&mut output, value);
                }
            }
            Ok(output.len() as f64 * 2.0 + f64::from(u8::from(is_ascii(&output))))
        });
        if answered >= 0.0 {
            self.output = output;
        }
        answered
    }

    /// Sets keys to values: the length of each, by turns, then their bytes.
    #[wasm_bindgen(js_name = hotMset)]
    pub fn hot_mset(&mut self, client: u32, count: usize, now: f64) -> f64 {
        let bytes = joined_bytes(self.scratch.all(), count, |word| word);
        self.short(client, now, Plan::write(PlainRow::MSet, bytes, Changes::Anything), |space, scratch, _| {
            space.set_many(joined_pairs(scratch, count), None, Expiry::Never)?;
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
        now: f64,
        Plan { row, bytes, needs_time, changes }: Plan,
        operation: impl FnOnce(&mut Space<'_>, &mut [u8], &mut Board) -> Result<f64, Error>,
    ) -> f64 {
        let needs_time = needs_time || self.keylatch.is_timed();
        if needs_time && !self.time.tell(now) {
            return answer::TIME;
        }
        let Engine { keylatch, scratch, .. } = self;
        let scratch = scratch.all_mut();
        let cost = (bytes, needs_time);
        match keylatch.operate(ClientId(client), row, changes, cost, |space, board| operation(space, scratch, board)) {
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

    /// A write of the key changes its value at most.
    #[inline(always)]
    fn changes(&self, key_at: usize, key_len: usize) -> Changes {
        self.keylatch.changes_of(at(self.scratch.all(), key_at, key_len))
    }

    /// Whether the key is there, dead or alive: asked before anything is done.
    fn holds(&self, client: u32, key_at: usize, key_len: usize) -> bool {
        self.keylatch.holds(ClientId(client), at(self.scratch.all(), key_at, key_len))
    }
}

fn at(scratch: &[u8], start: usize, len: usize) -> &[u8] {
    scratch.get(start..).and_then(|rest| rest.get(..len)).unwrap_or_default()
}

/// What joined words take as arguments: their bytes, and a span for each.
#[inline(always)]
fn joined_bytes(scratch: &[u8], count: usize, len: impl Fn(u32) -> u32) -> usize {
    let words = scratch.get(..count.saturating_mul(WORD)).unwrap_or_default().as_chunks::<WORD>().0;
    let bytes: u64 = words.iter().map(|word| u64::from(len(u32::from_le_bytes(*word)))).sum();
    usize::try_from(bytes).unwrap_or(usize::MAX).saturating_add(words.len() * size_of::<Span>())
}

/// Pairs of words whose lengths stand in front of all of them.
fn joined_pairs(scratch: &[u8], count: usize) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
    let (lengths, mut rest) = scratch.split_at_checked(count.saturating_mul(WORD)).unwrap_or_default();
    let mut lengths = lengths.as_chunks::<{ 2 * WORD }>().0.iter();
    core::iter::from_fn(move || {
        let lengths = u64::from_le_bytes(*lengths.next()?);
        let (first, behind) = rest.split_at_checked(lengths as u32 as usize)?;
        let (second, behind) = behind.split_at_checked((lengths >> u32::BITS) as usize)?;
        rest = behind;
        Some((first, second))
    })
}

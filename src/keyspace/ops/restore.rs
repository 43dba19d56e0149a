//! Atomic replacement of the keyspace by the contents of a snapshot.

use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::keyspace::observers::effect::EffectWriter;
use crate::keyspace::ops::dump::payload_of;
use crate::keyspace::txn::Txn;
use crate::keyspace::{DATABASES, Db, Effects, Entry, Keyspace, NewValue, PastUse};
use crate::values::{Hash, Value, ValueRef, ZSet};

/// Bytes of an argument of an effect besides its own bytes.
const PART_BYTES: usize = 16;
/// Upper bound of memory per counted byte of a stream while its payload grows.
const PAYLOAD_FACTOR: usize = 3;
/// Maximum number of elements in one effect, equal to Redis' `AOF_REWRITE_ITEMS_PER_CMD`. Commands of the log stay
/// small for large values.
const ELEMENTS_PER_EFFECT: usize = 64;

impl Keyspace {
    /// Creates an empty keyspace for the keys of a snapshot, with the last-use counting of this one.
    pub fn for_snapshot(&self, seed: u64) -> Keyspace {
        Keyspace { uses: self.uses.clone(), last_token: self.last_token, ..Keyspace::new(seed) }
    }

    /// Adds a key of a snapshot, without event or effect. A past deadline is kept. Returns false if the key exists
    /// already.
    pub fn restore(
        &mut self,
        database: u8,
        key: &[u8],
        value: Value,
        deadline: Option<Timestamp>,
        past_use: Option<PastUse>,
    ) -> Result<bool, OutOfMemory> {
        let database = database.min(DATABASES - 1);
        self.use_up_to(database);
        let db = &mut self.databases[usize::from(database)];
        let lookup = db.probe(key);
        if !lookup.is_vacant() {
            return Ok(false);
        }
        let first_use = self.uses.first(db.len());
        let last_use = past_use.map_or(first_use, |past| self.uses.past(past));
        db.put(lookup, key, NewValue::Value(value), deadline, last_use)?;
        Ok(true)
    }

    /// Replaces databases and seed by those of another keyspace. Pending events and effects, watched keys and blocked
    /// clients stay.
    ///
    /// Watched and waited-for keys that existed before or exist now are notified. There are no events, as with
    /// FLUSHALL. The effect is one unit: FLUSHALL, and commands that create every key. On an error nothing has changed.
    pub fn replace_with(&mut self, other: Keyspace) -> Result<(), OutOfMemory> {
        let parts_of = |value: ValueRef<'_>| if let ValueRef::String(_) = value { 1 } else { 2 * value.size() };
        let parts = |db: &Db| db.entries().map(|entry| 3 + parts_of(entry.value)).sum::<usize>();
        if self.effects.are_built() {
            let parts = other.databases.iter().map(parts).sum::<usize>();
            let bytes = usize::try_from(other.dataset_bytes()).map_err(|_| OutOfMemory)?;
            self.effects.try_reserve(bytes.saturating_add(parts.saturating_mul(PART_BYTES)))?;
            // Payloads of streams are made one after another.
            let streams = other.databases.iter().flat_map(Db::entries).filter_map(|entry| match entry.value {
                ValueRef::Stream(stream) => usize::try_from(stream.counted_bytes()).ok(),
                _ => None,
            });
            ensure(streams.max().unwrap_or(0).saturating_mul(PAYLOAD_FACTOR))?;
        }
        self.interest.try_reserve()?;
        self.interest.reserve_headroom_to_mark_ready()?;
        for (database, (old, new)) in (0..DATABASES).zip(self.databases.iter().zip(other.databases.iter())) {
            let is_held = |key: &[u8]| old.find(key).is_some() || new.find(key).is_some();
            self.interest.mark_all_dirty(database, &is_held);
            self.interest.mark_all_ready(database, true, &is_held);
        }
        self.interest.tracking.flush();
        self.skip_tokens_to(other.last_token);
        let Keyspace { seed, databases, random, uses, unused_from, .. } = other;
        (self.seed, self.random, self.uses) = (seed, random, uses);
        let old = core::mem::replace(&mut self.databases, databases);
        self.databases.iter_mut().zip(*old).for_each(|(db, old)| db.keep_garbage(old));
        // Garbage of the old databases is freed in used databases only.
        self.unused_from = self.unused_from.max(unused_from);
        self.accept_memory();
        self.effects.changed();
        self.effects.state(0, |effect| {
            effect.bytes(b"FLUSHALL");
        });
        if self.effects.are_built() {
            for (database, db) in (0..DATABASES).zip(self.databases.iter()) {
                state_contents(database, db, &mut self.effects);
            }
        }
        self.effects.end_unit();
        Ok(())
    }
}

/// States commands that create the present value of a key, if no single command can. A previous value must be removed
/// by an earlier effect.
pub(in crate::keyspace) fn state_made(txn: &mut Txn<'_>, key: &[u8]) {
    let (database, db, effects) = txn.db_and_effects();
    if let Some(entry) = db.find(key).and_then(|handle| db.entry(handle)) {
        state_value(database, &entry, effects);
    }
}

fn state_contents(database: u8, db: &Db, effects: &mut Effects) {
    for entry in db.entries() {
        state_value(database, &entry, effects);
        if let Some(deadline) = entry.deadline {
            effects.state(database, |effect| {
                effect.bytes(b"PEXPIREAT").bytes(entry.key).integer(deadline.as_ms());
            });
        }
    }
}

fn state_value(database: u8, entry: &Entry<'_>, effects: &mut Effects) {
    let mut state = |command: &[u8], elements: &mut dyn Iterator<Item = &[u8]>, count: usize| {
        for _ in 0..count.div_ceil(ELEMENTS_PER_EFFECT) {
            effects.state(database, |effect| {
                write(effect, command, entry.key, &mut elements.take(ELEMENTS_PER_EFFECT));
            });
        }
    };
    match entry.value {
        ValueRef::String(bytes) => state(b"SET", &mut core::iter::once(bytes), 1),
        ValueRef::List(list) => state(b"RPUSH", &mut list.iter(), list.len()),
        ValueRef::Set(set) => state(b"SADD", &mut set.iter(), set.len()),
        ValueRef::ZSet(zset) => state_zset(database, entry.key, zset, effects),
        ValueRef::Hash(hash) => state_hash(database, entry.key, hash, effects),
        ValueRef::Stream(_) => state_payload(database, entry, effects),
    }
}

/// States the payload of a value, for a type that would need a command for each element.
fn state_payload(database: u8, entry: &Entry<'_>, effects: &mut Effects) {
    // Memory for it was checked with that of the effects.
    let Ok(payload) = payload_of(entry.value) else { return };
    effects.state(database, |effect| {
        effect.bytes(b"RESTORE").bytes(entry.key).integer(0).bytes(&payload);
    });
}

/// States all fields with their values, then the deadline of each dated field.
fn state_hash(database: u8, key: &[u8], hash: &Hash, effects: &mut Effects) {
    let mut fields = hash.iter();
    for _ in 0..(hash.len() * 2).div_ceil(ELEMENTS_PER_EFFECT) {
        let part = fields.by_ref().take(ELEMENTS_PER_EFFECT / 2);
        effects.state(database, |effect| {
            effect.bytes(b"HSET").bytes(key);
            part.for_each(|field| {
                effect.bytes(&field.name).bytes(&field.value);
            });
        });
    }
    for field in hash.iter() {
        if let Some(deadline) = field.deadline {
            effects.state(database, |effect| {
                effect.bytes(b"HPEXPIREAT").bytes(key).integer(deadline.as_ms());
                effect.bytes(b"FIELDS").integer(1).bytes(&field.name);
            });
        }
    }
}

fn state_zset(database: u8, key: &[u8], zset: &ZSet, effects: &mut Effects) {
    let mut pairs = zset.iter();
    for _ in 0..zset.len().div_ceil(ELEMENTS_PER_EFFECT) {
        let part = pairs.by_ref().take(ELEMENTS_PER_EFFECT);
        effects.state(database, |effect| {
            effect.bytes(b"ZADD").bytes(key);
            part.for_each(|(member, score)| {
                effect.double(score).bytes(member);
            });
        });
    }
}

fn write(effect: &mut EffectWriter<'_>, command: &[u8], key: &[u8], arguments: &mut dyn Iterator<Item = &[u8]>) {
    effect.bytes(command).bytes(key);
    arguments.for_each(|argument| {
        effect.bytes(argument);
    });
}

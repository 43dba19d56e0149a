//! Acquisition of latches: whether a request is granted, and the grant.

use alloc::vec::Vec;

use super::lease::{Lease, latch_at, later_deadline, lease_of, state, write};
use crate::base::argv::ArgvRef;
use crate::base::headroom::ensure;
use crate::keyspace::txn::{Access, Txn, next_token, use_token};
use crate::keyspace::{Error, EventKind, Lookup, NewValue, Queue, QueuePosition, Waiter};
use crate::values::{Hash, Holder, Mode, NewDeadline, Value};

/// Upper bound in bytes of what a grant keeps besides its key and owner: blocks, a table of the index, nodes.
const GRANT_BYTES: usize = 512;
/// Copies of a key and an owner that a grant keeps, at most.
const GRANT_COPIES: usize = 4;
/// Bytes for the growth of tables during a grant of several keys.
const GROWTH_BYTES: usize = 128 * 1024;

/// Strength in which an owner wants a latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demand {
    pub mode: Mode,
    pub permits: i64,
    /// Limit of the permits of all holders.
    pub limit: i64,
}

impl Demand {
    /// Demand for the names above one that is demanded like this.
    fn intent(self) -> Demand {
        let mode = if self.mode == Mode::Shared { Mode::IntentShared } else { Mode::IntentExclusive };
        Demand { mode, permits: 1, limit: 1 }
    }

    fn is_intent(self) -> bool {
        matches!(self.mode, Mode::IntentExclusive | Mode::IntentShared)
    }

    /// Demand of an owner that keeps what it holds.
    fn beside(self, held: &Holder) -> Demand {
        let mode = held.mode.joined(self.mode);
        Demand { mode, permits: if mode == Mode::Permits { self.permits } else { 1 }, ..self }
    }

    /// Whether a holder admits another one with this demand. Permits are summed up by the caller.
    fn fits(self, held: Mode) -> bool {
        self.mode.admits(held)
    }
}

/// Acquisition of one or several latches, all or none.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub key: &'a [u8],
    /// Further keys that are wanted like the first.
    pub also: ArgvRef<'a>,
    /// Names above the keys, held as an intention.
    pub intent: ArgvRef<'a>,
    pub owner: &'a [u8],
    pub demand: Demand,
    pub ttl_ms: i64,
    pub delay_ms: i64,
    pub depth: i64,
    pub steal: bool,
}

impl<'a> Request<'a> {
    pub fn key_count(&self) -> usize {
        1 + self.also.len() + self.intent.len()
    }

    /// Key at an index below [`Request::key_count`] with the demand for it; the first key has index 0.
    pub fn key_at(&self, index: usize) -> (&'a [u8], Demand) {
        let above = index.wrapping_sub(1 + self.also.len());
        match self.intent.get(above) {
            Some(key) => (key, self.demand.intent()),
            None => (self.also.get(index.wrapping_sub(1)).unwrap_or(self.key), self.demand),
        }
    }

    /// Length of all keys and of an owner for each.
    pub fn bytes_len(&self) -> usize {
        (0..self.key_count()).map(|index| self.key_at(index).0.len() + self.owner.len()).sum()
    }
}

/// Outlook of a request at one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outlook {
    /// The owner holds the latch in a mode that suffices.
    Held,
    Free,
    /// The request must wait. Upgrades wait ahead of the line.
    Taken(Queue),
}

/// Holders that a request finds at one key.
#[derive(Clone, Copy, Debug)]
struct Found {
    lookup: Lookup,
    /// Live lease of the owner.
    own: Option<Lease>,
    /// Whether the other holders are removed by the grant.
    is_stolen: bool,
    outlook: Outlook,
}

/// Grants a request if all its keys are free, and returns the token. `None`: nothing has changed, and the client at
/// `position` of the queue, or a newcomer, has to wait. A repeated request has the token of the first one.
pub fn acquire(
    txn: &mut Txn<'_>,
    request: &Request<'_>,
    position: Option<QueuePosition>,
) -> Result<Option<u64>, Error> {
    let first = find(txn, request, (request.key, request.demand), position)?;
    let mut is_held = first.outlook == Outlook::Held;
    let mut is_taken = matches!(first.outlook, Outlook::Taken(_));
    for index in 1..request.key_count() {
        let outlook = find(txn, request, request.key_at(index), position)?.outlook;
        is_held &= outlook == Outlook::Held;
        is_taken |= matches!(outlook, Outlook::Taken(_));
    }
    if is_taken {
        return Ok(None);
    }
    let token = match first.own {
        Some(lease) if is_held => lease.holder.token,
        _ => next_token(txn)?,
    };
    if request.key_count() == 1 {
        grant(txn, request, (request.key, request.demand), first, token)?;
    } else {
        ensure_grants(request)?;
        for index in 0..request.key_count() {
            let key = request.key_at(index);
            let found = find(txn, request, key, position)?;
            // Keys that are held keep their tokens, unless the request as a whole is new.
            let token = found.own.filter(|_| is_held).map_or(token, |lease| lease.holder.token);
            grant(txn, request, key, found, token)?;
        }
    }
    if !is_held {
        use_token(txn, token);
    }
    Ok(Some(token))
}

/// Queue in which a request has to wait at a key; `None` if the owner holds the key as wanted.
pub fn queue_of(
    txn: &mut Txn<'_>,
    request: &Request<'_>,
    key: (&[u8], Demand),
    position: Option<QueuePosition>,
) -> Result<Option<Queue>, Error> {
    Ok(match find(txn, request, key, position)?.outlook {
        Outlook::Held => None,
        Outlook::Free => Some(Queue::Line),
        Outlook::Taken(queue) => Some(queue),
    })
}

fn find(
    txn: &mut Txn<'_>,
    request: &Request<'_>,
    (key, demand): (&[u8], Demand),
    position: Option<QueuePosition>,
) -> Result<Found, Error> {
    let (lookup, now) = (txn.entry(key, Access::Write), txn.now());
    let Some(hash) = latch_at(txn, lookup)? else {
        let is_taken = !request.steal && txn.waiters().is_behind(txn.database(), key, position);
        let outlook = if is_taken { Outlook::Taken(Queue::Line) } else { Outlook::Free };
        return Ok(Found { lookup, own: None, is_stolen: false, outlook });
    };
    let own = hash.find(request.owner).map(|field| lease_of(&field)).transpose()?;
    let live = own.filter(|lease| lease.is_live(now));
    let has_others = hash.len() > usize::from(live.is_some());
    let is_admitted = match live {
        Some(lease) => admits(hash, request.owner, demand.beside(&lease.holder))?,
        None => own.is_none() && admits(hash, request.owner, demand)?,
    };
    // Names above a stolen latch are stolen only from holders that exclude the intention.
    let is_stolen = request.steal && has_others && !(demand.is_intent() && is_admitted);
    let outlook = match live {
        Some(lease) if lease.holder.covers(demand.mode, demand.permits) && !is_stolen => Outlook::Held,
        Some(_) if !is_admitted && !request.steal => Outlook::Taken(Queue::Upgrade),
        None if !request.steal && (!is_admitted || txn.waiters().is_behind(txn.database(), key, position)) => {
            Outlook::Taken(Queue::Line)
        }
        _ => Outlook::Free,
    };
    Ok(Found { lookup, own: live, is_stolen, outlook })
}

/// Whether all holders but the owner admit one more with this demand. Ends at the first holder that decides.
fn admits(hash: &Hash, owner: &[u8], demand: Demand) -> Result<bool, Error> {
    let mut permits = demand.permits;
    for field in hash.iter().filter(|field| *field.name != *owner) {
        let held = lease_of(&field)?.holder;
        if !demand.fits(held.mode) {
            return Ok(false);
        }
        if demand.mode == Mode::Permits {
            permits = permits.saturating_add(held.permits);
        } else if demand.mode == Mode::IntentShared || demand.mode == held.mode {
            return Ok(true);
        }
    }
    Ok(demand.mode != Mode::Permits || permits <= demand.limit)
}

/// Checks that there is memory for all grants of a request, so that none fails after another was made.
fn ensure_grants(request: &Request<'_>) -> Result<(), Error> {
    let copies = GRANT_COPIES * request.bytes_len() + GRANT_BYTES * request.key_count();
    Ok(ensure(copies + GROWTH_BYTES)?)
}

/// Makes the owner a holder, or renews its lease.
fn grant(
    txn: &mut Txn<'_>,
    request: &Request<'_>,
    (key, demand): (&[u8], Demand),
    found: Found,
    token: u64,
) -> Result<(), Error> {
    let own = found.own.filter(|_| !found.is_stolen);
    let demand = own.map_or(demand, |lease| demand.beside(&lease.holder));
    let (depth, delay_ms) = own.map_or((1, 0), |lease| (lease.holder.depth, lease.holder.delay_ms));
    let holder = Holder {
        mode: demand.mode,
        permits: demand.permits,
        depth: request.depth.max(depth),
        delay_ms: request.delay_ms.max(delay_ms),
        token,
    };
    let lease = Lease { holder, deadline: later_deadline(own, &holder, txn.now(), request.ttl_ms) };
    txn.facts().set_limit(Some(demand.limit));
    let granted = match found.lookup.is_vacant() || found.is_stolen {
        true => make(txn, key, request.owner, found.lookup, lease),
        false => write(txn, key, request.owner, own, lease),
    };
    txn.facts().set_limit(None);
    granted
}

/// Creates the hash with its first holder. One that exists is deleted first.
fn make(txn: &mut Txn<'_>, key: &[u8], owner: &[u8], lookup: Lookup, lease: Lease) -> Result<(), Error> {
    let (mut hash, text) = (Hash::new(txn.seed()), lease.holder.text());
    let deadline = lease.deadline.map_or(NewDeadline::None, NewDeadline::At);
    hash.set(owner, &text, deadline, txn.limits().hash)?;
    let event = if lookup.is_vacant() { EventKind::HSet } else { EventKind::Del };
    txn.put(lookup, key, NewValue::Value(Value::Hash(hash)), None, event)?;
    if !lookup.is_vacant() {
        txn.push_event(EventKind::HSet, key);
        txn.effect(|effect| {
            effect.bytes(b"DEL").bytes(key);
        });
    }
    txn.push_event(EventKind::HExpire, key);
    state(txn, (key, owner), &text, lease.deadline, false);
    Ok(())
}

/// Owner that holds a latch and waits for more of it.
struct Upgrade {
    held: Holder,
    demand: Demand,
    is_own: bool,
}

/// Whether a request would wait for another upgrade that waits for it in turn, also through others.
pub fn has_deadlock(txn: &mut Txn<'_>, request: &Request<'_>) -> Result<bool, Error> {
    for index in 0..request.key_count() {
        let key = request.key_at(index);
        let found = find(txn, request, key, None)?;
        if let (Some(own), Outlook::Taken(_)) = (found.own, found.outlook)
            && is_circular(&mut waiting_upgrades(txn, (key.0, request.owner), found.lookup, (key.1, own.holder))?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Upgrades at a key: that of the owner, and those of others that wait. A request of the owner that waits already is the
/// one that is sent again.
fn waiting_upgrades(
    txn: &Txn<'_>,
    (key, owner): (&[u8], &[u8]),
    lookup: Lookup,
    (demand, held): (Demand, Holder),
) -> Result<Vec<Upgrade>, Error> {
    let mut upgrades = alloc::vec![Upgrade { held, demand: demand.beside(&held), is_own: true }];
    let Some(hash) = latch_at(txn, lookup)? else { return Ok(upgrades) };
    let mut last = QueuePosition(0);
    while let Some((position, waiter)) = txn.waiters().after(txn.database(), key, Queue::Upgrade, last) {
        last = position;
        if *waiter.owner == *owner {
            continue;
        }
        let Some(field) = hash.find(&waiter.owner) else { continue };
        let lease = lease_of(&field)?;
        // An upgrade of which the own lease has ended is an ordinary wait.
        if !lease.is_live(txn.now()) {
            continue;
        }
        let held = lease.holder;
        let Waiter { mode, permits, limit, .. } = *waiter;
        upgrades.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        upgrades.push(Upgrade { held, demand: Demand { mode, permits, limit }.beside(&held), is_own: false });
    }
    Ok(upgrades)
}

/// Whether the own upgrade never succeeds if all holders but the upgrading ones leave, as in the banker's algorithm:
/// each upgrade that the others admit is granted and leaves in turn.
fn is_circular(upgrades: &mut Vec<Upgrade>) -> bool {
    let can_go = |upgrades: &[Upgrade], index: usize| {
        let demand = upgrades[index].demand;
        let others = || upgrades.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other.held);
        let permits = others().fold(demand.permits, |sum, held| sum.saturating_add(held.permits));
        others().all(|held| demand.fits(held.mode)) && (demand.mode != Mode::Permits || permits <= demand.limit)
    };
    while let Some(index) = (0..upgrades.len()).find(|&index| can_go(upgrades, index)) {
        if upgrades.swap_remove(index).is_own {
            return false;
        }
    }
    true
}

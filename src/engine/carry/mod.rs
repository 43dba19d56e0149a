//! Clients that outlive the engine, each as a list of words: if connections stay while the engine is freed, the host exports
//! their clients, and the next engine adopts them. Blocked clients are adopted in the order of their queue positions.
//!
//! An open transaction, watched keys and tracked keys are left out, which the client notices: EXEC is aborted or null, and all
//! copies are invalidated.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::blocked_clients::BlockedCommand;
use super::host_store::HostServer;
use super::migrate::{CLIENT_WORDS, push_client, push_number};
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::base::headroom::{CLIENT_BYTES, OutOfMemory, ensure, ensure_reserve};
use crate::base::number::parse_integer;
use crate::commands::{BlockOn, Blocking, resolve};
use crate::keyspace::{QueuePosition, TrackedReads, Tracker, TrackingOptions};
use crate::server::clients::{Client, ClientId, ReplyMode, Transaction};
use crate::server::pubsub::Channels;

/// Number of copies of a client's words while it is exported or adopted, those of a blocked command among them.
const COPIES: usize = 8;

const IN_TRANSACTION: i64 = 1;
const WATCHES: i64 = 2;
const IS_MONITOR: i64 = 4;
const REPLIES_OFF: i64 = 8;
const TRACKS: i64 = 16;
const BROADCAST: i64 = 32;
const NOLOOP: i64 = 64;
const OPT_IN: i64 = 128;
const OPT_OUT: i64 = 256;

impl HostServer<'_> {
    /// Exports the words for [`HostServer::adopt`]; `None` for a client that is gone or about to be closed.
    ///
    /// # Errors
    /// A shortage of memory.
    pub fn carried(&self, id: ClientId) -> Result<Option<Argv>, OutOfMemory> {
        let Some(client) = self.0.clients.get(id).filter(|client| !client.closing) else { return Ok(None) };
        let tracker = self.0.keyspace.interest.tracking.tracker(id);
        let blocked = client.blocked.and_then(|position| Some((position.0, self.0.blocked.get(position)?)));
        let names = [&client.channels, &client.patterns, &client.shard_channels];
        let prefixes = tracker.map_or(&[][..], |tracker| &tracker.prefixes);
        let lists = names.iter().map(|names| bytes_of(names)).chain([bytes_of(prefixes)]).sum::<usize>();
        let command = blocked.map_or(0, |(_, blocked)| blocked.argv.as_ref().copy_len());
        ensure((lists + command).saturating_mul(COPIES)).and_then(|()| ensure_reserve())?;
        let mut words = Argv::default();
        push_client(&mut words, client);
        push_number(&mut words, self.state_of(client, tracker));
        push_number(&mut words, tracker.and_then(|tracker| tracker.redirect).map_or(0, |other| other.0.into()));
        push_number(&mut words, blocked.map_or(0, |(position, _)| position as i64));
        push_number(&mut words, blocked.map_or(0, |(_, blocked)| blocked.since.as_ms()));
        let until = blocked.and_then(|(_, blocked)| blocked.block_on.until);
        push_number(&mut words, until.unwrap_or(Timestamp::MAX).as_ms());
        for names in names.into_iter().map(Vec::as_slice).chain([prefixes]) {
            push_number(&mut words, names.len() as i64);
            names.iter().for_each(|name| words.push(name));
        }
        blocked.iter().flat_map(|(_, blocked)| blocked.argv.as_ref().iter()).for_each(|word| words.push(word));
        Ok(Some(words))
    }

    fn state_of(&self, client: &Client, tracker: Option<&Tracker>) -> i64 {
        let interest = &self.0.keyspace.interest;
        let flag = |is_set: bool, flag: i64| if is_set { flag } else { 0 };
        let watches = !interest.watched_by(client.id).is_empty() || interest.is_disturbed(client.id);
        let tracks = tracker.map_or(0, |tracker| {
            TRACKS
                | flag(tracker.broadcast, BROADCAST)
                | flag(tracker.noloop, NOLOOP)
                | flag(tracker.reads == TrackedReads::OptIn, OPT_IN)
                | flag(tracker.reads == TrackedReads::OptOut, OPT_OUT)
        });
        tracks
            | flag(client.in_transaction(), IN_TRANSACTION)
            | flag(watches, WATCHES)
            | flag(client.is_monitor, IS_MONITOR)
            | flag(client.reply_mode == ReplyMode::Off, REPLIES_OFF)
    }

    /// Adds a client that another engine exported, with its id. A blocked command runs again: it may be served at once, or has
    /// timed out. Returns `None` for malformed words.
    ///
    /// # Errors
    /// A shortage of memory. The client is not added.
    pub fn adopt(&mut self, words: ArgvRef<'_>) -> Result<Option<ClientId>, OutOfMemory> {
        let tables = self.0.clients.len().saturating_add(1).saturating_mul(CLIENT_BYTES);
        ensure(words.copy_len().saturating_mul(COPIES).saturating_add(tables)).and_then(|()| ensure_reserve())?;
        let words: Vec<&[u8]> = words.iter().collect();
        let Some((head, rest)) = words.split_first_chunk::<CLIENT_WORDS>() else { return Ok(None) };
        let mut rest = Words(rest);
        self.0.mark_stale();
        let id = self.0.import_client(head);
        let state = rest.number();
        let redirect = rest.number();
        let (position, since, until) = (rest.number(), rest.number(), rest.number());
        self.adopt_state(id, state);
        for channels in [Channels::Plain, Channels::Pattern, Channels::Shard] {
            for name in rest.list() {
                if let Some(client) = self.0.clients.get_mut(id) {
                    self.0.server.pubsub.subscribe(channels, name, client);
                }
            }
        }
        self.adopt_tracking(id, state, redirect, rest.list().to_vec());
        if position != 0 {
            let until = Some(Timestamp::from_ms(until)).filter(|until| *until != Timestamp::MAX);
            self.adopt_blocked(id, &Argv::from_slices(rest.0), Timestamp::from_ms(since), until);
        }
        Ok(Some(id))
    }

    fn adopt_state(&mut self, id: ClientId, state: i64) {
        self.0.clients.set_monitor(id, state & IS_MONITOR != 0);
        if state & WATCHES != 0 {
            self.0.keyspace.interest.disturb(id);
        }
        let Some(client) = self.0.clients.get_mut(id) else { return };
        if state & REPLIES_OFF != 0 {
            client.reply_mode = ReplyMode::Off;
        }
        if state & IN_TRANSACTION != 0 {
            client.transaction = Some(Transaction { queue: Vec::new(), aborted: true });
        }
    }

    fn adopt_tracking(&mut self, id: ClientId, state: i64, redirect: i64, prefixes: Vec<&[u8]>) {
        if state & TRACKS == 0 {
            return;
        }
        let reads = match (state & OPT_IN != 0, state & OPT_OUT != 0) {
            (true, _) => TrackedReads::OptIn,
            (_, true) => TrackedReads::OptOut,
            _ => TrackedReads::All,
        };
        let redirect = (redirect != 0).then_some(ClientId(redirect as u32));
        let (broadcast, noloop) = (state & BROADCAST != 0, state & NOLOOP != 0);
        let tracking = &mut self.0.keyspace.interest.tracking;
        tracking.start(id, &TrackingOptions { redirect, broadcast, reads, noloop, prefixes });
        tracking.invalidate_all_of(id);
    }

    fn adopt_blocked(&mut self, client: ClientId, argv: &Argv, since: Timestamp, until: Option<Timestamp>) {
        let Ok((command, _)) = resolve(&self.0.table, argv.as_ref()) else { return };
        let block_on = BlockOn::timeout(until);
        let argv = argv.clone();
        self.resume(BlockedCommand { client, command, argv, block_on, since, paused: false });
    }

    /// Blocks a client at the end of the queue, and runs its command again: what it waits for may be there, or its timeout may
    /// have passed.
    fn resume(&mut self, blocked: BlockedCommand) {
        let is_over = blocked.block_on.until.is_some_and(|until| until < self.0.now);
        self.0.enqueue(blocked);
        let position = QueuePosition(self.0.blocked.last_position);
        self.0.run_blocked(position, if is_over { Blocking::TimedOut } else { Blocking::Allowed });
    }
}

fn bytes_of(names: &[Box<[u8]>]) -> usize {
    names.iter().map(|name| size_of::<Box<[u8]>>() + name.len()).sum()
}

/// Words that were not read yet.
struct Words<'a>(&'a [&'a [u8]]);

impl<'a> Words<'a> {
    /// Reads a number; 0 for a malformed one.
    fn number(&mut self) -> i64 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        parse_integer(first).unwrap_or_default()
    }

    /// Reads a count and as many words.
    fn list(&mut self) -> &'a [&'a [u8]] {
        let count = usize::try_from(self.number()).unwrap_or_default().min(self.0.len());
        let (list, rest) = self.0.split_at(count);
        self.0 = rest;
        list
    }
}

#[cfg(test)]
mod tests;

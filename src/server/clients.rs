//! Clients: who is connected, which database and protocol each uses, what it has queued. Data only; commands act on it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure_reserve_unspent, make_room};
pub use crate::keyspace::ClientId;
use crate::keyspace::QueuePosition;
use crate::resp::encode::{Protocol, Writer};
use crate::store::sorted_vec::SortedVecMap;

/// A command waiting for EXEC: its number in the table, and its arguments.
#[derive(Clone, Debug)]
pub struct Queued {
    pub command: u16,
    pub argv: Argv,
}

/// What MULTI opened.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    pub queue: Vec<Queued>,
    /// A command was refused while queueing: EXEC will discard all of them.
    pub aborted: bool,
}

/// Which replies a client wants (CLIENT REPLY).
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

#[derive(Clone, Debug)]
pub struct Client {
    pub id: ClientId,
    pub name: Box<[u8]>,
    /// Library and version as CLIENT SETINFO told.
    pub library_name: Box<[u8]>,
    pub library_version: Box<[u8]>,
    /// Where the client is connected from and to; empty inside a process.
    pub address: String,
    pub local_address: String,
    pub connected_at: Timestamp,
    pub(crate) last_command_at: Timestamp,
    pub(crate) last_command: &'static str,
    pub authenticated: bool,
    pub reply_mode: ReplyMode,
    /// Sees every command (MONITOR); changed by [`Clients::set_monitor`].
    pub is_monitor: bool,
    pub no_evict: bool,
    pub no_touch: bool,
    /// The host should close the connection once what is written has left.
    pub closing: bool,
    pub database: u8,
    pub protocol: Protocol,
    pub transaction: Option<Transaction>,
    /// What the client is subscribed to.
    pub channels: Vec<Box<[u8]>>,
    pub patterns: Vec<Box<[u8]>>,
    pub shard_channels: Vec<Box<[u8]>>,
    /// The command that waits for a key or for time, and what the client sent behind it.
    pub blocked: Option<QueuePosition>,
    pub waiting: VecDeque<Argv>,
    /// Pushes and late replies, whole messages in order, until the host takes them.
    pub outbox: Vec<u8>,
    /// For a host that hands on messages and events in one order: how many events came before each message of the
    /// outbox.
    pub positions: Option<Vec<u32>>,
    /// Its link in each queue.
    links: [QueueLink; QUEUES],
}

/// Queues of clients in order of arrival. A client is in a queue at most once, and its link is part of the client: to enqueue
/// one never needs memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientQueue {
    /// Clients that the host should look after: a message in the outbox, a command unblocked, or a connection to close.
    Affected,
    /// Clients that are no longer blocked, and may have sent requests behind the blocked one.
    Freed,
}

const QUEUES: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct QueueLink {
    is_taken: bool,
    behind: Option<ClientId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    first: Option<ClientId>,
    last: Option<ClientId>,
}

impl Client {
    fn new(id: ClientId) -> Client {
        Client {
            id,
            name: Box::default(),
            library_name: Box::default(),
            library_version: Box::default(),
            address: String::new(),
            local_address: String::new(),
            connected_at: Timestamp::default(),
            last_command_at: Timestamp::default(),
            last_command: "NULL",
            authenticated: true,
            reply_mode: ReplyMode::default(),
            is_monitor: false,
            no_evict: false,
            no_touch: false,
            closing: false,
            database: 0,
            protocol: Protocol::default(),
            transaction: None,
            channels: Vec::new(),
            patterns: Vec::new(),
            shard_channels: Vec::new(),
            blocked: None,
            waiting: VecDeque::new(),
            outbox: Vec::new(),
            positions: None,
            links: Default::default(),
        }
    }

    /// Appends messages to the outbox, whole or not at all.
    fn append(&mut self, events_before: u32, write: impl FnOnce(&mut Writer)) -> Result<(), OutOfMemory> {
        ensure_reserve_unspent()?;
        let start = self.outbox.len();
        let mut messages = Writer::appending_to(core::mem::take(&mut self.outbox), self.protocol);
        write(&mut messages);
        let written = messages.check();
        self.outbox = messages.into_bytes();
        let noted = self.positions.as_mut().map_or(Ok(()), |positions| make_room(positions, 1));
        if let Err(error) = written.and(noted) {
            self.outbox.truncate(start);
            return Err(error);
        }
        if let Some(positions) = &mut self.positions {
            positions.push(events_before);
        }
        Ok(())
    }

    /// Appends what was written elsewhere to the outbox.
    pub fn append_bytes(&mut self, messages: Vec<u8>) -> Result<(), OutOfMemory> {
        if self.outbox.is_empty() {
            self.outbox = messages;
            return Ok(());
        }
        make_room(&mut self.outbox, messages.len())?;
        self.outbox.extend_from_slice(&messages);
        Ok(())
    }

    /// A command of this client waits; what it sends now is answered behind that.
    pub fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Gets messages; over RESP2 it can then do little else.
    pub fn is_subscribed(&self) -> bool {
        !(self.channels.is_empty() && self.patterns.is_empty() && self.shard_channels.is_empty())
    }

    /// Between MULTI and EXEC.
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }
}

/// So many ids are a small piece of memory, which is always there.
const UNASKED_MAX: usize = 512;

/// The table of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    clients: SortedVecMap<ClientId, Box<Client>>,
    /// Where the client was that was asked for last: most often the same one is meant again.
    recent: usize,
    last_id: u32,
    queues: [Ends; QUEUES],
    /// How many clients are monitors.
    monitors: usize,
    /// How many events wait for the host, as far as it matters for the messages posted now.
    pub events_before: u32,
}

impl Clients {
    pub fn connect(&mut self) -> ClientId {
        self.last_id += 1;
        let id = ClientId(self.last_id);
        self.clients.insert(id, Box::new(Client::new(id)));
        id
    }

    /// The engine's own client, that no connection is: it takes no number, so the next client gets the same number
    /// whether something was loaded or not.
    pub fn connect_private(&mut self) -> ClientId {
        let id = ClientId(0);
        self.clients.insert(id, Box::new(Client::new(id)));
        id
    }

    /// The number of the client that came last.
    pub fn last_id(&self) -> u32 {
        self.last_id
    }

    /// Clients that come from now on have larger numbers.
    pub fn skip_to(&mut self, last_id: u32) {
        self.last_id = self.last_id.max(last_id);
    }

    /// A client that has a number already.
    pub fn adopt(&mut self, id: ClientId) -> &mut Client {
        self.skip_to(id.0);
        self.clients.get_or_insert_with(id, || Box::new(Client::new(id)))
    }

    pub fn disconnect(&mut self, id: ClientId) -> Option<Box<Client>> {
        self.dequeue(ClientQueue::Affected, id);
        self.dequeue(ClientQueue::Freed, id);
        self.set_monitor(id, false);
        self.clients.remove(id)
    }

    /// Makes a client a monitor, or no monitor any more.
    pub fn set_monitor(&mut self, id: ClientId, is_monitor: bool) {
        let Some(client) = self.get_mut(id) else { return };
        let was_monitor = core::mem::replace(&mut client.is_monitor, is_monitor);
        self.monitors = self.monitors + usize::from(is_monitor) - usize::from(was_monitor);
    }

    /// Whether some client is a monitor.
    pub fn has_monitors(&self) -> bool {
        self.monitors > 0
    }

    /// Appends messages to what waits for a client; false when it is gone. One that there is no memory for misses them, and
    /// must not go on as if there had been none: it is closed.
    pub fn post(&mut self, id: ClientId, write: impl FnOnce(&mut Writer)) -> bool {
        let events_before = self.events_before;
        let Some(client) = self.get_mut(id) else { return false };
        if client.append(events_before, write).is_ok() {
            self.note(id);
        } else {
            self.close(id);
        }
        true
    }

    /// Has a connection closed once what is written has left.
    pub fn close(&mut self, id: ClientId) {
        if let Some(client) = self.get_mut(id) {
            client.closing = true;
            self.note(id);
        }
    }

    /// Something could not be told, and may have concerned anybody who is subscribed.
    pub fn close_subscribers(&mut self) {
        let mut next = self.clients.iter().next().map(|(id, _)| id);
        while let Some(id) = next {
            if self.get(id).is_some_and(Client::is_subscribed) {
                self.close(id);
            }
            next = self.clients.iter_behind(id).next().map(|(id, _)| id);
        }
    }

    /// The host should look after this client, though it may not be the one it serves now.
    pub fn note(&mut self, id: ClientId) {
        self.enqueue(ClientQueue::Affected, id);
    }

    /// Clients noted since the last call, each once; without the memory for all of them the first, and the rest at the
    /// next call.
    pub fn take_affected(&mut self) -> Vec<ClientId> {
        let mut affected = Vec::new();
        while let Some(id) = self.first_queued(ClientQueue::Affected) {
            if affected.len() >= UNASKED_MAX && make_room(&mut affected, 1).is_err() {
                break;
            }
            affected.push(id);
            self.dequeue(ClientQueue::Affected, id);
        }
        affected
    }

    /// Puts a client at the end of a queue, unless it is in it already.
    pub fn enqueue(&mut self, queue: ClientQueue, id: ClientId) {
        let Some(link) = self.link(queue, id).filter(|link| !link.is_taken) else { return };
        *link = QueueLink { is_taken: true, behind: None };
        match self.queues[queue as usize].last.replace(id) {
            Some(last) => self.link(queue, last).into_iter().for_each(|link| link.behind = Some(id)),
            None => self.queues[queue as usize].first = Some(id),
        }
    }

    pub fn first_queued(&self, queue: ClientQueue) -> Option<ClientId> {
        self.queues[queue as usize].first
    }

    /// Takes a client out of a queue; in constant time if it is the first.
    pub fn dequeue(&mut self, queue: ClientQueue, id: ClientId) {
        let Some(left) = self.link(queue, id).filter(|link| link.is_taken).map(core::mem::take) else { return };
        let ends = self.queues[queue as usize];
        let (mut before, mut at) = (None, ends.first);
        while let Some(other) = at.filter(|other| *other != id) {
            (before, at) = (at, self.link(queue, other).and_then(|link| link.behind));
        }
        match before.and_then(|before| self.link(queue, before)) {
            Some(link) => link.behind = left.behind,
            None => self.queues[queue as usize].first = left.behind,
        }
        if ends.last == Some(id) {
            self.queues[queue as usize].last = before;
        }
    }

    fn link(&mut self, queue: ClientQueue, id: ClientId) -> Option<&mut QueueLink> {
        self.get_mut(id).map(|client| &mut client.links[queue as usize])
    }

    #[inline(always)]
    pub fn get(&self, id: ClientId) -> Option<&Client> {
        self.clients.get_near(id, self.recent).map(|client| &**client)
    }

    #[inline(always)]
    pub fn get_mut(&mut self, id: ClientId) -> Option<&mut Client> {
        self.clients.get_mut_near(id, &mut self.recent).map(|client| &mut **client)
    }

    /// The first monitor whose id is larger.
    pub fn monitor_behind(&self, id: ClientId) -> Option<ClientId> {
        self.clients.iter_behind(id).find(|(_, client)| client.is_monitor).map(|(id, _)| id)
    }

    /// In the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().map(|(_, client)| &**client)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Client> {
        self.clients.values_mut().map(|client| &mut **client)
    }

    pub fn len(&self) -> usize {
        self.clients.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_affected_is_told_once_and_only_while_connected() {
        let mut clients = Clients::default();
        let (first, second, third) = (clients.connect(), clients.connect(), clients.connect());
        assert!(clients.post(second, |messages| messages.ok()) && clients.post(second, |messages| messages.ok()));
        clients.close(first);
        clients.note(third);
        clients.disconnect(third);
        assert_eq!(clients.take_affected(), [second, first]);
        assert_eq!(clients.get(second).unwrap().outbox, b"+OK\r\n+OK\r\n");
        assert!(clients.take_affected().is_empty() && !clients.post(third, |messages| messages.ok()));
        clients.note(first);
        assert_eq!(clients.take_affected(), [first]);
    }
}

//! Connected clients: database, protocol, transaction, subscriptions and outbox of each. Data only; commands act on it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::base::headroom::{OutOfMemory, ensure_reserve_unspent, try_reserve};
pub use crate::keyspace::ClientId;
use crate::keyspace::QueuePosition;
use crate::resp::encode::{Protocol, Writer};
pub use crate::server::reply_mode::ReplyMode;
use crate::store::sorted_vec::SortedVecMap;

/// Command queued for EXEC: row number and arguments.
#[derive(Clone, Debug)]
pub struct Queued {
    pub command: u16,
    pub argv: Argv,
}

/// Open transaction between MULTI and EXEC.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    pub queue: Vec<Queued>,
    /// Whether a command was refused while queueing. EXEC then discards the transaction.
    pub aborted: bool,
}

/// Connected client.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: ClientId,
    pub name: Box<[u8]>,
    /// Library name and version set by CLIENT SETINFO.
    pub library_name: Box<[u8]>,
    pub library_version: Box<[u8]>,
    /// Remote and local address; empty for a client inside the process.
    pub address: String,
    pub local_address: String,
    pub connected_at: Timestamp,
    pub(crate) last_command_at: Timestamp,
    pub(crate) last_command: &'static str,
    pub authenticated: bool,
    pub reply_mode: ReplyMode,
    /// Whether the client receives every command (MONITOR); set by [`Clients::set_monitor`].
    pub is_monitor: bool,
    pub no_evict: bool,
    pub no_touch: bool,
    /// Whether the host is to close the connection after all written output was sent.
    pub closing: bool,
    pub database: u8,
    pub protocol: Protocol,
    pub transaction: Option<Transaction>,
    pub channels: Vec<Box<[u8]>>,
    pub patterns: Vec<Box<[u8]>>,
    pub shard_channels: Vec<Box<[u8]>>,
    /// Queue position of the blocked command, if there is one.
    pub blocked: Option<QueuePosition>,
    /// Number of effects that WAITAOF waits for.
    pub awaited_effects: u64,
    /// Requests that the client sent after its blocked command.
    pub waiting: VecDeque<Argv>,
    /// Pushes and late replies, whole messages in order, until the host takes them.
    pub outbox: Vec<u8>,
    /// Number of events before each message of the outbox, for a host that delivers messages and events in one order.
    pub positions: Option<Vec<u32>>,
    /// Link of the client in each queue.
    links: [QueueLink; QUEUES],
}

/// Queues of clients in order of arrival, each client at most once. Links in the clients make enqueueing free of allocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientQueue {
    /// Clients for the host: messages in the outbox, an unblocked command, or a connection to close.
    Affected,
    /// Clients that are no longer blocked and may have sent requests after the blocked command.
    Freed,
    /// Clients with requests that wait for a suspended script.
    AwaitsScript,
}

const QUEUES: usize = 3;

#[derive(Clone, Copy, Debug, Default)]
struct QueueLink {
    is_queued: bool,
    next: Option<ClientId>,
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
            awaited_effects: 0,
            waiting: VecDeque::new(),
            outbox: Vec::new(),
            positions: None,
            links: Default::default(),
        }
    }

    /// Appends messages to the outbox. On an error the outbox is unchanged.
    fn append(&mut self, events_before: u32, write: impl FnOnce(&mut Writer)) -> Result<(), OutOfMemory> {
        ensure_reserve_unspent()?;
        let start = self.outbox.len();
        let mut messages = Writer::appending_to(core::mem::take(&mut self.outbox), self.protocol);
        write(&mut messages);
        let written = messages.check();
        self.outbox = messages.into_bytes();
        let reserved = self.positions.as_mut().map_or(Ok(()), |positions| try_reserve(positions, 1));
        if let Err(error) = written.and(reserved) {
            self.outbox.truncate(start);
            return Err(error);
        }
        if let Some(positions) = &mut self.positions {
            positions.push(events_before);
        }
        Ok(())
    }

    /// Appends encoded messages to the outbox.
    pub fn append_bytes(&mut self, messages: Vec<u8>) -> Result<(), OutOfMemory> {
        if self.outbox.is_empty() {
            self.outbox = messages;
            return Ok(());
        }
        try_reserve(&mut self.outbox, messages.len())?;
        self.outbox.extend_from_slice(&messages);
        Ok(())
    }

    /// Whether a command of this client is blocked. Later requests run after that command.
    pub fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Whether the client has subscriptions. Over RESP2 it may then send few commands.
    pub fn is_subscribed(&self) -> bool {
        !(self.channels.is_empty() && self.patterns.is_empty() && self.shard_channels.is_empty())
    }

    /// Whether the client is between MULTI and EXEC.
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }
}

/// Number of ids that fit in the allocator's reserve and need no headroom check.
const UNCHECKED_MAX: usize = 512;

/// Table of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    clients: SortedVecMap<ClientId, Box<Client>>,
    /// Index of the client that was looked up last, which is most often looked up next.
    recent: usize,
    last_id: u32,
    queues: [Ends; QUEUES],
    /// Number of monitors.
    monitors: usize,
    /// Number of pending events that precede the messages posted now.
    pub events_before: u32,
}

impl Clients {
    pub fn connect(&mut self) -> ClientId {
        self.last_id += 1;
        let id = ClientId(self.last_id);
        self.clients.insert(id, Box::new(Client::new(id)));
        id
    }

    /// Connects the engine's own client, for loading. Its id is 0, so that ids of later clients do not depend on loads.
    pub fn connect_private(&mut self) -> ClientId {
        self.adopt(ClientId(0)).id
    }

    /// Id of the client that connected last.
    pub fn last_id(&self) -> u32 {
        self.last_id
    }

    /// Makes ids of later clients larger than `last_id`.
    pub fn skip_to(&mut self, last_id: u32) {
        self.last_id = self.last_id.max(last_id);
    }

    /// Adds a client with a given id, or returns the present one.
    pub fn adopt(&mut self, id: ClientId) -> &mut Client {
        self.skip_to(id.0);
        self.clients.get_or_insert_with(id, || Box::new(Client::new(id)))
    }

    pub fn disconnect(&mut self, id: ClientId) -> Option<Box<Client>> {
        self.dequeue(ClientQueue::Affected, id);
        self.dequeue(ClientQueue::Freed, id);
        self.dequeue(ClientQueue::AwaitsScript, id);
        self.set_monitor(id, false);
        self.clients.remove(id)
    }

    /// Sets whether a client is a monitor.
    pub fn set_monitor(&mut self, id: ClientId, is_monitor: bool) {
        let Some(client) = self.get_mut(id) else { return };
        let was_monitor = core::mem::replace(&mut client.is_monitor, is_monitor);
        self.monitors = self.monitors + usize::from(is_monitor) - usize::from(was_monitor);
    }

    /// Whether any client is a monitor.
    pub fn has_monitors(&self) -> bool {
        self.monitors > 0
    }

    /// Appends messages to a client's outbox; false if there is no such client. Without memory it is disconnected.
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

    /// Marks a connection to be closed after all written output was sent.
    pub fn close(&mut self, id: ClientId) {
        if let Some(client) = self.get_mut(id) {
            client.closing = true;
            self.note(id);
        }
    }

    /// Disconnects all subscribers, after a message that could not be built.
    pub fn close_subscribers(&mut self) {
        let mut next = self.clients.iter().next().map(|(id, _)| id);
        while let Some(id) = next {
            if self.get(id).is_some_and(Client::is_subscribed) {
                self.close(id);
            }
            next = self.clients.iter_behind(id).next().map(|(id, _)| id);
        }
    }

    /// Queues a client for the host's attention ([`Clients::take_affected`]).
    pub fn note(&mut self, id: ClientId) {
        self.enqueue(ClientQueue::Affected, id);
    }

    /// Takes the clients noted since the last call, each once; not all of them if memory is short.
    pub fn take_affected(&mut self) -> Vec<ClientId> {
        let mut affected = Vec::new();
        while let Some(id) = self.first_queued(ClientQueue::Affected) {
            if affected.len() >= UNCHECKED_MAX && try_reserve(&mut affected, 1).is_err() {
                break;
            }
            affected.push(id);
            self.dequeue(ClientQueue::Affected, id);
        }
        affected
    }

    /// Appends a client to a queue, unless it is in the queue already.
    pub fn enqueue(&mut self, queue: ClientQueue, id: ClientId) {
        let Some(link) = self.link(queue, id).filter(|link| !link.is_queued) else { return };
        *link = QueueLink { is_queued: true, next: None };
        match self.queues[queue as usize].last.replace(id) {
            Some(last) => self.link(queue, last).into_iter().for_each(|link| link.next = Some(id)),
            None => self.queues[queue as usize].first = Some(id),
        }
    }

    pub fn first_queued(&self, queue: ClientQueue) -> Option<ClientId> {
        self.queues[queue as usize].first
    }

    /// Removes a client from a queue in constant time for the first one, in linear time for others.
    pub fn dequeue(&mut self, queue: ClientQueue, id: ClientId) {
        let Some(removed) = self.link(queue, id).filter(|link| link.is_queued).map(core::mem::take) else { return };
        let ends = self.queues[queue as usize];
        let (mut previous, mut current) = (None, ends.first);
        while let Some(other) = current.filter(|other| *other != id) {
            (previous, current) = (current, self.link(queue, other).and_then(|link| link.next));
        }
        match previous.and_then(|previous| self.link(queue, previous)) {
            Some(link) => link.next = removed.next,
            None => self.queues[queue as usize].first = removed.next,
        }
        if ends.last == Some(id) {
            self.queues[queue as usize].last = previous;
        }
    }

    fn link(&mut self, queue: ClientQueue, id: ClientId) -> Option<&mut QueueLink> {
        self.get_mut(id).map(|client| &mut client.links[queue as usize])
    }

    #[inline(always)]
    pub fn get(&self, id: ClientId) -> Option<&Client> {
        self.clients.at(id, self.recent).map(|client| &**client).or_else(|| self.get_by_age(id))
    }

    #[inline(always)]
    pub fn get_mut(&mut self, id: ClientId) -> Option<&mut Client> {
        if self.clients.at(id, self.recent).is_none() {
            self.recent = self.index_by_age(id);
        }
        self.clients.get_mut_near(id, &mut self.recent).map(|client| &mut **client)
    }

    #[inline(never)]
    fn get_by_age(&self, id: ClientId) -> Option<&Client> {
        self.clients.get_near(id, self.index_by_age(id)).map(|client| &**client)
    }

    /// Index of a client while no client between the oldest one and this one has disconnected.
    fn index_by_age(&self, id: ClientId) -> usize {
        self.clients.iter().next().map_or(0, |(first, _)| id.0.wrapping_sub(first.0) as usize)
    }

    /// Returns the first monitor with an id larger than `id`.
    pub fn monitor_after(&self, id: ClientId) -> Option<ClientId> {
        self.clients.iter_behind(id).find(|(_, client)| client.is_monitor).map(|(id, _)| id)
    }

    /// Clients in order of their ids.
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
    fn affected_clients_are_returned_once_while_connected() {
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

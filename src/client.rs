//! Clients: who is connected, which database and protocol each uses, what it has queued. Data only; commands act on it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::argv::Argv;
use crate::clock::Timestamp;
pub use crate::keyspace::ClientId;
use crate::keyspace::Ticket;
use crate::reply::writer::Protocol;
use crate::sorted::SortedMap;

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
    pub last_command_at: Timestamp,
    pub last_command: &'static str,
    pub authenticated: bool,
    pub reply_mode: ReplyMode,
    /// Sees every command (MONITOR).
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
    pub parked: Option<Ticket>,
    pub waiting: VecDeque<Argv>,
    /// Pushes and late replies, whole messages in order, until the host takes them.
    pub outbox: Vec<u8>,
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
            parked: None,
            waiting: VecDeque::new(),
            outbox: Vec::new(),
        }
    }

    /// A command of this client waits; what it sends now is answered behind that.
    pub fn is_parked(&self) -> bool {
        self.parked.is_some()
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

/// The table of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    clients: SortedMap<ClientId, Box<Client>>,
    last_id: u32,
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

    pub fn disconnect(&mut self, id: ClientId) -> Option<Box<Client>> {
        self.clients.remove(id)
    }

    pub fn get(&self, id: ClientId) -> Option<&Client> {
        self.clients.get(id).map(|client| &**client)
    }

    pub fn get_mut(&mut self, id: ClientId) -> Option<&mut Client> {
        self.clients.get_mut(id).map(|client| &mut **client)
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

    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}

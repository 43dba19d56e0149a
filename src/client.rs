//! Clients: who is connected, which database and protocol each uses, what it has queued. Data only; commands act on it.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use crate::argv::Argv;
pub use crate::keyspace::ClientId;
use crate::keyspace::Ticket;
use crate::reply::writer::Protocol;

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

#[derive(Clone, Debug)]
pub struct Client {
    pub id: ClientId,
    pub name: Box<[u8]>,
    pub database: u8,
    pub protocol: Protocol,
    pub transaction: Option<Transaction>,
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
            database: 0,
            protocol: Protocol::default(),
            transaction: None,
            parked: None,
            waiting: VecDeque::new(),
            outbox: Vec::new(),
        }
    }

    /// A command of this client waits; what it sends now is answered behind that.
    pub fn is_parked(&self) -> bool {
        self.parked.is_some()
    }

    /// Between MULTI and EXEC.
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }
}

/// The table of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    clients: BTreeMap<ClientId, Client>,
    last_id: u32,
}

impl Clients {
    pub fn connect(&mut self) -> ClientId {
        self.last_id += 1;
        let id = ClientId(self.last_id);
        self.clients.insert(id, Client::new(id));
        id
    }

    pub fn disconnect(&mut self, id: ClientId) -> Option<Client> {
        self.clients.remove(&id)
    }

    pub fn get(&self, id: ClientId) -> Option<&Client> {
        self.clients.get(&id)
    }

    pub fn get_mut(&mut self, id: ClientId) -> Option<&mut Client> {
        self.clients.get_mut(&id)
    }

    pub fn len(&self) -> usize {
        self.clients.len()
    }

    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}

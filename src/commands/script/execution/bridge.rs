//! State of the engine while a script runs, and the commands that the script calls. They take the road of every command:
//! checks, dispatch by row, counts, monitors, tracking.

use alloc::vec::Vec;
use core::mem::swap;

use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::commands::table::keys_of::visit_keys;
use crate::commands::{CommandTable, Context, Request, Row, State, call, flags};
use crate::keyspace::keys::memory_usage;
use crate::keyspace::{ClientId, Keyspace};
use crate::lua::host::{Host, Work};
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::Server;
use crate::server::clients::Clients;
use crate::server::monitors;
use crate::server::scripts::evaluation::lrand48::Lrand48;

/// Capacity of a buffer that is kept from script to script.
const KEPT_BYTES_MAX: usize = 64 * 1024;

/// Rights of a running script.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rights {
    /// Whether commands that write are refused.
    pub read_only: bool,
    /// Whether commands that grow memory are refused: memory was over the limit when the script started.
    pub deny_oom: bool,
}

/// State of the engine, lent to the machine for one script. Between scripts it holds empty stand-ins, which are exchanged
/// with the state of the engine: nothing is copied.
#[derive(Debug)]
pub struct Bridge {
    keyspace: Keyspace,
    clients: Clients,
    server: Server,
    table: CommandTable,
    client: ClientId,
    now: Timestamp,
    rights: Rights,
    /// Whether the script has written.
    wrote: bool,
    /// Protocol that the script asked for.
    protocol: Protocol,
    /// Buffer for the next command.
    request: Argv,
    reply: Vec<u8>,
}

impl Default for Bridge {
    fn default() -> Bridge {
        Bridge {
            keyspace: Keyspace::new(0),
            clients: Clients::default(),
            server: Server::default(),
            table: CommandTable::default(),
            client: ClientId(0),
            now: Timestamp::MIN,
            rights: Rights::default(),
            wrote: false,
            protocol: Protocol::Resp2,
            request: Argv::default(),
            reply: Vec::new(),
        }
    }
}

impl Bridge {
    /// Takes the state of the engine, or gives it back: both are the same exchange.
    fn exchange(&mut self, cx: &mut Context<'_>) {
        swap(&mut self.keyspace, cx.keyspace);
        swap(&mut self.clients, cx.clients);
        swap(&mut self.server, cx.server);
    }

    /// Takes the state of the engine for a script of a client.
    pub fn begin(&mut self, cx: &mut Context<'_>, rights: Rights) {
        (self.client, self.now, self.rights) = (cx.client, cx.now, rights);
        (self.wrote, self.protocol) = (false, Protocol::Resp2);
        self.exchange(cx);
    }

    /// Gives the state back, or takes it again, for a script that is suspended.
    pub fn pause(&mut self, cx: &mut Context<'_>) {
        self.exchange(cx);
    }

    /// Gives the state back. A database that the script selected is the script's only.
    pub fn end(&mut self, cx: &mut Context<'_>, database: u8) {
        self.exchange(cx);
        self.clear(cx, database);
    }

    /// Ends a script that is suspended: the state has been given back.
    pub fn clear(&mut self, cx: &mut Context<'_>, database: u8) {
        if let Some(client) = cx.client() {
            client.database = database;
        }
        self.request.shrink_to(KEPT_BYTES_MAX);
        self.reply.clear();
        self.reply.shrink_to(KEPT_BYTES_MAX);
    }

    /// Whether the script has written.
    pub fn has_written(&self) -> bool {
        self.wrote
    }

    /// Checks a command in the order of Redis.
    fn check(&self, row: &Row, argv: ArgvRef<'_>) -> Result<(), ErrorText> {
        if !row.accepts(argv.len()) {
            return Err(CommandError::SCRIPT_WRONG_ARITY.into());
        }
        if row.has(flags::NOSCRIPT) {
            return Err(CommandError::SCRIPT_NOT_ALLOWED.into());
        }
        if row.has(flags::WRITE) {
            if self.rights.read_only {
                return Err(CommandError::SCRIPT_READ_ONLY.into());
            }
            if let Some(error) = self.server.store_error() {
                return Err(error);
            }
        }
        // A script that has written may go on, so that it is not cut in two.
        if row.has(flags::DENYOOM) && self.rights.deny_oom && !self.wrote {
            return Err(CommandError::OUT_OF_MEMORY.into());
        }
        Ok(())
    }
}

impl Host for Bridge {
    fn run(&mut self, argv: ArgvRef<'_>) -> Result<Work, ErrorText> {
        let (number, row) = Request::new(&self.table, argv).command.ok_or(CommandError::SCRIPT_UNKNOWN_COMMAND)?;
        self.check(row, argv)?;
        self.wrote |= row.has(flags::WRITE);
        if self.clients.has_monitors() && !row.has(flags::ADMIN | flags::SKIP_MONITOR) {
            let secrets = row.role.secrets();
            monitors::show(&mut self.clients, self.now, self.client, monitors::Origin::Script, argv, secrets);
        }
        self.reply.clear();
        let mut reply = Writer::appending_to(core::mem::take(&mut self.reply), self.protocol);
        let Bridge { keyspace, clients, server, table, client, now, .. } = self;
        let mut cx = Context::new(State { keyspace, clients, server, table }, *client, *now, &mut reply);
        let visited_bytes = visited_bytes(&mut cx, row, argv);
        cx.keyspace.take_visits();
        call(&mut cx, number, argv);
        let visits = cx.keyspace.take_visits();
        self.reply = reply.into_bytes();
        self.server.stats.commands_processed += 1;
        // The next command of a client is far: what this one replaced would wait until the script ends.
        self.keyspace.free_garbage();
        Ok(Work { grows_memory: row.has(flags::DENYOOM), visited_bytes, visits })
    }

    fn reply(&self) -> &[u8] {
        &self.reply
    }

    fn knows(&self, argv: ArgvRef<'_>) -> bool {
        Request::new(&self.table, argv).command.is_some()
    }

    fn protocol(&self) -> Protocol {
        self.protocol
    }

    fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    fn take_request(&mut self) -> Argv {
        let mut request = core::mem::take(&mut self.request);
        request.clear();
        request
    }

    fn keep_request(&mut self, request: Argv) {
        self.request = request;
    }

    fn draw(&mut self) -> u32 {
        match &mut self.server.scripts.evaluation.random {
            Some(seeded) => seeded.next(),
            None => self.keyspace.draw_u31(),
        }
    }

    fn seed_random(&mut self, seed: u32) {
        self.server.scripts.evaluation.random = Some(Lrand48::seeded(seed));
    }
}

/// Counted bytes of the keys of a command that is not known to be fast: request and reply do not show how long it takes.
fn visited_bytes(cx: &mut Context<'_>, row: &Row, argv: ArgvRef<'_>) -> u64 {
    let mut bytes: u64 = 0;
    if !row.has(flags::FAST) {
        // A request with invalid key arguments counts as a request without keys; its handler reports the error.
        let _ = visit_keys(row, argv, &mut |key, _| bytes += memory_usage(&mut cx.txn(), key).unwrap_or_default());
    }
    bytes
}

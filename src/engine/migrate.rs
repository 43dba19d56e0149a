//! Migration of clients, configuration and scripts to a fresh engine, as a list of words, because the engines share no
//! memory. Libraries of functions are part of the snapshot.
//! Statistics, SLOWLOG and the clients' last commands are not migrated.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::Engine;
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::Timestamp;
use crate::base::headroom::{ensure, ensure_reserve};
use crate::base::number::parse_integer;
use crate::resp::encode::Protocol;
use crate::server::clients::{Client, ClientId, ClientQueue, ReplyMode};

/// Upper bound in bytes of the words of a client or parameter besides their texts.
const RECORD_BYTES: usize = 1024;
pub(super) const CLIENT_WORDS: usize = 10;
/// Number of words before those of the parameters.
const COUNTS: usize = 5;
/// Number of copies of a text while the words grow.
const TEXT_COPIES: usize = 3;

const AUTHENTICATED: i64 = 1;
const NO_EVICT: i64 = 2;
const NO_TOUCH: i64 = 4;
const RESP3: i64 = 8;

impl Engine {
    /// Exports the words for [`Engine::import_state`]. The error names state that cannot migrate.
    pub fn export_state(&self) -> Result<Argv, &'static str> {
        self.check_migratable()?;
        let records = self.clients.len() + self.server.config.iter().count();
        ensure_reserve().and_then(|()| ensure(records.saturating_mul(RECORD_BYTES))).map_err(|_| "out of memory")?;
        let mut words = Argv::default();
        push_number(&mut words, self.clients.last_id().into());
        push_number(&mut words, self.server.started_at.unwrap_or(Timestamp::MIN).as_ms());
        push_number(&mut words, self.server.saving.saved_at.as_ms());
        push_number(&mut words, self.server.config.iter().count() as i64);
        let scripts = self.server.scripts.evaluation.texts();
        push_number(&mut words, scripts.len() as i64);
        for (name, value) in self.server.config.iter() {
            words.push(name.as_bytes());
            words.push(value.as_bytes());
        }
        for (text, is_loaded) in scripts {
            ensure(text.len().saturating_mul(TEXT_COPIES)).map_err(|_| "out of memory")?;
            words.push(text);
            push_number(&mut words, is_loaded.into());
        }
        self.clients.iter().for_each(|client| push_client(&mut words, client));
        Ok(words)
    }

    fn check_migratable(&self) -> Result<(), &'static str> {
        let interest = &self.keyspace.interest;
        if self.server.pause.is_some()
            || !self.blocked.is_empty()
            || self.clients.first_queued(ClientQueue::Freed).is_some()
        {
            return Err("a command waits, or clients are paused");
        }
        if self.server.saving.is_busy() || self.server.saving.has_failure() {
            return Err("a save is running, or the store fails");
        }
        for client in self.clients.iter() {
            if client.in_transaction() || !interest.watched_by(client.id).is_empty() {
                return Err("a client is between MULTI and EXEC, or watches keys");
            }
            if client.is_subscribed() || client.is_monitor || interest.tracking.tracker(client.id).is_some() {
                return Err("a client is subscribed, tracks keys or is a monitor");
            }
            if client.closing || !client.outbox.is_empty() || client.reply_mode != ReplyMode::On {
                return Err("a client has not read its messages, wants no replies or is about to be closed");
            }
        }
        Ok(())
    }

    /// Imports clients and configuration of another engine. The keys must be loaded already. Malformed words are
    /// skipped.
    pub fn import_state(&mut self, words: ArgvRef<'_>) {
        let number = |index: usize| words.get(index).and_then(parse_integer).unwrap_or_default();
        self.clients.skip_to(number(0) as u32);
        self.server.started_at = Some(Timestamp::from_ms(number(1))).filter(|at| *at != Timestamp::MIN);
        self.server.saving.saved_at = Timestamp::from_ms(number(2));
        let parameters = words.from_index(COUNTS).first(2 * number(3) as usize);
        let scripts = words.from_index(COUNTS + parameters.len()).first(2 * number(4) as usize);
        for (name, value) in parameters.pairs() {
            if let (Ok(name), Ok(value)) = (core::str::from_utf8(name), core::str::from_utf8(value)) {
                // Parameters of the exporting engine are valid.
                let _ = self.configure(name, value);
            }
        }
        self.server.configured = false;
        for (text, is_loaded) in scripts.pairs() {
            self.server.scripts.evaluation.add_text(text, is_loaded == b"1");
        }
        let clients = words.from_index(COUNTS + parameters.len() + scripts.len());
        let clients: Vec<&[u8]> = clients.iter().collect();
        for words in clients.as_chunks().0 {
            self.import_client(words);
        }
    }

    /// Adds a client, or replaces the state of the present one.
    pub(super) fn import_client(&mut self, words: &[&[u8]; CLIENT_WORDS]) -> ClientId {
        let [id, database, flags, connected_at, last_command_at, name, library, version, address, local] = *words;
        let number = |word: &[u8]| parse_integer(word).unwrap_or_default();
        let flags = number(flags);
        let client = self.clients.adopt(ClientId(number(id) as u32));
        client.database = number(database) as u8;
        client.protocol = if flags & RESP3 != 0 { Protocol::Resp3 } else { Protocol::Resp2 };
        client.authenticated = flags & AUTHENTICATED != 0;
        client.no_evict = flags & NO_EVICT != 0;
        client.no_touch = flags & NO_TOUCH != 0;
        client.connected_at = Timestamp::from_ms(number(connected_at));
        client.last_command_at = Timestamp::from_ms(number(last_command_at));
        client.name = name.into();
        client.library_name = library.into();
        client.library_version = version.into();
        client.address = core::str::from_utf8(address).unwrap_or_default().into();
        client.local_address = core::str::from_utf8(local).unwrap_or_default().into();
        client.id
    }
}

pub(super) fn push_number(words: &mut Argv, number: i64) {
    words.push(number.to_string().as_bytes());
}

/// Appends the words for [`Engine::import_client`].
pub(super) fn push_client(words: &mut Argv, client: &Client) {
    push_number(words, client.id.0.into());
    push_number(words, client.database.into());
    push_number(words, flags_of(client));
    push_number(words, client.connected_at.as_ms());
    push_number(words, client.last_command_at.as_ms());
    for text in [&*client.name, &*client.library_name, &*client.library_version] {
        words.push(text);
    }
    words.push(client.address.as_bytes());
    words.push(client.local_address.as_bytes());
}

fn flags_of(client: &Client) -> i64 {
    let flag = |is_set: bool, flag: i64| if is_set { flag } else { 0 };
    flag(client.authenticated, AUTHENTICATED)
        | flag(client.no_evict, NO_EVICT)
        | flag(client.no_touch, NO_TOUCH)
        | flag(client.protocol == Protocol::Resp3, RESP3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_line(engine: &mut Engine, client: ClientId, line: &str) -> alloc::string::String {
        let argv = Argv::from_slices(&line.split(' ').collect::<Vec<_>>());
        let mut out = Vec::new();
        engine.execute_now(client, argv.as_ref(), &mut out);
        alloc::string::String::from_utf8(out).unwrap()
    }

    #[test]
    fn clients_and_parameters_migrate() {
        let mut engine = Engine::new(1);
        let (removed, first, second) = (engine.connect(), engine.connect(), engine.connect());
        engine.disconnect(removed);
        for line in ["CLIENT SETNAME one", "SELECT 3", "CLIENT NO-TOUCH ON", "CONFIG SET maxmemory 1gb", "HELLO 3"] {
            run_line(&mut engine, first, line);
        }
        let mut other = Engine::new(1);
        other.import_state(engine.export_state().unwrap().as_ref());
        let client = other.clients.get(first).unwrap();
        assert_eq!((&*client.name, client.database, client.no_touch), (&b"one"[..], 3, true));
        assert_eq!(client.protocol, Protocol::Resp3);
        assert_eq!(other.server.config.get("maxmemory"), "1073741824");
        for line in ["CLIENT ID", "CONFIG GET *", "CLIENT GETNAME"] {
            assert_eq!(run_line(&mut other, second, line), run_line(&mut engine, second, line), "{line}");
        }
        assert_eq!(other.connect(), engine.connect());
    }

    #[test]
    fn state_that_cannot_migrate_is_refused() {
        let engine = Engine::new(1);
        for lines in
            [&["MULTI"][..], &["WATCH k"], &["SUBSCRIBE c"], &["BLPOP k 0"], &["MONITOR"], &["CLIENT REPLY OFF"]]
        {
            let mut engine = engine.clone();
            let client = engine.connect();
            lines.iter().for_each(|line| drop(run_line(&mut engine, client, line)));
            assert!(engine.export_state().is_err(), "{lines:?}");
        }
    }
}

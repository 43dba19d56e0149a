//! After-command hooks: unblocked clients, invalidations and notifications, monitors, SLOWLOG and CLIENT REPLY.

use alloc::string::String;

use super::Engine;
use crate::base::argv::ArgvRef;
use crate::base::headroom::{ensure, is_reserve_whole};
use crate::commands::{Role, Row};
use crate::engine::persistence::rdb;
use crate::server::clients::{ClientId, ClientQueue};
use crate::server::secrets::Secrets;
use crate::server::stats::{SlowCommand, shortened};

/// Upper bound in bytes of the memory for an entry of SLOWLOG.
const SLOW_BYTES: usize = 16 * 1024;

impl Engine {
    /// Whether after-command hooks have work. After most commands they have none.
    #[inline(always)]
    pub(super) fn is_pending(&self) -> bool {
        let server = &self.server;
        self.keyspace.interest.has_ready()
            || self.keyspace.interest.tracking.has_pending()
            || self.clients.first_queued(ClientQueue::Freed).is_some()
            || server.pause.is_none() && self.blocked.has_paused()
            || self.keyspace.events.has_unseen()
            || server.reload
            || !server.unblocks.is_empty()
    }

    /// Runs the hooks after a command or tick: CLIENT UNBLOCK, delivery, blocked clients, pause, DEBUG RELOAD.
    pub(super) fn after_command(&mut self) {
        // The hooks follow the end of a script that is suspended.
        if self.server.scripts.suspended.is_set() {
            return;
        }
        // Clients unblocked by CLIENT UNBLOCK in a transaction are not served with keys that the same transaction
        // created.
        for unblock in core::mem::take(&mut self.server.unblocks) {
            self.unblock(unblock);
        }
        self.server.announce(&mut self.keyspace, &mut self.clients);
        self.wake();
        if self.server.is_pause_over(self.now) {
            self.server.pause = None;
        }
        if self.server.pause.is_none() {
            self.resume_paused();
            if self.server.scripts.suspended.is_set() {
                return;
            }
        }
        if core::mem::take(&mut self.server.reload) {
            reload(self);
        }
        self.keyspace.limit_tracking();
        self.server.announce(&mut self.keyspace, &mut self.clients);
        self.server.broadcast(&mut self.keyspace, &mut self.clients);
    }

    /// Ends the tracking of a client's command and resets CLIENT CACHING. The flag stays after CLIENT commands, within
    /// a transaction, and while the command is blocked.
    pub(super) fn end_tracking(&mut self, client: ClientId, row: Option<&'static Row>) {
        let tracking = &mut self.keyspace.interest.tracking;
        tracking.set_author(None);
        if tracking.tracker(client).is_some_and(|tracker| tracker.caching)
            && !row.is_some_and(|row| row.role == Role::KeepsCaching)
            && !self.clients.get(client).is_some_and(|client| client.in_transaction() || client.is_blocked())
        {
            tracking.set_caching(client, false);
        }
    }

    /// Records the duration of the last command, as measured by the host, and adds slow commands to SLOWLOG.
    pub fn took(&mut self, client: ClientId, argv: ArgvRef<'_>, elapsed_us: u64) {
        let Some(number) = self.ran else { return };
        self.server.stats.took(number, 1, elapsed_us);
        let threshold_us = self.server.settings.slowlog_slower_than_us;
        if threshold_us < 0 || elapsed_us < threshold_us.unsigned_abs() || !is_reserve_whole() {
            return;
        }
        // An entry of SLOWLOG is omitted if memory is short.
        if ensure(SLOW_BYTES).is_err() {
            return;
        }
        let len_max = usize::try_from(self.server.config.number("slowlog-max-len").max(0)).unwrap_or(usize::MAX);
        let (client_address, client_name) = self.clients.get(client).map_or_else(Default::default, |client| {
            (client.address.clone(), String::from_utf8_lossy(&client.name).into_owned())
        });
        let secrets = self.request(argv).command.map_or(Secrets::None, |(_, row)| row.role.secrets());
        let argv = shortened(argv, secrets);
        let slow = SlowCommand { id: 0, at: self.now, elapsed_us, argv, client_address, client_name };
        self.server.stats.remember_slow(slow, len_max);
    }
}

/// Saves and loads the keyspace (DEBUG RELOAD). If memory is short, nothing is changed.
fn reload(engine: &mut Engine) {
    if let Ok(snapshot) = rdb::save(&engine.keyspace, &engine.server.scripts.libraries, engine.now) {
        let reloaded = engine.load(&snapshot, None);
        debug_assert!(reloaded.is_ok(), "what was just written can be read");
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::base::argv::Argv;

    fn run_line(engine: &mut Engine, client: ClientId, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let argv = Argv::from_slices(&words);
        engine.execute_now(client, argv.as_ref(), &mut Vec::new());
    }

    #[test]
    fn messages_are_counted_among_the_events() {
        let mut engine = Engine::new(1);
        let (subscriber, other) = (engine.connect(), engine.connect());
        engine.keyspace.events.want(true);
        engine.clients.get_mut(subscriber).unwrap().positions = Some(Vec::new());
        run_line(&mut engine, subscriber, "PSUBSCRIBE *");
        run_line(&mut engine, other, "CONFIG SET notify-keyspace-events E$");
        run_line(&mut engine, other, "SET a 1");
        for line in ["MULTI", "SET b 2", "PUBLISH news x", "DEL a", "SET c 3", "EXEC"] {
            run_line(&mut engine, other, line);
        }
        run_line(&mut engine, other, "PUBLISH news y");
        let client = engine.clients.get_mut(subscriber).unwrap();
        // set a, set b, the first news, (del a), set c, the second news
        assert_eq!(client.positions.take(), Some(vec![1, 2, 2, 4, 4]));
        let text = String::from_utf8(core::mem::take(&mut client.outbox)).unwrap();
        let channels: Vec<&str> = text.lines().filter(|line| line.starts_with("__") || *line == "news").collect();
        let set = "__keyevent@0__:set";
        assert_eq!(channels, [set, set, "news", set, "news"]);
        assert_eq!(engine.keyspace.events.len(), 4);
    }
}

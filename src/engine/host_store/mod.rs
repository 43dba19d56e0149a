//! The host's store, as the engine knows it: whether there is one, what it is asked for, whether it can be written, and what it
//! reports. The end of a save answers the clients that wait in SAVE.

use alloc::format;

use super::Engine;
use super::blocked::end_blocked;
use crate::base::clock::Timestamp;
use crate::commands::{Blocking, HostReport};
use crate::resp::error::{CommandError, ErrorText};
use crate::server::saving::SaveKind;
use crate::server::shutdown::ShutdownRequest;

/// The store of a host, for [`crate::Keylatch`]'s hosts of this repository.
#[derive(Debug)]
pub struct HostStore<'a> {
    engine: &'a mut Engine,
}

impl<'a> HostStore<'a> {
    pub(super) fn of(engine: &'a mut Engine) -> HostStore<'a> {
        HostStore { engine }
    }

    /// Declares whether the host has a store, for SAVE and the like.
    pub fn accept_saves(&mut self, on: bool) {
        self.engine.server.saving.is_available = on;
    }

    /// Declares whether the store keeps a log, for WAITAOF.
    pub fn keep_log(&mut self, on: bool) {
        self.engine.server.saving.log.is_kept = on;
    }

    /// Refuses writes while the keys belong to another program. Keys expire nevertheless.
    pub fn set_read_only(&mut self, on: bool) {
        self.engine.mark_stale();
        self.engine.server.saving.is_read_only = on;
    }

    /// Requests a save, as BGSAVE and BGREWRITEAOF do. One that waits already serves both requests.
    pub fn request_save(&mut self, kind: SaveKind) {
        self.engine.server.saving.request(kind);
    }

    /// Takes the next requested save; none while one is running. The host reports its end.
    pub fn take_save_request(&mut self) -> Option<SaveKind> {
        let effects = self.engine.keyspace.effects.count();
        self.engine.server.saving.take(effects)
    }

    /// Takes the request of a client for a sync of the log, with the number of effects that it must cover. The host reports
    /// its end; after a failure it syncs again.
    pub fn take_sync_request(&mut self) -> Option<u64> {
        let effects = self.engine.keyspace.effects.count();
        self.engine.server.saving.log.take().then_some(effects)
    }

    /// Reports that the host cannot write its log, with the reason, or that it can again. Writes are refused meanwhile.
    pub fn report_log(&mut self, failure: Option<&str>) {
        self.engine.mark_stale();
        self.engine.server.saving.set_log_failure(failure);
    }

    /// Records the end of a save at the present instant. `failure` is the reason of a failed one.
    pub(super) fn finish_save(&mut self, kind: SaveKind, failure: Option<&str>) {
        let engine = &mut *self.engine;
        engine.mark_stale();
        engine.server.saving.finish(kind, failure.is_none(), engine.now);
        if kind == SaveKind::Snapshot {
            for position in engine.blocked.awaiting(HostReport::SnapshotSaved) {
                end_blocked(engine, position, |reply| match failure {
                    None => reply.ok(),
                    Some(reason) => reply.error(&ErrorText::made(format!("ERR {reason}"))),
                });
            }
        }
        engine.after_command();
        engine.refresh_gates();
    }

    /// Records that the first `effects` effects were forced to the medium, and runs the commands again that wait for that.
    pub(super) fn log_synced(&mut self, effects: u64) {
        let engine = &mut *self.engine;
        engine.mark_stale();
        engine.server.saving.log.reached(effects);
        for position in engine.blocked.awaiting(HostReport::LogSynced) {
            engine.run_blocked(position, Blocking::Allowed);
        }
        engine.after_command();
        engine.refresh_gates();
    }

    /// Number of effects since the last snapshot, for the rule of `save`.
    pub fn unsaved_effects(&self) -> u64 {
        self.engine.server.saving.unsaved(self.engine.keyspace.effects.count())
    }
}

/// A host that is a server, for [`crate::Keylatch`]'s hosts of this repository.
#[derive(Debug)]
pub struct HostServer<'a>(pub(super) &'a mut Engine);

impl<'a> HostServer<'a> {
    pub(super) fn of(engine: &'a mut Engine) -> HostServer<'a> {
        HostServer(engine)
    }

    /// First instant at which [`Engine::tick`] has something for a client: the end of a timeout, or an expiry that a client
    /// waits for or listens to. Other due keys expire when a command comes. The next deadline is reported as by
    /// [`crate::Keylatch::report_deadline`].
    pub fn next_wake(&mut self) -> Option<Timestamp> {
        let engine = &mut *self.0;
        engine.report_deadline();
        let interest = &engine.keyspace.interest;
        if engine.server.scripts.suspended.is_set() {
            return None;
        }
        if interest.has_ready() || interest.tracking.has_pending() {
            return Some(engine.now);
        }
        let hears_expiry = interest.waiters.want_changes()
            || interest.tracking.client_count() > 0
            || !engine.server.pubsub.is_idle() && !engine.server.settings.event_classes.is_empty();
        let sweep = engine.keyspace.next_sweep().filter(|_| hears_expiry);
        let due = sweep.into_iter().chain(engine.blocked.first_deadline()).min()?;
        Some(due.max(engine.now))
    }

    /// Declares whether the host ends by SHUTDOWN.
    pub fn accept_shutdown(&mut self, on: bool) {
        self.0.server.shutdown.is_available = on;
    }

    /// Whether [`HostServer::take_shutdown`] has a request.
    pub fn has_shutdown(&self) -> bool {
        self.0.server.shutdown.has_request()
    }

    /// Takes the request of a client that the server ends. The host prepares its end, then calls
    /// [`HostServer::ends_by_shutdown`].
    pub fn take_shutdown(&mut self) -> Option<ShutdownRequest> {
        self.0.server.shutdown.take()
    }

    /// Whether the host ends. Otherwise it goes on serving, because the preparation failed or the request was withdrawn, and the
    /// clients that wait get an error.
    pub fn ends_by_shutdown(&mut self, has_failed: bool) -> bool {
        let engine = &mut *self.0;
        let ends = engine.server.shutdown.ends(has_failed);
        if !ends {
            engine.mark_stale();
            for position in engine.blocked.awaiting(HostReport::GoesOn) {
                end_blocked(engine, position, |reply| reply.error(&CommandError::SHUTDOWN_FAILED.into()));
            }
            engine.after_command();
            engine.refresh_gates();
        }
        ends
    }
}

#[cfg(test)]
mod tests;

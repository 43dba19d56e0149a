//! Saves by the host's store: which are requested or running, and how the last of each kind ended. SAVE, BGSAVE,
//! BGREWRITEAOF, LASTSAVE and INFO use it; the engine itself writes no file.

use alloc::string::String;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;

/// Kind of a save.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveKind {
    /// The snapshot (SAVE, BGSAVE).
    Snapshot,
    /// A log without history in the place of the old one (BGREWRITEAOF).
    LogRewrite,
}

impl SaveKind {
    /// Name for hosts in other languages.
    pub fn name(self) -> &'static str {
        match self {
            SaveKind::Snapshot => "snapshot",
            SaveKind::LogRewrite => "rewrite",
        }
    }

    pub fn named(name: &str) -> Option<SaveKind> {
        [SaveKind::Snapshot, SaveKind::LogRewrite].into_iter().find(|kind| kind.name() == name)
    }
}

/// Saves of the host's store.
#[derive(Clone, Debug, Default)]
pub struct Saving {
    /// Whether the host has a store. Without one, requests are refused.
    pub is_available: bool,
    /// Whether the keys belong to another program, so that writes and saves are refused.
    pub is_read_only: bool,
    /// Instant of the last snapshot; at first the start of the engine.
    pub saved_at: Timestamp,
    /// Requested saves in order. The first is running if the host has taken it.
    queue: Vec<SaveKind>,
    is_running: bool,
    /// Kinds of which the last save failed.
    failed: Vec<SaveKind>,
    /// Reason why the host cannot write its log; `None` while it can.
    log_failure: Option<String>,
    /// Numbers of effects when the last snapshot was saved, and when the running one began.
    effects_at_save: u64,
    effects_at_start: u64,
    /// The host's log of effects, which WAITAOF waits for.
    pub log: LogSync,
}

/// How far the host's log is forced to the medium.
#[derive(Clone, Debug, Default)]
pub struct LogSync {
    /// Whether the host keeps a log.
    pub is_kept: bool,
    /// Number of effects that are forced to the medium.
    synced: u64,
    /// Whether a client waits for the next sync, which the host was not asked for yet.
    is_wanted: bool,
}

impl LogSync {
    /// Whether the first `effects` effects are forced to the medium.
    pub fn covers(&self, effects: u64) -> bool {
        self.is_kept && self.synced >= effects
    }

    /// Requests a sync.
    pub fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Takes the request for a sync.
    pub fn take(&mut self) -> bool {
        core::mem::take(&mut self.is_wanted)
    }

    /// Records that the first `effects` effects were forced to the medium.
    pub fn reached(&mut self, effects: u64) {
        self.synced = self.synced.max(effects);
    }
}

impl Saving {
    /// Whether saves are requested or running.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether a request waits for the host.
    #[inline(always)]
    pub fn has_request(&self) -> bool {
        !self.is_running && !self.queue.is_empty() || self.log.is_wanted
    }

    /// Whether the host runs this save, or will run it next.
    pub fn is_active(&self, kind: SaveKind) -> bool {
        self.queue.first() == Some(&kind)
    }

    /// Whether this save follows the active one.
    pub fn is_scheduled(&self, kind: SaveKind) -> bool {
        self.queue.iter().skip(1).any(|queued| *queued == kind)
    }

    /// Requests a save, unless one waits already. A running one may have begun before the last change.
    pub fn request(&mut self, kind: SaveKind) {
        let waiting = self.queue.get(usize::from(self.is_running)..).unwrap_or_default();
        if !waiting.contains(&kind) {
            self.queue.push(kind);
        }
    }

    /// Takes the next request, at a number of effects. None while one is running.
    pub fn take(&mut self, effects: u64) -> Option<SaveKind> {
        let kind = *self.queue.first().filter(|_| !self.is_running)?;
        self.is_running = true;
        self.effects_at_start = effects;
        Some(kind)
    }

    /// Records the end of the running save.
    pub fn finish(&mut self, kind: SaveKind, succeeded: bool, now: Timestamp) {
        if self.is_running && self.is_active(kind) {
            self.queue.remove(0);
            self.is_running = false;
        }
        self.failed.retain(|failed| *failed != kind);
        if !succeeded {
            self.failed.push(kind);
        } else if kind == SaveKind::Snapshot {
            self.saved_at = now;
            self.effects_at_save = self.effects_at_start;
        }
    }

    pub fn has_failed(&self, kind: SaveKind) -> bool {
        self.failed.contains(&kind)
    }

    /// Number of effects since the last snapshot, when there were `effects` in all.
    pub fn unsaved(&self, effects: u64) -> u64 {
        effects.saturating_sub(self.effects_at_save)
    }

    /// Sets or clears the reason why the host cannot write its log.
    pub fn set_log_failure(&mut self, reason: Option<&str>) {
        self.log_failure = reason.map(String::from);
    }

    /// Whether something failed last.
    #[inline(always)]
    pub fn has_failure(&self) -> bool {
        !self.failed.is_empty() || self.log_failure.is_some()
    }

    /// Whether writes may be refused: a cheap condition for the gate, which then asks the configuration.
    #[inline(always)]
    pub fn may_refuse_writes(&self) -> bool {
        self.is_read_only || self.has_failure()
    }

    pub fn log_failure(&self) -> Option<&str> {
        self.log_failure.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saves_run_one_after_the_other() {
        let mut saving = Saving::default();
        saving.request(SaveKind::LogRewrite);
        saving.request(SaveKind::Snapshot);
        saving.request(SaveKind::LogRewrite);
        assert_eq!((saving.take(5), saving.take(5)), (Some(SaveKind::LogRewrite), None));
        assert!(saving.is_scheduled(SaveKind::Snapshot) && !saving.has_request());
        saving.finish(SaveKind::LogRewrite, false, Timestamp::from_ms(1));
        assert!(saving.has_failed(SaveKind::LogRewrite) && saving.saved_at == Timestamp::default());
        assert_eq!(saving.take(7), Some(SaveKind::Snapshot));
        saving.finish(SaveKind::Snapshot, true, Timestamp::from_ms(2));
        assert_eq!((saving.unsaved(9), saving.saved_at.as_ms(), saving.is_busy()), (2, 2, false));
    }

    #[test]
    fn a_request_during_a_save_is_another_save() {
        let mut saving = Saving::default();
        saving.request(SaveKind::Snapshot);
        assert_eq!(saving.take(5), Some(SaveKind::Snapshot));
        saving.request(SaveKind::Snapshot);
        saving.request(SaveKind::Snapshot);
        saving.finish(SaveKind::Snapshot, true, Timestamp::from_ms(1));
        assert_eq!((saving.unsaved(7), saving.take(7)), (2, Some(SaveKind::Snapshot)));
        saving.finish(SaveKind::Snapshot, true, Timestamp::from_ms(2));
        assert_eq!((saving.unsaved(7), saving.is_busy()), (0, false));
    }

    #[test]
    fn a_sync_covers_the_effects_before_it() {
        let mut saving = Saving::default();
        assert!(!saving.log.covers(0));
        saving.log.is_kept = true;
        saving.log.want();
        assert!(saving.has_request() && saving.log.take() && !saving.has_request());
        saving.log.reached(3);
        saving.log.reached(2);
        assert!(saving.log.covers(3) && !saving.log.covers(4));
    }
}

//! State of the server apart from keyspace and clients: configuration, statistics, pause, subscriptions.

pub mod clients;
pub mod config;
pub mod invalidations;
pub mod monitors;
mod protected;
pub mod pubsub;
pub mod reply_mode;
pub mod saving;
pub mod scripts;
pub mod secrets;
pub mod shutdown;
pub mod stats;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::headroom::try_reserve;
use crate::keyspace::{DATABASES, Event, Events, Keyspace, QueuePosition};
use crate::resp::decode::Limits;
use crate::resp::error::{CommandError, ErrorText};
use crate::server::clients::Clients;
use crate::server::config::{Config, notifies};
use crate::server::pubsub::{Channels, PubSub};
use crate::server::saving::{SaveKind, Saving};
use crate::server::scripts::Scripts;
use crate::server::scripts::evaluation::{ScriptLimits, script_limits};
use crate::server::shutdown::Shutdown;
use crate::server::stats::Stats;

pub const KEYLATCH_VERSION: &str = env!("CARGO_PKG_VERSION");

/// State of CLIENT PAUSE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    pub until: Timestamp,
    /// Whether only writing commands are blocked.
    pub writes_only: bool,
}

/// Request of CLIENT UNBLOCK to end a blocked command, with a timeout reply or an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unblock {
    pub position: QueuePosition,
    pub with_error: bool,
}

/// SLOWLOG thresholds in microseconds below which every command is measured separately.
const SEPARATE_BELOW_US: i64 = 1000;

/// Decoded settings that commands need often, updated when the configuration changes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threshold of SLOWLOG in microseconds; negative disables it.
    pub slowlog_slower_than_us: i64,
    /// The letters of `notify-keyspace-events`.
    pub event_classes: String,
    pub password_required: bool,
    /// Number of databases that SELECT accepts.
    pub databases: u8,
    /// Limits of request sizes.
    pub limits: Limits,
    #[cfg_attr(not(feature = "scripting"), allow(dead_code))]
    pub script_limits: ScriptLimits,
}

impl Settings {
    fn read(config: &Config) -> Settings {
        Settings {
            slowlog_slower_than_us: config.number("slowlog-log-slower-than"),
            event_classes: config.get("notify-keyspace-events").into(),
            password_required: !config.get("requirepass").is_empty(),
            databases: config.number("databases").clamp(1, DATABASES.into()) as u8,
            limits: config.request_limits(),
            script_limits: script_limits(config),
        }
    }

    /// Whether the SLOWLOG threshold is so low that every command must be measured.
    #[inline(always)]
    pub fn measures_each(&self) -> bool {
        (0..SEPARATE_BELOW_US).contains(&self.slowlog_slower_than_us)
    }
}

/// Server state apart from keyspace and clients.
#[derive(Clone, Debug)]
pub struct Server {
    pub config: Config,
    pub settings: Settings,
    /// Whether the configuration changed since the host last read it.
    pub configured: bool,
    pub stats: Stats,
    pub pause: Option<Pause>,
    /// Requests of CLIENT UNBLOCK, handled after the running command.
    pub unblocks: Vec<Unblock>,
    /// Whether DEBUG RELOAD runs after the present command.
    pub reload: bool,
    pub pubsub: PubSub,
    pub started_at: Option<Timestamp>,
    pub saving: Saving,
    pub shutdown: Shutdown,
    pub scripts: Scripts,
}

impl Default for Server {
    fn default() -> Server {
        let config = Config::default();
        Server {
            settings: Settings::read(&config),
            config,
            configured: false,
            stats: Stats::default(),
            pause: None,
            unblocks: Vec::new(),
            reload: false,
            pubsub: PubSub::default(),
            started_at: None,
            saving: Saving::default(),
            shutdown: Shutdown::default(),
            scripts: Scripts::default(),
        }
    }
}

impl Server {
    /// Applies changes of the configuration, and updates the state that depends on it.
    pub fn configure(&mut self, changes: Vec<(&'static str, String)>, keyspace: &mut Keyspace) {
        changes.into_iter().for_each(|change| self.config.set(change));
        self.settings = Settings::read(&self.config);
        self.configured = true;
        keyspace.limits = self.config.limits();
        keyspace.limit_memory(self.config.memory_limit());
        keyspace.interest.tracking.set_keys_max(self.config.number("tracking-table-max-keys") as u64);
        keyspace.events.publish(!self.settings.event_classes.is_empty());
    }

    /// Whether the time of a pause has passed.
    pub fn is_pause_over(&self, now: Timestamp) -> bool {
        self.pause.is_some_and(|pause| pause.until <= now)
    }

    /// Counted bytes of texts of scripts and libraries.
    pub fn script_bytes(&self) -> u64 {
        self.scripts.evaluation.counted_bytes() + self.scripts.libraries.counted_bytes()
    }

    /// Whether writes are refused because the store fails or is read-only.
    #[inline(always)]
    pub fn has_store_error(&self) -> bool {
        self.saving.may_refuse_writes() && self.store_error().is_some()
    }

    /// The error for writes, as Redis words it: the keys are read-only, the log cannot be written, or the last snapshot
    /// failed while `save` asks for snapshots and `stop-writes-on-bgsave-error` is on.
    pub fn store_error(&self) -> Option<ErrorText> {
        if self.saving.is_read_only {
            return Some(CommandError::READ_ONLY.into());
        }
        let config = &self.config;
        let stops = || config.get("stop-writes-on-bgsave-error") == "yes" && !config.get("save").is_empty();
        if self.saving.has_failed(SaveKind::Snapshot) && stops() {
            return Some(CommandError::SNAPSHOT_FAILED.into());
        }
        let reason = self.saving.log_failure()?;
        Some(ErrorText::made(format!("MISCONF Errors writing to the AOF file: {reason}")))
    }

    /// Delivers what happened to keys since the last call: invalidations first, then keyspace notifications.
    pub fn announce(&self, keyspace: &mut Keyspace, clients: &mut Clients) {
        let stale = keyspace.interest.tracking.take();
        if keyspace.interest.tracking.has_pending() || !stale.is_empty() {
            clients.events_before = keyspace.events.seen();
            invalidations::deliver(&stale, &mut keyspace.interest.tracking, clients);
        }
        self.publish_events(&mut keyspace.events, clients);
    }

    /// Delivers the changed keys to clients that track in broadcast mode, at the end of a command.
    pub fn broadcast(&self, keyspace: &mut Keyspace, clients: &mut Clients) {
        invalidations::broadcast(&mut keyspace.interest.tracking, clients);
    }

    /// Publishes the events since the last call as keyspace notifications.
    fn publish_events(&self, events: &mut Events, clients: &mut Clients) {
        clients.events_before = events.seen();
        for event in events.unseen() {
            clients.events_before += 1;
            self.publish_event(event, clients);
        }
        events.see_all();
    }

    fn publish_event(&self, event: &Event, clients: &mut Clients) {
        let classes = &self.settings.event_classes;
        let Some(letter) = event.kind.class().letter() else { return };
        if self.pubsub.is_idle() || !notifies(classes, letter) {
            return;
        }
        let (by_key, by_event) = (notifies(classes, 'K'), notifies(classes, 'E'));
        let name = event.kind.name().as_bytes();
        if by_key {
            let head = format!("__keyspace@{}__:", event.database);
            let mut channel = Vec::new();
            if try_reserve(&mut channel, head.len() + event.key.len()).is_err() {
                // The subscribers of the channel cannot be determined, so all subscribers are disconnected.
                return clients.close_subscribers();
            }
            channel.extend_from_slice(head.as_bytes());
            channel.extend_from_slice(&event.key);
            self.pubsub.publish(Channels::Plain, &channel, name, clients);
        }
        if by_event {
            let channel = [format!("__keyevent@{}__:", event.database).as_bytes(), name].concat();
            self.pubsub.publish(Channels::Plain, &channel, &event.key, clients);
        }
    }
}

//! What belongs to the server as a whole and to no keyspace or client: configuration, counts, the pause.

pub mod clients;
pub mod config;
pub mod invalidations;
pub mod pubsub;
pub mod stats;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::headroom::make_room;
use crate::keyspace::{DATABASES, Event, Events, Keyspace, QueuePosition};
use crate::resp::decode::Limits;
use crate::server::clients::Clients;
use crate::server::config::{Config, notifies};
use crate::server::pubsub::{Channels, PubSub};
use crate::server::stats::Stats;

/// The Redis version whose semantics are implemented; clients choose their commands by it.
pub const REDIS_VERSION: &str = "8.6.3";
pub const KEYLATCH_VERSION: &str = env!("CARGO_PKG_VERSION");

/// CLIENT PAUSE: which commands wait, and until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    pub until: Timestamp,
    /// Reading goes on.
    pub writes_only: bool,
}

/// CLIENT UNBLOCK: a blocked command that must end, as if its time were over or with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unblock {
    pub position: QueuePosition,
    pub with_error: bool,
}

/// SLOWLOG thresholds below this have every command measured alone.
const ALONE_BELOW_US: i64 = 1000;

/// Settings that every command may need, read when the configuration changes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Negative: no command is remembered as slow.
    pub slowlog_slower_than_us: i64,
    /// The letters of `notify-keyspace-events`.
    pub event_classes: String,
    pub password_required: bool,
    /// How many databases clients may choose from.
    pub databases: u8,
    /// What clients may send at most.
    pub limits: Limits,
}

impl Settings {
    fn read(config: &Config) -> Settings {
        Settings {
            slowlog_slower_than_us: config.number("slowlog-log-slower-than"),
            event_classes: config.get("notify-keyspace-events").into(),
            password_required: !config.get("requirepass").is_empty(),
            databases: config.number("databases").clamp(1, DATABASES.into()) as u8,
            limits: config.request_limits(),
        }
    }

    /// Whether SLOWLOG asks for commands so short that each has to be measured.
    #[inline(always)]
    pub fn measures_each(&self) -> bool {
        (0..ALONE_BELOW_US).contains(&self.slowlog_slower_than_us)
    }
}

#[derive(Clone, Debug)]
pub struct Server {
    pub config: Config,
    pub settings: Settings,
    /// The configuration changed since the host last asked.
    pub configured: bool,
    pub stats: Stats,
    pub pause: Option<Pause>,
    /// What the engine has to do once the running command has ended.
    pub unblocks: Vec<Unblock>,
    /// DEBUG RELOAD was asked for.
    pub reload: bool,
    pub pubsub: PubSub,
    pub started_at: Option<Timestamp>,
    /// When the keyspace was last saved, or loaded.
    pub saved_at: Timestamp,
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
            saved_at: Timestamp::default(),
        }
    }
}

impl Server {
    /// Changes the configuration, and what depends on it.
    pub fn configure(&mut self, changes: Vec<(&'static str, String)>, keyspace: &mut Keyspace) {
        changes.into_iter().for_each(|change| self.config.set(change));
        self.settings = Settings::read(&self.config);
        self.configured = true;
        keyspace.limits = self.config.limits();
        keyspace.limit_memory(self.config.memory_limit());
        keyspace.interest.tracking.set_keys_max(self.config.number("tracking-table-max-keys") as u64);
        keyspace.events.publish(!self.settings.event_classes.is_empty());
    }

    /// Tells clients what happened to keys since the last call: that copies are out of date, then the notifications.
    pub fn announce(&self, keyspace: &mut Keyspace, clients: &mut Clients) {
        let stale = keyspace.interest.tracking.take();
        if keyspace.interest.tracking.has_news() || !stale.is_empty() {
            clients.events_before = keyspace.events.seen();
            invalidations::deliver(&stale, &mut keyspace.interest.tracking, clients);
        }
        self.publish_events(&mut keyspace.events, clients);
    }

    /// Tells clients at the end of a command what they want to know of keys that they never read.
    pub fn broadcast(&self, keyspace: &mut Keyspace, clients: &mut Clients) {
        invalidations::broadcast(&mut keyspace.interest.tracking, clients);
    }

    /// Publishes what happened to keys since the last call, to those who subscribed to it.
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
            if make_room(&mut channel, head.len() + event.key.len()).is_err() {
                // Nobody knows who would have been told.
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

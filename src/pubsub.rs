//! Who listens to which channel, and how messages reach them: through each subscriber's outbox.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::client::{Client, ClientId, Clients};
use crate::glob;
use crate::reply::writer::Writer;

/// The three ways to subscribe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channels {
    Plain,
    Pattern,
    /// Shard channels: a name space of their own.
    Shard,
}

impl Channels {
    /// The first element of the confirmation and of a message.
    pub fn words(self) -> ChannelWords {
        match self {
            Channels::Plain => {
                ChannelWords { subscribed: "subscribe", unsubscribed: "unsubscribe", message: "message" }
            }
            Channels::Pattern => {
                ChannelWords { subscribed: "psubscribe", unsubscribed: "punsubscribe", message: "pmessage" }
            }
            Channels::Shard => {
                ChannelWords { subscribed: "ssubscribe", unsubscribed: "sunsubscribe", message: "smessage" }
            }
        }
    }

    /// The client's own list of them.
    pub fn of(self, client: &Client) -> &BTreeSet<Box<[u8]>> {
        match self {
            Channels::Plain => &client.channels,
            Channels::Pattern => &client.patterns,
            Channels::Shard => &client.shard_channels,
        }
    }

    pub fn of_mut(self, client: &mut Client) -> &mut BTreeSet<Box<[u8]>> {
        match self {
            Channels::Plain => &mut client.channels,
            Channels::Pattern => &mut client.patterns,
            Channels::Shard => &mut client.shard_channels,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ChannelWords {
    pub subscribed: &'static str,
    pub unsubscribed: &'static str,
    pub message: &'static str,
}

type Subscribers = BTreeMap<Box<[u8]>, BTreeSet<ClientId>>;

/// The subscriptions of all clients.
#[derive(Clone, Debug, Default)]
pub struct PubSub {
    channels: Subscribers,
    patterns: Subscribers,
    shard_channels: Subscribers,
}

impl PubSub {
    /// Channels with subscribers, and who they are.
    pub fn subscribers(&self, channels: Channels) -> &Subscribers {
        match channels {
            Channels::Plain => &self.channels,
            Channels::Pattern => &self.patterns,
            Channels::Shard => &self.shard_channels,
        }
    }

    fn subscribers_mut(&mut self, channels: Channels) -> &mut Subscribers {
        match channels {
            Channels::Plain => &mut self.channels,
            Channels::Pattern => &mut self.patterns,
            Channels::Shard => &mut self.shard_channels,
        }
    }

    pub fn subscribe(&mut self, channels: Channels, name: &[u8], client: &mut Client) {
        channels.of_mut(client).insert(name.into());
        self.subscribers_mut(channels).entry(name.into()).or_default().insert(client.id);
    }

    pub fn unsubscribe(&mut self, channels: Channels, name: &[u8], client: &mut Client) {
        channels.of_mut(client).remove(name);
        let subscribers = self.subscribers_mut(channels);
        if let Some(clients) = subscribers.get_mut(name) {
            clients.remove(&client.id);
            if clients.is_empty() {
                subscribers.remove(name);
            }
        }
    }

    /// Ends all subscriptions of a client, silently.
    pub fn unsubscribe_all(&mut self, client: &mut Client) {
        for channels in [Channels::Plain, Channels::Pattern, Channels::Shard] {
            for name in channels.of(client).clone() {
                self.unsubscribe(channels, &name, client);
            }
        }
    }

    /// Sends a message to a channel: to its subscribers, then to those of matching patterns. Answers how many got it; a
    /// client that listens in two ways gets it twice.
    pub fn publish(&self, channels: Channels, name: &[u8], message: &[u8], clients: &mut Clients) -> usize {
        let mut receivers = 0;
        for id in self.subscribers(channels).get(name).into_iter().flatten() {
            receivers += usize::from(deliver(clients, *id, &[channels.words().message.as_bytes(), name, message]));
        }
        if channels == Channels::Plain {
            for (pattern, ids) in self.patterns.iter().filter(|(pattern, _)| glob::matches(pattern, name)) {
                for id in ids {
                    receivers += usize::from(deliver(clients, *id, &[b"pmessage", pattern, name, message]));
                }
            }
        }
        receivers
    }

    /// Whether anybody listens to anything but shard channels.
    pub fn is_idle(&self) -> bool {
        self.channels.is_empty() && self.patterns.is_empty()
    }
}

fn deliver(clients: &mut Clients, id: ClientId, parts: &[&[u8]]) -> bool {
    let Some(client) = clients.get_mut(id) else { return false };
    let mut push = Writer::appending_to(core::mem::take(&mut client.outbox), client.protocol);
    push.push(parts.len());
    parts.iter().for_each(|part| push.bulk(part));
    client.outbox = push.into_bytes();
    true
}

/// The names a client is subscribed to that way, in order.
pub fn names(channels: Channels, client: &Client) -> Vec<Box<[u8]>> {
    channels.of(client).iter().cloned().collect()
}

//! Pub/Sub: subscriptions of clients, and delivery of messages to the subscribers' outboxes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::glob;
use crate::server::clients::{Client, ClientId, Clients};
use crate::store::name_index::NameIndex;

/// Kinds of subscriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channels {
    Plain,
    Pattern,
    /// Shard channels, with a name space of their own.
    Shard,
}

impl Channels {
    /// Words that begin confirmations and messages of this kind.
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

    fn of_mut(self, client: &mut Client) -> &mut Vec<Box<[u8]>> {
        match self {
            Channels::Plain => &mut client.channels,
            Channels::Pattern => &mut client.patterns,
            Channels::Shard => &mut client.shard_channels,
        }
    }

    /// Scope of the names in the index of subscribers.
    fn scope(self) -> u8 {
        self as u8
    }
}

/// First elements of confirmations and messages.
#[derive(Clone, Copy, Debug)]
pub struct ChannelWords {
    pub subscribed: &'static str,
    pub unsubscribed: &'static str,
    pub message: &'static str,
}

/// Subscriptions of all clients.
#[derive(Clone, Debug, Default)]
pub struct PubSub {
    subscribers: NameIndex,
    /// Number of names of each kind that have subscribers.
    counts: [usize; 3],
}

impl PubSub {
    /// Number of channels or patterns of a kind that have subscribers.
    pub fn count(&self, channels: Channels) -> usize {
        self.counts[usize::from(channels.scope())]
    }

    /// Number of channels and patterns of all kinds that have subscribers.
    pub fn name_count(&self) -> usize {
        self.subscribers.len()
    }

    /// Channels or patterns of a kind that have subscribers, in order.
    pub fn names(&self, channels: Channels) -> impl Iterator<Item = &[u8]> {
        self.subscribers.names().filter(move |(scope, _)| *scope == channels.scope()).map(|(_, name)| name)
    }

    pub fn subscriber_count(&self, channels: Channels, name: &[u8]) -> usize {
        self.subscribers.of(channels.scope(), name).len()
    }

    pub fn subscribe(&mut self, channels: Channels, name: &[u8], client: &mut Client) {
        let names = self.subscribers.len();
        if self.subscribers.add(channels.scope(), name, client.id.0.into()) {
            channels.of_mut(client).push(name.into());
            self.counts[usize::from(channels.scope())] += self.subscribers.len() - names;
        }
    }

    pub fn unsubscribe(&mut self, channels: Channels, name: &[u8], client: &mut Client) {
        let names = self.subscribers.len();
        if self.subscribers.remove(channels.scope(), name, client.id.0.into()) {
            let own = channels.of_mut(client);
            if let Some(at) = own.iter().rposition(|own| **own == *name) {
                own.swap_remove(at);
            }
            self.counts[usize::from(channels.scope())] -= names - self.subscribers.len();
        }
    }

    /// Ends all subscriptions of one kind; returns their names.
    pub fn leave(&mut self, channels: Channels, client: &mut Client) -> Vec<Box<[u8]>> {
        let names = core::mem::take(channels.of_mut(client));
        names.iter().for_each(|name| self.unsubscribe(channels, name, client));
        names
    }

    /// Ends all subscriptions of a client without confirmations.
    pub fn unsubscribe_all(&mut self, client: &mut Client) {
        for channels in [Channels::Plain, Channels::Pattern, Channels::Shard] {
            self.leave(channels, client);
        }
    }

    /// Publishes a message to the subscribers of a channel, then to those of matching patterns. Returns the number of
    /// deliveries; a client with two matching subscriptions receives the message twice.
    pub fn publish(&self, channels: Channels, name: &[u8], message: &[u8], clients: &mut Clients) -> usize {
        let mut receivers = 0;
        for id in self.subscribers.of(channels.scope(), name) {
            receivers += usize::from(deliver(clients, *id, &[channels.words().message.as_bytes(), name, message]));
        }
        if channels == Channels::Plain && self.count(Channels::Pattern) > 0 {
            for pattern in self.names(Channels::Pattern).filter(|pattern| glob::matches_channel(pattern, name)) {
                for id in self.subscribers.of(Channels::Pattern.scope(), pattern) {
                    receivers += usize::from(deliver(clients, *id, &[b"pmessage", pattern, name, message]));
                }
            }
        }
        receivers
    }

    /// Whether no client is subscribed to channels or patterns. Shard channels do not count.
    pub fn is_idle(&self) -> bool {
        self.count(Channels::Plain) == 0 && self.count(Channels::Pattern) == 0
    }
}

fn deliver(clients: &mut Clients, id: u64, parts: &[&[u8]]) -> bool {
    // Client ids are 32 bits wide.
    clients.post(ClientId(id as u32), |messages| {
        messages.push(parts.len());
        parts.iter().for_each(|part| messages.bulk(part));
    })
}

//! How a client learns that its copies are out of date: a push, or a message to the client that it named instead.

use crate::client::{Client, ClientId, Clients};
use crate::keyspace::{Invalidation, Stale, Tracking};
use crate::reply::writer::{Protocol, Writer};

/// What comes before the keys: for RESP3, and for RESP2, where it looks like a message of a channel.
const PUSH: &[&[u8]] = &[b"invalidate"];
const MESSAGE: &[&[u8]] = &[b"message", b"__redis__:invalidate"];

/// Hands out invalidations in their order. Nothing can be told to a RESP2 client, unless it is subscribed to something
/// and told instead of another.
pub fn deliver(invalidations: &[Invalidation], tracking: &mut Tracking, clients: &mut Clients) {
    for invalidation in invalidations {
        let Some(protocol) = clients.get(invalidation.client).map(|client| client.protocol) else { continue };
        match invalidation.redirect {
            None if protocol == Protocol::Resp3 => tell(invalidation.client, PUSH, invalidation, protocol, clients),
            None => {}
            // One that is about to be closed is told nothing any more.
            Some(other) => match clients.get(other).filter(|client| !client.closing) {
                Some(Client { protocol: Protocol::Resp3, .. }) => tell(other, PUSH, invalidation, protocol, clients),
                Some(subscriber) if subscriber.is_subscribed() => tell(other, MESSAGE, invalidation, protocol, clients),
                Some(_) => {}
                None => {
                    tracking.note_broken_redirect(invalidation.client);
                    complain(invalidation.client, other, clients);
                }
            },
        }
    }
}

/// `head` is what comes before the keys.
fn tell(receiver: ClientId, head: &[&[u8]], invalidation: &Invalidation, protocol: Protocol, clients: &mut Clients) {
    clients.post(receiver, |messages| {
        messages.push(head.len() + 1);
        head.iter().for_each(|part| messages.bulk(part));
        write(&invalidation.stale, protocol, messages);
    });
}

/// `protocol` is that of the client whose copies are meant: Redis writes its kind of null, whoever reads it.
fn write(stale: &Stale, protocol: Protocol, messages: &mut Writer) {
    match stale {
        Stale::Keys(keys) => {
            messages.array(keys.len());
            keys.iter().for_each(|key| messages.bulk(key));
        }
        Stale::Everything => {
            let mut null = Writer::new(protocol);
            null.null();
            messages.append(&null);
        }
    }
}

/// Tells a client that the one it named is gone.
fn complain(client: ClientId, other: ClientId, clients: &mut Clients) {
    if clients.get(client).is_some_and(|client| client.protocol == Protocol::Resp3) {
        clients.post(client, |messages| {
            messages.push(2);
            messages.bulk(b"tracking-redir-broken");
            messages.integer(other.0.into());
        });
    }
}

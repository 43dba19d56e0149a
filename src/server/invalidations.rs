//! How a client learns that its copies are out of date: a push, or a message to the client that it named instead.

use crate::keyspace::{Invalidation, Recipient, Stale, Tracking};
use crate::resp::encode::{Protocol, Writer};
use crate::server::clients::{Client, ClientId, Clients};

/// What comes before the keys: for RESP3, and for RESP2, where it looks like a message of a channel.
const PUSH: &[&[u8]] = &[b"invalidate"];
const MESSAGE: &[&[u8]] = &[b"message", b"__redis__:invalidate"];

/// Hands out invalidations in their order.
pub fn deliver(invalidations: &[Invalidation], tracking: &mut Tracking, clients: &mut Clients) {
    for Invalidation { stale, told } in invalidations {
        for told in told {
            let is_told = hand_on(*told, clients, &|protocol, messages| match stale {
                Stale::Key(key) => {
                    messages.array(1);
                    messages.bulk(key);
                }
                Stale::Everything => {
                    let mut null = Writer::new(protocol);
                    null.null();
                    messages.append(&null);
                }
            });
            if !is_told {
                tracking.note_broken_redirect(told.client);
            }
        }
    }
    // They must not go on as if nothing had changed.
    tracking.take_missed(&mut |told| told.redirect.into_iter().chain([told.client]).for_each(|id| clients.close(id)));
}

/// Tells of changed keys by their prefixes: each key once, in order.
pub fn broadcast(tracking: &mut Tracking, clients: &mut Clients) {
    let changed = tracking.take_changed();
    let mut last = ClientId(0);
    while !changed.is_empty()
        && let Some((client, tracker)) = tracking.tracker_behind(last)
    {
        let mut is_told = true;
        for prefix in &tracker.prefixes {
            let is_own = |author: &[u64]| tracker.noloop && author.first() == Some(&client.0.into());
            let stale = || changed.entries().filter(|(_, key, author)| key.starts_with(prefix) && !is_own(author));
            let count = stale().count();
            if count > 0 {
                is_told &= hand_on(Recipient { client, redirect: tracker.redirect }, clients, &|_, messages| {
                    messages.array(count);
                    stale().for_each(|(_, key, _)| messages.bulk(key));
                });
            }
        }
        if !is_told {
            tracking.note_broken_redirect(client);
        }
        last = client;
    }
}

/// Writes what is out of date, for the protocol of the client whose copies are meant: Redis writes its kind of null,
/// whoever reads it.
type Write<'w> = &'w dyn Fn(Protocol, &mut Writer);

/// Tells the client, or who is told instead; false when that one is gone. Nothing can be told to a RESP2 client, unless
/// it is subscribed to something and told instead of another.
fn hand_on(told: Recipient, clients: &mut Clients, write: Write<'_>) -> bool {
    let Some(protocol) = clients.get(told.client).map(|client| client.protocol) else { return true };
    let Some(other) = told.redirect else {
        if protocol == Protocol::Resp3 {
            post(told.client, PUSH, protocol, clients, write);
        }
        return true;
    };
    // One that is about to be closed is told nothing any more.
    match clients.get(other).filter(|client| !client.closing) {
        Some(Client { protocol: Protocol::Resp3, .. }) => post(other, PUSH, protocol, clients, write),
        Some(subscriber) if subscriber.is_subscribed() => post(other, MESSAGE, protocol, clients, write),
        Some(_) => {}
        None => {
            complain(told.client, other, clients);
            return false;
        }
    }
    true
}

/// `head` is what comes before the keys.
fn post(receiver: ClientId, head: &[&[u8]], protocol: Protocol, clients: &mut Clients, write: Write<'_>) {
    clients.post(receiver, |messages| {
        messages.push(head.len() + 1);
        head.iter().for_each(|part| messages.bulk(part));
        write(protocol, messages);
    });
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

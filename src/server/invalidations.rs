//! Delivery of invalidations: a push to the client, or a message to its redirect client.

use crate::keyspace::{Invalidation, Recipient, Stale, Tracking};
use crate::resp::encode::{Protocol, Writer};
use crate::server::clients::{Client, ClientId, Clients};

/// Elements before the keys in a RESP3 push.
const PUSH: &[&[u8]] = &[b"invalidate"];
/// Elements before the keys over RESP2, where an invalidation is a message of a channel.
const MESSAGE: &[&[u8]] = &[b"message", b"__redis__:invalidate"];

/// Delivers invalidations in order.
pub fn deliver(invalidations: &[Invalidation], tracking: &mut Tracking, clients: &mut Clients) {
    for Invalidation { stale, recipients } in invalidations {
        for recipient in recipients {
            let is_delivered = send(*recipient, clients, &|protocol, messages| match stale {
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
            if !is_delivered {
                tracking.note_broken_redirect(recipient.client);
            }
        }
    }
    // A client that missed an invalidation is disconnected, because its copies may be out of date.
    tracking.take_lost(&mut |recipient| {
        recipient.redirect.into_iter().chain([recipient.client]).for_each(|id| clients.close(id));
    });
}

/// Delivers the changed keys to broadcasting clients by prefix: each key once, in order.
pub fn broadcast(tracking: &mut Tracking, clients: &mut Clients) {
    let changed = tracking.take_changed();
    let mut last = ClientId(0);
    while !changed.is_empty()
        && let Some((client, tracker)) = tracking.tracker_after(last)
    {
        let mut is_delivered = true;
        for prefix in &tracker.prefixes {
            let is_own = |author: &[u64]| tracker.noloop && author.first() == Some(&client.0.into());
            let stale = || changed.entries().filter(|(_, key, author)| key.starts_with(prefix) && !is_own(author));
            let count = stale().count();
            if count > 0 {
                is_delivered &= send(Recipient { client, redirect: tracker.redirect }, clients, &|_, messages| {
                    messages.array(count);
                    stale().for_each(|(_, key, _)| messages.bulk(key));
                });
            }
        }
        if !is_delivered {
            tracking.note_broken_redirect(client);
        }
        last = client;
    }
}

/// Writer of the stale keys. The protocol is that of the tracking client, which decides the form of null even for a
/// redirect, as in Redis.
type Write<'w> = &'w dyn Fn(Protocol, &mut Writer);

/// Sends an invalidation to the client or its redirect client. Returns false if the redirect client is disconnected. A
/// RESP2 client receives invalidations only as a subscribed redirect client.
fn send(recipient: Recipient, clients: &mut Clients, write: Write<'_>) -> bool {
    let Some(protocol) = clients.get(recipient.client).map(|client| client.protocol) else { return true };
    let Some(other) = recipient.redirect else {
        if protocol == Protocol::Resp3 {
            post(recipient.client, PUSH, protocol, clients, write);
        }
        return true;
    };
    // A client that is being closed counts as disconnected.
    match clients.get(other).filter(|client| !client.closing) {
        Some(Client { protocol: Protocol::Resp3, .. }) => post(other, PUSH, protocol, clients, write),
        Some(subscriber) if subscriber.is_subscribed() => post(other, MESSAGE, protocol, clients, write),
        Some(_) => {}
        None => {
            report_broken_redirect(recipient.client, other, clients);
            return false;
        }
    }
    true
}

/// Appends an invalidation to the outbox of `receiver`; `head` are the elements before the keys.
fn post(receiver: ClientId, head: &[&[u8]], protocol: Protocol, clients: &mut Clients, write: Write<'_>) {
    clients.post(receiver, |messages| {
        messages.push(head.len() + 1);
        head.iter().for_each(|part| messages.bulk(part));
        write(protocol, messages);
    });
}

/// Notifies a RESP3 client that its redirect client is disconnected.
fn report_broken_redirect(client: ClientId, other: ClientId, clients: &mut Clients) {
    if clients.get(client).is_some_and(|client| client.protocol == Protocol::Resp3) {
        clients.post(client, |messages| {
            messages.push(2);
            messages.bulk(b"tracking-redir-broken");
            messages.integer(other.0.into());
        });
    }
}

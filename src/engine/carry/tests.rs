//! Tests of clients that another engine adopts.

use alloc::string::String;

use super::*;
use crate::engine::Engine;
use crate::server::clients::Clients;

fn run_line(engine: &mut Engine, client: ClientId, line: &str) -> String {
    let argv = Argv::from_slices(&line.split(' ').collect::<Vec<_>>());
    let mut out = Vec::new();
    engine.execute_now(client, argv.as_ref(), &mut out);
    String::from_utf8(out).unwrap()
}

fn outbox(clients: &mut Clients, client: ClientId) -> String {
    String::from_utf8(core::mem::take(&mut clients.get_mut(client).unwrap().outbox)).unwrap()
}

/// A fresh engine at the same instant with the clients of another, in this order.
fn adopted(engine: &mut Engine, clients: &[ClientId]) -> Engine {
    let mut next = Engine::new(1);
    next.set_now(engine.now());
    for client in clients {
        let words = HostServer::of(engine).carried(*client).unwrap().unwrap();
        assert_eq!(HostServer::of(&mut next).adopt(words.as_ref()).unwrap(), Some(*client));
    }
    next.tick();
    next
}

fn engine_at(ms: i64) -> Engine {
    let mut engine = Engine::new(1);
    engine.set_now(Timestamp::from_ms(ms));
    engine
}

#[test]
fn settings_and_subscriptions_are_carried() {
    let mut engine = engine_at(1000);
    let (gone, client, other) = (engine.connect(), engine.connect(), engine.connect());
    engine.disconnect(gone);
    for line in ["HELLO 3", "CLIENT SETNAME one", "SELECT 3", "SUBSCRIBE a b", "PSUBSCRIBE n*", "SSUBSCRIBE s"] {
        run_line(&mut engine, client, line);
    }
    let mut next = adopted(&mut engine, &[client, other]);
    assert_eq!(run_line(&mut next, client, "CLIENT GETNAME"), "$3\r\none\r\n");
    assert_eq!(next.clients.get(client).unwrap().database, 3);
    for (line, message) in [
        ("PUBLISH b hello", ">3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$5\r\nhello\r\n"),
        ("PUBLISH news x", ">4\r\n$8\r\npmessage\r\n$2\r\nn*\r\n$4\r\nnews\r\n$1\r\nx\r\n"),
        ("SPUBLISH s x", ">3\r\n$8\r\nsmessage\r\n$1\r\ns\r\n$1\r\nx\r\n"),
    ] {
        assert_eq!(run_line(&mut next, other, line), ":1\r\n");
        assert_eq!(outbox(&mut next.clients, client), message);
    }
    assert!(next.connect() > other, "ids are not used twice");
}

#[test]
fn blocked_clients_keep_their_order_and_their_deadlines() {
    let mut engine = engine_at(1000);
    let (first, second, third, writer) = (engine.connect(), engine.connect(), engine.connect(), engine.connect());
    assert_eq!(run_line(&mut engine, third, "BLPOP q 0"), "");
    assert_eq!(run_line(&mut engine, first, "BLPOP q 5"), "");
    assert_eq!(run_line(&mut engine, second, "BLPOP q 2"), "");
    engine.set_now(Timestamp::from_ms(2000));
    let mut next = adopted(&mut engine, &[writer, third, first, second]);
    assert_eq!(HostServer::of(&mut next).next_wake(), Some(Timestamp::from_ms(3000)));
    next.set_now(Timestamp::from_ms(3000));
    next.tick();
    assert_eq!(outbox(&mut next.clients, second), "*-1\r\n");
    assert_eq!(run_line(&mut next, writer, "RPUSH q x y"), ":2\r\n");
    assert_eq!(outbox(&mut next.clients, third), "*2\r\n$1\r\nq\r\n$1\r\nx\r\n");
    assert_eq!(outbox(&mut next.clients, first), "*2\r\n$1\r\nq\r\n$1\r\ny\r\n");
    assert_eq!(HostServer::of(&mut next).next_wake(), None);
}

#[test]
fn a_timeout_that_passed_meanwhile_ends_at_once() {
    let mut engine = engine_at(1000);
    let client = engine.connect();
    run_line(&mut engine, client, "BLPOP q 2");
    engine.set_now(Timestamp::from_ms(9000));
    let mut next = adopted(&mut engine, &[client]);
    assert_eq!(outbox(&mut next.clients, client), "*-1\r\n");
}

#[test]
fn what_is_left_out_is_noticed() {
    let mut engine = engine_at(1000);
    let (multi, watch, tracking, redirected) = (engine.connect(), engine.connect(), engine.connect(), engine.connect());
    run_line(&mut engine, multi, "MULTI");
    run_line(&mut engine, multi, "SET k v");
    run_line(&mut engine, watch, "WATCH k");
    run_line(&mut engine, tracking, "HELLO 3");
    run_line(&mut engine, tracking, "CLIENT TRACKING ON BCAST PREFIX p: NOLOOP");
    run_line(&mut engine, redirected, "CLIENT TRACKING ON OPTIN");
    let mut next = adopted(&mut engine, &[multi, watch, tracking, redirected]);
    assert!(run_line(&mut next, multi, "EXEC").starts_with("-EXECABORT"));
    assert_eq!(run_line(&mut next, multi, "GET k"), "$-1\r\n");
    run_line(&mut next, watch, "MULTI");
    run_line(&mut next, watch, "SET k v");
    assert_eq!(run_line(&mut next, watch, "EXEC"), "*-1\r\n");
    assert_eq!(outbox(&mut next.clients, tracking), ">2\r\n$10\r\ninvalidate\r\n_\r\n");
    run_line(&mut next, multi, "SET p:1 v");
    assert_eq!(outbox(&mut next.clients, tracking), ">2\r\n$10\r\ninvalidate\r\n*1\r\n$3\r\np:1\r\n");
    let info = run_line(&mut next, redirected, "CLIENT TRACKINGINFO");
    assert!(info.contains("optin"), "{info}");
}

#[test]
fn keys_that_expire_wake_the_host_only_for_clients_that_hear_of_it() {
    let mut engine = engine_at(1000);
    let (client, other) = (engine.connect(), engine.connect());
    run_line(&mut engine, client, "SET k v PX 500");
    run_line(&mut engine, client, "SUBSCRIBE c");
    assert_eq!(
        (HostServer::of(&mut engine).next_wake(), engine.next_deadline()),
        (None, Some(Timestamp::from_ms(1501)))
    );
    run_line(&mut engine, other, "HELLO 3");
    run_line(&mut engine, other, "CLIENT TRACKING ON");
    assert_eq!(HostServer::of(&mut engine).next_wake(), Some(Timestamp::from_ms(1501)));
}

#[test]
fn malformed_words_are_no_client() {
    let mut engine = engine_at(1000);
    assert_eq!(HostServer::of(&mut engine).adopt(Argv::from_slices(&["1", "2"]).as_ref()).unwrap(), None);
    let words = Argv::from_slices(&["x"; 14]);
    let id = HostServer::of(&mut engine).adopt(words.as_ref()).unwrap().unwrap();
    assert_eq!(run_line(&mut engine, id, "PING"), "+PONG\r\n");
}

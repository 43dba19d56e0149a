//! Saves by the host: their ends answer the clients that wait, and a store that fails refuses writes.

use alloc::string::String;
use alloc::vec::Vec;

use super::*;
use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::server::clients::ClientId;

struct Fixture {
    engine: Engine,
    client: ClientId,
}

impl Fixture {
    fn with_store() -> Fixture {
        let mut engine = Engine::new(1);
        engine.set_now(Timestamp::from_ms(5_000));
        engine.server.saving.is_available = true;
        engine.keyspace.effects.want(true);
        let client = engine.connect();
        Fixture { engine, client }
    }

    fn run_as(&mut self, client: ClientId, line: &str) -> String {
        let argv = Argv::from_slices(&line.split(' ').collect::<Vec<_>>());
        let mut out = Vec::new();
        self.engine.execute_now(client, argv.as_ref(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn run(&mut self, line: &str) -> String {
        self.run_as(self.client, line)
    }

    fn take(&mut self) -> Option<SaveKind> {
        let effects = self.engine.keyspace.effects.count();
        self.engine.server.saving.take(effects)
    }

    fn finish(&mut self, kind: SaveKind, failure: Option<&str>) {
        HostStore::of(&mut self.engine).finish_save(kind, failure);
    }

    fn outbox(&mut self, client: ClientId) -> String {
        let client = self.engine.clients.get_mut(client).unwrap();
        String::from_utf8(core::mem::take(&mut client.outbox)).unwrap()
    }

    /// The line of INFO with this name.
    fn info(&mut self, name: &str) -> String {
        let reply = self.run("INFO persistence");
        let line = reply.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(String::from));
        line.unwrap_or_default()
    }
}

#[test]
fn save_replies_when_the_host_reports_its_end() {
    let mut fixture = Fixture::with_store();
    let other = fixture.engine.connect();
    fixture.run("SET k v");
    assert_eq!((fixture.run("SAVE"), fixture.run("PING")), (String::new(), String::new()));
    assert_eq!(fixture.run_as(other, "SAVE"), "-ERR Background save already in progress\r\n");
    assert_eq!((fixture.take(), fixture.take()), (Some(SaveKind::Snapshot), None));
    assert_eq!(fixture.run_as(other, "SET k w"), "+OK\r\n");
    fixture.engine.set_now(Timestamp::from_ms(9_000));
    fixture.finish(SaveKind::Snapshot, None);
    assert_eq!(fixture.outbox(fixture.client), "+OK\r\n+PONG\r\n");
    assert_eq!(fixture.run("LASTSAVE"), ":9\r\n");
    assert_eq!(fixture.info("rdb_changes_since_last_save"), "1");
}

#[test]
fn waitaof_replies_when_the_log_is_synced() {
    let mut fixture = Fixture::with_store();
    fixture.engine.server.saving.log.is_kept = true;
    fixture.run("SET k v");
    assert_eq!(fixture.run("WAITAOF 0 0 0"), "*2\r\n:0\r\n:0\r\n");
    assert_eq!((fixture.run("WAITAOF 1 0 0"), fixture.run("PING")), (String::new(), String::new()));
    assert!(fixture.engine.server.saving.log.take());
    let other = fixture.engine.connect();
    fixture.run_as(other, "SET k w");
    assert_eq!(fixture.run_as(other, "WAITAOF 1 0 0"), "");
    HostStore::of(&mut fixture.engine).log_synced(1);
    assert_eq!(fixture.outbox(fixture.client), "*2\r\n:1\r\n:0\r\n+PONG\r\n");
    assert_eq!(fixture.outbox(other), "");
    HostStore::of(&mut fixture.engine).log_synced(2);
    assert_eq!(fixture.outbox(other), "*2\r\n:1\r\n:0\r\n");
    assert_eq!(fixture.run("WAITAOF 1 0 0"), "*2\r\n:1\r\n:0\r\n");
}

#[test]
fn waitaof_ends_with_its_timeout() {
    let mut fixture = Fixture::with_store();
    fixture.engine.server.saving.log.is_kept = true;
    fixture.run("SET k v");
    assert_eq!(fixture.run("WAITAOF 1 0 100"), "");
    fixture.engine.set_now(Timestamp::from_ms(5_101));
    fixture.engine.time_out_due();
    assert_eq!(fixture.outbox(fixture.client), "*2\r\n:0\r\n:0\r\n");
}

#[test]
fn a_failed_save_answers_with_the_hosts_reason() {
    let mut fixture = Fixture::with_store();
    fixture.run("SAVE");
    fixture.take();
    fixture.finish(SaveKind::Snapshot, Some("no space left"));
    assert_eq!(fixture.outbox(fixture.client), "-ERR no space left\r\n");
    assert_eq!((fixture.run("LASTSAVE"), fixture.info("rdb_last_bgsave_status")), (":5\r\n".into(), "err".into()));
}

#[test]
fn a_client_may_leave_or_be_unblocked_while_it_waits() {
    let mut fixture = Fixture::with_store();
    let (first, second) = (fixture.engine.connect(), fixture.engine.connect());
    fixture.run_as(first, "SAVE");
    let unblock = alloc::format!("CLIENT UNBLOCK {}", first.0);
    assert_eq!(fixture.run(&unblock), ":1\r\n");
    assert!(fixture.outbox(first).starts_with("-UNBLOCKED"));
    fixture.take();
    fixture.finish(SaveKind::Snapshot, None);
    assert_eq!(fixture.outbox(first), "");
    fixture.run_as(second, "SAVE");
    fixture.engine.disconnect(second);
    fixture.take();
    fixture.finish(SaveKind::Snapshot, None);
    assert!(fixture.engine.blocked.is_empty());
}

#[test]
fn saves_in_the_background_run_in_order() {
    let mut fixture = Fixture::with_store();
    assert_eq!(fixture.run("BGREWRITEAOF"), "+Background append only file rewriting started\r\n");
    assert!(fixture.run("BGREWRITEAOF").ends_with("rewriting already in progress\r\n"));
    assert!(fixture.run("BGSAVE").starts_with("-ERR Another child process is active (AOF?)"));
    assert_eq!(fixture.run("BGSAVE SCHEDULE"), "+Background saving scheduled\r\n");
    assert_eq!(fixture.take(), Some(SaveKind::LogRewrite));
    assert_eq!(fixture.info("aof_rewrite_in_progress"), "1");
    fixture.finish(SaveKind::LogRewrite, None);
    assert_eq!(fixture.take(), Some(SaveKind::Snapshot));
    assert!(fixture.run("BGREWRITEAOF").ends_with("scheduled\r\n"));
    fixture.finish(SaveKind::Snapshot, None);
    assert_eq!(fixture.take(), Some(SaveKind::LogRewrite));
}

#[test]
fn a_transaction_schedules_and_does_not_wait() {
    let mut fixture = Fixture::with_store();
    for line in ["MULTI", "BGSAVE", "BGREWRITEAOF"] {
        fixture.run(line);
    }
    assert!(fixture.run("EXEC").contains("saving scheduled"));
    fixture.run("MULTI");
    assert_eq!(fixture.run("SAVE"), "-ERR Command not allowed inside a transaction\r\n");
    assert!(fixture.run("EXEC").starts_with("-EXECABORT"));
}

#[test]
fn writes_are_refused_while_the_log_fails() {
    let mut fixture = Fixture::with_store();
    fixture.run("MULTI");
    fixture.run("SET k v");
    let report = |fixture: &mut Fixture, failure| {
        fixture.engine.mark_stale();
        fixture.engine.server.saving.set_log_failure(failure);
    };
    report(&mut fixture, Some("No space left on device"));
    let refusal = "MISCONF Errors writing to the AOF file: No space left on device\r\n";
    assert_eq!(fixture.run("EXEC"), String::from("-EXECABORT Transaction discarded because of: ") + refusal);
    for line in ["SET k v", "DEL k", "PING"] {
        assert_eq!(fixture.run(line), String::from("-") + refusal, "{line}");
    }
    assert_eq!(fixture.run("GET k"), "$-1\r\n");
    assert_eq!(fixture.info("aof_last_write_status"), "err");
    report(&mut fixture, None);
    assert_eq!(fixture.run("SET k v"), "+OK\r\n");
}

#[test]
fn a_failed_snapshot_refuses_writes_if_save_points_are_set() {
    let mut fixture = Fixture::with_store();
    fixture.run("BGSAVE");
    fixture.take();
    fixture.finish(SaveKind::Snapshot, Some("read-only folder"));
    assert_eq!(fixture.run("SET k v"), "+OK\r\n");
    fixture.engine.configure("save", "3600 1").unwrap();
    assert!(fixture.run("SET k v").starts_with("-MISCONF Redis is configured to save RDB snapshots"));
    fixture.run("CONFIG SET stop-writes-on-bgsave-error no");
    assert_eq!(fixture.run("SET k v"), "+OK\r\n");
}

#[test]
fn a_read_only_engine_reads_and_refuses_writes_and_saves() {
    let mut fixture = Fixture::with_store();
    fixture.run("SET k v PX 1000");
    fixture.run("MULTI");
    fixture.run("SET k w");
    fixture.engine.mark_stale();
    fixture.engine.server.saving.is_read_only = true;
    let refusal = "READONLY You can't write against a read only replica.\r\n";
    assert_eq!(fixture.run("EXEC"), String::from("-EXECABORT Transaction discarded because of: ") + refusal);
    for line in ["SET k v", "DEL k", "BLPOP l 0", "SORT k STORE l", "GETDEL k", "SAVE", "BGSAVE", "BGREWRITEAOF"] {
        assert_eq!(fixture.run(line), String::from("-") + refusal, "{line}");
    }
    assert_eq!(fixture.run("GET k") + &fixture.run("PING"), "$1\r\nv\r\n+PONG\r\n");
    fixture.engine.set_now(Timestamp::from_ms(6_001));
    assert_eq!(fixture.run("GET k"), "$-1\r\n");
    assert!(fixture.engine.export_state().is_ok());
}

#[test]
fn an_engine_without_a_store_says_so() {
    let mut fixture = Fixture::with_store();
    fixture.engine.server.saving.is_available = false;
    for line in ["SAVE", "BGSAVE", "BGREWRITEAOF"] {
        assert!(fixture.run(line).starts_with("-ERR there is no store to save to"), "{line}");
    }
}

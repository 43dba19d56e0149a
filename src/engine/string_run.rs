//! Runs of GET and SET in a stream: the gates are asked once for all of them, and what each counts is entered at the end. The
//! typed operations are those of the handlers. Whatever is unusual ends a run in front of it.

use crate::keyspace::strings;
use alloc::vec::Vec;

use super::{ERROR_BYTES, Engine};
use crate::base::headroom::is_reserve_whole;
use crate::keyspace::SetOptions;
use crate::resp::decode::StringRequest;
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::clients::ClientId;

/// What a run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StringRun {
    /// The length of the requests that were served.
    pub bytes: usize,
    /// The numbers of their rows, and how often each ran.
    pub counts: [(u16, u32); 2],
}

impl Engine {
    /// Runs the requests that `requests` begin with, at most so many, until the replies reach a length. Nothing runs while a
    /// gate of the client is closed, or somebody is told of changes.
    pub(crate) fn run_strings(
        &mut self,
        id: ClientId,
        requests: &[u8],
        most: u32,
        stop_at: usize,
        out: &mut Vec<u8>,
    ) -> StringRun {
        if !self.gates_for(id).is_open() || !self.keyspace.is_unobserved() {
            return StringRun::default();
        }
        let (Some(get), Some(set)) = (self.table.number(b"get"), self.table.number(b"set")) else {
            return StringRun::default();
        };
        let Some((database, protocol)) =
            self.clients.get(id).filter(|client| !client.no_touch).map(|client| (client.database, client.protocol))
        else {
            return StringRun::default();
        };
        let (mut at, mut gets, mut sets, mut last) = (0, 0, 0, get);
        let mut reply = Writer::appending_to(core::mem::take(out), protocol);
        let mut txn = self.keyspace.at(database, self.now);
        while gets + sets < most
            && reply.len() < stop_at
            && reply.make_room(ERROR_BYTES)
            && let Some((request, length)) = requests.get(at..).and_then(StringRequest::read)
        {
            let start = reply.len();
            let done = match request {
                StringRequest::Get(key) => {
                    (gets, last) = (gets + 1, get);
                    strings::get(&mut txn, key).map(|value| reply.optional_bulk(value))
                }
                StringRequest::Set(key, value) => {
                    (sets, last) = (sets + 1, set);
                    strings::set(&mut txn, key, value, &SetOptions::default()).map(|_| reply.ok())
                }
            };
            at += length;
            let failure = if reply.take_failure() {
                Some(CommandError::OUT_OF_MEMORY)
            } else {
                done.err().map(CommandError::from)
            };
            if let Some(error) = failure {
                reply.truncate(start);
                reply.error(&error.into());
                self.server.stats.fail(last, &error.into());
            }
            // What a SET replaced or brought may be for the gates.
            if last == set && (txn.has_garbage() || txn.is_over_limit() || !is_reserve_whole()) {
                break;
            }
        }
        *out = reply.into_bytes();
        let run = StringRun { bytes: at, counts: [(get, gets), (set, sets)] };
        self.count_run(id, run, last);
        run
    }

    fn count_run(&mut self, id: ClientId, run: StringRun, last: u16) {
        if run.bytes == 0 {
            return;
        }
        for (number, times) in run.counts {
            self.server.stats.commands_processed += u64::from(times);
            self.server.stats.command(number).calls += u64::from(times);
        }
        self.ran = Some(last);
        if let Some(client) = self.clients.get_mut(id) {
            (client.last_command, client.last_command_at) = (self.table.row(last).name, self.now);
        }
        self.refresh_gates();
    }
}

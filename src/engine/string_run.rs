//! Fast path for runs of GET and SET in a stream. Gates are checked once per run, and statistics updated at its end.
//! The typed operations are those of the handlers. The run ends before any other request.

use crate::keyspace::strings;
use alloc::vec::Vec;

use super::{ERROR_BYTES, Engine};
use crate::base::headroom::is_reserve_whole;
use crate::keyspace::SetOptions;
use crate::resp::decode::StringRequest;
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::clients::ClientId;

/// Result of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StringRun {
    /// Length in bytes of the requests that were served.
    pub bytes: usize,
    /// Row numbers of GET and SET, with the number of calls.
    pub counts: [(u16, u32); 2],
}

impl Engine {
    /// Runs leading GET and SET requests of `requests`, at most `max_count`, until the replies reach `stop_at` bytes.
    /// Nothing runs while a gate of the client is closed or changes are observed.
    pub(crate) fn run_strings(
        &mut self,
        id: ClientId,
        requests: &[u8],
        max_count: u32,
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
        while gets + sets < max_count
            && reply.len() < stop_at
            && reply.try_reserve(ERROR_BYTES)
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
            // Garbage, memory over the limit and a spent reserve close gates.
            if last == set && (txn.leaves_work() || !is_reserve_whole()) {
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

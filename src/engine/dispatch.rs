//! Dispatch of a request to its handler, through the gates.

use alloc::boxed::Box;

use super::Engine;
use super::admission::Admission;
use super::gates::Gates;
use super::handler::Run;
use crate::base::headroom::{OutOfMemory, ensure};
use crate::commands::{Blocking, Outcome, Request, Row, flags, headroom_to_wait};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::clients::{ClientId, Queued};
use crate::server::scripts::suspended::Suspended;

impl Engine {
    /// Runs the handler of a request, unless a closed gate refuses, queues or blocks it. Returns a script that was left, with
    /// the number of the command.
    pub(super) fn dispatch(
        &mut self,
        id: ClientId,
        request: Request<'_>,
        gates: Gates,
        reply: &mut Writer,
    ) -> Option<(u16, Box<Suspended>)> {
        let argv = request.argv;
        let Some((number, row)) = request.command.filter(|(_, row)| row.accepts(argv.len())) else {
            Admission::of(self, id, request, gates).refuse_unknown(reply);
            return None;
        };
        if gates.is_open() {
            self.note(id, row);
        } else if !Admission::of(self, id, request, gates).admits((number, row), reply) {
            return None;
        }
        // A script that is suspended keeps its request.
        let may_suspend = !row.has(flags::RUNS_SCRIPT) || ensure(argv.copy_len()).is_ok();
        let slice = self.slices.of_request(&self.server.scripts.suspended).filter(|_| may_suspend);
        let run = Run { client: id, blocking: Blocking::Allowed, resumed: None, slice };
        let outcome = run.call(self, number, argv, reply);
        self.ran = Some(number);
        match outcome {
            Outcome::Done => {}
            Outcome::Block(block_on) => match headroom_to_wait(argv).map(drop) {
                Ok(()) => self.block(id, number, argv, block_on),
                Err(OutOfMemory) => reply.error(&CommandError::OUT_OF_MEMORY.into()),
            },
            Outcome::Suspend(mut suspended) => {
                self.ran = None;
                suspended.script.get_or_insert_with(|| Queued { command: number, argv: argv.to_owned() });
                return Some((number, suspended));
            }
        }
        None
    }

    /// Records the command for CLIENT LIST and INFO.
    #[inline(always)]
    pub(super) fn note(&mut self, id: ClientId, row: &'static Row) {
        self.server.stats.commands_processed += 1;
        if let Some(client) = self.clients.get_mut(id) {
            client.last_command = row.name;
            client.last_command_at = self.now;
        }
    }
}

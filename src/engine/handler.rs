//! The run of a handler on the state of the engine: the one way for a request that is new, was blocked, continues a script or
//! stands in a log.

use super::Engine;
use crate::base::argv::ArgvRef;
use crate::commands::{Blocking, Context, Outcome, Resumed, State, call};
use crate::resp::encode::Writer;
use crate::server::clients::ClientId;

/// Circumstances of the run of a handler.
pub(super) struct Run {
    pub client: ClientId,
    pub blocking: Blocking,
    /// Position and times of a command that was blocked before.
    pub resumed: Option<Resumed>,
    /// Charges after which a script is suspended; `None`: it runs through.
    pub slice: Option<u64>,
}

impl Run {
    /// Run of a command that replies at once.
    pub fn through(client: ClientId) -> Run {
        Run { client, blocking: Blocking::Denied, resumed: None, slice: None }
    }

    /// Context of the run, at the present instant.
    #[inline(always)]
    pub fn context<'a>(self, engine: &'a mut Engine, reply: &'a mut Writer) -> Context<'a> {
        let Engine { keyspace, clients, server, table, now, .. } = engine;
        let cx = Context::new(State { keyspace, clients, server, table }, self.client, *now, reply);
        Context { blocking: self.blocking, resumed: self.resumed, slice: self.slice, ..cx }
    }

    /// Runs a command and writes its reply or its error.
    #[inline(always)]
    pub fn call(self, engine: &mut Engine, command: u16, argv: ArgvRef<'_>, reply: &mut Writer) -> Outcome {
        call(&mut self.context(engine, reply), command, argv)
    }
}

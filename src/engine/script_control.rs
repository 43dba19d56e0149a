//! [`ScriptControl`]: scripts that run for long, for hosts with many connections. A script of a stream runs in slices; until it
//! ends, requests of other clients wait, or are refused as busy. Nothing else happens meanwhile.

use super::Engine;
use super::handler::Run;
use crate::base::argv::Argv;
use crate::commands::{SliceOutcome, resume};
use crate::resp::encode::Writer;
use crate::server::clients::{ClientQueue, Clients};
use crate::server::scripts::suspended::Suspended;

/// Suspends scripts of streams ([`Connection`](crate::Connection)) of accepted clients
/// ([`Keylatch::accept`](crate::Keylatch::accept)), so that a host serves other streams in between. Requests of those wait until
/// [`ScriptControl::refuse_others`] makes most of them fail with BUSY.
///
/// Time stands still for a suspended script. Its effects and events come out at its end, as one unit. Any other call that
/// runs or replaces something first runs the script to its end: `execute`, `load`, `replay`. Call [`ScriptControl::finish`]
/// before what only reads, such as `snapshot`. A clone of the engine has what the script has done so far, but not the script.
///
/// # Examples
/// ```
/// use keylatch::{Connection, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// db.scripts().suspend_after(100_000);
/// let client = db.accept("127.0.0.1:50000", "127.0.0.1:6379");
/// let mut connection = Connection::new(client, db.limits());
/// let fed = connection.feed(&mut db, b"EVAL \"while true do end\" 0\r\n", &mut Vec::new());
/// // Without the feature `scripting` there is an error instead.
/// assert_eq!(fed.suspended, cfg!(feature = "scripting"));
/// db.scripts().kill();
/// assert!(!db.scripts().resume(0));
/// ```
#[derive(Debug)]
pub struct ScriptControl<'a>(&'a mut Engine);

impl<'a> ScriptControl<'a> {
    pub(super) fn new(engine: &'a mut Engine) -> ScriptControl<'a> {
        ScriptControl(engine)
    }

    /// Suspends scripts after about so many instructions; 0, as at the start: they run through.
    pub fn suspend_after(&mut self, instructions: u64) {
        self.0.slices.charges = instructions;
    }

    /// Whether a script is suspended.
    pub fn is_suspended(&self) -> bool {
        self.0.server.scripts.suspended.is_set()
    }

    /// Runs the suspended script for another slice, if there is one. The reply of its client is late: it comes by the outbox.
    /// `elapsed_us` is the time since the script started, for SLOWLOG and FUNCTION STATS. Returns whether it is suspended
    /// again.
    pub fn resume(&mut self, elapsed_us: u64) -> bool {
        self.run_slice(self.0.slices.charges(), elapsed_us);
        self.is_suspended()
    }

    /// Refuses requests while the script is suspended, but for a few such as SCRIPT KILL. Until this call they wait. Call it
    /// when the script has run for as long as the parameter `busy-reply-threshold` allows.
    pub fn refuse_others(&mut self) {
        let engine = &mut *self.0;
        if let Some(suspended) = &mut engine.server.scripts.suspended.0
            && !core::mem::replace(&mut suspended.is_busy, true)
        {
            note_waiting(&mut engine.clients);
        }
    }

    /// Runs the suspended script to its end, or to the end of its limit of instructions.
    pub fn finish(&mut self) {
        while self.is_suspended() {
            self.run_slice(None, 0);
        }
    }

    /// Drops the suspended script with its effects, so that a log has nothing of it, although its changes stay. For a host that
    /// is about to drop the engine, as SHUTDOWN NOSAVE asks for.
    pub fn abandon(&mut self) {
        if let Some(suspended) = self.0.server.scripts.suspended.0.take() {
            self.0.keyspace.effects.abandon_unit();
            self.0.clients.close(suspended.client);
            self.0.mark_stale();
        }
    }

    /// Ends the suspended script as SCRIPT KILL does, when it is resumed. Returns false if there is none, or it has written.
    pub fn kill(&mut self) -> bool {
        let suspended = self.0.server.scripts.suspended.0.as_mut();
        let killed = suspended.filter(|suspended| !suspended.has_written);
        killed.map(|suspended| suspended.is_killed = true).is_some()
    }

    /// Runs the next slice of the suspended script, of so many charges; `None`: the rest of its request.
    fn run_slice(&mut self, slice: Option<u64>, elapsed_us: u64) {
        let engine = &mut *self.0;
        let Some(mut suspended) = engine.server.scripts.suspended.0.take() else { return };
        suspended.elapsed_us = elapsed_us.max(suspended.elapsed_us);
        let mut reply = Writer::appending_to(core::mem::take(&mut suspended.reply), suspended.protocol);
        let (client, request) = (suspended.client, suspended.request);
        engine.keyspace.set_author(client);
        let mut cx = Run { slice, ..Run::through(client) }.context(engine, &mut reply);
        match resume(&mut cx, suspended) {
            SliceOutcome::Ended(ended) => self.end(*ended, reply),
            SliceOutcome::Suspended(left) => {
                engine.server.scripts.suspended.keep(request, left, reply, 0);
                engine.refresh_gates();
            }
        }
    }

    /// Ends the request of a script: its reply is late, and its effects are one unit.
    #[cold]
    fn end(&mut self, ended: Suspended, mut reply: Writer) {
        let engine = &mut *self.0;
        let id = ended.client;
        if !engine.keyspace.interest.tracking.is_idle() {
            engine.end_tracking(id, Some(engine.table.row(ended.request)));
        }
        engine.keyspace.effects.end_unit();
        let has_failed = reply.take_failure() || ended.has_failed;
        let mut reply = reply.into_bytes();
        // Clients that waited come first, so that a pipeline of scripts lets them through.
        note_waiting(&mut engine.clients);
        if let Some(client) = engine.clients.get_mut(id) {
            client.reply_mode.end_reply(0, &mut reply);
            // Pushes to this client while the script ran follow its reply.
            let pushed = core::mem::replace(&mut client.outbox, reply);
            if client.append_bytes(pushed).is_err() || has_failed {
                engine.clients.close(id);
            }
        }
        engine.clients.note(id);
        engine.ran = Some(ended.request);
        let exec = Argv::from_slices(&["EXEC"]);
        let argv = ended.script.filter(|script| script.command == ended.request).map_or(exec, |script| script.argv);
        engine.took(id, argv.as_ref(), ended.elapsed_us);
        if ended.is_disconnected {
            engine.disconnect(id);
        }
        engine.after_command();
        engine.refresh_gates();
    }
}

/// Queues the clients that wait for the script for the host's attention.
fn note_waiting(clients: &mut Clients) {
    while let Some(client) = clients.first_queued(ClientQueue::AwaitsScript) {
        clients.dequeue(ClientQueue::AwaitsScript, client);
        clients.note(client);
    }
}

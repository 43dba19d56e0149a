//! [`ScriptControl`]: scripts that run for long, for hosts with many connections.

use crate::engine::Engine;
use crate::engine::suspended::{finish_script, kill_script, refuse_others, resume_script};

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
        self.0.slice = instructions;
    }

    /// Whether a script is suspended.
    pub fn is_suspended(&self) -> bool {
        self.0.server.scripts.suspended.is_set()
    }

    /// Runs the suspended script for another slice, if there is one. The reply of its client is late: it comes by the outbox.
    /// `elapsed_us` is the time since the script started, for SLOWLOG and FUNCTION STATS. Returns whether it is suspended
    /// again.
    pub fn resume(&mut self, elapsed_us: u64) -> bool {
        let slice = Some(self.0.slice).filter(|slice| *slice > 0);
        resume_script(self.0, slice, elapsed_us);
        self.is_suspended()
    }

    /// Refuses requests while the script is suspended, but for a few such as SCRIPT KILL. Until this call they wait. Call it
    /// when the script has run for as long as the parameter `busy-reply-threshold` allows.
    pub fn refuse_others(&mut self) {
        refuse_others(self.0);
    }

    /// Runs the suspended script to its end, or to the end of its limit of instructions.
    pub fn finish(&mut self) {
        finish_script(self.0);
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
        kill_script(self.0)
    }
}

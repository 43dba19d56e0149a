//! Suspended scripts. A script of a stream runs in slices, so that the host serves other connections in between. Until it
//! ends, requests of other clients wait; from the moment at which the host reports it as slow, they are refused as busy.
//! Nothing else happens meanwhile: time stands still, nothing expires, and effects and events come out at the end.

use super::Engine;
use super::handler::Run;
use crate::base::argv::Argv;
use crate::commands::{SliceOutcome, resume};
use crate::resp::encode::Writer;
use crate::resp::error::CommandError;
use crate::server::clients::{ClientId, ClientQueue, Clients};
use crate::server::scripts::suspended::Suspended;

/// Charges after which a script of the present request is suspended.
pub(super) fn slice_of(engine: &Engine) -> Option<u64> {
    (engine.is_streaming && engine.slice > 0 && !engine.server.scripts.suspended.is_set()).then_some(engine.slice)
}

/// The error for commands that may not run while a script is suspended.
pub(super) fn busy_error(engine: &Engine) -> Option<CommandError> {
    engine.server.scripts.suspended.0.as_ref().map(|suspended| suspended.busy_error())
}

/// Whether the requests of a stream wait for the script. Those of its own client do so until it ends.
#[inline(always)]
pub(super) fn must_wait(engine: &mut Engine, client: ClientId) -> bool {
    match &engine.server.scripts.suspended.0 {
        None => false,
        Some(suspended) if suspended.client == client => true,
        Some(suspended) if suspended.is_busy => false,
        Some(_) => {
            engine.clients.enqueue(ClientQueue::AwaitsScript, client);
            true
        }
    }
}

/// Queues the clients that wait for the script for the host's attention.
fn note_waiting(clients: &mut Clients) {
    while let Some(client) = clients.first_queued(ClientQueue::AwaitsScript) {
        clients.dequeue(ClientQueue::AwaitsScript, client);
        clients.note(client);
    }
}

/// Runs the next slice of the suspended script, of so many charges; `None`: the rest of its request. The host reports the time
/// since the request.
pub(super) fn resume_script(engine: &mut Engine, slice: Option<u64>, elapsed_us: u64) {
    let Some(mut suspended) = engine.server.scripts.suspended.0.take() else { return };
    suspended.elapsed_us = elapsed_us.max(suspended.elapsed_us);
    let mut reply = Writer::appending_to(core::mem::take(&mut suspended.reply), suspended.protocol);
    let (client, request) = (suspended.client, suspended.request);
    engine.keyspace.set_author(client);
    let mut cx = Run { slice, ..Run::through(client) }.context(engine, &mut reply);
    match resume(&mut cx, suspended) {
        SliceOutcome::Ended(ended) => end_script(engine, *ended, reply),
        SliceOutcome::Suspended(left) => {
            engine.server.scripts.suspended.keep(request, left, reply, 0);
            engine.refresh_gates();
        }
    }
}

/// Ends the request of a script: its reply is late, and its effects are one unit.
#[cold]
fn end_script(engine: &mut Engine, ended: Suspended, mut reply: Writer) {
    let id = ended.client;
    if !engine.keyspace.interest.tracking.is_idle() {
        engine.end_tracking(id, Some(engine.table.row(ended.request)));
    }
    engine.keyspace.effects.end_unit();
    let has_failed = reply.take_failure() || ended.has_failed;
    let mut reply = reply.into_bytes();
    engine.apply_reply_mode(id, 0, &mut reply);
    // Clients that waited come first, so that a pipeline of scripts lets them through.
    note_waiting(&mut engine.clients);
    if let Some(client) = engine.clients.get_mut(id) {
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

/// Runs the suspended script to its end, or to the end of its instruction limit.
pub(super) fn finish_script(engine: &mut Engine) {
    while engine.server.scripts.suspended.is_set() {
        resume_script(engine, None, 0);
    }
}

/// Refuses other clients from now on, which wait until then.
pub(super) fn refuse_others(engine: &mut Engine) {
    if let Some(suspended) = &mut engine.server.scripts.suspended.0
        && !core::mem::replace(&mut suspended.is_busy, true)
    {
        note_waiting(&mut engine.clients);
    }
}

/// Marks the suspended script as killed; it ends with its next slice. False if there is none, or it has written.
pub(super) fn kill_script(engine: &mut Engine) -> bool {
    let killed = engine.server.scripts.suspended.0.as_mut().filter(|suspended| !suspended.has_written);
    killed.map(|suspended| suspended.is_killed = true).is_some()
}

//! Script that is suspended: it holds the engine between its slices.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use crate::base::headroom::try_reserve;
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::CommandError;
use crate::server::clients::{ClientId, ClientQueue, Clients, Queued};

/// Suspended script with its client's request.
#[derive(Debug)]
pub struct Suspended {
    pub client: ClientId,
    /// Request that runs the script; `None` until the script is left.
    pub script: Option<Queued>,
    /// Name of the function that runs; `None` for a script.
    pub function: Option<Vec<u8>>,
    /// Commands of the transaction that follow.
    pub rest: VecDeque<Queued>,
    /// Row number of the request: that of the script, or of EXEC.
    pub request: u16,
    /// Protocol of the reply, and the part of the reply that is written.
    pub protocol: Protocol,
    pub reply: Vec<u8>,
    pub has_written: bool,
    pub is_killed: bool,
    /// Whether other clients are refused, rather than waiting.
    pub is_busy: bool,
    /// Whether the client has disconnected, or its reply does not fit the memory.
    pub is_disconnected: bool,
    pub has_failed: bool,
    /// Time since the request, as measured by the host.
    pub elapsed_us: u64,
}

impl Suspended {
    #[cfg(feature = "scripting")]
    pub fn new(client: ClientId) -> Suspended {
        Suspended {
            client,
            script: None,
            function: None,
            rest: VecDeque::new(),
            request: 0,
            protocol: Protocol::default(),
            reply: Vec::new(),
            has_written: false,
            is_killed: false,
            is_busy: false,
            is_disconnected: false,
            has_failed: false,
            elapsed_us: 0,
        }
    }

    /// The error for commands that may not run meanwhile.
    pub fn busy_error(&self) -> CommandError {
        match self.function {
            None => CommandError::BUSY_SCRIPT,
            Some(_) => CommandError::BUSY_FUNCTION,
        }
    }

    /// Takes over the request of a script before this one in the same transaction.
    pub fn follow(&mut self, earlier: Suspended) {
        let Suspended { rest, request, protocol, is_busy, is_disconnected, has_failed, elapsed_us, .. } = earlier;
        (self.rest, self.request, self.protocol) = (rest, request, protocol);
        (self.is_busy, self.is_disconnected) = (is_busy, is_disconnected);
        (self.has_failed, self.elapsed_us) = (has_failed, elapsed_us);
    }
}

/// Place of the suspended script. A copy is empty: a machine cannot be copied in the middle of a script.
#[derive(Default)]
pub struct SuspendedSlot(pub Option<Box<Suspended>>);

impl SuspendedSlot {
    /// Whether a script is suspended.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Keeps the script that a request left, with its reply from `start` on. Returns the output before it.
    pub fn keep(&mut self, request: u16, mut suspended: Box<Suspended>, mut reply: Writer, start: usize) -> Vec<u8> {
        suspended.protocol = reply.protocol();
        suspended.has_failed |= reply.take_failure();
        suspended.request = request;
        let (mut before, mut out) = (Vec::new(), reply.into_bytes());
        // Without the memory for a copy, the output before the reply is late, too.
        if start > 0 && try_reserve(&mut before, start).is_ok() {
            before.extend_from_slice(&out[..start]);
            out.drain(..start);
        }
        suspended.reply = out;
        self.0 = Some(suspended);
        before
    }

    /// The error for commands that may not run while a script is suspended.
    pub fn busy_error(&self) -> Option<CommandError> {
        self.0.as_ref().map(|suspended| suspended.busy_error())
    }

    /// Whether the requests of a client's stream wait for the script. Those of its own client do so until it ends.
    #[inline(always)]
    pub fn holds_back(&self, client: ClientId, clients: &mut Clients) -> bool {
        match &self.0 {
            None => false,
            Some(suspended) if suspended.client == client => true,
            Some(suspended) if suspended.is_busy => false,
            Some(_) => {
                clients.enqueue(ClientQueue::AwaitsScript, client);
                true
            }
        }
    }

    /// Notes the end of a connection. Returns whether its client stays until the suspended script ends, which is its own.
    pub fn note_disconnected(&mut self, client: ClientId) -> bool {
        let own = self.0.as_mut().filter(|suspended| suspended.client == client);
        own.map(|suspended| suspended.is_disconnected = true).is_some()
    }
}

impl Clone for SuspendedSlot {
    fn clone(&self) -> SuspendedSlot {
        SuspendedSlot(None)
    }
}

impl fmt::Debug for SuspendedSlot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("SuspendedSlot").field(&self.0.is_some()).finish()
    }
}

//! SHUTDOWN: what clients ask of the host, which ends the server.

/// Whether a snapshot is saved before the server ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastSave {
    /// If the parameter `save` names a rule.
    ByRule,
    Always,
    Never,
}

/// Request of SHUTDOWN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShutdownRequest {
    pub last_save: LastSave,
    /// Whether the server ends even if the snapshot cannot be saved.
    pub is_forced: bool,
}

impl ShutdownRequest {
    /// Words of the command that ask for this, for hosts in other languages.
    #[cfg(feature = "wasm")]
    pub fn words(self) -> &'static str {
        match (self.last_save, self.is_forced) {
            (LastSave::ByRule, false) => "",
            (LastSave::ByRule, true) => "FORCE",
            (LastSave::Always, false) => "SAVE",
            (LastSave::Always, true) => "SAVE FORCE",
            (LastSave::Never, false) => "NOSAVE",
            (LastSave::Never, true) => "NOSAVE FORCE",
        }
    }
}

/// End of the server on request.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    /// Whether the host is a server that ends on request. Without one, requests are refused.
    pub is_available: bool,
    request: Option<ShutdownRequest>,
    /// Whether the host has taken a request, and neither ended nor refused.
    is_running: bool,
    is_aborted: bool,
}

impl Shutdown {
    /// Requests the end. While the host prepares it, it is requested already.
    pub fn request(&mut self, request: ShutdownRequest) {
        if !self.is_running {
            self.request = Some(request);
        }
    }

    /// Whether a request waits for the host.
    #[inline(always)]
    pub fn has_request(&self) -> bool {
        self.request.is_some()
    }

    /// Takes the request. The host prepares its end, then asks [`Shutdown::ends`].
    pub fn take(&mut self) -> Option<ShutdownRequest> {
        let request = self.request.take();
        self.is_running |= request.is_some();
        request
    }

    /// Withdraws the request; false if there is none.
    pub fn abort(&mut self) -> bool {
        self.is_aborted = self.is_running || self.has_request();
        self.is_aborted
    }

    /// Ends the preparation. Returns false if the host goes on serving: the preparation failed, or the request was withdrawn.
    pub fn ends(&mut self, has_failed: bool) -> bool {
        let goes_on = has_failed || self.is_aborted;
        (self.is_running, self.is_aborted) = (false, false);
        !goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: ShutdownRequest = ShutdownRequest { last_save: LastSave::ByRule, is_forced: false };

    #[test]
    fn a_request_is_taken_once_and_may_be_withdrawn() {
        let mut shutdown = Shutdown::default();
        assert!(!shutdown.abort() && shutdown.take().is_none());
        for (aborts, has_failed, ends) in [(false, false, true), (false, true, false), (true, false, false)] {
            shutdown.request(REQUEST);
            assert_eq!(shutdown.take(), Some(REQUEST));
            shutdown.request(REQUEST);
            assert!(!shutdown.has_request());
            assert!(!aborts || shutdown.abort());
            assert_eq!(shutdown.ends(has_failed), ends);
            assert!(!shutdown.abort());
        }
    }
}

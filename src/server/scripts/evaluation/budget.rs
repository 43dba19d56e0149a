//! Instructions that are left to a script. The scripts of a transaction share those of one.

/// Budget of the scripts of a command, or of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Instructions that are left; `None` before the first script.
    left: Option<u64>,
    is_shared: bool,
}

impl Budget {
    /// Starts the budget of a command, unless the command belongs to a transaction.
    pub fn begin(&mut self) {
        if !self.is_shared {
            self.left = None;
        }
    }

    /// Starts the budget of a transaction.
    pub fn begin_transaction(&mut self) {
        *self = Budget { left: None, is_shared: true };
    }

    /// Ends the budget of a transaction.
    pub fn end_transaction(&mut self) {
        *self = Budget::default();
    }

    /// Instructions that are left, of at most `limit`.
    pub fn left(self, limit: u64) -> u64 {
        self.left.map_or(limit, |left| left.min(limit))
    }

    /// Sets the instructions that a script left.
    pub fn keep(&mut self, left: u64) {
        self.left = Some(left);
    }
}

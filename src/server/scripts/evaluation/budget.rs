//! Instructions that are left to a script, and those that scripts have run. The scripts of a transaction share those of one.

/// Instructions that starting a script counts as.
const START_INSTRUCTIONS: u64 = 500;

/// Budget of the scripts of a command, or of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Instructions that are left; `None` before the first script.
    left: Option<u64>,
    is_shared: bool,
    /// Instructions of all scripts so far.
    run: u64,
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
        *self = Budget { left: None, is_shared: true, run: self.run };
    }

    /// Ends the budget of a transaction.
    pub fn end_transaction(&mut self) {
        *self = Budget { left: None, is_shared: false, run: self.run };
    }

    /// Instructions that are left, of at most `limit`.
    pub fn left(self, limit: u64) -> u64 {
        self.left.map_or(limit, |left| left.min(limit))
    }

    /// Sets the instructions that a script left, of at most `limit`.
    pub fn keep(&mut self, limit: u64, left: u64) {
        let instructions = self.left(limit).saturating_sub(left).saturating_add(START_INSTRUCTIONS);
        self.run = self.run.saturating_add(instructions);
        self.left = Some(left);
    }

    /// Instructions of all scripts so far, with those that their starts count as.
    pub fn instructions_run(self) -> u64 {
        self.run
    }
}

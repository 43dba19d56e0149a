//! The engine, as scripts know it: it runs their commands and draws their random numbers.

use alloc::rc::Rc;
use core::cell::RefCell;

use crate::base::argv::{Argv, ArgvRef};
use crate::resp::encode::Protocol;
use crate::resp::error::ErrorText;

/// Work of a command that is charged to the script beside its arguments and its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// Whether the command may have grown memory.
    pub grows_memory: bool,
    /// Counted bytes of the values that it may have visited as a whole.
    pub visited_bytes: u64,
    /// Elements that it visited.
    pub visits: u64,
}

/// Engine that runs commands of scripts.
pub trait Host {
    /// Runs a command. An error is the reason why it did not run; errors of the command are its reply.
    fn run(&mut self, argv: ArgvRef<'_>) -> Result<Work, ErrorText>;

    /// Reply of the last command.
    fn reply(&self) -> &[u8];

    /// Whether there is such a command.
    fn knows(&self, argv: ArgvRef<'_>) -> bool;

    /// Protocol of replies to the script.
    fn protocol(&self) -> Protocol;

    fn set_protocol(&mut self, protocol: Protocol);

    /// Empty arguments for a command; they come back with `keep_request`.
    fn take_request(&mut self) -> Argv;

    /// Keeps the buffer of arguments for the next command.
    fn keep_request(&mut self, request: Argv);

    /// Random number of 31 bits.
    fn draw(&mut self) -> u32;

    /// Starts the generator of scripts with a seed. It goes on from script to script.
    fn seed_random(&mut self, seed: u32);
}

/// Engine that a machine shares with the commands that run scripts.
pub type SharedHost = Rc<RefCell<dyn Host>>;

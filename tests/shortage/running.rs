//! The command that runs. An allocation that cannot fail aborts the process; the command is printed before it ends.

// The handler of a signal is installed by a function of C.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::io::{Write, stderr};
use std::process::{Command, abort};
use std::sync::Once;

use crate::heap;

const SIGABRT: i32 = if cfg!(unix) { 6 } else { 22 };

thread_local! {
    static RUNNING: RefCell<String> = const { RefCell::new(String::new()) };
}

// SAFETY: the declaration is that of C, without the handlers that are numbers.
unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

/// Sets the command that runs next in this thread.
pub fn announce(command: String) {
    static INSTALLED: Once = Once::new();
    // SAFETY: the signal is raised by the thread that aborts, so the handler runs between two statements of that thread.
    INSTALLED.call_once(|| unsafe {
        signal(SIGABRT, print_command);
    });
    RUNNING.replace(command);
}

extern "C" fn print_command(_: i32) {
    heap::lift_budget();
    // Output of macros is kept for the end of the test, which does not come.
    RUNNING.with_borrow(|command| drop(writeln!(stderr(), "ABORTED in {command}")));
}

#[test]
fn an_abort_prints_the_command() {
    const ABORTS: &str = "KEYLATCH_SHORTAGE_ABORTS";
    if std::env::var_os(ABORTS).is_some() {
        announce("APPEND list 1".into());
        abort();
    }
    let test = concat!(module_path!(), "::an_abort_prints_the_command");
    let name = test.split_once("::").map_or(test, |(_, name)| name);
    let program = std::env::current_exe().expect("the program of the tests");
    let child = Command::new(program).args([name, "--exact", "--nocapture"]).env(ABORTS, "1").output();
    let child = child.expect("the program starts");
    assert!(!child.status.success());
    let printed = String::from_utf8_lossy(&child.stderr);
    assert!(printed.contains("ABORTED in APPEND list 1"), "{printed}");
}

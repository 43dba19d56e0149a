//! An allocator that runs out of memory when it is told to.
//!
//! While it counts, pieces of up to [`SMALL_MAX`] bytes are always there: in the engine's host they come out of a reserve.
//! Larger ones share a budget of bytes, in which what is given back counts again, as in a memory that cannot grow.

// An allocator cannot be written without.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// As in `src/memory.rs`: what is always there.
pub const SMALL_MAX: usize = 4096;
/// What a command may hold in small pieces beyond what it had.
pub const RESERVE_BYTES: isize = 64 * 1024;

#[derive(Clone, Copy, Default)]
struct Count {
    /// Bytes taken since counting began, less those given back.
    small: isize,
    large: isize,
    small_peak: isize,
    large_peak: isize,
}

thread_local! {
    static BUDGET: Cell<Option<isize>> = const { Cell::new(None) };
    static COUNT: Cell<Count> = const { Cell::new(Count { small: 0, large: 0, small_peak: 0, large_peak: 0 }) };
    /// What `large` was whenever it was more than ever before.
    static MARKS: RefCell<Vec<isize>> = const { RefCell::new(Vec::new()) };
}

pub struct Heap;

// SAFETY: every call is handed on to the system's allocator as it is, or answered with null, which means that there is no
// memory. The counters are plain numbers of the calling thread.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if BUDGET.try_with(Cell::get).ok().flatten().is_some() && !take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as for this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if BUDGET.try_with(Cell::get).ok().flatten().is_some() {
            give_back(layout.size() as isize);
        }
        // SAFETY: as for this function.
        unsafe { System.dealloc(block, layout) }
    }
}

fn take(size: usize) -> bool {
    let (mut count, budget) = (COUNT.get(), BUDGET.get().unwrap_or(isize::MAX));
    if size <= SMALL_MAX {
        count.small += size as isize;
        count.small_peak = count.small_peak.max(count.small);
    } else if count.large + size as isize > budget {
        return show_stack();
    } else {
        count.large += size as isize;
        if count.large > count.large_peak {
            count.large_peak = count.large;
            uncounted(|| MARKS.with_borrow_mut(|marks| marks.push(count.large)));
        }
    }
    COUNT.set(count);
    true
}

fn give_back(size: isize) {
    let mut count = COUNT.get();
    *(if size <= SMALL_MAX as isize { &mut count.small } else { &mut count.large }) -= size;
    COUNT.set(count);
}

fn uncounted<R>(run: impl FnOnce() -> R) -> R {
    let budget = BUDGET.take();
    let result = run();
    BUDGET.set(budget);
    result
}

/// With `KEYLATCH_SHORTAGE_STACKS` set, shows who would have aborted, and lets it have its memory.
fn show_stack() -> bool {
    uncounted(|| {
        if std::env::var_os("KEYLATCH_SHORTAGE_STACKS").is_none() {
            return false;
        }
        let stack = Backtrace::force_capture().to_string();
        let aborts = !stack.contains("try_reserve");
        if aborts {
            let own = stack.lines().collect::<Vec<_>>();
            let own: Vec<&str> =
                own.iter().filter(|line| line.contains("./src/")).map(|line| line.trim()).take(6).collect();
            eprintln!("STACK {}", own.join(" "));
        }
        aborts
    })
}

/// Lets a panic have the memory to say what is wrong.
pub fn end_with_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        BUDGET.set(None);
        usual(info);
    }));
}

/// What came of a run.
pub struct Outcome {
    pub panicked: bool,
    pub small_peak: isize,
    /// Budgets of one byte less fail at the places that can fail at all.
    pub marks: Vec<isize>,
}

/// Runs something with so many bytes beyond what is allocated now.
pub fn with_budget(bytes: isize, run: impl FnOnce()) -> Outcome {
    COUNT.set(Count::default());
    MARKS.with_borrow_mut(Vec::clear);
    BUDGET.set(Some(bytes));
    let run = catch_unwind(AssertUnwindSafe(run));
    BUDGET.set(None);
    let count = COUNT.get();
    Outcome { panicked: run.is_err(), small_peak: count.small_peak, marks: MARKS.take() }
}

//! An allocator with a memory limit. While it counts, pieces of up to [`SMALL_MAX`] bytes are always available: in the
//! engine's host they come out of a reserve.
//!
//! For single commands larger pieces share a budget of bytes, in which freed memory counts again, as in a memory that
//! cannot grow. For scenarios of many clients all pieces share it, and small ones beyond it are reported to the engine
//! as the remaining reserve, as the allocator in WebAssembly does.

// Implementing GlobalAlloc requires unsafe code.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};

use keylatch::internals::{Reserve, set_reserve};

/// Largest piece that is always available; equal to `src/base/headroom.rs`.
pub const SMALL_MAX: usize = 4096;
/// Limit, in bytes, of what a command takes from the reserve.
pub const RESERVE_BYTES: isize = 64 * 1024;

/// Block size of the reserve, and the numbers of used blocks from which it counts as begun, as spent, and as used up;
/// equal to `src/wasm/reserve.rs`. A begun block serves small pieces until it is full, but they do not fill it
/// completely.
const BLOCK_BYTES: isize = 8192;
const BEGUN_BLOCKS: isize = 4;
const SPENT_BLOCKS: isize = 10;
const ALL_BLOCKS: isize = 16;

#[derive(Clone, Copy, Default)]
struct Count {
    /// Allocated bytes since counting began, minus freed ones.
    small: isize,
    large: isize,
    small_peak: isize,
    large_peak: isize,
    /// Maximum of all pieces together beyond the budget.
    beyond_peak: isize,
}

impl Count {
    fn all(self) -> isize {
        self.small + self.large
    }
}

#[derive(Clone, Copy)]
struct Budget {
    bytes: isize,
    /// True when small pieces count too, and use the reserve beyond the budget.
    is_shared: bool,
}

thread_local! {
    static BUDGET: Cell<Option<Budget>> = const { Cell::new(None) };
    static COUNT: Cell<Count> = const { Cell::new(Count { small: 0, large: 0, small_peak: 0, large_peak: 0, beyond_peak: 0 }) };
    /// Each new maximum of allocated bytes that a large piece caused.
    static MARKS: RefCell<Vec<isize>> = const { RefCell::new(Vec::new()) };
}

/// The reserve belongs to the process, so tests with a shortage take turns.
static TURN: Mutex<()> = Mutex::new(());

pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub struct Heap;

// SAFETY: every call is forwarded to the system's allocator unchanged, or returns null, which means that memory is
// exhausted. The counters are plain numbers of the calling thread.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(budget) = BUDGET.try_with(Cell::get).ok().flatten()
            && !take(layout.size(), budget)
        {
            return std::ptr::null_mut();
        }
        // SAFETY: as for this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(budget) = BUDGET.try_with(Cell::get).ok().flatten() {
            give_back(layout.size() as isize, budget);
        }
        // SAFETY: as for this function.
        unsafe { System.dealloc(block, layout) }
    }
}

fn take(size: usize, budget: Budget) -> bool {
    let mut count = COUNT.get();
    let is_small = size <= SMALL_MAX;
    if is_small {
        count.small += size as isize;
        count.small_peak = count.small_peak.max(count.small);
    } else {
        count.large += size as isize;
    }
    let taken = if budget.is_shared { count.all() } else { count.large };
    if !is_small {
        if taken > budget.bytes && !show_stack() {
            return false;
        }
        if taken > count.large_peak {
            count.large_peak = taken;
            uncounted(|| MARKS.with_borrow_mut(|marks| marks.push(taken)));
        }
    }
    if budget.is_shared {
        count.beyond_peak = count.beyond_peak.max(taken.saturating_sub(budget.bytes));
        publish_reserve(taken, budget);
    }
    COUNT.set(count);
    true
}

fn give_back(size: isize, budget: Budget) {
    let mut count = COUNT.get();
    *(if size <= SMALL_MAX as isize { &mut count.small } else { &mut count.large }) -= size;
    COUNT.set(count);
    if budget.is_shared {
        publish_reserve(count.all(), budget);
    }
}

/// Sets the engine's reserve for this number of allocated bytes.
fn publish_reserve(taken: isize, budget: Budget) {
    let beyond = taken.saturating_sub(budget.bytes);
    set_reserve(if beyond <= BEGUN_BLOCKS * BLOCK_BYTES {
        Reserve::Whole
    } else if beyond <= SPENT_BLOCKS * BLOCK_BYTES {
        Reserve::Begun
    } else {
        Reserve::Spent
    });
}

fn uncounted<R>(run: impl FnOnce() -> R) -> R {
    let budget = BUDGET.take();
    let result = run();
    BUDGET.set(budget);
    result
}

/// With `KEYLATCH_SHORTAGE_STACKS` set, prints the stack of an allocation that would abort, and lets it succeed.
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

/// Removes the limit for what follows in this thread.
pub fn lift_budget() {
    BUDGET.set(None);
}

/// Removes the limit on a panic, which needs memory for its message.
pub fn end_with_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        lift_budget();
        usual(info);
    }));
}

/// Result of a run.
pub struct Outcome {
    pub panicked: bool,
    /// Bytes that came out of the reserve: all small pieces, or those beyond a shared budget.
    pub reserve_peak: isize,
    /// False when a small piece was requested that the reserve no longer has.
    pub had_reserve: bool,
    /// Budgets at which an allocation fails when reduced by one byte.
    pub marks: Vec<isize>,
}

/// Runs a function with this many bytes for large pieces beyond the current allocation.
pub fn with_budget(bytes: isize, run: impl FnOnce()) -> Outcome {
    within(Budget { bytes, is_shared: false }, run)
}

/// Runs a function with this many bytes for all pieces; a negative number is memory already taken from the reserve.
pub fn with_memory(bytes: isize, run: impl FnOnce()) -> Outcome {
    let budget = Budget { bytes, is_shared: true };
    publish_reserve(0, budget);
    let outcome = within(budget, run);
    set_reserve(Reserve::Whole);
    outcome
}

/// The bytes of [`with_memory`] with which the reserve counts as begun, and as spent.
pub const BEGUN: isize = -(BEGUN_BLOCKS + 1) * BLOCK_BYTES;
pub const SPENT: isize = -(SPENT_BLOCKS + 1) * BLOCK_BYTES;

fn within(budget: Budget, run: impl FnOnce()) -> Outcome {
    COUNT.set(Count::default());
    MARKS.with_borrow_mut(Vec::clear);
    BUDGET.set(Some(budget));
    let run = catch_unwind(AssertUnwindSafe(run));
    BUDGET.set(None);
    let count = COUNT.get();
    Outcome {
        panicked: run.is_err(),
        reserve_peak: if budget.is_shared { count.beyond_peak } else { count.small_peak },
        had_reserve: count.beyond_peak <= ALL_BLOCKS * BLOCK_BYTES,
        marks: MARKS.take(),
    }
}

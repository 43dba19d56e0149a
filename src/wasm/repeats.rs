//! Reads that JavaScript repeats without a call. A program asks for the same few keys again and again, and the text it was
//! answered is as good as another answer while nothing happened that a read of the key would show. What makes it so:
//!
//! - the client's short way is open (`engine/guarded`), and no key has a deadline: reads do nothing but count;
//! - a read again would leave the same mark of use;
//! - nothing but reads of the same client ran since. A write of one key ends this for its group of keys, everything else
//!   for all.
//!
//! The numbers that say so lie where JavaScript sees them, and there it counts what it repeated. Nobody can forget them:
//! whoever takes the engine to change it, takes it from [`Repeatable`], which enters those counts and ends all first.

use core::ops::{Deref, DerefMut};

use super::clock::FaceClock;
use crate::engine::PlainRow;
use crate::keyspace::{Error, Space};
use crate::reply::error::CommandError;
use crate::{ClientId, Keylatch};

/// Keys whose names lead to the same of so many groups are not told apart.
const GROUPS: usize = 128;
/// Spreads the bits of a name (2^32 divided by the golden ratio).
const SPREAD: u32 = 0x9e37_79b9;
/// Stands for a version that there is not: it equals nothing, not even itself.
const NONE: f64 = f64::NAN;

/// What an operation may change about the keys of its client's database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    /// It only reads.
    Nothing,
    /// A key of this group: its value, or whether it is there.
    Group(usize),
    /// The same, while no version is shown at all.
    NothingShown,
    /// Several keys, or deadlines.
    Anything,
}

/// What both sides see: numbers as JavaScript has them, in this order (`repeats.ts`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Board {
    /// Who may repeat its reads; 0: nobody.
    client: f64,
    /// The commands that were repeated, and how many keys MGET found.
    gets: f64,
    mgets: f64,
    mget_hits: f64,
    /// Whether the last one was MGET.
    ended_with_mget: f64,
    /// By group: what an answer has to be remembered with, to be given as long as this stays.
    versions: [f64; GROUPS],
    /// No version comes twice: there are more numbers than any engine lives to see.
    last_version: f64,
    /// How many of the versions are shown.
    shown: f64,
}

impl Board {
    fn new() -> Board {
        Board {
            client: 0.0,
            gets: 0.0,
            mgets: 0.0,
            mget_hits: 0.0,
            ended_with_mget: 0.0,
            versions: [NONE; GROUPS],
            last_version: 0.0,
            shown: 0.0,
        }
    }

    /// The place of a key's version among the numbers.
    pub(super) fn index_of(key: &[u8]) -> usize {
        core::mem::offset_of!(Board, versions) / size_of::<f64>() + group_of(key)
    }

    /// The value of this key was answered.
    #[inline(always)]
    pub(super) fn note(&mut self, key: &[u8]) {
        if self.client != 0.0 {
            let version = &mut self.versions[group_of(key)];
            if version.is_nan() {
                self.last_version += 1.0;
                self.shown += 1.0;
                *version = self.last_version;
            }
        }
    }

    #[inline(always)]
    fn forget(&mut self, group: usize) {
        let version = &mut self.versions[group % GROUPS];
        if !version.is_nan() {
            self.shown -= 1.0;
            *version = NONE;
        }
    }

    #[inline(always)]
    fn end(&mut self) {
        self.client = 0.0;
        if self.shown > 0.0 {
            self.forget_all();
        }
    }

    #[inline(never)]
    fn forget_all(&mut self) {
        self.shown = 0.0;
        self.versions = [NONE; GROUPS];
    }
}

/// The engine, to be taken for reading or for changing it.
#[derive(Debug)]
pub(super) struct Repeatable {
    keylatch: Keylatch<FaceClock>,
    board: Board,
    /// The mark of use that each read leaves.
    mark: Option<u32>,
}

impl Repeatable {
    pub(super) fn new(keylatch: Keylatch<FaceClock>) -> Repeatable {
        Repeatable { keylatch, board: Board::new(), mark: None }
    }

    /// Where the board is; it stays there as long as the engine does.
    pub(super) fn board_at(&self) -> usize {
        &raw const self.board as usize
    }

    /// What a write of one key changes.
    #[inline(always)]
    pub(super) fn changes_of(&self, key: &[u8]) -> Changes {
        if self.board.shown > 0.0 { Changes::Group(group_of(key)) } else { Changes::NothingShown }
    }

    /// As [`Keylatch::operate`].
    #[inline(always)]
    pub(super) fn operate<T>(
        &mut self,
        client: ClientId,
        row: PlainRow,
        changes: Changes,
        cost: (usize, bool),
        operation: impl FnOnce(&mut Space<'_>, &mut Board) -> Result<T, Error>,
    ) -> Option<Result<T, CommandError>> {
        self.settle();
        let is_reader = self.board.client == f64::from(client.0);
        match changes {
            Changes::Nothing if is_reader => {}
            Changes::Nothing => self.begin(client),
            Changes::NothingShown => {}
            Changes::Group(group) if is_reader => self.board.forget(group),
            Changes::Group(_) | Changes::Anything => self.board.end(),
        }
        let Repeatable { keylatch, board, mark } = self;
        let result = keylatch.operate(client, row, cost, |space| operation(space, board));
        let may_mark = changes != Changes::Nothing && board.client != 0.0;
        if result.is_none() || (may_mark && keylatch.mark_of_use() != *mark) {
            board.end();
        }
        result
    }

    /// Another client reads.
    #[inline(never)]
    fn begin(&mut self, client: ClientId) {
        self.board.end();
        self.mark = self.keylatch.mark_of_use();
        if self.mark.is_some() && !self.keylatch.is_timed() {
            self.board.client = client.0.into();
        }
    }

    /// Enters what was repeated.
    #[inline(always)]
    fn settle(&mut self) {
        if self.board.gets + self.board.mgets > 0.0 {
            self.enter_repeats();
        }
    }

    #[inline(never)]
    fn enter_repeats(&mut self) {
        let Board { gets, mgets, mget_hits, ended_with_mget, .. } = &mut self.board;
        let take = |count: &mut f64| core::mem::take(count) as u64;
        let (gets, mgets, mget_hits) = (take(gets), take(mgets), take(mget_hits));
        let mut repeated = [(PlainRow::MGet, mgets, mget_hits), (PlainRow::Get, gets, gets)];
        if *ended_with_mget != 0.0 {
            repeated.reverse();
        }
        for (row, calls, hits) in repeated {
            self.keylatch.repeated(row, calls, hits);
        }
    }
}

impl Deref for Repeatable {
    type Target = Keylatch<FaceClock>;

    fn deref(&self) -> &Keylatch<FaceClock> {
        &self.keylatch
    }
}

impl DerefMut for Repeatable {
    fn deref_mut(&mut self) -> &mut Keylatch<FaceClock> {
        self.settle();
        self.board.end();
        &mut self.keylatch
    }
}

/// Names differ near their end or in the middle. This is quicker than the hash that finds a key.
#[inline(always)]
fn group_of(key: &[u8]) -> usize {
    let middle = key.get(key.len() / 2..).and_then(<[u8]>::first_chunk);
    let (Some(middle), Some(last)) = (middle, key.last_chunk()) else { return key.len() };
    let mixed = u32::from_le_bytes(*middle).rotate_left(13) ^ u32::from_le_bytes(*last);
    (mixed.wrapping_mul(SPREAD) >> (u32::BITS - GROUPS.trailing_zeros())) as usize
}

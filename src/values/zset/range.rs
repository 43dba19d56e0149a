//! Which part of a sorted set is meant: by rank, by score, or by the bytes of the members.

use core::cmp::Ordering;

/// Scores between two bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreRange {
    pub least: ScoreBound,
    pub most: ScoreBound,
}

/// An end of a range of scores.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreBound {
    pub score: f64,
    /// The score itself is outside.
    pub exclusive: bool,
}

impl ScoreRange {
    /// Whether a score is in front of the range.
    pub(super) fn begins_behind(&self, score: f64) -> bool {
        score < self.least.score || (self.least.exclusive && score == self.least.score)
    }

    /// Whether a score is in the range or in front of it.
    pub(super) fn reaches(&self, score: f64) -> bool {
        score < self.most.score || (!self.most.exclusive && score == self.most.score)
    }
}

/// An end of a range of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberBound<'a> {
    /// Before every member.
    Lowest,
    /// Behind every member.
    Highest,
    Included(&'a [u8]),
    Excluded(&'a [u8]),
}

/// Members between two bounds, in the order of their bytes. It means something where all scores are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberRange<'a> {
    pub least: MemberBound<'a>,
    pub most: MemberBound<'a>,
}

impl MemberRange<'_> {
    /// Whether a member is not below the range.
    pub(super) fn is_at_least(&self, member: &[u8]) -> bool {
        match self.least {
            MemberBound::Lowest => true,
            MemberBound::Highest => false,
            MemberBound::Included(bound) => member >= bound,
            MemberBound::Excluded(bound) => member > bound,
        }
    }

    /// Whether a member is not above the range.
    pub(super) fn is_at_most(&self, member: &[u8]) -> bool {
        match self.most {
            MemberBound::Lowest => false,
            MemberBound::Highest => true,
            MemberBound::Included(bound) => member <= bound,
            MemberBound::Excluded(bound) => member < bound,
        }
    }

    /// Whether no member can be in the range.
    pub(super) fn is_void(&self) -> bool {
        use MemberBound::{Excluded, Highest, Included, Lowest};
        match (self.least, self.most) {
            (Highest, _) | (_, Lowest) => true,
            (Lowest, _) | (_, Highest) => false,
            (Included(least) | Excluded(least), Included(most) | Excluded(most)) => match least.cmp(most) {
                Ordering::Less => false,
                Ordering::Equal => !matches!((self.least, self.most), (Included(_), Included(_))),
                Ordering::Greater => true,
            },
        }
    }
}

/// A part of a sorted set, in either direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Interval<'a> {
    /// Ranks from one to another, both included, counted from the end the selection begins at; negative ones count from
    /// the other end.
    Ranks(i64, i64),
    Scores(ScoreRange),
    Members(MemberRange<'a>),
}

/// What ZRANGE and its kin ask for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection<'a> {
    pub interval: Interval<'a>,
    /// From the highest to the lowest.
    pub reversed: bool,
    /// How many are passed over first; a negative number leaves nothing.
    pub offset: i64,
    /// How many there may be then; a negative number is no limit.
    pub limit: i64,
}

impl<'a> From<Interval<'a>> for Selection<'a> {
    fn from(interval: Interval<'a>) -> Selection<'a> {
        Selection { interval, reversed: false, offset: 0, limit: -1 }
    }
}

//! Ranges of a sorted set: by rank, by score, or by the bytes of the members.

use core::cmp::Ordering;

/// Range of scores.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreRange {
    pub least: ScoreBound,
    pub most: ScoreBound,
}

/// Bound of a range of scores.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreBound {
    pub score: f64,
    /// Whether the score itself is outside the range.
    pub exclusive: bool,
}

impl ScoreRange {
    /// Whether a score is below the range.
    pub(super) fn is_above(&self, score: f64) -> bool {
        score < self.least.score || (self.least.exclusive && score == self.least.score)
    }

    /// Whether a score is within or below the range.
    pub(super) fn reaches(&self, score: f64) -> bool {
        score < self.most.score || (!self.most.exclusive && score == self.most.score)
    }
}

/// Bound of a range of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberBound<'a> {
    /// Below every member.
    Lowest,
    /// Above every member.
    Highest,
    Included(&'a [u8]),
    Excluded(&'a [u8]),
}

/// Range of members in the order of their bytes. Meaningful only if all scores are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberRange<'a> {
    pub least: MemberBound<'a>,
    pub most: MemberBound<'a>,
}

impl MemberRange<'_> {
    /// Whether a member is within or above the range.
    pub(super) fn is_at_least(&self, member: &[u8]) -> bool {
        match self.least {
            MemberBound::Lowest => true,
            MemberBound::Highest => false,
            MemberBound::Included(bound) => member >= bound,
            MemberBound::Excluded(bound) => member > bound,
        }
    }

    /// Whether a member is within or below the range.
    pub(super) fn is_at_most(&self, member: &[u8]) -> bool {
        match self.most {
            MemberBound::Lowest => false,
            MemberBound::Highest => true,
            MemberBound::Included(bound) => member <= bound,
            MemberBound::Excluded(bound) => member < bound,
        }
    }

    /// Whether the range contains no possible member.
    pub(super) fn is_empty(&self) -> bool {
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

/// Range of a sorted set by one of its orders.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Interval<'a> {
    /// First and last rank, both included, counted from the end at which the selection begins. Negative ranks count
    /// from the other end.
    Ranks(i64, i64),
    Scores(ScoreRange),
    Members(MemberRange<'a>),
}

/// Arguments of ZRANGE and related commands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection<'a> {
    pub interval: Interval<'a>,
    /// Whether pairs are returned from the highest to the lowest.
    pub reversed: bool,
    /// Number of pairs to skip; a negative number selects nothing.
    pub offset: i64,
    /// Largest number of pairs after the offset; a negative number means no limit.
    pub limit: i64,
}

impl<'a> From<Interval<'a>> for Selection<'a> {
    fn from(interval: Interval<'a>) -> Selection<'a> {
        Selection { interval, reversed: false, offset: 0, limit: -1 }
    }
}

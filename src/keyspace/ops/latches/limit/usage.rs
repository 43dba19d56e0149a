//! A use of a limit and the verdict about it: data, without keys and time.

/// Algorithm of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// A bucket of `burst` that is refilled evenly (GCRA).
    Even {
        burst: i64,
        /// Microseconds between two units: the period divided by the limit, rounded up.
        interval_us: i64,
    },
    /// Windows that begin with the first use after the last one.
    Fixed,
    /// Every window of the length of the period.
    Sliding,
}

/// Use of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    pub algorithm: Algorithm,
    pub limit: i64,
    pub period_ms: i64,
    pub cost: i64,
    /// Whether the use is only evaluated.
    pub peek: bool,
}

impl Usage {
    /// Largest cost that is ever allowed.
    pub fn max_cost(&self) -> i64 {
        if let Algorithm::Even { burst, .. } = self.algorithm { burst } else { self.limit }
    }
}

/// Verdict about a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    pub is_allowed: bool,
    /// Units that are left.
    pub remaining: i64,
    /// Milliseconds until the use would be allowed; -1 if it never is.
    pub retry_ms: i64,
    /// Milliseconds until every unit is left.
    pub reset_ms: i64,
}

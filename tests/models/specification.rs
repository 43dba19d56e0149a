//! Specification of one latch: its holders and its line, written independently of the engine. Times are milliseconds.

/// Strength in which an owner wants or holds a latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Exclusive,
    Shared,
    Permits(i64),
}

impl Mode {
    /// Name in a holder's field, and number of permits there.
    pub fn field(self) -> (&'static str, i64) {
        match self {
            Mode::Exclusive => ("x", 1),
            Mode::Shared => ("s", 1),
            Mode::Permits(permits) => ("p", permits),
        }
    }

    /// Whether a holder in this mode may do what another mode allows.
    fn covers(self, other: Mode) -> bool {
        match (self, other) {
            (Mode::Exclusive, Mode::Exclusive | Mode::Shared) | (Mode::Shared, Mode::Shared) => true,
            (Mode::Permits(held), Mode::Permits(wanted)) => wanted <= held,
            _ => false,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    pub owner: usize,
    pub mode: Mode,
    pub depth: i64,
    pub token: u64,
    /// Last instant of the lease.
    pub end: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    pub owner: usize,
    pub mode: Mode,
    /// Last instant of the wait.
    pub until: i64,
    pub ttl: i64,
    ticket: u64,
}

/// Outcome of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The owner holds the latch already, with this token.
    Held(u64),
    /// A new grant. Its token is not known yet.
    Granted,
    /// Held by others, without a wait or at its end.
    Refused,
    Waits,
    Deadlock,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Latch {
    pub holders: Vec<Holder>,
    /// In order of arrival.
    pub line: Vec<Waiter>,
    /// Limit of all permits.
    pub limit: i64,
    /// Milliseconds between the end of a lease and the next grant.
    pub delay: i64,
    pub now: i64,
    /// Largest token so far.
    pub last_token: u64,
    pub tickets: u64,
}

impl Latch {
    pub fn holder(&self, owner: usize) -> Option<&Holder> {
        self.holders.iter().find(|holder| holder.owner == owner)
    }

    /// Holder with a lease that has not ended. One in the delay after it excludes others, and may do nothing itself.
    pub fn live(&self, owner: usize) -> Option<&Holder> {
        self.holder(owner).filter(|holder| self.now <= holder.end)
    }

    pub fn live_mut(&mut self, owner: usize) -> Option<&mut Holder> {
        let now = self.now;
        self.holders.iter_mut().find(|holder| holder.owner == owner && now <= holder.end)
    }

    /// Whether all holders but the owner admit one more in a mode.
    fn admits(&self, owner: usize, mode: Mode) -> bool {
        let mut others = self.holders.iter().filter(|holder| holder.owner != owner).map(|holder| holder.mode);
        match mode {
            Mode::Exclusive => others.next().is_none(),
            Mode::Shared => others.all(|other| other == Mode::Shared),
            Mode::Permits(permits) => {
                let held: i64 = others.map(|other| other.field().1).sum();
                held + permits <= self.limit
            }
        }
    }

    fn is_upgrade(&self, waiter: &Waiter) -> bool {
        self.live(waiter.owner).is_some()
    }

    /// Line in the order of service: upgrades first.
    pub fn order(&self) -> Vec<&Waiter> {
        let mut order: Vec<&Waiter> = self.line.iter().collect();
        order.sort_by_key(|waiter| (!self.is_upgrade(waiter), waiter.ticket));
        order
    }

    /// Acquisition by an owner that does not wait, or that takes over its own place in the line.
    pub fn acquire(&mut self, owner: usize, mode: Mode, (ttl, wait): (i64, i64)) -> Outcome {
        let ticket = self.line.iter().find(|waiter| waiter.owner == owner).map(|waiter| waiter.ticket);
        let own = self.live(owner).cloned();
        let is_free = self.holder(owner).is_none() && self.admits(owner, mode);
        let is_first = || self.order().first().is_none_or(|first| Some(first.ticket) == ticket);
        let outcome = match &own {
            Some(held) if held.mode.covers(mode) => Outcome::Held(held.token),
            Some(_) if self.admits(owner, mode) => Outcome::Granted,
            None if is_free && is_first() => Outcome::Granted,
            _ if wait == 0 => Outcome::Refused,
            Some(_) if self.has_circle(owner, mode) => Outcome::Deadlock,
            _ => Outcome::Waits,
        };
        match outcome {
            Outcome::Held(_) | Outcome::Granted => self.hold(owner, mode, ttl, own),
            Outcome::Waits => {
                self.tickets += 1;
                let ticket = ticket.unwrap_or(self.tickets);
                self.leave(owner);
                let waiter = Waiter { owner, mode, until: self.now + wait, ttl, ticket };
                let index = self.line.partition_point(|other| other.ticket < ticket);
                self.line.insert(index, waiter);
            }
            Outcome::Refused | Outcome::Deadlock => {}
        }
        outcome
    }

    /// Makes an owner a holder. Its token is set when the reply names it.
    fn hold(&mut self, owner: usize, mode: Mode, ttl: i64, own: Option<Holder>) {
        let end = own.as_ref().map_or(0, |held| held.end).max(self.now + ttl);
        let (depth, token) = own.as_ref().map_or((1, 0), |held| (held.depth, held.token));
        let mode = match own.map(|held| held.mode) {
            Some(Mode::Exclusive) => Mode::Exclusive,
            _ => mode,
        };
        self.holders.retain(|holder| holder.owner != owner);
        self.holders.push(Holder { owner, mode, depth, token, end });
    }

    /// Whether an upgrade never succeeds, although all holders that wait for nothing leave: then those that wait for
    /// more are granted one after another, and leave too, as far as that goes.
    fn has_circle(&self, owner: usize, mode: Mode) -> bool {
        let waits = |owner: usize| self.line.iter().find(|waiter| waiter.owner == owner).map(|waiter| waiter.mode);
        let wanted = |holder: &Holder| if holder.owner == owner { Some(mode) } else { waits(holder.owner) };
        let mut rest = Latch { limit: self.limit, ..Latch::default() };
        // In the delay after its lease a holder is no upgrade, and its hold ends by itself.
        let is_upgrade = |holder: &&Holder| wanted(holder).is_some() && self.now <= holder.end;
        rest.holders = self.holders.iter().filter(is_upgrade).cloned().collect();
        while let Some(next) =
            rest.holders.iter().position(|holder| rest.admits(holder.owner, wanted(holder).unwrap_or(mode)))
        {
            rest.holders.remove(next);
        }
        rest.holder(owner).is_some()
    }

    /// Removes an owner from the line.
    pub fn leave(&mut self, owner: usize) -> Option<Waiter> {
        let index = self.line.iter().position(|waiter| waiter.owner == owner)?;
        Some(self.line.remove(index))
    }

    /// Grants to the head of the line while it is possible. Returns the owners in order.
    pub fn serve(&mut self) -> Vec<usize> {
        let mut granted = Vec::new();
        while let Some(first) = self.order().first().map(|first| (*first).clone()) {
            let own = self.live(first.owner).cloned();
            if !self.admits(first.owner, first.mode) || own.is_none() && self.holder(first.owner).is_some() {
                break;
            }
            self.leave(first.owner);
            self.hold(first.owner, first.mode, first.ttl, own);
            granted.push(first.owner);
        }
        granted
    }

    /// Ends leases, serves the line, and ends waits, at an instant. Returns owners that were granted, and refused ones.
    pub fn tick(&mut self, now: i64) -> (Vec<usize>, Vec<usize>) {
        self.now = now;
        self.holders.retain(|holder| now <= holder.end + self.delay);
        let (mut granted, mut refused) = (self.serve(), Vec::new());
        loop {
            let mut over: Vec<&Waiter> = self.line.iter().filter(|waiter| waiter.until <= now).collect();
            over.sort_by_key(|waiter| (waiter.until, waiter.ticket));
            let Some(owner) = over.first().map(|waiter| waiter.owner) else { return (granted, refused) };
            self.leave(owner);
            refused.push(owner);
            granted.extend(self.serve());
        }
    }
}

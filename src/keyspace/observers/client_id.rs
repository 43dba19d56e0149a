//! Id of a client, the only property of clients that the keyspace uses.

/// Id of a client of one engine. Ids begin at 1 and are never reused.
///
/// # Examples
/// ```
/// use keylatch::{ClientId, Keylatch, ManualClock, Options};
///
/// let mut db = Keylatch::new(Options::default(), ManualClock::default());
/// assert_eq!(db.connect(), ClientId(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ClientId(pub u32);

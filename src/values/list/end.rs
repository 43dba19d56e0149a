//! Ends and sides in a list.

/// End of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Head,
    Tail,
}

/// Side of a pivot element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Before,
    After,
}

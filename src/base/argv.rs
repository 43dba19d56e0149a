//! Arguments of a command: one buffer of bytes, and spans into it.
//!
//! Requests in RESP, typed lines, calls from JavaScript, queued and logged commands all have this shape, so that arguments
//! are never copied one by one.

use alloc::vec::Vec;

/// Byte offsets of one argument in its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// Borrowed arguments of a command, its name first. A copy costs two slices.
///
/// # Examples
/// ```
/// use keylatch::Argv;
///
/// let argv = Argv::from_slices(&["SET", "k", "v"]);
/// let borrowed = argv.as_ref();
/// assert_eq!(borrowed.get(1), Some(&b"k"[..]));
/// assert_eq!(borrowed.from_index(1).len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ArgvRef<'a> {
    bytes: &'a [u8],
    spans: &'a [Span],
}

impl<'a> ArgvRef<'a> {
    /// Arguments at `spans` of `bytes`. A span outside of `bytes` reads as an empty argument.
    #[doc(hidden)]
    pub fn new(bytes: &'a [u8], spans: &'a [Span]) -> ArgvRef<'a> {
        ArgvRef { bytes, spans }
    }

    /// Number of arguments.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no argument, not even a name.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Bytes of all arguments together.
    #[inline(always)]
    pub fn bytes_len(&self) -> usize {
        self.spans.iter().map(|span| span.end.saturating_sub(span.start) as usize).sum()
    }

    /// Bytes that an owned copy takes.
    #[inline(always)]
    pub(crate) fn copy_len(&self) -> usize {
        self.bytes_len() + core::mem::size_of_val(self.spans)
    }

    /// The argument at an index.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        self.spans.get(index).map(|span| self.slice(*span))
    }

    /// The arguments in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        let argv = *self;
        argv.spans.iter().map(move |span| argv.slice(*span))
    }

    /// The arguments in pairs, without a last one that is alone.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone + use<'a> {
        let argv = *self;
        argv.spans.as_chunks::<2>().0.iter().map(move |&[first, second]| (argv.slice(first), argv.slice(second)))
    }

    /// The arguments from `index` on.
    pub fn from_index(&self, index: usize) -> ArgvRef<'a> {
        ArgvRef { bytes: self.bytes, spans: self.spans.get(index..).unwrap_or_default() }
    }

    /// The first `count` arguments, or as many as there are.
    pub fn first(&self, count: usize) -> ArgvRef<'a> {
        ArgvRef { bytes: self.bytes, spans: &self.spans[..count.min(self.spans.len())] }
    }

    /// Copies the arguments into a buffer of their own.
    pub fn to_owned(&self) -> Argv {
        let bytes = self.iter().map(<[u8]>::len).sum();
        let mut argv = Argv { bytes: Vec::with_capacity(bytes), spans: Vec::with_capacity(self.len()) };
        self.iter().for_each(|argument| argv.push(argument));
        argv
    }

    #[inline(always)]
    fn slice(&self, span: Span) -> &'a [u8] {
        self.bytes.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// Owned arguments of a command, its name first.
///
/// # Examples
/// ```
/// use keylatch::Argv;
///
/// let mut argv = Argv::from_slices(&["SET", "k"]);
/// argv.push(b"\0\xff");
/// assert_eq!(argv.as_ref().iter().count(), 3);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Argv {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Argv {
    /// Copies arguments.
    pub fn from_slices<T: AsRef<[u8]>>(arguments: &[T]) -> Argv {
        let mut argv = Argv::default();
        arguments.iter().for_each(|argument| argv.push(argument.as_ref()));
        argv
    }

    /// Appends an argument. The buffer holds at most 4 GiB: an argument beyond that is left out. Requests are limited far
    /// below it ([`Limits`](crate::Limits)).
    pub fn push(&mut self, argument: &[u8]) {
        let start = self.bytes.len();
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + argument.len())) else { return };
        self.bytes.extend_from_slice(argument);
        self.spans.push(Span { start, end });
    }

    /// Borrows the arguments.
    pub fn as_ref(&self) -> ArgvRef<'_> {
        ArgvRef::new(&self.bytes, &self.spans)
    }

    /// Removes all arguments and keeps the buffer.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    /// Removes all arguments, and frees what the buffer holds beyond this many bytes.
    #[cfg(feature = "scripting")]
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        self.clear();
        self.bytes.shrink_to(bytes);
        self.spans.shrink_to(bytes / size_of::<Span>());
    }

    /// Number of arguments.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no argument, not even a name.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_back_in_order_and_may_be_empty_or_binary() {
        let argv = Argv::from_slices(&[&b"SET"[..], b"", b"\0\xff"]);
        let back: Vec<&[u8]> = argv.as_ref().iter().collect();
        assert_eq!(back, [&b"SET"[..], b"", b"\0\xff"]);
        assert_eq!(argv.as_ref().get(3), None);
        assert_eq!(argv.as_ref().from_index(1).len(), 2);
        assert_eq!(argv.as_ref().to_owned(), argv);
    }

    #[test]
    fn a_span_outside_the_buffer_reads_as_empty() {
        let argv = ArgvRef::new(b"abc", &[Span { start: 2, end: 9 }, Span { start: 3, end: 1 }]);
        assert_eq!(argv.iter().collect::<Vec<_>>(), [b"", b""]);
    }
}

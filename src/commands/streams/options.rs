//! Arguments of stream commands: ids, ends of intervals, and the options of XADD and XTRIM.

use alloc::vec::Vec;

use crate::base::headroom::try_reserve;
use crate::base::number::parse_integer;
use crate::commands::table::args::{Args, is};
use crate::keyspace::NewId;
use crate::resp::error::CommandError;
use crate::values::{ParsedId, References, StreamId, Trim, TrimBound};

/// Most entries that an approximate trim removes if no limit is given: 100 blocks.
const DEFAULT_LIMIT: usize = 10_000;

/// Parses an id; the sequence number may be left out, and is 0 then.
pub(super) fn id(text: &[u8]) -> Result<StreamId, CommandError> {
    StreamId::parse(text, 0).ok_or(CommandError::STREAM_ID)
}

/// Parses all remaining arguments as ids.
pub(super) fn ids<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Result<Vec<StreamId>, CommandError> {
    let mut ids = Vec::new();
    for text in texts {
        let id = id(text)?;
        try_reserve(&mut ids, 1)?;
        ids.push(id);
    }
    Ok(ids)
}

/// End of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Start,
    Stop,
}

/// Parses an end of an interval: `-`, `+`, an id, or an id that is excluded.
pub(super) fn interval_end(text: &[u8], end: End) -> Result<StreamId, CommandError> {
    let missing_seq = if end == End::Start { 0 } else { u64::MAX };
    match text {
        b"-" => Ok(StreamId::MIN),
        b"+" => Ok(StreamId::MAX),
        [b'(', excluded @ ..] if !excluded.is_empty() => {
            let id = StreamId::parse(excluded, missing_seq).ok_or(CommandError::STREAM_ID)?;
            match end {
                End::Start => id.next().ok_or(CommandError::START_ID),
                End::Stop => id.previous().ok_or(CommandError::END_ID),
            }
        }
        text => StreamId::parse(text, missing_seq).ok_or(CommandError::STREAM_ID),
    }
}

/// Parses the fate of references.
pub(super) fn references(word: &[u8]) -> Option<References> {
    match word {
        _ if is(word, "KEEPREF") => Some(References::Keep),
        _ if is(word, "DELREF") => Some(References::Remove),
        _ if is(word, "ACKED") => Some(References::Await),
        _ => None,
    }
}

/// Options of XADD and XTRIM.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AddOptions {
    pub no_create: bool,
    bound: Option<TrimBound>,
    approximate: bool,
    limit: Option<i64>,
    references: Option<References>,
}

impl AddOptions {
    /// Reads options up to the id of XADD, which is returned; `None` if it is missing.
    pub(super) fn read_add(&mut self, args: &mut Args<'_>) -> Result<Option<NewId>, CommandError> {
        while let Some(word) = args.peek() {
            if word == b"*" {
                args.skip(1);
                return Ok(Some(NewId::Next));
            }
            if self.take(args)? {
                continue;
            }
            args.skip(1);
            if is(word, "NOMKSTREAM") {
                self.no_create = true;
                continue;
            }
            let id = ParsedId::parse(word).ok_or(CommandError::STREAM_ID)?;
            return Ok(Some(match id {
                ParsedId { wants_seq: true, ms, .. } => NewId::NextIn(ms),
                ParsedId { seq, ms, .. } => NewId::Exact(StreamId::new(ms, seq.unwrap_or(0))),
            }));
        }
        Ok(None)
    }

    /// Reads all arguments as options of XTRIM.
    pub(super) fn read_trim(&mut self, args: &mut Args<'_>) -> Result<(), CommandError> {
        while !args.is_done() {
            if !self.take(args)? {
                return Err(CommandError::SYNTAX);
            }
        }
        Ok(())
    }

    /// Consumes an option of both commands; returns whether there was one.
    fn take(&mut self, args: &mut Args<'_>) -> Result<bool, CommandError> {
        let Some(word) = args.peek() else { return Ok(false) };
        if self.references.is_none() {
            self.references = references(word);
            if self.references.is_some() {
                args.skip(1);
                return Ok(true);
            }
        }
        // The other options have a value.
        if args.left() == 1 {
            return Ok(false);
        }
        match word {
            _ if is(word, "MAXLEN") => {
                let text = self.threshold(args)?;
                let len = parse_integer(text).ok_or(CommandError::NOT_AN_INTEGER)?;
                let len = u64::try_from(len).map_err(|_| CommandError::TRIM_MAXLEN)?;
                self.bound = Some(TrimBound::MaxLen(len));
            }
            _ if is(word, "MINID") => self.bound = Some(TrimBound::MinId(id(self.threshold(args)?)?)),
            _ if is(word, "LIMIT") => {
                args.skip(1);
                self.limit = Some(args.integer()?).filter(|limit| *limit >= 0);
                self.limit.ok_or(CommandError::TRIM_LIMIT)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Consumes the keyword of a bound and its operator; returns the threshold.
    fn threshold<'a>(&mut self, args: &mut Args<'a>) -> Result<&'a [u8], CommandError> {
        args.skip(1);
        if self.bound.is_some() {
            return Err(CommandError::TWO_TRIMS);
        }
        let operator = args.peek().filter(|word| args.left() > 1 && matches!(*word, b"~" | b"="));
        self.approximate = operator == Some(b"~");
        args.skip(usize::from(operator.is_some()));
        args.bytes()
    }

    /// Validates the options together; returns the trim, if one is given.
    pub(super) fn trim(&self) -> Result<Option<Trim>, CommandError> {
        let Some(bound) = self.bound else {
            let has_limit = self.limit.is_some_and(|limit| limit > 0);
            return if has_limit { Err(CommandError::LIMIT_WITHOUT_TRIM) } else { Ok(None) };
        };
        if self.limit.is_some() && !self.approximate {
            return Err(CommandError::LIMIT_NOT_APPROXIMATE);
        }
        let limit = match self.limit {
            Some(0) => None,
            Some(limit) => Some(usize::try_from(limit).unwrap_or(usize::MAX)),
            None => self.approximate.then_some(DEFAULT_LIMIT),
        };
        // Redis looks into blocks that are not removed whole if references matter.
        let references = self.references.unwrap_or(References::Keep);
        let approximate = self.approximate && references == References::Keep;
        Ok(Some(Trim { bound, approximate, limit, references }))
    }
}

//! The words that commands about fields share: `FIELDS numfields field ...`, conditions and deadlines.

use alloc::vec::Vec;

use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::commands::args::{Args, is};
use crate::commands::options::Unit;
use crate::keyspace::{DeadlineCondition, FieldExpiry, Presence};
use crate::resp::encode::Writer;
use crate::resp::error::{CommandError, ErrorText};

const MS_PER_SECOND: i64 = 1000;
/// A field dies no later than this: Redis keeps two of the 48 bits of its deadlines for itself.
const DEADLINE_MS_MAX: i64 = (1 << 46) - 1;
/// The largest number of fields that is read as one.
const FIELDS_MAX: i64 = i32::MAX as i64;

/// `FIELDS numfields`, with exactly so many fields behind it: how many.
pub(super) fn fields_to_the_end(args: &mut Args<'_>) -> Result<usize, CommandError> {
    if !is(args.bytes()?, "FIELDS") {
        return Err(CommandError::FIELDS_MISPLACED);
    }
    let count = parse_integer(args.bytes()?).filter(|&count| count > 0);
    let count = count.ok_or(CommandError::FIELD_COUNT_NOT_POSITIVE)?;
    let left = args.left();
    if usize::try_from(count) == Ok(left) { Ok(left) } else { Err(CommandError::FIELD_COUNT_NOT_THAT) }
}

pub(super) fn write_values(values: &[Option<Vec<u8>>], reply: &mut Writer) {
    reply.array(values.len());
    values.iter().for_each(|value| reply.optional_bulk(value.as_deref()));
}

/// The instant of a field's deadline. It is not before 1970, also for a clock that is: no log could say so.
pub(super) fn instant(number: &[u8], unit: Unit, now: Timestamp) -> Result<Timestamp, CommandError> {
    let number = parse_integer(number).ok_or(CommandError::NOT_AN_INTEGER)?;
    if number < 0 {
        return Err(CommandError::EXPIRE_NEGATIVE);
    }
    let ms = if unit.is_seconds() { number.checked_mul(MS_PER_SECOND) } else { Some(number) };
    let base = if unit.is_relative() { now } else { Timestamp::default() };
    let instant = ms.filter(|&ms| ms <= DEADLINE_MS_MAX).and_then(|ms| base.checked_add_ms(ms));
    let instant = instant.filter(|instant| instant.as_ms() <= DEADLINE_MS_MAX);
    Ok(instant.ok_or(CommandError::INVALID_EXPIRE)?.max(Timestamp::default()))
}

/// The fields in a request: where they begin and how many they are, with their values where there are some.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    pub(super) args: Args<'a>,
    pub(super) count: usize,
}

/// How a command writes `FIELDS`.
#[derive(Clone, Debug)]
struct FieldsStyle {
    /// Arguments for each field.
    arguments: usize,
    /// Arguments there must be behind the word, and what is wrong with fewer.
    least: usize,
    too_few: CommandError,
    bad_count: CommandError,
}

/// Reads what stands behind `FIELDS` and goes on behind the fields.
fn take_fields<'a>(
    args: &mut Args<'a>,
    fields: &mut Option<Fields<'a>>,
    style: &FieldsStyle,
) -> Result<(), CommandError> {
    if fields.is_some() {
        return Err(CommandError::FIELDS_TWICE);
    }
    if args.left() < style.least {
        return Err(style.too_few);
    }
    let count = parse_integer(args.bytes()?).filter(|count| (1..=FIELDS_MAX).contains(count));
    let count = count.ok_or(style.bad_count)? as usize;
    if args.left() / style.arguments < count {
        return Err(CommandError::FIELDS_TOO_FEW);
    }
    *fields = Some(Fields { args: *args, count });
    args.skip(count * style.arguments);
    Ok(())
}

/// `[NX | XX | GT | LT] FIELDS numfields field ...` in any order.
pub(super) fn condition_and_fields<'a>(args: &mut Args<'a>) -> Result<(DeadlineCondition, Fields<'a>), CommandError> {
    let style = FieldsStyle {
        arguments: 1,
        least: 2,
        too_few: CommandError::FIELDS_ALONE,
        bad_count: CommandError::NUMFIELDS_NOT_POSITIVE,
    };
    let (mut condition, mut fields) = (DeadlineCondition::default(), None);
    while let Some(word) = args.optional() {
        match word {
            _ if is(word, "FIELDS") => take_fields(args, &mut fields, &style)?,
            _ if is(word, "NX") => condition.without = true,
            _ if is(word, "XX") => condition.with = true,
            _ if is(word, "GT") => condition.later = true,
            _ if is(word, "LT") => condition.earlier = true,
            _ => return Err(args.refuse(ErrorText::unknown_argument(word))),
        }
    }
    let fields = fields.ok_or(CommandError::FIELDS_MISSING)?;
    let DeadlineCondition { without, with, later, earlier } = condition;
    if [without, with, later, earlier].into_iter().filter(|&said| said).count() > 1 {
        return Err(CommandError::MANY_CONDITIONS);
    }
    Ok((condition, fields))
}

/// What HGETEX or HSETEX was told.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldWords<'a> {
    /// What becomes of deadlines, if something was said about it.
    pub(super) expiry: Option<FieldExpiry>,
    pub(super) presence: Option<Presence>,
    pub(super) fields: Fields<'a>,
}

/// The words of HGETEX in any order.
pub(super) fn hgetex<'a>(args: &mut Args<'a>, now: Timestamp) -> Result<FieldWords<'a>, CommandError> {
    let conflict = CommandError::HGETEX_EXPIRY_CONFLICT;
    field_words(args, now, Own { arguments: 1, word: ("PERSIST", FieldExpiry::Never), conflict })
}

/// The words of HSETEX in any order.
pub(super) fn hsetex<'a>(args: &mut Args<'a>, now: Timestamp) -> Result<FieldWords<'a>, CommandError> {
    let conflict = CommandError::HSETEX_EXPIRY_CONFLICT;
    field_words(args, now, Own { arguments: 2, word: ("KEEPTTL", FieldExpiry::Keep), conflict })
}

/// What the two do not share.
struct Own {
    /// Arguments for each field: those that have a value can be set on conditions.
    arguments: usize,
    /// The word that may take the place of a deadline.
    word: (&'static str, FieldExpiry),
    conflict: CommandError,
}

fn field_words<'a>(args: &mut Args<'a>, now: Timestamp, own: Own) -> Result<FieldWords<'a>, CommandError> {
    let style = FieldsStyle {
        arguments: own.arguments,
        least: 1,
        too_few: CommandError::WRONG_ARITY,
        bad_count: CommandError::BAD_FIELD_COUNT,
    };
    let (mut expiry, mut presence, mut fields) = (None, None, None);
    while let Some(word) = args.optional() {
        let said = match word {
            _ if is(word, "FIELDS") => {
                take_fields(args, &mut fields, &style)?;
                continue;
            }
            _ if own.arguments == 2 && is(word, "FXX") => {
                take_presence(&mut presence, Presence::Existing)?;
                continue;
            }
            _ if own.arguments == 2 && is(word, "FNX") => {
                take_presence(&mut presence, Presence::Missing)?;
                continue;
            }
            _ if is(word, own.word.0) => None,
            _ => Some(unit(word).ok_or_else(|| args.refuse(ErrorText::unknown_argument(word)))?),
        };
        if expiry.is_some() {
            return Err(own.conflict);
        }
        expiry = Some(match said {
            None => own.word.1,
            Some(unit) => {
                let number = args.optional().ok_or(CommandError::EXPIRE_MISSING)?;
                FieldExpiry::At(instant(number, unit, now)?)
            }
        });
    }
    Ok(FieldWords { expiry, presence, fields: fields.ok_or(CommandError::FIELDS_MISSING)? })
}

fn unit(word: &[u8]) -> Option<Unit> {
    match word {
        _ if is(word, "EX") => Some(Unit::Seconds),
        _ if is(word, "PX") => Some(Unit::Milliseconds),
        _ if is(word, "EXAT") => Some(Unit::UnixSeconds),
        _ if is(word, "PXAT") => Some(Unit::UnixMilliseconds),
        _ => None,
    }
}

fn take_presence(presence: &mut Option<Presence>, said: Presence) -> Result<(), CommandError> {
    match presence.replace(said) {
        None => Ok(()),
        Some(_) => Err(CommandError::FNX_FXX_CONFLICT),
    }
}

//! Keys of a request, found by the key specs of its row.

use alloc::vec::Vec;

use super::args::is;
use super::row::{Begin, Find, KeyAccess, KeySpec};
use crate::base::argv::ArgvRef;
use crate::base::headroom::try_reserve;
use crate::base::number::leading_integer;
use crate::commands::Row;
use crate::resp::error::CommandError;

/// Returns the keys of a request with their access. Fails if a key spec does not fit the request, or without memory.
pub fn keys_of<'a>(row: &Row, argv: ArgvRef<'a>) -> Result<Vec<(&'a [u8], KeyAccess)>, CommandError> {
    let mut keys = Vec::new();
    let mut reserved = Ok(());
    visit_keys(row, argv, &mut |key, access| {
        reserved = reserved.and_then(|()| try_reserve(&mut keys, 1));
        if reserved.is_ok() {
            keys.push((key, access));
        }
    })?;
    reserved?;
    Ok(keys)
}

/// Calls `visit` with each key of a request and its access. Fails if a key spec does not fit the request.
pub fn visit_keys<'a>(
    row: &Row,
    argv: ArgvRef<'a>,
    visit: &mut dyn FnMut(&'a [u8], KeyAccess),
) -> Result<(), CommandError> {
    for spec in row.keys {
        let indices = key_indices(spec, argv).ok_or(CommandError::INVALID_KEY_ARGUMENTS)?;
        indices.filter_map(|index| argv.get(index)).for_each(|key| visit(key, spec.access));
    }
    Ok(())
}

/// Returns the argument indices of a spec's keys; `None` if the number of keys is invalid or exceeds the arguments.
fn key_indices(spec: &KeySpec, argv: ArgvRef<'_>) -> Option<impl Iterator<Item = usize> + use<>> {
    let begin = match spec.begin {
        Begin::Index(index) => usize::try_from(index).ok()?,
        Begin::Keyword { word, from } => {
            let mut arguments = argv.iter().enumerate().skip(usize::try_from(from).ok()?);
            // Without the keyword there are no keys.
            match arguments.find(|(_, argument)| is(argument, word)) {
                Some((index, _)) => index + 1,
                None => return Some((0..0).step_by(1)),
            }
        }
    };
    let (first, end, step) = match spec.find {
        Find::Range { last, step } => {
            let last = if last < 0 { argv.len().checked_add_signed(last as isize)? } else { begin + last as usize };
            (begin, last + 1, step)
        }
        Find::Counted { count_at, first, step } => {
            let count = count_in(argv.get(begin + count_at as usize)?)?.checked_mul(step as usize)?;
            let first = begin + first as usize;
            (first, first.checked_add(count).filter(|&end| end <= argv.len())?, step)
        }
        Find::FirstHalf => {
            let words = argv.len().checked_sub(begin).filter(|words| words % 2 == 0)?;
            (begin, begin + words / 2, 1)
        }
    };
    Some((first..end.min(argv.len())).step_by(usize::try_from(step).ok()?.max(1)))
}

/// Parses the number at the beginning of a text; `None` unless it is positive. As C's `atoi`, which Redis uses here, it
/// accepts `01` and `2x`.
fn count_in(text: &[u8]) -> Option<usize> {
    let (number, _) = leading_integer(text);
    // Truncated to 32 bits like C's `int`: a huge number of either sign may become a small positive one.
    usize::try_from(number as i32).ok().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::argv::Argv;
    use crate::commands::find;

    fn keys(words: &[&str]) -> Option<Vec<&'static str>> {
        let argv = Argv::from_slices(words);
        let found = keys_of(find(words[0]).unwrap(), argv.as_ref()).ok()?;
        Some(
            found
                .iter()
                .map(|(key, _)| std::string::String::from_utf8_lossy(key).into_owned().leak() as &str)
                .collect(),
        )
    }

    #[test]
    fn ranges_steps_and_counts_find_their_keys() {
        assert_eq!(keys(&["GET", "a"]), Some(alloc::vec!["a"]));
        assert_eq!(keys(&["MSET", "a", "1", "b", "2"]), Some(alloc::vec!["a", "b"]));
        assert_eq!(keys(&["DEL", "a", "b", "c"]), Some(alloc::vec!["a", "b", "c"]));
        assert_eq!(keys(&["COPY", "a", "b", "REPLACE"]), Some(alloc::vec!["a", "b"]));
        assert_eq!(keys(&["MSETEX", "2", "a", "1", "b", "2", "NX"]), Some(alloc::vec!["a", "b"]));
        assert_eq!(keys(&["SORT", "a", "BY", "x*", "STORE", "b"]), Some(alloc::vec!["a", "b"]));
        assert_eq!(keys(&["SORT", "a", "BY", "x*"]), Some(alloc::vec!["a"]));
        assert_eq!(keys(&["XREAD", "STREAMS", "a", "b", "0", "$"]), Some(alloc::vec!["a", "b"]));
        assert_eq!(keys(&["XREAD", "STREAMS", "a", "b", "0"]), None);
        assert_eq!(keys(&["MSETEX", "9", "a", "1"]), None);
        assert_eq!(keys(&["MSETEX", "x", "a", "1"]), None);
        assert_eq!(keys(&["LMPOP", " +01x", "a", "LEFT"]), Some(alloc::vec!["a"]));
        assert_eq!(keys(&["LMPOP", "-1", "a", "LEFT"]), None);
        assert_eq!(keys(&["LMPOP", "-9223372036854775807", "a", "LEFT"]), Some(alloc::vec!["a"]));
        assert_eq!(keys(&["LMPOP", "99999999999999999999", "a", "LEFT"]), None);
    }
}

//! Limits of values: the longest string, and those of the compact encodings of collections, Redis' `*-max-listpack-*` parameters.

use super::{PackedLimit, SetLimit, SketchLimit};

/// Maximum length of a string in bytes, whatever the configuration says: Redis' default of `proto-max-bulk-len`.
pub const STRING_MAX: usize = 512 * 1024 * 1024;

/// Limits of all types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodingLimits {
    /// Longest string in bytes that a command may make by growing one.
    pub string_bytes: usize,
    pub list: ListLimit,
    pub set: SetLimit,
    pub zset: PackedLimit,
    pub hash: PackedLimit,
    pub sketch: SketchLimit,
}

impl Default for EncodingLimits {
    fn default() -> EncodingLimits {
        EncodingLimits {
            string_bytes: STRING_MAX,
            list: ListLimit::default(),
            set: SetLimit::default(),
            zset: PackedLimit::default(),
            hash: PackedLimit { members: 512, bytes: 64 },
            sketch: SketchLimit::default(),
        }
    }
}

/// `list-max-listpack-size`: -1 to -5 stand for 4 to 64 KiB, anything else is a number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListLimit {
    bytes: usize,
    elements: usize,
}

/// Size limit, in bytes, that applies besides a limit in elements.
const SAFE_BYTES: usize = 8 * 1024;
const SIZES: [usize; 5] = [4 * 1024, 8 * 1024, 16 * 1024, 32 * 1024, 64 * 1024];
const ELEMENTS_MAX: i64 = i16::MAX as i64;

impl ListLimit {
    /// Limit for a value of the parameter; values out of range count as the nearest limit.
    pub fn new(list_max_listpack_size: i64) -> ListLimit {
        match usize::try_from(list_max_listpack_size.min(ELEMENTS_MAX)) {
            Ok(elements) => ListLimit { bytes: SAFE_BYTES, elements: elements.max(1) },
            Err(_) => {
                let class = list_max_listpack_size.max(-(SIZES.len() as i64)).unsigned_abs() as usize;
                ListLimit { bytes: SIZES[class - 1], elements: usize::MAX }
            }
        }
    }

    /// Whether a listpack of `bytes` bytes and `elements` elements is within the limit.
    pub fn allows(self, bytes: usize, elements: usize) -> bool {
        bytes <= self.bytes && elements <= self.elements
    }

    /// Whether a listpack is within half of the limit. A shrinking list becomes compact again only below that, so that
    /// encodings do not alternate.
    pub fn half_allows(self, bytes: usize, elements: usize) -> bool {
        bytes <= self.bytes / 2 && (self.elements == usize::MAX || elements <= self.elements / 2)
    }
}

impl Default for ListLimit {
    fn default() -> ListLimit {
        ListLimit::new(-2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_are_sizes_and_positive_ones_counts() {
        let default = ListLimit::default();
        assert!(default.allows(8192, usize::MAX) && !default.allows(8193, 1));
        assert!(default.half_allows(4096, 4000) && !default.half_allows(4097, 1));
        assert!(ListLimit::new(-9).allows(65_536, 1) && !ListLimit::new(-1).allows(4097, 1));
        let three = ListLimit::new(3);
        assert!(three.allows(100, 3) && !three.allows(100, 4) && !three.allows(8193, 1));
        assert!(three.half_allows(100, 1) && !three.half_allows(100, 2));
        assert!(ListLimit::new(0).allows(10, 1) && !ListLimit::new(0).allows(10, 2));
        assert!(ListLimit::new(i64::MAX).allows(8192, 32_767) && ListLimit::new(i64::MIN).allows(65_536, 1));
    }
}

//! Size of a text in used memory. The length alone decides: the bytes of the machine differ by target.

/// Bytes that a text is counted with beside its length: its name, entry and function.
const ENTRY_BYTES: u64 = 512;
/// Bytes of compiled code that a byte of a text is counted with.
const COMPILED_BYTES: u64 = 6;

/// Counted bytes of a text with its compiled code.
pub fn text_bytes(len: usize) -> u64 {
    ENTRY_BYTES + len as u64 * (1 + COMPILED_BYTES)
}

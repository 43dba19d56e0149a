//! Rates of charges: work that takes about the time of one instruction of an empty loop, which is the unit of
//! `lua-instruction-limit`. Measured in WebAssembly (`cargo xtask fuzz script-costs`); a rate may be too low by a factor
//! of two, since other work is charged with it.

/// Bytes that are copied and hashed.
pub const COPIED_BYTES: usize = 8;
/// Bytes that are changed one by one: capitals, quotes.
pub const CHANGED_BYTES: usize = 4;
/// Bytes that are compared.
pub const COMPARED_BYTES: usize = 16;
/// Values that are moved between registers or into a list.
pub const MOVED_VALUES: usize = 4;
/// Nodes of a table that are visited.
pub const VISITED_NODES: usize = 2;
/// Steps of a list that the compiler walks.
pub const COMPILER_STEPS: usize = 4;
/// Steps of a division that leaves a remainder: one for each binary digit.
pub const DIVISION_STEPS: usize = 4;
/// Bytes of a text that are read as a number.
pub const READ_DIGITS: usize = 4;
/// Bytes of a result that are written as a reply.
pub const REPLY_BYTES: usize = 16;
/// Bytes of the heap for each of which a collection does some work.
pub const COLLECTED_BYTES: usize = 16;

/// Call of a function of the libraries.
pub const LIBRARY_CALL: usize = 8;
/// Call of a function of Lua, and its return.
pub const CALL: usize = 4;
/// Creation of a table, a function or a text.
pub const CREATION: usize = 12;
/// Conversion of a number to a text, or of a text to a number.
pub const CONVERSION: usize = 48;
/// Number that may be written in hundreds of digits.
pub const LONG_NUMBER: usize = 1_200;
/// Element of a list that moves by one.
pub const MOVED_ELEMENT: usize = 4;
/// Comparison of a sort without a comparator.
pub const COMPARISON: usize = 12;
/// Power of a number.
pub const POWER: usize = 8;
/// Error that is caught.
pub const ERROR: usize = 160;
/// Error that is caught with a handler.
pub const HANDLED_ERROR: usize = 4_800;
/// Frame of a call that is looked at after an error.
pub const FRAME: usize = 12;
/// Values of the stack that are looked at or moved after an error.
pub const STACK_VALUES: usize = 2;
/// Coroutine that is made.
pub const COROUTINE: usize = 700;
/// Value that a library reads, and makes.
pub const DECODED_VALUE: usize = 20;
/// Element that a library finds in a table.
pub const ENCODED_ELEMENT: usize = 8;
/// Bytes that a library looks at one by one.
pub const SCANNED_BYTES: usize = 4;
/// Element of a reply, which is looked up twice.
pub const REPLY_ELEMENT: usize = 8;
/// Table of a reply, with the fields that make it another type.
pub const REPLY_TABLE: usize = 64;
/// Bytes of a command's reply that are converted to values of Lua: the shortest value has four.
pub const REPLY_VALUE_BYTES: usize = 1;

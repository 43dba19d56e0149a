//! Instructions of the machine: their numbers and operands. The machine is that of Lua 5.4, which runs Lua 5.1.

use lua_types::opcode::Instruction;

/// Number of an instruction.
pub mod op {
    pub const LOAD_NIL: u32 = 8;
    pub const GET_GLOBAL: u32 = 11;
    pub const GET_TABLE: u32 = 12;
    pub const GET_INTEGER: u32 = 13;
    pub const GET_FIELD: u32 = 14;
    pub const SET_GLOBAL: u32 = 15;
    pub const SET_TABLE: u32 = 16;
    pub const SET_INTEGER: u32 = 17;
    pub const SET_FIELD: u32 = 18;
    pub const NEW_TABLE: u32 = 19;
    pub const SELF: u32 = 20;
    pub const MOD_CONSTANT: u32 = 25;
    pub const POW_CONSTANT: u32 = 26;
    pub const MOD: u32 = 37;
    pub const POW: u32 = 38;
    pub const BINARY: u32 = 46;
    pub const BINARY_INTEGER: u32 = 47;
    pub const BINARY_CONSTANT: u32 = 48;
    pub const MINUS: u32 = 49;
    pub const LEN: u32 = 52;
    pub const CONCAT: u32 = 53;
    pub const JUMP: u32 = 56;
    pub const EQUAL: u32 = 57;
    pub const LESS: u32 = 58;
    pub const LESS_EQUAL: u32 = 59;
    pub const EQUAL_CONSTANT: u32 = 60;
    pub const CALL: u32 = 68;
    pub const TAIL_CALL: u32 = 69;
    pub const RETURN: u32 = 70;
    pub const FOR_PREPARE: u32 = 74;
    pub const FOR_CALL: u32 = 76;
    pub const SET_LIST: u32 = 78;
    pub const CLOSURE: u32 = 79;
    pub const VARARG: u32 = 80;
}

const OPCODE_MASK: u32 = 0x7f;
pub const A_SHIFT: u32 = 7;
pub const B_SHIFT: u32 = 16;
const C_SHIFT: u32 = 24;
const K_BIT: u32 = 1 << 15;
const BYTE_MASK: u32 = 0xff;

/// Operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub op: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Whether the last operand is a constant.
    pub k: bool,
}

impl Decoded {
    pub fn of(instruction: Instruction) -> Decoded {
        let word = instruction.raw();
        Decoded {
            op: word & OPCODE_MASK,
            a: word >> A_SHIFT & BYTE_MASK,
            b: word >> B_SHIFT & BYTE_MASK,
            c: word >> C_SHIFT & BYTE_MASK,
            k: word & K_BIT != 0,
        }
    }
}

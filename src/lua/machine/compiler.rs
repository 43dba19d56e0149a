//! Compiler of texts: Lua's own, with one change to its instructions. Joining many strings is one instruction, and its
//! result may be many times as large as the memory limit. Long chains are joined in pairs instead, so that the limit is
//! checked in between.

use lua_types::opcode::Instruction;
use lua_types::{AbsLineInfo, GcRef, LuaError, LuaLClosure, LuaProto};
use lua_vm::state::LuaState;
use lua_vm::zio::ZIO;

use super::instructions::{A_SHIFT, B_SHIFT, Decoded, op};
use super::natives::heap_guard;

/// Longest chain of strings that is joined at once.
const JOINED_MAX: u32 = 8;
/// Mark of an instruction with a line of its own.
const OWN_LINE: i8 = -0x80;

/// Offset of a jump of zero instructions.
const JUMP_ZERO: i64 = (1 << 24) - 1;
/// Longest jump.
const JUMP_MAX: usize = 1 << 24;

/// Compiles a text to a closure.
pub fn compile(state: &mut LuaState, text: &mut ZIO, name: &[u8], first: i32) -> Result<GcRef<LuaLClosure>, LuaError> {
    let _guard = heap_guard(state);
    let mut proto = lua_parse::parse(state, lua_parse::DynData::default(), text, name, first)?;
    rewrite(&mut proto)?;
    let proto = counted(*proto);
    let upvalues = proto.upvalues.len();
    Ok(state.new_lclosure(proto, upvalues))
}

/// Takes a function over into the heap.
fn counted(proto: LuaProto) -> GcRef<LuaProto> {
    let proto = GcRef::new(proto);
    proto.account_buffer(proto.buffer_bytes() as isize);
    proto
}

/// Splits the long joins of a function and of those within it. The compiler nests functions less deep than the stack.
fn rewrite(proto: &mut LuaProto) -> Result<(), LuaError> {
    split_joins(proto)?;
    for inner in &mut proto.p {
        if has_long_joins(inner) {
            let mut copy = copy_of(inner);
            rewrite(&mut copy)?;
            *inner = counted(copy);
        }
    }
    Ok(())
}

/// Whether a function, or one within it, has a long join.
fn has_long_joins(proto: &LuaProto) -> bool {
    proto.code.iter().any(|word| long_join(*word).is_some()) || proto.p.iter().any(|inner| has_long_joins(inner))
}

/// Functions within others are in the heap already, where they cannot be changed.
fn copy_of(proto: &LuaProto) -> LuaProto {
    LuaProto {
        numparams: proto.numparams,
        is_vararg: proto.is_vararg,
        maxstacksize: proto.maxstacksize,
        upvalues: proto.upvalues.clone(),
        k: proto.k.clone(),
        code: proto.code.clone(),
        p: proto.p.clone(),
        lineinfo: proto.lineinfo.clone(),
        abslineinfo: proto.abslineinfo.clone(),
        locvars: proto.locvars.clone(),
        linedefined: proto.linedefined,
        lastlinedefined: proto.lastlinedefined,
        source: proto.source,
        ..LuaProto::placeholder()
    }
}

/// First register and number of the strings of a long join.
fn long_join(instruction: Instruction) -> Option<(u32, u32)> {
    let Decoded { op, a: first, b: count, .. } = Decoded::of(instruction);
    (op == op::CONCAT && count > JOINED_MAX).then_some((first, count))
}

/// Moves each long join behind the function's code, as joins of pairs. A jump takes its place, and another leads back.
fn split_joins(proto: &mut LuaProto) -> Result<(), LuaError> {
    let code_len = proto.code.len();
    let mut line = proto.linedefined;
    for at in 0..code_len {
        line = line_at(proto, at, line);
        let Some((first, count)) = long_join(proto.code[at]) else { continue };
        proto.code[at] = jump(at, proto.code.len())?;
        for last in (first..first + count - 1).rev() {
            push(proto, Instruction::new(op::CONCAT | last << A_SHIFT | 2 << B_SHIFT), line);
        }
        let back = jump(proto.code.len(), at + 1)?;
        push(proto, back, line);
    }
    Ok(())
}

/// Line of an instruction; `previous` is that of the one before.
fn line_at(proto: &LuaProto, at: usize, previous: i32) -> i32 {
    match proto.lineinfo.get(at) {
        Some(&OWN_LINE) => {
            proto.abslineinfo.iter().find(|info| info.pc as usize == at).map_or(previous, |info| info.line)
        }
        Some(&difference) => previous + i32::from(difference),
        None => previous,
    }
}

/// Jump from one instruction to another.
fn jump(from: usize, to: usize) -> Result<Instruction, LuaError> {
    if from.max(to) >= JUMP_MAX {
        return Err(LuaError::syntax(format_args!("function or expression too long")));
    }
    let distance = to as i64 - (from as i64 + 1);
    Ok(Instruction::new(op::JUMP | ((distance + JUMP_ZERO) as u32) << A_SHIFT))
}

fn push(proto: &mut LuaProto, instruction: Instruction, line: i32) {
    if !proto.lineinfo.is_empty() {
        proto.abslineinfo.push(AbsLineInfo { pc: proto.code.len() as i32, line });
        proto.lineinfo.push(OWN_LINE);
    }
    proto.code.push(instruction);
}

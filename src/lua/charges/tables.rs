//! Weights of lookups and insertions in tables. A table is as fast as its keys are spread: fractions share one chain of its
//! hash part, and a script can choose integers and texts that do.

use lua_types::table::{NO_LASTFREE, TableInner, TableNode};
use lua_types::{GcRef, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::rates::{COMPARED_BYTES, VISITED_NODES};

/// Nodes of a table that are looked at.
const SAMPLES: usize = 64;
/// Chains that are counted.
const CHAINS: usize = 256;
/// Keys of a sample that may be in one chain by chance.
const CHANCE_MAX: usize = 5;
/// Nodes of the smallest table that may be crowded.
const CROWDED_NODES_MIN: usize = 256;
/// Mantissa of a number as the machine hashes it.
const HASHED: f64 = 2_147_483_648.0;

/// Metamethod of a table by the slot of its name.
pub fn metamethod(state: &LuaState, table: &GcRef<LuaTable>, name: usize) -> LuaValue {
    let names = &state.global().tmname;
    match (table.metatable(), names.get(name)) {
        (Some(metatable), Some(name)) => metatable.get_short_str(name),
        _ => LuaValue::Nil,
    }
}

/// Weight of looking for a key.
pub fn lookup_weight(table: &GcRef<LuaTable>, key: &LuaValue) -> usize {
    let text = match key {
        LuaValue::Str(text) if text.is_long() => text.len() / COMPARED_BYTES,
        _ => 0,
    };
    text + table.with_inner(|inner| chain_len(inner, key)) / VISITED_NODES
}

/// Weight of inserting a key, beyond looking for it. A table without a free node is built anew: each key is looked for in
/// the new one, where many may be in one chain. That may take so long that it is charged for in advance, while the table
/// is nearly full. A weak table is searched for each of its dead keys when they are collected.
pub fn insertion_weight(table: &GcRef<LuaTable>, key: &LuaValue) -> usize {
    if table.contains_key(key) {
        return 0;
    }
    table.with_inner(|inner| {
        let nodes = inner.node.len();
        let dead = if table.weak_mode() == 0 { 0 } else { nodes / VISITED_NODES };
        let rebuilt = if has_free_node(inner) { 0 } else { whole_weight(inner) };
        let soon = if is_nearly_full(inner) { squared(crowding(inner, 2 * nodes)) / (2 * nodes / SAMPLES) } else { 0 };
        dead + rebuilt + soon
    })
}

/// Weight of looking for each key of a table.
pub fn whole_weight(inner: &TableInner) -> usize {
    let nodes = inner.node.len();
    (inner.array.len() + nodes).saturating_add(squared(crowding(inner, nodes)))
}

fn squared(crowding: usize) -> usize {
    crowding.saturating_mul(crowding) / VISITED_NODES
}

/// Whether all nodes of a sample are used, but for one: a node at an end may be that of a single key.
fn is_nearly_full(inner: &TableInner) -> bool {
    inner.node.len() >= CROWDED_NODES_MIN && sample(inner).filter(|node| node.key == LuaValue::Nil).count() <= 1
}

fn sample(inner: &TableInner) -> impl Iterator<Item = &TableNode> {
    inner.node.iter().step_by((inner.node.len() / SAMPLES).max(1))
}

/// Number of keys that are in the longest chain of a table with as many nodes, by a sample.
fn crowding(inner: &TableInner, nodes: usize) -> usize {
    if nodes < CROWDED_NODES_MIN {
        return 0;
    }
    let mut chains = [0_usize; CHAINS];
    let keys = sample(inner).filter(|node| !node.dead);
    let starts = keys.filter_map(|node| chain_start(nodes, inner.array.len(), &node.key));
    starts.for_each(|start| chains[start % CHAINS] += 1);
    let longest = chains.into_iter().max().unwrap_or(0);
    if longest <= CHANCE_MAX { 0 } else { longest * inner.node.len() / SAMPLES }
}

fn has_free_node(inner: &TableInner) -> bool {
    let end = if inner.lastfree == NO_LASTFREE { 0 } else { inner.lastfree as usize };
    let before = inner.node.get(..end).unwrap_or_default();
    before.iter().rev().any(|node| node.key == LuaValue::Nil)
}

/// Number of nodes between the first of a key's chain and the key, or all of the chain.
fn chain_len(inner: &TableInner, key: &LuaValue) -> usize {
    let Some(mut at) = chain_start(inner.node.len(), inner.array.len(), key) else { return 0 };
    let mut visited = 0;
    while let Some(node) = inner.node.get(at) {
        if is_key(node, key) || node.next == 0 || visited > inner.node.len() {
            break;
        }
        visited += 1;
        at = at.wrapping_add_signed(node.next as isize);
    }
    visited
}

fn is_key(node: &TableNode, key: &LuaValue) -> bool {
    match (&node.key, key) {
        // A dead key is not to be read.
        _ if node.dead => false,
        (LuaValue::Str(own), LuaValue::Str(key)) => GcRef::ptr_eq(own, key),
        (LuaValue::Int(own), LuaValue::Float(key)) => *own as f64 == *key,
        (LuaValue::Int(own), LuaValue::Int(key)) => own == key,
        (LuaValue::Float(own), LuaValue::Float(key)) => own == key,
        _ => false,
    }
}

/// First node of the chain that a key is in, if a script can choose which chain that is.
fn chain_start(nodes: usize, array_len: usize, key: &LuaValue) -> Option<usize> {
    let modulus = nodes.checked_sub(1)? | 1;
    let integer_start = |number: i64| {
        let is_in_array = usize::try_from(number).is_ok_and(|number| (1..=array_len).contains(&number));
        (!is_in_array).then(|| (number.cast_unsigned() as usize) % modulus)
    };
    match key {
        LuaValue::Str(text) => Some(text.hash() as usize & (nodes - 1)),
        LuaValue::Int(number) => integer_start(*number),
        LuaValue::Float(number) if *number as i64 as f64 == *number => integer_start(*number as i64),
        LuaValue::Float(number) => Some(hash_of_fraction(*number) % modulus),
        _ => None,
    }
}

/// Hash of a number that is no integer, as the machine computes it: zero for most.
fn hash_of_fraction(number: f64) -> usize {
    let (mantissa, exponent) = libm::frexp(number);
    let scaled = mantissa * HASHED;
    if !scaled.is_finite() || libm::trunc(scaled) != scaled {
        return 0;
    }
    let hash = (exponent.cast_unsigned()).wrapping_add(scaled as i64 as u32);
    let hash = if hash <= i32::MAX as u32 { hash } else { !hash };
    hash as usize
}

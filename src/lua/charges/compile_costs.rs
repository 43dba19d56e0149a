//! Work of the compiler on a text. It walks lists: the jumps of an expression at each further `and` or `or`, the ends of an
//! `if` at each further `elseif`, the constants of a function at each further constant, the variables of all enclosing
//! functions at each name. The estimate counts those, and is charged before the compiler starts.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::rates::COMPILER_STEPS;
use super::words::{Word, Words};

/// Work of reading a word and writing its instructions.
const WORD: usize = 24;
/// Most variables of a function.
const VARIABLES_MAX: usize = 200;
/// Deepest nesting that the compiler accepts.
const DEPTH_MAX: usize = 220;

/// Block that is open, and what it counts.
#[derive(Default)]
struct Block<'a> {
    is_function: bool,
    /// Jumps of the expression that the block stands in.
    jumps: usize,
    /// Further branches of an `if`.
    branches: usize,
    /// Constants of a function, and names that are no variables.
    constants: BTreeSet<&'a [u8]>,
    variables: usize,
}

/// Instructions of Lua that take the time of compiling a text, about.
pub fn work(text: &[u8]) -> usize {
    let mut estimate = Estimate { blocks: vec![Block { is_function: true, ..Block::default() }], jumps: 0, steps: 0 };
    let (mut words, mut declares) = (0_usize, false);
    for word in Words::of(text) {
        words += 1;
        declares = estimate.count(word, declares);
    }
    let steps = estimate.steps / COMPILER_STEPS;
    words.saturating_mul(WORD).saturating_add(text.len()).saturating_add(steps)
}

struct Estimate<'a> {
    blocks: Vec<Block<'a>>,
    /// Jumps of the present expression.
    jumps: usize,
    /// Steps through lists.
    steps: usize,
}

impl<'a> Estimate<'a> {
    /// Counts a word. `declares` says whether a name is that of a new variable; the result says it for the next word.
    fn count(&mut self, word: Word<'a>, declares: bool) -> bool {
        match word {
            Word::Name(name) => self.name(name, declares),
            Word::Constant(constant) => {
                self.constant(constant);
                false
            }
            Word::Symbol(b',') => declares,
            // The parameters of a function.
            Word::Symbol(b'(') => declares,
            Word::Symbol(b'-' | b'#') => {
                self.steps += self.jumps;
                false
            }
            Word::Symbol(_) => false,
        }
    }

    fn name(&mut self, name: &'a [u8], declares: bool) -> bool {
        match name {
            b"and" | b"or" | b"not" => {
                self.jumps += 1;
                self.steps = self.steps.saturating_add(self.jumps);
            }
            b"function" => {
                self.open(true);
                return true;
            }
            b"if" | b"do" | b"repeat" => self.open(false),
            b"end" | b"until" => self.close(),
            b"elseif" => {
                let block = self.block();
                block.branches += 1;
                let branches = block.branches;
                self.steps = self.steps.saturating_add(branches);
                self.jumps = 0;
            }
            b"local" | b"for" => {
                self.jumps = 0;
                return true;
            }
            b"return" | b"then" | b"while" | b"else" | b"in" | b"break" => self.jumps = 0,
            b"nil" | b"true" | b"false" => {}
            _ if declares => {
                self.function().variables += 1;
                return true;
            }
            _ => self.use_name(name),
        }
        false
    }

    fn open(&mut self, is_function: bool) {
        if self.blocks.len() < DEPTH_MAX {
            self.blocks.push(Block { is_function, jumps: self.jumps, ..Block::default() });
        }
        self.jumps = 0;
    }

    /// Ends a block. An expression goes on behind a function that it contains.
    fn close(&mut self) {
        self.jumps = 0;
        if self.blocks.len() > 1
            && let Some(block) = self.blocks.pop()
            && block.is_function
        {
            self.jumps = block.jumps;
        }
    }

    fn block(&mut self) -> &mut Block<'a> {
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    fn function(&mut self) -> &mut Block<'a> {
        let last = self.blocks.iter().rposition(|block| block.is_function).unwrap_or_default();
        &mut self.blocks[last]
    }

    fn constant(&mut self, constant: &'a [u8]) {
        let function = self.function();
        function.constants.insert(constant);
        let constants = function.constants.len();
        self.steps = self.steps.saturating_add(constants);
    }

    /// Looks for a variable in all enclosing functions. What is none is a constant.
    fn use_name(&mut self, name: &'a [u8]) {
        let variables = self.blocks.iter().map(|block| block.variables.min(VARIABLES_MAX)).sum::<usize>();
        self.steps = self.steps.saturating_add(variables + self.blocks.len());
        self.constant(name);
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn lists_are_counted() {
        let steps = |text: &str| {
            let words = Words::of(text.as_bytes()).count();
            work(text.as_bytes()) - words * WORD - text.len()
        };
        let chain = |count: usize| format!("local a return {} a", "a or ".repeat(count));
        assert!(steps(&chain(10_000)) >= 10_000 * 10_000 / 2 / COMPILER_STEPS);
        // A function within the expression does not hide its jumps, and statements that follow have their own.
        let hidden = format!("local a return {} a", "a or (function() local b end) or ".repeat(1_000));
        assert!(steps(&hidden) >= 2_000 * 2_000 / 2 / COMPILER_STEPS);
        let branches = format!("local a if a then {} end", "elseif a then ".repeat(10_000));
        assert!(steps(&branches) >= 10_000 * 10_000 / 2 / COMPILER_STEPS);
        let constants: alloc::string::String = (0..10_000).map(|number| format!("x = {number} ")).collect();
        assert!(steps(&constants) >= 10_000 * 10_000 / 2 / COMPILER_STEPS);
        let statements = "local x = a or b ".repeat(100);
        assert!(steps(&statements) < 20_000);
    }
}

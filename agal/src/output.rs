//! The text of a shader while it is written, in any language: numbers, selectors and blocks.

use crate::isa::opcode::Block;
use crate::isa::operand::{Swizzle, WriteMask};

/// The text of a shader, with the number of open blocks.
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) depth: usize,
}

impl Output {
    pub(crate) fn new(capacity: usize) -> Output {
        Output { text: String::with_capacity(capacity), depth: 0 }
    }

    pub(crate) fn push(&mut self, letter: char) {
        self.text.push(letter);
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn put(&mut self, texts: &[&str]) {
        for text in texts {
            self.text.push_str(text);
        }
    }

    pub(crate) fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
    }

    /// Ends a block, and begins the block of the other branch after `els`.
    pub(crate) fn block(&mut self, block: Block) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        match block {
            Block::Else => {
                self.text.push_str("} else {");
                self.depth = self.depth.saturating_add(1);
            }
            Block::End => self.text.push('}'),
        }
    }

    pub(crate) fn numbered(&mut self, name: &str, number: u32) {
        self.text.push_str(name);
        self.number(number);
    }

    pub(crate) fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.text.push(char::from_digit(number % 10, 10).unwrap_or('0'));
    }

    /// Writes a selector such as `.xyz`: the components that the given lanes read, in the order of the lanes.
    pub(crate) fn selector(&mut self, swizzle: Swizzle, lanes: WriteMask) {
        self.text.push('.');
        for lane in lanes.iter() {
            self.text.push(swizzle.get(lane).letter());
        }
    }

    /// Writes the selector for an expression with four components, such as `.xyz`; nothing for all four.
    pub(crate) fn components(&mut self, mask: WriteMask) {
        if mask != WriteMask::ALL {
            self.selector(Swizzle::IDENTITY, mask);
        }
    }

    /// Writes the selector for an expression with three components, such as `.xy`; nothing for all three.
    pub(crate) fn three(&mut self, mask: WriteMask) {
        if mask != WriteMask::first(3) {
            self.components(mask);
        }
    }
}

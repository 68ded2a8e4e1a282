//! The text of a shader under construction: lines, blocks, numbers, component selectors and templates.

use std::fmt::{self, Write as _};

use crate::operand::{Swizzle, WriteMask};

/// The text of a shader under construction, and the number of its open blocks.
#[derive(Debug, Default)]
pub struct ShaderText {
    /// The text that has been written.
    pub text: String,
    /// The number of open blocks.
    pub depth: usize,
}

/// Maximum indentation. Deeper blocks are not indented further, so that the size of nested blocks is not quadratic.
const MAX_INDENT: usize = 64;

impl ShaderText {
    /// Creates an empty text with capacity for this number of bytes.
    pub fn new(capacity: usize) -> ShaderText {
        ShaderText { text: String::with_capacity(capacity), depth: 0 }
    }

    /// Writes a character.
    #[inline]
    pub fn push(&mut self, letter: char) {
        self.text.push(letter);
    }

    /// Writes a string without a line end.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes several strings.
    #[inline]
    pub fn put(&mut self, texts: &[&str]) {
        for text in texts {
            self.text.push_str(text);
        }
    }

    /// Writes the indentation of the current block.
    #[inline]
    pub fn indent(&mut self) {
        for _ in 0..self.depth.min(MAX_INDENT) {
            self.text.push_str("    ");
        }
    }

    /// Writes a line.
    pub fn line(&mut self, text: impl fmt::Display) {
        self.indent();
        // Writing to a string doesn't fail.
        let _ = writeln!(self.text, "{text}");
    }

    /// Writes a line that begins a block.
    pub fn open(&mut self, text: impl fmt::Display) {
        self.line(text);
        self.depth = self.depth.saturating_add(1);
    }

    /// Ends a block.
    pub fn close(&mut self) {
        self.end_block("}\n");
    }

    /// Ends the first branch of a conditional and begins the second, without a line end.
    #[inline]
    pub fn else_block(&mut self) {
        self.end_block("} else {");
        self.depth = self.depth.saturating_add(1);
    }

    /// Writes a text that ends a block.
    #[inline]
    pub fn end_block(&mut self, text: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.push_str(text);
    }

    /// Writes a name followed by a number.
    #[inline]
    pub fn numbered(&mut self, name: &str, number: u32) {
        self.text.push_str(name);
        self.number(number);
    }

    /// Writes a number.
    #[inline]
    pub fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.text.push(char::from_digit(number % 10, 10).unwrap_or('0'));
    }

    /// Writes a component selector such as `.xyz`, with the components that the given lanes read, in order.
    #[inline]
    pub fn selector(&mut self, swizzle: Swizzle, lanes: WriteMask) {
        self.text.push('.');
        for lane in lanes.iter() {
            self.text.push(swizzle.get(lane).letter());
        }
    }

    /// Writes a selector such as `.xyz` for an expression with four components; nothing if all are selected.
    #[inline]
    pub fn components(&mut self, mask: WriteMask) {
        if mask != WriteMask::ALL {
            self.selector(Swizzle::IDENTITY, mask);
        }
    }

    /// Writes a selector such as `.xy` for an expression with three components; nothing if all are selected.
    #[inline]
    pub fn three(&mut self, mask: WriteMask) {
        if mask != WriteMask::first(3) {
            self.components(mask);
        }
    }
}

/// Splits a template into pieces: each is a text, and the name of the argument after it, which is empty at the end. An
/// argument is `$` and a letter; a capital before the letter is part of the name.
///
/// ```
/// use agal_core::output::pieces;
///
/// let found: Vec<_> = pieces("max($a, $Ib)").collect();
/// assert_eq!(found, [("max(", "a"), (", ", "Ib"), (")", "")]);
/// ```
#[inline]
pub fn pieces(template: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(template);
    std::iter::from_fn(move || {
        let template = rest.take()?;
        let Some(at) = template.bytes().position(|byte| byte == b'$') else {
            return Some((template, ""));
        };
        let (text, after) = template.split_at_checked(at)?;
        let capital = after.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase);
        let (name, after) = after.split_at_checked(2 + usize::from(capital)).unwrap_or((after, ""));
        rest = (!after.is_empty()).then_some(after);
        Some((text, name.get(1..)?))
    })
}

/// Splits a template with the arguments `$a` and `$b`, in this order, into the texts before, between and after them.
/// Unlike [`pieces`], this function can run at compile time.
pub const fn split(template: &'static str) -> [&'static str; 3] {
    let (first, rest) = split_argument(template);
    let (second, third) = split_argument(rest);
    [first, second, third]
}

const fn split_argument(template: &'static str) -> (&'static str, &'static str) {
    let (mut bytes, mut at) = (template.as_bytes(), 0);
    while let Some((byte, rest)) = bytes.split_first() {
        if *byte == b'$' {
            let (text, after) = template.split_at(at);
            return (text, after.split_at(2).1);
        }
        (bytes, at) = (rest, at + 1);
    }
    (template, "")
}

/// Replaces the arguments of a template by the results of a function.
pub fn fill(template: &str, mut argument: impl FnMut(&str) -> String) -> String {
    let mut filled = String::new();
    for (text, name) in pieces(template) {
        filled.push_str(text);
        if !name.is_empty() {
            filled.push_str(&argument(name));
        }
    }
    filled
}

/// Returns the index of the source operand that an argument names: 0 for `a`.
pub fn source_index(name: &str) -> usize {
    name.bytes().next_back().map_or(0, |letter| usize::from(letter.wrapping_sub(b'a')))
}

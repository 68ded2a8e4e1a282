//! The STAT chunk: the compiler's statistics ([hs50.statistics.words]).

use crate::words::words;

/// The names of the chunk's words, in order; the last is missing before shader model 5.
#[rustfmt::skip]
pub const FIELDS: &[&str] = &[
    "instructions", "temp registers", "defs", "declarations", "float operations", "int operations", "uint operations",
    "static flow control", "dynamic flow control", "macros", "temp arrays", "array instructions", "cuts", "emits",
    "texture samples", "texture loads", "texture comparisons", "texture samples with bias",
    "texture samples with gradients", "mov", "movc", "conversions", "bitwise operations", "input primitive",
    "output topology", "max output vertices", "gathers", "lod queries", "sample frequency", "gs instances",
    "control points", "tessellator output primitive", "partitioning", "domain", "barriers", "atomics", "stores",
];

/// Returns the counts with their names, limited to those in the payload.
pub fn read(data: &[u8]) -> impl Iterator<Item = (&'static str, u32)> + '_ {
    FIELDS.iter().copied().zip(words(data))
}

/// Returns the number of instructions that a chunk of statistics states.
pub fn instructions(data: &[u8]) -> Option<u32> {
    words(data).next()
}

//! The STAT chunk, which contains the compiler's statistics ([hs50.statistics.words]).

use crate::words::words;

/// The names of the STAT dwords, in order; the last dword is missing before shader model 5.
#[rustfmt::skip]
pub const FIELDS: &[&str] = &[
    "instructions", "temp registers", "defs", "declarations", "float operations", "int operations", "uint operations",
    "static flow control", "dynamic flow control", "macros", "temp arrays", "array instructions", "cuts", "emits",
    "texture samples", "texture loads", "texture comparisons", "texture samples with bias",
    "texture samples with gradients", "mov", "movc", "conversions", "bitwise operations", "input primitive",
    "output topology", "max output vertices", "gathers", "lod queries", "sample frequency", "gs instances",
    "control points", "tessellator output primitive", "partitioning", "domain", "barriers", "atomics", "stores",
];

/// Returns the names and values of all statistics in the payload.
pub fn read(data: &[u8]) -> impl Iterator<Item = (&'static str, u32)> + '_ {
    FIELDS.iter().copied().zip(words(data))
}

/// Returns the instruction count from the payload of a STAT chunk.
pub fn instructions(data: &[u8]) -> Option<u32> {
    words(data).next()
}

//! The chunk STAT: counts that the compiler left (hs-5-0.md, 1.6).

use crate::words::words;

/// The words of the chunk in their order; the last is missing before shader model 5.
pub const FIELDS: &[&str] = &[
    "instructions",
    "temp registers",
    "defs",
    "declarations",
    "float operations",
    "int operations",
    "uint operations",
    "static flow control",
    "dynamic flow control",
    "macros",
    "temp arrays",
    "array instructions",
    "cuts",
    "emits",
    "texture samples",
    "texture loads",
    "texture comparisons",
    "texture samples with bias",
    "texture samples with gradients",
    "mov",
    "movc",
    "conversions",
    "bitwise operations",
    "input primitive",
    "output topology",
    "max output vertices",
    "gathers",
    "lod queries",
    "sample frequency",
    "gs instances",
    "control points",
    "tessellator output primitive",
    "partitioning",
    "domain",
    "barriers",
    "atomics",
    "stores",
];

/// The counts by their names, as far as the payload goes.
pub fn read(data: &[u8]) -> impl Iterator<Item = (&'static str, u32)> + '_ {
    FIELDS.iter().copied().zip(words(data))
}

/// The instruction count, which fxc's listing ends with.
pub fn instructions(data: &[u8]) -> Option<u32> {
    words(data).next()
}

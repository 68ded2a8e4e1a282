//! Limits that protect readers against hostile input.

/// Longest line in bytes. The largest recorded texture upload has a few megabytes; 4096×4096 BGRA pixels take 85 MiB in
/// base64.
pub const MAX_LINE_BYTES: u64 = 256 << 20;

/// Maximum number of values in one record, including nested values. A call has about a dozen values.
pub(crate) const MAX_VALUES: u32 = 65_536;

/// Maximum number of objects of a capture, and of entries of an index. Limits memory to some hundred megabytes, because
/// a small compressed file can contain any number.
pub(crate) const MAX_OBJECTS: usize = 1 << 24;

pub use context3d::native::STAGE3DS;

/// Maximum bytes of a note's text, functions of a call stack, and remembered stacks of a recorder, in this order.
pub(crate) const MAX_NOTE_BYTES: usize = 1024;
pub(crate) const MAX_STACK: usize = 64;
pub(crate) const MAX_STACKS: usize = 1 << 16;

//! The type bytes of values. `FORMAT.md` specifies the bytes after each type byte.

pub(super) const NULL: u8 = 0;
pub(super) const FALSE: u8 = 1;
pub(super) const TRUE: u8 = 2;
pub(super) const NATURAL: u8 = 3;
pub(super) const NEGATIVE: u8 = 4;
pub(super) const NUMBER: u8 = 5;
pub(super) const TEXT: u8 = 6;
pub(super) const NUMBERED_TEXT: u8 = 7;
pub(super) const BYTES: u8 = 8;
pub(super) const PAYLOAD: u8 = 9;
pub(super) const LIST: u8 = 10;
pub(super) const OBJECT: u8 = 11;

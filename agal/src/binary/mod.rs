//! The binary form: bytes to [`Program`](crate::Program) and back, without loss.

pub(crate) mod decode;
mod encode;
pub(crate) mod token;

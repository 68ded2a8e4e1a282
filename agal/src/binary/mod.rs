//! The binary form: lossless conversion between bytes and [`Program`](crate::Program).

pub(crate) mod decode;
mod encode;
pub(crate) mod token;

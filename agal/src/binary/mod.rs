//! The binary form: lossless conversion between bytes and [`Program`](crate::Program).

pub(crate) mod decode;
mod encode;
pub(crate) mod token;

pub use decode::{HEADER_SIZE, MAGIC, TYPE_IDENTIFIER};
pub use token::TOKEN_SIZE;

//! Encodes a [`Program`]. Cannot fail; encoding a decoded program gives the same bytes.

use crate::binary::decode::{HEADER_SIZE, MAGIC, TYPE_IDENTIFIER};
use crate::binary::token::{self, TOKEN_SIZE};
use crate::program::Program;

impl Program {
    /// The program as bytes: header, tokens, trailing bytes.
    pub fn encode(&self) -> Vec<u8> {
        let size = HEADER_SIZE + TOKEN_SIZE * self.token_count() + self.trailing().len();
        let mut bytes = Vec::with_capacity(size);
        bytes.push(MAGIC);
        bytes.extend(self.version().to_le_bytes());
        bytes.push(TYPE_IDENTIFIER);
        bytes.push(self.stage().code());
        for instruction in self.instructions() {
            bytes.extend(token::pack(instruction));
        }
        bytes.extend(self.trailing());
        bytes
    }
}

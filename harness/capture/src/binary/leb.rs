//! Integers of variable length (LEB128), and a cursor that reads from the start of a slice.

use crate::error::BlockFault;

/// Appends unsigned LEB128.
pub(crate) fn put(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let [byte, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(byte & 0x7f);
        }
        out.push(byte | 0x80);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LebCursor<'a>(pub(crate) &'a [u8]);

impl<'a> LebCursor<'a> {
    pub(crate) fn leb(&mut self) -> Result<u64, BlockFault> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(BlockFault::Malformed("a number of more than 64 bits"))
    }

    /// Reads unsigned LEB128 as a count.
    pub(crate) fn count(&mut self) -> Result<usize, BlockFault> {
        usize::try_from(self.leb()?).map_err(|_| BlockFault::Malformed("a count that is too large"))
    }

    pub(crate) fn byte(&mut self) -> Result<u8, BlockFault> {
        self.take(1).map(|byte| byte.first().copied().unwrap_or(0))
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], BlockFault> {
        let short = BlockFault::Malformed("a value that ends too early");
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(short)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads a length, then a byte sequence of this length.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], BlockFault> {
        let count = self.count()?;
        self.take(count)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, BlockFault> {
        str::from_utf8(self.bytes()?).map_err(|_| BlockFault::Malformed("text that is not UTF-8"))
    }
}

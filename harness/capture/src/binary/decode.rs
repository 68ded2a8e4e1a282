//! Decodes the values of a block of records.

use std::borrow::Cow;

use crate::error::BlockFault;
use crate::json::{Json, JsonObject};
use crate::limits::MAX_VALUES;

use super::block::{MAX_TABLE, NUMBERED_TEXT};
use super::leb::LebCursor;
use super::tag;

/// Maximum nesting depth. The arguments of a call need only two levels: an object that contains a list.
const MAX_DEPTH: u32 = 16;

/// The strings and shapes (lists of keys) that the records of a block refer to by index.
#[derive(Debug, Default)]
pub(super) struct BlockTables {
    texts: Vec<String>,
    /// Indices of the keys in `texts`.
    shapes: Vec<Vec<usize>>,
}

impl BlockTables {
    pub(super) fn read(cursor: &mut LebCursor<'_>) -> Result<Self, BlockFault> {
        let mut tables = BlockTables::default();
        for _ in 0..table(cursor)? {
            let text = cursor.text()?;
            if text.len() > NUMBERED_TEXT {
                return Err(BlockFault::Malformed("a string in the table that is too long"));
            }
            tables.texts.push(text.to_owned());
        }
        for _ in 0..table(cursor)? {
            let count = table(cursor)?;
            let keys: Vec<usize> = (0..count).map(|_| cursor.count()).collect::<Result<_, _>>()?;
            if keys.iter().any(|key| *key >= tables.texts.len()) {
                return Err(BlockFault::Malformed("an unknown key index"));
            }
            tables.shapes.push(keys);
        }
        Ok(tables)
    }
}

fn table(cursor: &mut LebCursor<'_>) -> Result<usize, BlockFault> {
    let count = cursor.count()?;
    let fits = count <= MAX_TABLE;
    fits.then_some(count).ok_or(BlockFault::Malformed("a table that is too long"))
}

pub(super) struct Decoder<'a> {
    cursor: LebCursor<'a>,
    tables: &'a BlockTables,
    values: u32,
}

impl<'a> Decoder<'a> {
    /// Decodes the record at the start of `bytes`, and returns it with its length.
    pub(super) fn record(
        bytes: &'a [u8],
        tables: &'a BlockTables,
    ) -> Result<(Json<'a>, usize), BlockFault> {
        let mut decoder = Decoder { cursor: LebCursor(bytes), tables, values: 0 };
        let value = decoder.value(0)?;
        Ok((value, bytes.len() - decoder.cursor.0.len()))
    }

    fn value(&mut self, depth: u32) -> Result<Json<'a>, BlockFault> {
        self.values += 1;
        if self.values > MAX_VALUES || depth > MAX_DEPTH {
            return Err(BlockFault::Malformed("too many values in one record"));
        }
        Ok(match self.cursor.byte()? {
            tag::NULL => Json::Null,
            tag::FALSE => Json::Bool(false),
            tag::TRUE => Json::Bool(true),
            tag::NATURAL => Json::Integer(self.cursor.leb()?.into()),
            tag::NEGATIVE => Json::Integer(-1 - i128::from(self.cursor.leb()?)),
            tag::NUMBER => {
                let bytes = self.cursor.take(8)?.first_chunk().copied();
                Json::Float(f64::from_le_bytes(bytes.unwrap_or_default()))
            }
            tag::TEXT => Json::text(self.cursor.text()?),
            tag::NUMBERED_TEXT => {
                let text = self.tables.texts.get(self.cursor.count()?);
                Json::text(text.ok_or(BlockFault::Malformed("an unknown string index"))?)
            }
            tag::BYTES => Json::Bytes(self.cursor.bytes()?.into()),
            tag::PAYLOAD => Json::Payload(self.cursor.leb()?),
            tag::LIST => {
                let items = (0..self.cursor.count()?).map(|_| self.value(depth + 1));
                Json::List(items.collect::<Result<_, _>>()?)
            }
            tag::OBJECT => Json::Object(self.object(depth)?),
            _ => return Err(BlockFault::Malformed("an unknown type of value")),
        })
    }

    fn object(&mut self, depth: u32) -> Result<JsonObject<'a>, BlockFault> {
        let tables = self.tables;
        let shape = tables.shapes.get(self.cursor.count()?);
        let shape = shape.ok_or(BlockFault::Malformed("an unknown key list"))?;
        let mut fields = Vec::with_capacity(shape.len());
        for key in shape {
            let key = tables.texts.get(*key).map_or("", String::as_str);
            fields.push((Cow::Borrowed(key), self.value(depth + 1)?));
        }
        Ok(JsonObject(fields))
    }
}

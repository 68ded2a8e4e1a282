//! Decodes the values of a block of records.

use std::borrow::Cow;

use crate::error::BlockFault;
use crate::fields::{Fields, Interned, Literal, Text};
use crate::json::{Json, MAX_VALUES, Object};

use super::encode::Tag;
use super::read::{Finder, Size};
use super::{MAX_TABLE, NUMBERED_TEXT};

/// Deepest nesting. The arguments of calls have at most a list in an object.
const MAX_DEPTH: u32 = 16;

/// Reads bytes from the front of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    /// Reads unsigned LEB128.
    #[inline(always)]
    pub(crate) fn leb(&mut self) -> Result<u64, BlockFault> {
        if let [byte @ ..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        self.long_leb()
    }

    #[inline(never)]
    fn long_leb(&mut self) -> Result<u64, BlockFault> {
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
    #[inline(always)]
    pub(crate) fn count(&mut self) -> Result<usize, BlockFault> {
        usize::try_from(self.leb()?).map_err(|_| BlockFault::Malformed("too many"))
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, BlockFault> {
        self.take(1).map(|byte| byte.first().copied().unwrap_or(0))
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], BlockFault> {
        let short = BlockFault::Malformed("a value that ends too early");
        let (taken, rest) = self.0.split_at_checked(count).ok_or(short)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads a length and that many bytes.
    fn bytes(&mut self) -> Result<&'a [u8], BlockFault> {
        let count = self.count()?;
        self.take(count)
    }

    fn text(&mut self) -> Result<&'a str, BlockFault> {
        str::from_utf8(self.bytes()?).map_err(|_| BlockFault::Malformed("text that is not UTF-8"))
    }
}

/// The texts and shapes that the records of a block refer to by index.
#[derive(Debug, Default)]
pub(super) struct Tables {
    texts: Vec<Interned>,
    /// Indices of the keys in `texts`.
    shapes: Vec<Vec<usize>>,
}

impl Tables {
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, BlockFault> {
        let mut tables = Tables::default();
        for _ in 0..table(cursor)? {
            let text = cursor.text()?;
            if text.len() > NUMBERED_TEXT {
                return Err(BlockFault::Malformed("a long text in the table"));
            }
            tables.texts.push(Interned::new(text));
        }
        for _ in 0..table(cursor)? {
            let keys = (0..table(cursor)?).map(|_| {
                let key = cursor.count()?;
                match key < tables.texts.len() {
                    true => Ok(key),
                    false => Err(BlockFault::Malformed("an unknown key")),
                }
            });
            tables.shapes.push(keys.collect::<Result<_, _>>()?);
        }
        Ok(tables)
    }
}

fn table(cursor: &mut Cursor<'_>) -> Result<usize, BlockFault> {
    let count = cursor.count()?;
    match count <= MAX_TABLE {
        true => Ok(count),
        false => Err(BlockFault::Malformed("a table that is too long")),
    }
}

/// Decodes one record.
pub(crate) struct Decoder<'a> {
    /// Encoded bytes from the record's start to the block's end.
    length: usize,
    cursor: Cursor<'a>,
    tables: &'a Tables,
    /// Finds payloads; without it, payloads decode as null.
    pub(super) finder: Option<Finder<'a>>,
    values: u32,
    /// The keys of the fields that were not found yet, and whether there was an error.
    keys: &'a [usize],
    failed: bool,
}

impl<'a> Decoder<'a> {
    #[inline]
    pub(super) fn new(record: &'a [u8], tables: &'a Tables, finder: Option<Finder<'a>>) -> Self {
        Decoder {
            length: record.len(),
            cursor: Cursor(record),
            tables,
            finder,
            values: 0,
            keys: &[],
            failed: false,
        }
    }

    /// Starts to read the fields of an object in their order.
    #[inline(always)]
    pub(super) fn in_order(mut self) -> Self {
        let shape = self.indexed(Tag::Object, &self.tables.shapes);
        self.failed = shape.is_none();
        self.keys = shape.map_or(&[], Vec::as_slice);
        self
    }

    /// What follows the tag of the next value, if it is this one.
    #[inline(always)]
    fn after(&self, tag: Tag) -> Option<Cursor<'a>> {
        let (first, rest) = self.cursor.0.split_first()?;
        (*first == tag as u8).then_some(Cursor(rest))
    }

    /// Reads a value with this tag that is an index into a table.
    #[inline(always)]
    fn indexed<T>(&mut self, tag: Tag, table: &'a [T]) -> Option<&'a T> {
        let mut cursor = self.after(tag)?;
        let value = table.get(cursor.count().ok()?)?;
        self.cursor = cursor;
        Some(value)
    }

    /// The size of what was read.
    pub(crate) fn size(&self) -> Size {
        Size {
            encoded: self.length - self.cursor.0.len(),
            payloads: self.finder.as_ref().map_or(0, |finder| finder.bytes),
        }
    }

    pub(super) fn value(&mut self, depth: u32) -> Result<Json<'a>, BlockFault> {
        self.values += 1;
        if self.values > MAX_VALUES || depth > MAX_DEPTH {
            return Err(BlockFault::Malformed("too many values in one record"));
        }
        let tag = Tag::from_byte(self.cursor.byte()?);
        let tag = tag.ok_or(BlockFault::Malformed("an unknown type of value"))?;
        Ok(match tag {
            Tag::Null => Json::Null,
            Tag::False => Json::Bool(false),
            Tag::True => Json::Bool(true),
            Tag::Natural => Json::Integer(self.cursor.leb()?.into()),
            Tag::Negative => Json::Integer(-1 - i128::from(self.cursor.leb()?)),
            Tag::Number => {
                let bytes = self.cursor.take(8)?.first_chunk().copied();
                Json::Float(f64::from_le_bytes(bytes.unwrap_or_default()))
            }
            Tag::Text => Json::Text(Cow::Borrowed(self.cursor.text()?)),
            Tag::NumberedText => {
                let text = self.cursor.count().map(|text| self.tables.texts.get(text));
                let text = text?.ok_or(BlockFault::Malformed("an unknown text"))?;
                Json::Text(Cow::Borrowed(&text.text))
            }
            Tag::Bytes => Json::Bytes(self.cursor.bytes()?),
            Tag::Payload => {
                let number = self.cursor.leb()?;
                match &mut self.finder {
                    Some(finder) => Json::Payload(finder.find(number)?),
                    None => Json::Null,
                }
            }
            Tag::List => {
                let count = self.cursor.count()?;
                let items = (0..count).map(|_| self.value(depth + 1));
                Json::List(items.collect::<Result<_, _>>()?)
            }
            Tag::Object => Json::Object(self.object(depth)?),
        })
    }

    /// The keys of an object.
    fn shape(&mut self) -> Result<&'a [usize], BlockFault> {
        let shape = self.tables.shapes.get(self.cursor.count()?);
        shape.map(Vec::as_slice).ok_or(BlockFault::Malformed("an unknown shape"))
    }

    fn object(&mut self, depth: u32) -> Result<Object<'a>, BlockFault> {
        let shape = self.shape()?;
        let mut fields = Vec::with_capacity(shape.len());
        for key in shape {
            let key = self.tables.texts.get(*key).map(|key| key.text.as_str());
            fields.push((Cow::Borrowed(key.unwrap_or_default()), self.value(depth + 1)?));
        }
        Ok(Object::new(fields))
    }
}

impl Fields for Decoder<'_> {
    #[inline(always)]
    fn find(&mut self, name: &'static str, suffix: &'static str) -> bool {
        if let Some((key, left)) = self.keys.split_first()
            && let Some(key) = self.tables.texts.get(*key)
            && key.is(name, suffix)
        {
            self.keys = left;
            return true;
        }
        false
    }

    fn value<T>(&mut self, read: impl FnOnce(&Json<'_>) -> T) -> Option<T> {
        match self.value(1) {
            Ok(value) => Some(read(&value)),
            Err(_) => {
                self.failed = true;
                None
            }
        }
    }

    #[inline(always)]
    fn literal(&mut self, literal: Literal) -> bool {
        let tag = match literal {
            Literal::Null => Tag::Null,
            Literal::False => Tag::False,
            Literal::True => Tag::True,
        };
        let after = self.after(tag);
        if let Some(cursor) = after {
            self.cursor = cursor;
        }
        after.is_some()
    }

    #[inline(always)]
    fn natural<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let mut cursor = self.after(Tag::Natural)?;
        let value = T::try_from(cursor.leb().ok()?).ok()?;
        self.cursor = cursor;
        Some(value)
    }

    #[inline(always)]
    fn text(&mut self) -> Option<Text<'_>> {
        self.indexed(Tag::NumberedText, &self.tables.texts).map(Text::Interned)
    }

    #[inline]
    fn is_complete(&self) -> bool {
        // Not all fields were counted. A record that may have too many values is read as a whole.
        self.keys.is_empty() && !self.failed && self.values < MAX_VALUES / 2
    }
}

//! Encodes the values of a block of records.

use std::collections::HashMap;

use crate::sink::Sink;
use crate::value::Value;

use super::{INLINE_BYTES, MAX_TABLE, NUMBERED_TEXT, content};

macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident = $byte:literal),+ $(,)?) => {
        /// The type of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Tag {
            $($(#[$doc])* $name = $byte),+
        }

        impl Tag {
            pub(super) fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($byte => Some(Tag::$name),)+
                    _ => None,
                }
            }
        }
    };
}

tags! {
    Null = 0,
    False = 1,
    True = 2,
    /// Unsigned LEB128.
    Natural = 3,
    /// Unsigned LEB128 of −1 − value.
    Negative = 4,
    /// A 64-bit float.
    Number = 5,
    /// A length and UTF-8 bytes.
    Text = 6,
    /// An index into the table of texts, as LEB128.
    NumberedText = 7,
    /// A length and bytes.
    Bytes = 8,
    /// The number of a payload, as LEB128.
    Payload = 9,
    /// A count and values.
    List = 10,
    /// An index into the table of shapes, as LEB128, and the values of its keys.
    Object = 11,
}

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

/// A table that numbers its entries in the order of their first use.
#[derive(Debug, Default)]
struct Numbered<K> {
    numbers: HashMap<K, u64>,
    /// The encoded entries.
    table: Vec<u8>,
}

impl<K> Numbered<K> {
    fn write_and_clear(&mut self, out: &mut Vec<u8>) {
        put(self.numbers.len() as u64, out);
        out.append(&mut self.table);
        self.numbers.clear();
    }
}

/// A block of records that is being encoded.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    texts: Numbered<Box<str>>,
    shapes: Numbered<Box<[u64]>>,
    /// The keys of the open objects, the innermost last.
    keys: Vec<u64>,
    records: Vec<u8>,
    key: String,
    pub(super) payloads: Payloads,
}

impl Encoder {
    /// Encoded bytes of the block so far.
    pub(super) fn len(&self) -> usize {
        self.records.len() + self.texts.table.len() + self.shapes.table.len()
    }

    /// Whether the entries of another record might not fit into the tables.
    pub(super) fn is_full(&self) -> bool {
        // A record has at most a dozen keys and as many objects.
        self.shapes.numbers.len() + 64 > MAX_TABLE || self.texts.numbers.len() + 64 > MAX_TABLE
    }

    /// Returns the encoded block and starts the next one.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() + 16);
        self.texts.write_and_clear(&mut out);
        self.shapes.write_and_clear(&mut out);
        out.append(&mut self.records);
        out
    }

    fn tag(&mut self, tag: Tag) {
        self.records.push(tag as u8);
    }

    fn sized(&mut self, tag: Tag, bytes: &[u8]) {
        self.tag(tag);
        put(bytes.len() as u64, &mut self.records);
        self.records.extend_from_slice(bytes);
    }

    fn number_of(&mut self, text: &str) -> u64 {
        if let Some(number) = self.texts.numbers.get(text) {
            return *number;
        }
        let number = self.texts.numbers.len() as u64;
        put(text.len() as u64, &mut self.texts.table);
        self.texts.table.extend_from_slice(text.as_bytes());
        self.texts.numbers.insert(text.into(), number);
        number
    }

    fn shape_of(&mut self, first: usize) -> u64 {
        let keys = self.keys.get(first..).unwrap_or_default();
        if let Some(number) = self.shapes.numbers.get(keys) {
            return *number;
        }
        let number = self.shapes.numbers.len() as u64;
        put(keys.len() as u64, &mut self.shapes.table);
        keys.iter().for_each(|key| put(*key, &mut self.shapes.table));
        self.shapes.numbers.insert(keys.into(), number);
        number
    }
}

impl Sink for Encoder {
    fn null(&mut self) {
        self.tag(Tag::Null);
    }

    fn boolean(&mut self, value: bool) {
        self.tag(if value { Tag::True } else { Tag::False });
    }

    fn integer(&mut self, value: i128) {
        let (tag, magnitude) = match value {
            0.. => (Tag::Natural, value),
            _ => (Tag::Negative, -1 - value),
        };
        self.tag(tag);
        // ActionScript's integers and ids have 64 bits at most.
        put(u64::try_from(magnitude).unwrap_or(u64::MAX), &mut self.records);
    }

    fn number(&mut self, value: f64) {
        self.tag(Tag::Number);
        self.records.extend_from_slice(&value.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        let known = self.texts.numbers.contains_key(text);
        if !known && (text.len() > NUMBERED_TEXT || self.texts.numbers.len() >= MAX_TABLE / 2) {
            return self.sized(Tag::Text, text.as_bytes());
        }
        let number = self.number_of(text);
        self.tag(Tag::NumberedText);
        put(number, &mut self.records);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if bytes.len() <= INLINE_BYTES {
            return self.sized(Tag::Bytes, bytes);
        }
        let number = self.payloads.add(bytes);
        self.tag(Tag::Payload);
        put(number, &mut self.records);
    }

    fn list<T: Value>(&mut self, items: &[T]) {
        self.tag(Tag::List);
        put(items.len() as u64, &mut self.records);
        items.iter().for_each(|item| item.write(self));
    }

    fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        let (keys, start) = (self.keys.len(), self.records.len());
        fields(self);
        let mut head = vec![Tag::Object as u8];
        put(self.shape_of(keys), &mut head);
        self.records.splice(start..start, head);
        self.keys.truncate(keys);
    }

    fn key(&mut self, name: &'static str, suffix: &'static str) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push_str(name);
        key.push_str(suffix);
        let number = self.number_of(&key);
        self.keys.push(number);
        self.key = key;
    }
}

/// Number of payloads whose hashes are kept, to store repeated payloads only once; about 50 bytes each. When it is
/// reached, all hashes are dropped.
const KNOWN_PAYLOADS: usize = 1 << 20;

/// The payloads of a file: the hashes of known ones, and the bytes of the next block.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    known: HashMap<u128, u64>,
    count: u64,
    /// Lengths and hashes of the next block's payloads.
    table: Vec<u8>,
    pub(super) pending: Vec<u8>,
    in_block: u64,
    /// Address, length and hash of the payload that was hashed last.
    last: Option<(usize, usize, u128)>,
}

impl Payloads {
    fn add(&mut self, bytes: &[u8]) -> u64 {
        let hash = match self.last {
            Some((place, length, hash))
                if (place, length) == (bytes.as_ptr().addr(), bytes.len()) =>
            {
                hash
            }
            _ => content(bytes),
        };
        if let Some(number) = self.known.get(&hash) {
            return *number;
        }
        let number = self.count(bytes.len(), hash);
        self.pending.extend_from_slice(bytes);
        number
    }

    /// Adds a payload to the block's table and returns its number.
    fn count(&mut self, length: usize, hash: u128) -> u64 {
        if self.known.len() == KNOWN_PAYLOADS {
            self.known.clear();
        }
        let number = self.count;
        self.known.insert(hash, number);
        put(length as u64, &mut self.table);
        self.table.extend_from_slice(&hash.to_le_bytes());
        self.count += 1;
        self.in_block += 1;
        number
    }

    /// Whether a payload of the next record is not known yet. Its memory must stay unchanged until
    /// [`Payloads::end_record`], because its address identifies it.
    pub(super) fn is_new(&mut self, bytes: &[u8]) -> bool {
        let hash = content(bytes);
        self.last = Some((bytes.as_ptr().addr(), bytes.len(), hash));
        !self.known.contains_key(&hash)
    }

    pub(super) fn end_record(&mut self) {
        self.last = None;
    }

    /// The head of a block that has only the last payload passed to [`Payloads::is_new`], and that payload's number. No
    /// other payloads may be pending.
    pub(super) fn take_alone(&mut self) -> Option<(u64, Vec<u8>)> {
        let (_, length, hash) = self.last?;
        self.count(length, hash);
        self.take_head()
    }

    /// The head of the block and the number of its first payload; starts the next block. `None` without payloads.
    fn take_head(&mut self) -> Option<(u64, Vec<u8>)> {
        if self.in_block == 0 {
            return None;
        }
        let first = self.count - self.in_block;
        let mut head = Vec::with_capacity(self.table.len() + 16);
        put(self.in_block, &mut head);
        head.append(&mut self.table);
        self.in_block = 0;
        Some((first, head))
    }

    /// As [`Payloads::take_head`], followed by the payloads.
    pub(super) fn take(&mut self) -> Option<(u64, Vec<u8>)> {
        let (first, mut out) = self.take_head()?;
        out.append(&mut self.pending);
        Some((first, out))
    }
}

//! Encodes the values of a block of records.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{Json, JsonObject};

use super::block::{MAX_TABLE, NUMBERED_TEXT};
use super::leb::put;
use super::tag;

/// A table without duplicate entries. Indices follow the order of first use.
#[derive(Debug, Default)]
struct IndexTable<K> {
    numbers: HashMap<K, u64>,
    /// The encoded entries of the index table.
    table: Vec<u8>,
}

impl<K> IndexTable<K> {
    fn write_and_clear(&mut self, out: &mut Vec<u8>) {
        put(self.numbers.len() as u64, out);
        out.append(&mut self.table);
        self.numbers.clear();
    }
}

/// A block of records that is being encoded.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    texts: IndexTable<Box<str>>,
    shapes: IndexTable<Box<[u64]>>,
    records: Vec<u8>,
}

impl Encoder {
    /// Returns the size of the encoded block so far, in bytes.
    pub(super) fn len(&self) -> usize {
        self.records.len() + self.texts.table.len() + self.shapes.table.len()
    }

    /// Returns whether the entries of another record might not fit into the tables.
    pub(super) fn is_full(&self) -> bool {
        // A record has at most a dozen keys, and as many JSON objects.
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

    pub(super) fn value(&mut self, json: &Json<'_>) {
        match json {
            Json::Null => self.number(tag::NULL, None),
            Json::Bool(false) => self.number(tag::FALSE, None),
            Json::Bool(true) => self.number(tag::TRUE, None),
            // ActionScript's integers and ids have 64 bits at most.
            Json::Integer(value @ 0..) => self.number(tag::NATURAL, Some(saturated(*value))),
            Json::Integer(value) => self.number(tag::NEGATIVE, Some(saturated(-1 - value))),
            Json::Float(value) => {
                self.number(tag::NUMBER, None);
                self.records.extend_from_slice(&value.to_le_bytes());
            }
            Json::Text(text) => self.text(text),
            Json::List(items) => {
                self.number(tag::LIST, Some(items.len() as u64));
                items.iter().for_each(|item| self.value(item));
            }
            Json::Object(object) => {
                let shape = self.shape_of(object);
                self.number(tag::OBJECT, Some(shape));
                object.0.iter().for_each(|(_, value)| self.value(value));
            }
            Json::Bytes(bytes) => self.sized(tag::BYTES, bytes),
            Json::Payload(number) => self.number(tag::PAYLOAD, Some(*number)),
        }
    }

    fn number(&mut self, tag: u8, number: Option<u64>) {
        self.records.push(tag);
        if let Some(number) = number {
            put(number, &mut self.records);
        }
    }

    fn sized(&mut self, tag: u8, bytes: &[u8]) {
        self.number(tag, Some(bytes.len() as u64));
        self.records.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        let known = self.texts.numbers.contains_key(text);
        if !known && (text.len() > NUMBERED_TEXT || self.texts.numbers.len() >= MAX_TABLE / 2) {
            return self.sized(tag::TEXT, text.as_bytes());
        }
        let number = self.number_of(text);
        self.number(tag::NUMBERED_TEXT, Some(number));
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

    fn shape_of(&mut self, object: &JsonObject<'_>) -> u64 {
        let keys = object.0.iter().map(|(key, _): &(Cow<'_, str>, _)| self.number_of(key));
        let keys: Vec<u64> = keys.collect();
        if let Some(number) = self.shapes.numbers.get(keys.as_slice()) {
            return *number;
        }
        let number = self.shapes.numbers.len() as u64;
        put(keys.len() as u64, &mut self.shapes.table);
        keys.iter().for_each(|key| put(*key, &mut self.shapes.table));
        self.shapes.numbers.insert(keys.into(), number);
        number
    }
}

fn saturated(value: i128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

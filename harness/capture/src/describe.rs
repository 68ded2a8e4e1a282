//! Formats the arguments of a call for people: names and numbers in full, bulk data by its size.

use std::fmt::Write;

use context3d::arguments::Rectangle;
use context3d::enums::FlashName;

use super::data::{Bitmap, BitmapTarget, ByteArray, Enum, Floats, Matrix, Numbers, Point, Uints};
use super::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use super::value::{CubeSide, MipLevel, Optional};

/// Most elements of a vector that are written out.
const MAX_NUMBERS: usize = 16;
/// Longest string that is written out, in characters; a capture may contain strings of megabytes.
const MAX_TEXT: usize = 60;

/// Returns the name of an object.
pub(super) type Name<'n> = &'n dyn Fn(ObjectId) -> String;

/// A parameter as text; `None` if the call was made without it.
pub(super) trait Describe {
    fn describe(&self, name: Name<'_>) -> Option<String>;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Describe for $type {
            fn describe(&self, _: Name<'_>) -> Option<String> {
                Some(self.to_string())
            }
        }
    )+};
}

plain!(i32, u32, f32, f64, bool);

macro_rules! objects {
    ($($id:ident),+) => {$(
        impl Describe for $id {
            fn describe(&self, name: Name<'_>) -> Option<String> {
                Some(name(self.0))
            }
        }
    )+};
}

objects!(VertexBufferId, IndexBufferId, ProgramId, TextureId);

impl<T: Describe> Describe for Option<T> {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        match self {
            Some(value) => value.describe(name),
            None => Some("null".to_owned()),
        }
    }
}

impl<T: Describe> Describe for Optional<T> {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0.as_ref()?.describe(name)
    }
}

impl Describe for String {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        Some(short(self))
    }
}

impl<T: FlashName> Describe for Enum<T> {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        Some(short(self.text().unwrap_or("null")))
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_TEXT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        let items = self.iter().take(MAX_NUMBERS);
        let mut items: Vec<String> = items.filter_map(|item| item.describe(name)).collect();
        if self.len() > items.len() {
            items.push(format!("… {} in all", self.len()));
        }
        Some(format!("[{}]", items.join(" ")))
    }
}

impl Describe for Numbers {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0.describe(name)
    }
}

impl Describe for Floats {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0.describe(name)
    }
}

impl Describe for Uints {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0.describe(name)
    }
}

impl Describe for Matrix {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        let columns = self.0.as_chunks::<4>().0.iter();
        let columns = columns.map(|column| column.map(|number| number.to_string()).join(" "));
        Some(format!("[{}]", columns.collect::<Vec<_>>().join(" | ")))
    }
}

impl Describe for ByteArray {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        let bytes = self.0.as_ref().map(|array| array.bytes.len());
        Some(bytes.map_or("null".to_owned(), |bytes| format!("{bytes} bytes")))
    }
}

impl Describe for BitmapTarget {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        let mut text = format!("{}×{} bitmap", self.width, self.height);
        for (is, what) in [(self.transparent, " with alpha"), (self.disposed, ", disposed")] {
            text.push_str(if is { what } else { "" });
        }
        Some(text)
    }
}

impl Describe for Bitmap {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.shape.describe(name)
    }
}

impl Describe for Rectangle {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        let Rectangle { x, y, width, height } = self;
        Some(format!("({x}, {y}, {width}×{height})"))
    }
}

impl Describe for Point {
    fn describe(&self, _: Name<'_>) -> Option<String> {
        let mut text = String::new();
        // Writing to a String can't fail.
        let _ = write!(text, "({}, {})", self.x, self.y);
        Some(text)
    }
}

impl Describe for CubeSide {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0?.describe(name)
    }
}

impl Describe for MipLevel {
    fn describe(&self, name: Name<'_>) -> Option<String> {
        self.0?.describe(name)
    }
}

//! Parses the words of a call in a script: the ActionScript name, then the arguments in order.
//!
//! | argument | words |
//! |---|---|
//! | number | `-1`, `0.5`, `0x10`, `nan`; `min` and `max`: the minimum and maximum `int` |
//! | string, object | the string, the object's name |
//! | vector, matrix, rectangle, point | numbers, separated by commas; `zeros:16`; `own:3..5`: the [`own`] numbers of registers 3 and 4; `own:0..8*9`: the numbers of registers 0, 9, 18 and so on |
//! | byte array | bytes, separated by commas; `floats:1,2`; `fill:255:16`; `repeat:1,2:8`; `texels:4:4:bgra:0:texel`: width, height, format, mip level and a pattern of `texels`; `text:ATF`; a program of AGAL 1: `"vertex:mov op, va0"`, `"fragment:mov oc, fc0"`; several of these, joined with `&`; `big_endian:` before them sets the byte order |
//! | bitmap | `8x4`: transparent black; `8x4:opaque:BYTES`, `8x4:transparent:BYTES`; `disposed` |
//!
//! `null` is allowed for all types except numbers and Booleans. Last arguments with a default may be omitted.

use std::collections::HashMap;
use std::sync::Arc;

use context3d::arguments::Rectangle;
use context3d::enums::{FlashName, TextureFormat};
use molehill_capture::data::{
    BitmapData, BitmapTargetData, ByteArray, ByteArrayData, CubeSide, Enum, Floats, Matrix,
    MipLevel, Numbers, OptionalParameter, PointData, Uints,
};
use molehill_capture::objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId,
};

use crate::texels;

/// The objects that a script has created, by name, with their classes.
pub(crate) type ScriptObjects = HashMap<String, (ObjectId, ObjectKind)>;

/// An argument of a call: a word of a script, `null`, or the default if no words remain.
pub(super) trait WordArgument: Sized {
    fn of(word: &str, objects: &ScriptObjects) -> Option<Self>;

    fn null() -> Option<Self> {
        None
    }

    fn absent() -> Option<Self> {
        None
    }
}

pub(super) fn argument<T: WordArgument>(
    words: &mut dyn Iterator<Item = &str>,
    objects: &ScriptObjects,
) -> Option<T> {
    match words.next() {
        None => T::absent(),
        Some(NULL) => T::null(),
        Some(word) => T::of(word, objects),
    }
}

/// The representation of `null`, which differs from every string in a script.
pub(crate) const NULL: &str = "\0null";

macro_rules! plain {
    ($($type:ty: |$word:ident| $value:expr;)+) => {
        $(impl WordArgument for $type {
            fn of($word: &str, _: &ScriptObjects) -> Option<Self> {
                $value
            }
        })+
    };
}

macro_rules! nullable {
    ($($type:ty = $null:expr => |$word:ident, $objects:ident| $value:expr;)+) => {
        $(impl WordArgument for $type {
            fn of($word: &str, $objects: &ScriptObjects) -> Option<Self> {
                $value
            }
            fn null() -> Option<Self> {
                Some($null)
            }
        })+
    };
}

plain! {
    i32: |word| number(word);
    u32: |word| number(word);
    bool: |word| word.parse().ok();
    f64: |word| word.parse().ok();
    BitmapData: |word| bitmap(word);
}

nullable! {
    ByteArray = ByteArray(None) => |word, _objects| match word.strip_prefix("big_endian:") {
        Some(word) => Some(ByteArray(Some(ByteArrayData { bytes: bytes(word)?, endian: agal::Endian::Big }))),
        None => bytes(word).map(ByteArray::from),
    };
    Option<Numbers> = None => |word, _objects| Some(Some(Numbers(list(word)?)));
    Option<Floats> = None => |word, _objects| Some(Some(Floats(list(word)?)));
    Option<Uints> = None => |word, _objects| Some(Some(Uints(list(word)?)));
    Option<Matrix> = None => |word, _objects| Some(Some(Matrix(Box::new(array(word)?))));
    Option<BitmapTargetData> = None => |word, _objects| Some(Some(bitmap(word)?.shape));
    Option<BitmapData> = None => |word, _objects| Some(Some(bitmap(word)?));
    Option<Rectangle> = None => |word, _objects| {
        let [x, y, width, height] = array(word)?;
        Some(Some(Rectangle { x, y, width, height }))
    };
    Option<PointData> = None => |word, _objects| {
        let [x, y] = array(word)?;
        Some(Some(PointData { x, y }))
    };
    CubeSide = CubeSide(None) => |word, _objects| Some(CubeSide(Some(number(word)?)));
    MipLevel = MipLevel(None) => |word, _objects| Some(MipLevel(Some(number(word)?)));
    Option<VertexBufferId> = None => |word, objects| Some(Some(VertexBufferId(objects.get(word)?.0)));
    Option<IndexBufferId> = None => |word, objects| Some(Some(IndexBufferId(objects.get(word)?.0)));
    Option<ProgramId> = None => |word, objects| Some(Some(ProgramId(objects.get(word)?.0)));
    Option<TextureId> = None => |word, objects| Some(Some(TextureId(objects.get(word)?.0)));
}

impl<T: FlashName> WordArgument for Enum<T> {
    fn of(word: &str, _: &ScriptObjects) -> Option<Self> {
        Some(Enum::parse(Some(word)))
    }
    fn null() -> Option<Self> {
        Some(Enum::Null)
    }
}

impl<T: WordArgument> WordArgument for OptionalParameter<T> {
    fn of(word: &str, objects: &ScriptObjects) -> Option<Self> {
        Some(OptionalParameter(Some(T::of(word, objects)?)))
    }
    fn null() -> Option<Self> {
        Some(OptionalParameter(Some(T::null()?)))
    }
    fn absent() -> Option<Self> {
        Some(OptionalParameter(None))
    }
}

fn number<T: TryFrom<i64>>(word: &str) -> Option<T> {
    let number = match (word, word.strip_prefix("0x")) {
        ("min", _) => i32::MIN.into(),
        ("max", _) => i32::MAX.into(),
        (_, Some(digits)) => i64::from_str_radix(digits, 16).ok()?,
        (_, None) => word.parse().ok()?,
    };
    T::try_from(number).ok()
}

pub(crate) fn list<T: std::str::FromStr>(word: &str) -> Option<Vec<T>> {
    match word.split_once(':') {
        Some(("zeros", count)) => {
            (0..count.parse().ok()?).map(|_: usize| "0".parse().ok()).collect()
        }
        Some(("own", registers)) => {
            let (registers, step) = registers.split_once('*').unwrap_or((registers, "1"));
            let (first, end) = registers.split_once("..")?;
            let (first, end, step): (usize, usize, usize) =
                (first.parse().ok()?, end.parse().ok()?, step.parse().ok()?);
            let numbers = (first..end).flat_map(|register| own(register * step));
            numbers.map(|number| number.to_string().parse().ok()).collect()
        }
        _ => word.split(',').map(|part| part.parse().ok()).collect(),
    }
}

/// Returns a colour for a constant register, different for each register and exact in eight bits.
pub(crate) fn own(register: usize) -> [f64; 4] {
    let part = |step: usize| {
        let byte = u8::try_from((register * step + 17) % 256).unwrap_or(0);
        f64::from(byte) / 255.0
    };
    [part(1), part(7), part(31), 1.0]
}

pub(crate) fn array<T: std::str::FromStr, const N: usize>(word: &str) -> Option<[T; N]> {
    list(word)?.try_into().ok()
}

fn bytes(word: &str) -> Option<Vec<u8>> {
    let program = |text: &str, stage| Some(agal::asm::assemble(text, stage, 1).ok()?.encode());
    match word.split_once(':') {
        Some(_) if word.contains('&') => {
            let parts: Option<Vec<_>> = word.split('&').map(bytes).collect();
            Some(parts?.concat())
        }
        Some(("fill", byte_and_count)) => {
            let (byte, count) = byte_and_count.split_once(':')?;
            Some(vec![byte.parse().ok()?; count.parse().ok()?])
        }
        Some(("repeat", bytes_and_count)) => {
            let (repeated, count) = bytes_and_count.rsplit_once(':')?;
            Some(bytes(repeated)?.repeat(count.parse().ok()?))
        }
        Some(("texels", form)) => {
            let [width, height, format, level, pattern] =
                form.split(':').collect::<Vec<_>>().try_into().ok()?;
            let format = TextureFormat::from_name(format)?;
            let size = (width.parse().ok()?, height.parse().ok()?);
            let pattern = texels::pattern(pattern)?;
            Some(texels::texels(format, size, level.parse().unwrap_or(0), pattern))
        }
        Some(("text", letters)) => Some(letters.as_bytes().to_vec()),
        Some(("vertex", text)) => program(text, agal::Stage::Vertex),
        Some(("fragment", text)) => program(text, agal::Stage::Fragment),
        Some(("floats", floats)) => {
            Some(list::<f32>(floats)?.into_iter().flat_map(f32::to_le_bytes).collect())
        }
        _ => list(word),
    }
}

fn bitmap(word: &str) -> Option<BitmapData> {
    if word == "disposed" {
        let shape = BitmapTargetData { width: 0, height: 0, transparent: true, disposed: true };
        return Some(BitmapData { shape, bgra: Arc::default() });
    }
    let (size, content) = word.split_once(':').unwrap_or((word, "transparent:"));
    let (width, height) = molehill_capture::pair(size, 'x')?;
    let (kind, content) = content.split_once(':')?;
    let shape =
        BitmapTargetData { width, height, transparent: kind == "transparent", disposed: false };
    let bgra = match content {
        "" => vec![0; (width * height * 4) as usize],
        content => bytes(content)?,
    };
    Some(BitmapData { shape, bgra: bgra.into() })
}

//! Generates call arguments from bytes.

use arbitrary::Unstructured;
use context3d::ObjectHandle;
use context3d::arguments::{Bitmap, BitmapTarget, Bytecode, Rectangle};
use context3d::enums::{EnumArg, FlashName};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};

use super::data::{
    ATF, BYTES, FLOATS, INDICES, MATRIX, NUMBERS, PROGRAMS, TEXELS, VERTICES, bitmap, bytecode,
};
use super::objects::CreatedObjects;

/// Edge cases for sums, products and limits.
const EDGES: [i32; 10] =
    [i32::MIN, i32::MAX, i32::MAX - 2, 0x10000, 0x10001, 0xEFFFF, 0xF0000, 2048, 4096, 16384];

/// Non-finite and extreme numbers.
const SPECIAL: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 1e-320];

/// Parameters whose values are mostly close to a given number, with that number.
const COMMON: [(&str, i32); 13] = [
    ("index", 0),
    ("buffer_offset", 0),
    ("sampler", 0),
    ("streaming_levels", 0),
    ("surface_selector", 0),
    ("color_output_index", 0),
    ("first_index", 0),
    ("num_triangles", -1),
    ("byte_array_offset", 0),
    ("start_vertex", 0),
    ("start_offset", 0),
    ("side", 0),
    ("miplevel", 0),
];

/// The source of a step's arguments: its bytes and the existing objects. After the last byte, the source returns zeros.
pub(super) struct ByteSource<'a> {
    bytes: Unstructured<'a>,
    objects: &'a CreatedObjects,
    /// Name of the call's [`Invocation`](context3d::Invocation).
    call: &'static str,
    /// The last choice of [`PROGRAMS`].
    program: usize,
}

impl<'a> ByteSource<'a> {
    pub(super) fn new(objects: &'a CreatedObjects, bytes: &'a [u8]) -> Self {
        ByteSource { bytes: Unstructured::new(bytes), objects, call: "", program: 0 }
    }

    pub(super) fn for_call(&mut self, call: &'static str) -> &mut Self {
        self.call = call;
        self
    }

    /// Returns a number below `count`; 0 if `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.bytes.int_in_range(0..=count.saturating_sub(1)).unwrap_or(0)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub(super) fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns an integer: mostly small numbers, some sizes and edge cases.
    pub(super) fn int(&mut self) -> i32 {
        match self.below(19) {
            0..12 => self.bytes.int_in_range(0..=8).unwrap_or(0),
            12..16 => self.one_of(&[3, 4, 6, 8, 12, 16, 32, 64, 128, 256]),
            16 => self.one_of(&[-1, -2, -3]),
            17 => self.one_of(&EDGES),
            _ => self.bytes.arbitrary().unwrap_or(0),
        }
    }

    fn number(&mut self) -> f64 {
        let choice = self.below(11);
        let unit = self.bytes.arbitrary::<u16>().unwrap_or(0);
        let unit = f64::from(unit) / f64::from(u16::MAX);
        match choice {
            0..6 => unit,
            6..10 => unit * 220.0 - 20.0,
            _ => self.one_of(&SPECIAL),
        }
    }

    /// Returns the first elements of `data`: a random multiple of `unit`.
    fn start<T>(&mut self, data: &'static [T], unit: usize) -> &'static [T] {
        let count = usize::try_from(self.int()).unwrap_or(0).saturating_mul(unit);
        &data[..count.min(data.len())]
    }

    /// Returns whether the call uses the scene's video texture: true in half of all cases.
    fn for_video(&self) -> bool {
        matches!(self.call, "SetTextureAt" | "VideoTextureFrame")
    }

    /// Returns one of the objects, or rarely an invalid handle.
    fn pick<K: Copy + Default>(&mut self, pool: &[ObjectHandle<K>]) -> ObjectHandle<K> {
        let number = self.int();
        let index = number.unsigned_abs() as usize % pool.len().max(1);
        pool.get(index).copied().filter(|_| number != 7).unwrap_or_default()
    }
}

/// The type of a call's argument, whose values are generated from bytes.
pub(super) trait StepArgument {
    /// Creates a value for a parameter.
    fn of(source: &mut ByteSource<'_>, parameter: &str) -> Self;
}

macro_rules! arguments {
    ($($type:ty: |$source:ident, $parameter:pat_param| $value:expr;)+) => {$(
        impl StepArgument for $type {
            fn of($source: &mut ByteSource<'_>, $parameter: &str) -> Self {
                $value
            }
        }
    )+};
}

arguments! {
    i32: |source, parameter| match COMMON.iter().find(|(name, _)| *name == parameter) {
        Some((_, common)) if source.flag() => *common,
        Some(_) => source.int().min(source.int()).min(source.int()),
        None => source.int(),
    };
    u32: |source, parameter| i32::of(source, parameter).cast_unsigned();
    f64: |source, _| source.number();
    bool: |source, _| source.flag();
    &'static [u8]: |source, _| match source.call {
        "VertexBufferUploadFromByteArray" => source.start(&VERTICES, 256),
        "TextureUploadCompressedFromByteArray" => source.start(ATF, 16),
        "IndexBufferUploadFromByteArray" | "TextureUploadBlocks" => source.start(&BYTES, 8),
        "SetProgramConstantsFromByteArray" => &BYTES,
        _ => &TEXELS,
    };
    &'static [f64]: |source, _| source.start(&NUMBERS, 64);
    &'static [f32]: |source, _| source.start(&FLOATS, 64);
    &'static [u32]: |source, _| source.start(&INDICES, 8);
    &'static [f64; 16]: |_source, _| &MATRIX;
    Bytecode<'static>: |source, parameter| {
        // Half of the fragment programs belong to the vertex program's pair: programs of different pairs rarely link.
        if parameter == "vertex_program" || source.flag() {
            source.program = source.below(PROGRAMS.len());
        }
        let (vertex, fragment) = &PROGRAMS[source.program];
        bytecode(if parameter == "vertex_program" { vertex } else { fragment })
    };
    Bitmap<'static>: |source, _| bitmap(source.int(), source.int());
    BitmapTarget: |source, _| BitmapTarget {
        width: source.int().cast_unsigned(),
        height: source.int().cast_unsigned(),
        transparent: source.flag(),
    };
    Rectangle: |source, _| {
        let [x, y, width, height] = [(); 4].map(|()| source.number());
        Rectangle { x, y, width, height }
    };
    [f64; 2]: |source, _| [source.number(), source.number()];
    ObjectHandle<VertexBufferKey>: |source, _| source.pick(&source.objects.vertices);
    ObjectHandle<IndexBufferKey>: |source, _| source.pick(&source.objects.indices);
    ObjectHandle<ProgramKey>: |source, _| source.pick(&source.objects.programs);
    ObjectHandle<TextureKey>: |source, _| {
        let video = source.for_video() && source.flag();
        let video = source.objects.video.filter(|_| video);
        video.unwrap_or_else(|| source.pick(&source.objects.textures))
    };
}

impl<T: StepArgument> StepArgument for Option<T> {
    fn of(source: &mut ByteSource<'_>, parameter: &str) -> Self {
        (source.int() >= 0).then(|| T::of(source, parameter))
    }
}

impl<T: FlashName> StepArgument for EnumArg<'static, T> {
    fn of(source: &mut ByteSource<'_>, _: &str) -> Self {
        match source.int() {
            -1 => EnumArg::Null,
            ..0 => EnumArg::Unknown("?"),
            number => EnumArg::Is(T::NAMES[number.unsigned_abs() as usize % T::NAMES.len()].0),
        }
    }
}

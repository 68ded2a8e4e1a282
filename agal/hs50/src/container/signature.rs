//! Signature chunks, which assign semantics to registers ([hs50.signature.element]).

use agal_core::WriteMask;

use super::{DxbcContainer, Tag};
use crate::words::{bytes_of, length, word_at, words};

agal_core::table! {
    /// A signature type: input, output or patch constant.
    pub enum SignatureKind {
        /// Returns the signature's title in listings.
        title: &'static str => from_title(&str),
    }
    Input "Input";
    Output "Output";
    PatchConstant "Patch Constant";
}

impl SignatureKind {
    /// The signature types in the order of fxc's listings.
    pub const LISTED: [SignatureKind; 3] =
        [SignatureKind::PatchConstant, SignatureKind::Input, SignatureKind::Output];
}

/// The layout of a signature chunk: elements of 24 bytes, with an optional stream and minimum precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SignatureLayout {
    tag: Tag,
    kind: SignatureKind,
    stream: bool,
    precision: bool,
}

const LAYOUTS: [SignatureLayout; 7] = [
    SignatureLayout::new(*b"ISGN", SignatureKind::Input, false, false),
    SignatureLayout::new(*b"OSGN", SignatureKind::Output, false, false),
    SignatureLayout::new(*b"PCSG", SignatureKind::PatchConstant, false, false),
    SignatureLayout::new(*b"OSG5", SignatureKind::Output, true, false),
    SignatureLayout::new(*b"ISG1", SignatureKind::Input, true, true),
    SignatureLayout::new(*b"OSG1", SignatureKind::Output, true, true),
    SignatureLayout::new(*b"PSG1", SignatureKind::PatchConstant, true, true),
];

impl SignatureLayout {
    const fn new(
        tag: [u8; 4],
        kind: SignatureKind,
        stream: bool,
        precision: bool,
    ) -> SignatureLayout {
        SignatureLayout { tag: Tag(tag), kind, stream, precision }
    }
    fn words(self) -> usize {
        6 + usize::from(self.stream) + usize::from(self.precision)
    }
}

/// Maximum number of elements: 128 in 32 registers of four components, and 128 without a register.
pub const MAX_ELEMENTS: u32 = 256;
/// The maximum length of a semantic name, in bytes.
pub const MAX_NAME: usize = 1024;
/// The register number of elements that have no register.
pub const NO_REGISTER: u32 = u32::MAX;

/// An element of a signature: a semantic and its register.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// The semantic name, such as `TEXCOORD`.
    pub name: String,
    /// The semantic index.
    pub index: u32,
    /// The system value's code in signatures, which differs from its code in tokens: see [`crate::names::SystemName`].
    pub system_value: u32,
    /// The component type: 0 unknown, 1 uint, 2 int, 3 float, …
    pub component_type: u32,
    /// The register number, or [`NO_REGISTER`].
    pub register: u32,
    /// The register components, as bits: x = 1 … w = 8.
    pub mask: u8,
    /// For inputs, the components that are read. For hull shader outputs, the components that are never written.
    pub usage: u8,
    /// The two reserved bytes after `usage`.
    pub reserved: u16,
    /// The geometry shader stream; 0 for other shader stages.
    pub stream: u32,
    /// The code of the minimum precision; 0 is full precision.
    pub min_precision: u32,
}

impl Element {
    pub(crate) fn components(&self) -> WriteMask {
        WriteMask::from_bits(self.mask)
    }
}

/// A signature, which assigns semantics to registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderSignature {
    layout: SignatureLayout,
    /// The elements of the signature, in chunk order.
    pub elements: Vec<Element>,
}

agal_core::errors! {
    /// The types of signature errors.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum SignatureError {
        Short(Tag) = "{0} ends before its last element";
        TooMany(Tag, u32) = "{0} has {1} elements, at most {MAX_ELEMENTS} are allowed";
        Name(Tag, usize) = "{0}: the name of element {1} is outside of the chunk, too long or not ASCII";
    }
}

impl ShaderSignature {
    /// Creates a signature without elements.
    pub fn new(kind: SignatureKind) -> ShaderSignature {
        let [input, output, patch, ..] = LAYOUTS;
        let layout = match kind {
            SignatureKind::Input => input,
            SignatureKind::Output => output,
            SignatureKind::PatchConstant => patch,
        };
        ShaderSignature { layout, elements: Vec::new() }
    }

    /// Reads the signature of a type; returns `None` if the container lacks the signature.
    pub fn find(
        container: &DxbcContainer,
        kind: SignatureKind,
    ) -> Result<Option<ShaderSignature>, SignatureError> {
        let mut chunks = container.chunks();
        let of_kind = chunks.find(|chunk| layout(chunk.tag).is_some_and(|it| it.kind == kind));
        of_kind.and_then(|chunk| ShaderSignature::read(chunk.tag, chunk.data)).transpose()
    }

    /// Parses a chunk's payload; returns `None` if the tag isn't a signature tag.
    pub fn read(tag: Tag, data: &[u8]) -> Option<Result<ShaderSignature, SignatureError>> {
        layout(tag).map(|layout| ShaderSignature::read_as(layout, data))
    }

    fn read_as(layout: SignatureLayout, data: &[u8]) -> Result<ShaderSignature, SignatureError> {
        let short = SignatureError::Short(layout.tag);
        let (Some(count), Some(start)) = (word_at(data, 0), word_at(data, 4)) else {
            return Err(short);
        };
        if count > MAX_ELEMENTS {
            return Err(SignatureError::TooMany(layout.tag, count));
        }
        let size = layout.words().saturating_mul(4);
        let all = data.get(start as usize..).unwrap_or_default();
        let all = all.get(..size.saturating_mul(count as usize)).ok_or(short)?;
        let elements = all.chunks_exact(size).enumerate().map(|(number, element)| {
            let mut fields = words(element);
            let mut next = || fields.next().unwrap_or(0);
            let stream = if layout.stream { next() } else { 0 };
            let name = name_at(data, next()).ok_or(SignatureError::Name(layout.tag, number))?;
            let (index, system_value, component_type, register) = (next(), next(), next(), next());
            let [mask, usage, low, high] = next().to_le_bytes();
            let min_precision = if layout.precision { next() } else { 0 };
            Ok(Element {
                name,
                index,
                system_value,
                component_type,
                register,
                mask,
                usage,
                reserved: u16::from_le_bytes([low, high]),
                stream,
                min_precision,
            })
        });
        Ok(ShaderSignature { layout, elements: elements.collect::<Result<_, _>>()? })
    }

    /// Returns the chunk's tag.
    pub fn tag(&self) -> Tag {
        self.layout.tag
    }

    /// Encodes the chunk's payload: the elements, then each distinct name in order of first use.
    pub fn encode(&self) -> Vec<u8> {
        let size = self.layout.words().saturating_mul(self.elements.len());
        let first = size.saturating_add(2).saturating_mul(4);
        let mut fields = vec![length(self.elements.len()), 8];
        let mut names: Vec<u8> = Vec::new();
        let mut known: Vec<(&str, usize)> = Vec::new();
        for element in &self.elements {
            let found = known.iter().find(|(name, _)| *name == element.name);
            let offset = found.map(|(_, offset)| *offset).unwrap_or_else(|| {
                let offset = first.saturating_add(names.len());
                known.push((&element.name, offset));
                names.extend(element.name.bytes());
                names.push(0);
                offset
            });
            if self.layout.stream {
                fields.push(element.stream);
            }
            let [low, high] = element.reserved.to_le_bytes();
            fields.extend([
                length(offset),
                element.index,
                element.system_value,
                element.component_type,
                element.register,
                u32::from_le_bytes([element.mask, element.usage, low, high]),
            ]);
            if self.layout.precision {
                fields.push(element.min_precision);
            }
        }
        let mut bytes = bytes_of(&fields);
        bytes.extend(names);
        bytes.resize(bytes.len().next_multiple_of(4), PADDING);
        bytes
    }

    /// Returns the union of the component masks of all elements in a register.
    pub fn mask(&self, register: u32) -> WriteMask {
        let here = self.elements.iter().filter(|element| element.register == register);
        here.fold(WriteMask::EMPTY, |mask, element| mask.union(element.components()))
    }

    /// Returns the number of registers that the elements span: the highest register number plus 1.
    pub fn registers(&self) -> u32 {
        let numbers = self.elements.iter().map(|element| element.register);
        let highest = numbers.filter(|register| *register != NO_REGISTER).max();
        highest.map_or(0, |register| register.saturating_add(1))
    }
}

const PADDING: u8 = 0xab;

fn layout(tag: Tag) -> Option<SignatureLayout> {
    LAYOUTS.iter().find(|layout| layout.tag == tag).copied()
}

fn name_at(data: &[u8], offset: u32) -> Option<String> {
    let text = data.get(offset as usize..)?;
    let end = text.iter().take(MAX_NAME).position(|byte| *byte == 0)?;
    let name = text.get(..end)?;
    let printable = name.iter().all(u8::is_ascii_graphic);
    printable.then(|| String::from_utf8_lossy(name).into_owned())
}

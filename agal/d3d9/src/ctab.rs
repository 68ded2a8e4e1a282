//! The constant table (CTAB), a comment in which compilers store the names of constants and samplers
//! ([d3d9.comment.ctab]). The data is untrusted: offsets are checked, and invalid entries are skipped.

use crate::program::D3d9Program;

const TAG: u32 = u32::from_le_bytes(*b"CTAB");
/// Maximum number of entries that are read: the total number of registers in the largest version.
const MAX_CONSTANTS: u32 = 16384;
const MAX_NAME: usize = 256;

agal_core::table! {
    /// The register set of a constant (`D3DXREGISTER_SET`).
    pub enum RegisterSet {
        /// Returns the register set's code in the constant table.
        code: u16 => from_code(u16),
        /// Returns the register prefix, such as `c`.
        letter: char,
    }
    Boolean 0, 'b';
    Integer 1, 'i';
    Float   2, 'c';
    Sampler 3, 's';
}

#[rustfmt::skip]
const TYPES: [&str; 15] = [
    "void", "bool", "int", "float", "string", "texture", "texture1D", "texture2D", "texture3D", "textureCUBE", "sampler",
    "sampler1D", "sampler2D", "sampler3D", "samplerCUBE",
];

/// A constant or sampler of the HLSL source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name in the HLSL source.
    pub name: String,
    /// The register set that holds the constant.
    pub set: RegisterSet,
    /// The index of the constant's first register.
    pub register: u16,
    /// The number of registers that the constant occupies.
    pub count: u16,
    /// The HLSL type, such as `float4x4` or `sampler2D`; empty if the table has no type.
    pub kind: String,
    /// Number of array elements; 1 if the constant is not an array.
    pub elements: u16,
}

/// The constant table that a compiler has stored in a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantTable {
    /// The compiler's name and version, such as `Microsoft (R) HLSL Shader Compiler 10.1`.
    pub creator: String,
    /// The target profile of the compilation, such as `ps_2_0`.
    pub target: String,
    /// The constants, in the order of the table.
    pub constants: Vec<Constant>,
}

struct ByteCursor(Vec<u8>);

impl ByteCursor {
    fn bytes<const N: usize>(&self, at: u32) -> Option<[u8; N]> {
        self.0.get(usize::try_from(at).ok()?..)?.first_chunk().copied()
    }
    fn u16(&self, at: u32) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }
    fn u32(&self, at: u32) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }
    /// Reads a zero-terminated string; replaces bytes other than printable ASCII by `?`.
    fn text(&self, at: u32) -> Option<String> {
        let rest = self.0.get(usize::try_from(at).ok()?..)?;
        let end = rest.iter().take(MAX_NAME).position(|byte| *byte == 0);
        let bytes = rest.get(..end.unwrap_or(MAX_NAME))?.iter().map(|byte| char::from(*byte));
        Some(bytes.map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect())
    }

    fn constant(&self, at: u32) -> Option<Constant> {
        let offset = |by| at.checked_add(by);
        let kind = self.u32(offset(12)?)?;
        let elements = kind.checked_add(8).and_then(|at| self.u16(at));
        Some(Constant {
            name: self.text(self.u32(at)?)?,
            set: RegisterSet::from_code(self.u16(offset(4)?)?)?,
            register: self.u16(offset(6)?)?,
            count: self.u16(offset(8)?)?,
            kind: self.kind(kind).unwrap_or_default(),
            elements: elements.unwrap_or(1).max(1),
        })
    }

    fn kind(&self, at: u32) -> Option<String> {
        let class = self.u16(at)?;
        let base = TYPES.get(usize::from(self.u16(at.checked_add(2)?)?))?;
        let rows = self.u16(at.checked_add(4)?)?;
        let columns = self.u16(at.checked_add(6)?)?;
        Some(match class {
            1 => format!("{base}{columns}"),
            2 => format!("row_major {base}{rows}x{columns}"),
            3 => format!("{base}{rows}x{columns}"),
            5 => "struct".to_owned(),
            _ => (*base).to_owned(),
        })
    }
}

impl ConstantTable {
    /// Parses the dwords of a comment; returns `None` if the comment is not a constant table.
    pub fn read(comment: &[u32]) -> Option<ConstantTable> {
        let (&tag, body) = comment.split_first()?;
        if tag != TAG {
            return None;
        }
        let bytes = ByteCursor(body.iter().flat_map(|word| word.to_le_bytes()).collect());
        let first = bytes.u32(16)?;
        let count = bytes.u32(12)?.min(MAX_CONSTANTS);
        let offsets = (0..count).map_while(|n| n.checked_mul(20)?.checked_add(first));
        // Offsets increase, so all entries after the first one outside of the comment are invalid too.
        let entries = offsets.take_while(|offset| bytes.u32(*offset).is_some());
        Some(ConstantTable {
            creator: bytes.text(bytes.u32(4)?).unwrap_or_default(),
            target: bytes.text(bytes.u32(24)?).unwrap_or_default(),
            constants: entries.filter_map(|offset| bytes.constant(offset)).collect(),
        })
    }

    /// Returns the HLSL name of a register, such as `g_mWorld` or `g_mWorld[2]`.
    pub fn name(&self, set: RegisterSet, register: u16) -> Option<String> {
        let holds = |constant: &&Constant| {
            let offset = register.checked_sub(constant.register);
            constant.set == set && offset.is_some_and(|offset| offset < constant.count)
        };
        let constant = self.constants.iter().find(holds)?;
        Some(match register.saturating_sub(constant.register) {
            0 if constant.count == 1 => constant.name.clone(),
            offset => format!("{}[{offset}]", constant.name),
        })
    }
}

impl D3d9Program {
    /// Returns the constant table from the first comment that contains one.
    pub fn constant_table(&self) -> Option<ConstantTable> {
        self.comments().find_map(ConstantTable::read)
    }
}

//! What a row of the table says.

use super::{CALLS, Row};
pub use crate::context::Needs;
use crate::error::ErrorCode;

/// The oldest runtime that has a call, a parameter or a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Since {
    /// Flash Player and AIR, for SWF files of this version and newer.
    Swf(u32),
    /// AIR only, of this version and newer.
    Air(u32),
}

/// The newest version of AIR with a number of its own in [`Since::api`].
const LAST_NUMBERED_AIR: u32 = 29;

impl Since {
    /// Reads `13`, or `A 16` for AIR.
    pub(super) const fn parse(text: &str) -> Since {
        let text = text.as_bytes();
        let (mut at, mut number) = (0, 0);
        while at < text.len() {
            if text[at].is_ascii_digit() {
                number = number * 10 + (text[at] - b'0') as u32;
            }
            at += 1;
        }
        if text[0] == b'A' { Since::Air(number) } else { Since::Swf(number) }
    }

    /// Whether a runtime has it: SWF files of version `swf` in Flash Player, or in AIR of version `air`.
    pub fn is_in(self, swf: u32, air: Option<u32>) -> bool {
        match self {
            Since::Swf(version) => version <= swf,
            Since::Air(version) => air.is_some_and(|air| version <= air),
        }
    }

    /// The number of `[API("…")]` in declarations of avmplus, for SWF versions from 12 and AIR from 13 on. Its list ends
    /// at AIR 29, whose number newer versions of AIR share here.
    pub const fn api(self) -> u32 {
        match self {
            Since::Swf(version) => 648 + 2 * version,
            Since::Air(version) if version < LAST_NUMBERED_AIR => 671 + 2 * version,
            Since::Air(_) => 671 + 2 * LAST_NUMBERED_AIR,
        }
    }
}

/// Who makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A program: a method.
    Method,
    /// A program: it assigns to a property.
    Setter,
    /// The host; ActionScript has no such method.
    Host,
}

/// A parameter in ActionScript's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type in the table.
    pub table_type: &'static str,
    /// Its default value as ActionScript text; `None`: it can't be omitted.
    pub default: Option<&'static str>,
    /// If the runtimes that have the call haven't had it from the start.
    pub since: Option<Since>,
}

impl Parameter {
    /// Its type in ActionScript; `None` if the class's method doesn't have it.
    pub fn type_in(&self, class: &str) -> Option<&'static str> {
        Some(match self.table_type {
            "CubeSide" if class != "CubeTexture" => return None,
            "MipLevel" if class == "RectangleTexture" => return None,
            "CubeSide" | "MipLevel" => "uint",
            "VectorFloat" => "Vector.<float>",
            "VectorNumber" => "Vector.<Number>",
            "VectorUint" => "Vector.<uint>",
            "Bytecode" => "ByteArray",
            "BitmapTarget" | "VideoFrame" => "BitmapData",
            name if name.starts_with("enum ") => "String",
            name => name,
        })
    }
}

/// A row of [`CALLS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the variant of [`Command`](crate::Command).
    pub variant: &'static str,
    /// Who makes it.
    pub kind: CallKind,
    /// ActionScript classes that have it.
    pub classes: &'static [&'static str],
    /// ActionScript's name.
    pub name: &'static str,
    /// In the order of the declaration.
    pub parameters: &'static [Parameter],
    /// Class of the object that it creates.
    pub creates: Option<&'static str>,
    /// The oldest runtime that has it.
    pub since: Since,
    /// What must be available when it is called.
    pub needs: Needs,
    /// Errors that it raises besides those of its `needs`.
    pub errors: &'static [ErrorCode],
    /// Variants of other rows whose errors it raises too.
    pub as_well_as: &'static [&'static str],
    /// Facts of the reference, and captures.
    pub witness: &'static str,
    pub(super) row: Row,
}

impl Call {
    /// The row of a class's method or setter.
    pub fn find(class: &str, name: &str) -> Option<&'static Call> {
        CALLS.iter().find(|call| call.name == name && call.classes.contains(&class))
    }

    /// Whether the call may raise this error. Uploads of programs may also raise AGAL errors.
    pub fn raises(&self, code: ErrorCode) -> bool {
        let also = |call: &Call| self.as_well_as.contains(&call.variant) && call.raises(code);
        (code == ErrorCode::Disposed && self.needs != Needs::Nothing)
            || (code == ErrorCode::InBackground && self.needs == Needs::Device)
            || (matches!(code, ErrorCode::Agal(_)) && self.variant == "ProgramUpload")
            || self.errors.contains(&code)
            || CALLS.iter().any(also)
    }
}

//! A row of the table.

use super::{METHODS, Row};
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

/// How a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// By a program, by its name.
    Method,
    /// By a program that assigns to a property.
    Setter,
    /// By a program that reads a property.
    Getter,
    /// By the host; ActionScript has no such method.
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
            "Listens" => return None,
            "CubeSide" if class != "CubeTexture" => return None,
            "MipLevel" if class == "RectangleTexture" => return None,
            "CubeSide" | "MipLevel" => "uint",
            "VectorFloat" => "Vector.<float>",
            "VectorNumber" => "Vector.<Number>",
            "VectorUint" => "Vector.<uint>",
            "Strings" => "Vector.<String>",
            "Bytecode" => "ByteArray",
            "BitmapTarget" | "VideoFrame" => "BitmapData",
            name if name.starts_with("enum ") => "String",
            name => name,
        })
    }
}

/// A method, getter or setter of a class, or a call of the host's: a row of [`METHODS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Name of the variant of [`Invocation`](crate::Invocation); empty for a getter, and for a method that the host carries out.
    pub variant: &'static str,
    /// How it is called.
    pub kind: MethodKind,
    /// ActionScript classes that have it.
    pub classes: &'static [&'static str],
    /// ActionScript's name.
    pub name: &'static str,
    /// In the order of the declaration.
    pub parameters: &'static [Parameter],
    /// Class of the object that it creates, or type of the property that it reads; `None` is void.
    pub result: Option<&'static str>,
    /// True for a static member, which belongs to the class.
    pub is_static: bool,
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
    pub(super) row: Option<Row>,
}

impl Method {
    /// Finds a class's method by a name as VMs write it: `setCulling` or `set_culling`; `get profile`, `get_profile` or
    /// `getProfile` for a getter, and so with `set` for a setter. Find it once for each native function.
    pub fn find(class: &str, name: &str) -> Option<Method> {
        let is = |method: &Method| {
            let prefix = match method.kind {
                MethodKind::Method => "",
                MethodKind::Getter => "get",
                MethodKind::Setter => "set",
                MethodKind::Host => return false,
            };
            method.is_of(class) && letters(name).eq(letters(prefix).chain(letters(method.name)))
        };
        METHODS.iter().copied().find(is)
    }

    /// Returns whether objects of a class have it. `TextureBase` has the methods of all four classes of textures.
    pub fn is_of(&self, class: &str) -> bool {
        self.classes.contains(&class) || (class == "TextureBase" && self.classes.len() == 4)
    }

    /// Returns whether the host carries it out: `attachNetStream` and `attachCamera` of `VideoTexture`.
    pub fn is_attached(&self) -> bool {
        self.row.is_none() && self.kind == MethodKind::Method
    }

    /// Returns whether it may raise this error. Uploads of programs may also raise AGAL errors.
    pub fn raises(&self, code: ErrorCode) -> bool {
        let also = |it: &Method| self.as_well_as.contains(&it.variant) && it.raises(code);
        (code == ErrorCode::Disposed && self.needs != Needs::Nothing)
            || (code == ErrorCode::InBackground && self.needs == Needs::Device)
            || (matches!(code, ErrorCode::Agal(_)) && self.variant == "ProgramUpload")
            || self.errors.contains(&code)
            || METHODS.iter().any(also)
    }
}

fn letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !b"_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase())
}

//! [`Method`]: an entry of the table of methods.

use super::{CallIndex, METHODS};
pub use crate::context::CallRequires;
use crate::error::ErrorCode;

/// The oldest runtime that supports a method, a parameter or a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Availability {
    /// Flash Player and AIR support the member in SWF files of at least this version.
    Swf(u32),
    /// Only AIR supports the member, in at least this version of AIR.
    Air(u32),
}

/// The newest version of AIR that has its own number in [`Availability::api`].
const LAST_NUMBERED_AIR: u32 = 29;

impl Availability {
    /// Parses `13` as an SWF version, or `A 16` as a version of AIR.
    pub(super) const fn parse(text: &str) -> Availability {
        let text = text.as_bytes();
        let (mut at, mut number) = (0, 0);
        while at < text.len() {
            if text[at].is_ascii_digit() {
                number = number * 10 + (text[at] - b'0') as u32;
            }
            at += 1;
        }
        if text[0] == b'A' { Availability::Air(number) } else { Availability::Swf(number) }
    }

    /// Returns whether a runtime has the method: Flash Player with SWF files of version `swf`, or AIR of version `air`.
    pub fn is_in(self, swf: u32, air: Option<u32>) -> bool {
        match self {
            Availability::Swf(version) => version <= swf,
            Availability::Air(version) => air.is_some_and(|air| version <= air),
        }
    }

    /// Returns the version number in the metadata `[API("…")]` of avmplus, for SWF 12 and newer, and AIR 13 and newer.
    /// The list of avmplus ends at AIR 29; newer versions share the number of AIR 29.
    pub const fn api(self) -> u32 {
        match self {
            Availability::Swf(version) => 648 + 2 * version,
            Availability::Air(version) if version < LAST_NUMBERED_AIR => 671 + 2 * version,
            Availability::Air(_) => 671 + 2 * LAST_NUMBERED_AIR,
        }
    }
}

/// The way in which a method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// The ActionScript program calls the method by name.
    Method,
    /// The ActionScript program assigns to a property.
    Setter,
    /// The ActionScript program reads a property.
    Getter,
    /// The host makes the call; ActionScript has no such method.
    Host,
}

/// A parameter in ActionScript's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in ActionScript's declaration.
    pub name: &'static str,
    /// The parameter's type in the table of methods.
    pub table_type: &'static str,
    /// The default value as ActionScript source; `None` for a required parameter.
    pub default: Option<&'static str>,
    /// The oldest runtime that has the parameter; `None` if all runtimes with the method have it.
    pub since: Option<Availability>,
}

impl Parameter {
    /// Returns the type in ActionScript; `None` if the class's method doesn't have the parameter.
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

/// A method, getter or setter of a class, or a call that only hosts make: an entry of [`METHODS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Name of the variant of [`Invocation`](crate::Invocation); empty for a getter, and for a method that the host
    /// implements.
    pub variant: &'static str,
    /// The way in which the method is called.
    pub kind: MethodKind,
    /// The ActionScript classes that have the method.
    pub classes: &'static [&'static str],
    /// ActionScript's name.
    pub name: &'static str,
    /// The parameters, in the order of the declaration.
    pub parameters: &'static [Parameter],
    /// The class of the created object, or the type of the property; `None` for void.
    pub result: Option<&'static str>,
    /// True for a static property, such as `Context3D.supportsVideoTexture`.
    pub is_static: bool,
    /// The oldest runtime that supports the method.
    pub since: Availability,
    /// The state of the context that the call requires.
    pub needs: CallRequires,
    /// The errors that the method raises in addition to those of `needs`.
    pub errors: &'static [ErrorCode],
    /// Other methods, by the names of their variants, whose errors this method raises too.
    pub as_well_as: &'static [&'static str],
    /// The evidence for the behaviour: facts of the reference, and captures.
    pub witness: &'static str,
    pub(super) row: Option<CallIndex>,
}

impl Method {
    /// Finds a class's method by the name in the spelling of a VM: `setCulling` or `set_culling`; for a getter `get
    /// profile`, `get_profile` or `getProfile`; for a setter likewise with `set`. Call this once for each native
    /// function.
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

    /// Returns whether a class has the method. `TextureBase` counts as all four texture classes.
    pub fn is_of(&self, class: &str) -> bool {
        self.classes.contains(&class) || (class == "TextureBase" && self.classes.len() == 4)
    }

    /// Returns whether the host implements the method: `attachNetStream` and `attachCamera` of `VideoTexture`.
    pub fn is_attached(&self) -> bool {
        self.row.is_none() && self.kind == MethodKind::Method
    }

    /// Returns whether the method can raise this error. Uploads of programs may also raise AGAL errors.
    pub fn raises(&self, code: ErrorCode) -> bool {
        let also = |it: &Method| self.as_well_as.contains(&it.variant) && it.raises(code);
        (code == ErrorCode::Disposed && self.needs != CallRequires::Nothing)
            || (code == ErrorCode::InBackground && self.needs == CallRequires::Device)
            || (matches!(code, ErrorCode::Agal(_)) && self.variant == "ProgramUpload")
            || self.errors.contains(&code)
            || METHODS.iter().any(also)
    }
}

fn letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !b"_ ".contains(byte)).map(|byte| byte.to_ascii_lowercase())
}

//! The strings of Flash's enumeration classes and their Rust counterparts. Comparison is case-sensitive
//! [context3d.error.2008].

/// The strings of `Context3DProgramType`.
pub use agal::Stage as ProgramType;
/// The strings of `Context3DTextureFilter`.
pub use agal::sampler::Filter as TextureFilter;
/// The strings of `Context3DMipFilter`.
pub use agal::sampler::Mip as MipFilter;
/// The strings of `Context3DWrapMode`.
pub use agal::sampler::Wrap as WrapMode;

/// An enumeration argument from ActionScript.
///
/// The host parses the string once ([`EnumArg::parse`]), so that calls don't compare strings. Each call decides whether
/// an unknown string is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumArg<'a, T> {
    /// A string of the Flash enumeration `T`.
    Is(T),
    /// ActionScript's `null`, for which calls raise 2007.
    Null,
    /// A string that names no member of the enumeration, for which calls raise 2008.
    Unknown(&'a str),
}

impl<T> From<T> for EnumArg<'_, T> {
    fn from(value: T) -> Self {
        EnumArg::Is(value)
    }
}

impl<'a, T: FlashName> EnumArg<'a, T> {
    /// Parses the string that the ActionScript program passed; `None` for `null`.
    pub fn parse(text: Option<&'a str>) -> Self {
        match text {
            None => EnumArg::Null,
            Some(text) => T::from_name(text).map_or(EnumArg::Unknown(text), EnumArg::Is),
        }
    }

    /// Returns the string that the program passed; `None` for `null`.
    pub fn text(self) -> Option<&'a str> {
        match self {
            EnumArg::Is(value) => Some(value.name()),
            EnumArg::Null => None,
            EnumArg::Unknown(text) => Some(text),
        }
    }
}

/// An enumeration of Flash, whose members have strings in ActionScript.
pub trait FlashName: Copy + Sized + 'static {
    /// All members of the enumeration with their strings.
    const NAMES: &'static [(Self, &'static str)];

    /// Returns ActionScript's string for a member of the enumeration.
    fn name(self) -> &'static str;

    /// Returns the member with exactly this string.
    fn from_name(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, name)| *name == text).map(|(value, _)| *value)
    }
}

/// Defines enumerations by tables of members and strings.
macro_rules! flash_names {
    ($($(#[$doc:meta])* $name:ident { $($(#[$mdoc:meta])* $member:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = concat!("`\"", $text, "\"`")] $(#[$mdoc])* $member),+ }

        agal_names! { $name { $($member = $text),+ } }
    )+};
}

/// Implements [`FlashName`] for existing enumerations, such as those of the crate `agal`.
macro_rules! agal_names {
    ($($name:ident { $($member:ident = $text:literal),+ $(,)? })+) => {$(
        impl FlashName for $name {
            const NAMES: &'static [(Self, &'static str)] = &[$(($name::$member, $text)),+];
            fn name(self) -> &'static str {
                match self { $($name::$member => $text),+ }
            }
        }
    )+};
}

flash_names! {
    /// The strings of `Context3DBlendFactor`.
    BlendFactor {
        Zero = "zero",
        One = "one",
        SourceColor = "sourceColor",
        OneMinusSourceColor = "oneMinusSourceColor",
        SourceAlpha = "sourceAlpha",
        OneMinusSourceAlpha = "oneMinusSourceAlpha",
        DestinationAlpha = "destinationAlpha",
        OneMinusDestinationAlpha = "oneMinusDestinationAlpha",
        DestinationColor = "destinationColor",
        OneMinusDestinationColor = "oneMinusDestinationColor",
    }
    /// The strings of `Context3DCompareMode`.
    CompareMode {
        Always = "always",
        Equal = "equal",
        Greater = "greater",
        GreaterEqual = "greaterEqual",
        Less = "less",
        LessEqual = "lessEqual",
        Never = "never",
        NotEqual = "notEqual",
    }
    /// The strings of `Context3DTriangleFace`.
    TriangleFace {
        None = "none",
        Back = "back",
        Front = "front",
        FrontAndBack = "frontAndBack",
    }
    /// The strings of `Context3DStencilAction`.
    StencilAction {
        Keep = "keep",
        Zero = "zero",
        Set = "set",
        Invert = "invert",
        IncrementSaturate = "incrementSaturate",
        DecrementSaturate = "decrementSaturate",
        IncrementWrap = "incrementWrap",
        DecrementWrap = "decrementWrap",
    }
    /// The strings of `Context3DTextureFormat`.
    TextureFormat {
        Bgra = "bgra",
        BgrPacked565 = "bgrPacked565",
        BgraPacked4444 = "bgraPacked4444",
        Compressed = "compressed",
        CompressedAlpha = "compressedAlpha",
        RgbaHalfFloat = "rgbaHalfFloat",
    }
    /// The strings of `Context3DVertexBufferFormat`.
    VertexFormat {
        Float1 = "float1",
        Float2 = "float2",
        Float3 = "float3",
        Float4 = "float4",
        Bytes4 = "bytes4",
    }
    /// The strings of `Context3DBufferUsage`.
    BufferUsage {
        StaticDraw = "staticDraw",
        DynamicDraw = "dynamicDraw",
    }
    /// Formats of 4×4 texel blocks that a host uploads
    /// ([`TextureUploadBlocks`](crate::Invocation::TextureUploadBlocks)); not an enumeration of Flash. `compressed`
    /// textures accept the opaque formats, `compressedAlpha` textures the others.
    BlockFormat {
        /// DXT1 blocks of 8 bytes, opaque.
        Dxt1 = "dxt1",
        /// DXT5 blocks of 16 bytes.
        Dxt5 = "dxt5",
        /// ETC2 blocks of 8 bytes, opaque. Every ETC1 block is an ETC2 block.
        Etc2 = "etc2",
        /// ETC2 blocks of 16 bytes, with EAC alpha before the colours.
        Etc2Eac = "etc2eac",
    }
    /// The strings of `Context3DFillMode`.
    FillMode {
        Solid = "solid",
        Wireframe = "wireframe",
    }
    /// The strings of `Context3DRenderMode`.
    RenderMode {
        Auto = "auto",
        Software = "software",
    }
}

agal_names! {
    WrapMode {
        Clamp = "clamp",
        Repeat = "repeat",
        ClampURepeatV = "clamp_u_repeat_v",
        RepeatUClampV = "repeat_u_clamp_v",
    }
    TextureFilter {
        Nearest = "nearest",
        Linear = "linear",
        Anisotropic2x = "anisotropic2x",
        Anisotropic4x = "anisotropic4x",
        Anisotropic8x = "anisotropic8x",
        Anisotropic16x = "anisotropic16x",
    }
    MipFilter {
        None = "mipnone",
        Nearest = "mipnearest",
        Linear = "miplinear",
    }
    ProgramType {
        Vertex = "vertex",
        Fragment = "fragment",
    }
}

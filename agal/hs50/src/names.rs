//! Numbers in tokens that have names in listings (hs-5-0.md, 2.7, 2.10, 1.4 and 6).

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident { $($code:literal $variant:ident $text:literal;)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// Every one, by number.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name in listings.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
            /// The number in tokens.
            pub fn code(self) -> u32 {
                match self {
                    $($name::$variant => $code,)*
                }
            }
            /// The one of a number.
            pub fn from_code(code: u32) -> Option<$name> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }
            /// The one of a name.
            pub fn from_name(name: &str) -> Option<$name> {
                match name {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

codes! {
    /// The kind of a program, in its version token.
    ProgramKind {
        0 Pixel "ps";
        1 Vertex "vs";
        2 Geometry "gs";
        3 Hull "hs";
        4 Domain "ds";
        5 Compute "cs";
    }
    /// What the tessellator divides.
    Domain {
        1 Isoline "domain_isoline";
        2 Tri "domain_tri";
        3 Quad "domain_quad";
    }
    /// How the tessellator places points on an edge.
    Partitioning {
        1 Integer "partitioning_integer";
        2 Pow2 "partitioning_pow2";
        3 FractionalOdd "partitioning_fractional_odd";
        4 FractionalEven "partitioning_fractional_even";
    }
    /// What the tessellator makes.
    OutputPrimitive {
        1 Point "output_point";
        2 Line "output_line";
        3 TriangleCw "output_triangle_cw";
        4 TriangleCcw "output_triangle_ccw";
    }
    /// The shape of a resource.
    Dimension {
        1 Buffer "buffer";
        2 Texture1d "texture1d";
        3 Texture2d "texture2d";
        4 Texture2dMs "texture2dms";
        5 Texture3d "texture3d";
        6 TextureCube "texturecube";
        7 Texture1dArray "texture1darray";
        8 Texture2dArray "texture2darray";
        9 Texture2dMsArray "texture2dmsarray";
        10 TextureCubeArray "texturecubearray";
        11 RawBuffer "raw_buffer";
        12 StructuredBuffer "structured_buffer";
    }
    /// What a component of a resource holds.
    ReturnType {
        1 Unorm "unorm";
        2 Snorm "snorm";
        3 Sint "sint";
        4 Uint "uint";
        5 Float "float";
        6 Mixed "mixed";
        7 Double "double";
        8 Continued "<continued>";
        9 Unused "<unused>";
    }
    /// How a sampler samples.
    SamplerMode {
        0 Default "mode_default";
        1 Comparison "mode_comparison";
        2 Mono "mode_mono";
    }
    /// How a pixel shader's input is interpolated.
    Interpolation {
        1 Constant "constant";
        2 Linear "linear";
        3 LinearCentroid "linear centroid";
        4 LinearNoPerspective "linear noperspective";
        5 LinearNoPerspectiveCentroid "linear noperspective centroid";
        6 LinearSample "linear sample";
        7 LinearNoPerspectiveSample "linear noperspective sample";
    }
    /// Bits of `dcl_globalFlags`, by their place in the token.
    GlobalFlag {
        11 RefactoringAllowed "refactoringAllowed";
        12 DoublePrecision "enableDoublePrecisionFloatOps";
        13 EarlyDepthStencil "forceEarlyDepthStencil";
        14 RawAndStructuredBuffers "enableRawAndStructuredBuffers";
        15 SkipOptimization "skipOptimization";
        16 MinimumPrecision "enableMinimumPrecision";
        17 DoubleExtensions11 "enable11_1DoubleExtensions";
        18 ShaderExtensions11 "enable11_1ShaderExtensions";
        19 AllResourcesBound "allResourcesBound";
    }
    /// The type of a signature's element.
    ComponentType {
        0 Unknown "unknown";
        1 Uint "uint";
        2 Int "int";
        3 Float "float";
        4 Uint16 "uint16";
        5 Int16 "int16";
        6 Float16 "float16";
        7 Uint64 "uint64";
        8 Int64 "int64";
        9 Float64 "double";
    }
}

macro_rules! system_names {
    ($($token:literal $variant:ident $text:literal $signature:literal $short:literal [$($index:literal)?];)*) => {
        /// A system value: its number and name in tokens, and how signatures say it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SystemName {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl SystemName {
            /// Every one, by its number in tokens.
            pub const ALL: &'static [SystemName] = &[$(SystemName::$variant,)*];

            /// The name in listings.
            pub fn name(self) -> &'static str {
                match self {
                    $(SystemName::$variant => $text,)*
                }
            }
            /// The number in tokens.
            pub fn token(self) -> u32 {
                match self {
                    $(SystemName::$variant => $token,)*
                }
            }
            /// The number in signatures.
            pub fn signature(self) -> u32 {
                match self {
                    $(SystemName::$variant => $signature,)*
                }
            }
            /// The name in the signature tables of listings.
            pub fn short(self) -> &'static str {
                match self {
                    $(SystemName::$variant => $short,)*
                }
            }
            /// The semantic index, where the signature's number stands for several tokens.
            fn index(self) -> Option<u32> {
                match self {
                    $(SystemName::$variant => None$(.or(Some($index)))?,)*
                }
            }
        }
    };
}

system_names! {
    // token name signature short [semantic index]
    1  Position              "position"                        1 "POS" [];
    2  ClipDistance          "clip_distance"                   2 "CLIPDST" [];
    3  CullDistance          "cull_distance"                   3 "CULLDST" [];
    4  RenderTargetArrayIndex "rendertarget_array_index"       4 "RTINDEX" [];
    5  ViewportArrayIndex    "viewport_array_index"            5 "VPINDEX" [];
    6  VertexId              "vertex_id"                       6 "VERTID" [];
    7  PrimitiveId           "primitive_id"                    7 "PRIMID" [];
    8  InstanceId            "instance_id"                     8 "INSTID" [];
    9  IsFrontFace           "is_front_face"                   9 "FFACE" [];
    10 SampleIndex           "sampleIndex"                     10 "SAMPLE" [];
    11 QuadUeq0Edge          "finalQuadUeq0EdgeTessFactor"     11 "QUADEDGE" [0];
    12 QuadVeq0Edge          "finalQuadVeq0EdgeTessFactor"     11 "QUADEDGE" [1];
    13 QuadUeq1Edge          "finalQuadUeq1EdgeTessFactor"     11 "QUADEDGE" [2];
    14 QuadVeq1Edge          "finalQuadVeq1EdgeTessFactor"     11 "QUADEDGE" [3];
    15 QuadUInside           "finalQuadUInsideTessFactor"      12 "QUADINT" [0];
    16 QuadVInside           "finalQuadVInsideTessFactor"      12 "QUADINT" [1];
    17 TriUeq0Edge           "finalTriUeq0EdgeTessFactor"      13 "TRIEDGE" [0];
    18 TriVeq0Edge           "finalTriVeq0EdgeTessFactor"      13 "TRIEDGE" [1];
    19 TriWeq0Edge           "finalTriWeq0EdgeTessFactor"      13 "TRIEDGE" [2];
    20 TriInside             "finalTriInsideTessFactor"        14 "TRIINT" [];
    21 LineDetail            "finalLineDetailTessFactor"       15 "LINEDET" [];
    22 LineDensity           "finalLineDensityTessFactor"      16 "LINEDEN" [];
}

impl SystemName {
    /// The one of a number in tokens.
    pub fn from_token(token: u32) -> Option<SystemName> {
        SystemName::ALL
            .iter()
            .copied()
            .find(|name| name.token() == token)
    }
    /// The one of a name in listings.
    pub fn from_name(name: &str) -> Option<SystemName> {
        SystemName::ALL
            .iter()
            .copied()
            .find(|known| known.name() == name)
    }
    /// The one of a signature's element: system value and semantic index.
    pub fn from_signature(value: u32, index: u32) -> Option<SystemName> {
        let mut here = SystemName::ALL
            .iter()
            .copied()
            .filter(|name| name.signature() == value);
        here.find(|name| name.index().is_none_or(|own| own == index))
    }
    /// Is it a tessellation factor?
    pub fn is_factor(self) -> bool {
        self >= SystemName::QuadUeq0Edge
    }
}

impl Domain {
    /// The factors of its edges, in the order of consecutive registers (hs-5-0.md, R22). Those of an isoline run against
    /// the semantic index's order: `SV_TessFactor[0]` is the density.
    pub fn edges(self) -> &'static [SystemName] {
        use SystemName::*;
        match self {
            Domain::Isoline => &[LineDensity, LineDetail],
            Domain::Tri => &[TriUeq0Edge, TriVeq0Edge, TriWeq0Edge],
            Domain::Quad => &[QuadUeq0Edge, QuadVeq0Edge, QuadUeq1Edge, QuadVeq1Edge],
        }
    }
    /// The factors of its inside, likewise.
    pub fn insides(self) -> &'static [SystemName] {
        use SystemName::*;
        match self {
            Domain::Isoline => &[],
            Domain::Tri => &[TriInside],
            Domain::Quad => &[QuadUInside, QuadVInside],
        }
    }
    /// All its factors, edges first.
    pub fn factors(self) -> impl Iterator<Item = SystemName> {
        self.edges().iter().chain(self.insides()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_and_tokens_name_the_same() {
        // hs-5-0.md, 1.4.
        for (value, index, token) in [
            (0, 0, None),
            (1, 3, Some(1)),
            (11, 3, Some(14)),
            (11, 4, None),
            (12, 1, Some(16)),
        ]
        .into_iter()
        .chain([
            (13, 2, Some(19)),
            (14, 0, Some(20)),
            (15, 1, Some(21)),
            (16, 0, Some(22)),
        ]) {
            let found = SystemName::from_signature(value, index).map(SystemName::token);
            assert_eq!(found, token, "{value} {index}");
        }
    }
}

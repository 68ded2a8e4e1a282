//! Codes in tokens and their names in listings ([hs50.declaration.shapes] [hs50.flags.bits] [hs50.signature.names]).

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $code:literal $variant:ident $text:literal;)* })*) => {$(
        agal_core::table! {
            $(#[$doc])*
            pub enum $name {
                /// Returns the enum value's code in tokens.
                code: u32 => from_code(u32),
                /// Returns the enum value's name in listings.
                name: &'static str => from_name(&str),
            }
            $($(#[$attribute])* $variant $code, $text;)*
        }

        impl $name {
            /// All codes with their names.
            pub const NAMES: &'static [(u32, &'static str)] = &[$(($code, $text),)*];
        }
    )*};
}

codes! {
    /// The program type (shader stage), from the version token.
    ProgramKind {
        0 Pixel "ps";
        1 Vertex "vs";
        2 Geometry "gs";
        3 Hull "hs";
        4 Domain "ds";
        5 Compute "cs";
    }
    /// The tessellator domain.
    #[derive(Default)]
    Domain {
        1 Isoline "domain_isoline";
        #[default]
        2 Tri "domain_tri";
        3 Quad "domain_quad";
    }
    /// The partitioning, which defines how tessellation factors become segments.
    #[derive(Default)]
    Partitioning {
        #[default]
        1 Integer "partitioning_integer";
        2 Pow2 "partitioning_pow2";
        3 FractionalOdd "partitioning_fractional_odd";
        4 FractionalEven "partitioning_fractional_even";
    }
    /// The primitive type that the tessellator outputs.
    #[derive(Default)]
    OutputPrimitive {
        #[default]
        1 Point "output_point";
        2 Line "output_line";
        3 TriangleCw "output_triangle_cw";
        4 TriangleCcw "output_triangle_ccw";
    }
    /// The dimension of a resource.
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
    /// The component type that reads of a resource return.
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
    /// The mode of a sampler: default, comparison or mono.
    SamplerMode {
        0 Default "mode_default";
        1 Comparison "mode_comparison";
        2 Mono "mode_mono";
    }
    /// The interpolation mode of a pixel shader input.
    Interpolation {
        1 Constant "constant";
        2 Linear "linear";
        3 LinearCentroid "linear centroid";
        4 LinearNoPerspective "linear noperspective";
        5 LinearNoPerspectiveCentroid "linear noperspective centroid";
        6 LinearSample "linear sample";
        7 LinearNoPerspectiveSample "linear noperspective sample";
    }
    /// A flag of `dcl_globalFlags`; its code is the bit position in the token.
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
    /// The component type of a signature element.
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

agal_core::table! {
    /// A system value, with its codes and names in tokens and in signatures.
    pub enum SystemName {
        /// Returns the system value's code in tokens.
        token: u32 => from_token(u32),
        /// Returns the name in declarations, such as `position`.
        name: &'static str => from_name(&str),
        /// Returns the system value's code in signatures.
        signature: u32,
        /// Returns the name in the signature tables of listings.
        short: &'static str,
        /// Returns the semantic index, if several tokens share a signature code.
        index: Option<u32>,
    }
    Position 1, "position", 1, "POS", None;
    ClipDistance 2, "clip_distance", 2, "CLIPDST", None;
    CullDistance 3, "cull_distance", 3, "CULLDST", None;
    RenderTargetArrayIndex 4, "rendertarget_array_index", 4, "RTINDEX", None;
    ViewportArrayIndex 5, "viewport_array_index", 5, "VPINDEX", None;
    VertexId 6, "vertex_id", 6, "VERTID", None;
    PrimitiveId 7, "primitive_id", 7, "PRIMID", None;
    InstanceId 8, "instance_id", 8, "INSTID", None;
    IsFrontFace 9, "is_front_face", 9, "FFACE", None;
    SampleIndex 10, "sampleIndex", 10, "SAMPLE", None;
    QuadUeq0Edge 11, "finalQuadUeq0EdgeTessFactor", 11, "QUADEDGE", Some(0);
    QuadVeq0Edge 12, "finalQuadVeq0EdgeTessFactor", 11, "QUADEDGE", Some(1);
    QuadUeq1Edge 13, "finalQuadUeq1EdgeTessFactor", 11, "QUADEDGE", Some(2);
    QuadVeq1Edge 14, "finalQuadVeq1EdgeTessFactor", 11, "QUADEDGE", Some(3);
    QuadUInside 15, "finalQuadUInsideTessFactor", 12, "QUADINT", Some(0);
    QuadVInside 16, "finalQuadVInsideTessFactor", 12, "QUADINT", Some(1);
    TriUeq0Edge 17, "finalTriUeq0EdgeTessFactor", 13, "TRIEDGE", Some(0);
    TriVeq0Edge 18, "finalTriVeq0EdgeTessFactor", 13, "TRIEDGE", Some(1);
    TriWeq0Edge 19, "finalTriWeq0EdgeTessFactor", 13, "TRIEDGE", Some(2);
    TriInside 20, "finalTriInsideTessFactor", 14, "TRIINT", None;
    LineDetail 21, "finalLineDetailTessFactor", 15, "LINEDET", None;
    LineDensity 22, "finalLineDensityTessFactor", 16, "LINEDEN", None;
}

impl SystemName {
    /// Returns the system value of a signature element, given its code and semantic index.
    pub fn from_signature(value: u32, index: u32) -> Option<SystemName> {
        let names = SystemName::ALL.iter().copied();
        let mut here = names.filter(|name| name.signature() == value);
        here.find(|name| name.index().is_none_or(|own| own == index))
    }
    /// Returns whether the system value is a tessellation factor.
    pub fn is_factor(self) -> bool {
        self >= SystemName::QuadUeq0Edge
    }
}

impl Domain {
    /// Returns the edge factors in register order ([hs50.rule.r22]). For isolines, register order differs from semantic
    /// indices: `SV_TessFactor[0]` is the density.
    pub fn edges(self) -> &'static [SystemName] {
        use SystemName::*;
        match self {
            Domain::Isoline => &[LineDensity, LineDetail],
            Domain::Tri => &[TriUeq0Edge, TriVeq0Edge, TriWeq0Edge],
            Domain::Quad => &[QuadUeq0Edge, QuadVeq0Edge, QuadUeq1Edge, QuadVeq1Edge],
        }
    }
    /// Returns the inside factors, in the order of their semantic indices.
    pub fn insides(self) -> &'static [SystemName] {
        use SystemName::*;
        match self {
            Domain::Isoline => &[],
            Domain::Tri => &[TriInside],
            Domain::Quad => &[QuadUInside, QuadVInside],
        }
    }
    /// Returns all tessellation factors: the edge factors, then the inside factors.
    pub fn factors(self) -> impl Iterator<Item = SystemName> {
        self.edges().iter().chain(self.insides()).copied()
    }
}

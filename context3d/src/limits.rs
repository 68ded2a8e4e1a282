//! The table of the API's limits: a row per limit, a column per profile. The crate `agal` has AGAL's limits.
//!
//! The source is `REFERENCE-textures.md`, "Profiles": [context3d.limit.memory] [context3d.profile.texture_2d] and
//! others.

use agal::register::RegisterFile;
use agal::{Profile, Stage};

use crate::backend::BackendCaps;

/// Bytes in a megabyte.
const MB: u64 = 1 << 20;

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty = [$bc:expr, $b:expr, $be:expr, $sc:expr, $s:expr, $se:expr, $e:expr];)+) => {
        /// The limits of a profile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct ProfileLimits {
            $($(#[$doc])* pub $name: $type),+
        }

        impl ProfileLimits {
            /// Returns the name and value of every limit; a Boolean becomes 1 or 0.
            pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
                let amount = |value: i64| u64::try_from(value).unwrap_or(u64::MAX);
                [$((stringify!($name), amount(self.$name as i64))),+].into_iter()
            }

            /// Returns the limits of a profile.
            pub fn of(profile: Profile) -> &'static ProfileLimits {
                const COLUMNS: [ProfileLimits; Profile::ALL.len()] = [
                    ProfileLimits { $($name: $bc),+ },
                    ProfileLimits { $($name: $b),+ },
                    ProfileLimits { $($name: $be),+ },
                    ProfileLimits { $($name: $sc),+ },
                    ProfileLimits { $($name: $s),+ },
                    ProfileLimits { $($name: $se),+ },
                    ProfileLimits { $($name: $e),+ },
                ];
                &COLUMNS[profile as usize] // the columns are in the order of profiles
            }
        }
    };
}

// Only Adobe's article on profiles has limits of `enhanced`, and not all of them [context3d.profile.enhanced].
limits! {
    // Order: baselineConstrained, baseline, baselineExtended, standardConstrained, standard, standardExtended, enhanced
    /// Maximum width and height of a `Texture`.
    max_texture_2d: u32           = [2048,   2048,  4096,  4096,  4096,  4096,  4096];
    /// Maximum width and height of a `RectangleTexture`; 0 if unavailable.
    max_texture_rectangle: u32    = [0,      2048,  4096,  4096,  4096,  4096,  4096];
    /// Maximum width of a `CubeTexture`.
    max_texture_cube: u32         = [1024,   1024,  1024,  1024,  1024,  1024,  1024];
    /// Supports `rgbaHalfFloat` textures.
    half_float_textures: bool     = [false,  false, false, true,  true,  true,  true];
    /// Supports `drawTrianglesInstanced`.
    instanced_drawing: bool       = [false,  false, false, false, false, true,  true];
    /// Maximum number of contexts at the same time.
    simultaneous_contexts: usize  = [1,      4,     4,     4,     4,     4,     4];
    /// `requestContext3D("software")` can be granted.
    software_renderer: bool       = [true,   true,  false, false, false, false, false];
    /// Maximum memory of 2D and rectangle textures, in bytes.
    texture_memory: u64           = [512*MB, 512*MB, 512*MB, 512*MB, 512*MB, 2048*MB, 2048*MB];
    /// Maximum memory of cube textures, in bytes.
    cube_memory: u64              = [256*MB, 256*MB, 256*MB, 256*MB, 256*MB, 256*MB, 256*MB];
    /// Maximum memory of vertex buffers, in bytes.
    vertex_buffer_memory: u64     = [256*MB, 256*MB, 256*MB, 256*MB, 256*MB, 256*MB, 256*MB];
    /// Maximum memory of index buffers, in bytes.
    index_buffer_memory: u64      = [128*MB, 128*MB, 128*MB, 128*MB, 128*MB, 128*MB, 128*MB];
    /// Maximum memory of programs, in bytes of AGAL.
    program_memory: u64           = [16*MB,  16*MB, 16*MB, 16*MB, 16*MB, 16*MB, 16*MB];
    /// Maximum number of objects of each class.
    resources_per_kind: usize     = [4096,   4096,  4096,  4096,  4096,  4096,  4096];
    /// Maximum number of video textures.
    video_textures: usize         = [4,      4,     4,     4,     4,     4,     4];
    /// Maximum number of `drawTriangles` calls between two `present`s.
    draws_per_present: u32        = [32768,  32768, 32768, 32768, 32768, 32768, 32768];
    /// Maximum number of 32-bit values per vertex.
    data32_per_vertex: i32        = [64,     64,    64,    64,    64,    64,    64];
    /// Maximum vertex count of a buffer. The reference gives 65535 as the limit, but error 3670 only above 65536
    /// [context3d.limit.vertices].
    vertices_per_buffer: i32      = [65536,  65536, 65536, 65536, 65536, 65536, 65536];
    /// Maximum index count of a buffer. A buffer of 0xF0000 or more indices is an error.
    indices_per_buffer: i32       = [983039, 983039, 983039, 983039, 983039, 983039, 983039];
    /// Minimum width and height of the back buffer.
    min_back_buffer: u32          = [32,     32,    32,    32,    32,    32,    32];
    /// Maximum width and height of the software renderer's back buffer [context3d.back_buffer.software].
    max_back_buffer_software: u32 = [2048,   2048,  2048,  2048,  2048,  2048,  2048];
}

/// Returns the first limit of a profile that the device doesn't support, with the values of profile and device. Back
/// buffer sizes are not limits of profiles.
pub(crate) fn shortage(caps: &BackendCaps, profile: Profile) -> Option<(&'static str, u32, u32)> {
    let (limits, registers) = (ProfileLimits::of(profile), RegisterCounts::of(profile));
    let texture = limits.max_texture_2d.max(limits.max_texture_rectangle);
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let all = [
        ("texels a side of a 2D texture", texture, caps.max_texture_size),
        ("pixels a side of a render target", texture, caps.max_target_size),
        ("texels a side of a cube texture", limits.max_texture_cube, caps.max_cube_size),
        ("vertex streams", count(registers.attributes), caps.max_streams.into()),
        ("samplers", count(registers.samplers), caps.max_samplers.into()),
        ("colour outputs", count(registers.color_outputs), caps.max_color_outputs.into()),
    ];
    all.into_iter().find(|(_, needed, has)| needed > has)
}

/// Register counts of a profile: those of its newest AGAL version, from `agal`'s register table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterCounts {
    /// Number of vertex streams `va`.
    pub attributes: usize,
    /// Number of vertex constants `vc`.
    pub vertex_constants: usize,
    /// Number of fragment constants `fc`.
    pub fragment_constants: usize,
    /// Number of fragment samplers `fs`.
    pub samplers: usize,
    /// Number of colour outputs.
    pub color_outputs: usize,
}

impl RegisterCounts {
    /// Returns the register counts of a profile.
    pub fn of(profile: Profile) -> RegisterCounts {
        let count = |file: RegisterFile, stage| {
            let count = file.count(stage, profile.max_version(), profile);
            usize::from(count.unwrap_or(0))
        };
        RegisterCounts {
            attributes: count(RegisterFile::Attribute, Stage::Vertex),
            vertex_constants: count(RegisterFile::Constant, Stage::Vertex),
            fragment_constants: count(RegisterFile::Constant, Stage::Fragment),
            samplers: count(RegisterFile::Sampler, Stage::Fragment),
            color_outputs: count(RegisterFile::Output, Stage::Fragment),
        }
    }
}

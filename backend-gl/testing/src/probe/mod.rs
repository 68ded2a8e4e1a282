//! Runs AGAL programs on the driver, one stage at a time, with exact floats as inputs and outputs. Tests compare the
//! results of programs, not images. Use it to compare the emitted GLSL with another implementation of AGAL, and to
//! measure drivers.
//!
//! * **Vertex programs** run once per vertex and instance, through transform feedback. The results are the position as
//!   the program wrote it ([`ClipDepth::AsWritten`](context3d::agal::glsl::ClipDepth::AsWritten)) and every varying
//!   that the fragment program reads.
//! * **Fragment programs** run once per pixel, into float render targets, in one of two modes: [`Varyings::Flat`] gives
//!   each pixel its own varyings, bit for bit, without neighbours (derivatives are 0); [`Varyings::Linear`]
//!   interpolates them over a grid of whole 2×2 quads, for `ddx`, `ddy` and the level of detail.
//! * **Tessellation**: the caller's own vertex, control and evaluation shaders, also through transform feedback, on
//!   drivers with OpenGL 4.0 or OpenGL ES 3.2. [`hull`] runs Direct3D 11 hull shaders with it and compares the results
//!   with their interpreter.
//!
//! A program is compiled once and can be run any number of times. A run costs one upload, one draw (plus a small one
//! each for `kil` and `od`) and one wait for the GPU. Compilation takes most of the time: Mesa's softpipe, an
//! interpreter, takes about fifty times as many programs per second as llvmpipe, which compiles them to machine code.
//! Mesa selects it with `GALLIUM_DRIVER=softpipe`; `MESA_SHADER_CACHE_DISABLE=true` keeps programs that are used once
//! out of the disk cache. Set both before the first context is opened. The example `precision` prints a driver's
//! results for edge cases and its errors.
//!
//! ```
//! use molehill_testing::probe::{Flavor, FragmentRun, Interpolation, ShaderRunner, Varyings};
//! use context3d::agal::{Rules, Stage, asm, glsl::Dialect, link, validate};
//!
//! let vertex = asm::assemble("mov op, va0\nmov v0, va0", Stage::Vertex, 1)?;
//! let fragment = asm::assemble("mul oc, v0, fc0", Stage::Fragment, 1)?;
//! let pair = link(
//!     validate(vertex, Stage::Vertex, &Rules::NEWEST)?,
//!     validate(fragment, Stage::Fragment, &Rules::NEWEST)?,
//! )?;
//!
//! let mut probe = ShaderRunner::open(Flavor::Core)?;
//! let program = probe.fragment_program(&pair, Dialect::Glsl330, Interpolation::Flat)?;
//! let run = FragmentRun {
//!     varyings: Varyings::Flat { pixels: 2, registers: &[&[[1.0, 2.0, 3.0, 4.0], [-0.0, 0.5, 1e30, 7.0]]] },
//!     constants: &[[2.0, 2.0, 1e30, 1.0]],
//!     textures: &[],
//! };
//! let results = probe.run_fragment(&program, &run)?;
//! assert_eq!(results.color(0), Some(&[[2.0, 4.0, 3.0 * 1e30, 4.0], [-0.0, 1.0, f32::INFINITY, 7.0]][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dialect;
mod error;
mod fragment;
mod gl;
mod grid;
pub mod hull;
mod program;
pub mod tessellation;
pub mod texture;
mod vertex;

use std::collections::HashMap;
use std::rc::Rc;

use backend_gl::glow;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use backend_gl::workarounds::DriverInfo;
use context3d::agal::glsl::Dialect;
use context3d::backend::BackendError;
use context3d::packets::SamplerState;

pub use error::ShaderRunError;
pub use fragment::{FragmentRun, LinearVarying, Varyings};
use gl::{ProbeGl, ProbeHandle};
pub use grid::FragmentResults;
pub use program::{FragmentProgram, Interpolation, VertexProgram};
pub use vertex::{VertexResults, VertexRun};

/// Maximum of vertices times instances, or of pixels, in one run.
pub const MAX_INVOCATIONS: usize = 1 << 16;

macro_rules! flavors {
    ($($(#[$doc:meta])* $name:ident $text:literal: $api:ident, compatibility: $compatibility:literal,
        [$($dialect:ident),+];)+) => {
        /// A type of context, with the GLSL dialects that it compiles.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Flavor {$($(#[$doc])* $name,)+}

        impl Flavor {
            pub const ALL: &'static [Flavor] = &[$(Flavor::$name,)+];

            pub fn dialects(self) -> &'static [Dialect] {
                match self {
                    $(Flavor::$name => &[$(Dialect::$dialect),+],)+
                }
            }

            pub fn of(dialect: Dialect) -> Flavor {
                match dialect {
                    $($(Dialect::$dialect)|+ => Flavor::$name,)+
                }
            }

            fn options(self) -> OffscreenOptions {
                let (api, compatibility) = match self {
                    $(Flavor::$name => (Api::$api, $compatibility),)+
                };
                let mut options = OffscreenOptions::new(api);
                options.compatibility = compatibility;
                options
            }
        }

        impl std::fmt::Display for Flavor {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Flavor::$name => $text,)+
                })
            }
        }
    };
}

flavors! {
    /// OpenGL 3.3 or newer, core profile.
    Core "OpenGL core": OpenGl, compatibility: false, [Glsl330, Glsl150, Glsl400];
    /// OpenGL 3.3 or newer, compatibility profile: for GLSL 1.20 (OpenGL 2.1).
    Compatibility "OpenGL compatibility": OpenGl, compatibility: true, [Glsl120];
    /// OpenGL ES 3.0 or newer, which also compiles the GLSL of OpenGL ES 2.0.
    Es "OpenGL ES": Gles, compatibility: false, [Glsl300Es, Glsl100Es, Glsl320Es];
}

/// A GL context that runs AGAL programs. The context must stay on its thread, where several contexts may alternate.
pub struct ShaderRunner {
    flavor: Flavor,
    gl: Rc<ProbeGl>,
    driver: DriverInfo,
    samplers: HashMap<SamplerState, ProbeHandle<glow::Sampler>>,
    shaders: program::ShaderPair,
    grid: grid::ProbeGrid,
    /// The vertex buffer: attributes, interleaved by vertex.
    input: ProbeHandle<glow::Buffer>,
    /// The transform feedback buffer.
    output: ProbeHandle<glow::Buffer>,
    staging: Vec<[f32; 4]>,
    /// The only vertex array object; always bound.
    vertex_array: ProbeHandle<glow::VertexArray>,
}

impl std::fmt::Debug for ShaderRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probe")
            .field("flavor", &self.flavor)
            .field("version", &self.driver.version)
            .field("renderer", &self.driver.renderer)
            .finish_non_exhaustive()
    }
}

impl ShaderRunner {
    pub fn open(flavor: Flavor) -> Result<Self, ShaderRunError> {
        let offscreen = Offscreen::open_with(&flavor.options())?;
        let gl = Rc::new(ProbeGl::new(offscreen)?);
        gl.enter()?;
        let (version, es) = gl.version();
        if es && version < (3, 2) && !gl.has_extension(FLOAT_TARGETS) {
            return Err(ShaderRunError::Missing(FLOAT_TARGETS));
        }
        Ok(Self {
            flavor,
            driver: gl.device().driver()?,
            samplers: HashMap::new(),
            shaders: program::ShaderPair::default(),
            grid: grid::ProbeGrid::create(&gl)?,
            input: gl.create_buffer()?,
            output: gl.create_buffer()?,
            staging: Vec::new(),
            vertex_array: gl.create_vertex_array()?,
            gl,
        })
    }

    pub fn flavor(&self) -> Flavor {
        self.flavor
    }

    pub fn renderer(&self) -> &str {
        &self.driver.renderer
    }

    /// Makes the context current on this thread, with GL's default state, because another device may share the context.
    fn ready(&mut self) -> Result<(), BackendError> {
        self.gl.enter()?;
        self.gl.bind_vertex_array(Some(self.vertex_array.name()));
        Ok(())
    }

    /// Returns the GL name of a caller's object, or an error for an object of another context.
    fn name<T: Copy>(&self, handle: &ProbeHandle<T>) -> Result<T, ShaderRunError> {
        if handle.is_of(&self.gl) {
            Ok(handle.name())
        } else {
            Err(ShaderRunError::Input("the object was created by another probe".to_owned()))
        }
    }

    fn accepts(&self, dialect: Dialect) -> Result<(), ShaderRunError> {
        if self.flavor.dialects().contains(&dialect) {
            Ok(())
        } else {
            Err(ShaderRunError::Dialect(self.flavor, dialect))
        }
    }
}

/// The extension with renderable RGBA32F for OpenGL ES before 3.2.
const FLOAT_TARGETS: &str = "GL_EXT_color_buffer_float";

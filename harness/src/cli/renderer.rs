//! Selects the renderer: OpenGL, or the reference renderer if there is no OpenGL.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use backend_gl::GlDevice;
use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use context3d::backend::{AnyBackend, BackendError, BackendFactory};

use super::{choice, named, output};
use molehill_conform::device::{RendererOptions, Shaders};
use molehill_reference::ReferenceFactory;

/// The options of every command that draws.
#[derive(clap::Args)]
pub(super) struct RendererArguments {
    #[command(flatten)]
    gl: GlArguments,
    /// gl, reference (a renderer on the CPU), or auto: OpenGL if it can be opened, else reference
    #[arg(long = "backend", value_name = "WHICH", default_value = "auto", value_parser = choice(RendererKind::NAMES))]
    pub(super) kind: RendererKind,
    /// Threads of the reference renderer [default: one per core]; the pictures don't depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Samples per pixel of the reference renderer for any antialiasing [default: the requested number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    samples: Option<u8>,
    /// Render with OpenGL ES 3 instead of OpenGL
    #[arg(long)]
    pub(super) gles: bool,
    /// Decode the blocks of ATF textures on the CPU, as if the driver supported none
    #[arg(long)]
    no_blocks: bool,
}

/// The options of OpenGL, which `conform` has too.
#[derive(clap::Args)]
pub(super) struct GlArguments {
    /// Path from AGAL to GLSL: agal (direct) or d3d9 (through Direct3D 9 tokens)
    #[arg(long, value_name = "WAY", default_value = "agal", value_parser = named(Shaders::ALL, Shaders::name))]
    pub(super) shaders: Shaders,
    #[command(flatten)]
    pub(super) workarounds: WorkaroundArguments,
}

#[derive(clap::Args)]
pub(super) struct WorkaroundArguments {
    /// Force a workaround on or off; repeatable; an unknown name lists all
    #[arg(long, value_name = "NAME=on|off", value_parser = |text: &str| text.parse::<Workarounds>())]
    workaround: Vec<Workarounds>,
}

impl WorkaroundArguments {
    pub(super) fn forced(&self) -> Workarounds {
        self.workaround.iter().fold(Workarounds::default(), |forced, later| forced.with(*later))
    }
}

impl RendererArguments {
    pub(super) fn options(&self) -> RendererOptions {
        RendererOptions {
            shaders: self.gl.shaders,
            workarounds: self.gl.workarounds.forced(),
            threads: self.threads,
            samples: self.samples,
            no_blocks: self.no_blocks,
        }
    }

    /// A factory of the selected renderer.
    pub(super) fn factory(&self) -> RendererFactory {
        let api = if self.gles { Api::Gles } else { Api::OpenGl };
        let options = self.options();
        let gl = offscreen::Options {
            device: options.gl(),
            exclusive: true,
            ..offscreen::Options::new(api)
        };
        RendererFactory {
            is_gl: match self.kind {
                RendererKind::OpenGl => Some(true),
                RendererKind::Reference => Some(false),
                RendererKind::Auto => None,
            },
            gl: GlFactory::new(gl),
            devices: Devices::default(),
            reference: ReferenceFactory(options.reference()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RendererKind {
    /// OpenGL, or an error if it can't be opened.
    OpenGl,
    Reference,
    /// OpenGL if it can be opened, else the reference renderer, with a message.
    Auto,
}

impl RendererKind {
    const NAMES: [(RendererKind, &str); 3] = [
        (RendererKind::OpenGl, "gl"),
        (RendererKind::Reference, "reference"),
        (RendererKind::Auto, "auto"),
    ];
}

/// Backends of one renderer, which is selected when the first one is made.
#[derive(Debug)]
pub(super) struct RendererFactory {
    is_gl: Option<bool>,
    gl: GlFactory,
    /// The devices of OpenGL that were opened so far.
    pub(super) devices: Devices,
    reference: ReferenceFactory,
}

/// Shared by its clones.
pub(super) type Devices = Rc<RefCell<Vec<GlDevice>>>;

impl RendererFactory {
    /// The driver's name, after the first backend was made.
    pub(super) fn description(&self) -> Option<&str> {
        if self.is_gl? { self.gl.description() } else { Some("reference renderer") }
    }
}

impl BackendFactory for RendererFactory {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        if self.is_gl != Some(false) {
            match self.gl.create() {
                Ok(backend) => {
                    self.is_gl = Some(true);
                    self.devices.borrow_mut().push(backend.device().clone());
                    return Ok(Box::new(backend));
                }
                // OpenGL is already in use or was requested explicitly: there is no fallback.
                Err(error) if self.is_gl.is_some() => return Err(error),
                Err(error) => output::tell(&format!("{error}; using the reference renderer")),
            }
            self.is_gl = Some(false);
        }
        Ok(Box::new(self.reference.create()?))
    }
}

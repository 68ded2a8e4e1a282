//! The command-line options that select a renderer: OpenGL, wgpu or the reference renderer.

use std::cell::{OnceCell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use backend_gl::GlDevice;
use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use context3d::backend::{AnyBackend, BackendError, BackendFactory};

use super::{FloatArgument, RENDERER, choice, named, output};
use molehill_conform::device::{ConformDevice, RendererOptions, ShaderRoute};
use molehill_reference::ReferenceFactory;
use molehill_replay::evidence::Party;

#[derive(clap::Args)]
#[command(next_help_heading = RENDERER)]
pub(super) struct RendererArguments {
    #[command(flatten)]
    gl: GlArguments,
    #[command(flatten)]
    floats: FloatArgument,
    /// Renderer; auto is OpenGL, or the reference renderer (on the CPU) if OpenGL can't be opened
    #[arg(long = "backend", value_name = "WHICH", default_value = "auto", value_parser = choice(RendererKind::names()))]
    pub(super) kind: RendererKind,
    /// Threads of the reference renderer [default: one per core]; the images don't depend on it
    #[arg(long, value_name = "N", hide_short_help = true)]
    threads: Option<NonZeroUsize>,
    /// Override the reference renderer's sample count wherever antialiasing is requested
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u8).range(1..=16))]
    samples: Option<u8>,
    /// Render with OpenGL ES 3 instead of OpenGL
    #[arg(long)]
    pub(super) gles: bool,
    /// Decode compressed ATF blocks on the CPU, as if the driver supported no compressed format
    #[arg(long, hide_short_help = true)]
    no_blocks: bool,
    /// The renderer that was opened first, shared by all factories.
    #[arg(skip)]
    opened: Rc<OnceCell<Party>>,
}

/// The command-line options of OpenGL, shared with `molehill conform`.
#[derive(clap::Args)]
pub(super) struct GlArguments {
    /// Path from AGAL to GLSL: agal (direct) or d3d9 (through Direct3D 9 tokens)
    #[arg(long, value_name = "WAY", hide_short_help = true, default_value = "agal", value_parser = named(ShaderRoute::ALL, ShaderRoute::name))]
    pub(super) shaders: ShaderRoute,
    #[command(flatten)]
    pub(super) workarounds: WorkaroundArguments,
}

#[derive(clap::Args)]
pub(super) struct WorkaroundArguments {
    /// Force a workaround on or off; repeatable; an unknown name lists all
    #[arg(long, value_name = "NAME=on|off", hide_short_help = true, value_parser = |text: &str| text.parse::<Workarounds>())]
    workaround: Vec<Workarounds>,
}

impl WorkaroundArguments {
    pub(super) fn forced(&self) -> Workarounds {
        self.workaround.iter().fold(Workarounds::default(), |forced, later| forced.with(*later))
    }
}

impl RendererArguments {
    /// The ids of the renderer options, for clap's `conflicts_with_all`.
    pub(super) const OPTIONS: [&str; 8] =
        ["kind", "gles", "shaders", "float_rules", "workaround", "threads", "samples", "no_blocks"];

    pub(super) fn options(&self) -> RendererOptions {
        RendererOptions {
            shaders: self.gl.shaders,
            workarounds: self.gl.workarounds.forced(),
            threads: self.threads,
            samples: self.samples,
            no_blocks: self.no_blocks,
            float_rules: self.floats.rules(),
        }
    }

    pub(super) fn party(&self) -> Party {
        self.opened.get().cloned().unwrap_or_else(|| Party::drawn_by(""))
    }

    /// Returns the device that is tested: OpenGL for `auto`.
    pub(super) fn device(&self) -> ConformDevice {
        match self.kind {
            RendererKind::Is(ConformDevice::Gl) | RendererKind::Auto if self.gles => {
                ConformDevice::Gles
            }
            RendererKind::Is(device) => device,
            RendererKind::Auto => ConformDevice::Gl,
        }
    }

    /// Returns a factory of the tested device without a fallback, for comparison with the reference renderer.
    pub(super) fn driver(&self) -> RendererFactory {
        self.factory_of(RendererKind::Is(self.device()))
    }

    pub(super) fn factory(&self) -> RendererFactory {
        self.factory_of(self.kind)
    }

    pub(super) fn factory_of(&self, kind: RendererKind) -> RendererFactory {
        let api = if self.device() == ConformDevice::Gles { Api::Gles } else { Api::OpenGl };
        let options = self.options();
        let gl = offscreen::OffscreenOptions {
            device: options.gl(),
            exclusive: true,
            ..offscreen::OffscreenOptions::new(api)
        };
        RendererFactory {
            kind,
            opened: Rc::clone(&self.opened),
            gl: GlFactory::new(gl),
            devices: Devices::default(),
            reference: ReferenceFactory(options.reference()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RendererKind {
    /// The renderer of this device; if the device can't be opened, the command fails.
    Is(ConformDevice),
    /// OpenGL if available; otherwise the reference renderer, with a message.
    Auto,
}

impl RendererKind {
    pub(super) const REFERENCE: RendererKind = RendererKind::Is(ConformDevice::Reference);

    fn names() -> impl Iterator<Item = (RendererKind, &'static str)> {
        let drawing = ConformDevice::ALL.iter().filter(|device| device.draws());
        let named = drawing.map(|device| (RendererKind::Is(*device), device.name()));
        named.chain([(RendererKind::Auto, "auto")])
    }
}

/// Creates the backends of one renderer, which is chosen when the first backend is created.
#[derive(Debug)]
pub(super) struct RendererFactory {
    kind: RendererKind,
    opened: Rc<OnceCell<Party>>,
    gl: GlFactory,
    /// The OpenGL devices that were opened so far.
    pub(super) devices: Devices,
    reference: ReferenceFactory,
}

/// A list of OpenGL devices that all clones of a factory share.
pub(super) type Devices = Rc<RefCell<Vec<GlDevice>>>;

impl RendererFactory {
    /// Returns the name of the renderer's driver. Returns `None` before the first backend was created.
    pub(super) fn description(&self) -> Option<&str> {
        let opened = match self.kind {
            RendererKind::Is(device) => device.title(),
            RendererKind::Auto => Party::REFERENCE,
        };
        self.gl.description().or(self.opened.get().map(|_| opened))
    }

    fn opened(&self, backend: AnyBackend) -> AnyBackend {
        self.opened.get_or_init(|| Party::drawn_by(&backend.caps().driver_info));
        backend
    }
}

impl BackendFactory for RendererFactory {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let fell_back = self.opened.get().is_some_and(Party::is_reference);
        let gl = match self.kind {
            RendererKind::Auto => !fell_back,
            RendererKind::Is(ConformDevice::Gl | ConformDevice::Gles) => true,
            RendererKind::Is(ConformDevice::Reference) => false,
            RendererKind::Is(mut device @ (ConformDevice::Wgpu | ConformDevice::Null)) => {
                let backend = device.create()?;
                return Ok(self.opened(backend));
            }
        };
        if gl {
            match self.gl.create() {
                Ok(backend) => {
                    self.devices.borrow_mut().push(backend.device().clone());
                    return Ok(self.opened(Box::new(backend)));
                }
                // OpenGL is already in use or was requested explicitly, so don't fall back to the reference renderer.
                Err(error) if self.kind != RendererKind::Auto || self.opened.get().is_some() => {
                    return Err(error);
                }
                Err(error) => output::tell(&format!("{error}; using the reference renderer")),
            }
        }
        let backend = Box::new(self.reference.create()?);
        Ok(self.opened(backend))
    }
}

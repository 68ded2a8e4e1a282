//! Selects the renderer: OpenGL, or the reference renderer if there is no OpenGL.

use std::cell::{OnceCell, RefCell};
use std::num::NonZeroUsize;
use std::rc::Rc;

use backend_gl::GlDevice;
use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use context3d::backend::{AnyBackend, BackendError, BackendFactory};

use super::{FloatArgument, RENDERER, choice, named, output};
use molehill_conform::device::{Device, RendererOptions, Shaders};
use molehill_reference::ReferenceFactory;
use molehill_replay::evidence::Party;

/// The options of every command that draws.
#[derive(clap::Args)]
#[command(next_help_heading = RENDERER)]
pub(super) struct RendererArguments {
    #[command(flatten)]
    gl: GlArguments,
    #[command(flatten)]
    floats: FloatArgument,
    /// Who draws: OpenGL, or without it the reference renderer (auto); reference draws on the CPU
    #[arg(long = "backend", value_name = "WHICH", default_value = "auto", value_parser = choice(RendererKind::names()))]
    pub(super) kind: RendererKind,
    /// Threads of the reference renderer [default: one per core]; the pictures don't depend on it
    #[arg(long, value_name = "N", hide_short_help = true)]
    threads: Option<NonZeroUsize>,
    /// Samples per pixel of the reference renderer for any antialiasing [default: the requested number]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u8).range(1..=16))]
    samples: Option<u8>,
    /// Render with OpenGL ES 3 instead of OpenGL
    #[arg(long)]
    pub(super) gles: bool,
    /// Decode the blocks of ATF textures on the CPU, as if the driver supported none
    #[arg(long, hide_short_help = true)]
    no_blocks: bool,
    /// The renderer that was opened, for all factories.
    #[arg(skip)]
    opened: Rc<OnceCell<Party>>,
}

/// The options of OpenGL, which `conform` has too.
#[derive(clap::Args)]
pub(super) struct GlArguments {
    /// Path from AGAL to GLSL: agal (direct) or d3d9 (through Direct3D 9 tokens)
    #[arg(long, value_name = "WAY", hide_short_help = true, default_value = "agal", value_parser = named(Shaders::ALL, Shaders::name))]
    pub(super) shaders: Shaders,
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
    /// The ids of the options, for `conflicts_with_all`.
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

    /// Returns the renderer that has drawn.
    pub(super) fn party(&self) -> Party {
        self.opened.get().cloned().unwrap_or_else(|| Party::drawn_by(""))
    }

    /// Returns the device to test; with `auto`, OpenGL.
    pub(super) fn device(&self) -> Device {
        match self.kind {
            RendererKind::Is(Device::Gl) | RendererKind::Auto if self.gles => Device::Gles,
            RendererKind::Is(device) => device,
            RendererKind::Auto => Device::Gl,
        }
    }

    /// A factory of a driver, for a comparison with the reference renderer, to which there is no fallback.
    pub(super) fn driver(&self) -> RendererFactory {
        RendererFactory { kind: RendererKind::Is(self.device()), ..self.factory() }
    }

    /// A factory of the selected renderer.
    pub(super) fn factory(&self) -> RendererFactory {
        let api = if self.device() == Device::Gles { Api::Gles } else { Api::OpenGl };
        let options = self.options();
        let gl = offscreen::Options {
            device: options.gl(),
            exclusive: true,
            ..offscreen::Options::new(api)
        };
        RendererFactory {
            kind: self.kind,
            opened: Rc::clone(&self.opened),
            gl: GlFactory::new(gl),
            devices: Devices::default(),
            reference: ReferenceFactory(options.reference()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RendererKind {
    /// This one, or an error if it can't be opened.
    Is(Device),
    /// OpenGL if it can be opened, else the reference renderer, with a message.
    Auto,
}

impl RendererKind {
    pub(super) const REFERENCE: RendererKind = RendererKind::Is(Device::Reference);

    fn names() -> impl Iterator<Item = (RendererKind, &'static str)> {
        let drawing = Device::ALL.iter().filter(|device| device.draws());
        let named = drawing.map(|device| (RendererKind::Is(*device), device.name()));
        named.chain([(RendererKind::Auto, "auto")])
    }
}

/// Backends of one renderer, which is selected when the first one is made.
#[derive(Debug)]
pub(super) struct RendererFactory {
    kind: RendererKind,
    opened: Rc<OnceCell<Party>>,
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
            RendererKind::Is(Device::Gl | Device::Gles) => true,
            RendererKind::Is(Device::Reference) => false,
            RendererKind::Is(mut device @ (Device::Wgpu | Device::Null)) => {
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
                // OpenGL is already in use or was requested explicitly: there is no fallback.
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

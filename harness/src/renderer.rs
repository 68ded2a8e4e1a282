//! Which renderer draws: OpenGL, or the reference renderer where there is none.

use backend_gl::GlBackend;
use backend_gl::offscreen::{Api, Offscreen};
use context3d::packets::{Packet, TexelLayout};
use context3d::{Backend, BackendCaps, BackendError, Surface, TextureKey};

use crate::gl_host::GlFactory;
use crate::reference::{Options, ReferenceBackend, ReferenceFactory};
use crate::replay::BackendFactory;

/// A wish for a renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// OpenGL, and an error where it can't be opened.
    OpenGl,
    /// The reference renderer.
    Reference,
    /// OpenGL if it can be opened, else the reference renderer.
    #[default]
    Auto,
}

impl Wish {
    /// Every wish with its name on the command line.
    pub const NAMES: [(Wish, &'static str); 3] = [
        (Wish::OpenGl, "gl"),
        (Wish::Reference, "reference"),
        (Wish::Auto, "auto"),
    ];

    /// The wish that a name stands for.
    pub fn from_name(name: &str) -> Option<Wish> {
        let row = Wish::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(wish, _)| *wish)
    }
}

/// A renderer that has been decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renderer {
    /// OpenGL of some kind.
    OpenGl(Api),
    /// The reference renderer.
    Reference(Options),
}

impl Renderer {
    /// Decides. `told` hears in one line why OpenGL is not what draws, where that was left open.
    pub fn choose(wish: Wish, api: Api, options: Options, told: impl FnOnce(&str)) -> Renderer {
        match wish {
            Wish::OpenGl => Renderer::OpenGl(api),
            Wish::Reference => Renderer::Reference(options),
            Wish::Auto => match Offscreen::open(api) {
                Ok(_) => Renderer::OpenGl(api),
                Err(error) => {
                    told(&format!(
                        "{api} can't be opened ({error}): the reference renderer draws"
                    ));
                    Renderer::Reference(options)
                }
            },
        }
    }

    /// Makes backends of it.
    pub fn factory(self) -> RendererFactory {
        match self {
            Renderer::OpenGl(api) => RendererFactory::OpenGl(GlFactory::new(api)),
            Renderer::Reference(options) => RendererFactory::Reference(ReferenceFactory(options)),
        }
    }
}

/// Makes the backends of a [`Renderer`].
#[derive(Debug)]
pub enum RendererFactory {
    /// OpenGL.
    OpenGl(GlFactory),
    /// The reference renderer.
    Reference(ReferenceFactory),
}

impl RendererFactory {
    /// The same, of backends that take no blocks.
    #[must_use]
    pub fn without_blocks(self) -> Self {
        match self {
            RendererFactory::OpenGl(factory) => RendererFactory::OpenGl(factory.without_blocks()),
            RendererFactory::Reference(ReferenceFactory(options)) => {
                let options = Options {
                    blocks: false,
                    ..options
                };
                RendererFactory::Reference(ReferenceFactory(options))
            }
        }
    }

    /// The driver, once there was a backend.
    pub fn description(&self) -> Option<&str> {
        match self {
            RendererFactory::OpenGl(factory) => factory.description(),
            RendererFactory::Reference(_) => Some("reference renderer"),
        }
    }
}

impl BackendFactory for RendererFactory {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        Ok(match self {
            RendererFactory::OpenGl(factory) => AnyBackend::OpenGl(Box::new(factory.create()?)),
            RendererFactory::Reference(factory) => {
                AnyBackend::Reference(Box::new(factory.create()?))
            }
        })
    }
}

/// A backend of a [`Renderer`].
#[derive(Debug)]
pub enum AnyBackend {
    /// OpenGL.
    OpenGl(Box<GlBackend>),
    /// The reference renderer.
    Reference(Box<ReferenceBackend>),
}

impl Backend for AnyBackend {
    fn caps(&self) -> &BackendCaps {
        match self {
            AnyBackend::OpenGl(backend) => backend.caps(),
            AnyBackend::Reference(backend) => backend.caps(),
        }
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match self {
            AnyBackend::OpenGl(backend) => backend.execute(packet),
            AnyBackend::Reference(backend) => backend.execute(packet),
        }
    }

    fn read_pixels(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        match self {
            AnyBackend::OpenGl(backend) => backend.read_pixels(surface, out),
            AnyBackend::Reference(backend) => backend.read_pixels(surface, out),
        }
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        match self {
            AnyBackend::OpenGl(backend) => backend.read_texels(texture, side, out),
            AnyBackend::Reference(backend) => backend.read_texels(texture, side, out),
        }
    }
}

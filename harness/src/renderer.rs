//! Which renderer draws: OpenGL, or the reference renderer where there is none.

use std::cell::OnceCell;
use std::rc::Rc;

use backend_gl::offscreen::Api;
use context3d::BackendError;

use backend_gl::offscreen::GlFactory;
use context3d::{AnyBackend, BackendFactory};
use molehill_conform::Shaders;
use molehill_reference::{Options, ReferenceFactory};

/// Which renderer draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// OpenGL, and an error where it can't be opened.
    OpenGl,
    /// The reference renderer.
    Reference,
    /// OpenGL if it can be opened, else the reference renderer.
    #[default]
    Auto,
}

impl RendererKind {
    /// Every kind with its name on the command line.
    pub const NAMES: [(RendererKind, &'static str); 3] = [
        (RendererKind::OpenGl, "gl"),
        (RendererKind::Reference, "reference"),
        (RendererKind::Auto, "auto"),
    ];

    /// The kind that a name stands for.
    pub fn from_name(name: &str) -> Option<RendererKind> {
        let row = RendererKind::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(kind, _)| *kind)
    }
}

/// A renderer, decided on when the first backend is made, and once for all of them.
#[derive(Clone, Debug)]
pub struct Renderer {
    api: Api,
    options: Options,
    shaders: Shaders,
    told: fn(&str),
    /// OpenGL draws.
    decided: Rc<OnceCell<bool>>,
}

impl Renderer {
    /// The renderer of this kind, with this kind of OpenGL or with these options of the reference renderer; whether blocks are
    /// taken holds for both. `told` hears in one
    /// line why OpenGL is not what draws, where that was left open.
    pub fn new(kind: RendererKind, api: Api, options: Options, told: fn(&str)) -> Renderer {
        let decided = OnceCell::new();
        // The cell is empty.
        let _ = match kind {
            RendererKind::OpenGl => decided.set(true),
            RendererKind::Reference => decided.set(false),
            RendererKind::Auto => Ok(()),
        };
        Renderer {
            api,
            options,
            shaders: Shaders::default(),
            told,
            decided: Rc::new(decided),
        }
    }

    /// The same with another way from AGAL to GLSL, where OpenGL draws.
    #[must_use]
    pub fn with_shaders(self, shaders: Shaders) -> Renderer {
        Renderer { shaders, ..self }
    }

    /// OpenGL does not draw.
    fn fall_back(&self, why: &str) -> bool {
        (self.told)(&format!("{why}: the reference renderer draws instead"));
        false
    }

    /// Makes backends of it.
    pub fn factory(&self) -> RendererFactory {
        let gl = self.shaders.on(GlFactory::new(self.api));
        RendererFactory {
            renderer: self.clone(),
            gl: match self.options.blocks {
                true => gl,
                false => gl.without_blocks(),
            },
            reference: ReferenceFactory(self.options),
        }
    }
}

/// Makes the backends of a [`Renderer`].
#[derive(Debug)]
pub struct RendererFactory {
    renderer: Renderer,
    gl: GlFactory,
    reference: ReferenceFactory,
}

impl RendererFactory {
    /// The driver, once there was a backend.
    pub fn description(&self) -> Option<&str> {
        match self.renderer.decided.get()? {
            true => self.gl.description(),
            false => Some("reference renderer"),
        }
    }
}

impl BackendFactory for RendererFactory {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let renderer = &self.renderer;
        if renderer.decided.get() != Some(&false) {
            match self.gl.create() {
                Ok(backend) => {
                    renderer.decided.get_or_init(|| true);
                    return Ok(Box::new(backend));
                }
                // Where OpenGL draws already, or must, its failure is one.
                Err(error) if renderer.decided.get().is_some() => return Err(error),
                Err(error) => {
                    renderer
                        .decided
                        .get_or_init(|| renderer.fall_back(&error.to_string()));
                }
            }
        }
        Ok(Box::new(self.reference.create()?))
    }
}

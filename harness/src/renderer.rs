//! Selects the renderer: OpenGL, or the reference renderer if there is no OpenGL.

use std::cell::OnceCell;
use std::rc::Rc;

use backend_gl::offscreen::{self, GlFactory};
use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use molehill_reference::{Options, ReferenceFactory};

/// The kind of renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// OpenGL, or an error if it can't be opened.
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

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<RendererKind> {
        let row = RendererKind::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(kind, _)| *kind)
    }
}

/// A renderer that is selected when the first backend is made.
#[derive(Clone, Debug)]
pub struct Renderer {
    gl: offscreen::Options,
    options: Options,
    notify: fn(&str),
    /// Whether OpenGL is used.
    decided: Rc<OnceCell<bool>>,
}

impl Renderer {
    /// A renderer of this kind. With [`RendererKind::Auto`], `notify` gets one line with the reason if the reference
    /// renderer draws instead of OpenGL.
    pub fn new(
        kind: RendererKind,
        gl: offscreen::Options,
        options: Options,
        notify: fn(&str),
    ) -> Renderer {
        let decided = OnceCell::new();
        // The cell is empty, so this succeeds.
        let _ = match kind {
            RendererKind::OpenGl => decided.set(true),
            RendererKind::Reference => decided.set(false),
            RendererKind::Auto => Ok(()),
        };
        Renderer { gl, options, notify, decided: Rc::new(decided) }
    }

    /// Switches to the reference renderer.
    fn fall_back(&self, why: &str) -> bool {
        (self.notify)(&format!("{why}; using the reference renderer"));
        false
    }

    /// A factory of backends.
    pub fn factory(&self) -> RendererFactory {
        let gl = GlFactory::new(self.gl);
        RendererFactory { renderer: self.clone(), gl, reference: ReferenceFactory(self.options) }
    }
}

/// The backends of a [`Renderer`].
#[derive(Debug)]
pub struct RendererFactory {
    renderer: Renderer,
    gl: GlFactory,
    reference: ReferenceFactory,
}

impl RendererFactory {
    /// The driver's name, after the first backend was made.
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
                // OpenGL is already in use or was requested explicitly: there is no fallback.
                Err(error) if renderer.decided.get().is_some() => return Err(error),
                Err(error) => {
                    renderer.decided.get_or_init(|| renderer.fall_back(&error.to_string()));
                }
            }
        }
        Ok(Box::new(self.reference.create()?))
    }
}

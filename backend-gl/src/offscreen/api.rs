//! OpenGL and OpenGL ES.

use std::fmt;

/// OpenGL or OpenGL ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Api {
    /// Desktop OpenGL, core profile, 3.3 or newer.
    #[default]
    OpenGl,
    /// OpenGL ES 3.0 or newer; in browsers WebGL 2, which is based on it.
    Gles,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Api::OpenGl => "OpenGL",
            Api::Gles => "OpenGL ES",
        })
    }
}

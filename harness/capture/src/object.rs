//! Ids and classes of objects.

use std::fmt;

/// An object's id, unique in its capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u64);

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

macro_rules! kinds {
    ($($kind:ident),+) => {
        /// A class of ActionScript whose objects captures name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ObjectKind {
            $(#[doc = concat!("`", stringify!($kind), "`")] $kind),+
        }

        impl ObjectKind {
            /// Every class, `Stage3D` first.
            pub const ALL: [ObjectKind; [$(ObjectKind::$kind),+].len()] = [$(ObjectKind::$kind),+];

            /// Returns the name of the class in ActionScript.
            pub fn name(self) -> &'static str {
                match self {
                    $(ObjectKind::$kind => stringify!($kind)),+
                }
            }
        }
    };
}

kinds!(
    Stage3D,
    Context3D,
    VertexBuffer3D,
    IndexBuffer3D,
    Program3D,
    Texture,
    RectangleTexture,
    CubeTexture,
    VideoTexture
);

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

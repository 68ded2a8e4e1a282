//! The objects of a capture: ids, kinds, and the check that objects exist before they are used.

use std::fmt;

use super::call::Call;
use super::error::{CaptureErrorKind, Fault, KeyError};
use super::fields::Fields;
use super::ids::IdMap;
use super::index::{Creation, Index};
use super::json::Json;
use super::sink::Sink;
use super::value::{Accepts, Value, read_value};

/// `stage.stage3Ds` has four instances (context3d.md, section 1).
pub const STAGE3DS: u32 = 4;

/// Most objects of a capture, and most entries of an index; bounds memory to some hundred megabytes, because a small
/// compressed file can contain more.
pub(super) const MAX_OBJECTS: usize = 1 << 24;

/// An object's id, unique in its capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u64);

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Value for ObjectId {
    const EXPECTED: &'static str = "an object's id";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        u64::from_json(json).map(ObjectId).map_err(|fault| match *fault {
            KeyError::OutOfRange { .. } => KeyError::OutOfRange { expected: Self::EXPECTED }.into(),
            _ => Self::wrong_type(),
        })
    }

    #[inline(always)]
    fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
        match fields.natural() {
            Some(id) => Ok(ObjectId(id)),
            None => read_value(fields),
        }
    }

    fn write<S: Sink>(&self, out: &mut S) {
        self.0.write(out);
    }
}

macro_rules! kinds {
    ($($kind:ident),+) => {
        /// The ActionScript class of an object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ObjectKind {
            $(#[doc = concat!("`", stringify!($kind), "`")] $kind),+
        }

        impl ObjectKind {
            /// Every class.
            pub const ALL: [ObjectKind; [$(ObjectKind::$kind),+].len()] = [$(ObjectKind::$kind),+];

            /// ActionScript's name of the class.
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

/// One type per kind of object parameter. A capture that passes a texture as an index buffer is rejected:
/// ActionScript's types exclude it, so no player can have recorded it.
macro_rules! references {
    ($($name:ident($description:literal) = $($kind:ident)|+;)+) => {$(
        #[doc = concat!("A parameter that takes ", $description, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub ObjectId);

        impl Value for $name {
            const EXPECTED: &'static str = ObjectId::EXPECTED;

            fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
                ObjectId::from_json(json).map($name)
            }

            #[inline(always)]
            fn read_found(fields: &mut impl Fields) -> Result<Self, Fault> {
                ObjectId::read_found(fields).map($name)
            }

            fn write<S: Sink>(&self, out: &mut S) {
                self.0.write(out);
            }

            #[inline]
            fn references(&self, see: &mut impl FnMut(ObjectId, Accepts)) {
                see(self.0, ($description, |kind| matches!(kind, $(ObjectKind::$kind)|+)));
            }
        }
    )+};
}

references! {
    VertexBufferId("a VertexBuffer3D") = VertexBuffer3D;
    IndexBufferId("an IndexBuffer3D") = IndexBuffer3D;
    ProgramId("a Program3D") = Program3D;
    TextureId("a texture") = Texture | RectangleTexture | CubeTexture | VideoTexture;
}

/// All objects of the records so far, and the last frame that ended.
#[derive(Debug, Default)]
pub(super) struct Objects {
    kinds: IdMap<ObjectKind>,
    stage3ds: Vec<(ObjectId, Option<u32>)>,
    pub(super) last_frame: Option<u32>,
}

impl Objects {
    /// The objects that were created before a record. The indices of Stage3Ds are not known.
    pub(super) fn before(record: u64, index: &Index) -> Self {
        let created = index.objects().iter();
        let created = created.take_while(|creation| creation.record < record);
        let mut objects = Objects { last_frame: index.last_frame(record), ..Objects::default() };
        for Creation { id, kind, .. } in created {
            objects.kinds.insert(*id, *kind);
            if *kind == ObjectKind::Stage3D {
                objects.stage3ds.push((*id, None));
            }
        }
        objects
    }

    #[inline]
    pub(super) fn kind(&self, id: ObjectId) -> Option<ObjectKind> {
        self.kinds.get(id)
    }

    /// Adds a Stage3D at its first call.
    pub(super) fn add_stage3d(&mut self, id: ObjectId) -> Result<(), CaptureErrorKind> {
        if self.stage3ds.len() >= STAGE3DS as usize {
            return Err(CaptureErrorKind::Stage3Ds(format!(
                "more than {STAGE3DS} Stage3D objects"
            )));
        }
        self.stage3ds.push((id, None));
        self.kinds.insert(id, ObjectKind::Stage3D);
        Ok(())
    }

    /// Checks all objects of a call. `result` is the object that it creates.
    #[inline]
    pub(super) fn check(
        &mut self,
        on: ObjectId,
        call: &Call,
        result: Option<ObjectId>,
    ) -> Result<(), CaptureErrorKind> {
        let mut fault = None;
        call.references(&mut |key, id, (expected, accepts)| match self.kind(id) {
            Some(kind) if accepts(kind) => {}
            kind => {
                fault.get_or_insert((key, id, kind, expected));
            }
        });
        if let Some((key, id, kind, expected)) = fault {
            return Err(CaptureErrorKind::Key {
                place: call.name(),
                key: key.to_owned(),
                fault: match kind {
                    None => KeyError::UnknownObject(id),
                    Some(is) => KeyError::WrongObject { id, is, expected },
                },
            });
        }
        if let Call::RequestContext3D { stage3d_index, .. } = call {
            self.check_stage3d(on, *stage3d_index)?;
        }
        if let Some(id) = result {
            if self.kind(id).is_some() {
                return Err(CaptureErrorKind::DuplicateId(id));
            }
            if self.kinds.len() >= MAX_OBJECTS {
                return Err(CaptureErrorKind::TooMany { limit: MAX_OBJECTS });
            }
        }
        Ok(())
    }

    /// Adds the object that a checked call creates.
    pub(super) fn add(&mut self, id: ObjectId, kind: ObjectKind) {
        self.kinds.insert(id, kind);
    }

    fn check_stage3d(&mut self, on: ObjectId, index: u32) -> Result<(), CaptureErrorKind> {
        let refuse = |text| Err(CaptureErrorKind::Stage3Ds(text));
        if index >= STAGE3DS {
            return refuse(format!("\"stage3DIndex\" {index}, but there are only {STAGE3DS}"));
        }
        for (id, known) in &mut self.stage3ds {
            match known {
                Some(known) if *id == on && *known != index => {
                    return refuse(format!(
                        "\"stage3DIndex\" {index} of object {on}, which had {known}"
                    ));
                }
                Some(known) if *id != on && *known == index => {
                    return refuse(format!(
                        "\"stage3DIndex\" {index} of object {on} is that of object {id}"
                    ));
                }
                known if *id == on => *known = Some(index),
                _ => {}
            }
        }
        Ok(())
    }
}

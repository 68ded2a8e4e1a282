//! Checks that objects exist before they are used, and have the required class.

use foldhash::HashMap;

use crate::call::Call;
use crate::error::{CaptureErrorKind, KeyError};
use crate::limits::{MAX_OBJECTS, STAGE3DS};
use crate::object::{ObjectId, ObjectKind};

/// All objects of the records so far, and the last frame that ended.
#[derive(Debug, Default)]
pub(crate) struct KnownObjects {
    kinds: HashMap<ObjectId, ObjectKind>,
    stage3ds: Vec<(ObjectId, Option<u32>)>,
    pub(crate) last_frame: Option<u32>,
}

impl KnownObjects {
    /// Creates the set of objects that earlier records created. The indices of Stage3Ds are not known.
    pub(crate) fn new(
        created: impl Iterator<Item = (ObjectId, ObjectKind)>,
        last_frame: Option<u32>,
    ) -> Self {
        let mut objects = KnownObjects { last_frame, ..KnownObjects::default() };
        for (id, kind) in created {
            objects.kinds.insert(id, kind);
            if kind == ObjectKind::Stage3D {
                objects.stage3ds.push((id, None));
            }
        }
        objects
    }

    pub(crate) fn kind(&self, id: ObjectId) -> Option<ObjectKind> {
        self.kinds.get(&id).copied()
    }

    /// Adds a Stage3D at its first call.
    pub(crate) fn add_stage3d(&mut self, id: ObjectId) -> Result<(), CaptureErrorKind> {
        if self.stage3ds.len() >= STAGE3DS as usize {
            let text = format!("more than {STAGE3DS} Stage3D objects");
            return Err(CaptureErrorKind::Stage3Ds(text));
        }
        self.stage3ds.push((id, None));
        self.kinds.insert(id, ObjectKind::Stage3D);
        Ok(())
    }

    /// Checks that all objects of a call exist, and adds the object that the call creates.
    pub(crate) fn call(
        &mut self,
        on: ObjectId,
        call: &Call,
        created: Option<(ObjectId, ObjectKind)>,
    ) -> Result<(), CaptureErrorKind> {
        let mut wrong = None;
        call.references(&mut |key, id, (expected, accepts)| match self.kind(id) {
            Some(kind) if accepts(kind) => {}
            Some(is) => {
                wrong.get_or_insert((key, KeyError::WrongObject { id, is, expected }));
            }
            None => {
                wrong.get_or_insert((key, KeyError::UnknownObject(id)));
            }
        });
        if let Some((key, fault)) = wrong {
            let (record, key) = (call.name(), key.to_owned());
            return Err(CaptureErrorKind::Key { record, key, fault });
        }
        if let Call::RequestContext3D { stage3d_index, .. } = call {
            self.check_stage3d(on, *stage3d_index)?;
        }
        if let Some((id, kind)) = created {
            if self.kind(id).is_some() {
                return Err(CaptureErrorKind::DuplicateId(id));
            }
            if self.kinds.len() >= MAX_OBJECTS {
                return Err(CaptureErrorKind::TooMany { limit: MAX_OBJECTS });
            }
            self.kinds.insert(id, kind);
        }
        Ok(())
    }

    fn check_stage3d(&mut self, on: ObjectId, index: u32) -> Result<(), CaptureErrorKind> {
        let refuse = |text| Err(CaptureErrorKind::Stage3Ds(text));
        if index >= STAGE3DS {
            return refuse(format!("\"stage3DIndex\" {index}, but there are only {STAGE3DS}"));
        }
        for (id, known) in &mut self.stage3ds {
            match known {
                Some(known) if *id == on && *known != index => {
                    let text =
                        format!("\"stage3DIndex\" {index} of object {on}, which had {known}");
                    return refuse(text);
                }
                Some(known) if *id != on && *known == index => {
                    let text =
                        format!("\"stage3DIndex\" {index} of object {on} is that of object {id}");
                    return refuse(text);
                }
                known if *id == on => *known = Some(index),
                _ => {}
            }
        }
        Ok(())
    }
}

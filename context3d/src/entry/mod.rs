//! The calls, grouped as in Flash's manual. Each checks its arguments before it changes anything.

mod bind;
mod bitmap;
mod buffers;
mod compressed;
mod draw;
mod fixed_function;
mod frame;
mod programs;
mod samplers;
mod target;
mod textures;
mod uploads;
mod video;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::enums::Name;
use crate::error::{ErrorCode, SetterError};
use crate::resource::Quota;

/// The value of an enumeration argument; else 2007 or 2008 with the parameter's name.
#[inline]
fn accepted<T>(name: Name<'_, T>, parameter: &'static &'static str) -> Result<T, SetterError> {
    match name {
        Name::Is(value) => Ok(value),
        Name::Null => Err(SetterError::named(ErrorCode::NullParameter, parameter)),
        Name::Unknown(_) => Err(SetterError::named(ErrorCode::NotAccepted, parameter)),
    }
}

/// The value of a reference; else 2007 with the parameter's name.
#[inline]
fn non_null<T>(value: Option<T>, parameter: &'static &'static str) -> Result<T, SetterError> {
    value.ok_or(SetterError::named(ErrorCode::NullParameter, parameter))
}

/// A register, stream or slot number below `count`.
#[inline]
fn index_below(index: i32, count: usize) -> Result<usize, ErrorCode> {
    usize::try_from(index)
        .ok()
        .filter(|index| *index < count)
        .ok_or(ErrorCode::IndexOutOfBounds)
}

impl<B: Backend> Context3D<B> {
    /// The limits for creating another object.
    fn quota(&self) -> Quota {
        let grant = self.host.ignored_limits_memory;
        Quota::new(self.limits, self.state.ignore_limits.then_some(grant))
    }
}

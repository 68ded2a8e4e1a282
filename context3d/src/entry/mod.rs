//! The implementations of calls, grouped as in Flash's manual. Each call first validates its arguments.

mod bind;
mod bitmap;
mod buffers;
mod compressed;
mod draw;
mod fixed_function;
mod frame;
mod programs;
mod target;
mod textures;
mod uploads;
mod video;

use slotmap::Key;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::enums::EnumArg;
use crate::error::{ErrorCode, SetterError};
use crate::resource::{IGNORED_LIMITS_FACTOR, ResourceUsage};

/// Returns the value of an enumeration argument. Raises 2007 (null) or 2008 (unknown string) with the parameter's name.
#[inline]
pub(crate) fn accepted<T>(
    name: EnumArg<'_, T>,
    parameter: &'static &'static str,
) -> Result<T, SetterError> {
    match name {
        EnumArg::Is(value) => Ok(value),
        EnumArg::Null => Err(SetterError::named(ErrorCode::NullParameter, parameter)),
        EnumArg::Unknown(_) => Err(SetterError::named(ErrorCode::NotAccepted, parameter)),
    }
}

/// Returns the object of a reference. For null, raises 2007 with the parameter's name.
#[inline]
fn non_null<T>(value: Option<T>, parameter: &'static &'static str) -> Result<T, SetterError> {
    value.ok_or(SetterError::named(ErrorCode::NullParameter, parameter))
}

/// Checks that the index of a register, stream or slot is below `count`.
#[inline]
fn index_below(index: i32, count: usize) -> Result<usize, ErrorCode> {
    usize::try_from(index).ok().filter(|index| *index < count).ok_or(ErrorCode::IndexOutOfBounds)
}

/// If true, disposed objects and objects of another context can be bound: draws with these objects raise 3600, 3601,
/// 3605 or 3608, or are dropped. If this constant is false, binding a disposed or foreign object raises 3694. Traces
/// show that objects of other contexts and disposed programs can be bound [context3d.life.foreign]; other disposed
/// objects probably can, too [context3d.life.bound_disposed].
const DISPOSED_CAN_BE_BOUND: bool = true;

/// Checks that an object can be bound or drawn with; raises 3694 otherwise.
#[inline]
fn bindable<K: Key>(key: K, alive: bool) -> Result<(), ErrorCode> {
    // An object of another context has the null key.
    let accepts = alive || DISPOSED_CAN_BE_BOUND || key.is_null();
    if accepts { Ok(()) } else { Err(ErrorCode::Disposed) }
}

impl<B: Backend> Context3D<B> {
    /// Checks the creation of an object of `bytes` bytes against the limits; `max_bytes` is the profile's memory limit.
    fn check_limits(
        &self,
        used: ResourceUsage,
        bytes: u64,
        mut max_bytes: u64,
    ) -> Result<(), ErrorCode> {
        let mut most = self.limits.resources_per_kind;
        if self.ignores_resource_limits() {
            most = most.saturating_mul(IGNORED_LIMITS_FACTOR as usize);
            let lifted = max_bytes.saturating_mul(IGNORED_LIMITS_FACTOR.into());
            max_bytes = self.host.ignored_limits_memory.clamp(max_bytes, lifted);
        }
        if used.count >= most || used.bytes.saturating_add(bytes) > max_bytes {
            return Err(ErrorCode::ResourceLimit);
        }
        Ok(())
    }
}

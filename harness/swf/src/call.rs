//! Generates code for a call: receiver, arguments and result.

use molehill_capture::Call;
use molehill_capture::data::OptionalParameter;
use swf::avm2::types::Op;

use crate::arguments::{Data, OmissionReason, PushArgument, object};
use crate::code::MethodCode;
use crate::pool::MultiName;
use crate::runtime::{ARRIVED, AWAITED, OBJECTS, increase};

/// The local variable with the argument of `drawToBitmapData`.
pub(crate) const BITMAP: u32 = 3;

/// The receiver of a call: the index of a Stage3D or of an object.
#[derive(Clone, Copy)]
pub(crate) enum Receiver {
    Stage(i32),
    Object(i32),
}

impl Receiver {
    fn push(self, code: &mut MethodCode) {
        match self {
            Receiver::Stage(index) => stage3d(code, index),
            Receiver::Object(number) => object(code, number),
        }
    }
}

pub(crate) fn stage3d(code: &mut MethodCode, index: i32) {
    code.local(0).get("stage").get("stage3Ds").int(index).get(MultiName::Late);
}

/// Adds listeners for events to the object on the stack.
fn listen(code: &mut MethodCode, local: u32, events: [&str; 2]) {
    code.set_local(local);
    for event in events {
        code.local(local).text(event).local(0).get("arrive").void("addEventListener", 2);
    }
}

/// Returns whether an argument is null or omitted.
fn is_null<T>(argument: &OptionalParameter<Option<T>>) -> bool {
    !matches!(argument, OptionalParameter(Some(Some(_))))
}

pub(crate) fn is_asynchronous(call: &Call) -> bool {
    matches!(
        call,
        Call::TextureUploadFromBitmapDataAsync { .. }
            | Call::TextureUploadFromByteArrayAsync { .. }
            | Call::TextureUploadCompressedFromByteArray { is_async: true, .. }
    )
}

/// Generates a call and stores its result. `result` is the index of the created object.
pub(crate) fn make(
    code: &mut MethodCode,
    data: &mut Data,
    call: &Call,
    (receiver, result): (Receiver, Option<i32>),
) {
    let requests = matches!(receiver, Receiver::Stage(_)) && result.is_some();
    if requests {
        receiver.push(code);
        listen(code, 2, ["context3DCreate", "error"]);
    } else if let Some(result) = result {
        code.local(0).get(OBJECTS).int(result);
    } else if is_asynchronous(call) {
        receiver.push(code);
        listen(code, 2, ["textureReady", "error"]);
    }
    receiver.push(code);
    // Pushing the arguments can't fail, because the caller has tried it before.
    let count = push_arguments(code, call, data).unwrap_or(0);
    if let Call::DrawToBitmapData { .. } = call {
        code.op(Op::Dup).set_local(BITMAP);
    }
    let matching =
        matches!(call, Call::RequestContext3D { profiles: OptionalParameter(Some(_)), .. });
    let _ = match (kind(call), result) {
        // Calls that only a host makes were omitted earlier.
        (CallShape::Host, _) => code,
        (CallShape::Setter, _) => code.set(call.name()),
        (CallShape::Method, Some(_)) if requests => {
            let name = if matching { "requestContext3DMatchingProfiles" } else { call.name() };
            code.void(name, count);
            // Ignore events of earlier contexts.
            code.local(0).local(0).get(AWAITED).set(ARRIVED);
            increase(code, AWAITED);
            code
        }
        (CallShape::Method, Some(_)) => code.call(call.name(), count).set(MultiName::Late),
        (CallShape::Method, None) => code.void(call.name(), count),
    };
}

enum CallShape {
    Method,
    Setter,
    /// A call that only a host makes, which doesn't exist in ActionScript.
    Host,
}

macro_rules! kind {
    (setter) => {
        CallShape::Setter
    };
    (host) => {
        CallShape::Host
    };
    ($method:ident) => {
        CallShape::Method
    };
}

macro_rules! define {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        fn kind(call: &Call) -> CallShape {
            match call {
                $(Call::$variant { .. } => kind!($kind),)+
            }
        }

        /// Returns the SWF version that a call requires, or 0 if it doesn't depend on the version alone.
        pub(crate) fn since(call: &Call) -> u32 {
            match call {
                $(Call::$variant { .. } => $since.parse().unwrap_or(0),)+
            }
        }

        /// Pushes the arguments of a call and returns their number.
        pub(crate) fn push_arguments(code: &mut MethodCode, call: &Call, data: &mut Data)
            -> Result<u32, OmissionReason> {
            match call {
                Call::RequestContext3D { profiles: OptionalParameter(Some(profiles)), .. } =>
                    return profiles.push(code, data),
                Call::RequestContext3D { render_mode, profile, .. } => {
                    return Ok(render_mode.push(code, data)? + profile.push(code, data)?);
                }
                call if matches!(kind(call), CallShape::Host) => return Err("not a method in ActionScript"),
                // In older players, `drawToBitmapData` has only the parameter `destination`.
                Call::DrawToBitmapData { destination, source_rect, dest_point } if is_null(source_rect) && is_null(dest_point) => {
                    return destination.push(code, data);
                }
                _ => {}
            }
            match call {
                $(Call::$variant { $($field),* } => {
                    #[allow(unused_mut, reason = "without parameters")]
                    let mut count = 0;
                    $(count += $field.push(code, data)?;)*
                    let _ = (&code, &data);
                    Ok(count)
                })+
            }
        }
    };
}

molehill_capture::record_table!(define);

//! The arguments of a call by their names in ActionScript, to change them.

use molehill_capture::Call;

use super::Member;

pub(crate) enum Part<'a> {
    Int(&'a mut i32),
    /// The enumeration, and the string.
    Name(&'static str, &'a mut dyn Member),
}

/// The part of a field, if it is one.
#[rustfmt::skip]
macro_rules! part {
    ($see:ident $parameter:literal $field:ident int) => { $see($parameter, Part::Int($field)) };
    ($see:ident $parameter:literal $field:ident enum $enumeration:ident) => { $see($parameter, Part::Name(stringify!($enumeration), $field)) };
    ($see:ident $parameter:literal $field:ident $type:ident $(= $default:expr)?) => {{
        let _ = $field;
    }};
}

macro_rules! define_parts {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// Passes the numbers and strings among the arguments to `see`, with their names; a call on a Stage3D
        /// has none.
        pub(crate) fn parts(call: &mut Call, mut see: impl FnMut(&'static str, Part<'_>)) {
            match call {
                $(Call::$variant { $($field),* } => { $(part!(see $parameter $field $($type)+ $(= $default)?);)* })+
                Call::RequestContext3D { .. } | Call::SetX { .. } | Call::SetY { .. } | Call::SetVisible { .. } => {}
            }
        }
    };
}

context3d::call_table!(define_parts);

//! Converts a capture's calls to `context3d`'s commands, from the table of calls.

use context3d::Command;

use crate::arguments::{Argument, Resolver};
use crate::call::{Call, every_call};
use crate::ids::Object;

/// The value of an omitted argument: ActionScript's default, or none if the call has no default.
macro_rules! defaulted {
    ($field:ident, $resolver:ident) => {
        $field.argument($resolver)
    };
    ($field:ident, $resolver:ident = $default:expr) => {
        match &$field.0 {
            Some(value) => value.argument($resolver),
            None => $default,
        }
    };
}

macro_rules! define_commands {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident,
            $method:ident = $handler:ident {
                $($field:ident $parameter:literal: $($type:ident)+ $(= $default:expr)?),* $(,)?
            }
            [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// The command for `call` on `receiver`; `None` for a call on a Stage3D, which is not a call on a context.
        pub fn command<'a>(
            call: &'a Call,
            receiver: &'a Object,
            resolver: &Resolver<'_>,
        ) -> Option<Command<'a>> {
            let _ = receiver;
            match call {
                $(Call::$variant { $($field),* } => define_commands!(
                    @command [$($class)|+] [$($field)*] $variant {
                        $($receiver: receiver.argument(resolver),)?
                        $($field: defaulted!($field, resolver $(= $default)?),)*
                    }
                ),)+
            }
        }
    };
    (@command [Stage3D] [$($field:ident)*] $variant:ident $fields:tt) => {{
        $(let _ = $field;)*
        None
    }};
    (@command [$($class:ident)|+] [$($field:ident)*] $variant:ident $fields:tt) => { Some(Command::$variant $fields) };
}

every_call!(define_commands);

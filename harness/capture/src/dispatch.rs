//! From a capture's calls to `context3d`'s commands, as the table of calls has it.

use context3d::Command;

use crate::arguments::{Argument, Resolver};
use crate::call::{Call, call_table};
use crate::ids::Object;

macro_rules! define_commands {
    ($($receiver:ident { $(
        $variant:ident $name:literal $(-> $creates:ident)? {
            $($field:ident $key:literal: $type:ty),* $(,)?
        } $(=> $command:ident $(($on:ident))?)?;
    )* })*) => {
        /// The command that `call` on `receiver` is; `None` for a call on a Stage3D, which is none of a context's.
        pub fn command<'a>(
            call: &'a Call,
            receiver: &'a Object,
            resolver: &Resolver<'_>,
        ) -> Option<Command<'a>> {
            match call {
                $($(Call::$variant { $($field),* } => define_commands!(
                    @command receiver resolver [$($command $(($on))?)?] [$($field)*]
                ),)*)*
            }
        }
    };
    (@command $receiver:ident $resolver:ident [] [$($field:ident)*]) => {{
        $(let _ = $field;)*
        None
    }};
    (@command $receiver:ident $resolver:ident [$command:ident] [$($field:ident)*]) => {
        Some(Command::$command { $($field: $field.argument($resolver)),* })
    };
    (@command $receiver:ident $resolver:ident [$command:ident ($on:ident)] [$($field:ident)*]) => {
        Some(Command::$command {
            $on: $receiver.argument($resolver),
            $($field: $field.argument($resolver)),*
        })
    };
}

call_table!(define_commands);

//! Converts generated steps to calls on existing objects.

use context3d::Invocation;

use super::objects::CreatedObjects;
use super::source::{ByteSource, StepArgument};
use super::step::{CallStep, RandomOp};

macro_rules! define_command {
    ($($(#[$doc:meta])* $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal
        $(-> $result:ident)?, since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
            $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
        } [$($code:ident)*] $(as $like:ident)? => $witness:literal;)+) => {
        impl CreatedObjects {
            /// Returns the calls of a step on the current objects: a single call, or a draw with all its inputs.
            pub fn commands(&self, step: &CallStep) -> Vec<Invocation<'static>> {
                let mut source = ByteSource::new(self, &step.bytes);
                let command = match step.call {
                    RandomOp::GeneratedDraw => return self.generated_draw(&mut source),
                    RandomOp::Repair => self.repair(|count| source.below(count)),
                    $(RandomOp::$variant => {
                        let _source = source.for_call(stringify!($variant));
                        Invocation::$variant {
                            $($receiver: StepArgument::of(_source, stringify!($receiver)),)?
                            $($field: StepArgument::of(_source, stringify!($field)),)*
                        }
                    })+
                };
                vec![command]
            }
        }
    };
}

context3d::call_table!(define_command);

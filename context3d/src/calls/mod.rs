//! All methods and properties of the API, with their errors and the evidence of their behaviour: [`METHODS`]. Errors of
//! the reference that no call raises: [`errors`](crate::errors).
//!
//! Every call follows these rules, which the table doesn't repeat:
//!
//! - On an ended context, each call except `dispose` raises [`Disposed`](crate::ErrorCode::Disposed) (3694); no source
//!   shows this for `present` and setters [context3d.life.setters]. Each call on a disposed object raises the same
//!   error, and so does `setRenderToTexture` with a disposed texture. `setProgram`, `setTextureAt` and
//!   `setVertexBufferAt` accept disposed objects and objects of another context: the draw raises 3600, 3601, 3605 or
//!   3608 [context3d.life.foreign].
//! - A call that needs the device raises [`InBackground`](crate::ErrorCode::InBackground) (3768) while the host reports
//!   that the application is in the background. No source lists the calls that need the device
//!   [context3d.life.background].
//!
//! The column "SWF" has the oldest version with the call ([context3d.swf.late]; "A" means the AIR runtime, if only
//! AIR's version is known). The VM hides newer calls from a program; this crate accepts all calls in every version.
//!
//! `wantsBestResolution` and `wantsBestResolutionOnBrowserZoom` of `configureBackBuffer` have an effect if the host's
//! display is finer than the stage: [`DisplayScale`](crate::DisplayScale).
//!
//! The column "Witness" has facts of the reference (`REFERENCE*.md`) in square brackets, and names of captures.
//!
//! # Events
//!
//! | Event | SWF | Here | Errors | Witness |
//! |---|---|---|---|---|
//! | `context3DCreate, error` | 13 | [`Stage3D::answer`](crate::Stage3D::answer) | [NotAvailable](ErrorCode::NotAvailable) | [context3d.request.event] [context3d.error.3702] |
//! | `textureReady, error` | 35 | [`Context3D::take_texture_event`](crate::Context3D::take_texture_event) | [UploadFailed](ErrorCode::UploadFailed) | [context3d.upload.async] [context3d.error.3790] |

mod arguments;
mod converted;
mod method;
mod properties;
mod table;
mod vm;

pub use crate::pixels::BitmapSource;
pub use arguments::{Arguments, StringVector};
pub use converted::{Elements, VectorCopy, VectorElement};
pub use method::{Availability, CallRequires, Method, MethodKind, Parameter};
use properties::OTHERS;
pub use properties::PropertyValue;
pub use vm::{ArgumentSlice, Vm, VmArgument};

use crate::backend::Backend;
use crate::call_table;
use crate::command::{Bytecode, Invocation, Rectangle, Reply, classes, parameter, receiver};
use crate::context::Context3D;
use crate::dirty::DirtyFlags;
use crate::enums::{self, EnumArg};
use crate::error::{Error, ErrorCode};
use crate::handle::{IndexBufferKey, ObjectHandle, ProgramKey, TextureKey, VertexBufferKey};
use crate::method_table;
use crate::pixels::{Bitmap, BitmapPatch, BitmapTarget};

/// The return type of a method of [`Context3D`].
macro_rules! result {
    () => { () };
    (VertexBuffer3D) => { ObjectHandle<VertexBufferKey> };
    (IndexBuffer3D) => { ObjectHandle<IndexBufferKey> };
    (Program3D) => { ObjectHandle<ProgramKey> };
    (Texture) => { ObjectHandle<TextureKey> };
    (RectangleTexture) => { ObjectHandle<TextureKey> };
    (CubeTexture) => { ObjectHandle<TextureKey> };
    (VideoTexture) => { Option<ObjectHandle<TextureKey>> };
    (Reply) => { Reply };
    (BitmapPatch) => { BitmapPatch };
}

/// The type of a parameter in the methods of [`Context3D`], which also accept enumeration members.
macro_rules! argument {
    (enum $enumeration:ident) => { impl Into<EnumArg<'static, enums::$enumeration>> };
    ($type:ident) => { parameter!('_ $type) };
}

/// Stores a method's result, if it has one.
macro_rules! set_reply {
    ($reply:ident, $result:ident) => {
        let ((), _) = ($result, $reply);
    };
    // Nearly all draws return `Reply::Done`, so that this branch is skipped.
    ($reply:ident, $result:ident, Reply) => {
        if $result != Reply::Done {
            *$reply = $result;
        }
    };
    ($reply:ident, $result:ident, $type:ident) => {
        *$reply = Reply::from($result)
    };
}

/// The default or oldest runtime of a parameter, from the parentheses after its type.
macro_rules! declared {
    ($part:ident) => {
        None
    };
    (default null $(since $since:literal)?) => {
        Some("null")
    };
    (default $value:literal) => {
        Some(stringify!($value))
    };
    (since null since $since:literal) => {
        Some(Availability::parse($since))
    };
    (since $($value:tt)+) => {
        None
    };
}

macro_rules! kind {
    (setter) => {
        MethodKind::Setter
    };
    (host) => {
        MethodKind::Host
    };
    ($method:ident) => {
        MethodKind::Method
    };
}

/// The class of the object that a method creates.
macro_rules! creates {
    ($(Reply)?) => {
        None
    };
    (BitmapPatch) => {
        None
    };
    ($class:ident) => {
        Some(stringify!($class))
    };
}

/// The draw checks that must be repeated after a call.
macro_rules! dirties {
    () => { DirtyFlags::EVERYTHING };
    ([$($dirty:ident)*]) => { DirtyFlags::NOTHING $(.with(DirtyFlags::$dirty))* };
}

macro_rules! define_methods {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// The methods that have an [`Invocation`].
        const INVOKED: &[Method] = &[$(Method {
            variant: stringify!($variant),
            kind: kind!($kind),
            classes: &[$(stringify!($class)),+],
            name: $name,
            parameters: &[$(Parameter {
                name: $parameter,
                table_type: stringify!($($type)+),
                default: declared!(default $($($declared)*)?),
                since: declared!(since $($($declared)*)?),
            }),*],
            result: creates!($($result)?),
            is_static: false,
            since: Availability::parse($since),
            needs: CallRequires::$needs,
            errors: &[$(ErrorCode::$code),*],
            as_well_as: &[$(stringify!($like))?],
            witness: $witness,
            row: Some(CallIndex::$variant),
        }),+];

        /// All methods, setters and getters, and the calls that only hosts make. The calls with an [`Invocation`]:
        ///
        /// | Call | SWF | Needs | Errors | Witness |
        /// |---|---|---|---|---|
        $(#[doc = concat!(
            "| `", classes!($($class)|+), ".", $name, "` ([", stringify!($variant), "](Invocation::", stringify!($variant),
            ")) | ", $since, " | ", stringify!($needs), " | ",
            $("those of [", stringify!($like), "](Invocation::", stringify!($like), "), ",)?
            $("[", stringify!($code), "](ErrorCode::", stringify!($code), ") ",)*
            "| ", $witness, " |"
        )])+
        pub const METHODS: &[Method] = &{
            let mut all = [INVOKED[0]; INVOKED.len() + OTHERS.len()];
            let mut at = 1;
            while at < all.len() {
                all[at] = if at < INVOKED.len() { INVOKED[at] } else { OTHERS[at - INVOKED.len()] };
                at += 1;
            }
            all
        };

        /// An index into [`METHODS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum CallIndex { $($variant),+ }

        impl Invocation<'_> {
            #[inline]
            fn row(&self) -> CallIndex {
                match self {
                    $(Invocation::$variant { .. } => CallIndex::$variant,)+
                }
            }

            /// Returns the called method.
            pub fn method(&self) -> &'static Method {
                &METHODS[self.row() as usize]
            }
        }
    };
}

method_table!(define_methods);

macro_rules! define_calls {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// Number of methods of `Stage3D`, which precede the methods of contexts in [`METHODS`].
        const STAGE_ROWS: usize = CallIndex::ConfigureBackBuffer as usize;

        type RowFunction<B> = fn(&mut Context3D<B>, &Invocation<'_>, &mut Reply) -> Result<(), Box<Error>>;

        pastey::paste! {
        /// A function for each method, so that a call uses no stack space of other calls: [`Context3D::execute`] only
        /// jumps. Replies are written to `reply`, so that the result fits into a register.
        mod rows {
            use super::*;
            $(
                #[inline(never)]
                pub(super) fn [<$variant:snake>]<B: Backend>(
                    context: &mut Context3D<B>,
                    invocation: &Invocation<'_>,
                    reply: &mut Reply,
                ) -> Result<(), Box<Error>> {
                    let Invocation::$variant { $($receiver,)? $($field),* } = *invocation else {
                        return Ok(()); // this row handles another variant
                    };
                    let dirty = const { dirties!($([$($dirty)*])?) };
                    if let Err(error) = context.begin(CallRequires::$needs, dirty) {
                        return Err(context.call_error(error));
                    }
                    match context.[<$variant:snake _impl>]($($receiver,)? $($field),*) {
                        Ok(result) => {
                            set_reply!(reply, result $(, $result)?);
                            Ok(())
                        }
                        Err(error) => Err(context.call_error(error)),
                    }
                }
            )+
        }

        impl<B: Backend> Context3D<B> {
            /// Executes one call: checks the arguments, applies the state, and emits packets.
            ///
            /// # Errors
            /// [`Error::Flash`] for an error that Flash raises, and [`Error::Unsupported`] for a missing feature or for
            /// a call on a `Stage3D`: the state is unchanged, except that a failed program upload removes the program's
            /// earlier code. [`Error::Backend`] if the device fails: the state is unchanged too, and a later call tries
            /// again; only a failed `configureBackBuffer` removes the back buffer. After [`BackendError::Lost`] the
            /// context behaves as disposed: every call raises 3694, and the memory of its objects is freed.
            ///
            /// [`BackendError::Lost`]: crate::backend::BackendError::Lost
            #[inline]
            pub fn execute(&mut self, invocation: &Invocation<'_>) -> Result<Reply, Error> {
                let rows = const { &[$(rows::[<$variant:snake>] as RowFunction<B>),+] };
                let Some(row) = rows.get((invocation.row() as usize).wrapping_sub(STAGE_ROWS)) else {
                    return Err(Error::Unsupported("a call on a Stage3D, made on a Context3D".to_owned()));
                };
                let mut reply = Reply::Done;
                match row(self, invocation, &mut reply) {
                    Ok(()) => Ok(reply),
                    Err(error) => Err(*error),
                }
            }

            $(
                #[doc = concat!("`", classes!($($class)|+), ".", $name, "`: [`Invocation::", stringify!($variant), "`].")]
                ///
                /// # Errors
                /// Those of [`Context3D::execute`].
                #[allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
                pub fn [<$variant:snake>](
                    &mut self,
                    $($receiver: receiver!($base),)?
                    $($field: argument!($($type)+)),*
                ) -> Result<result!($($result)?), Error> {
                    let dirty = const { dirties!($([$($dirty)*])?) };
                    if let Err(error) = self.begin(CallRequires::$needs, dirty) {
                        return Err(*self.call_error(error));
                    }
                    match self.[<$variant:snake _impl>]($($receiver,)? $($field.into()),*) {
                        Ok(result) => Ok(result),
                        Err(error) => Err(*self.call_error(error)),
                    }
                }
            )+
        }
        }
    };
}

call_table!(define_calls);

/// The name of [`Method`] in the build scripts of hosts.
#[doc(hidden)]
pub use method::Method as Member;

//! Every method and property of the API with the errors it raises and the witness of its behaviour: [`CALLS`], and
//! [below](#without-a-command) what has no [`Command`]. Errors of the reference that are never raised:
//! [`errors`](crate::errors).
//!
//! The rows leave out what holds for every call:
//!
//! - On a context that has ended, each call except `dispose` raises [`Disposed`](crate::ErrorCode::Disposed) (3694);
//!   for `present` and setters that is open [context3d.life.setters]. So does each call on an object that was disposed,
//!   and `setRenderToTexture` with one. Other setters accept disposed objects and those of another context: the draw
//!   raises 3600, 3601, 3605 or 3608 [context3d.life.foreign].
//! - A call that needs the device raises [`InBackground`](crate::ErrorCode::InBackground) (3768) while the host says
//!   that the application is in the background; which calls these are is open [context3d.life.background].
//!
//! The number in the column "SWF" is the oldest version that has the call ([context3d.swf.late]; "A" means the
//! AIR runtime, if only its version is known). The VM hides newer calls from a program; this crate accepts all calls in
//! every version. If an error depends on the version, its row or the code says so.
//!
//! `wantsBestResolution` and `wantsBestResolutionOnBrowserZoom` of `configureBackBuffer` have an effect if the host's
//! display is finer than the stage: [`Scale`](crate::Scale).
//!
//! Witnesses in square brackets are facts of the reference (`REFERENCE*.md`); other names are captures.
//!
//! # Without a `Command`
//! Properties that are read: [`PROPERTIES`]. Those of a Stage3D, and events:
//!
//! | Property or method | SWF | Here | Errors | Witness |
//! |---|---|---|---|---|
//! | `Stage3D.context3D` | 13 | [`Context3D::ended`](crate::Context3D::ended) |  | [context3d.stage3d.context] |
//! | `Stage3D.x` | 13 | [`Stage3D::x`](crate::Stage3D::x) |  | [context3d.stage3d.position] |
//! | `Stage3D.y` | 13 | [`Stage3D::y`](crate::Stage3D::y) |  | [context3d.stage3d.position] |
//! | `Stage3D.x = ` | 13 | [`Stage3D::set_x`](crate::Stage3D::set_x) | [IndexOutOfBounds](ErrorCode::IndexOutOfBounds) [OutsideStageBounds](ErrorCode::OutsideStageBounds) | [context3d.stage3d.position]; [context3d.error.3723] by [`Stage3D::execute`](crate::Stage3D::execute) |
//! | `Stage3D.y = ` | 13 | [`Stage3D::set_y`](crate::Stage3D::set_y) | [IndexOutOfBounds](ErrorCode::IndexOutOfBounds) [OutsideStageBounds](ErrorCode::OutsideStageBounds) | [context3d.stage3d.position]; [context3d.error.3723] by [`Stage3D::execute`](crate::Stage3D::execute) |
//! | `Stage3D.visible` | 13 | [`Stage3D::visible`](crate::Stage3D::visible) |  | [context3d.stage3d.visible] |
//! | `Stage3D.visible = ` | 13 | [`Stage3D::set_visible`](crate::Stage3D::set_visible) |  | [context3d.stage3d.visible] |
//! | `context3DCreate, error` | 13 | [`Stage3D::answer`](crate::Stage3D::answer) | [NotAvailable](ErrorCode::NotAvailable) | [context3d.request.event] [context3d.error.3702] |
//! | `textureReady, error` | 35 | [`Context3D::take_texture_event`](crate::Context3D::take_texture_event) | [UploadFailed](ErrorCode::UploadFailed) | [context3d.upload.async] [context3d.error.3790] |

mod arguments;
mod call;
mod member;
mod properties;
mod table;
mod vm;

pub use crate::pixels::HeldBitmap;
pub use arguments::{Arguments, Texts};
pub use call::{Call, CallKind, Needs, Parameter, Since};
pub use member::{Member, STAGE3D_MEMBERS, StageRow};
pub(crate) use member::{MemberKind, StageMember};
pub use properties::{PROPERTIES, Property, Value};
pub use vm::{Argument, Elements, Values, Vm};

use crate::backend::Backend;
use crate::call_table;
use crate::command::{Bytecode, Command, Rectangle, Reply, classes, parameter, receiver};
use crate::context::Context3D;
use crate::dirty::Dirty;
use crate::enums::{self, Name};
use crate::error::{Error, ErrorCode};
use crate::handle::{Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::pixels::{Bitmap, BitmapPatch, BitmapTarget};

/// The return type of a method of [`Context3D`].
macro_rules! result {
    () => { () };
    (VertexBuffer3D) => { Handle<VertexBufferKey> };
    (IndexBuffer3D) => { Handle<IndexBufferKey> };
    (Program3D) => { Handle<ProgramKey> };
    (Texture) => { Handle<TextureKey> };
    (RectangleTexture) => { Handle<TextureKey> };
    (CubeTexture) => { Handle<TextureKey> };
    (VideoTexture) => { Option<Handle<TextureKey>> };
    (Reply) => { Reply };
    (BitmapPatch) => { BitmapPatch };
}

/// The parameter's type in a method of [`Context3D`]: also accepts a member of an enumeration.
macro_rules! argument {
    (enum $enumeration:ident) => { impl Into<Name<'static, enums::$enumeration>> };
    ($type:ident) => { parameter!('_ $type) };
}

/// Stores a method's result, if it has one.
macro_rules! set_reply {
    ($reply:ident, $result:ident) => {
        let ((), _) = ($result, $reply);
    };
    // Nearly all draws are done.
    ($reply:ident, $result:ident, Reply) => {
        if $result != Reply::Done {
            *$reply = $result;
        }
    };
    ($reply:ident, $result:ident, $type:ident) => {
        *$reply = Reply::from($result)
    };
}

/// A parameter's default or runtime, from the parentheses behind its type.
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
        Some(Since::parse($since))
    };
    (since $($value:tt)+) => {
        None
    };
}

macro_rules! kind {
    (setter) => {
        CallKind::Setter
    };
    (host) => {
        CallKind::Host
    };
    ($method:ident) => {
        CallKind::Method
    };
}

/// The class of the object that a call creates.
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

/// The checks that a call makes necessary.
macro_rules! dirties {
    () => { Dirty::EVERYTHING };
    ([$($dirty:ident)*]) => { Dirty::NOTHING $(.with(Dirty::$dirty))* };
}

macro_rules! define_calls {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        /// Every variant of [`Command`].
        ///
        /// | Call | SWF | Needs | Errors | Witness |
        /// |---|---|---|---|---|
        $(#[doc = concat!(
            "| `", classes!($($class)|+), ".", $name, "` ([", stringify!($variant), "](Command::", stringify!($variant),
            ")) | ", $since, " | ", stringify!($needs), " | ",
            $("those of [", stringify!($like), "](Command::", stringify!($like), "), ",)?
            $("[", stringify!($code), "](ErrorCode::", stringify!($code), ") ",)*
            "| ", $witness, " |"
        )])+
        pub const CALLS: &[Call] = &[$(Call {
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
            creates: creates!($($result)?),
            since: Since::parse($since),
            needs: Needs::$needs,
            errors: &[$(ErrorCode::$code),*],
            as_well_as: &[$(stringify!($like))?],
            witness: $witness,
            row: Row::$variant,
        }),+];

        /// Indices of the rows in [`CALLS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Row { $($variant),+ }

        impl Command<'_> {
            #[inline]
            fn row(&self) -> Row {
                match self {
                    $(Command::$variant { .. } => Row::$variant,)+
                }
            }

            /// The row of the table.
            pub fn call(&self) -> &'static Call {
                &CALLS[self.row() as usize]
            }
        }

        type RowFunction<B> = fn(&mut Context3D<B>, &Command<'_>, &mut Reply) -> Result<(), Box<Error>>;

        pastey::paste! {
        /// A function for each row, so that a call uses no more stack space than it needs itself:
        /// [`Context3D::execute`] only jumps. The result fits into a register, and nearly all calls have no reply.
        mod rows {
            use super::*;
            $(
                #[inline(never)]
                pub(super) fn [<$variant:snake>]<B: Backend>(
                    context: &mut Context3D<B>,
                    command: &Command<'_>,
                    reply: &mut Reply,
                ) -> Result<(), Box<Error>> {
                    let Command::$variant { $($receiver,)? $($field),* } = *command else {
                        return Ok(()); // not this row's
                    };
                    let dirty = const { dirties!($([$($dirty)*])?) };
                    if let Err(error) = context.begin(Needs::$needs, dirty) {
                        return Err(context.failed(error));
                    }
                    match context.[<$variant:snake _impl>]($($receiver,)? $($field),*) {
                        Ok(result) => {
                            set_reply!(reply, result $(, $result)?);
                            Ok(())
                        }
                        Err(error) => Err(context.failed(error)),
                    }
                }
            )+
        }

        impl<B: Backend> Context3D<B> {
            /// Carries out one call: check, then apply, then emit packets.
            ///
            /// # Errors
            /// [`Error::Flash`] for an error that Flash raises, [`Error::Unsupported`] for a missing feature: the state
            /// is unchanged, except that a program whose upload failed loses its earlier code. [`Error::Backend`] when
            /// the device fails: the state is unchanged too, and a later call tries again; only a failed
            /// `configureBackBuffer` leaves no back buffer. After [`BackendError::Lost`] the context behaves as
            /// disposed: every call raises 3694, and the memory of its objects is freed.
            ///
            /// [`BackendError::Lost`]: crate::backend::BackendError::Lost
            #[inline]
            pub fn execute(&mut self, command: &Command<'_>) -> Result<Reply, Error> {
                let rows = &Self::ROWS;
                let mut reply = Reply::Done;
                match rows[command.row() as usize](self, command, &mut reply) {
                    Ok(()) => Ok(reply),
                    Err(error) => Err(*error),
                }
            }

            /// The functions of [`CALLS`].
            const ROWS: [RowFunction<B>; CALLS.len()] = [$(rows::[<$variant:snake>]),+];

            $(
                #[doc = concat!("`", classes!($($class)|+), ".", $name, "`: [`Command::", stringify!($variant), "`].")]
                ///
                /// # Errors
                /// As [`Context3D::execute`].
                #[allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
                pub fn [<$variant:snake>](
                    &mut self,
                    $($receiver: receiver!($base),)?
                    $($field: argument!($($type)+)),*
                ) -> Result<result!($($result)?), Error> {
                    let dirty = const { dirties!($([$($dirty)*])?) };
                    if let Err(error) = self.begin(Needs::$needs, dirty) {
                        return Err(*self.failed(error));
                    }
                    match self.[<$variant:snake _impl>]($($receiver,)? $($field.into()),*) {
                        Ok(result) => Ok(result),
                        Err(error) => Err(*self.failed(error)),
                    }
                }
            )+
        }
        }
    };
}

call_table!(define_calls);

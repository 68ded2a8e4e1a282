//! Calls with their arguments, as stored in captures: those of the table [`context3d::call_table!`], and the calls on a
//! Stage3D.

use std::sync::LazyLock;

use context3d::arguments::Rectangle;
use context3d::{AnyHandle, Invocation};
use foldhash::HashMap;

use crate::command::{CommandArgument, Resolver, Scope};
use crate::data::{
    BitmapData, BitmapTargetData, ByteArray, Enum, Floats, Matrix, Numbers, PointData, Uints,
};
use crate::error::{CaptureErrorKind, ReaderError};
use crate::ids;
use crate::json::JsonObject;
use crate::object::{ObjectId, ObjectKind};
use crate::value::{
    AcceptedClasses, CallField, CubeSide, IndexBufferId, MipLevel, OptionalParameter, ProgramId,
    TextureId, VertexBufferId,
};

/// The type of a [`Call`]'s field.
macro_rules! parameter {
    ($($type:ident)+ = $default:expr) => { OptionalParameter<parameter!($($type)+)> };
    (int) => { i32 };
    (uint) => { u32 };
    (Number) => { f64 };
    (Boolean) => { bool };
    (ByteArray) => { ByteArray };
    (Bytecode) => { ByteArray };
    (VectorNumber) => { Option<Numbers> };
    (VectorFloat) => { Option<Floats> };
    (VectorUint) => { Option<Uints> };
    (Matrix3D) => { Option<Matrix> };
    (BitmapData) => { Option<BitmapData> };
    (BitmapTarget) => { Option<BitmapTargetData> };
    (VideoFrame) => { BitmapData };
    (Rectangle) => { Option<Rectangle> };
    (Point) => { Option<PointData> };
    (CubeSide) => { CubeSide };
    (MipLevel) => { MipLevel };
    (VertexBuffer3D) => { Option<VertexBufferId> };
    (IndexBuffer3D) => { Option<IndexBufferId> };
    (Program3D) => { Option<ProgramId> };
    (TextureBase) => { Option<TextureId> };
    (Profiles) => { Option<Vec<Option<String>>> };
    (enum Profile) => { Option<String> };
    (enum $enumeration:ident) => { Enum<context3d::enums::$enumeration> };
}

/// The class of the object that a call creates.
macro_rules! created {
    ($(Reply)?) => {
        None
    };
    (BitmapPatch) => {
        None
    };
    ($class:ident) => {
        Some(ObjectKind::$class)
    };
}

/// The effect of a call, from the table of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A method whose effect no other `CallKind` describes.
    Method,
    /// An assignment to a property.
    Setter,
    /// Replaces content of the object on which the method is called.
    Upload,
    /// Disposes the object on which the method is called.
    Dispose,
    /// Draws triangles.
    Draw,
    /// Clears the render target.
    Clear,
}

macro_rules! kind {
    (method) => {
        CallKind::Method
    };
    (setter) => {
        CallKind::Setter
    };
    (dispose) => {
        CallKind::Dispose
    };
    (draw) => {
        CallKind::Draw
    };
    (clear) => {
        CallKind::Clear
    };
    ($upload_or_host:ident) => {
        CallKind::Upload
    };
}

/// An entry of the table of calls: one method or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// The effect of the call.
    pub kind: CallKind,
    /// Classes that have the method or property.
    pub receivers: &'static [ObjectKind],
    /// ActionScript's name of the method or property.
    pub name: &'static str,
    /// The class of the object that the call creates.
    pub creates: Option<ObjectKind>,
}

/// Converts an argument. An omitted argument gets ActionScript's default; without a default, it can't be omitted.
macro_rules! to_command {
    ($field:ident, $resolver:ident) => {
        $field.to_command($resolver)
    };
    ($field:ident, $resolver:ident = $default:expr) => {
        match &$field.0 {
            Some(value) => value.to_command($resolver),
            None => $default,
        }
    };
}

macro_rules! from_command {
    ($field:ident, $scope:ident) => {
        CommandArgument::from_command(*$field, $scope)
    };
    ($field:ident, $scope:ident = $default:expr) => {
        OptionalParameter(Some(CommandArgument::from_command(*$field, $scope)))
    };
}

/// The `context3d` command of a call; `None` for a call on a Stage3D, because commands are calls on a context.
macro_rules! command {
    ([Stage3D] [$($field:ident)*] $variant:ident $fields:tt) => {{
        $(let _ = $field;)*
        None
    }};
    ([$($class:ident)|+] [$($field:ident)*] $variant:ident $fields:tt) => { Some(Invocation::$variant $fields) };
}

/// Returns the call of a command if it belongs to this table entry.
macro_rules! recorded {
    ([Stage3D] $command:ident $scope:ident $variant:ident $fields:tt) => {};
    ([$($class:ident)|+] $command:ident $scope:ident $variant:ident { $($field:ident $(= $default:expr)?),* }) => {
        if let Invocation::$variant { $($field,)* .. } = $command {
            return Some(Call::$variant { $($field: from_command!($field, $scope $(= $default)?)),* });
        }
    };
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
        /// One call with its arguments. The fields have the names and meaning of the ActionScript parameters.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Call {
            $(
                #[doc = concat!("`", $name, "` of ", $("`", stringify!($class), "` "),+)]
                $variant {
                    $(
                        #[doc = concat!("The value of `", $parameter, "`.")]
                        $field: parameter!($($type)+ $(= $default)?)
                    ),*
                },
            )+
        }

        /// Every call, in the order of the table.
        pub const CALLS: &[CallInfo] = &[$(CallInfo {
            kind: kind!($kind),
            receivers: &[$(ObjectKind::$class),+],
            name: $name,
            creates: created!($($result)?),
        }),+];

        /// Indices in [`CALLS`].
        enum CallIndexRow { $($variant),+ }

        impl Call {
            /// Returns the call's entry in [`CALLS`].
            pub fn info(&self) -> &'static CallInfo {
                let row = match self {
                    $(Call::$variant { .. } => CallIndexRow::$variant,)+
                };
                &CALLS[row as usize]
            }

            /// Parses the arguments of a call on `receiver` from the values of a record.
            pub(crate) fn take(
                row: usize,
                receiver: ObjectKind,
                values: &mut JsonObject<'_>,
            ) -> Result<Call, Box<CaptureErrorKind>> {
                $(if row == CallIndexRow::$variant as usize {
                    return Ok(Call::$variant {
                        $($field: take(receiver, values, $name, $parameter)?),*
                    });
                })+
                Err(CaptureErrorKind::UnknownRecord.into()) // `row` is an index in `CALLS`
            }

            pub(crate) fn append<'a>(&'a self, values: &mut JsonObject<'a>) {
                match self {
                    $(Call::$variant { $($field),* } => {
                        $($field.append($parameter, values);)*
                        let _ = values;
                    })+
                }
            }

            /// Returns the arguments as text for display: each parameter's name and a short value. `name` returns the
            /// name of an object. Bulk data is described by its size.
            pub fn arguments(&self, name: &dyn Fn(ObjectId) -> String) -> Vec<(&'static str, String)> {
                let arguments = match self {
                    $(Call::$variant { $($field),* } => vec![$(($parameter, CallField::describe($field, name))),*],)+
                };
                let arguments = arguments.into_iter();
                arguments.filter_map(|(parameter, text)| Some((parameter, text?))).collect()
            }

            /// Returns the approximate size of the call's bulk data in bytes.
            pub fn bytes(&self) -> usize {
                match self {
                    $(Call::$variant { $($field),* } => 0 $(+ CallField::bytes($field))*,)+
                }
            }

            /// Passes every object among the arguments to `see`, with its key and its required class.
            pub(crate) fn references(&self, see: &mut impl FnMut(&'static str, ObjectId, AcceptedClasses)) {
                match self {
                    $(Call::$variant { $($field),* } => {
                        $(CallField::references($field, &mut |id, accepts| see($parameter, id, accepts));)*
                        let _ = &see;
                    })+
                }
            }
        }

        /// Returns the `context3d` command for `call` on `receiver`, or `None` for a call on a Stage3D.
        pub fn command<'a>(
            call: &'a Call,
            receiver: &'a ids::ReplayObject,
            resolver: &Resolver<'_>,
        ) -> Option<Invocation<'a>> {
            match call {
                $(Call::$variant { $($field),* } => command!([$($class)|+] [$($field)*] $variant {
                    $($receiver: (*receiver).into(),)?
                    $($field: to_command!($field, resolver $(= $default)?),)*
                }),)+
            }
        }

        /// Returns the object that a command is called on, or `None` for the context.
        pub(crate) fn receiver(command: &Invocation<'_>) -> Option<AnyHandle> {
            $($(if let Invocation::$variant { $receiver, .. } = command {
                return Some(AnyHandle::from(*$receiver));
            })?)+
            None
        }

        /// Returns the call for a command; `None` if captures can't contain such a call.
        pub(crate) fn from_command(command: &Invocation<'_>, scope: &Scope<'_>) -> Option<Call> {
            $(recorded!([$($class)|+] command scope $variant { $($field $(= $default)?),* });)+
            None
        }
    };
}

/// Passes the calls on a Stage3D, then those on a context and its objects, to a macro: [`context3d::call_table!`].
#[macro_export]
macro_rules! record_table {
    ($define:ident) => {
        $crate::context3d::call_table! { $define {
            RequestContext3D: method Stage3D "requestContext3D" -> Context3D, since "13", needs Nothing {
                stage3d_index "stage3DIndex": uint, render_mode "context3DRenderMode": enum RenderMode = None,
                profile "profile": enum Profile = None, profiles "profiles": Profiles = None,
            } [NullParameter NotAccepted NoCreateListener InvalidParameter]
                => "[context3d.request.mode] [context3d.request.matching]; [context3d.name.profile] [context3d.name.others]";
            SetX: setter Stage3D "x", since "13", needs Nothing { value "value": Number } [IndexOutOfBounds] => "[context3d.stage3d.position]";
            SetY: setter Stage3D "y", since "13", needs Nothing { value "value": Number } [IndexOutOfBounds] => "[context3d.stage3d.position]";
            SetVisible: setter Stage3D "visible", since "13", needs Nothing { value "value": Boolean } [] => "[context3d.stage3d.visible]";
        } }
    };
}

record_table!(define_calls);

/// A list of entries of [`CALLS`], each with its index in [`CALLS`].
pub(crate) type CallRows = &'static [(usize, &'static CallInfo)];

/// Returns all entries with this name. Several classes can have a method with the same name.
pub(crate) fn named(name: &str) -> CallRows {
    type CallsByName = HashMap<&'static str, Vec<(usize, &'static CallInfo)>>;
    static ROWS: LazyLock<CallsByName> = LazyLock::new(|| {
        let mut rows = CallsByName::default();
        for row in CALLS.iter().enumerate() {
            rows.entry(row.1.name).or_default().push(row);
        }
        rows
    });
    ROWS.get(name).map_or(&[], Vec::as_slice)
}

fn take<T: CallField>(
    receiver: ObjectKind,
    values: &mut JsonObject<'_>,
    call: &'static str,
    parameter: &'static str,
) -> Result<T, Box<CaptureErrorKind>> {
    let wrong = |fault: ReaderError| {
        let key = [parameter, T::SUFFIX].concat();
        CaptureErrorKind::Key { record: call, key, fault: *fault }.into()
    };
    T::take_of(receiver, values, parameter).map_err(wrong)
}

impl Call {
    /// Returns ActionScript's name of the method or property.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// Returns every object among the arguments, with its parameter.
    pub fn objects(&self) -> Vec<(&'static str, ObjectId)> {
        let mut found = Vec::new();
        self.references(&mut |parameter, id, _| found.push((parameter, id)));
        found
    }

    /// Returns the effect of the call on its object.
    pub fn kind(&self) -> CallKind {
        self.info().kind
    }

    /// Returns the class of the object that the call creates.
    pub fn creates(&self) -> Option<ObjectKind> {
        self.info().creates
    }

    /// Returns the bytes of an uploaded ATF file, starting at the call's offset, or `None` for other calls.
    pub fn atf_file(&self) -> Option<&[u8]> {
        let Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, .. } = self
        else {
            return None;
        };
        let bytes = data.0.as_ref().map(|data| data.bytes.as_slice());
        let offset = usize::try_from(*byte_array_offset).unwrap_or(usize::MAX);
        let file = bytes.and_then(|bytes| bytes.get(offset..));
        Some(file.unwrap_or_default())
    }
}

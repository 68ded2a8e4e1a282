//! The methods and properties without an [`Invocation`](crate::Invocation).

use super::{Availability, Method, MethodKind, Parameter};
use crate::backend::Backend;
use crate::command::conversions;
use crate::context::{CallRequires, Context3D};
use crate::error::Error;
use crate::handle::{AnyHandle, ObjectHandle, TextureKey};

/// A property's value.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// A string; `None` for null.
    Text(Option<String>),
    /// A value of type `int`, `uint` or `Number`.
    Number(f64),
    /// A value of type `Boolean`.
    Boolean(bool),
}

conversions! {
    PropertyValue;
    String, text => PropertyValue::Text(Some(text));
    Option<String>, text => PropertyValue::Text(text);
    bool, value => PropertyValue::Boolean(value);
    u32, value => PropertyValue::Number(f64::from(value));
    u64, value => PropertyValue::Number(value as f64);
}

/// Defines the table entry of a property that can be read.
macro_rules! getter {
    ($class:ident $name:ident $type:ident $since:literal $witness:literal $($static:ident)?) => {
        Method {
            variant: "",
            kind: MethodKind::Getter,
            classes: &[stringify!($class)],
            name: stringify!($name),
            parameters: &[],
            result: Some(stringify!($type)),
            is_static: !stringify!($($static)?).is_empty(),
            since: Availability::parse($since),
            needs: CallRequires::Nothing,
            errors: &[],
            as_well_as: &[],
            witness: $witness,
            row: None,
        }
    };
}

/// A method of `VideoTexture` that only the host implements [context3d.video.attach].
macro_rules! attaching {
    ($name:literal $parameter:literal $type:literal) => {
        Method {
            kind: MethodKind::Method,
            name: $name,
            parameters: &[Parameter {
                name: $parameter,
                table_type: $type,
                default: None,
                since: None,
            }],
            result: None,
            needs: CallRequires::Context,
            ..getter!(VideoTexture attach void "29" "[context3d.video.attach]")
        }
    };
}

macro_rules! define_properties {
    ($($class:ident $name:ident: $type:ident $(($static:ident))?, since $since:literal, $text:literal:
        |$context:pat_param, $object:pat_param| $get:expr;)+) => {
        /// The methods that the host implements, and the properties that programs read.
        pub(super) const OTHERS: &[Method] = &[
            attaching!("attachNetStream" "netStream" "NetStream"),
            attaching!("attachCamera" "theCamera" "Camera"),
            getter!(Stage3D context3D Context3D "13" "[context3d.stage3d.context]"),
            getter!(Stage3D x Number "13" "[context3d.stage3d.position]"),
            getter!(Stage3D y Number "13" "[context3d.stage3d.position]"),
            getter!(Stage3D visible Boolean "13" "[context3d.stage3d.visible]"),
            $(getter!($class $name $type $since $text $($static)?)),+
        ];

        impl<B: Backend> Context3D<B> {
            /// Reads a property of the context or of one of its objects, by class and name. Returns `None` for an
            /// unknown property.
            ///
            /// | Property | SWF | Witness |
            /// |---|---|---|
            $(#[doc = concat!("| `", stringify!($class), ".", stringify!($name), "` | ", $since, " | ", $text, " |")])+
            ///
            /// # Errors
            /// 3694 if the property needs an object, and that object is disposed or belongs to another context.
            pub fn property(&self, class: &str, name: &str, object: Option<AnyHandle>)
                -> Result<Option<PropertyValue>, Error> {
                match (class, name) {
                    $((stringify!($class), stringify!($name)) => {
                        let ($context, $object) = (self, object);
                        Ok(Some(PropertyValue::from($get)))
                    })+
                    _ => Ok(None),
                }
            }
        }
    };
}

define_properties! {
    Context3D driverInfo: String, since "13", "[context3d.property.driver_info] [context3d.life.driver_info]":
        |context, _| context.driver_info();
    Context3D enableErrorChecking: Boolean, since "13", "[context3d.property.error_checking]":
        |context, _| context.error_checking();
    Context3D profile: String, since "23", "[context3d.property.profile] [context3d.life.profile]":
        |context, _| context.profile().map(|profile| profile.name().to_owned());
    Context3D backBufferWidth: int, since "26", "[context3d.property.back_buffer_size] [context3d.back_buffer.zoom]":
        |context, _| context.back_buffer_size().0;
    Context3D backBufferHeight: int, since "26", "[context3d.property.back_buffer_size] [context3d.back_buffer.zoom]":
        |context, _| context.back_buffer_size().1;
    Context3D maxBackBufferWidth: int, since "26", "[context3d.property.max_back_buffer]":
        |context, _| context.max_back_buffer_size().0;
    Context3D maxBackBufferHeight: int, since "26", "[context3d.property.max_back_buffer]":
        |context, _| context.max_back_buffer_size().1;
    Context3D supportsVideoTexture: Boolean (class), since "29", "[context3d.property.video]":
        |context, _| context.supports_video_texture();
    Context3D totalGPUMemory: Number, since "32", "[context3d.property.memory] [context3d.property.memory_mips]":
        |context, _| context.total_gpu_memory();
    Context3D ignoreResourceLimits: Boolean, since "A 50", "[context3d.property.ignore_limits]":
        |context, _| context.ignores_resource_limits();
    VideoTexture videoWidth: int, since "29", "[context3d.video.frames]":
        |context, texture| context.video_size(video(texture))?.0;
    VideoTexture videoHeight: int, since "29", "[context3d.video.frames]":
        |context, texture| context.video_size(video(texture))?.1;
}

/// Returns the handle of a texture, or an invalid handle for another object.
fn video(object: Option<AnyHandle>) -> ObjectHandle<TextureKey> {
    let texture = object.map(ObjectHandle::try_from);
    texture.and_then(Result::ok).unwrap_or_default()
}

//! The calls of Stage3D: a function for each row of [`context3d::call_table`]. `molehill.h` declares these functions.

// SAFETY of all functions: the caller guarantees the conditions on the crate's page.
#![allow(clippy::redundant_field_names, reason = "other fields differ from their arguments")]

use std::ffi::{c_char, c_void};

use context3d::Invocation;

use crate::arguments::{self as a, *};
use crate::context::{CallOutput, execute, execute_on};
use crate::failure::MolehillStatus;
use crate::handles::*;
use crate::pointers::{self as p, *};
use crate::status::guard;

/// The C type of an argument that needs one C parameter.
macro_rules! c {
    (int) => { i32 };
    (uint) => { u32 };
    (MipLevel) => { u32 };
    (Number) => { f64 };
    (Boolean) => { MolehillBool };
    (CubeSide) => { i64 };
    (Matrix3D) => { *const f64 };
    (BitmapData) => { *const MolehillBitmap };
    (VideoFrame) => { *const MolehillBitmap };
    (Rectangle) => { *const MolehillRectangle };
    (Point) => { *const MolehillPoint };
    (enum $enumeration:ident) => { *const c_char };
    (VertexBuffer3D) => { MolehillVertexBuffer };
    (IndexBuffer3D) => { MolehillIndexBuffer };
    (Program3D) => { MolehillProgram };
    ($texture:ident) => { MolehillTexture };
}

/// Converts an argument of one parameter to a field of the command.
macro_rules! field {
    ($it:ident int) => { $it };
    ($it:ident uint) => { $it };
    ($it:ident MipLevel) => { $it };
    ($it:ident Number) => { $it };
    ($it:ident Boolean) => { p::flag($it) };
    ($it:ident CubeSide) => { a::side($it) };
    ($it:ident Matrix3D) => { a::matrix($it)? };
    ($it:ident BitmapData) => { a::bitmap($it)? };
    ($it:ident VideoFrame) => { a::video_frame($it)? };
    ($it:ident Rectangle) => { a::rectangle($it)? };
    ($it:ident Point) => { a::point($it)? };
    ($it:ident enum $enumeration:ident) => { a::name($it) };
    ($it:ident $class:ident) => { a::object($it.id)? };
}

/// Adds the C parameters of each argument, and their conversion to a field of the command, then generates the function.
macro_rules! function {
    ($call:tt $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: Bytecode, $($rest:tt)*) => {
        function!($call $out
            [$($c)* $it: *const c_void, [<$it _length>]: usize, [<$it _big_endian>]: MolehillBool,]
            [$($field)* $it: a::bytecode($it, [<$it _length>], [<$it _big_endian>])?,] $($rest)*);
    };
    // `TextureUploadBlocks` isn't a method of ActionScript, and doesn't accept null.
    ((TextureUploadBlocks $($call:tt)*) $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: ByteArray, $($rest:tt)*) => {
        function!((TextureUploadBlocks $($call)*) $out [$($c)* $it: *const c_void, [<$it _length>]: usize,]
            [$($field)* $it: a::bytes($it, [<$it _length>])?.or(Some(&[])),] $($rest)*);
    };
    ($call:tt $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: ByteArray, $($rest:tt)*) => {
        function!($call $out [$($c)* $it: *const c_void, [<$it _length>]: usize,]
            [$($field)* $it: a::bytes($it, [<$it _length>])?,] $($rest)*);
    };
    ($call:tt $out:tt $c:tt $field:tt $it:ident: VectorNumber, $($rest:tt)*) => {
        function!($call $out $c $field $it: slice f64, $($rest)*);
    };
    ($call:tt $out:tt $c:tt $field:tt $it:ident: VectorFloat, $($rest:tt)*) => {
        function!($call $out $c $field $it: slice f32, $($rest)*);
    };
    ($call:tt $out:tt $c:tt $field:tt $it:ident: VectorUint, $($rest:tt)*) => {
        function!($call $out $c $field $it: slice u32, $($rest)*);
    };
    ($call:tt $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: slice $type:ident, $($rest:tt)*) => {
        function!($call $out [$($c)* $it: *const $type, [<$it _length>]: usize,]
            [$($field)* $it: p::slice($it, [<$it _length>])?,] $($rest)*);
    };
    ($call:tt $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: BitmapTarget, $($rest:tt)*) => {
        function!($call [CallOutput::Pixels($it)] [$($c)* $it: *const MolehillBitmapTarget,]
            [$($field)* $it: a::bitmap_target($it)?.map(|it| it.0),] $($rest)*);
    };
    ($call:tt $out:tt [$($c:tt)*] [$($field:tt)*] $it:ident: $($type:ident)+, $($rest:tt)*) => {
        function!($call $out [$($c)* $it: c!($($type)+),] [$($field)* $it: field!($it $($type)+),] $($rest)*);
    };
    (($variant:ident [] $($page:tt)*) [create $class:ident] [$($c:tt)*] [$($field:tt)*]) => { pastey::paste! {
        #[doc = $($page)*]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn [<molehill_context_ $variant:snake>](
            context: MolehillContext, $($c)* created: *mut c!($class),
        ) -> MolehillStatus {
            guard(|| unsafe { execute(context, CallOutput::Object(created.cast()),
                &Invocation::$variant { $($field)* }) })
        }
    } };
    (($variant:ident [] $($page:tt)*) [$($out:tt)*] [$($c:tt)*] [$($field:tt)*]) => { pastey::paste! {
        #[doc = $($page)*]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn [<molehill_context_ $variant:snake>](context: MolehillContext, $($c)*) -> MolehillStatus {
            guard(|| unsafe { execute(context, $($out)*, &Invocation::$variant { $($field)* }) })
        }
    } };
    (($variant:ident [$on:ident: $class:ident] $($page:tt)*) [$($out:tt)*] [$($c:tt)*] [$($field:tt)*]) => { pastey::paste! {
        #[doc = $($page)*]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn [<molehill_ $variant:snake>]($on: c!($class), $($c)*) -> MolehillStatus {
            guard(|| unsafe { execute_on($on.id, $($out)*, |$on| Ok(Invocation::$variant { $on, $($field)* })) })
        }
    } };
}

/// Selects the `CallOutput` for the call's result, and generates the call's function.
macro_rules! begin {
    (($variant:ident [$on:ident: $class:ident] $($page:tt)*) Nothing [] $($rest:tt)*) => {
        function!(($variant [$on: $class] $($page)*) [CallOutput::End($on.id)] [] [] $($rest)*);
    };
    ($call:tt $needs:ident [] $($rest:tt)*) => { function!($call [CallOutput::Nothing] [] [] $($rest)*); };
    ($call:tt $needs:ident [Reply] $($rest:tt)*) => { function!($call [CallOutput::Nothing] [] [] $($rest)*); };
    ($call:tt $needs:ident [BitmapPatch] $($rest:tt)*) => { function!($call [CallOutput::Nothing] [] [] $($rest)*); };
    ($call:tt $needs:ident [$class:ident] $($rest:tt)*) => { function!($call [create $class] [] [] $($rest)*); };
}

macro_rules! define_functions {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($on:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(($($declared:tt)*))? $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {$(
        begin!(
            ($variant [$($on: $base)?] concat!("[`Invocation::", stringify!($variant), "`]"))
            $needs [$($result)?] $($field: $($type)+,)*
        );
    )+};
}

context3d::call_table!(define_functions);

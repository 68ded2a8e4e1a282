//! The one description of the calls: [`call_table!`]. From it come [`Call`], its reader and its writer here, and the
//! translation into `context3d`'s commands in `replay::dispatch`.

use context3d::Rectangle;

use super::data::{Bitmap, BitmapTarget, ByteArray, Matrix, Numbers, Point, Uints};
use super::error::{CaptureErrorKind, KeyFault};
use super::json::Object;
use super::objects::{IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId};
use super::value::{Accepts, Field, NoParameter, Optional};

/// Gives every call that FORMAT.md lists to the macro `$use_of`. A row:
///
/// ```text
/// Variant "method" -> KindOfResult { field "key": Type, … } => Command(receiver);
/// ```
///
/// Rows stand under the class of their receiver. `-> KindOfResult` is there where the call creates an object.
/// `=> Command` names the variant of `context3d::Command` with the same fields, `(receiver)` its field for the object
/// that is called; a call without it is one on a Stage3D, which `replay` handles itself.
macro_rules! call_table {
    ($use_of:ident) => {
        $use_of! {
            Stage3D {
                RequestContext3D "requestContext3D" -> Context3D {
                    stage3d_index "stage3DIndex": u32,
                    render_mode "context3DRenderMode": Optional<Option<String>>,
                    profile "profile": Optional<Option<String>>,
                    profiles "profiles": Optional<Option<Vec<Option<String>>>>,
                };
                SetX "x" { value "value": f64 };
                SetY "y" { value "value": f64 };
                SetVisible "visible" { value "value": bool };
            }
            Context3D {
                ConfigureBackBuffer "configureBackBuffer" {
                    width "width": i32,
                    height "height": i32,
                    anti_alias "antiAlias": i32,
                    enable_depth_and_stencil "enableDepthAndStencil": bool,
                    wants_best_resolution "wantsBestResolution": bool,
                    wants_best_resolution_on_browser_zoom "wantsBestResolutionOnBrowserZoom": bool,
                } => ConfigureBackBuffer;
                Clear "clear" {
                    red "red": f64,
                    green "green": f64,
                    blue "blue": f64,
                    alpha "alpha": f64,
                    depth "depth": f64,
                    stencil "stencil": u32,
                    mask "mask": u32,
                } => Clear;
                Present "present" {} => Present;
                Dispose "dispose" { recreate "recreate": Optional<bool> } => Dispose;
                CreateVertexBuffer "createVertexBuffer" -> VertexBuffer3D {
                    num_vertices "numVertices": i32,
                    data32_per_vertex "data32PerVertex": i32,
                    buffer_usage "bufferUsage": Option<String>,
                } => CreateVertexBuffer;
                CreateVertexBufferForInstances "createVertexBufferForInstances" -> VertexBuffer3D {
                    num_vertices "numVertices": i32,
                    data32_per_vertex "data32PerVertex": i32,
                    instances_per_element "instancesPerElement": i32,
                    buffer_usage "bufferUsage": Option<String>,
                } => CreateVertexBufferForInstances;
                CreateIndexBuffer "createIndexBuffer" -> IndexBuffer3D {
                    num_indices "numIndices": i32,
                    buffer_usage "bufferUsage": Option<String>,
                } => CreateIndexBuffer;
                CreateProgram "createProgram" -> Program3D {} => CreateProgram;
                CreateTexture "createTexture" -> Texture {
                    width "width": i32,
                    height "height": i32,
                    format "format": Option<String>,
                    optimize_for_render_to_texture "optimizeForRenderToTexture": bool,
                    streaming_levels "streamingLevels": i32,
                } => CreateTexture;
                CreateRectangleTexture "createRectangleTexture" -> RectangleTexture {
                    width "width": i32,
                    height "height": i32,
                    format "format": Option<String>,
                    optimize_for_render_to_texture "optimizeForRenderToTexture": bool,
                } => CreateRectangleTexture;
                CreateCubeTexture "createCubeTexture" -> CubeTexture {
                    size "size": i32,
                    format "format": Option<String>,
                    optimize_for_render_to_texture "optimizeForRenderToTexture": bool,
                    streaming_levels "streamingLevels": i32,
                } => CreateCubeTexture;
                SetProgram "setProgram" { program "program": Option<ProgramId> } => SetProgram;
                SetProgramConstantsFromMatrix "setProgramConstantsFromMatrix" {
                    program_type "programType": Option<String>,
                    first_register "firstRegister": i32,
                    matrix "matrixB64": Option<Matrix>,
                    transposed_matrix "transposedMatrix": bool,
                } => SetProgramConstantsFromMatrix;
                SetProgramConstantsFromVector "setProgramConstantsFromVector" {
                    program_type "programType": Option<String>,
                    first_register "firstRegister": i32,
                    data "dataF64B64": Option<Numbers>,
                    num_registers "numRegisters": i32,
                } => SetProgramConstantsFromVector;
                SetProgramConstantsFromByteArray "setProgramConstantsFromByteArray" {
                    program_type "programType": Option<String>,
                    first_register "firstRegister": i32,
                    num_registers "numRegisters": i32,
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                } => SetProgramConstantsFromByteArray;
                SetVertexBufferAt "setVertexBufferAt" {
                    index "index": i32,
                    buffer "buffer": Option<VertexBufferId>,
                    buffer_offset "bufferOffset": i32,
                    format "format": Option<String>,
                } => SetVertexBufferAt;
                SetTextureAt "setTextureAt" {
                    sampler "sampler": i32,
                    texture "texture": Option<TextureId>,
                } => SetTextureAt;
                SetSamplerStateAt "setSamplerStateAt" {
                    sampler "sampler": i32,
                    wrap "wrap": Option<String>,
                    filter "filter": Option<String>,
                    mipfilter "mipfilter": Option<String>,
                } => SetSamplerStateAt;
                SetBlendFactors "setBlendFactors" {
                    source_factor "sourceFactor": Option<String>,
                    destination_factor "destinationFactor": Option<String>,
                } => SetBlendFactors;
                SetColorMask "setColorMask" {
                    red "red": bool,
                    green "green": bool,
                    blue "blue": bool,
                    alpha "alpha": bool,
                } => SetColorMask;
                SetCulling "setCulling" {
                    triangle_face_to_cull "triangleFaceToCull": Option<String>,
                } => SetCulling;
                SetDepthTest "setDepthTest" {
                    depth_mask "depthMask": bool,
                    pass_compare_mode "passCompareMode": Option<String>,
                } => SetDepthTest;
                SetStencilActions "setStencilActions" {
                    triangle_face "triangleFace": Option<String>,
                    compare_mode "compareMode": Option<String>,
                    action_on_both_pass "actionOnBothPass": Option<String>,
                    action_on_depth_fail "actionOnDepthFail": Option<String>,
                    action_on_depth_pass_stencil_fail "actionOnDepthPassStencilFail": Option<String>,
                } => SetStencilActions;
                SetStencilReferenceValue "setStencilReferenceValue" {
                    reference_value "referenceValue": u32,
                    read_mask "readMask": u32,
                    write_mask "writeMask": u32,
                } => SetStencilReferenceValue;
                SetScissorRectangle "setScissorRectangle" {
                    rectangle "rectangle": Option<Rectangle>,
                } => SetScissorRectangle;
                SetRenderToTexture "setRenderToTexture" {
                    texture "texture": Option<TextureId>,
                    enable_depth_and_stencil "enableDepthAndStencil": bool,
                    anti_alias "antiAlias": i32,
                    surface_selector "surfaceSelector": i32,
                    color_output_index "colorOutputIndex": i32,
                } => SetRenderToTexture;
                SetRenderToBackBuffer "setRenderToBackBuffer" {} => SetRenderToBackBuffer;
                DrawTriangles "drawTriangles" {
                    index_buffer "indexBuffer": Option<IndexBufferId>,
                    first_index "firstIndex": i32,
                    num_triangles "numTriangles": i32,
                } => DrawTriangles;
                DrawTrianglesInstanced "drawTrianglesInstanced" {
                    index_buffer "indexBuffer": Option<IndexBufferId>,
                    num_instances "numInstances": i32,
                    first_index "firstIndex": i32,
                    num_triangles "numTriangles": i32,
                } => DrawTrianglesInstanced;
                DrawToBitmapData "drawToBitmapData" {
                    destination "destination": Option<BitmapTarget>,
                    source_rect "srcRect": Optional<Option<Rectangle>>,
                    dest_point "destPoint": Optional<Option<Point>>,
                } => DrawToBitmapData;
                SetFillMode "setFillMode" { fill_mode "fillMode": Option<String> } => SetFillMode;
                EnableErrorChecking "enableErrorChecking" { value "value": bool } => EnableErrorChecking;
            }
            VertexBuffer3D {
                VertexBufferUploadFromByteArray "uploadFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": i32,
                    start_vertex "startVertex": i32,
                    num_vertices "numVertices": i32,
                } => VertexBufferUploadFromByteArray(buffer);
                VertexBufferUploadFromVector "uploadFromVector" {
                    data "dataF64B64": Option<Numbers>,
                    start_vertex "startVertex": i32,
                    num_vertices "numVertices": i32,
                } => VertexBufferUploadFromVector(buffer);
                VertexBufferDispose "dispose" {} => VertexBufferDispose(buffer);
            }
            IndexBuffer3D {
                IndexBufferUploadFromByteArray "uploadFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": i32,
                    start_offset "startOffset": i32,
                    count "count": i32,
                } => IndexBufferUploadFromByteArray(buffer);
                IndexBufferUploadFromVector "uploadFromVector" {
                    data "dataU32B64": Option<Uints>,
                    start_offset "startOffset": i32,
                    count "count": i32,
                } => IndexBufferUploadFromVector(buffer);
                IndexBufferDispose "dispose" {} => IndexBufferDispose(buffer);
            }
            Program3D {
                ProgramUpload "upload" {
                    vertex_program "vertexProgramB64": ByteArray,
                    fragment_program "fragmentProgramB64": ByteArray,
                } => ProgramUpload(program);
                ProgramDispose "dispose" {} => ProgramDispose(program);
            }
            Texture {
                TextureUploadFromBitmapData "uploadFromBitmapData" {
                    source "source": Option<Bitmap>,
                    side "side": NoParameter,
                    miplevel "miplevel": u32,
                } => TextureUploadFromBitmapData(texture);
                TextureUploadFromByteArray "uploadFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                    side "side": NoParameter,
                    miplevel "miplevel": u32,
                } => TextureUploadFromByteArray(texture);
                TextureUploadCompressed "uploadCompressedTextureFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                    is_async "async": bool,
                } => TextureUploadCompressedFromByteArray(texture);
                TextureDispose "dispose" {} => TextureDispose(texture);
            }
            RectangleTexture {
                RectangleTextureUploadFromBitmapData "uploadFromBitmapData" {
                    source "source": Option<Bitmap>,
                    side "side": NoParameter,
                    miplevel "miplevel": NoParameter,
                } => TextureUploadFromBitmapData(texture);
                RectangleTextureUploadFromByteArray "uploadFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                    side "side": NoParameter,
                    miplevel "miplevel": NoParameter,
                } => TextureUploadFromByteArray(texture);
                RectangleTextureDispose "dispose" {} => TextureDispose(texture);
            }
            CubeTexture {
                CubeTextureUploadFromBitmapData "uploadFromBitmapData" {
                    source "source": Option<Bitmap>,
                    side "side": u32,
                    miplevel "miplevel": u32,
                } => TextureUploadFromBitmapData(texture);
                CubeTextureUploadFromByteArray "uploadFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                    side "side": u32,
                    miplevel "miplevel": u32,
                } => TextureUploadFromByteArray(texture);
                CubeTextureUploadCompressed "uploadCompressedTextureFromByteArray" {
                    data "dataB64": ByteArray,
                    byte_array_offset "byteArrayOffset": u32,
                    is_async "async": bool,
                } => TextureUploadCompressedFromByteArray(texture);
                CubeTextureDispose "dispose" {} => TextureDispose(texture);
            }
        }
    };
}
pub(crate) use call_table;

/// What is known of a call without its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// Class of the object that is called.
    pub receiver: ObjectKind,
    /// ActionScript's name of the method or property.
    pub name: &'static str,
    /// Class of the object that the call creates, if it does.
    pub creates: Option<ObjectKind>,
}

macro_rules! define_calls {
    ($($receiver:ident { $(
        $variant:ident $name:literal $(-> $creates:ident)? {
            $($field:ident $key:literal: $type:ty),* $(,)?
        } $(=> $command:ident $(($on:ident))?)?;
    )* })*) => {
        /// One call with its arguments; fields and their meaning are those of the ActionScript API.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "fields carry the names of ActionScript's parameters, documented by Adobe")]
        pub enum Call {
            $($(
                #[doc = concat!("`", stringify!($receiver), ".", $name, "`")]
                $variant { $($field: $type),* },
            )*)*
        }

        /// Every call, in the order of the table.
        pub const CALLS: &[CallInfo] = &[$($(CallInfo {
            receiver: ObjectKind::$receiver,
            name: $name,
            creates: define_calls!(@creates $($creates)?),
        }),*),*];

        impl Call {
            /// The row of the table.
            pub fn info(&self) -> CallInfo {
                match self {
                    $($(Call::$variant { .. } => CallInfo {
                        receiver: ObjectKind::$receiver,
                        name: $name,
                        creates: define_calls!(@creates $($creates)?),
                    },)*)*
                }
            }

            /// Reads the arguments of the method `name` of a `receiver`; `None` if it has no such method.
            pub(super) fn read(
                receiver: ObjectKind,
                name: &str,
                object: &Object<'_>,
            ) -> Option<Result<Call, CaptureErrorKind>> {
                match (receiver, name) {
                    $($((ObjectKind::$receiver, $name) => {
                        let read = || -> Result<Call, (&'static str, KeyFault)> {
                            Ok(Call::$variant {
                                $($field: Field::read(object, $key).map_err(|fault| ($key, fault))?),*
                            })
                        };
                        Some(read().map_err(|(key, fault)| CaptureErrorKind::Key {
                            place: $name,
                            key: key.to_owned(),
                            fault,
                        }))
                    })*)*
                    _ => None,
                }
            }

            /// Appends `,"key":value` for every argument.
            pub(super) fn append(&self, out: &mut String) {
                match self {
                    $($(Call::$variant { $($field),* } => {
                        $($field.append($key, out);)*
                        let _ = out;
                    })*)*
                }
            }

            /// Tells every object among the arguments with its key and what it must be.
            pub(super) fn references(&self, see: &mut dyn FnMut(&'static str, ObjectId, Accepts)) {
                match self {
                    $($(Call::$variant { $($field),* } => {
                        $($field.named(&mut |id, accepts| see($key, id, accepts));)*
                        let _ = &see;
                    })*)*
                }
            }
        }
    };
    (@creates) => { None };
    (@creates $creates:ident) => { Some(ObjectKind::$creates) };
}

call_table!(define_calls);

impl Call {
    /// ActionScript's name of the method or property.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// Class of the object that the call creates, if it does.
    pub fn creates(&self) -> Option<ObjectKind> {
        self.info().creates
    }

    /// Where the call uploads an ATF file: what it hands over from its offset on.
    pub fn atf_file(&self) -> Option<&[u8]> {
        let (Call::TextureUploadCompressed {
            data,
            byte_array_offset,
            ..
        }
        | Call::CubeTextureUploadCompressed {
            data,
            byte_array_offset,
            ..
        }) = self
        else {
            return None;
        };
        let bytes = data.0.as_ref().map(|data| data.bytes.as_slice());
        let offset = usize::try_from(*byte_array_offset).unwrap_or(usize::MAX);
        let file = bytes.and_then(|bytes| bytes.get(offset..));
        Some(file.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_receiver_has_a_method_once() {
        let mut seen = HashSet::new();
        for CallInfo { receiver, name, .. } in CALLS {
            assert!(
                seen.insert((receiver, name)),
                "{receiver}.{name} stands twice in the table"
            );
        }
        // As many as FORMAT.md lists.
        assert_eq!(CALLS.len(), 55);
    }
}

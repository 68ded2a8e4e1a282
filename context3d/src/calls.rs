//! Every method and property of the API with the errors it raises and the witness of its behaviour: [`CALLS`] and
//! [`PROPERTIES`]. Errors of the reference that nothing raises: [`NOT_RAISED`](crate::NOT_RAISED).
//!
//! Not in the rows, because they hold for every call:
//!
//! - On a context that has ended, each call but `dispose` raises [`Disposed`](crate::ErrorCode::Disposed) (3694), and so
//!   does each call with or on an object that was disposed.
//! - A call that needs the device raises [`InBackground`](crate::ErrorCode::InBackground) (3768) while the host says that
//!   the application is in the background; which calls these are is unverified.
//!
//! The number in the column "SWF" is the oldest version that has the call (profiles.md, "Availability"; "A" stands for the
//! AIR runtime where it gives that alone). A virtual machine shows a program what its version has; here calls are taken
//! whatever the version. Where an error itself depends on the version, the row of the table of errors or the code says so.
//!
//! `wantsBestResolution` and `wantsBestResolutionOnBrowserZoom` of `configureBackBuffer` have an effect where the host's
//! display is finer than the stage: [`Scale`](crate::Scale).
//!
//! `context3d.md`, `context3d-errors.md` and so on are pages of the project's reference; other names are captures.

use crate::command::Command;
use crate::error::ErrorCode;

/// A row of [`CALLS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the variant of [`Command`].
    pub variant: &'static str,
    /// ActionScript's name.
    pub name: &'static str,
    /// Oldest SWF version that has it.
    pub since: &'static str,
    /// Reaches the device, so that it raises 3768 in the background.
    pub device: bool,
    /// What it raises.
    pub errors: &'static [ErrorCode],
    /// Variant of another row: it raises all of that too.
    pub as_well_as: Option<&'static str>,
    /// Where its behaviour is known from.
    pub witness: &'static str,
}

/// A row of [`PROPERTIES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    /// ActionScript's name.
    pub name: &'static str,
    /// Oldest SWF version that has it.
    pub since: &'static str,
    /// What is called here.
    pub method: &'static str,
    /// What it raises.
    pub errors: &'static [ErrorCode],
    /// Where its behaviour is known from.
    pub witness: &'static str,
}

impl Call {
    /// Whether the call may raise this error number; of an upload of a program also any of `agal`'s.
    pub fn raises(&self, number: u16) -> bool {
        let own = self.errors.iter().any(|code| code.number() == number);
        let shared = match number {
            3694 => self.variant != "Dispose",
            3768 => self.device,
            _ => false,
        };
        let like = |variant| CALLS.iter().find(|call| call.variant == variant);
        let inherited = self.as_well_as.and_then(like);
        let agal = self.variant == "ProgramUpload"
            && agal::ErrorKind::ALL
                .iter()
                .any(|kind| kind.number() == number);
        own || shared || agal || inherited.is_some_and(|call| call.raises(number))
    }
}

/// `Device` or `State`
macro_rules! reaches_device {
    (Device) => {
        true
    };
    (State) => {
        false
    };
}

macro_rules! optional {
    () => {
        None
    };
    ($name:ident) => {
        Some(stringify!($name))
    };
}

macro_rules! calls {
    ($(
        $variant:ident $name:literal $since:literal $reach:ident
        [$($code:ident)*] $(as $like:ident)? => $witness:literal;
    )+) => {
        /// Every variant of [`Command`].
        ///
        /// | Call | SWF | Reaches | Errors | Witness |
        /// |---|---|---|---|---|
        $(#[doc = concat!(
            "| `", $name, "` ([", stringify!($variant), "](Command::", stringify!($variant), ")) | ", $since, " | ",
            stringify!($reach), " | ",
            $("those of [", stringify!($like), "](Command::", stringify!($like), "), ",)?
            $("[", stringify!($code), "](ErrorCode::", stringify!($code), ") ",)*
            "| ", $witness, " |"
        )])+
        pub const CALLS: &[Call] = &[$(calls!(@row $variant $name $since $reach [$($code)*] [$($like)?] $witness)),+];

        impl Call {
            /// The row of a command.
            pub fn of(command: &Command<'_>) -> &'static Call {
                match command {
                    $(Command::$variant { .. } => {
                        const ROW: &Call = &calls!(@row $variant $name $since $reach [$($code)*] [$($like)?] $witness);
                        ROW
                    })+
                }
            }
        }
    };
    (@row $variant:ident $name:literal $since:literal $reach:ident [$($code:ident)*] [$($like:ident)?] $witness:literal) => {
        Call {
            variant: stringify!($variant),
            name: $name,
            since: $since,
            device: reaches_device!($reach),
            errors: &[$(ErrorCode::$code),*],
            as_well_as: optional!($($like)?),
            witness: $witness,
        }
    };
}

calls! {
    ConfigureBackBuffer "Context3D.configureBackBuffer" "13" Device
        [BadInputSize BackBufferWidth BackBufferHeight DescriptorDepth OutsideStageBounds]
        => "context3d.md section 5; context3d-errors.md, size errors by SWF version (player test); triangle";
    Clear "Context3D.clear" "13" Device
        [NoBackBuffer TargetSlots TargetsDiffer TargetTwice TargetBitDepth]
        => "context3d.md section 5; blend, stencil";
    Present "Context3D.present" "13" Device [NoBackBuffer NotCleared NeverCleared]
        => "context3d.md section 5; rotating_cube";
    Dispose "Context3D.dispose" "13" State [] => "context3d.md sections 5 and 10";
    CreateVertexBuffer "Context3D.createVertexBuffer" "13" Device
        [NullParameter NotAccepted BufferEmpty BufferTooBig ResourceLimit BufferFailed]
        => "context3d.md section 8; profiles.md, limits common to all profiles; triangle";
    CreateVertexBufferForInstances "Context3D.createVertexBufferForInstances" "31" Device
        [NeedsStandardExtended InstancesPerElement] as CreateVertexBuffer
        => "context3d.md sections 6 and 8";
    CreateIndexBuffer "Context3D.createIndexBuffer" "13" Device
        [NullParameter NotAccepted BufferEmpty BufferTooBig ResourceLimit BufferFailed]
        => "context3d.md section 8; profiles.md, limits common to all profiles; triangle";
    CreateProgram "Context3D.createProgram" "13" Device [ResourceLimit]
        => "profiles.md, limits common to all profiles; triangle";
    CreateTexture "Context3D.createTexture" "13" Device
        [NullParameter NotAccepted FormatNotInProfile TextureEmpty NotPowerOfTwo TextureTooBig CompressedTooSmall
         StreamingLevels ResourceLimit TextureFailed]
        => "context3d.md section 8; textures-and-atf.md section 1; texture";
    CreateRectangleTexture "Context3D.createRectangleTexture" "21" Device
        [NeedsBaseline NullParameter NotAccepted FormatNotInProfile RectangleFormat TextureEmpty RectangleTooBig
         ResourceLimit TextureFailed]
        => "context3d.md section 8; profiles.md, texture and resource limits; texture_bytearray";
    CreateCubeTexture "Context3D.createCubeTexture" "13" Device
        [NullParameter NotAccepted FormatNotInProfile TextureEmpty NotPowerOfTwo CubeTooBig CompressedTooSmall
         StreamingLevels ResourceLimit TextureFailed]
        => "context3d.md section 8; demo_away3dtut_materials-basic-skybox-Basic-SkyBox";
    CreateVideoTexture "Context3D.createVideoTexture" "29" Device [ResourceLimit]
        => "context3d.md section 8; profiles.md, limits common to all profiles";
    SetProgram "Context3D.setProgram" "13" State [] => "context3d.md section 6; sampler";
    SetProgramConstantsFromMatrix "Context3D.setProgramConstantsFromMatrix" "13" State
        [NullParameter NotAccepted IndexOutOfBounds] => "context3d.md section 6; rotating_cube";
    SetProgramConstantsFromVector "Context3D.setProgramConstantsFromVector" "13" State
        [NullParameter NotAccepted BadInputSize IndexOutOfBounds]
        => "context3d.md section 6; context3d-errors.md, setProgramConstants* (player test); float1_index";
    SetProgramConstantsFromByteArray "Context3D.setProgramConstantsFromByteArray" "14" State
        [NullParameter NotAccepted BadInputSize IndexOutOfBounds]
        => "context3d.md section 6; program_constants_bytearray_le";
    SetVertexBufferAt "Context3D.setVertexBufferAt" "13" State [NullParameter NotAccepted IndexOutOfBounds]
        => "context3d.md section 6; errors, float1_index, triangle_bytes4";
    SetTextureAt "Context3D.setTextureAt" "13" State [IndexOutOfBounds] => "context3d.md section 6; texture";
    SetSamplerStateAt "Context3D.setSamplerStateAt" "19" State [NullParameter NotAccepted IndexOutOfBounds]
        => "context3d.md section 6; sampler";
    SetBlendFactors "Context3D.setBlendFactors" "13" State [NullParameter NotAccepted]
        => "context3d.md section 6; context3d-errors.md, parameter names (player test); blend";
    SetColorMask "Context3D.setColorMask" "13" State [] => "context3d.md section 6; stencil";
    SetCulling "Context3D.setCulling" "13" State [NullParameter NotAccepted]
        => "context3d.md sections 2 and 6; context3d-errors.md, parameter names (player test); rotating_cube";
    SetDepthTest "Context3D.setDepthTest" "13" State [NullParameter NotAccepted]
        => "context3d.md section 6; context3d-errors.md, parameter names (player test); stencil";
    SetStencilActions "Context3D.setStencilActions" "13" State [NullParameter NotAccepted]
        => "context3d.md section 6; context3d-errors.md, parameter names (player test); stencil";
    SetStencilReferenceValue "Context3D.setStencilReferenceValue" "13" State []
        => "context3d.md section 6; stencil";
    SetScissorRectangle "Context3D.setScissorRectangle" "13" State []
        => "context3d.md section 6; scissor_rectangle";
    SetRenderToTexture "Context3D.setRenderToTexture" "13" State
        [OutputIndex NeedsStandard InvalidParameter CompressedTarget StreamingTarget Selector2d SelectorCube
         SelectorRectangle FeatureUnavailable]
        => "context3d.md section 7; texture";
    SetRenderToBackBuffer "Context3D.setRenderToBackBuffer" "13" State [] => "context3d.md section 7; texture";
    DrawTriangles "Context3D.drawTriangles" "13" Device
        [NullParameter TooManyDraws NoBackBuffer NotCleared NeverCleared TargetSlots TargetsDiffer TargetTwice
         TargetBitDepth NoProgram NoIndexBuffer InsaneTriangles NotEnoughIndices TextureMissing InvalidTexture
         SamplesTarget DimensionMismatch IncompleteTexture IncompleteStreaming MustClamp RectangleMips VideoMips ReadMode
         TextureUnused SamplersDiffer TargetsAndOutputs DepthOutput StreamMissing InvalidStream StreamOffset
         NotEnoughVertices StreamUnused NotEnoughInstances InstanceStreamFirst ScissorOutside]
        => "context3d.md sections 6 and 9; context3d-errors.md, order of checks; triangle";
    DrawTrianglesInstanced "Context3D.drawTrianglesInstanced" "31" Device
        [NeedsStandardExtended InvalidParameter] as DrawTriangles => "context3d.md section 6";
    DrawToBitmapData "Context3D.drawToBitmapData" "13" Device
        [NullParameter InvalidBitmapData NoBackBuffer OutsideStage] => "context3d.md section 5; demo_away3d_picking-overview-listing-05-TutorialsLauncher";
    SetFillMode "Context3D.setFillMode" "27" State [NullParameter NotAccepted FeatureUnavailable]
        => "context3d.md section 6";
    EnableErrorChecking "Context3D.enableErrorChecking = " "13" State [] => "context3d.md section 9; stencil";
    MaxBackBufferWidth "Context3D.maxBackBufferWidth = " "26" State [] => "context3d.md section 3";
    MaxBackBufferHeight "Context3D.maxBackBufferHeight = " "26" State [] => "context3d.md section 3";
    IgnoreResourceLimits "Context3D.ignoreResourceLimits = " "A 50" State [] => "context3d.md section 3";
    VertexBufferUploadFromByteArray "VertexBuffer3D.uploadFromByteArray" "13" Device [NullParameter BadInputSize]
        => "context3d.md section 8; triangle_bytes4";
    VertexBufferUploadFromVector "VertexBuffer3D.uploadFromVector" "13" Device [NullParameter BadInputSize]
        => "context3d.md section 8; triangle";
    VertexBufferDispose "VertexBuffer3D.dispose" "13" State [] => "context3d.md section 8; demo_glsl2agal_examples-StarlingExample-BunnyMark-Starling";
    IndexBufferUploadFromByteArray "IndexBuffer3D.uploadFromByteArray" "13" Device [NullParameter BadInputSize]
        => "context3d.md section 8";
    IndexBufferUploadFromVector "IndexBuffer3D.uploadFromVector" "13" Device [NullParameter BadInputSize]
        => "context3d.md section 8; triangle";
    IndexBufferDispose "IndexBuffer3D.dispose" "13" State [] => "context3d.md section 8; demo_glsl2agal_examples-StarlingExample-BunnyMark-Starling";
    ProgramUpload "Program3D.upload" "13" Device [NullParameter ResourceLimit]
        => "context3d.md section 8, agal.md and agal-errors.md, all of whose errors it raises; triangle";
    ProgramDispose "Program3D.dispose" "13" State [] => "context3d.md section 8";
    TextureUploadFromBitmapData "Texture, RectangleTexture, CubeTexture.uploadFromBitmapData" "13" Device
        [NullParameter InvalidParameter CubeSide MipLevel FormatMismatch InvalidBitmapData ResourceLimit
        TextureFailed]
        => "textures-and-atf.md section 1; texture, demo_away3dtut_materials-basic-skybox-Basic-SkyBox";
    TextureUploadFromByteArray "Texture, RectangleTexture, CubeTexture.uploadFromByteArray" "13" Device
        [NullParameter InvalidParameter CubeSide MipLevel FormatMismatch BadInputSize ResourceLimit TextureFailed]
        => "textures-and-atf.md section 1; texture_bytearray";
    TextureUploadFromBitmapDataAsync "Texture, RectangleTexture, CubeTexture.uploadFromBitmapDataAsync" "35" Device
        [AsyncLevel UploadFailed] as TextureUploadFromBitmapData => "textures-and-atf.md section 1, uploads";
    TextureUploadFromByteArrayAsync "Texture, RectangleTexture, CubeTexture.uploadFromByteArrayAsync" "35" Device
        [AsyncLevel UploadFailed] as TextureUploadFromByteArray => "textures-and-atf.md section 1, uploads";
    TextureUploadCompressedFromByteArray "Texture, CubeTexture.uploadCompressedTextureFromByteArray" "13" Device
        [NullParameter InvalidParameter BadInputSize DecodingFailed NotSquare SizeMismatch FormatMismatch MipLevel
        ResourceLimit TextureFailed UploadFailed]
        => "textures-and-atf.md sections 1 and 2; demo_away3dtut_materials-basic-atf-texture-Basic-ATF-Texture";
    TextureDispose "Texture, RectangleTexture, CubeTexture, VideoTexture.dispose" "13" State []
        => "context3d.md section 8; demo_heaps_tools-fbx-fbxViewer";
    VideoTextureFrame "the host's, no method" "29" Device [InvalidParameter InvalidBitmapData TextureFailed]
        => "context3d.md section 8";
}

macro_rules! properties {
    ($($name:literal $since:literal $method:literal [$($code:ident)*] => $witness:literal;)+) => {
        /// What is asked of the context, or of a Stage3D, without a [`Command`].
        ///
        /// | Property or method | SWF | Here | Errors | Witness |
        /// |---|---|---|---|---|
        $(#[doc = concat!(
            "| `", $name, "` | ", $since, " | [`", $method, "`](crate::", $method, ") | ",
            $("[", stringify!($code), "](ErrorCode::", stringify!($code), ") ",)*
            "| ", $witness, " |"
        )])+
        pub const PROPERTIES: &[Property] = &[$(Property {
            name: $name,
            since: $since,
            method: $method,
            errors: &[$(ErrorCode::$code),*],
            witness: $witness,
        }),+];
    };
}

properties! {
    "Stage3D.context3D" "13" "Context3D::ended" [] => "context3d.md section 1";
    "Stage3D.x" "13" "Stage3D::x" [] => "context3d.md section 1 (player output)";
    "Stage3D.y" "13" "Stage3D::y" [] => "context3d.md section 1 (player output)";
    "Stage3D.x = " "13" "Stage3D::set_x" [IndexOutOfBounds] => "context3d.md section 1 (player output)";
    "Stage3D.y = " "13" "Stage3D::set_y" [IndexOutOfBounds] => "context3d.md section 1 (player output)";
    "Stage3D.visible" "13" "Stage3D::visible" [] => "context3d.md section 1";
    "Stage3D.visible = " "13" "Stage3D::set_visible" [] => "context3d.md section 1";
    "Stage3D.requestContext3D" "13" "Stage3D::request"
        [NullParameter NotAccepted NoCreateListener InvalidParameter]
        => "context3d.md section 1; context3d-errors.md, parameter names";
    "Stage3D.requestContext3DMatchingProfiles" "23" "Stage3D::request_matching"
        [NullParameter NotAccepted NoCreateListener InvalidParameter]
        => "context3d.md section 1; context3d-errors.md, parameter names";
    "context3DCreate, error" "13" "Stage3D::answer" [NotAvailable] => "context3d.md section 1; profiles.md";
    "textureReady, error" "35" "Context3D::take_notice" [UploadFailed] => "textures-and-atf.md section 1, uploads";
    "Context3D.driverInfo" "13" "Context3D::driver_info" [] => "context3d.md sections 3 and 5";
    "Context3D.enableErrorChecking" "13" "Context3D::error_checking" [] => "context3d.md section 9";
    "Context3D.profile" "23" "Context3D::profile" [] => "context3d.md section 3";
    "Context3D.backBufferWidth" "26" "Context3D::back_buffer_size" [] => "context3d.md section 3";
    "Context3D.backBufferHeight" "26" "Context3D::back_buffer_size" [] => "context3d.md section 3";
    "Context3D.maxBackBufferWidth" "26" "Context3D::max_back_buffer_size" [] => "context3d.md section 3";
    "Context3D.maxBackBufferHeight" "26" "Context3D::max_back_buffer_size" [] => "context3d.md section 3";
    "Context3D.supportsVideoTexture" "29" "Context3D::supports_video_texture" [] => "context3d.md section 3";
    "Context3D.totalGPUMemory" "32" "Context3D::total_gpu_memory" [] => "context3d.md section 3";
    "Context3D.ignoreResourceLimits" "A 50" "Context3D::ignores_resource_limits" [] => "context3d.md section 3";
}

//! The table of errors of the Context3D API.
//!
//! The source is `REFERENCE-errors.md`: entry 3600 is the fact [context3d.error.3600]. Errors of AGAL programs are in
//! `agal`.

use super::ErrorClass;

/// The condition under which Flash raises an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCondition {
    /// Flash raises the error with and without `enableErrorChecking`.
    Always,
    /// Flash raises the error only with `enableErrorChecking`. Without error checking, the draw is silently dropped
    /// ([`Reply::Skipped`](crate::Reply::Skipped)).
    CheckingElseSkipped,
    /// Flash raises the error only with `enableErrorChecking`. Without error checking, the draw is executed.
    CheckingElseDrawn,
}

macro_rules! flash_errors {
    ($($name:ident $number:literal $class:ident $raised:ident $message:literal;)+) => {
        /// An entry of the error table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $(#[doc = concat!("#", stringify!($number), ": ", $message)] $name,)+
            /// Error 1034, which the VM raises for an argument of a class that the parameter doesn't accept.
            Coercion,
            /// An entry of the AGAL error table.
            Agal(agal::errors::ErrorKind),
        }

        impl ErrorCode {
            /// All entries of this table, by number. AGAL's errors are in [`agal::errors::ErrorKind::ALL`].
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$name),+];

            /// Returns Flash's error number.
            pub fn number(self) -> u16 {
                match self {
                    $(ErrorCode::$name => $number,)+
                    ErrorCode::Coercion => 1034,
                    ErrorCode::Agal(kind) => kind.number(),
                }
            }

            /// Returns the class that Flash throws.
            pub fn class(self) -> ErrorClass {
                match self {
                    $(ErrorCode::$name => ErrorClass::$class,)+
                    ErrorCode::Coercion => ErrorClass::TypeError,
                    ErrorCode::Agal(kind) => kind.class(),
                }
            }

            /// Returns the condition under which Flash raises the error.
            pub fn raised(self) -> ErrorCondition {
                match self {
                    $(ErrorCode::$name => ErrorCondition::$raised,)+
                    ErrorCode::Coercion | ErrorCode::Agal(_) => ErrorCondition::Always,
                }
            }

            /// Returns Flash's message, with placeholders `%1`, `%2`, ….
            pub fn template(self) -> &'static str {
                match self {
                    $(ErrorCode::$name => $message,)+
                    ErrorCode::Coercion => "Type Coercion failed.",
                    ErrorCode::Agal(kind) => kind.template(),
                }
            }
        }
    };
}

flash_errors! {
    InvalidParameter 2004 ArgumentError Always "One of the parameters is invalid.";
    // For indices of registers, streams and samplers, the reference specifies RangeError without a number. A trace
    // shows error 2006 for registers [context3d.error.2006]; no source shows the number for streams and samplers
    // [context3d.error.2006.slots].
    IndexOutOfBounds 2006 RangeError Always "The supplied index is out of bounds.";
    NullParameter 2007 TypeError Always "Parameter %1 must be non-null.";
    NotAccepted 2008 ArgumentError Always "Parameter %1 must be one of the accepted values.";
    InvalidBitmapData 2015 ArgumentError Always "Invalid BitmapData.";
    NoProgram 3600 Error CheckingElseSkipped "No valid program set.";
    // Without error checking, an index buffer that was never uploaded is drawn as zeros, as are streams
    // [context3d.error.3601.unchecked].
    NoIndexBuffer 3601 Error CheckingElseSkipped "No valid index buffer set.";
    BadDrawRange 3602 Error CheckingElseSkipped "Sanity check on parameters failed, %1 triangles and %2 index offset.";
    NotEnoughIndices 3603 RangeError CheckingElseSkipped "Not enough indices in this buffer. %1 triangles at offset %2, but there are only %3 indices in buffer.";
    SamplesTarget 3604 Error CheckingElseSkipped "Sampler %1 binds a texture that is also bound for render to texture.";
    InvalidTexture 3605 Error CheckingElseSkipped "Sampler %1 binds an invalid texture.";
    StreamUnused 3607 Error CheckingElseDrawn "Stream %1 is set but not used by the current vertex program.";
    // Without error checking, a stream that was never uploaded is drawn as zeros [context3d.error.3608.unchecked]. A
    // draw with a disposed stream is dropped.
    InvalidStream 3608 Error CheckingElseSkipped "Stream %1 is invalid.";
    NotEnoughVertices 3609 RangeError CheckingElseDrawn "Stream %1 does not have enough vertices.";
    StreamOffset 3610 RangeError CheckingElseSkipped "Stream %1 vertex offset is out of bounds";
    StreamMissing 3611 Error CheckingElseSkipped "Stream %1 is read by the current vertex program but not set.";
    TextureMissing 3663 Error CheckingElseSkipped "Sampler %1 binds an undefined texture.";
    BadInputSize 3669 RangeError Always "Bad input size.";
    BufferTooBig 3670 ArgumentError Always "Buffer too big.";
    BufferEmpty 3671 ArgumentError Always "Buffer has zero size.";
    BufferFailed 3672 ArgumentError Always "Buffer creation failed. Internal error.";
    CubeSide 3673 ArgumentError Always "Cube side must be [0..5].";
    MipLevel 3674 ArgumentError Always "Miplevel too large.";
    FormatMismatch 3675 ArgumentError Always "Texture format mismatch.";
    DecodingFailed 3677 ArgumentError Always "Texture decoding failed. Internal error.";
    NotSquare 3678 ArgumentError Always "Texture needs to be square.";
    SizeMismatch 3679 ArgumentError Always "Texture size does not match.";
    TextureEmpty 3681 ArgumentError Always "Texture size is zero.";
    NotPowerOfTwo 3682 ArgumentError Always "Texture size not a power of two.";
    TextureTooBig 3683 ArgumentError Always "Texture too big (max is %1x%1).";
    TextureFailed 3684 Error Always "Texture creation failed. Internal error.";
    NoCreateListener 3688 Error Always "You must add an event listener for the context3DCreate event before requesting a new Context3D.";
    TooManyDraws 3690 Error Always "Too many draw calls before calling present.";
    ResourceLimit 3691 Error Always "Resource limit for this resource type exceeded.";
    NotCleared 3692 Error CheckingElseDrawn "All buffers need to be cleared every frame before drawing.";
    Disposed 3694 Error Always "The object was disposed by an earlier call of dispose() on it.";
    SamplersDiffer 3695 Error CheckingElseDrawn "A texture can only be bound to multiple samplers if the samplers also have the exact same properties. Mismatch at samplers %1 and %2.";
    TextureUnused 3697 Error CheckingElseDrawn "A texture is bound on sampler %1 but not used by the fragment program.";
    NoBackBuffer 3698 Error Always "The back buffer is not configured.";
    IncompleteTexture 3700 Error CheckingElseSkipped "A texture sampler binds an incomplete texture. Make sure to upload(). All miplevels are required when mipmapping is enabled.";
    // An `error` event of the `Stage3D` reports error 3702.
    NotAvailable 3702 Error Always "Context3D not available.";
    CubeTooBig 3705 ArgumentError Always "Cubemap texture too big (max is 1024x1024).";
    ScissorOutside 3706 Error CheckingElseSkipped "Scissor rectangle is set but does not intersect the framebuffer.";
    FeatureUnavailable 3708 Error Always "Feature not available on this platform.";
    DescriptorDepth 3709 Error Always "The depthAndStencil flag in the application descriptor must match the enableDepthAndStencil Boolean passed to configureBackBuffer on the Context3D object.";
    // A trace shows error 3710 during a resize, from which the failing operation is inferred [context3d.error.3710].
    OperationFailed 3710 Error Always "Requested Stage3D Operation failed to complete.";
    StreamingLevels 3711 ArgumentError Always "The streaming levels is too large.";
    StreamingTarget 3712 ArgumentError Always "Rendering to streaming textures is not allowed.";
    IncompleteStreaming 3713 Error CheckingElseSkipped "Incomplete streaming texture (base level not uploaded) used with no mip sampling.";
    OutsideStageBounds 3723 Error Always "Invalid Context3D bounds. Context3D instance bounds must be contained within Stage bounds in constrained mode. Requested Context3D bounds were (%1,%2,%3,%4), stage bounds are (%5,%6,%7,%8).";
    TargetSlots 3728 Error CheckingElseSkipped "When rendering to multiple textures slot 0 must be active. When rendering to the back buffer all render to texture slots must be disabled.";
    TargetsDiffer 3729 Error CheckingElseSkipped "When rendering to multiple textures all textures must have the same dimension and render settings.";
    TargetTwice 3730 Error CheckingElseSkipped "When rendering to multiple textures the same texture (or cube map face) may not be bound into multiple slots.";
    CompressedTooSmall 3745 ArgumentError Always "Compressed texture size is too small. The minimum size for compressed textures is 4x4.";
    CompressedTarget 3746 ArgumentError Always "Rendering to compressed textures is not allowed.";
    MustClamp 3753 Error CheckingElseSkipped "Rectangle or cube textures require textures sampling to be set to clamp.";
    DimensionMismatch 3754 Error CheckingElseSkipped "Texture sampler dimensions mismatch. The AGAL declaration has to match the texture used.";
    RectangleMips 3755 Error CheckingElseSkipped "Rectangle textures have to disable mip mapping and can not have a lod bias set.";
    FormatNotInProfile 3759 ArgumentError Always "The selected texture format is not valid in this profile.";
    TargetBitDepth 3761 Error CheckingElseSkipped "The bit depth of all textures used for render to texture must be exactly the same.";
    RectangleFormat 3762 ArgumentError Always "This texture format is not supported for rectangle textures.";
    ReadMode 3763 Error CheckingElseSkipped "Sampler %1 binds a texture that that does not match the read mode specified in AGAL. Reading compressed or single/dual channel textures must be explicitly declared.";
    RectangleTooBig 3766 ArgumentError Always "RectangleTexture too big (max is the larger of %1x%1 or the size of the backbuffer).";
    InBackground 3768 Error Always "The Stage3D API may not be used during background execution on this operating system.";
    OutputIndex 3770 ArgumentError Always "ColorOutputIndex must be in the range [0..3].";
    Selector2d 3771 ArgumentError Always "2D textures need to have surfaceSelector = 0.";
    SelectorCube 3772 ArgumentError Always "Cube textures need to have surfaceSelector [0..5].";
    SelectorRectangle 3773 ArgumentError Always "Rectangle textures need to have surfaceSelector = 0.";
    TargetsAndOutputs 3774 Error CheckingElseDrawn "All the assigned render targets should match the outputs in the fragment program.";
    DepthOutput 3776 Error CheckingElseDrawn "Depth output in fragment program requires depthAndStencil = true.";
    NeverCleared 3777 Error CheckingElseDrawn "Buffers need to be cleared before first draw.";
    VideoMips 3778 Error CheckingElseSkipped "Video textures have to disable mip mapping and can not have a LOD bias set.";
    NeedsStandard 3779 ArgumentError Always "This call requires a Context3D that is created with the standard profile or above";
    BackBufferWidth 3780 Error Always "Requested width of backbuffer is not in allowed range %1 to %2.";
    BackBufferHeight 3781 Error Always "Requested height of backbuffer is not in allowed range %1 to %2.";
    NeedsBaseline 3782 Error Always "This call requires a Context3D that is created with the baseline profile or above.";
    InstancesPerElement 3784 Error Always "The number of instances per element should be greater than 0.";
    NotEnoughInstances 3785 Error CheckingElseSkipped "Vertex buffer stream %1 does not contain enough elements for number of instances.";
    NeedsStandardExtended 3787 Error Always "This call requires a Context3D that is created with the standard extended profile or above.";
    // An `error` event of the texture reports error 3790.
    UploadFailed 3790 Error Always "Texture upload failed.";
    AsyncLevel 3791 ArgumentError Always "Asynchronous upload is available for miplevel 0 only.";
    InstanceStreamFirst 3792 Error CheckingElseSkipped "Vertex buffer stream %1 for instances is improperly set at first index.";
    OutsideStage 3802 Error Always "Offset outside stage coordinate bound.";
}

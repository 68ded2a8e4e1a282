//! The table of methods: [`call_table!`](crate::call_table).

/// Passes the table of all calls on `Context3D` and its objects to a macro: `call_table!(define)` expands to `define! {
/// rows }`, and `call_table!(define { … })` puts further rows of the same syntax before them. [`Invocation`], the table
/// [`METHODS`], the methods of [`Context3D`] and the calls of captures are generated from this table; no other list
/// exists.
///
/// The syntax of a row, with optional parts in `[…]`:
///
/// ```text
/// Variant: method|clear|upload|dispose|draw|setter|host Class[ | Class …] [(receiver: Type)] "nameInActionScript" [-> Result],
///     since "SWF version", needs Needs [dirties [Dirty …]] { field "parameterInActionScript": Type [(declared [since "version"])] [= default], … }
///     [ErrorCode …]
///     [as OtherVariant] => "witness";
/// ```
///
/// - `receiver` is the field for the object whose method is called; calls on the context have no such field.
/// - `Result` is the class of the created object, or the returned type.
/// - The method of [`Context3D`] for `TextureDispose` is `texture_dispose`; its arguments are the receiver and the
///   fields. `texture_dispose_impl` implements it; its result converts into [`Reply`].
/// - `Type` is `int`, `uint`, `Number`, `Boolean`, `ByteArray`, `Bytecode` (a `ByteArray` with its byte order),
///   `VectorNumber`, `VectorFloat` (`Vector.<float>`), `VectorUint`, `Matrix3D`, `BitmapData` (read), `BitmapTarget` (a
///   `BitmapData` that is written),
///   `VideoFrame`, `Rectangle`, `Point`, `CubeSide` (a parameter of cube textures' methods only), `MipLevel` (not a
///   parameter of rectangle textures' methods), a class for a reference that may be null (`TextureBase`: any texture),
///   or `enum` and the name of an enumeration ([`FlashName`](crate::enums::FlashName)).
/// - `clear`, `upload`, `dispose` and `draw` are methods that clear the render target, replace the content of an object,
///   dispose an object, or draw triangles.
/// - `host`: only the host makes the call, which uploads content; ActionScript has no such method.
/// - Rows of `Stage3D` also use `String`, `Strings` (`Vector.<String>`), and `Listens`, which is not a parameter: it is
///   true if a listener for `context3DCreate` exists.
/// - A version of `since` is an SWF version, or `A` and a version of AIR if only AIR has the call.
/// - `declared` is the default in ActionScript's declaration; the `since` after it is the oldest runtime with the
///   parameter, if it differs from that of the call. `= default` is the default in Rust, for parameters that captures
///   may lack.
/// - `dirties` lists the checks of draws that depend on the changed state, as flags of `DirtyFlags`; without it, all
///   checks are repeated.
/// - The error codes are errors that the call raises in addition to those of `needs`. With `as OtherVariant`, the call
///   also raises all errors of that row.
///
/// [`Invocation`]: crate::Invocation
/// [`METHODS`]: crate::calls::METHODS
/// [`Context3D`]: crate::Context3D
/// [`Reply`]: crate::Reply
#[macro_export]
macro_rules! call_table {
    ($define:ident $({ $($more:tt)* })?) => {
        $define! {
            $($($more)*)?
            ConfigureBackBuffer: method Context3D "configureBackBuffer", since "13", needs Device {
                width "width": int, height "height": int, anti_alias "antiAlias": int,
                enable_depth_and_stencil "enableDepthAndStencil": Boolean (true),
                wants_best_resolution "wantsBestResolution": Boolean (false),
                wants_best_resolution_on_browser_zoom "wantsBestResolutionOnBrowserZoom": Boolean (false),
            } [BadInputSize BackBufferWidth BackBufferHeight DescriptorDepth OutsideStageBounds OperationFailed]
                => "[context3d.back_buffer.size]; [context3d.error.3780] [context3d.error.3669.back_buffer]; triangle";
            Clear: clear Context3D "clear", since "13", needs Device dirties [TARGET] {
                red "red": Number (0.0), green "green": Number (0.0), blue "blue": Number (0.0), alpha "alpha": Number (1.0),
                depth "depth": Number (1.0), stencil "stencil": uint (0), mask "mask": uint (0xffffffff),
            } [NoBackBuffer TargetSlots TargetsDiffer TargetTwice TargetBitDepth]
                => "[context3d.clear.values]; blend, stencil";
            Present: method Context3D "present",
                since "13", needs Context {} [InBackground NoBackBuffer NotCleared NeverCleared]
                => "[context3d.present.shows]; rotating_cube";
            Dispose: dispose Context3D "dispose", since "13", needs Nothing { recreate "recreate": Boolean (true) = true } []
                => "[context3d.life.dispose] [context3d.life.recreate]";
            CreateVertexBuffer: method Context3D "createVertexBuffer" -> VertexBuffer3D, since "13", needs Device {
                num_vertices "numVertices": int, data32_per_vertex "data32PerVertex": int,
                buffer_usage "bufferUsage": enum BufferUsage ("staticDraw"),
            } [NullParameter NotAccepted BufferEmpty BufferTooBig ResourceLimit BufferFailed]
                => "[context3d.vertex_buffer.create]; [context3d.limit.vertices] [context3d.limit.values]; triangle";
            CreateVertexBufferForInstances: method Context3D "createVertexBufferForInstances" -> VertexBuffer3D,
                since "31", needs Device {
                num_vertices "numVertices": int, data32_per_vertex "data32PerVertex": int,
                instances_per_element "instancesPerElement": int, buffer_usage "bufferUsage": enum BufferUsage ("staticDraw"),
            } [NeedsStandardExtended InstancesPerElement] as CreateVertexBuffer
                => "[context3d.draw.per_instance]";
            CreateIndexBuffer: method Context3D "createIndexBuffer" -> IndexBuffer3D, since "13", needs Device {
                num_indices "numIndices": int, buffer_usage "bufferUsage": enum BufferUsage ("staticDraw"),
            } [NullParameter NotAccepted BufferEmpty BufferTooBig ResourceLimit BufferFailed]
                => "[context3d.index_buffer.create]; [context3d.limit.indices] [context3d.limit.memory]; triangle";
            CreateProgram: method Context3D "createProgram" -> Program3D, since "13", needs Device {} [ResourceLimit]
                => "[context3d.limit.objects]; triangle";
            CreateTexture: method Context3D "createTexture" -> Texture, since "13", needs Device {
                width "width": int, height "height": int, format "format": enum TextureFormat,
                optimize_for_render_to_texture "optimizeForRenderToTexture": Boolean,
                streaming_levels "streamingLevels": int (0),
            } [NullParameter NotAccepted FormatNotInProfile TextureEmpty NotPowerOfTwo TextureTooBig
                 CompressedTooSmall StreamingLevels ResourceLimit TextureFailed]
                => "[context3d.texture_object.kinds]; [context3d.format.bgra] [context3d.order.texture]; texture";
            CreateRectangleTexture: method Context3D "createRectangleTexture" -> RectangleTexture,
                since "21", needs Device {
                width "width": int, height "height": int, format "format": enum TextureFormat,
                optimize_for_render_to_texture "optimizeForRenderToTexture": Boolean,
            } [NeedsBaseline NullParameter NotAccepted FormatNotInProfile RectangleFormat TextureEmpty
                 RectangleTooBig ResourceLimit TextureFailed]
                => "[context3d.texture_object.kinds]; [context3d.profile.rectangle]; texture_bytearray";
            CreateCubeTexture: method Context3D "createCubeTexture" -> CubeTexture, since "13", needs Device {
                size "size": int, format "format": enum TextureFormat,
                optimize_for_render_to_texture "optimizeForRenderToTexture": Boolean,
                streaming_levels "streamingLevels": int (0),
            } [NullParameter NotAccepted FormatNotInProfile TextureEmpty NotPowerOfTwo CubeTooBig CompressedTooSmall
                 StreamingLevels ResourceLimit TextureFailed]
                => "[context3d.texture_object.kinds]; demo_away3dtut_materials-basic-skybox-Basic-SkyBox";
            /// Returns [`Reply::Null`] if the host doesn't support video textures.
            CreateVideoTexture: method Context3D "createVideoTexture" -> VideoTexture,
                since "29", needs Device {} [ResourceLimit]
                => "[context3d.video.create]; [context3d.limit.videos]";
            SetProgram: method Context3D "setProgram", since "13", needs Context dirties [PROGRAM STREAMS TEXTURES] { program "program": Program3D } []
                => "[context3d.program.bind] [context3d.program.samplers]; sampler";
            SetProgramConstantsFromMatrix: method Context3D "setProgramConstantsFromMatrix", since "13", needs Context dirties [] {
                program_type "programType": enum ProgramType, first_register "firstRegister": int,
                matrix "matrix": Matrix3D, transposed_matrix "transposedMatrix": Boolean (false),
            } [NullParameter NotAccepted IndexOutOfBounds]
                => "[context3d.constants.matrix]; rotating_cube";
            SetProgramConstantsFromVector: method Context3D "setProgramConstantsFromVector", since "13", needs Context dirties [] {
                program_type "programType": enum ProgramType, first_register "firstRegister": int,
                data "data": VectorNumber, num_registers "numRegisters": int (-1),
            } [NullParameter NotAccepted BadInputSize IndexOutOfBounds]
                => "[context3d.constants.vector]; [context3d.error.3669]; float1_index";
            SetProgramConstantsFromFloatVector: method Context3D "setProgramConstantsFromFloatVector",
                since "A 51", needs Context dirties [] {
                program_type "programType": enum ProgramType, first_register "firstRegister": int,
                data "data": VectorFloat, num_registers "numRegisters": int (-1),
            } [] as SetProgramConstantsFromVector
                => "[context3d.swf.late]";
            SetProgramConstantsFromByteArray: method Context3D "setProgramConstantsFromByteArray",
                since "14", needs Context dirties [] {
                program_type "programType": enum ProgramType, first_register "firstRegister": int,
                num_registers "numRegisters": int, data "data": ByteArray,
                byte_array_offset "byteArrayOffset": uint,
            } [NullParameter NotAccepted BadInputSize IndexOutOfBounds]
                => "[context3d.constants.bytes]; program_constants_bytearray_le";
            SetVertexBufferAt: method Context3D "setVertexBufferAt", since "13", needs Context dirties [STREAMS] {
                index "index": int, buffer "buffer": VertexBuffer3D, buffer_offset "bufferOffset": int (0),
                format "format": enum VertexFormat ("float4"),
            } [NullParameter NotAccepted IndexOutOfBounds]
                => "[context3d.stream.bind]; errors, float1_index, triangle_bytes4";
            SetTextureAt: method Context3D "setTextureAt",
                since "13", needs Context dirties [TEXTURES] { sampler "sampler": int, texture "texture": TextureBase } [IndexOutOfBounds]
                => "[context3d.slot.bind]; texture";
            SetSamplerStateAt: method Context3D "setSamplerStateAt", since "19", needs Context dirties [TEXTURES] {
                sampler "sampler": int, wrap "wrap": enum WrapMode, filter "filter": enum TextureFilter,
                mipfilter "mipfilter": enum MipFilter,
            } [NullParameter NotAccepted IndexOutOfBounds]
                => "[context3d.sampler.set]; sampler";
            SetBlendFactors: method Context3D "setBlendFactors", since "13", needs Context dirties [RASTER] {
                source_factor "sourceFactor": enum BlendFactor, destination_factor "destinationFactor": enum BlendFactor,
            } [NullParameter NotAccepted]
                => "[context3d.blend.equation]; [context3d.name.blend_factors]; blend";
            SetColorMask: method Context3D "setColorMask", since "13", needs Context dirties [RASTER] {
                red "red": Boolean, green "green": Boolean, blue "blue": Boolean, alpha "alpha": Boolean,
            } []
                => "[context3d.color_mask.draws]; stencil";
            SetCulling: method Context3D "setCulling",
                since "13", needs Context dirties [RASTER] { triangle_face_to_cull "triangleFaceToCull": enum TriangleFace }
                [NullParameter NotAccepted]
                => "[context3d.culling.faces] [context3d.clip.front]; [context3d.name.set_culling]; rotating_cube";
            SetDepthTest: method Context3D "setDepthTest", since "13", needs Context dirties [RASTER] {
                depth_mask "depthMask": Boolean, pass_compare_mode "passCompareMode": enum CompareMode,
            } [NullParameter NotAccepted]
                => "[context3d.depth.test]; [context3d.name.depth_test]; stencil";
            SetStencilActions: method Context3D "setStencilActions", since "13", needs Context dirties [RASTER] {
                triangle_face "triangleFace": enum TriangleFace ("frontAndBack"), compare_mode "compareMode": enum CompareMode ("always"),
                action_on_both_pass "actionOnBothPass": enum StencilAction ("keep"),
                action_on_depth_fail "actionOnDepthFail": enum StencilAction ("keep"),
                action_on_depth_pass_stencil_fail "actionOnDepthPassStencilFail": enum StencilAction ("keep"),
            } [NullParameter NotAccepted]
                => "[context3d.stencil.test]; [context3d.name.stencil_actions]; stencil";
            SetStencilReferenceValue: method Context3D "setStencilReferenceValue", since "13", needs Context dirties [RASTER] {
                reference_value "referenceValue": uint, read_mask "readMask": uint (255), write_mask "writeMask": uint (255),
            } []
                => "[context3d.stencil.reference]; stencil";
            SetScissorRectangle: method Context3D "setScissorRectangle",
                since "13", needs Context dirties [RASTER] { rectangle "rectangle": Rectangle } []
                => "[context3d.scissor.rectangle]; scissor_rectangle";
            SetRenderToTexture: method Context3D "setRenderToTexture", since "13", needs Context dirties [TARGET TEXTURES RASTER] {
                texture "texture": TextureBase, enable_depth_and_stencil "enableDepthAndStencil": Boolean (false),
                anti_alias "antiAlias": int (0), surface_selector "surfaceSelector": int (0),
                color_output_index "colorOutputIndex": int (0),
            } [OutputIndex NeedsStandard InvalidParameter CompressedTarget StreamingTarget Selector2d SelectorCube
                 SelectorRectangle FeatureUnavailable]
                => "[context3d.target.set]; texture";
            SetRenderToBackBuffer: method Context3D "setRenderToBackBuffer", since "13", needs Context dirties [TARGET TEXTURES RASTER] {} []
                => "[context3d.target.back]; texture";
            DrawTriangles: draw Context3D "drawTriangles" -> Reply, since "13", needs Device dirties [] {
                index_buffer "indexBuffer": IndexBuffer3D, first_index "firstIndex": int (0),
                num_triangles "numTriangles": int (-1),
            } [NullParameter TooManyDraws NoBackBuffer NotCleared NeverCleared TargetSlots TargetsDiffer TargetTwice
                 TargetBitDepth NoProgram NoIndexBuffer BadDrawRange NotEnoughIndices TextureMissing InvalidTexture
                 SamplesTarget DimensionMismatch IncompleteTexture IncompleteStreaming MustClamp RectangleMips
                 VideoMips ReadMode TextureUnused SamplersDiffer TargetsAndOutputs DepthOutput StreamMissing
                 InvalidStream StreamOffset NotEnoughVertices StreamUnused NotEnoughInstances InstanceStreamFirst
                 ScissorOutside]
                => "[context3d.draw.range] [context3d.draw.invalid]; [context3d.order.draw]; triangle";
            DrawTrianglesInstanced: draw Context3D "drawTrianglesInstanced" -> Reply, since "31", needs Device dirties [] {
                index_buffer "indexBuffer": IndexBuffer3D, num_instances "numInstances": int,
                first_index "firstIndex": int (0), num_triangles "numTriangles": int (-1),
            } [NeedsStandardExtended InvalidParameter] as DrawTriangles
                => "[context3d.draw.instanced]";
            /// Returns the pixels as [`Reply::Bitmap`]. `srcRect` and `destPoint` exist in AIR since version 25
            /// [context3d.bitmap.part].
            DrawToBitmapData: method Context3D "drawToBitmapData" -> BitmapPatch, since "13", needs Device {
                destination "destination": BitmapTarget, source_rect "srcRect": Rectangle (null since "A 25") = None,
                dest_point "destPoint": Point (null since "A 25") = None,
            } [NullParameter InvalidBitmapData NoBackBuffer NotCleared OutsideStage]
                => "[context3d.bitmap.copy]; demo_away3d_picking-overview-listing-05-TutorialsLauncher";
            SetFillMode: method Context3D "setFillMode",
                since "A 16", needs Context dirties [RASTER] { fill_mode "fillMode": enum FillMode }
                [NullParameter NotAccepted FeatureUnavailable]
                => "[context3d.fill.mode]";
            SetErrorChecking: setter Context3D "enableErrorChecking",
                since "13", needs Context { value "value": Boolean } []
                => "[context3d.property.error_checking]; stencil";
            SetMaxBackBufferWidth: setter Context3D "maxBackBufferWidth",
                since "26", needs Context { value "value": int } []
                => "[context3d.property.max_back_buffer]";
            SetMaxBackBufferHeight: setter Context3D "maxBackBufferHeight",
                since "26", needs Context { value "value": int } []
                => "[context3d.property.max_back_buffer]";
            SetIgnoreResourceLimits: setter Context3D "ignoreResourceLimits",
                since "A 50", needs Context { value "value": Boolean } []
                => "[context3d.property.ignore_limits]";
            VertexBufferUploadFromByteArray: upload VertexBuffer3D (buffer: VertexBuffer3D) "uploadFromByteArray",
                since "13", needs Device dirties [STREAMS] {
                data "data": ByteArray, byte_array_offset "byteArrayOffset": int, start_vertex "startVertex": int,
                num_vertices "numVertices": int,
            } [NullParameter BadInputSize]
                => "[context3d.vertex_buffer.part] [context3d.vertex_buffer.bytes]; triangle_bytes4";
            VertexBufferUploadFromVector: upload VertexBuffer3D (buffer: VertexBuffer3D) "uploadFromVector",
                since "13", needs Device dirties [STREAMS] {
                data "data": VectorNumber, start_vertex "startVertex": int, num_vertices "numVertices": int,
            } [NullParameter BadInputSize]
                => "[context3d.vertex_buffer.part] [context3d.vertex_buffer.numbers]; triangle";
            VertexBufferUploadFromFloatVector: upload VertexBuffer3D (buffer: VertexBuffer3D) "uploadFromFloatVector",
                since "A 51", needs Device dirties [STREAMS] {
                data "data": VectorFloat, start_vertex "startVertex": int, num_vertices "numVertices": int,
            } [] as VertexBufferUploadFromVector
                => "[context3d.swf.late]";
            VertexBufferDispose: dispose VertexBuffer3D (buffer: VertexBuffer3D) "dispose",
                since "13", needs Nothing {} []
                => "[context3d.life.again]; demo_glsl2agal_examples-StarlingExample-BunnyMark-Starling";
            IndexBufferUploadFromByteArray: upload IndexBuffer3D (buffer: IndexBuffer3D) "uploadFromByteArray",
                since "13", needs Device dirties [] {
                data "data": ByteArray, byte_array_offset "byteArrayOffset": int, start_offset "startOffset": int,
                count "count": int,
            } [NullParameter BadInputSize]
                => "[context3d.index_buffer.part]";
            IndexBufferUploadFromVector: upload IndexBuffer3D (buffer: IndexBuffer3D) "uploadFromVector",
                since "13", needs Device dirties [] {
                data "data": VectorUint, start_offset "startOffset": int, count "count": int,
            } [NullParameter BadInputSize]
                => "[context3d.index_buffer.low_bits]; triangle";
            IndexBufferDispose: dispose IndexBuffer3D (buffer: IndexBuffer3D) "dispose", since "13", needs Nothing {} []
                => "[context3d.life.again]; demo_glsl2agal_examples-StarlingExample-BunnyMark-Starling";
            ProgramUpload: upload Program3D (program: Program3D) "upload", since "13", needs Device {
                vertex_program "vertexProgram": Bytecode, fragment_program "fragmentProgram": Bytecode,
            } [NullParameter ResourceLimit]
                => "[context3d.program.failed], [agal.check.form] and all of AGAL's errors, which it raises; triangle";
            ProgramDispose: dispose Program3D (program: Program3D) "dispose", since "13", needs Nothing {} []
                => "[context3d.life.again]";
            TextureUploadFromBitmapData: upload Texture | RectangleTexture | CubeTexture (texture: TextureBase)
                "uploadFromBitmapData", since "13", needs Device {
                source "source": BitmapData, side "side": CubeSide, miplevel "miplevel": MipLevel (0),
            } [NullParameter InvalidParameter CubeSide MipLevel FormatMismatch InvalidBitmapData ResourceLimit
                 TextureFailed]
                => "[context3d.upload.smaller_bitmap] [context3d.upload.larger_bitmap]; texture, demo_away3dtut_materials-basic-skybox-Basic-SkyBox";
            TextureUploadFromByteArray: upload Texture | RectangleTexture | CubeTexture (texture: TextureBase)
                "uploadFromByteArray", since "13", needs Device {
                data "data": ByteArray, byte_array_offset "byteArrayOffset": uint, side "side": CubeSide,
                miplevel "miplevel": MipLevel (0),
            } [NullParameter InvalidParameter CubeSide MipLevel FormatMismatch BadInputSize ResourceLimit
                 TextureFailed]
                => "[context3d.upload.bytes] [context3d.format.bgra]; texture_bytearray";
            /// The result is reported as a [`TextureEvent`](crate::TextureEvent).
            TextureUploadFromBitmapDataAsync: upload Texture | RectangleTexture | CubeTexture (texture: TextureBase)
                "uploadFromBitmapDataAsync", since "35", needs Device {
                source "source": BitmapData, side "side": CubeSide, miplevel "miplevel": MipLevel (0),
            } [AsyncLevel UploadFailed] as TextureUploadFromBitmapData
                => "[context3d.upload.async]";
            /// The result is reported as a [`TextureEvent`](crate::TextureEvent).
            TextureUploadFromByteArrayAsync: upload Texture | RectangleTexture | CubeTexture (texture: TextureBase)
                "uploadFromByteArrayAsync", since "35", needs Device {
                data "data": ByteArray, byte_array_offset "byteArrayOffset": uint, side "side": CubeSide,
                miplevel "miplevel": MipLevel (0),
            } [AsyncLevel UploadFailed] as TextureUploadFromByteArray
                => "[context3d.upload.async]";
            TextureUploadCompressedFromByteArray: upload Texture | CubeTexture (texture: TextureBase) "uploadCompressedTextureFromByteArray",
                since "13", needs Device {
                data "data": ByteArray, byte_array_offset "byteArrayOffset": uint, is_async "async": Boolean (false),
            } [NullParameter InvalidParameter BadInputSize DecodingFailed NotSquare SizeMismatch FormatMismatch
                 MipLevel ResourceLimit TextureFailed UploadFailed]
                => "[context3d.order.atf] [atf.header.new]; demo_away3dtut_materials-basic-atf-texture-Basic-ATF-Texture";
            /// Uploads the blocks of one level of one face. ActionScript has no `uploadBlocks`: the method serves hosts
            /// that read ATF files themselves. The data contains exactly the level's blocks (width and height are
            /// rounded up to 4 texels), in rows from the top. Blocks that the device doesn't support are decoded. Alpha
            /// is used if the texture's format has alpha, as in ATF files.
            TextureUploadBlocks: host Texture | CubeTexture (texture: TextureBase) "uploadBlocks",
                since "13", needs Device {
                data "data": ByteArray, format "format": enum BlockFormat, side "side": CubeSide,
                miplevel "miplevel": MipLevel,
            } [NullParameter NotAccepted InvalidParameter CubeSide MipLevel FormatMismatch BadInputSize ResourceLimit
                 TextureFailed]
                => "[atf.raw.size] [context3d.format.compressed]";
            TextureDispose: dispose Texture | RectangleTexture | CubeTexture | VideoTexture (texture: TextureBase)
                "dispose", since "13", needs Nothing {} []
                => "[context3d.life.again]; demo_heaps_tools-fbx-fbxViewer";
            /// Sets the current frame of the video that is attached to a `VideoTexture`. ActionScript has no method for
            /// video frames: the host makes the call, and dispatches `textureReady` for each frame
            /// [context3d.video.frames]. Frames may differ in size.
            VideoTextureFrame: host VideoTexture (texture: TextureBase) "videoFrame",
                since "29", needs Device { source "source": VideoFrame }
                [InvalidParameter InvalidBitmapData TextureFailed]
                => "[context3d.video.frames]";
        }
    };
}

/// Passes the rows of all methods to a macro: the methods and setters of `Stage3D`, which
/// [`Stage3D::execute`](crate::Stage3D::execute) executes, and then those of [`call_table!`].
#[macro_export]
#[doc(hidden)]
macro_rules! method_table {
    ($define:ident) => {
        $crate::call_table! { $define {
            RequestContext3D: method Stage3D "requestContext3D", since "13", needs Nothing {
                mode "context3DRenderMode": enum RenderMode ("auto"), profile "profile": String ("baseline"),
                listens "listens": Listens,
            } [NullParameter NotAccepted NoCreateListener InvalidParameter NotAvailable]
                => "[context3d.request.event] [context3d.request.mode] [context3d.error.3702]";
            RequestContext3DMatchingProfiles: method Stage3D "requestContext3DMatchingProfiles", since "22", needs Nothing {
                profiles "profiles": Strings, listens "listens": Listens,
            } [] as RequestContext3D
                => "[context3d.request.matching]";
            SetX: setter Stage3D "x", since "13", needs Nothing { value "value": Number }
                [IndexOutOfBounds OutsideStageBounds]
                => "[context3d.stage3d.position] [context3d.error.3723]";
            SetY: setter Stage3D "y", since "13", needs Nothing { value "value": Number }
                [IndexOutOfBounds OutsideStageBounds]
                => "[context3d.stage3d.position] [context3d.error.3723]";
            SetVisible: setter Stage3D "visible", since "13", needs Nothing { value "value": Boolean } []
                => "[context3d.stage3d.visible]";
        } }
    };
}

//! Detection of the context's features, once at the creation of a device.

use std::rc::Rc;

use context3d::backend::{BackendCaps, BackendError};
use context3d::packets::{MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS};

use crate::driver::DriverInfo;
use crate::gl::{GlFormat, GlFunctions, GlHandle, PixelSize, SingleValue};

/// Oldest OpenGL with all required features: sampler objects, divisors, GLSL 3.30.
const MIN_OPENGL: (u32, u32) = (3, 3);
/// Oldest OpenGL ES with all required features.
const MIN_GLES: (u32, u32) = (3, 0);
/// The first word of `Context3D.driverInfo` for OpenGL [context3d.property.driver_info].
const DRIVER_INFO_PREFIX: &str = "OpenGL";

/// Sets of extensions that together provide DXT1 and DXT5, by vendor and API.
const S3TC: [&[&str]; 3] = [
    &["GL_EXT_texture_compression_s3tc"],
    &["GL_EXT_texture_compression_dxt1", "GL_ANGLE_texture_compression_dxt5"],
    &["WEBGL_compressed_texture_s3tc"],
];

/// The detected features of a context.
#[derive(Clone, Debug)]
pub(crate) struct DetectedFeatures {
    /// Major and minor version.
    pub version: (u32, u32),
    /// OpenGL ES, which includes WebGL 2.
    pub es: bool,
    /// WebGL 2.
    pub web: bool,
    /// The driver's vendor, renderer, version and family.
    pub driver: DriverInfo,
    /// The context has `glClipControl` or its OpenGL ES extension.
    pub clip_control: bool,
    /// OpenGL's compatibility profile, whose additional state must be reset.
    pub compatibility: bool,
    /// `GL_FRAMEBUFFER_SRGB`
    pub srgb_write_control: bool,
    /// `GL_DEPTH_CLAMP`
    pub depth_clamp: bool,
    /// `GL_CLIP_DISTANCE0` and the seven after it.
    pub clip_distances: bool,
    /// Buffers are bound independently of attribute formats (`GL_ARB_vertex_attrib_binding`).
    pub vertex_bindings: bool,
    /// `GL_BGRA_EXT` as a format of texel data and storage in OpenGL ES; always available in OpenGL.
    pub bgra_data: bool,
    /// `glTexStorage2D`
    pub texture_storage: bool,
    /// `GL_RGB565` storage.
    pub rgb565: bool,
    /// Maximum anisotropy; 1 without support.
    pub max_anisotropy: f32,
    /// `GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS`
    pub texture_units: u32,
    /// The context reports resets.
    pub reports_reset: bool,
    /// Capabilities for `context3d`.
    pub public: BackendCaps,
}

impl DetectedFeatures {
    /// Queries the features of the context.
    pub(crate) fn query(gl: &Rc<GlFunctions>) -> Result<Self, BackendError> {
        let (major, minor, es) = gl.version();
        let version = (major, minor);
        let version_text = gl.string(glow::VERSION);
        let needed = if es { MIN_GLES } else { MIN_OPENGL };
        if version < needed {
            return Err(BackendError::Driver(format!(
                "the context is {version_text}; OpenGL {}.{} or OpenGL ES {}.{} is needed",
                MIN_OPENGL.0, MIN_OPENGL.1, MIN_GLES.0, MIN_GLES.1
            )));
        }
        let has = |name| gl.has_extension(name);
        let anisotropic = has("GL_EXT_texture_filter_anisotropic")
            || has("GL_ARB_texture_filter_anisotropic")
            || (!es && version >= (4, 6));
        let (vendor, renderer) = (gl.string(glow::VENDOR), gl.string(glow::RENDERER));
        let mut caps = Self {
            version,
            es,
            web: gl.is_web(),
            public: public(gl, es, &version_text),
            driver: DriverInfo::parse(vendor, renderer, version_text),
            clip_control: gl.has_clip_control(),
            compatibility: !es
                && gl.integer(SingleValue::ContextProfileMask).cast_unsigned()
                    & glow::CONTEXT_COMPATIBILITY_PROFILE_BIT
                    != 0,
            srgb_write_control: !es || has("GL_EXT_sRGB_write_control"),
            depth_clamp: !es || has("GL_EXT_depth_clamp"),
            vertex_bindings: gl.has_vertex_bindings(),
            clip_distances: !es || has("GL_EXT_clip_cull_distance"),
            bgra_data: !es || (has("GL_EXT_texture_format_BGRA8888") && bgra_renderable(gl)?),
            texture_storage: gl.has_texture_storage(),
            rgb565: es || version >= (4, 1) || has("GL_ARB_ES2_compatibility"),
            max_anisotropy: if anisotropic { gl.max_anisotropy().max(1.0) } else { 1.0 },
            texture_units: limit(gl.integer(SingleValue::MaxCombinedTextureUnits)),
            reports_reset: gl.reports_reset(),
        };
        caps.public.software = caps.driver.is_software();
        caps.public.max_samples = narrow(gl.integer(SingleValue::MaxSamples)).max(1);
        caps.public.half_float_targets = !es
            || version >= (3, 2)
            || has("GL_EXT_color_buffer_float")
            || has("GL_EXT_color_buffer_half_float");
        caps.public.s3tc = S3TC.iter().any(|names| names.iter().all(|name| has(name)));
        // ETC2 is part of OpenGL ES 3.0 but not of WebGL 2. OpenGL 4.3 accepts ETC2 too, but its drivers decode the
        // blocks, which saves no memory and would prevent the use of DXT.
        caps.public.etc2 = (es && !caps.web) || has("WEBGL_compressed_texture_etc");
        Ok(caps)
    }
}

/// Queries the limits for `context3d`.
fn public(gl: &GlFunctions, es: bool, version_text: &str) -> BackendCaps {
    let texture = limit(gl.integer(SingleValue::MaxTextureSize));
    let renderbuffer = limit(gl.integer(SingleValue::MaxRenderbufferSize));
    let outputs =
        gl.integer(SingleValue::MaxDrawBuffers).min(gl.integer(SingleValue::MaxColorAttachments));
    BackendCaps {
        driver_info: format!(
            "{DRIVER_INFO_PREFIX} Vendor={} Version={version_text} Renderer={} GLSL={}",
            gl.string(glow::VENDOR),
            gl.string(glow::RENDERER),
            gl.string(glow::SHADING_LANGUAGE_VERSION),
        ),
        software: false,
        max_texture_size: texture,
        max_cube_size: limit(gl.integer(SingleValue::MaxCubeSize)),
        max_target_size: texture.min(renderbuffer),
        max_samples: 1,
        max_samplers: at_most(gl.integer(SingleValue::MaxTextureUnits), MAX_SAMPLERS),
        max_streams: at_most(gl.integer(SingleValue::MaxVertexAttributes), MAX_STREAMS),
        max_instance_step: u32::MAX,
        max_vertex_stride: 256,
        max_color_outputs: at_most(outputs, MAX_COLOR_OUTPUTS),
        half_float_targets: false,
        s3tc: false,
        etc2: false,
        // OpenGL ES lacks glPolygonMode, just as Flash's mobile devices lack `setFillMode` [context3d.fill.mode].
        wireframe: !es,
    }
}

fn limit(value: i32) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

fn narrow(value: i32) -> u8 {
    u8::try_from(value.clamp(0, i32::from(u8::MAX))).unwrap_or(0)
}

fn at_most(value: i32, most: usize) -> u8 {
    narrow(value).min(u8::try_from(most).unwrap_or(u8::MAX))
}

/// The formats of B, G, R, A storage in OpenGL ES.
pub(crate) const BGRA: GlFormat = GlFormat {
    internal: glow::BGRA,
    render_buffer: glow::RGBA8,
    format: glow::BGRA,
    data_type: glow::UNSIGNED_BYTE,
    bytes: 4,
};

/// Returns whether OpenGL ES can render to B, G, R, A storage and generate its mip levels. The extension doesn't
/// specify either operation, so the function tries both. The function runs before the state cache exists, because the
/// cache would miss its bindings.
fn bgra_renderable(gl: &Rc<GlFunctions>) -> Result<bool, BackendError> {
    gl.check("querying the context's limits")?;
    let is_renderable = || -> Result<bool, BackendError> {
        let texture = GlHandle::<glow::Texture>::create(gl)?;
        let framebuffer = GlHandle::<glow::Framebuffer>::create(gl)?;
        let target = glow::TEXTURE_2D;
        gl.bind_texture(target, Some(texture.name()));
        // A texture of one texel has no levels to generate, so that `glGenerateMipmap` compiles no programs in a
        // software renderer. GL still reports an error if the format doesn't support mip generation.
        gl.tex_image(target, 0, PixelSize::new(1, 1), &BGRA, None)?;
        gl.generate_mipmap(target);
        gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer.name()));
        let attachment = glow::COLOR_ATTACHMENT0;
        let kind = glow::DRAW_FRAMEBUFFER;
        gl.framebuffer_texture(kind, attachment, target, Some(texture.name()), 0);
        Ok(gl.framebuffer_status(kind) == glow::FRAMEBUFFER_COMPLETE)
    };
    let complete = is_renderable().unwrap_or(false);
    let mut clean = true;
    // The loop is bounded, because a lost context may report errors forever.
    for _ in 0..8 {
        match gl.take_error() {
            glow::NO_ERROR => break,
            _ => clean = false,
        }
    }
    Ok(complete && clean)
}

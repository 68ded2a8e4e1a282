//! AGAL without a context: checks a pair of programs, and returns its interface and translations.

use std::ffi::{CString, c_char, c_void};
use std::sync::LazyLock;

use context3d::agal::glsl::{self, ClipDepth, DIALECTS, Dialect};
use context3d::agal::ir::IrOperation;
use context3d::agal::sampler::{Dimension, OPTIONS, SamplerField, SamplerOp, SamplerOption};
use context3d::agal::wgsl::{self, BindingAddress, WgslResource};
use context3d::agal::{ConstantSet, LinkedPair, Stage, float::FloatRules};
use context3d::{Error, ErrorCode, FlashError};

use crate::arguments::bytecode;
use crate::context::profile;
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::MolehillAgal;
use crate::pointers::{MolehillBool, flag, text, write};
use crate::registry::{StoreKind, destroy, keep, with};
use crate::sized::{grows, sized, writable_sized, write_sized};
use crate::status::{c_string, guard};

/// A sampler register. The strings are AGAL keywords, which molehill_context_set_sampler_state_at also accepts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillSampler {
    /// The program reads the sampler; if 0, the other fields are 0.
    pub used: MolehillBool,
    /// The texture is a cube texture; if 0, a 2D or rectangle texture.
    pub cube: MolehillBool,
    /// `setSamplerStateAt` overrides `wrap`, `filter` and `mip`.
    pub ignore_sampler: MolehillBool,
    /// Bias of the level of detail, in levels. The generated shaders add the bias themselves.
    pub lod_bias: f32,
    /// "rgba", "dxt1", "dxt5" or "video".
    pub format: *const c_char,
    /// "clamp", "repeat", "clamp_u_repeat_v" or "repeat_u_clamp_v".
    pub wrap: *const c_char,
    /// "nearest", "linear" or "anisotropic2x" to "anisotropic16x".
    pub filter: *const c_char,
    /// "mipnone", "mipnearest" or "miplinear".
    pub mip: *const c_char,
}

/// The interface of a pair of shaders. Bit n of a number is register n, such as va0; bit n of an array of numbers is
/// bit n % 32 of element n / 32.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillAgalInfo {
    /// sizeof(MolehillAgalInfo)
    pub struct_size: usize,
    /// AGAL's version, 1 to 4.
    pub version: u32,
    /// The attributes that the vertex program reads.
    pub attributes: u32,
    /// The attributes that affect the position or a varying that the fragment program reads.
    pub live_attributes: u32,
    /// The varyings that the fragment program reads.
    pub varyings: u32,
    /// The colour outputs that the fragment program writes.
    pub color_outputs: u32,
    /// The fragment program writes the depth.
    pub depth_output: MolehillBool,
    /// The fragment program has `kil`.
    pub discards: MolehillBool,
    /// The fragment program has `ddx` or `ddy`.
    pub derivatives: MolehillBool,
    /// The vertex program reads the number of the instance.
    pub instance_id: MolehillBool,
    /// Number of vertex constants: one more than the highest register that is read.
    pub vertex_constants: u32,
    /// Number of fragment constants: one more than the highest register that is read.
    pub fragment_constants: u32,
    /// The vertex constants that are read: all, if an address is indirect.
    pub vertex_constants_read: [u32; 8],
    /// The fragment constants that are read.
    pub fragment_constants_read: [u32; 8],
    /// vs0 to vs3
    pub vertex_samplers: [MolehillSampler; 4],
    /// fs0 to fs15
    pub fragment_samplers: [MolehillSampler; 16],
}

/// Options for GLSL. A null pointer means all 0, the default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillGlslTarget {
    /// sizeof(MolehillGlslTarget)
    pub struct_size: usize,
    /// "330", "150", "300es" (WebGL 2), "120" or "100es" (WebGL 1); null: "330".
    pub dialect: *const c_char,
    /// GL clips depth to 0..w (glClipControl); 0: to -w..w, GL's default.
    pub zero_to_one: MolehillBool,
    /// Offset of the position to the left and down, in clip space; 0: none.
    pub position_bias: f32,
    /// IEEE 754's float rules; 0: those of Direct3D 9, for which Flash's content was made.
    pub ieee_floats: MolehillBool,
    /// Adds the AGAL of each statement as a comment.
    pub comments: MolehillBool,
}

/// `@group` and `@binding` of a resource of WGSL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillBinding {
    /// `@group`
    pub group: u32,
    /// `@binding`
    pub binding: u32,
}

/// Options for WGSL. A null pointer means all 0, the default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillWgslTarget {
    /// sizeof(MolehillWgslTarget)
    pub struct_size: usize,
    /// If nonzero, texture and sampler n are at the bindings below + n * step. If 0, the bindings below are not used:
    /// vc and fc are at bindings 0 and 1 of group 0. In group 1, texture `fs<n>` is at 2n and texture `vs<n>` at 32 +
    /// 2n, each followed by its sampler.
    pub binding_step: u32,
    /// The array vc.
    pub vertex_constants: MolehillBinding,
    /// The array fc.
    pub fragment_constants: MolehillBinding,
    /// Texture vs0.
    pub vertex_textures: MolehillBinding,
    /// Sampler vs0_sampler.
    pub vertex_samplers: MolehillBinding,
    /// Texture fs0.
    pub fragment_textures: MolehillBinding,
    /// Sampler fs0_sampler.
    pub fragment_samplers: MolehillBinding,
    /// Name of the vertex shader's function; null: "vertex_main".
    pub vertex_entry: *const c_char,
    /// Name of the fragment shader's function; null: "fragment_main".
    pub fragment_entry: *const c_char,
    /// Bit n: `vs<n>` reads 1 as alpha, because its texture's format has no alpha, but its storage has.
    pub vertex_opaque: u16,
    /// Bit n: `fs<n>` reads 1 as alpha.
    pub fragment_opaque: u16,
    /// IEEE 754's float rules; 0: those of Direct3D 9, for which Flash's content was made.
    pub ieee_floats: MolehillBool,
    /// Adds the AGAL of each statement as a comment.
    pub comments: MolehillBool,
}

/// Both shaders of a pair. All pointers are valid until the pair ends or is translated to GLSL or WGSL again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillShaders {
    /// sizeof(MolehillShaders)
    pub struct_size: usize,
    /// The vertex shader.
    pub vertex: *const c_char,
    /// The fragment shader.
    pub fragment: *const c_char,
    /// The register of each element of the array `vc`, such as 0, 1, 2 … Dialects with few uniforms omit registers
    /// that are not read.
    pub vertex_constants: *const u16,
    /// Length of `vc`; 0: it is not declared.
    pub vertex_constant_count: usize,
    /// The register of each element of the array `fc`.
    pub fragment_constants: *const u16,
    /// Length of `fc`; 0: it is not declared.
    pub fragment_constant_count: usize,
}

grows!(MolehillAgalInfo, MolehillGlslTarget, MolehillWgslTarget, MolehillShaders);

/// A linked pair, with the shader data that the host reads.
struct LinkedShaders {
    pair: LinkedPair,
    texts: [CString; 2],
    constants: [Vec<u16>; 2],
}

impl StoreKind for LinkedShaders {
    const WHAT: &'static str = "pair of AGAL programs";
}

/// Checks a vertex and a fragment program as Program3D.upload does, but without a context, and links them.
/// MOLEHILL_STATUS_FLASH_ERROR with the error that Flash raises: its number, class and message, and the token where it
/// is. `profile` is that of MolehillContextOptions; null: "baseline".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_agal_create(
    vertex_program: *const c_void,
    vertex_program_length: usize,
    vertex_program_big_endian: MolehillBool,
    fragment_program: *const c_void,
    fragment_program_length: usize,
    fragment_program_big_endian: MolehillBool,
    profile: *const c_char,
    agal: *mut MolehillAgal,
) -> MolehillStatus {
    guard(|| {
        unsafe { write(agal, MolehillAgal::default()) }?;
        let profile = unsafe { self::profile(profile) }?;
        let (vertex, fragment) = unsafe {
            (
                bytecode(vertex_program, vertex_program_length, vertex_program_big_endian)?,
                bytecode(fragment_program, fragment_program_length, fragment_program_big_endian)?,
            )
        };
        let null = |name| Error::from(FlashError::new(ErrorCode::NullParameter, &[name]));
        let vertex = vertex.ok_or_else(|| null("vertexProgram"))?;
        let fragment = fragment.ok_or_else(|| null("fragmentProgram"))?;
        let pair = vertex.link(fragment, profile).map_err(Error::from)?;
        let id =
            keep(LinkedShaders { pair, texts: Default::default(), constants: Default::default() });
        unsafe { write(agal, MolehillAgal { id }) }
    })
}

/// Frees a pair. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_agal_destroy(agal: MolehillAgal) -> MolehillStatus {
    guard(|| destroy::<LinkedShaders>(agal.id, |_| Ok(())))
}

/// Returns the name of a sampler field's value.
fn word(field: SamplerField, code: u8) -> *const c_char {
    static WORDS: LazyLock<Vec<CString>> =
        LazyLock::new(|| OPTIONS.iter().map(|option| c_string(option.name)).collect());
    let word = SamplerOption::text(field, code).unwrap_or_default();
    let found = WORDS.iter().find(|it| it.as_bytes() == word.as_bytes());
    found.map_or(c"".as_ptr(), |it| it.as_ptr())
}

fn samplers<const N: usize>(samplers: &[Option<SamplerOp>; N]) -> [MolehillSampler; N] {
    samplers.map(|sampler| match sampler {
        // SAFETY: zero is valid for numbers and nullable pointers.
        None => unsafe { std::mem::zeroed() },
        Some(it) => MolehillSampler {
            used: true.into(),
            cube: (it.dimension == Dimension::Cube).into(),
            ignore_sampler: it.ignore_sampler.into(),
            lod_bias: it.bias(),
            format: word(SamplerField::SamplerFormat, it.format.code()),
            wrap: word(SamplerField::Wrap, it.wrap.code()),
            filter: word(SamplerField::Filter, it.filter.code()),
            mip: word(SamplerField::Mip, it.mip.code()),
        },
    })
}

fn bits(constants: ConstantSet) -> [u32; 8] {
    let mut words = [0; 8];
    for number in constants.iter() {
        if let Some(word) = words.get_mut(usize::from(number / 32)) {
            *word |= 1 << (number % 32);
        }
    }
    words
}

/// Gets the interface of a pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_agal_info(
    agal: MolehillAgal,
    info: *mut MolehillAgalInfo,
) -> MolehillStatus {
    guard(|| {
        let value = with(agal.id, |LinkedShaders { pair, .. }: &mut LinkedShaders| {
            let interface = pair.interface();
            let mut steps = pair.fragment().steps().iter();
            Ok(MolehillAgalInfo {
                version: pair.fragment().program().header_version(),
                attributes: interface.attributes.into(),
                live_attributes: interface.live_attributes.into(),
                varyings: interface.varyings.into(),
                color_outputs: interface.color_outputs.into(),
                depth_output: interface.depth_output.into(),
                discards: steps.any(|step| matches!(step.action, IrOperation::Kill(_))).into(),
                derivatives: glsl::PairFeature::Derivatives.is_used_by(pair).into(),
                instance_id: interface.instance_id.into(),
                vertex_constants: interface.vertex_constants.into(),
                fragment_constants: interface.fragment_constants.into(),
                vertex_constants_read: bits(interface.vertex_constants_read),
                fragment_constants_read: bits(interface.fragment_constants_read),
                vertex_samplers: samplers(&interface.vertex_samplers),
                fragment_samplers: samplers(&interface.samplers),
                ..MolehillAgalInfo::default()
            })
        })?;
        unsafe { write_sized(info, value) }
    })
}

/// Stores both shaders, and writes the addresses of their data.
///
/// # Safety
/// The caller meets the requirements of [`writable_sized`].
unsafe fn give(
    agal: MolehillAgal,
    shaders: *mut MolehillShaders,
    emit: impl FnOnce(&LinkedPair) -> Result<([String; 2], Dialect), CallFailure>,
) -> Result<MolehillStatus, CallFailure> {
    unsafe { writable_sized(shaders) }?;
    with(agal.id, |agal: &mut LinkedShaders| {
        let (texts, dialect) = emit(&agal.pair)?;
        let interface = agal.pair.interface();
        agal.texts = texts.map(|text| c_string(&text));
        agal.constants = [Stage::Vertex, Stage::Fragment]
            .map(|stage| glsl::constants(interface, stage, dialect));
        let [vertex, fragment] = agal.texts.each_ref().map(|text| text.as_ptr());
        let [vertex_constants, fragment_constants] = &agal.constants;
        let value = MolehillShaders {
            vertex,
            fragment,
            vertex_constants: vertex_constants.as_ptr(),
            vertex_constant_count: vertex_constants.len(),
            fragment_constants: fragment_constants.as_ptr(),
            fragment_constant_count: fragment_constants.len(),
            ..MolehillShaders::default()
        };
        unsafe { write_sized(shaders, value) }
    })
}

impl MolehillWgslTarget {
    fn binding(&self, resource: WgslResource) -> BindingAddress {
        let step = self.binding_step;
        if step == 0 {
            return resource.binding();
        }
        let (first, number) = match resource {
            WgslResource::Constants(Stage::Vertex) => (self.vertex_constants, 0),
            WgslResource::Constants(Stage::Fragment) => (self.fragment_constants, 0),
            WgslResource::Texture(Stage::Vertex, number) => (self.vertex_textures, number),
            WgslResource::Texture(Stage::Fragment, number) => (self.fragment_textures, number),
            WgslResource::Sampler(Stage::Vertex, number) => (self.vertex_samplers, number),
            WgslResource::Sampler(Stage::Fragment, number) => (self.fragment_samplers, number),
        };
        let binding = first.binding.saturating_add(step.saturating_mul(number.into()));
        BindingAddress { group: first.group, binding }
    }
}

fn float_rules(ieee: MolehillBool) -> FloatRules {
    if flag(ieee) { FloatRules::Ieee } else { FloatRules::Direct3D9 }
}

/// Translates a pair to GLSL. Attributes are `va<n>`, constants the arrays `uniform vec4 vc[]` and `fc[]`, samplers
/// `vs<n>` and `fs<n>`. Attribute and colour output n have location n; in "150", "120" and "100es" the host binds
/// attributes with glBindAttribLocation, and in "150" outputs (oc, or `fo<n>` of several) with glBindFragDataLocation.
/// Surfaces have their top row first: the vertex shader mirrors y. MOLEHILL_STATUS_UNSUPPORTED if "120" or "100es"
/// lacks what the pair uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_agal_glsl(
    agal: MolehillAgal,
    target: *const MolehillGlslTarget,
    shaders: *mut MolehillShaders,
) -> MolehillStatus {
    guard(|| {
        let target = unsafe { sized(target) }?.unwrap_or_default();
        let name = unsafe { text(target.dialect) }.unwrap_or(Dialect::Glsl330.name());
        let unknown = || CallFailure::argument(format!("AGAL is not translated to GLSL {name:?}"));
        let dialect = DIALECTS.into_iter().find(|it| it.name() == name).ok_or_else(unknown)?;
        let clip_depth =
            if flag(target.zero_to_one) { ClipDepth::ZeroToOne } else { ClipDepth::MinusOneToOne };
        let target = glsl::GlslOptions {
            clip_depth,
            position_bias: target.position_bias,
            float_rules: float_rules(target.ieee_floats),
            comments: flag(target.comments),
            ..glsl::GlslOptions::new(dialect)
        };
        let emit = |pair: &_| match glsl::emit(pair, &target) {
            Ok(made) => Ok(([made.vertex, made.fragment], dialect)),
            Err(missing) => {
                Err(CallFailure::Here(MolehillStatus::Unsupported, missing.to_string()))
            }
        };
        unsafe { give(agal, shaders, emit) }
    })
}

/// Translates a pair to two modules of WGSL. Attribute, varying and colour output n have location n; constants are the
/// arrays `var<uniform> vc: array<vec4f, N>` and `fc`, samplers the textures `vs<n>` and `fs<n>` and the samplers
/// `vs<n>_sampler` and `fs<n>_sampler`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_agal_wgsl(
    agal: MolehillAgal,
    target: *const MolehillWgslTarget,
    shaders: *mut MolehillShaders,
) -> MolehillStatus {
    guard(|| {
        let target = unsafe { sized(target) }?.unwrap_or_default();
        let names = unsafe { [text(target.vertex_entry), text(target.fragment_entry)] };
        let [vertex, fragment] = wgsl::WgslOptions::default().entry_points;
        let entry_points = [names[0].unwrap_or(vertex), names[1].unwrap_or(fragment)];
        let bindings = |resource| target.binding(resource);
        let target = wgsl::WgslOptions {
            bindings: &bindings,
            float_rules: float_rules(target.ieee_floats),
            opaque: [target.vertex_opaque, target.fragment_opaque],
            entry_points,
            comments: flag(target.comments),
            ..wgsl::WgslOptions::default()
        };
        // The WGSL translation has the same constants as `Dialect::Glsl330`.
        let emit = |pair: &_| {
            let made = wgsl::emit(pair, &target);
            Ok(([made.vertex, made.fragment], Dialect::Glsl330))
        };
        unsafe { give(agal, shaders, emit) }
    })
}

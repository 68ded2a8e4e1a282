//! Programs: translates a linked AGAL pair to GLSL for this driver, compiles it, and looks up its uniforms.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use context3d::agal::glsl::{ClipDepth, Dialect, GlslPair, MissingFeature};
use context3d::agal::sampler::{Dimension, Sampler};
use context3d::agal::{self, Interface, LinkedPair};
use context3d::backend::BackendError;
use context3d::keys::ProgramKey;
use context3d::packets::{FIRST_VERTEX_SAMPLER, MAX_SAMPLERS, slot_samplers};
use slotmap::{DefaultKey, SecondaryMap, SlotMap};

use crate::binaries::Stored;
use crate::caps::GlCaps;
use crate::device::Device;
use crate::gl::{Failed, Gl, Handle, Object};
use crate::uniforms::Uniforms;
use crate::workarounds::Remedy;

/// Translates a linked pair to GLSL, with the names and conventions of [`agal::glsl::emit`], which is the default.
/// Returns [`BackendError::Unsupported`] if it can't express a pair.
#[derive(Clone, Copy, Debug)]
pub struct Translator(pub fn(&LinkedPair, &agal::glsl::Target) -> Result<GlslPair, BackendError>);

impl Default for Translator {
    fn default() -> Self {
        Translator(emit)
    }
}

impl PartialEq for Translator {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Translator {}

/// Translates with [`agal::glsl::emit`].
pub(crate) fn emit(
    pair: &LinkedPair,
    target: &agal::glsl::Target,
) -> Result<GlslPair, BackendError> {
    agal::glsl::emit(pair, target).map_err(missing)
}

/// The names of the constant banks in `agal`'s GLSL.
const VERTEX_CONSTANTS: &str = "vc";
const FRAGMENT_CONSTANTS: &str = "fc";
/// The prefixes of the samplers' names.
const VERTEX_SAMPLER: &str = "vs";
const FRAGMENT_SAMPLER: &str = "fs";

/// What a program reads.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProgramInputs {
    /// Bit n: attribute n is read and affects the result.
    pub(crate) attributes: u16,
    /// Bit n: a sampler reads texture slot n, which is texture unit n.
    pub(crate) slots: u16,
    /// Bit n: the sampler of slot n reads a cube.
    pub(crate) cubes: u16,
}

/// A GL program with the properties that draws need.
pub(crate) struct Program {
    handle: Handle<glow::Program>,
    pub(crate) inputs: ProgramInputs,
    pub(crate) vertex: Uniforms,
    pub(crate) fragment: Uniforms,
}

impl Program {
    /// Compiles and links. The program is in use afterwards.
    ///
    /// # Errors
    /// [`BackendError::CompileFailed`] with the GLSL, which has the AGAL as comments, and the driver's log;
    /// [`BackendError::Driver`] if the context's GLSL lacks a feature that the pair needs.
    pub(crate) fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        device: &mut Device,
        pair: &LinkedPair,
    ) -> Result<Self, BackendError> {
        let translator = device.translator;
        let failed = |what, log| failed(translator.0(pair, &target(caps, true)), what, log);
        let comments = log::log_enabled!(log::Level::Debug);
        let glsl = translator.0(pair, &target(caps, comments))?;
        log::debug!("vertex shader:\n{}", glsl.vertex);
        log::debug!("fragment shader:\n{}", glsl.fragment);

        let gl = &gl.attempt()?;
        let handle = Handle::create(gl)?;
        let name: glow::Program = handle.name();
        let stored = device.binaries.as_ref().map(|cache| Stored::of(cache, caps, &glsl));
        if !stored.as_ref().is_some_and(|stored| stored.load(gl, name)) {
            let built = gl.build(name, &glsl.vertex, &glsl.fragment);
            built.map_err(|(what, log)| failed(what, log))?;
            if let Some(stored) = stored {
                stored.save(gl, name);
            }
        }
        let interface = pair.interface();
        let (mut slots, mut cubes) = (0, 0);
        device.shadow.use_program(handle.object());
        for slot in 0..MAX_SAMPLERS {
            for sampler in slot_samplers(interface, slot) {
                slots |= 1 << slot;
                if sampler.dimension == Dimension::Cube {
                    cubes |= 1 << slot;
                }
            }
        }
        set_units(gl, name, VERTEX_SAMPLER, FIRST_VERTEX_SAMPLER, &interface.vertex_samplers);
        set_units(gl, name, FRAGMENT_SAMPLER, 0, &interface.samplers);
        let locate = |bank, count| Uniforms::locate(gl, name, bank, count);
        let vertex = locate(VERTEX_CONSTANTS, interface.vertex_constants);
        let fragment = locate(FRAGMENT_CONSTANTS, interface.fragment_constants);
        gl.check("making a program")?;
        Ok(Self {
            handle,
            inputs: ProgramInputs { attributes: interface.live_attributes, slots, cubes },
            vertex,
            fragment,
        })
    }

    /// The GL object.
    pub(crate) fn object(&self) -> Object<glow::Program> {
        self.handle.object()
    }
}

/// Number of unused programs that are kept, because the same pair may be uploaded again.
const SPARE: usize = 32;

/// The bytecode of a pair: vertex and fragment program.
type Source = [Vec<u8>; 2];

/// A program that any number of keys can share: the same pair is compiled once.
struct Shared {
    program: Program,
    source: Source,
    interface: Interface,
    keys: usize,
}

/// All programs of a backend.
#[derive(Default)]
pub(crate) struct Programs {
    by_key: SecondaryMap<ProgramKey, DefaultKey>,
    all: SlotMap<DefaultKey, Shared>,
    by_source: HashMap<Source, DefaultKey>,
    /// Programs without keys, the oldest first.
    spare: VecDeque<DefaultKey>,
}

impl Programs {
    /// The program of a key.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: ProgramKey) -> Option<&mut Program> {
        let shared = self.all.get_mut(*self.by_key.get(key)?)?;
        Some(&mut shared.program)
    }

    /// Compiles a pair for a key without a program, unless a program of the same pair exists.
    ///
    /// # Errors
    /// As [`Program::create`].
    pub(crate) fn upload(
        &mut self,
        gl: &Rc<Gl>,
        caps: &GlCaps,
        device: &mut Device,
        key: ProgramKey,
        pair: &LinkedPair,
    ) -> Result<(), BackendError> {
        let source = [pair.vertex(), pair.fragment()].map(|program| program.program().encode());
        let found = self.by_source.get(&source).copied();
        if let Some(found) = found
            && let Some(shared) = self.all.get_mut(found)
            && shared.interface == *pair.interface()
        {
            shared.keys = shared.keys.saturating_add(1);
            self.spare.retain(|spare| *spare != found);
            self.by_key.insert(key, found);
            return Ok(());
        }
        let made = self.all.insert(Shared {
            program: Program::create(gl, caps, device, pair)?,
            source: source.clone(),
            interface: pair.interface().clone(),
            keys: 1,
        });
        self.by_source.insert(source, made);
        self.by_key.insert(key, made);
        Ok(())
    }

    /// Removes a key's program.
    pub(crate) fn dispose(&mut self, key: ProgramKey) {
        let Some(found) = self.by_key.remove(key) else {
            return;
        };
        if let Some(shared) = self.all.get_mut(found) {
            shared.keys = shared.keys.saturating_sub(1);
            if shared.keys == 0 {
                self.spare.push_back(found);
            }
        }
        if self.spare.len() > SPARE
            && let Some(oldest) = self.spare.pop_front()
            && let Some(shared) = self.all.remove(oldest)
        {
            // A program with the same source but another interface may have replaced it.
            if self.by_source.get(&shared.source) == Some(&oldest) {
                self.by_source.remove(&shared.source);
            }
        }
    }
}

/// Assigns texture units to the samplers of the program in use: consecutive ones, starting with this one.
fn set_units(
    gl: &Gl,
    program: glow::Program,
    prefix: &str,
    first: usize,
    samplers: &[Option<Sampler>],
) {
    for (n, sampler) in samplers.iter().enumerate() {
        if sampler.is_some()
            && let Ok(unit) = i32::try_from(first.saturating_add(n))
        {
            let location = gl.uniform_location(program, &format!("{prefix}{n}"));
            gl.uniform_int(location.as_ref(), unit);
        }
    }
}

/// How far positions are moved to the left and down, in clip space: about a twenty-thousandth of a pixel.
///
/// Where a texel's edge falls exactly on a pixel's centre, Flash Player takes the texel to the right and above (the
/// interpolated coordinate is not below the edge; capture sampler), while a driver's rounding errors take either. This
/// settles it, and is too small to move a triangle's edge: drivers place vertices on a grid of 1/256 pixel.
pub const POSITION_BIAS: f32 = 2.0e-7;

/// The dialect and conventions for this context.
fn target(caps: &GlCaps, comments: bool) -> agal::glsl::Target {
    agal::glsl::Target {
        dialect: if caps.es { Dialect::Glsl300Es } else { Dialect::Glsl330 },
        clip_depth: if caps.needs(Remedy::ClipDepthInShader) {
            ClipDepth::MinusOneToOne
        } else {
            ClipDepth::ZeroToOne
        },
        position_bias: POSITION_BIAS,
        comments,
    }
}

/// The error for a rejected shader. Its GLSL is generated again with the AGAL as comments, for the reader.
#[cold]
fn failed(glsl: Result<GlslPair, BackendError>, what: Failed, log: String) -> BackendError {
    let GlslPair { vertex, fragment } = match glsl {
        Ok(glsl) => glsl,
        Err(error) => return error,
    };
    let (stage, glsl) = match what {
        Failed::Vertex => ("vertex", vertex),
        Failed::Fragment => ("fragment", fragment),
        Failed::Link => ("link", format!("{vertex}\n{fragment}")),
    };
    log::debug!("the driver refused a shader ({stage}): {log}\n{glsl}");
    BackendError::CompileFailed { stage, glsl, log }
}

/// The error for a pair that the dialect cannot express. Both dialects used here are in [`Dialect::COMPLETE`].
#[cold]
fn missing(error: MissingFeature) -> BackendError {
    BackendError::Driver(error.to_string())
}

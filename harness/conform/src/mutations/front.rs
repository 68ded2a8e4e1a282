//! Mutations of the front end: of the tables of calls, errors, limits, enumerations and defaults, and of GLSL. They are
//! made from outside, where a call goes in and its result comes out, so that the front end needs no test hooks.

use std::cell::Cell;
use std::sync::OnceLock;

use backend_gl::Translator;
use context3d::arguments::Rectangle;
use context3d::backend::BackendError;
use context3d::calls::{CALLS, Call as Row};
use context3d::enums::FlashName;
use context3d::{ErrorCode, Profile};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Bytes, Enum};

use crate::expected;

/// One wrong row of a table of the front end.
#[derive(Debug)]
pub struct FrontMutation {
    /// Its name: `table.row.error`.
    pub name: String,
    /// Prefixes of the names of cases that should detect it.
    pub areas: Vec<String>,
    pub(crate) change: Change,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// A call doesn't make the check for an error: it succeeds, or the draw is made.
    Unchecked(&'static Row, u16),
    /// A call is always refused.
    Refused(&'static Row),
    /// A call that fails changes the state.
    Applied(&'static Row),
    /// An error has another number.
    Number(u16),
    /// An error has another class.
    Class(u16),
    /// An error has another message.
    Message(u16),
    /// A limit is one more, or one less.
    Limit(&'static str, bool),
    /// A string of an enumeration stands for another.
    Member { of: &'static str, is: &'static str, not: &'static str },
    /// A context starts with other state.
    Default(&'static str),
    /// The first text in shaders is the second.
    Glsl(&'static str, &'static str),
}

/// Limits that arguments of one call can reach.
const LIMITS: [&str; 15] = [
    "max_texture_2d",
    "max_texture_rectangle",
    "max_texture_cube",
    "half_float_textures",
    "instanced_drawing",
    "vertex_attributes",
    "fragment_samplers",
    "vertex_constants",
    "fragment_constants",
    "color_outputs",
    "data32_per_vertex",
    "vertices_per_buffer",
    "indices_per_buffer",
    "min_back_buffer",
    "tokens",
];

/// Texts of emitted GLSL, and what a wrong emitter writes.
const GLSL: [(&str, &str, &str); 24] = [
    ("add_is_sub", " + ", " - "),
    ("sub_is_add", " - ", " + "),
    ("mul_is_add", " * ", " + "),
    ("div_is_mul", " / ", " * "),
    ("dot_of_three", "dot(va0, vc[0])", "dot(va0.xyz, vc[0].xyz)"),
    ("row_1_is_row_0", "vc[1]", "vc[0]"),
    ("constant_1_is_0", "fc[1]", "fc[0]"),
    ("constant_0_is_1", "fc[0]", "fc[1]"),
    ("offset_0_is_1", "agal_index(va1.x, 0)", "agal_index(va1.x, 1)"),
    ("index_cut_off", "roundEven(", "trunc("),
    ("index_unbounded_below", "-512.0, 512.0", "0.0, 512.0"),
    ("mask_lost", ".xy = ", " = "),
    ("swizzle_reversed", ".wzyx", ".xyzw"),
    ("swizzle_lost", ".xyz", ".zyx"),
    ("saturate_lost", "clamp(", "max("),
    ("min_is_max", "min(", "max("),
    ("discard_at_zero", "< 0.0) discard", "<= 0.0) discard"),
    ("discard_lost", "discard", "{}"),
    ("texture_coordinates_swapped", "v0.xy", "v0.yx"),
    ("bias_lost", ", 1.0);", ");"),
    ("color_from_another", "oc = ", "oc = 0.5 * "),
    ("position_upside_down", "2e-7 * op.w - op.y", "op.y"),
    ("depth_not_scaled", "2.0 * op.z - op.w", "op.z"),
    ("varying_1_is_0", "v1 = ", "v0 = "),
];

/// Defaults of a context's state, each with another value.
const DEFAULTS: [&str; 10] = [
    "blend",
    "color_mask",
    "culling",
    "depth_compare",
    "depth_mask",
    "fill_mode",
    "sampler",
    "scissor",
    "stencil",
    "constants",
];

/// Calls that set state, after which a failed call is told from one that was not made.
const SETTERS: [&str; 6] = [
    "setBlendFactors",
    "setCulling",
    "setDepthTest",
    "setStencilActions",
    "setSamplerStateAt",
    "setProgramConstantsFromVector",
];

/// Every mutation of the front end.
pub fn all() -> &'static [FrontMutation] {
    static ALL: OnceLock<Vec<FrontMutation>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lists = [of_calls(), of_errors(), of_tables()];
        lists.into_iter().flatten().collect()
    })
}

fn mutation(name: String, areas: &[&str], change: Change) -> FrontMutation {
    FrontMutation { name, areas: areas.iter().map(|area| (*area).to_owned()).collect(), change }
}

/// One for each call, and for each error of each call.
fn of_calls() -> Vec<FrontMutation> {
    let mut list = Vec::new();
    for row in CALLS {
        let name = format!("call.{}", row.variant);
        list.push(mutation(format!("{name}.refused"), &["api", "texture"], Change::Refused(row)));
        for code in row.errors {
            let number = code.number();
            let areas = [&format!("api.error.{number}"), "api.error", "limits"];
            let change = Change::Unchecked(row, number);
            list.push(mutation(format!("{name}.unchecked.{number}"), &areas, change));
        }
        if SETTERS.contains(&row.name) {
            let change = Change::Applied(row);
            list.push(mutation(format!("{name}.applied"), &["api.after_error"], change));
        }
    }
    let upload = CALLS.iter().find(|row| row.variant == "ProgramUpload");
    for (row, kind) in upload.into_iter().flat_map(|row| kinds().map(move |kind| (row, kind))) {
        let areas = [&format!("agal.error.{kind}"), "agal"];
        let name = format!("agal.{kind}.unchecked");
        list.push(mutation(name, &areas, Change::Unchecked(row, kind)));
    }
    list
}

/// The numbers of the AGAL errors that a program can raise.
fn kinds() -> impl Iterator<Item = u16> {
    use context3d::agal::errors::{ErrorKind, RaisedBy};
    let raised = ErrorKind::ALL.iter().filter(|kind| match kind.raised_by() {
        RaisedBy::Decode | RaisedBy::Validate | RaisedBy::Link | RaisedBy::Native => true,
        RaisedBy::Host | RaisedBy::Never(_) => false,
    });
    raised.map(|kind| kind.number())
}

/// Three for each error that calls raise.
fn of_errors() -> Vec<FrontMutation> {
    let raised = |code: &&ErrorCode| CALLS.iter().any(|row| row.errors.contains(code));
    let numbers = ErrorCode::ALL.iter().filter(raised).map(|code| code.number()).chain(kinds());
    let all = numbers.flat_map(|number| {
        let changes = [
            ("number", Change::Number(number)),
            ("class", Change::Class(number)),
            ("message", Change::Message(number)),
        ];
        changes.map(|(what, change)| {
            let areas = [format!("api.error.{number}"), format!("agal.error.{number}")];
            let areas = [areas[0].as_str(), areas[1].as_str(), "limits"];
            mutation(format!("error.{number}.{what}"), &areas, change)
        })
    });
    all.collect()
}

fn of_tables() -> Vec<FrontMutation> {
    let mut list = Vec::new();
    for name in LIMITS {
        for (what, wider) in [("one_more", true), ("one_less", false)] {
            let change = Change::Limit(name, wider);
            list.push(mutation(format!("limit.{name}.{what}"), &["limits"], change));
        }
    }
    for name in DEFAULTS {
        let change = Change::Default(name);
        list.push(mutation(format!("default.{name}"), &["api.defaults", "api"], change));
    }
    let enumerations: [(&str, &[&str]); 11] = [
        ("BlendFactor", &["api.blend"]),
        ("CompareMode", &["api.depth", "stencil.compare"]),
        ("TriangleFace", &["api.culling", "stencil.face"]),
        ("StencilAction", &["stencil.action"]),
        ("TextureFormat", &["texture.format", "rtt.format"]),
        ("VertexFormat", &["vertex.format"]),
        ("WrapMode", &["texture.wrap", "texture.sampler_state"]),
        ("TextureFilter", &["texture.filter", "texture.sampler_state"]),
        ("MipFilter", &["texture.mip", "texture.sampler_state"]),
        ("ProgramType", &["api.constants"]),
        ("FillMode", &["api.fill_mode"]),
    ];
    for (of, areas) in enumerations {
        let names: Vec<&str> = expected::names(of).collect();
        for (at, is) in names.iter().enumerate() {
            let not = names.iter().cycle().nth(at + 1).unwrap_or(is);
            let name = format!("enum.{of}.{is}_is_{not}");
            list.push(mutation(name, areas, Change::Member { of, is, not }));
        }
    }
    for (name, is, not) in GLSL {
        let areas = ["api.constants", "raster", "texture", "vertex"];
        list.push(mutation(format!("glsl.{name}"), &areas, Change::Glsl(is, not)));
    }
    list
}

fn is_of(row: &Row, call: &Call) -> bool {
    let info = call.info();
    let class = info.receivers.first().map(|class| class.name());
    row.name == info.name && row.classes.first().copied() == class
}

impl Change {
    /// Whether it can affect cases of calls; the others are scenes.
    pub(crate) fn is_of_calls(&self) -> bool {
        match self {
            Change::Unchecked(..)
            | Change::Refused(_)
            | Change::Number(_)
            | Change::Class(_)
            | Change::Message(_)
            | Change::Limit(..) => true,
            Change::Applied(_) | Change::Member { .. } | Change::Default(_) | Change::Glsl(..) => {
                false
            }
        }
    }

    /// The error that it is about.
    pub(crate) fn number(&self) -> Option<u16> {
        match self {
            Change::Unchecked(_, number)
            | Change::Number(number)
            | Change::Class(number)
            | Change::Message(number) => Some(*number),
            Change::Refused(_)
            | Change::Applied(_)
            | Change::Limit(..)
            | Change::Member { .. }
            | Change::Default(_)
            | Change::Glsl(..) => None,
        }
    }

    /// Whether every call of a row fails.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Change::Refused(_))
    }

    /// Whether a call is refused.
    pub(crate) fn refuses(&self, call: &Call) -> bool {
        matches!(self, Change::Refused(row) if is_of(row, call))
    }

    /// Whether the check that raises an error is left out.
    pub(crate) fn leaves_out(&self, call: &Call, number: u16) -> bool {
        match self {
            Change::Unchecked(row, of) => *of == number && may_raise(row, call),
            Change::Limit("instanced_drawing", true) => number == 3787,
            _ => false,
        }
    }

    /// Whether draws that are dropped for an error are made.
    pub(crate) fn draws(&self, number: u16) -> bool {
        matches!(self, Change::Unchecked(row, of) if *of == number && row.name.starts_with("draw"))
    }

    /// The call that a failed one becomes if it changes the state: with arguments that are accepted.
    pub(crate) fn applies(&self, call: &Call) -> Option<Call> {
        let Change::Applied(row) = self else {
            return None;
        };
        is_of(row, call).then(|| repaired(call.clone()))
    }

    /// Changes a call's arguments; returns whether it is refused.
    pub(crate) fn change(&self, call: &mut Call, profile: Profile) -> bool {
        match self {
            Change::Limit(name, wider) => limit(call, name, expected::limit(name, profile), *wider),
            Change::Member { of, is, not } => {
                member(call, &Taken { of, is, not });
                false
            }
            Change::Unchecked(..)
            | Change::Refused(_)
            | Change::Applied(_)
            | Change::Number(_)
            | Change::Class(_)
            | Change::Message(_)
            | Change::Default(_)
            | Change::Glsl(..) => false,
        }
    }

    /// The call that a new context begins with.
    pub(crate) fn begins(&self) -> Option<Call> {
        let Change::Default(name) = self else {
            return None;
        };
        default(name)
    }

    /// The translator of a device with it.
    pub(crate) fn translator(&self) -> Option<Translator> {
        let Change::Glsl(is, not) = *self else {
            return None;
        };
        GLSL_CHANGE.set((is, not));
        Some(Translator(|pair, target| {
            let glsl = context3d::agal::glsl::emit(pair, target);
            let mut glsl = glsl.map_err(|error| BackendError::Unsupported(error.to_string()))?;
            let (is, not) = GLSL_CHANGE.get();
            // Declarations are left as they are.
            for shader in [&mut glsl.vertex, &mut glsl.fragment] {
                let body = shader.find("void main").unwrap_or(0);
                let start = if is.contains("512") || is.contains("round") { 0 } else { body };
                let changed = shader.split_off(start).replace(is, not);
                shader.push_str(&changed);
            }
            Ok(glsl)
        }))
    }
}

thread_local! {
    static GLSL_CHANGE: Cell<(&'static str, &'static str)> = const { Cell::new(("", "")) };
}

/// Whether a call's row has the check, also by another row.
fn may_raise(row: &Row, call: &Call) -> bool {
    is_of(row, call)
        || CALLS.iter().any(|other| is_of(other, call) && other.as_well_as == Some(row.variant))
}

fn default(name: &str) -> Option<Call> {
    fn is<T: FlashName>(text: &str) -> Enum<T> {
        Enum::parse(Some(text))
    }
    let depth = |depth_mask, compare: &str| Call::SetDepthTest {
        depth_mask,
        pass_compare_mode: is(compare),
    };
    Some(match name {
        "blend" => {
            Call::SetBlendFactors { source_factor: is("one"), destination_factor: is("one") }
        }
        "color_mask" => Call::SetColorMask { red: true, green: false, blue: true, alpha: true },
        "culling" => Call::SetCulling { triangle_face_to_cull: is("back") },
        "depth_compare" => depth(true, "always"),
        "depth_mask" => depth(false, "less"),
        "fill_mode" => Call::SetFillMode { fill_mode: is("wireframe") },
        "sampler" => Call::SetSamplerStateAt {
            sampler: 0,
            wrap: is("clamp"),
            filter: is("linear"),
            mipfilter: is("mipnone"),
        },
        "scissor" => Call::SetScissorRectangle {
            rectangle: Some(Rectangle { x: 4.0, y: 4.0, width: 8.0, height: 8.0 }),
        },
        "stencil" => Call::SetStencilActions {
            triangle_face: is("frontAndBack"),
            compare_mode: is("never"),
            action_on_both_pass: is("keep"),
            action_on_depth_fail: is("keep"),
            action_on_depth_pass_stencil_fail: is("keep"),
        },
        "constants" => Call::SetProgramConstantsFromVector {
            program_type: is("fragment"),
            first_register: 0,
            data: Some(molehill_capture::data::Numbers(vec![1.0; 4])),
            num_registers: 1,
        },
        _ => return None,
    })
}

/// Makes one more of the limit the limit, or the limit one more.
fn shift(value: &mut i32, most: u64, past: u64, wider: bool) {
    let number = |limit: u64| i32::try_from(limit).unwrap_or(i32::MAX);
    match wider {
        true if *value == number(past) => *value = number(most),
        false if *value == number(most) => *value = number(past),
        _ => {}
    }
}

/// Changes a call as if a limit were another; returns whether it is refused.
fn limit(call: &mut Call, name: &str, most: u64, wider: bool) -> bool {
    let last = most.saturating_sub(1);
    match (name, call) {
        ("max_texture_2d", Call::CreateTexture { width, height, .. }) => {
            shift(width, most, most * 2, wider);
            shift(height, most, most * 2, wider);
        }
        ("max_texture_cube", Call::CreateCubeTexture { size, .. }) => {
            shift(size, most, most * 2, wider);
        }
        ("max_texture_rectangle", Call::CreateRectangleTexture { width, height, .. }) => {
            shift(width, most, most + 1, wider);
            shift(height, most, most + 1, wider);
        }
        ("half_float_textures", Call::CreateTexture { format, .. })
            if format.text() == Some("rgbaHalfFloat") =>
        {
            if wider {
                *format = Enum::parse(Some("bgra"));
            }
            return !wider;
        }
        ("instanced_drawing", Call::CreateVertexBufferForInstances { .. }) => return !wider,
        ("vertex_attributes", Call::SetVertexBufferAt { index, .. }) => {
            shift(index, last, most, wider);
        }
        (
            "fragment_samplers",
            Call::SetTextureAt { sampler, .. } | Call::SetSamplerStateAt { sampler, .. },
        ) => shift(sampler, last, most, wider),
        ("vertex_constants" | "fragment_constants", call) => constants(call, name, most, wider),
        ("color_outputs", Call::SetRenderToTexture { color_output_index, .. }) => {
            shift(color_output_index, last, most, wider);
        }
        ("data32_per_vertex", Call::CreateVertexBuffer { data32_per_vertex, .. }) => {
            shift(data32_per_vertex, most, most + 1, wider);
        }
        ("vertices_per_buffer", Call::CreateVertexBuffer { num_vertices, .. }) => {
            shift(num_vertices, most, most + 1, wider);
        }
        ("indices_per_buffer", Call::CreateIndexBuffer { num_indices, .. }) => {
            shift(num_indices, most, most + 1, wider);
        }
        ("min_back_buffer", Call::ConfigureBackBuffer { width, height, .. }) => {
            shift(width, most, last, wider);
            shift(height, most, last, wider);
        }
        ("tokens", Call::ProgramUpload { vertex_program, .. }) => {
            tokens(vertex_program, most, wider)
        }
        _ => {}
    }
    false
}

fn constants(call: &mut Call, name: &str, most: u64, wider: bool) {
    let (stage, first, count) = match call {
        Call::SetProgramConstantsFromVector { program_type, first_register, data, .. } => {
            let count = data.as_ref().map_or(0, |numbers| numbers.0.len() / 4);
            (program_type.text(), first_register, count)
        }
        Call::SetProgramConstantsFromMatrix { program_type, first_register, .. } => {
            (program_type.text(), first_register, 4)
        }
        Call::SetProgramConstantsFromByteArray {
            program_type,
            first_register,
            num_registers,
            ..
        } => (program_type.text(), first_register, usize::try_from(*num_registers).unwrap_or(0)),
        _ => return,
    };
    if stage.is_some_and(|stage| name.starts_with(stage)) {
        let at = most.saturating_sub(count as u64);
        shift(first, at, at + 1, wider);
    }
}

/// Bytes before the first token, and of a token (agal.md section 2).
const HEADER: usize = 7;
const TOKEN: usize = 24;

fn tokens(program: &mut ByteArray, most: u64, wider: bool) {
    let Some(Bytes { bytes, .. }) = &mut program.0 else {
        return;
    };
    let count = bytes.len().saturating_sub(HEADER) / TOKEN;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if wider && count == most.saturating_add(1) {
        bytes.truncate(HEADER + most * TOKEN);
    } else if !wider && count == most {
        let token: Vec<u8> = bytes.iter().rev().take(TOKEN).rev().copied().collect();
        bytes.extend(token);
    }
}

/// A string of an enumeration that is taken for another.
struct Taken<'a> {
    of: &'a str,
    is: &'a str,
    not: &'a str,
}

impl Taken<'_> {
    fn take<T: FlashName>(&self, of: &str, value: &mut Enum<T>) {
        if of == self.of && value.text() == Some(self.is) {
            *value = Enum::parse(Some(self.not));
        }
    }
}

fn member(call: &mut Call, taken: &Taken<'_>) {
    match call {
        Call::SetBlendFactors { source_factor, destination_factor } => {
            taken.take("BlendFactor", source_factor);
            taken.take("BlendFactor", destination_factor);
        }
        Call::SetCulling { triangle_face_to_cull } => {
            taken.take("TriangleFace", triangle_face_to_cull);
        }
        Call::SetDepthTest { pass_compare_mode, .. } => {
            taken.take("CompareMode", pass_compare_mode);
        }
        Call::SetFillMode { fill_mode } => taken.take("FillMode", fill_mode),
        Call::SetStencilActions {
            triangle_face,
            compare_mode,
            action_on_both_pass,
            action_on_depth_fail,
            action_on_depth_pass_stencil_fail,
        } => {
            taken.take("TriangleFace", triangle_face);
            taken.take("CompareMode", compare_mode);
            taken.take("StencilAction", action_on_both_pass);
            taken.take("StencilAction", action_on_depth_fail);
            taken.take("StencilAction", action_on_depth_pass_stencil_fail);
        }
        Call::SetSamplerStateAt { wrap, filter, mipfilter, .. } => {
            taken.take("WrapMode", wrap);
            taken.take("TextureFilter", filter);
            taken.take("MipFilter", mipfilter);
        }
        Call::SetVertexBufferAt { format, .. } => taken.take("VertexFormat", format),
        Call::CreateTexture { format, .. } | Call::CreateCubeTexture { format, .. } => {
            taken.take("TextureFormat", format);
        }
        Call::SetProgramConstantsFromVector { program_type, .. }
        | Call::SetProgramConstantsFromMatrix { program_type, .. }
        | Call::SetProgramConstantsFromByteArray { program_type, .. } => {
            taken.take("ProgramType", program_type);
        }
        _ => {}
    }
}

/// A call of [`SETTERS`] with its bad arguments replaced.
fn repaired(mut call: Call) -> Call {
    fn repair<T: FlashName>(value: &mut Enum<T>) {
        if let (None, Some((member, _))) = (value.text().and_then(T::from_name), T::NAMES.first()) {
            *value = Enum::Is(*member);
        }
    }
    match &mut call {
        Call::SetBlendFactors { source_factor, destination_factor } => {
            repair(source_factor);
            repair(destination_factor);
        }
        Call::SetCulling { triangle_face_to_cull } => {
            // Both faces are dropped: what the string was nearest to doesn't matter.
            *triangle_face_to_cull = Enum::parse(Some("frontAndBack"));
        }
        Call::SetDepthTest { pass_compare_mode, .. } => repair(pass_compare_mode),
        Call::SetStencilActions {
            triangle_face,
            compare_mode,
            action_on_both_pass,
            action_on_depth_fail,
            action_on_depth_pass_stencil_fail,
        } => {
            repair(triangle_face);
            repair(compare_mode);
            repair(action_on_both_pass);
            repair(action_on_depth_fail);
            repair(action_on_depth_pass_stencil_fail);
        }
        Call::SetSamplerStateAt { wrap, filter, mipfilter, .. } => {
            repair(wrap);
            repair(filter);
            repair(mipfilter);
        }
        Call::SetProgramConstantsFromVector { program_type, num_registers, .. } => {
            repair(program_type);
            *num_registers = -1;
        }
        _ => {}
    }
    call
}

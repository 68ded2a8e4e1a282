//! Deliberate errors of the API: in the tables of calls, errors, limits, enumerations and defaults, and in the emitted
//! GLSL. Mutations change calls and results outside the API's implementation, so that the API needs no test hooks.

use std::cell::Cell;
use std::sync::OnceLock;

use backend_gl::Translator;
use context3d::backend::BackendError;
use context3d::calls::{METHODS, Method};
use context3d::{ErrorCode, Profile};
use molehill_capture::Call;

use super::arguments::{DEFAULTS, default, limit, limits, member, repaired};
use crate::expected;

/// A deliberate error in one table entry of the API layer.
#[derive(Debug)]
pub struct ApiMutation {
    pub name: String,
    pub areas: Vec<String>,
    pub(crate) change: ApiChange,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ApiChange {
    /// A call omits the check for an error, so that an invalid call succeeds.
    Unchecked(&'static Method, u16),
    /// A call with valid arguments is always rejected.
    Refused(&'static Method),
    /// A failing call changes the state nevertheless.
    Applied(&'static Method),
    /// An error has the wrong id, class or message.
    Error(u16),
    /// A limit is one too large (`true`) or too small.
    Limit(&'static str, bool),
    /// A string of an enumeration has the meaning of another member.
    Member { of: &'static str, is: &'static str, not: &'static str },
    /// A new context has a wrong initial state, which the given call sets.
    Default(&'static str),
    /// In emitted GLSL, the second string replaces the first string.
    Glsl(&'static str, &'static str),
}

/// Deliberate errors in GLSL: a name, a string of the GLSL, its replacement, and the cases that should detect it.
const GLSL: [(&str, &str, &str, &str); 24] = [
    ("add_is_sub", " + ", " - ", "api.constants"),
    ("sub_is_add", " - ", " + ", "raster.fan"),
    ("mul_is_add", " * ", " + ", "api.constants"),
    ("div_is_mul", " / ", " * ", "agal.op.div"),
    ("dot_of_three", "dot(va0, vc[0])", "dot(va0.xyz, vc[0].xyz)", "vertex.position"),
    ("row_1_is_row_0", "vc[1]", "vc[0]", "api.constants"),
    ("constant_1_is_0", "fc[1]", "fc[0]", "api.constants"),
    ("constant_0_is_1", "fc[0]", "fc[1]", "api.constants"),
    ("offset_0_is_1", "agal_index(va1.x, 0)", "agal_index(va1.x, 1)", "agal.indirect"),
    ("index_cut_off", "roundEven(", "trunc(", "agal.indirect"),
    ("index_unbounded_below", "-512.0, 512.0", "0.0, 512.0", "agal.indirect"),
    ("mask_lost", ".xy = ", " = ", "texture.format.half"),
    ("swizzle_reversed", ".wzyx", ".xyzw", "agal.op.add"),
    ("swizzle_lost", ".xyz", ".zyx", "raster.perspective"),
    ("saturate_lost", "clamp(", "max(", "agal.op.div"),
    ("min_is_max", "min(", "max(", "agal.op.min"),
    ("discard_at_zero", "< 0.0) discard", "<= 0.0) discard", "agal.op.kil"),
    ("discard_lost", "discard", "{}", "agal.op.kil"),
    ("texture_coordinates_swapped", "v0.xy", "v0.yx", "api.constants"),
    ("bias_lost", ", 1.0);", ");", "texture.bias"),
    ("color_from_another", "oc = ", "oc = 0.5 * ", "api.constants"),
    ("position_upside_down", "2e-7 * op.w - op.y", "op.y", "raster.fan"),
    ("depth_not_scaled", "2.0 * op.z - op.w", "op.z", "api.constants"),
    ("varying_1_is_0", "v1 = ", "v0 = ", "api.constants"),
];

/// The setters for which a failed call must leave the state unchanged.
const SETTERS: [&str; 6] = [
    "setBlendFactors",
    "setCulling",
    "setDepthTest",
    "setStencilActions",
    "setSamplerStateAt",
    "setProgramConstantsFromVector",
];

pub fn all() -> &'static [ApiMutation] {
    static ALL: OnceLock<Vec<ApiMutation>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lists = [of_calls(), of_errors(), of_tables()];
        lists.into_iter().flatten().collect()
    })
}

fn mutation(name: String, areas: &[&str], change: ApiChange) -> ApiMutation {
    ApiMutation { name, areas: areas.iter().map(|area| (*area).to_owned()).collect(), change }
}

fn rows() -> impl Iterator<Item = &'static Method> {
    let rows = METHODS.iter().filter(|row| row.classes != ["Stage3D"]);
    rows.filter(|row| !row.variant.is_empty())
}

fn of_calls() -> Vec<ApiMutation> {
    let mut list = Vec::new();
    for row in rows() {
        let name = format!("call.{}", row.variant);
        let areas =
            [refused_in(row), &format!("api.enum.{}", row.name), "api.error", "api", "texture"];
        list.push(mutation(format!("{name}.refused"), &areas, ApiChange::Refused(row)));
        for code in row.errors {
            let number = code.number();
            let areas = [&format!("api.error.{number}"), "api.error", "limits"];
            let change = ApiChange::Unchecked(row, number);
            list.push(mutation(format!("{name}.unchecked.{number}"), &areas, change));
        }
        if SETTERS.contains(&row.name) {
            let change = ApiChange::Applied(row);
            list.push(mutation(format!("{name}.applied"), &["api.after_error"], change));
        }
    }
    let upload = rows().find(|row| row.variant == "ProgramUpload");
    for (row, kind) in upload.into_iter().flat_map(|row| kinds().map(move |kind| (row, kind))) {
        let areas = [&format!("agal.error.{kind}"), "agal"];
        let name = format!("agal.{kind}.unchecked");
        list.push(mutation(name, &areas, ApiChange::Unchecked(row, kind)));
    }
    list
}

/// Returns the cases that should detect a rejected call, for calls that few cases make.
fn refused_in(row: &Method) -> &'static str {
    match row.variant {
        "SetMaxBackBufferWidth" | "SetMaxBackBufferHeight" => {
            "limits.baselineConstrained.own_back_buffer"
        }
        "SetIgnoreResourceLimits" => "limits.baselineConstrained.resources_per_kind",
        _ => "api.error.3694",
    }
}

/// Returns the ids of the AGAL errors that a program can raise.
fn kinds() -> impl Iterator<Item = u16> {
    use context3d::agal::errors::{ErrorKind, RaisedBy};
    let raised = ErrorKind::ALL.iter().filter(|kind| match kind.raised_by() {
        RaisedBy::Decode | RaisedBy::Validate | RaisedBy::Link | RaisedBy::Native => true,
        RaisedBy::Host | RaisedBy::Never(_) => false,
    });
    raised.map(|kind| kind.number())
}

fn of_errors() -> Vec<ApiMutation> {
    let raised = |code: &&ErrorCode| rows().any(|row| row.errors.contains(code));
    let numbers = ErrorCode::ALL.iter().filter(raised).map(|code| code.number()).chain(kinds());
    let all = numbers.flat_map(|number| {
        ["number", "class", "message"].map(|what| {
            let own = ["api", "agal"].map(|area| format!("{area}.error.{number}"));
            let name = format!("error.{number}.{what}");
            mutation(name, &[&own[0], &own[1], "limits"], ApiChange::Error(number))
        })
    });
    all.collect()
}

fn of_tables() -> Vec<ApiMutation> {
    let mut list = Vec::new();
    for name in limits() {
        for (what, wider) in [("one_more", true), ("one_less", false)] {
            let change = ApiChange::Limit(name, wider);
            list.push(mutation(format!("limit.{name}.{what}"), &["limits"], change));
        }
    }
    for (name, call) in DEFAULTS {
        let areas = ["api.defaults", "texture.sampler_state", "api"];
        list.push(mutation(format!("default.{name}"), &areas, ApiChange::Default(call)));
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
        (
            "MipFilter",
            &[
                "texture.wrap.nearest.miplinear.clamp",
                "api.after_error.setSamplerStateAt",
                "texture.mip",
            ],
        ),
        ("ProgramType", &["api.constants"]),
        ("FillMode", &["api.fill_mode"]),
    ];
    for (of, areas) in enumerations {
        let names: Vec<&str> = expected::names(of).collect();
        for (at, is) in names.iter().enumerate() {
            let not = names.iter().cycle().nth(at + 1).unwrap_or(is);
            let name = format!("enum.{of}.{is}_is_{not}");
            list.push(mutation(name, areas, ApiChange::Member { of, is, not }));
        }
    }
    for (name, is, not, area) in GLSL {
        let areas = [area, "api.constants", "raster", "texture", "vertex"];
        list.push(mutation(format!("glsl.{name}"), &areas, ApiChange::Glsl(is, not)));
    }
    list
}

fn is_of(row: &Method, call: &Call) -> bool {
    let info = call.info();
    let class = info.receivers.first().map(|class| class.name());
    row.name == info.name && row.classes.first().copied() == class
}

impl ApiChange {
    pub(crate) fn refuses(&self, call: &Call) -> bool {
        matches!(self, ApiChange::Refused(row) if is_of(row, call))
    }

    /// Returns whether this mutation omits the check of a call that raises an error.
    pub(crate) fn leaves_out(&self, call: &Call, number: u16) -> bool {
        match self {
            ApiChange::Unchecked(row, of) => *of == number && may_raise(row, call),
            ApiChange::Limit("instanced_drawing", true) => number == 3787,
            _ => false,
        }
    }

    /// Returns whether this mutation executes draws that an error should drop.
    pub(crate) fn draws(&self, number: u16) -> bool {
        matches!(self, ApiChange::Unchecked(row, of) if *of == number && row.name.starts_with("draw"))
    }

    /// Returns the valid call that replaces a failed call, if failed calls change the state.
    pub(crate) fn applies(&self, call: &Call) -> Option<Call> {
        let ApiChange::Applied(row) = self else { return None };
        is_of(row, call).then(|| repaired(call.clone()))
    }

    /// Applies this mutation to the arguments of a call. Returns whether the call is rejected.
    pub(crate) fn change(&self, call: &mut Call, profile: Profile) -> bool {
        if let ApiChange::Member { of, is, not } = self {
            member(call, of, is, not);
        }
        matches!(self, ApiChange::Limit(name, wider) if limit(call, name, expected::limit(name, profile), *wider))
    }

    /// Returns the call that sets the mutated initial state of a new context.
    pub(crate) fn begins(&self) -> Option<Call> {
        let ApiChange::Default(call) = self else { return None };
        default(call)
    }

    pub(crate) fn translator(&self) -> Option<Translator> {
        let ApiChange::Glsl(is, not) = *self else { return None };
        GLSL_CHANGE.set((is, not));
        Some(Translator(|pair, target| {
            let glsl = context3d::agal::glsl::emit(pair, target);
            let mut glsl = glsl.map_err(|error| BackendError::Unsupported(error.to_string()))?;
            let (is, not) = GLSL_CHANGE.get();
            // Declarations stay unchanged, except for mutations of the functions that precede `main`.
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

/// Returns whether a call performs the checks of a table entry, directly or by calling another method.
fn may_raise(row: &Method, call: &Call) -> bool {
    is_of(row, call)
        || rows().any(|other| is_of(other, call) && other.as_well_as.contains(&row.variant))
}

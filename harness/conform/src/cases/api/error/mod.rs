//! Every row of the error table: the call that raises it, and the result of the same call without error checking.
//!
//! Source: `expected/errors.tsv`, from context3d-errors.md.

/// Rows of ways to provoke errors: the error, the end of the case's name, the message's arguments, further settings,
/// and the calls. The call after `=>` raises the error; a row without `=>` marks the failing step itself.
macro_rules! error_cases {
    ($(
        $code:literal $what:literal $arguments:tt $(.$method:ident($($value:expr),*))*
            |$s:ident| $({ $($setup:tt)* })? $(=> $call:expr)?;
    )+) => {
        vec![$(
            super::ErrorCase::new($code, $what, error_cases!(@arguments $arguments), |$s| {
                error_cases!(@calls $s $({ $($setup)* })? $(=> $call)?)
            })$(.$method($($value),*))*
        ),+]
    };
    (@arguments [$($argument:literal),*]) => { &[$($argument),*] };
    (@arguments $arguments:ident) => { $arguments };
    (@calls $s:ident $({ $($setup:tt)* })? => $call:expr) => {{
        $($($setup)*)?
        $s.expect();
        $call
    }};
    (@calls $s:ident { $($calls:tt)* }) => {{ $($calls)* }};
}

mod arguments;
mod compressed;
mod creation;
mod disposed;
mod drawing;
mod targets;
mod vertex_textures;

use context3d::Profile;
use context3d::errors::ErrorClass;

use crate::case::{Body, Cases, Expected};
use crate::expected::{self, Raised};
use crate::scene_builder::{Done, FULL, Quad, SceneBuilder};
use molehill_capture::objects::{IndexBufferId, ProgramId, TextureId, VertexBufferId};
use molehill_replay::record::RecordError;

const SOURCE: &str = "context3d-errors.md";

pub(super) fn add(cases: &mut Cases) {
    arguments::add(cases);
    creation::add(cases);
    drawing::add(cases);
    targets::add(cases);
    vertex_textures::add(cases);
    disposed::add(cases);
}

/// Draws `va0` in the colour `fc0`.
const PLAIN: (&str, &str) = ("mov op, va0", "mov oc, fc0");
/// Draws `va0` with the texture at sampler 0.
const TEXTURED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\nmov oc, ft0");

/// All objects for a draw in a [`SceneBuilder`]: [`PLAIN`]; four vertices of seven values as `va0`; six indices of two
/// triangles.
struct DrawSetup {
    program: ProgramId,
    vertices: VertexBufferId,
    indices: IndexBufferId,
}

impl DrawSetup {
    fn new(s: &mut SceneBuilder) -> Result<DrawSetup, RecordError> {
        let (vertices, indices) = s.mesh(&[Quad::flat(FULL, 0.5, [1.0; 4])])?;
        s.stream(0, Some(vertices), 0, "float4")?;
        let program = s.program(PLAIN.0, PLAIN.1)?;
        Ok(DrawSetup { program, vertices, indices })
    }

    fn draw(&self, s: &mut SceneBuilder) -> Done {
        s.draw(self.indices, 0, -1)
    }
}

/// A texture of 4×4 texels with its first level.
fn texture(s: &mut SceneBuilder) -> Result<TextureId, RecordError> {
    let texture = s.texture(4, 4, "bgra")?;
    s.upload(texture, vec![0; 64], 0)?;
    Ok(texture)
}

/// The result of a call without error checking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unchecked {
    /// As the row of `expected/errors.tsv` says.
    FromTable,
    /// The draw or call succeeds.
    Succeeds,
}

/// One way to provoke an error.
struct ErrorCase {
    code: u16,
    /// End of the name: the call and a description.
    what: &'static str,
    arguments: &'static [&'static str],
    profile: Profile,
    exact: bool,
    swf: Option<u32>,
    class: Option<ErrorClass>,
    unchecked: Unchecked,
    without_back_buffer: bool,
    /// Too large for the device: runs on the null backend.
    on_null_backend: bool,
    recipe: fn(&mut SceneBuilder) -> Done,
}

impl ErrorCase {
    fn new(
        code: u16,
        what: &'static str,
        arguments: &'static [&'static str],
        recipe: fn(&mut SceneBuilder) -> Done,
    ) -> ErrorCase {
        ErrorCase {
            code,
            what,
            arguments,
            profile: Profile::Baseline,
            exact: false,
            swf: None,
            class: None,
            unchecked: Unchecked::FromTable,
            without_back_buffer: false,
            on_null_backend: false,
            recipe,
        }
    }

    /// Requires at least this profile.
    fn profile(self, profile: Profile) -> Self {
        ErrorCase { profile, ..self }
    }

    /// Requires exactly this profile.
    fn only(self, profile: Profile) -> Self {
        ErrorCase { profile, exact: true, ..self }
    }

    fn swf(self, version: u32) -> Self {
        ErrorCase { swf: Some(version), ..self }
    }

    fn class(self, class: ErrorClass) -> Self {
        ErrorCase { class: Some(class), ..self }
    }

    fn unchecked(self, unchecked: Unchecked) -> Self {
        ErrorCase { unchecked, ..self }
    }

    fn without_back_buffer(self) -> Self {
        ErrorCase { without_back_buffer: true, ..self }
    }

    fn on_null_backend(self) -> Self {
        ErrorCase { on_null_backend: true, ..self }
    }

    fn expected(&self, checking: bool) -> Expected {
        if !checking {
            let raised = expected::error(self.code).map_or(Raised::Always, |row| row.raised);
            match (self.unchecked, raised) {
                (Unchecked::Succeeds, _) | (Unchecked::FromTable, Raised::ElseDrawn) => {
                    return Expected::Allowed;
                }
                (Unchecked::FromTable, Raised::ElseSkipped) => {
                    return Expected::Skips(self.code);
                }
                (Unchecked::FromTable, Raised::Always) => {}
            }
        }
        match (Expected::raises(self.code, self.arguments), self.class) {
            (Expected::Raises { number, message, .. }, Some(class)) => {
                Expected::Raises { number, class, message }
            }
            (expected, _) => expected,
        }
    }

    /// With error checking and without.
    fn add(self, cases: &mut Cases) {
        for checking in [true, false] {
            let word = if checking { "checked" } else { "unchecked" };
            let name = format!("api.error.{}.{}.{word}", self.code, self.what);
            let recipe = self.recipe;
            let case = cases.calls(name, SOURCE, self.expected(checking), move |s| {
                s.checking(checking)?;
                recipe(s)
            });
            match self.exact {
                true => case.exactly(self.profile),
                false => case.profile(self.profile),
            };
            if let Some(version) = self.swf {
                case.swf(version);
            }
            if let Body::Calls(calls) = &mut case.body {
                (calls.without_back_buffer, calls.on_null_backend) =
                    (self.without_back_buffer, self.on_null_backend);
            }
        }
    }
}

fn add_all(cases: &mut Cases, list: Vec<ErrorCase>) {
    for error_cases in list {
        error_cases.add(cases);
    }
}

//! Every limit of every profile: the limit is allowed, and one more raises an error.
//!
//! Source: profile-limits.tsv and profiles.md, from which the crates' tables are made.

use context3d::internals::{Limits, Registers};
use context3d::{ErrorCode, Host, Profile};

use crate::case::{Cases, Expected};
use crate::scene_builder::{Done, SceneBuilder, assemble};
use molehill_capture::objects::{IndexBufferId, ProgramId};
use molehill_replay::record::RecordError;

const SOURCE: &str = "profile-limits.tsv; profiles.md";

/// Rows of limits: name, error with the message's arguments, the call that is allowed, and the one that is not.
macro_rules! both {
    ($limit:ident, $s:ident; $($name:expr, $code:ident [$($argument:expr),*]: $at:expr => $past:expr;)+) => {$(
        $limit.both($name, $code, [$($argument),*], move |$s| $at, move |$s| $past);
    )+};
}

/// One limit in one profile.
struct Limit<'a> {
    cases: &'a mut Cases,
    profile: Profile,
}

impl Limit<'_> {
    fn add(
        &mut self,
        name: &str,
        expected: Expected,
        recipe: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) {
        let name = format!("limits.{}.{name}", self.profile.name());
        let case = self.cases.calls(name, SOURCE, expected, move |s| {
            s.expect();
            recipe(s)
        });
        case.exactly(self.profile).on_null_backend();
    }

    /// At the limit, and one more.
    fn both<const N: usize>(
        &mut self,
        name: &str,
        code: ErrorCode,
        arguments: [&str; N],
        at: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
        past: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) {
        self.add(&format!("{name}.at"), Expected::Allowed, at);
        self.add(&format!("{name}.past"), Expected::raises(code, &arguments), past);
    }

    /// A feature that is allowed or not.
    fn either(
        &mut self,
        name: &str,
        allowed: bool,
        code: ErrorCode,
        recipe: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) {
        let expected = if allowed { Expected::Allowed } else { Expected::raises(code, &[]) };
        self.add(name, expected, recipe);
    }
}

fn int(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

pub(super) fn add(cases: &mut Cases) {
    for profile in Profile::ALL {
        let mut limit = Limit { cases, profile };
        let limits = Limits::of(profile);
        sizes(&mut limit, limits);
        features(&mut limit, limits);
        buffers(&mut limit, limits);
        registers(&mut limit, Registers::of(profile));
        counts(&mut limit, limits);
        memory(&mut limit, limits);
        tokens(&mut limit);
    }
}

fn sizes(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::*;
    let side = int(limits.max_texture_2d);
    let text = side.to_string();
    for (word, wide) in [("width", true), ("height", false)] {
        let create = move |s: &mut SceneBuilder, side| match wide {
            true => s.texture(side, 1, "bgra").map(drop),
            false => s.texture(1, side, "bgra").map(drop),
        };
        both! { limit, s;
            &format!("max_texture_2d.{word}"), TextureTooBig [&text]: create(s, side) => create(s, side * 2);
        }
    }
    let side = int(limits.max_texture_cube);
    both! { limit, s;
        "max_texture_cube", CubeTooBig []: s.cube(side, "bgra").map(drop) => s.cube(side * 2, "bgra").map(drop);
    }
    rectangles(limit, limits);
    back_buffers(limit, limits);
}

fn back_buffers(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::*;
    let (least, most) = (int(limits.min_back_buffer), int(Host::default().max_back_buffer));
    let range = [least.to_string(), most.to_string()];
    let [low, high] = range.each_ref().map(String::as_str);
    both! { limit, s;
        "min_back_buffer.width", BackBufferWidth [low, high]:
            s.configure_as(least, least, 0, false) => s.configure_as(least - 1, least, 0, false);
        "min_back_buffer.height", BackBufferHeight [low, high]:
            s.configure_as(least, least, 0, true) => s.configure_as(least, least - 1, 0, false);
        "max_back_buffer.width", BackBufferWidth [low, high]:
            s.configure_as(most, least, 0, false) => s.configure_as(most + 1, least, 0, false);
        "max_back_buffer.height", BackBufferHeight [low, high]:
            s.configure_as(least, most, 0, false) => s.configure_as(least, most + 1, 0, false);
    }
}

fn rectangles(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::*;
    let side = int(limits.max_texture_rectangle);
    if side == 0 {
        limit.either("max_texture_rectangle", false, NeedsBaseline, |s| {
            s.rectangle(1, 1, "bgra").map(drop)
        });
    } else {
        let text = side.to_string();
        both! { limit, s;
            "max_texture_rectangle", RectangleTooBig [&text]:
                s.rectangle(side, 1, "bgra").map(drop) => s.rectangle(1, side + 1, "bgra").map(drop);
        }
        // "The larger of the two": the profile's limit and the back buffer.
        limit.add("max_texture_rectangle.of_back_buffer", Expected::Allowed, move |s| {
            s.configure_as(64, side + 1, 0, false)?;
            s.rectangle(1, side + 1, "bgra").map(drop)
        });
    }
}

fn features(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::*;
    let allowed = limits.half_float_textures;
    limit.either("half_float_textures", allowed, FormatNotInProfile, |s| {
        s.texture(4, 4, "rgbaHalfFloat").map(drop)
    });
    limit.either("half_float_cubes", allowed, FormatNotInProfile, |s| {
        s.cube(4, "rgbaHalfFloat").map(drop)
    });
    let allowed = limits.instanced_drawing;
    limit.either("instanced_buffers", allowed, NeedsStandardExtended, |s| {
        s.instance_buffer(1, 1, 1).map(drop)
    });
    limit.either("instanced_drawing", allowed, NeedsStandardExtended, |s| {
        let indices = drawable(s)?;
        s.draw_instanced(indices, 1, 0, 0)
    });
    for format in ["bgra", "bgrPacked565", "bgraPacked4444", "compressed", "compressedAlpha"] {
        limit.add(&format!("formats.{format}"), Expected::Allowed, move |s| {
            s.texture(4, 4, format).map(drop)
        });
    }
}

/// All objects for a draw.
fn drawable(s: &mut SceneBuilder) -> Result<IndexBufferId, RecordError> {
    s.program("mov op, va0", "mov oc, fc0")?;
    let vertices = s.vertices(&[0.0; 4], 4)?;
    s.stream(0, Some(vertices), 0, "float4")?;
    s.indices(&[0, 0, 0])
}

fn buffers(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::{BufferTooBig, TooManyDraws};
    let most = int(limits.data32_per_vertex);
    both! { limit, s;
        "data32_per_vertex", BufferTooBig []:
            s.vertex_buffer(1, most).map(drop) => s.vertex_buffer(1, most + 1).map(drop);
    }
    let most = int(limits.vertices_per_buffer);
    both! { limit, s;
        "vertices_per_buffer", BufferTooBig []:
            s.vertex_buffer(most, 1).map(drop) => s.vertex_buffer(most + 1, 1).map(drop);
    }
    let most = int(limits.indices_per_buffer);
    both! { limit, s;
        "indices_per_buffer", BufferTooBig []: s.index_buffer(most).map(drop) => s.index_buffer(most + 1).map(drop);
    }
    let most = limits.draws_per_present;
    let draws = |s: &mut SceneBuilder, count: u64| {
        let indices = drawable(s)?;
        (0..count).try_for_each(|_| s.draw(indices, 0, 0))
    };
    let most = u64::from(most);
    both! { limit, s;
        "draws_per_present", TooManyDraws []: draws(s, most) => draws(s, most + 1);
    }
}

fn registers(limit: &mut Limit<'_>, registers: Registers) {
    use ErrorCode::*;
    let most = int(registers.attributes);
    both! { limit, s;
        "attributes", IndexOutOfBounds []: s.stream(most - 1, None, 0, "float4") => s.stream(most, None, 0, "float4");
    }
    let most = int(registers.samplers);
    both! { limit, s;
        "samplers.texture", IndexOutOfBounds []: s.bind(most - 1, None) => s.bind(most, None);
    }
    let state = |s: &mut SceneBuilder, at| s.sampler(at, "clamp", "linear", "mipnone");
    both! { limit, s;
        "samplers.state", IndexOutOfBounds []: state(s, most - 1) => state(s, most);
    }
    constants(limit, registers);
    outputs(limit, registers);
}

fn outputs(limit: &mut Limit<'_>, registers: Registers) {
    use ErrorCode::*;
    let most = int(registers.color_outputs);
    let output = |s: &mut SceneBuilder, output| {
        let texture = s.texture(4, 4, "bgra")?;
        s.output(Some(texture), false, 0, 0, output)
    };
    let code = if most == 4 { OutputIndex } else { NeedsStandard };
    both! { limit, s;
        "color_outputs", code []: output(s, most - 1) => output(s, most);
    }
}

fn constants(limit: &mut Limit<'_>, registers: Registers) {
    use ErrorCode::IndexOutOfBounds;
    for (stage, most) in
        [("vertex", registers.vertex_constants), ("fragment", registers.fragment_constants)]
    {
        let most = int(most);
        both! { limit, s;
            &format!("{stage}_constants.vector"), IndexOutOfBounds []:
                s.constants(stage, most - 1, &[[0.0; 4]]) => s.constants(stage, most, &[[0.0; 4]]);
            &format!("{stage}_constants.matrix"), IndexOutOfBounds []:
                s.matrix(stage, most - 4, [0.0; 16], true) => s.matrix(stage, most - 3, [0.0; 16], true);
        }
        let bytes = move |s: &mut SceneBuilder, first| {
            s.constants_of_bytes(stage, first, 2, vec![0; 32], 0)
        };
        both! { limit, s;
            &format!("{stage}_constants.bytes"), IndexOutOfBounds []: bytes(s, most - 2) => bytes(s, most - 1);
        }
    }
}

/// Objects of each kind.
fn counts(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::ResourceLimit;
    type Create = fn(&mut SceneBuilder) -> Done;
    let most = limits.resources_per_kind;
    let kinds: [(&str, Create); 5] = [
        ("vertex_buffers", |s| s.vertex_buffer(1, 1).map(drop)),
        ("index_buffers", |s| s.index_buffer(1).map(drop)),
        ("programs", |s| s.create(molehill_capture::Call::CreateProgram {}).map(drop)),
        ("textures", |s| s.texture(1, 1, "bgra").map(drop)),
        ("cubes", |s| s.cube(1, "bgra").map(drop)),
    ];
    for (kind, create) in kinds {
        both! { limit, s;
            &format!("resources_per_kind.{kind}"), ResourceLimit []:
                (0..most).try_for_each(|_| create(s)) => (0..=most).try_for_each(|_| create(s));
        }
    }
}

/// Bytes of each kind: as many large objects as fit, and one more.
fn memory(limit: &mut Limit<'_>, limits: &Limits) {
    use ErrorCode::ResourceLimit;
    type Create = fn(&mut SceneBuilder) -> Done;
    // A texture counts all its levels.
    let levels = |side: u64| {
        std::iter::successors(Some(side), |side| (*side > 1).then_some(side / 2))
            .map(|side| side * side * 4)
            .sum::<u64>()
    };
    let kinds: [(&str, u64, u64, Create); 4] = [
        ("texture_memory", limits.texture_memory, levels(2048), |s| {
            s.texture(2048, 2048, "bgra").map(drop)
        }),
        ("cube_memory", limits.cube_memory, levels(1024) * 6, |s| s.cube(1024, "bgra").map(drop)),
        ("vertex_buffer_memory", limits.vertex_buffer_memory, 65536 * 64 * 4, |s| {
            s.vertex_buffer(65536, 64).map(drop)
        }),
        ("index_buffer_memory", limits.index_buffer_memory, 983_039 * 2, |s| {
            s.index_buffer(983_039).map(drop)
        }),
    ];
    for (kind, most, bytes, create) in kinds {
        let fit = most / bytes;
        both! { limit, s;
            kind, ResourceLimit []: (0..fit).try_for_each(|_| create(s)) => (0..=fit).try_for_each(|_| create(s));
        }
    }
}

/// Tokens of a program, in the newest version of the profile.
fn tokens(limit: &mut Limit<'_>) {
    let version = limit.profile.max_version();
    let upload = move |s: &mut SceneBuilder, tokens: usize| {
        let text = "mov vt0, va0\n".repeat(tokens.saturating_sub(1)) + "mov op, va0";
        // Too long for the assembler, so it is combined from shorter programs.
        let options = agal::asm::Options { ignore_limits: true };
        let vertex =
            agal::asm::assemble_with(&text, agal::Stage::Vertex, version.number(), options);
        let vertex = vertex.map_err(|error| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
        })?;
        let fragment = assemble("mov oc, fc0", agal::Stage::Fragment, version.number())?;
        let program = ProgramId(s.create(molehill_capture::Call::CreateProgram {})?);
        s.upload_program(program, vertex.encode(), fragment)
    };
    let most = version.max_tokens();
    let past = Expected::Raises {
        number: 3629,
        class: agal::errors::ErrorClass::Error,
        message: Some(format!(
            "AGAL validation failed: Too many tokens ({}) for vertex program.",
            most + 1
        )),
    };
    // In the lowest profile, the native limits are reached first.
    if limit.profile != Profile::BaselineConstrained {
        limit.add("tokens.at", Expected::Allowed, move |s| upload(s, most));
    }
    limit.add("tokens.past", past, move |s| upload(s, most + 1));
}

//! Every limit of every profile: the limit is allowed, and one more raises an error.
//!
//! Source: `expected/limits.tsv`, from profile-limits.tsv and profiles.md.

use context3d::Profile;

use crate::case::{Cases, Expected};
use crate::expected;
use crate::scene_builder::{Done, SceneBuilder, assemble};
use molehill_capture::Call;
use molehill_capture::objects::{IndexBufferId, ProgramId};
use molehill_replay::record::RecordError;

const SOURCE: &str = "profile-limits.tsv; profiles.md";

/// Rows of limits: name, error with the message's arguments, the call that is allowed, and the one that is not.
macro_rules! both {
    ($limit:ident, $s:ident; $($name:expr, $code:tt [$($argument:expr),*]: $at:expr => $past:expr;)+) => {$(
        $limit.both($name, $code, [$($argument),*], move |$s| $at, move |$s| $past);
    )+};
}

/// One limit in one profile.
struct Limit<'a> {
    cases: &'a mut Cases,
    profile: Profile,
}

impl Limit<'_> {
    /// The expected value of a row.
    fn of(&self, name: &str) -> u64 {
        expected::limit(name, self.profile)
    }

    fn int(&self, name: &str) -> i32 {
        self.of(name).try_into().unwrap_or(i32::MAX)
    }

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
        code: u16,
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
        code: u16,
        recipe: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) {
        let expected = if allowed { Expected::Allowed } else { Expected::raises(code, &[]) };
        self.add(name, expected, recipe);
    }
}

pub(super) fn add(cases: &mut Cases) {
    for &profile in Profile::ALL {
        let mut limit = Limit { cases, profile };
        sizes(&mut limit);
        features(&mut limit);
        buffers(&mut limit);
        registers(&mut limit);
        counts(&mut limit);
        memory(&mut limit);
        own_limits(&mut limit);
        tokens(&mut limit);
    }
}

fn sizes(limit: &mut Limit<'_>) {
    let side = limit.int("max_texture_2d");
    let text = side.to_string();
    for (word, wide) in [("width", true), ("height", false)] {
        let create = move |s: &mut SceneBuilder, side| match wide {
            true => s.texture(side, 1, "bgra").map(drop),
            false => s.texture(1, side, "bgra").map(drop),
        };
        both! { limit, s;
            &format!("max_texture_2d.{word}"), 3683 [&text]: create(s, side) => create(s, side * 2);
        }
    }
    let side = limit.int("max_texture_cube");
    both! { limit, s;
        "max_texture_cube", 3705 []: s.cube(side, "bgra").map(drop) => s.cube(side * 2, "bgra").map(drop);
    }
    rectangles(limit);
    back_buffers(limit);
}

fn back_buffers(limit: &mut Limit<'_>) {
    let (least, most) = (limit.int("min_back_buffer"), limit.int("max_back_buffer_recorded"));
    let range = [least.to_string(), most.to_string()];
    let [low, high] = range.each_ref().map(String::as_str);
    both! { limit, s;
        "min_back_buffer.width", 3780 [low, high]:
            s.configure_as(least, least, 0, false) => s.configure_as(least - 1, least, 0, false);
        "min_back_buffer.height", 3781 [low, high]:
            s.configure_as(least, least, 0, true) => s.configure_as(least, least - 1, 0, false);
        "max_back_buffer.width", 3780 [low, high]:
            s.configure_as(most, least, 0, false) => s.configure_as(most + 1, least, 0, false);
        "max_back_buffer.height", 3781 [low, high]:
            s.configure_as(least, most, 0, false) => s.configure_as(least, most + 1, 0, false);
    }
}

fn rectangles(limit: &mut Limit<'_>) {
    let side = limit.int("max_texture_rectangle");
    if side == 0 {
        limit.either("max_texture_rectangle", false, 3782, |s| s.rectangle(1, 1, "bgra").map(drop));
    } else {
        let text = side.to_string();
        both! { limit, s;
            "max_texture_rectangle", 3766 [&text]:
                s.rectangle(side, 1, "bgra").map(drop) => s.rectangle(1, side + 1, "bgra").map(drop);
        }
        // "The larger of the two": the profile's limit and the back buffer.
        limit.add("max_texture_rectangle.of_back_buffer", Expected::Allowed, move |s| {
            s.configure_as(64, side + 1, 0, false)?;
            s.rectangle(1, side + 1, "bgra").map(drop)
        });
    }
}

fn features(limit: &mut Limit<'_>) {
    let allowed = limit.of("half_float_textures") == 1;
    limit.either("half_float_textures", allowed, 3759, |s| {
        s.texture(4, 4, "rgbaHalfFloat").map(drop)
    });
    limit.either("half_float_cubes", allowed, 3759, |s| s.cube(4, "rgbaHalfFloat").map(drop));
    let allowed = limit.of("instanced_drawing") == 1;
    limit.either("instanced_buffers", allowed, 3787, |s| s.instance_buffer(1, 1, 1).map(drop));
    limit.either("instanced_drawing", allowed, 3787, |s| {
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

fn buffers(limit: &mut Limit<'_>) {
    let most = limit.int("data32_per_vertex");
    both! { limit, s;
        "data32_per_vertex", 3670 []:
            s.vertex_buffer(1, most).map(drop) => s.vertex_buffer(1, most + 1).map(drop);
    }
    let most = limit.int("vertices_per_buffer");
    both! { limit, s;
        "vertices_per_buffer", 3670 []:
            s.vertex_buffer(most, 1).map(drop) => s.vertex_buffer(most + 1, 1).map(drop);
    }
    let most = limit.int("indices_per_buffer");
    both! { limit, s;
        "indices_per_buffer", 3670 []: s.index_buffer(most).map(drop) => s.index_buffer(most + 1).map(drop);
    }
    let draws = |s: &mut SceneBuilder, count: u64| {
        let indices = drawable(s)?;
        (0..count).try_for_each(|_| s.draw(indices, 0, 0))
    };
    let most = limit.of("draw_calls_per_present");
    both! { limit, s;
        "draws_per_present", 3690 []: draws(s, most) => draws(s, most + 1);
    }
}

fn registers(limit: &mut Limit<'_>) {
    let most = limit.int("vertex_attributes");
    both! { limit, s;
        "attributes", 2006 []: s.stream(most - 1, None, 0, "float4") => s.stream(most, None, 0, "float4");
    }
    let most = limit.int("fragment_samplers");
    both! { limit, s;
        "samplers.texture", 2006 []: s.bind(most - 1, None) => s.bind(most, None);
    }
    let state = |s: &mut SceneBuilder, at| s.sampler(at, "clamp", "linear", "mipnone");
    both! { limit, s;
        "samplers.state", 2006 []: state(s, most - 1) => state(s, most);
    }
    constants(limit);
    outputs(limit);
}

fn outputs(limit: &mut Limit<'_>) {
    let most = limit.int("color_outputs");
    let output = |s: &mut SceneBuilder, output| {
        let texture = s.texture(4, 4, "bgra")?;
        s.output(Some(texture), false, 0, 0, output)
    };
    let code = if most == 4 { 3770 } else { 3779 };
    both! { limit, s;
        "color_outputs", code []: output(s, most - 1) => output(s, most);
    }
}

fn constants(limit: &mut Limit<'_>) {
    for stage in ["vertex", "fragment"] {
        let most = limit.int(&format!("{stage}_constants"));
        both! { limit, s;
            &format!("{stage}_constants.vector"), 2006 []:
                s.constants(stage, most - 1, &[[0.0; 4]]) => s.constants(stage, most, &[[0.0; 4]]);
            &format!("{stage}_constants.matrix"), 2006 []:
                s.matrix(stage, most - 4, [0.0; 16], true) => s.matrix(stage, most - 3, [0.0; 16], true);
        }
        let bytes = move |s: &mut SceneBuilder, first| {
            s.constants_of_bytes(stage, first, 2, vec![0; 32], 0)
        };
        both! { limit, s;
            &format!("{stage}_constants.bytes"), 2006 []: bytes(s, most - 2) => bytes(s, most - 1);
        }
    }
}

/// Limits that a program sets for itself.
fn own_limits(limit: &mut Limit<'_>) {
    let least = limit.int("min_back_buffer");
    let (low, value) = (least.to_string(), least + 8);
    let high = value.to_string();
    let width = move |s: &mut SceneBuilder| s.call(Call::SetMaxBackBufferWidth { value });
    let height = move |s: &mut SceneBuilder| s.call(Call::SetMaxBackBufferHeight { value });
    both! { limit, s;
        "own_back_buffer.width", 3780 [&low, &high]:
            { width(s)?; s.configure_as(value, least, 0, false) } =>
            { width(s)?; s.configure_as(value + 1, least, 0, false) };
        "own_back_buffer.height", 3781 [&low, &high]:
            { height(s)?; s.configure_as(least, value, 0, false) } =>
            { height(s)?; s.configure_as(least, value + 1, 0, false) };
    }
    let most = limit.of("resources_per_kind");
    limit.add("resources_per_kind.ignored", Expected::Allowed, move |s| {
        s.call(Call::SetIgnoreResourceLimits { value: true })?;
        (0..=most).try_for_each(|_| s.index_buffer(1).map(drop))
    });
}

/// Objects of each kind.
fn counts(limit: &mut Limit<'_>) {
    type Create = fn(&mut SceneBuilder) -> Done;
    let most = limit.of("resources_per_kind");
    let kinds: [(&str, Create); 5] = [
        ("vertex_buffers", |s| s.vertex_buffer(1, 1).map(drop)),
        ("index_buffers", |s| s.index_buffer(1).map(drop)),
        ("programs", |s| s.create(Call::CreateProgram {}).map(drop)),
        ("textures", |s| s.texture(1, 1, "bgra").map(drop)),
        ("cubes", |s| s.cube(1, "bgra").map(drop)),
    ];
    let rectangles: (&str, Create) = ("rectangles", |s| s.rectangle(1, 1, "bgra").map(drop));
    let has_rectangles = limit.of("max_texture_rectangle") > 0;
    for (kind, create) in kinds.into_iter().chain(has_rectangles.then_some(rectangles)) {
        both! { limit, s;
            &format!("resources_per_kind.{kind}"), 3691 []:
                (0..most).try_for_each(|_| create(s)) => (0..=most).try_for_each(|_| create(s));
        }
    }
}

/// Bytes of each kind: as many large objects as fit, and one more.
fn memory(limit: &mut Limit<'_>) {
    type Create = fn(&mut SceneBuilder) -> Done;
    // A texture counts all its levels.
    let levels = |side: u64| {
        std::iter::successors(Some(side), |side| (*side > 1).then_some(side / 2))
            .map(|side| side * side * 4)
            .sum::<u64>()
    };
    let kinds: [(&str, u64, u64, Create); 4] = [
        ("texture_memory", limit.of("texture_memory_mb_64bit_desktop") << 20, levels(2048), |s| {
            s.texture(2048, 2048, "bgra").map(drop)
        }),
        ("cube_memory", limit.of("cube_memory_mb") << 20, levels(1024) * 6, |s| {
            s.cube(1024, "bgra").map(drop)
        }),
        ("vertex_buffer_memory", limit.of("vertex_buffer_memory_mb") << 20, 65536 * 64 * 4, |s| {
            s.vertex_buffer(65536, 64).map(drop)
        }),
        ("index_buffer_memory", limit.of("index_buffer_memory_mb") << 20, 983_039 * 2, |s| {
            s.index_buffer(983_039).map(drop)
        }),
    ];
    for (kind, most, bytes, create) in kinds {
        let fit = most / bytes;
        both! { limit, s;
            kind, 3691 []: (0..fit).try_for_each(|_| create(s)) => (0..=fit).try_for_each(|_| create(s));
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
        let program = ProgramId(s.create(Call::CreateProgram {})?);
        s.upload_program(program, vertex.encode(), fragment)
    };
    let most = usize::try_from(limit.of("tokens")).unwrap_or(0);
    let past = Expected::raises(3629, &["vertex", &(most + 1).to_string()]);
    // In the lowest profile, the native limits are reached first.
    if limit.profile != Profile::BaselineConstrained {
        limit.add("tokens.at", Expected::Allowed, move |s| upload(s, most));
    }
    limit.add("tokens.past", past, move |s| upload(s, most + 1));
}

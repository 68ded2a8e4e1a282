//! Each limit that this crate enforces: what it allows at most, and what it gives beyond.
//!
//! Source: `profile-limits.tsv`.

use context3d::{
    Command, Context3D, ContextOptions, Error, Limits, NullBackend, Profile, ProgramType,
    Registers, TextureFormat, VertexFormat,
};

use crate::common::{PLAIN, Rig, assemble, legal};

const PROFILES: [Profile; 7] = [
    Profile::BaselineConstrained,
    Profile::Baseline,
    Profile::BaselineExtended,
    Profile::StandardConstrained,
    Profile::Standard,
    Profile::StandardExtended,
    Profile::Enhanced,
];

type Context = Context3D<NullBackend>;

fn context(profile: Profile) -> Context {
    let swf_version = 50;
    let backend = NullBackend::counting();
    Context3D::new(
        backend,
        ContextOptions {
            profile,
            swf_version,
        },
    )
}

#[track_caller]
fn raises<T: std::fmt::Debug>(number: u16, result: Result<T, Error>) {
    match result {
        Err(Error::Flash(error)) => assert_eq!(error.number(), number, "{error}"),
        other => panic!("{number} expected, got {other:?}"),
    }
}

fn int(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// Checks each profile with a fresh context and the profile's limits.
fn each(check: impl Fn(&mut Context, &Limits, &Registers)) {
    for profile in PROFILES {
        check(
            &mut context(profile),
            Limits::of(profile),
            &Registers::of(profile),
        );
    }
}

/// The rows of the table that differ between profiles, as `profile-limits.tsv` has them.
#[test]
fn the_table_is_the_reference() {
    let row = |value: fn(&Limits) -> usize| PROFILES.map(|profile| value(Limits::of(profile)));
    let side = |value: u32| value as usize;
    let textures = PROFILES.map(|profile| side(Limits::of(profile).max_texture_2d));
    assert_eq!(textures, [2048, 2048, 4096, 4096, 4096, 4096, 4096]);
    let rectangles = PROFILES.map(|profile| side(Limits::of(profile).max_texture_rectangle));
    assert_eq!(rectangles, [0, 2048, 4096, 4096, 4096, 4096, 4096]);
    assert_eq!(
        row(|l| usize::from(l.half_float_textures)),
        [0, 0, 0, 1, 1, 1, 1]
    );
    assert_eq!(
        row(|l| usize::from(l.instanced_drawing)),
        [0, 0, 0, 0, 0, 1, 1]
    );
    let memory = PROFILES.map(|profile| Limits::of(profile).texture_memory >> 20);
    assert_eq!(memory, [512, 512, 512, 512, 512, 2048, 2048]);
}

#[test]
fn slots() {
    each(|context, _, registers| {
        let buffer = legal(context.create_vertex_buffer(1, 1));
        let count = int(registers.attributes);
        let format = VertexFormat::Float1;
        legal(context.set_vertex_buffer_at(count - 1, Some(buffer), 0, format));
        raises(
            2006,
            context.set_vertex_buffer_at(count, Some(buffer), 0, format),
        );

        let texture = legal(context.create_texture(4, 4, TextureFormat::Bgra));
        let count = int(registers.samplers);
        legal(context.set_texture_at(count - 1, Some(texture)));
        raises(2006, context.set_texture_at(count, Some(texture)));

        let mut output = |color_output_index| {
            context.execute(&Command::SetRenderToTexture {
                texture: Some(texture),
                enable_depth_and_stencil: false,
                anti_alias: 0,
                surface_selector: 0,
                color_output_index,
            })
        };
        let count = int(registers.color_outputs);
        legal(output(count - 1));
        raises(if count == 4 { 3770 } else { 3779 }, output(count));
    });
}

#[test]
fn registers() {
    each(|context, _, registers| {
        let banks = [
            (ProgramType::Vertex, registers.vertex_constants),
            (ProgramType::Fragment, registers.fragment_constants),
        ];
        for (kind, count) in banks {
            legal(context.set_constants(kind, 0, &vec![0.0; count * 4]));
            raises(
                2006,
                context.set_constants(kind, 0, &vec![0.0; count * 4 + 4]),
            );
            legal(context.set_constants(kind, int(count) - 1, &[0.0; 4]));
            raises(2006, context.set_constants(kind, int(count), &[0.0; 4]));
            let matrix = [0.0; 16];
            legal(context.set_constants_from_matrix(kind, int(count) - 4, &matrix, true));
            raises(
                2006,
                context.set_constants_from_matrix(kind, int(count) - 3, &matrix, true),
            );
        }
    });
}

#[test]
fn texture_sides() {
    each(|context, limits, _| {
        let format = TextureFormat::Bgra;
        let side = int(limits.max_texture_2d);
        legal(context.create_texture(side, 1, format));
        raises(3683, context.create_texture(1, side * 2, format));
        let side = int(limits.max_texture_cube);
        legal(context.create_cube_texture(side, format));
        raises(3705, context.create_cube_texture(side * 2, format));
        match int(limits.max_texture_rectangle) {
            0 => raises(3782, context.create_rectangle_texture(4, 4, format)),
            side => {
                legal(context.create_rectangle_texture(side, 1, format));
                raises(3766, context.create_rectangle_texture(1, side + 1, format));
                // "The larger of the two": the profile's limit and the back buffer.
                legal(context.configure_back_buffer(64, side + 1, 0, false));
                legal(context.create_rectangle_texture(1, side + 1, format));
                raises(3766, context.create_rectangle_texture(side + 1, 1, format));
            }
        }
        let half = context.create_texture(4, 4, TextureFormat::RgbaHalfFloat);
        if limits.half_float_textures {
            legal(half);
        } else {
            raises(3759, half);
        }
        let instances = context.create_vertex_buffer_for_instances(1, 1, 1);
        if limits.instanced_drawing {
            legal(instances);
        } else {
            raises(3787, instances);
        }
    });
}

#[test]
fn buffer_sizes() {
    each(|context, limits, _| {
        let (vertices, values) = (limits.vertices_per_buffer, limits.data32_per_vertex);
        legal(context.create_vertex_buffer(vertices, values));
        raises(3670, context.create_vertex_buffer(vertices + 1, 1));
        raises(3670, context.create_vertex_buffer(1, values + 1));
        legal(context.create_index_buffer(limits.indices_per_buffer));
        raises(
            3670,
            context.create_index_buffer(limits.indices_per_buffer + 1),
        );
    });
}

#[test]
fn back_buffer_sides() {
    each(|context, limits, _| {
        let (least, most) = (int(limits.min_back_buffer), int(limits.max_back_buffer));
        legal(context.configure_back_buffer(least, most, 0, false));
        legal(context.configure_back_buffer(most, least, 0, false));
        raises(
            3780,
            context.configure_back_buffer(least - 1, least, 0, false),
        );
        raises(
            3781,
            context.configure_back_buffer(least, most + 1, 0, false),
        );
        assert_eq!(context.back_buffer_size(), (16384, 32));
    });
    // Accepted silently by old rules (player test).
    let (profile, swf_version) = (Profile::Baseline, 29);
    let options = ContextOptions {
        profile,
        swf_version,
    };
    let mut old = Context3D::new(NullBackend::counting(), options);
    legal(old.configure_back_buffer(0, 0, 0, false));
    raises(3669, old.configure_back_buffer(31, 31, 0, false));
}

#[test]
fn objects_of_each_kind() {
    let mut context = context(Profile::Baseline);
    let most = Limits::of(Profile::Baseline).resources_per_kind;
    let format = TextureFormat::Bgra;
    let mut textures = Vec::new();
    for number in 0..most {
        legal(context.create_vertex_buffer(1, 1));
        legal(context.create_index_buffer(1));
        legal(context.create_program());
        legal(context.create_cube_texture(1, format));
        // 2D and rectangle textures share their limit.
        textures.push(legal(match number % 2 {
            0 => context.create_texture(1, 1, format),
            _ => context.create_rectangle_texture(1, 1, format),
        }));
    }
    raises(3691, context.create_vertex_buffer(1, 1));
    raises(3691, context.create_index_buffer(1));
    raises(3691, context.create_program());
    raises(3691, context.create_cube_texture(1, format));
    raises(3691, context.create_texture(1, 1, format));
    raises(3691, context.create_rectangle_texture(1, 1, format));
    legal(context.dispose_texture(textures[1]));
    legal(context.create_texture(1, 1, format));
}

/// Creates until 3691, and holds what was made against the limit.
#[track_caller]
fn fill(most: u64, each: u64, mut create: impl FnMut() -> Result<(), Error>) {
    let fit = most / each;
    for number in 0..fit {
        assert_eq!(create(), Ok(()), "{number} of {fit}");
    }
    raises(3691, create());
}

#[test]
fn memory_of_each_kind() {
    for profile in [Profile::Standard, Profile::StandardExtended] {
        let limits = Limits::of(profile);
        let mut context = context(profile);
        // 4096 by 4096 texels of four bytes and their mips.
        let texture = (0..13).map(|level| 4u64 << (24 - 2 * level)).sum();
        let format = TextureFormat::Bgra;
        fill(limits.texture_memory, texture, || {
            context.create_texture(4096, 4096, format).map(drop)
        });
        // A third more than level 0, six times.
        let cube = (0..11).map(|level| 24u64 << (20 - 2 * level)).sum();
        fill(limits.cube_memory, cube, || {
            context.create_cube_texture(1024, format).map(drop)
        });
    }
    let limits = Limits::of(Profile::Baseline);
    let mut context = context(Profile::Baseline);
    let before = context.total_gpu_memory();
    // Sixteen of them are exactly the limit.
    fill(limits.vertex_buffer_memory, 65536 * 64 * 4, || {
        context.create_vertex_buffer(65536, 64).map(drop)
    });
    assert_eq!(
        context.total_gpu_memory() - before,
        limits.vertex_buffer_memory
    );
    fill(limits.index_buffer_memory, 983_039 * 2, || {
        context.create_index_buffer(983_039).map(drop)
    });
}

#[test]
fn memory_of_programs() {
    let mut context = context(Profile::StandardExtended);
    let limits = Limits::of(Profile::StandardExtended);
    let stage = context3d::agal::Stage::Vertex;
    let long = "mov vt0, va0\n".repeat(2047) + PLAIN.0;
    let vertex = assemble(&long, stage, 3);
    let fragment = assemble(PLAIN.1, context3d::agal::Stage::Fragment, 3);
    let bytes = (vertex.len() + fragment.len()) as u64;
    let mut last = None;
    fill(limits.program_memory, bytes, || {
        let program = context.create_program()?;
        last = Some(program);
        context.upload_program(program, &vertex, &fragment)
    });
    // A program that takes another's place counts once.
    let Some(refused) = last else {
        panic!("no program")
    };
    let small = assemble(PLAIN.0, stage, 3);
    for _ in 0..2 {
        legal(context.upload_program(refused, &small, &fragment));
    }
    let used = (small.len() + fragment.len()) as u64;
    let expected = limits.program_memory / bytes * bytes + used;
    assert_eq!(context.total_gpu_memory(), expected);
}

/// "More than 32768 draw calls since the last present(). Raised even with error checking off."
#[test]
fn draws_of_a_frame() {
    let mut rig = Rig::baseline();
    // Dropped draws are calls too, rejected ones are not.
    legal(rig.context.set_program(None));
    legal(rig.draw());
    legal(rig.context.set_error_checking(true));
    raises(3600, rig.draw());
    legal(rig.context.set_program(Some(rig.program)));
    for _ in 1..32768 {
        legal(rig.draw());
        rig.packets();
    }
    for _ in 0..2 {
        raises(3690, rig.draw());
    }
    legal(rig.context.present());
    legal(rig.context.clear([0.0; 4], 1.0, 0));
    legal(rig.draw());
}

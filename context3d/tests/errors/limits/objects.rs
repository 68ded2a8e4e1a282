//! Limits on the number of objects of each class, and on their memory.

use context3d::agal::Stage;
use context3d::enums::{BufferUsage, TextureFormat};
use context3d::{Error, Profile};

use super::{Context, assemble, context, raises};
use crate::common::{PLAIN, legal};

const BGRA: TextureFormat = TextureFormat::Bgra;

type Create<'a> = &'a mut dyn FnMut(&mut Context) -> Result<(), Error>;

/// Creates objects of each size until the memory limit is reached; one more object must fail. The remaining memory must
/// be less than the last object's size. A size consists of the bytes for the limit, and the bytes for
/// `totalGPUMemory`.
fn fill(context: &mut Context, most: u64, sizes: &mut [([u64; 2], Create<'_>)]) {
    let (mut used, mut reported) = (0, 0);
    for ([bytes, shown], create) in sizes.iter_mut() {
        while used + *bytes <= most {
            assert_eq!(create(context), Ok(()), "{bytes} beside {used}");
            used += *bytes;
            reported += *shown;
        }
        raises(3691, create(context));
        assert_eq!(context.total_gpu_memory(), reported);
    }
    let smallest = sizes.last().map_or(0, |([bytes, _], _)| *bytes);
    assert!(used <= most && most - used < smallest);
}

/// Returns the size of an object that counts equally for the limit and for `totalGPUMemory`.
fn plain(bytes: u64) -> [u64; 2] {
    [bytes; 2]
}

/// Returns the size of a BGRA texture with mip levels: `totalGPUMemory` counts exactly 1.5 times level 0
/// [context3d.property.memory_mips] [context3d.property.memory_limit].
fn mip_mapped(side: u64, faces: u64) -> [u64; 2] {
    let counted: u64 = std::iter::successors(Some(side), |side| (*side > 1).then_some(side / 2))
        .map(|side| side * side * 4)
        .sum();
    let reported = if side == 1 { 4 } else { side * side * 6 };
    [counted * faces, reported * faces]
}

/// Fills the memory with textures of each power of two, starting with the largest.
fn fill_textures(
    profile: Profile,
    most: u64,
    largest: i32,
    faces: u64,
    create: fn(&mut Context, i32) -> Result<(), Error>,
) {
    let mut context = context(profile);
    let sides = std::iter::successors(Some(largest), |side| (*side > 1).then_some(side / 2));
    let mut creators: Vec<_> = sides
        .map(|side| {
            let bytes = mip_mapped(u64::from(side.unsigned_abs()), faces);
            (bytes, move |context: &mut Context| create(context, side))
        })
        .collect();
    let mut sizes: Vec<([u64; 2], Create<'_>)> = Vec::new();
    for (bytes, creator) in &mut creators {
        sizes.push((*bytes, creator));
    }
    fill(&mut context, most, &mut sizes);
}

/// [context3d.limit.texture_bytes]
pub(super) fn texture_memory(profile: Profile, most: u64) {
    fill_textures(profile, most, 2048, 1, |context, side| {
        context.create_texture(side, side, BGRA, false, 0).map(drop)
    });
    if profile != Profile::BaselineConstrained {
        // Rectangle textures count for the same limit as 2D textures.
        let mut context = context(profile);
        let large = |context: &mut Context| {
            context.create_rectangle_texture(2048, 2048, BGRA, false).map(drop)
        };
        let wide = |context: &mut Context| {
            context.create_rectangle_texture(2047, 1, BGRA, false).map(drop)
        };
        let texel = |context: &mut Context| context.create_texture(1, 1, BGRA, false, 0).map(drop);
        legal(wide(&mut context));
        let used = context.total_gpu_memory();
        assert_eq!(used, 2047 * 4);
        let mut count = 0;
        while large(&mut context).is_ok() {
            count += 1;
        }
        assert_eq!(count, most / (2048 * 2048 * 4) - 1);
        let mut left = most - context.total_gpu_memory();
        for side in [1024, 512, 256, 128, 64, 32] {
            while left >= side * side * 4 {
                let side = super::int(side);
                legal(context.create_rectangle_texture(side, side, BGRA, false));
                left = most - context.total_gpu_memory();
            }
        }
        while left > 0 {
            legal(texel(&mut context));
            left -= 4;
        }
        assert_eq!(context.total_gpu_memory(), most);
        raises(3691, texel(&mut context));
    }
}

pub(super) fn cube_memory(profile: Profile, most: u64) {
    fill_textures(profile, most, 1024, 6, |context, side| {
        context.create_cube_texture(side, BGRA, false, 0).map(drop)
    });
}

pub(super) fn vertex_buffer_memory(profile: Profile, most: u64) {
    let mut large = |context: &mut Context| {
        context.create_vertex_buffer(65536, 63, BufferUsage::StaticDraw).map(drop)
    };
    let mut small = |context: &mut Context| {
        context.create_vertex_buffer(64, 64, BufferUsage::StaticDraw).map(drop)
    };
    let mut smallest = |context: &mut Context| {
        context.create_vertex_buffer(1, 1, BufferUsage::StaticDraw).map(drop)
    };
    let sizes: &mut [([u64; 2], Create<'_>)] = &mut [
        (plain(65536 * 63 * 4), &mut large),
        (plain(64 * 64 * 4), &mut small),
        (plain(4), &mut smallest),
    ];
    fill(&mut context(profile), most, sizes);
}

pub(super) fn index_buffer_memory(profile: Profile, most: u64) {
    let mut large = |context: &mut Context| {
        context.create_index_buffer(983_039, BufferUsage::StaticDraw).map(drop)
    };
    let mut small = |context: &mut Context| {
        context.create_index_buffer(1000, BufferUsage::StaticDraw).map(drop)
    };
    let mut smallest =
        |context: &mut Context| context.create_index_buffer(1, BufferUsage::StaticDraw).map(drop);
    let sizes: &mut [([u64; 2], Create<'_>)] = &mut [
        (plain(983_039 * 2), &mut large),
        (plain(2000), &mut small),
        (plain(2), &mut smallest),
    ];
    fill(&mut context(profile), most, sizes);
}

pub(super) fn program_memory(profile: Profile, most: u64) {
    let version = profile.max_version();
    let number = version.number();
    let tokens = version.max_tokens();
    let vertex = |tokens: usize| {
        let source = "mov vt0, va0\n".repeat(tokens - 1) + PLAIN.0;
        assemble(&source, Stage::Vertex, number)
    };
    let fragment = assemble(PLAIN.1, Stage::Fragment, number);
    let [long, short] = [vertex(tokens), vertex(1)];
    let bytes = |vertex: &[u8]| (vertex.len() + fragment.len()) as u64;
    let mut context = context(profile);
    let program = std::cell::Cell::new(None);
    let upload = |context: &mut Context, vertex: &[u8]| {
        // An upload that was rejected is tried again.
        let key = match program.take() {
            Some(key) => key,
            None => context.create_program()?,
        };
        let uploaded = context.program_upload(key, Some(vertex.into()), Some(fragment[..].into()));
        program.set(uploaded.is_err().then_some(key));
        uploaded
    };
    let mut large = |context: &mut Context| upload(context, &long);
    let mut small = |context: &mut Context| upload(context, &short);
    let sizes: &mut [([u64; 2], Create<'_>)] =
        &mut [(plain(bytes(&long)), &mut large), (plain(bytes(&short)), &mut small)];
    fill(&mut context, most, sizes);
}

/// An upload into a `Program3D` replaces the counted bytes of its former program.
#[test]
fn a_program_in_the_place_of_another() {
    let mut context = context(Profile::Baseline);
    let [vertex, fragment] = [(PLAIN.0, Stage::Vertex), (PLAIN.1, Stage::Fragment)]
        .map(|(source, stage)| assemble(source, stage, 1));
    let program = legal(context.create_program());
    for _ in 0..3 {
        legal(context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into())));
        let bytes = (vertex.len() + fragment.len()) as u64;
        assert_eq!(context.total_gpu_memory(), bytes);
    }
}

pub(super) fn count(profile: Profile, most: u64) {
    let rectangles = profile != Profile::BaselineConstrained;
    let mut context = context(profile);
    let mut textures = Vec::new();
    for number in 0..most {
        legal(context.create_vertex_buffer(1, 1, BufferUsage::StaticDraw));
        legal(context.create_index_buffer(1, BufferUsage::StaticDraw));
        legal(context.create_program());
        legal(context.create_cube_texture(1, BGRA, false, 0));
        // 2D and rectangle textures share one limit on their number.
        textures.push(legal(if rectangles && number % 2 == 1 {
            context.create_rectangle_texture(1, 1, BGRA, false)
        } else {
            context.create_texture(1, 1, BGRA, false, 0)
        }));
    }
    raises(3691, context.create_vertex_buffer(1, 1, BufferUsage::StaticDraw));
    raises(3691, context.create_index_buffer(1, BufferUsage::StaticDraw));
    raises(3691, context.create_program());
    raises(3691, context.create_cube_texture(1, BGRA, false, 0));
    raises(3691, context.create_texture(1, 1, BGRA, false, 0));
    let rectangle = context.create_rectangle_texture(1, 1, BGRA, false);
    raises(if rectangles { 3691 } else { 3782 }, rectangle);
    // Video textures have a separate limit.
    legal(context.create_video_texture());
    legal(context.texture_dispose(textures[1]));
    legal(context.create_texture(1, 1, BGRA, false, 0));
    raises(3691, context.create_texture(1, 1, BGRA, false, 0));
}

/// [context3d.limit.videos] [context3d.limit.video_error]
pub(super) fn videos(profile: Profile, most: u64) {
    let mut context = context(profile);
    let mut last = None;
    for _ in 0..most {
        last = legal(context.create_video_texture());
    }
    raises(3691, context.create_video_texture());
    let last = last.expect("the default host has video");
    for _ in 0..2 {
        legal(context.texture_dispose(last));
    }
    legal(context.create_video_texture());
    raises(3691, context.create_video_texture());
}

//! The inputs of programs: constants, samplers, vertex streams.

use context3d::agal::Stage;
use context3d::enums::{
    BufferUsage, EnumArg, MipFilter, ProgramType, TextureFilter, TextureFormat, VertexFormat,
    WrapMode,
};
use context3d::packets::{FIRST_VERTEX_SAMPLER, Packet, SamplerState};
use context3d::{Error, ErrorCode, Invocation, Profile, Reply};

use crate::common::{Rig, TEXTURED, assemble, legal};

/// Returns the stage, first register and values of each packet of constants.
fn constants(rig: &mut Rig) -> Vec<(ProgramType, u16, Vec<[f32; 4]>)> {
    let constants = |packet: Packet<'static>| match packet {
        Packet::Constants { stage, first, values } => Some((stage, first, values.into_owned())),
        _ => None,
    };
    legal(rig.draw());
    rig.packets().into_iter().filter_map(constants).collect()
}

#[test]
fn constants_go_in_one_packet_a_stage_and_once() {
    let mut rig = Rig::baseline();
    let (vertex, fragment) = (ProgramType::Vertex, ProgramType::Fragment);
    assert_eq!(constants(&mut rig), []);
    legal(rig.context.set_program_constants_from_vector(
        vertex,
        6,
        Some(&[1.0, 2.0, 3.0, 4.0]),
        -1,
    ));
    legal(rig.context.set_program_constants_from_vector(vertex, 4, Some(&[5.0; 4]), -1));
    legal(rig.context.set_program_constants_from_vector(fragment, 27, Some(&[0.1; 4]), -1));
    let sent = vec![[5.0; 4], [0.0; 4], [1.0, 2.0, 3.0, 4.0]];
    let expected = [(vertex, 4, sent), (fragment, 27, vec![[0.1f32; 4]])];
    assert_eq!(constants(&mut rig), expected);
    assert_eq!(constants(&mut rig), []);
    // If a draw is dropped, its changed constants are sent with the next draw.
    legal(rig.context.set_program_constants_from_vector(vertex, 0, Some(&[9.0; 4]), -1));
    legal(rig.context.set_program(None));
    assert_eq!(constants(&mut rig), []);
    legal(rig.context.set_program(Some(rig.program)));
    assert_eq!(constants(&mut rig), [(vertex, 0, vec![[9.0f32; 4]])]);
}

/// Like for `Vector.<Number>`, a count of -1 ignores an incomplete register at the end of a `Vector.<float>`.
#[test]
fn constants_from_vectors_of_floats() {
    let mut rig = Rig::baseline();
    let (vertex, fragment) = (ProgramType::Vertex, ProgramType::Fragment);
    let data = [1.0, -2.0, 3.0, 4.0, f32::MIN_POSITIVE, 6.0, 7.0, 8.0, 9.0];
    let mut set = |stage, first, count| {
        rig.context.set_program_constants_from_float_vector(stage, first, Some(&data), count)
    };
    legal(set(vertex, 3, -1));
    legal(set(fragment, 27, 1));
    for (first, count, number) in [(126, -1, None), (127, -1, Some(2006)), (0, 3, Some(3669))] {
        let raised = match set(vertex, first, count) {
            Ok(()) => None,
            Err(Error::Flash(error)) => Some(error.number()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(raised, number, "{count} from {first}");
    }
    let [(_, _, values), (stage, first, fragment_values)] = &constants(&mut rig)[..] else {
        panic!("two banks")
    };
    let [low, high] = [[1.0, -2.0, 3.0, 4.0], [f32::MIN_POSITIVE, 6.0, 7.0, 8.0]];
    assert_eq!((values[0], values[1], values[123], values[124]), (low, high, low, high));
    assert_eq!((*stage, *first, &fragment_values[..]), (fragment, 27, &[low][..]));
}

#[test]
fn constants_from_vectors_and_bytes() {
    let mut rig = Rig::baseline();
    let vertex = ProgramType::Vertex;
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    // A count of -1 means all complete registers; an incomplete register is ignored.
    legal(rig.context.set_program_constants_from_vector(vertex, 1, Some(&numbers), -1));
    let expected = vec![[1.0f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    assert_eq!(constants(&mut rig), [(vertex, 1, expected)]);
    legal(rig.context.execute(&Invocation::SetProgramConstantsFromVector {
        program_type: vertex.into(),
        first_register: 2,
        data: Some(&numbers),
        num_registers: 1,
    }));
    let expected = vec![[1.0f32, 2.0, 3.0, 4.0]];
    assert_eq!(constants(&mut rig), [(vertex, 2, expected.clone())]);
    // The data is read as little-endian (capture program_constants_bytearray_le), starting at the offset.
    let bytes: Vec<u8> =
        [7.0f32, 1.0, 2.0, 3.0, 4.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    legal(rig.context.execute(&Invocation::SetProgramConstantsFromByteArray {
        program_type: vertex.into(),
        first_register: 3,
        num_registers: 1,
        data: Some(&bytes),
        byte_array_offset: 4,
    }));
    assert_eq!(constants(&mut rig), [(vertex, 3, expected)]);
}

#[test]
fn a_matrix_by_columns_and_by_rows() {
    let mut rig = Rig::baseline();
    let raw: [f64; 16] = std::array::from_fn(|i| f64::from(u8::try_from(i).unwrap_or(0)));
    let mut registers = |transposed| {
        let vertex = ProgramType::Vertex;
        legal(rig.context.set_program_constants_from_matrix(vertex, 0, Some(&raw), transposed));
        let packets = constants(&mut rig);
        packets.into_iter().flat_map(|packet| packet.2).collect::<Vec<_>>()
    };
    // Register k of a matrix receives rawData[4k..4k+3] [context3d.constants.matrix].
    assert_eq!(registers(false)[1], [4.0, 5.0, 6.0, 7.0]);
    // Register k of a transposed matrix receives rawData[k], [k+4], [k+8], [k+12].
    let rows = registers(true);
    assert_eq!(rows[0], [0.0, 4.0, 8.0, 12.0]);
    assert_eq!(rows[3], [3.0, 7.0, 11.0, 15.0]);
}

fn sampler(rig: &mut Rig) -> SamplerState {
    match rig.drawn().textures[0] {
        Some(binding) => binding.sampler,
        None => panic!("nothing bound"),
    }
}

/// [context3d.sampler.last] [context3d.sampler.program_again] [context3d.program.samplers]
#[test]
fn the_last_writer_of_a_sampler_wins() {
    let from_agal =
        SamplerState { wrap: WrapMode::Clamp, filter: TextureFilter::Linear, mip: MipFilter::None };
    let set = SamplerState {
        wrap: WrapMode::Repeat,
        filter: TextureFilter::Anisotropic4x,
        mip: MipFilter::None,
    };
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    legal(rig.context.set_texture_at(0, Some(texture)));
    let change = |rig: &mut Rig| {
        legal(rig.context.set_sampler_state_at(0, set.wrap, set.filter, set.mip));
    };
    // `setProgram` overrides earlier sampler states.
    change(&mut rig);
    rig.use_program(TEXTURED, 1);
    assert_eq!(sampler(&mut rig), from_agal);
    // A later `setSamplerStateAt` applies until the program is bound again, as in an image of Flash Player.
    change(&mut rig);
    assert_eq!(sampler(&mut rig), set);
    legal(rig.context.set_program(Some(rig.program)));
    assert_eq!(sampler(&mut rig), from_agal);
    // Slots with `ignoresampler` keep their state.
    change(&mut rig);
    let ignoring = TEXTURED.1.replace("mipnone", "mipnone,ignoresampler");
    rig.use_program((TEXTURED.0, &ignoring), 1);
    assert_eq!(sampler(&mut rig), set);
    // Another upload into the bound program doesn't change the slots [context3d.program.upload_again].
    let vertex = assemble(TEXTURED.0, Stage::Vertex, 1);
    let fragment = assemble(TEXTURED.1, Stage::Fragment, 1);
    let (vertex, fragment) = (Some(vertex[..].into()), Some(fragment[..].into()));
    legal(rig.context.program_upload(rig.program, vertex, fragment));
    assert_eq!(sampler(&mut rig), set);
}

/// [context3d.state.sampler]
#[test]
fn a_slot_that_nobody_set_has_the_default_sampler() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    legal(rig.context.set_texture_at(0, Some(texture)));
    let ignoring = TEXTURED.1.replace("mipnone", "mipnone,ignoresampler");
    rig.use_program((TEXTURED.0, &ignoring), 1);
    let expected = SamplerState {
        wrap: WrapMode::Clamp,
        filter: TextureFilter::Nearest,
        mip: MipFilter::None,
    };
    assert_eq!(sampler(&mut rig), expected);
}

/// [context3d.sampling.unchecked] [context3d.error.3753] [context3d.error.3755] [context3d.error.3763]
#[test]
fn draws_whose_sampler_does_not_fit_the_texture_are_dropped() {
    let mut rig = Rig::baseline();
    let texture = legal(rig.context.create_rectangle_texture(3, 5, TextureFormat::Bgra, false));
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 60]), 0, None, 0));
    legal(rig.context.set_texture_at(0, Some(texture)));
    rig.use_program(TEXTURED, 1);
    for (wrap, mip, result) in [
        (WrapMode::Repeat, MipFilter::None, Reply::Skipped(ErrorCode::MustClamp)),
        (WrapMode::RepeatUClampV, MipFilter::Linear, Reply::Skipped(ErrorCode::MustClamp)),
        (WrapMode::Clamp, MipFilter::Linear, Reply::Skipped(ErrorCode::RectangleMips)),
        (WrapMode::Clamp, MipFilter::None, Reply::Done),
    ] {
        legal(rig.context.set_sampler_state_at(0, wrap, TextureFilter::Linear, mip));
        assert_eq!(rig.draw(), Ok(result), "{wrap:?} {mip:?}");
    }
    let compressed = rig.target(4, TextureFormat::CompressedAlpha);
    legal(rig.context.texture_upload_from_byte_array(compressed, Some(&[0; 64]), 0, None, 0));
    legal(rig.context.set_texture_at(0, Some(compressed)));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::ReadMode)));
    rig.use_program((TEXTURED.0, &TEXTURED.1.replace("mipnone", "mipnone,dxt5")), 1);
    assert_eq!(rig.draw(), Ok(Reply::Done));
}

#[test]
fn streams_carry_offset_format_and_divisor() {
    let mut rig = Rig::new(Profile::StandardExtended, 50);
    rig.use_program(("add vt0, va0, va1\nadd op, vt0, va2", "mov oc, fc0"), 1);
    let each =
        legal(rig.context.create_vertex_buffer_for_instances(2, 3, 4, BufferUsage::StaticDraw));
    let context = &mut rig.context;
    legal(context.vertex_buffer_upload_from_vector(each, Some(&[0.0; 6]), 0, 2));
    legal(context.set_vertex_buffer_at(0, Some(rig.vertices), 1, VertexFormat::Float3));
    legal(context.set_vertex_buffer_at(1, Some(rig.vertices), 3, VertexFormat::Bytes4));
    legal(context.set_vertex_buffer_at(2, Some(each), 2, VertexFormat::Float1));
    // The format argument is ignored if the buffer is null [context3d.stream.null].
    legal(context.set_vertex_buffer_at(3, None, 0, EnumArg::Unknown("Bad format")));
    rig.packets();
    legal(rig.context.draw_triangles_instanced(Some(rig.indices), 8, 0, -1));
    let packets = rig.packets();
    let [Packet::Draw(draw)] = packets.as_slice() else { panic!("{packets:?}") };
    assert_eq!(draw.instances, 8);
    let of = |register: usize| {
        let stream = draw.streams[register].expect("set");
        (stream.offset, stream.stride, stream.format, stream.divisor)
    };
    assert_eq!(of(0), (4, 16, VertexFormat::Float3, 0));
    assert_eq!(of(1), (12, 16, VertexFormat::Bytes4, 0));
    assert_eq!(of(2), (8, 12, VertexFormat::Float1, 4));
    // Two elements that advance every four instances suffice for eight instances.
    let nine = rig.context.draw_triangles_instanced(Some(rig.indices), 9, 0, -1);
    assert_eq!(nine, Ok(Reply::Skipped(ErrorCode::NotEnoughInstances)));
}

#[test]
fn only_the_indices_that_are_drawn_must_lie_in_the_vertices() {
    let mut rig = Rig::baseline();
    legal(rig.context.index_buffer_upload_from_vector(rig.indices, Some(&[4]), 4, 1));
    // Draws, and returns whether the vertex buffer was padded.
    let draw = |rig: &mut Rig, first| {
        rig.packets();
        let done = rig.context.draw_triangles(Some(rig.indices), first, 1);
        assert_eq!(done, Ok(Reply::Done));
        rig.packets().iter().any(|packet| matches!(packet, Packet::PadVertexBuffer { .. }))
    };
    let padded = [0, 1, 2].map(|first| draw(&mut rig, first));
    assert_eq!(padded, [false, false, true]);
    // Only the low 16 bits of the index 0x10003 are used [context3d.index_buffer.low_bits].
    legal(rig.context.index_buffer_upload_from_vector(rig.indices, Some(&[0x1_0003]), 4, 1));
    assert!(!draw(&mut rig, 2));
}

/// Without error checking, short streams are padded for the draw [context3d.error.3609.unchecked].
#[test]
fn short_streams_are_padded() {
    let mut rig = Rig::baseline();
    rig.use_program(("mov op, va0\nmov v0, va1\nadd vt0, va2, va3\nmov v1, vt0", "mov oc, v0"), 1);
    let short = legal(rig.context.create_vertex_buffer(2, 5, BufferUsage::StaticDraw));
    legal(rig.context.vertex_buffer_upload_from_byte_array(short, Some(&[0; 40]), 0, 0, 2));
    let mut set = |register, buffer, offset| {
        let format = VertexFormat::Float4;
        legal(rig.context.set_vertex_buffer_at(register, Some(buffer), offset, format));
    };
    set(1, short, 1);
    // An incomplete element at the end of the buffer, and an offset past the end.
    set(2, short, 7);
    set(3, short, 1 << 29);
    let padded = |rig: &mut Rig| {
        rig.packets();
        let drawn = rig.context.draw_triangles(Some(rig.indices), 0, -1);
        assert_eq!(drawn, Ok(Reply::Done));
        let packets = rig.packets();
        let padded = packets.iter().filter_map(|packet| match packet {
            Packet::PadVertexBuffer { bytes, .. } => Some(*bytes),
            _ => None,
        });
        let padded: Vec<_> = padded.collect();
        let Some(Packet::Draw(draw)) = packets.last() else { panic!("no draw") };
        (padded, draw.streams.map(|stream| stream.map(|stream| stream.offset)))
    };
    // The buffer has three vertices, and the draw needs four.
    let (bytes, offsets) = padded(&mut rig);
    assert_eq!((bytes, offsets[1]), (vec![4 + 3 * 20 + 16], Some(4)));
    // The streams 2 and 3 only feed a varying that the fragment program does not read.
    assert_eq!((offsets[2], offsets[3]), (None, None));
    rig.use_program(
        ("mov op, va0\nmov v0, va1\nadd vt0, va2, va3\nmov v1, vt0", "add oc, v0, v1"),
        1,
    );
    let (bytes, offsets) = padded(&mut rig);
    assert_eq!(bytes, [28 + 3 * 20 + 16, 40 + 3 * 20 + 16]);
    assert_eq!([offsets[1], offsets[2], offsets[3]], [Some(4), Some(28), Some(40)]);
    // A buffer that is already padded needs no further padding.
    assert_eq!(padded(&mut rig).0, []);
    // The offset in bytes exceeds 32 bits.
    let (far, format) = (Some(short), VertexFormat::Float4);
    legal(rig.context.set_vertex_buffer_at(3, far, 1 << 30, format));
    assert_eq!(padded(&mut rig).1[3], Some(40));
}

/// If the total padding exceeds the limit, the padding of buffers that the draw doesn't use is freed.
#[test]
fn padding_is_bounded() {
    let mut rig = Rig::baseline();
    rig.use_program(("mov op, va0\nmov v0, va1", "mov oc, v0"), 1);
    legal(rig.context.index_buffer_upload_from_vector(rig.indices, Some(&[65535]), 0, 1));
    let mut total = std::collections::HashMap::new();
    for _ in 0..12 {
        // A buffer with one vertex of 64 values needs 16 MB of padding for 65536 vertices.
        let short = legal(rig.context.create_vertex_buffer(1, 64, BufferUsage::StaticDraw));
        legal(rig.context.vertex_buffer_upload_from_byte_array(short, Some(&[0; 256]), 0, 0, 1));
        legal(rig.context.set_vertex_buffer_at(1, Some(short), 0, VertexFormat::Float4));
        assert_eq!(rig.context.draw_triangles(Some(rig.indices), 0, 1), Ok(Reply::Done));
        for packet in rig.packets() {
            if let Packet::PadVertexBuffer { key, bytes } = packet {
                total.insert(key, bytes);
            }
        }
        assert!(total.values().sum::<u32>() <= (128 << 20) + 12 * 256);
    }
    assert_eq!(total.len(), 13, "the positions and the others");
}

/// An unread per-instance stream may be too short. If the program reads the stream, error 3785 drops the draw.
#[test]
fn instances_that_nobody_reads_may_be_missing() {
    let mut rig = Rig::new(Profile::StandardExtended, 30);
    let few =
        legal(rig.context.create_vertex_buffer_for_instances(1, 4, 1, BufferUsage::StaticDraw));
    legal(rig.context.vertex_buffer_upload_from_byte_array(few, Some(&[0; 16]), 0, 0, 1));
    let format = VertexFormat::Float4;
    legal(rig.context.set_vertex_buffer_at(1, Some(few), 0, format));
    for (fragment, reply) in [
        ("mov oc, fc0", Reply::Done),
        ("mov oc, v0", Reply::Skipped(ErrorCode::NotEnoughInstances)),
    ] {
        rig.use_program(("mov op, va0\nmov v0, va1", fragment), 1);
        let done = rig.context.draw_triangles_instanced(Some(rig.indices), 2, 0, -1);
        assert_eq!(done, Ok(reply), "{fragment}");
    }
}

/// Vertex samplers read the slots of `setTextureAt`: `vs0` reads [`FIRST_VERTEX_SAMPLER`].
/// [context3d.profile.vertex_samplers]
#[test]
fn vertex_samplers_read_slots() {
    let mut rig = Rig::new(Profile::Enhanced, 50);
    let [low, shared] = [rig.texture(), rig.texture()];
    let slot = |number: usize| i32::try_from(FIRST_VERTEX_SAMPLER + number).unwrap();
    rig.use_program(
        (
            "tld vt0, va0, vs1 <2d,linear,repeat,mipnone>\n\
             tld vt1, va0, vs3 <2d,linear,repeat,mipnone>\n\
             add op, vt0, vt1\nmov v0, va0",
            &format!("tex oc, v0, fs{} <2d,nearest,clamp_u_repeat_v,mipnone>", slot(3)),
        ),
        4,
    );
    for (texture, number) in [(low, 1), (shared, 3)] {
        assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::TextureMissing)));
        legal(rig.context.set_texture_at(slot(number), Some(texture)));
    }
    let draw = rig.drawn();
    let bound = |number: usize| {
        let binding = draw.textures[FIRST_VERTEX_SAMPLER + number].expect("bound");
        let state = binding.sampler;
        (binding.texture, state.wrap, state.filter)
    };
    assert_eq!(bound(1), (low.key(), WrapMode::Repeat, TextureFilter::Linear));
    let clamped = WrapMode::ClampURepeatV;
    assert_eq!(bound(3), (shared.key(), clamped, TextureFilter::Nearest));
    assert_eq!(draw.textures.iter().flatten().count(), 2);
}

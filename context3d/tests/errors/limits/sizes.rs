//! Limits on the sizes of objects, and on the numbers of slots and registers.

use context3d::enums::{BufferUsage, ProgramType, TextureFormat, VertexFormat};
use context3d::{Invocation, Profile};

use super::{allowed_if, context, int, raises};
use crate::common::legal;

const BGRA: TextureFormat = TextureFormat::Bgra;

pub(super) fn texture(profile: Profile, most: u64) {
    let (mut context, side) = (context(profile), int(most));
    legal(context.create_texture(side, 1, BGRA, false, 0));
    legal(context.create_texture(1, side, BGRA, false, 0));
    raises(3683, context.create_texture(1, side * 2, BGRA, false, 0));
    raises(3683, context.create_texture(side * 2, 1, BGRA, false, 0));
    raises(3682, context.create_texture(side + 1, 1, BGRA, false, 0));
}

pub(super) fn rectangle(profile: Profile, most: u64) {
    let (mut context, side) = (context(profile), int(most));
    if side == 0 {
        return raises(3782, context.create_rectangle_texture(1, 1, BGRA, false));
    }
    legal(context.create_rectangle_texture(side, 1, BGRA, false));
    raises(3766, context.create_rectangle_texture(1, side + 1, BGRA, false));
    raises(3766, context.create_rectangle_texture(side + 1, 1, BGRA, false));
    // The limit is the larger one of the profile's limit and the back buffer's size.
    legal(context.configure_back_buffer(64, side + 1, 0, false, false, false));
    legal(context.create_rectangle_texture(1, side + 1, BGRA, false));
    raises(3766, context.create_rectangle_texture(1, side + 2, BGRA, false));
    raises(3766, context.create_rectangle_texture(side + 1, 1, BGRA, false));
}

pub(super) fn cube(profile: Profile, most: u64) {
    let (mut context, side) = (context(profile), int(most));
    legal(context.create_cube_texture(side, BGRA, false, 0));
    raises(3705, context.create_cube_texture(side * 2, BGRA, false, 0));
}

pub(super) fn half_float(profile: Profile, allowed: u64) {
    let (mut context, format) = (context(profile), TextureFormat::RgbaHalfFloat);
    allowed_if(allowed, 3759, context.create_texture(4, 4, format, false, 0));
    allowed_if(allowed, 3759, context.create_cube_texture(4, format, false, 0));
    if profile != Profile::BaselineConstrained {
        allowed_if(allowed, 3759, context.create_rectangle_texture(3, 5, format, false));
    }
}

pub(super) fn instances(profile: Profile, allowed: u64) {
    let mut context = context(profile);
    let buffer = context.create_vertex_buffer_for_instances(1, 1, 1, BufferUsage::StaticDraw);
    allowed_if(allowed, 3787, buffer);
    legal(context.configure_back_buffer(64, 64, 0, false, false, false));
    let indices = legal(context.create_index_buffer(3, BufferUsage::StaticDraw));
    allowed_if(allowed, 3787, context.draw_triangles_instanced(Some(indices), 1, 0, 1));
}

pub(super) fn values(profile: Profile, most: u64) {
    let mut context = context(profile);
    legal(context.create_vertex_buffer(1, int(most), BufferUsage::StaticDraw));
    raises(3670, context.create_vertex_buffer(1, int(most) + 1, BufferUsage::StaticDraw));
}

pub(super) fn vertices(profile: Profile, most: u64) {
    let mut context = context(profile);
    legal(context.create_vertex_buffer(int(most), 64, BufferUsage::StaticDraw));
    raises(3670, context.create_vertex_buffer(int(most) + 1, 1, BufferUsage::StaticDraw));
}

pub(super) fn indices(profile: Profile, most: u64) {
    let mut context = context(profile);
    legal(context.create_index_buffer(int(most), BufferUsage::StaticDraw));
    raises(3670, context.create_index_buffer(int(most) + 1, BufferUsage::StaticDraw));
}

pub(super) fn smallest_back_buffer(profile: Profile, least: u64) {
    let (mut context, least) = (context(profile), int(least));
    legal(context.configure_back_buffer(least, least, 0, false, false, false));
    raises(3780, context.configure_back_buffer(least - 1, least, 0, false, false, false));
    raises(3781, context.configure_back_buffer(least, least - 1, 0, false, false, false));
}

pub(super) fn largest_in_software(profile: Profile, most: u64) {
    let mut context = context(profile);
    context.set_software(true);
    back_buffer_up_to(&mut context, int(most));
}

fn back_buffer_up_to(context: &mut super::Context, most: i32) {
    legal(context.configure_back_buffer(64, most, 0, false, false, false));
    legal(context.configure_back_buffer(most, 64, 0, false, false, false));
    raises(3780, context.configure_back_buffer(most + 1, most, 0, false, false, false));
    raises(3781, context.configure_back_buffer(most, most + 1, 0, false, false, false));
    assert_eq!(context.back_buffer_size(), (most.cast_unsigned(), 64));
    assert_eq!(context.max_back_buffer_size(), (most.cast_unsigned(), most.cast_unsigned()));
}

pub(super) fn streams(profile: Profile, count: u64) {
    let (mut context, count) = (context(profile), int(count));
    let buffer = Some(legal(context.create_vertex_buffer(1, 1, BufferUsage::StaticDraw)));
    let format = VertexFormat::Float1;
    legal(context.set_vertex_buffer_at(count - 1, buffer, 0, format));
    raises(2006, context.set_vertex_buffer_at(count, buffer, 0, format));
}

pub(super) fn samplers(profile: Profile, count: u64) {
    let (mut context, count) = (context(profile), int(count));
    let texture = Some(legal(context.create_texture(4, 4, BGRA, false, 0)));
    legal(context.set_texture_at(count - 1, texture));
    raises(2006, context.set_texture_at(count, texture));
    let mut state = |sampler| {
        let (wrap, filter) =
            (context3d::enums::WrapMode::Clamp, context3d::enums::TextureFilter::Linear);
        context.set_sampler_state_at(sampler, wrap, filter, context3d::enums::MipFilter::None)
    };
    legal(state(count - 1));
    raises(2006, state(count));
}

pub(super) fn vertex_constants(profile: Profile, count: u64) {
    constants(profile, ProgramType::Vertex, int(count));
}

pub(super) fn fragment_constants(profile: Profile, count: u64) {
    constants(profile, ProgramType::Fragment, int(count));
}

fn constants(profile: Profile, kind: ProgramType, count: i32) {
    let mut context = context(profile);
    let all = vec![0.0; count.unsigned_abs() as usize * 4];
    legal(context.set_program_constants_from_vector(kind, 0, Some(&all), -1));
    raises(2006, context.set_program_constants_from_vector(kind, 1, Some(&all), -1));
    legal(context.set_program_constants_from_vector(kind, count - 1, Some(&[0.0; 4]), -1));
    raises(2006, context.set_program_constants_from_vector(kind, count, Some(&[0.0; 4]), -1));
    let matrix = [0.0; 16];
    legal(context.set_program_constants_from_matrix(kind, count - 4, Some(&matrix), true));
    raises(2006, context.set_program_constants_from_matrix(kind, count - 3, Some(&matrix), true));
    let mut bytes = |first_register| {
        context.execute(&Invocation::SetProgramConstantsFromByteArray {
            program_type: kind.into(),
            first_register,
            num_registers: 2,
            data: Some(&[0; 32]),
            byte_array_offset: 0,
        })
    };
    legal(bytes(count - 2));
    raises(2006, bytes(count - 1));
}

pub(super) fn color_outputs(profile: Profile, count: u64) {
    let (mut context, count) = (context(profile), int(count));
    let texture = legal(context.create_texture(4, 4, BGRA, false, 0));
    let mut output = |color_output_index| {
        context.execute(&Invocation::SetRenderToTexture {
            texture: Some(texture),
            enable_depth_and_stencil: false,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index,
        })
    };
    legal(output(count - 1));
    // Output indices that no profile supports (4 and above) raise 3770 instead of 3779.
    raises(if count == 4 { 3770 } else { 3779 }, output(count));
    raises(3770, output(4));
}

/// In SWF versions before 30, 0×0 is accepted; sizes out of range raise 3669 [context3d.error.3669.back_buffer].
#[test]
fn back_buffers_of_old_programs() {
    for &profile in Profile::ALL {
        let options = context3d::ContextOptions { profile, swf_version: 29 };
        let backend = context3d::backend::NullBackend::counting();
        let mut old = context3d::Context3D::new(backend, options);
        legal(old.configure_back_buffer(0, 0, 0, false, false, false));
        legal(old.configure_back_buffer(32, 16384, 0, false, false, false));
        raises(3669, old.configure_back_buffer(31, 32, 0, false, false, false));
        raises(3669, old.configure_back_buffer(32, 16385, 0, false, false, false));
    }
}

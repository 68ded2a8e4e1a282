//! The calls of Stage3D.
// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.

// SAFETY of all functions: the caller's promise, which the crate's page states.

use std::ffi::{c_char, c_void};

use context3d::Invocation;

use crate::arguments::{self as a, *};
use crate::context::{Out, execute, execute_on};
use crate::failure::MolehillStatus;
use crate::handles::*;
use crate::pointers::{self as p, *};
use crate::status::guard;

/// `Context3D.configureBackBuffer`; in ActionScript enable_depth_and_stencil = true, wants_best_resolution = false, wants_best_resolution_on_browser_zoom = false
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_configure_back_buffer(context: MolehillContext, width: i32, height: i32, anti_alias: i32, enable_depth_and_stencil: MolehillBool, wants_best_resolution: MolehillBool, wants_best_resolution_on_browser_zoom: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::ConfigureBackBuffer { width, height, anti_alias, enable_depth_and_stencil: p::flag(enable_depth_and_stencil), wants_best_resolution: p::flag(wants_best_resolution), wants_best_resolution_on_browser_zoom: p::flag(wants_best_resolution_on_browser_zoom) }) })
}

/// `Context3D.clear`; in ActionScript red = 0.0, green = 0.0, blue = 0.0, alpha = 1.0, depth = 1.0, stencil = 0, mask = 0xffffffff
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_clear(context: MolehillContext, red: f64, green: f64, blue: f64, alpha: f64, depth: f64, stencil: u32, mask: u32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::Clear { red, green, blue, alpha, depth, stencil, mask }) })
}

/// `Context3D.present`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_present(context: MolehillContext) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::Present {}) })
}

/// `Context3D.dispose`; in ActionScript recreate = true
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_dispose(context: MolehillContext, recreate: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::Dispose { recreate: p::flag(recreate) }) })
}

/// `Context3D.createVertexBuffer`; in ActionScript buffer_usage = "staticDraw"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_vertex_buffer(context: MolehillContext, num_vertices: i32, data32_per_vertex: i32, buffer_usage: *const c_char, created: *mut MolehillVertexBuffer) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage: a::name(buffer_usage) }) })
}

/// `Context3D.createVertexBufferForInstances`; in ActionScript buffer_usage = "staticDraw"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_vertex_buffer_for_instances(context: MolehillContext, num_vertices: i32, data32_per_vertex: i32, instances_per_element: i32, buffer_usage: *const c_char, created: *mut MolehillVertexBuffer) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, instances_per_element, buffer_usage: a::name(buffer_usage) }) })
}

/// `Context3D.createIndexBuffer`; in ActionScript buffer_usage = "staticDraw"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_index_buffer(context: MolehillContext, num_indices: i32, buffer_usage: *const c_char, created: *mut MolehillIndexBuffer) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateIndexBuffer { num_indices, buffer_usage: a::name(buffer_usage) }) })
}

/// `Context3D.createProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_program(context: MolehillContext, created: *mut MolehillProgram) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateProgram {}) })
}

/// `Context3D.createTexture`; in ActionScript streaming_levels = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_texture(context: MolehillContext, width: i32, height: i32, format: *const c_char, optimize_for_render_to_texture: MolehillBool, streaming_levels: i32, created: *mut MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateTexture { width, height, format: a::name(format), optimize_for_render_to_texture: p::flag(optimize_for_render_to_texture), streaming_levels }) })
}

/// `Context3D.createRectangleTexture`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_rectangle_texture(context: MolehillContext, width: i32, height: i32, format: *const c_char, optimize_for_render_to_texture: MolehillBool, created: *mut MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateRectangleTexture { width, height, format: a::name(format), optimize_for_render_to_texture: p::flag(optimize_for_render_to_texture) }) })
}

/// `Context3D.createCubeTexture`; in ActionScript streaming_levels = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_cube_texture(context: MolehillContext, size: i32, format: *const c_char, optimize_for_render_to_texture: MolehillBool, streaming_levels: i32, created: *mut MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateCubeTexture { size, format: a::name(format), optimize_for_render_to_texture: p::flag(optimize_for_render_to_texture), streaming_levels }) })
}

/// `Context3D.createVideoTexture`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_create_video_texture(context: MolehillContext, created: *mut MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Object(created.cast()), &Invocation::CreateVideoTexture {}) })
}

/// `Context3D.setProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_program(context: MolehillContext, program: MolehillProgram) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetProgram { program: a::object(program.id)? }) })
}

/// `Context3D.setProgramConstantsFromMatrix`; in ActionScript transposed_matrix = false
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_program_constants_from_matrix(context: MolehillContext, program_type: *const c_char, first_register: i32, matrix: *const f64, transposed_matrix: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetProgramConstantsFromMatrix { program_type: a::name(program_type), first_register, matrix: a::matrix(matrix)?, transposed_matrix: p::flag(transposed_matrix) }) })
}

/// `Context3D.setProgramConstantsFromVector`; in ActionScript num_registers = - 1
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_program_constants_from_vector(context: MolehillContext, program_type: *const c_char, first_register: i32, data: *const f64, data_length: usize, num_registers: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetProgramConstantsFromVector { program_type: a::name(program_type), first_register, data: p::slice(data, data_length)?, num_registers }) })
}

/// `Context3D.setProgramConstantsFromFloatVector`; in ActionScript num_registers = - 1
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_program_constants_from_float_vector(context: MolehillContext, program_type: *const c_char, first_register: i32, data: *const f32, data_length: usize, num_registers: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetProgramConstantsFromFloatVector { program_type: a::name(program_type), first_register, data: p::slice(data, data_length)?, num_registers }) })
}

/// `Context3D.setProgramConstantsFromByteArray`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_program_constants_from_byte_array(context: MolehillContext, program_type: *const c_char, first_register: i32, num_registers: i32, data: *const c_void, data_length: usize, byte_array_offset: u32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetProgramConstantsFromByteArray { program_type: a::name(program_type), first_register, num_registers, data: a::bytes(data, data_length)?, byte_array_offset }) })
}

/// `Context3D.setVertexBufferAt`; in ActionScript buffer_offset = 0, format = "float4"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_vertex_buffer_at(context: MolehillContext, index: i32, buffer: MolehillVertexBuffer, buffer_offset: i32, format: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetVertexBufferAt { index, buffer: a::object(buffer.id)?, buffer_offset, format: a::name(format) }) })
}

/// `Context3D.setTextureAt`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_texture_at(context: MolehillContext, sampler: i32, texture: MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetTextureAt { sampler, texture: a::object(texture.id)? }) })
}

/// `Context3D.setSamplerStateAt`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_sampler_state_at(context: MolehillContext, sampler: i32, wrap: *const c_char, filter: *const c_char, mipfilter: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetSamplerStateAt { sampler, wrap: a::name(wrap), filter: a::name(filter), mipfilter: a::name(mipfilter) }) })
}

/// `Context3D.setBlendFactors`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_blend_factors(context: MolehillContext, source_factor: *const c_char, destination_factor: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetBlendFactors { source_factor: a::name(source_factor), destination_factor: a::name(destination_factor) }) })
}

/// `Context3D.setColorMask`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_color_mask(context: MolehillContext, red: MolehillBool, green: MolehillBool, blue: MolehillBool, alpha: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetColorMask { red: p::flag(red), green: p::flag(green), blue: p::flag(blue), alpha: p::flag(alpha) }) })
}

/// `Context3D.setCulling`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_culling(context: MolehillContext, triangle_face_to_cull: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetCulling { triangle_face_to_cull: a::name(triangle_face_to_cull) }) })
}

/// `Context3D.setDepthTest`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_depth_test(context: MolehillContext, depth_mask: MolehillBool, pass_compare_mode: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetDepthTest { depth_mask: p::flag(depth_mask), pass_compare_mode: a::name(pass_compare_mode) }) })
}

/// `Context3D.setStencilActions`; in ActionScript triangle_face = "frontAndBack", compare_mode = "always", action_on_both_pass = "keep", action_on_depth_fail = "keep", action_on_depth_pass_stencil_fail = "keep"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_stencil_actions(context: MolehillContext, triangle_face: *const c_char, compare_mode: *const c_char, action_on_both_pass: *const c_char, action_on_depth_fail: *const c_char, action_on_depth_pass_stencil_fail: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetStencilActions { triangle_face: a::name(triangle_face), compare_mode: a::name(compare_mode), action_on_both_pass: a::name(action_on_both_pass), action_on_depth_fail: a::name(action_on_depth_fail), action_on_depth_pass_stencil_fail: a::name(action_on_depth_pass_stencil_fail) }) })
}

/// `Context3D.setStencilReferenceValue`; in ActionScript read_mask = 255, write_mask = 255
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_stencil_reference_value(context: MolehillContext, reference_value: u32, read_mask: u32, write_mask: u32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetStencilReferenceValue { reference_value, read_mask, write_mask }) })
}

/// `Context3D.setScissorRectangle`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_scissor_rectangle(context: MolehillContext, rectangle: *const MolehillRectangle) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetScissorRectangle { rectangle: a::rectangle(rectangle)? }) })
}

/// `Context3D.setRenderToTexture`; in ActionScript enable_depth_and_stencil = false, anti_alias = 0, surface_selector = 0, color_output_index = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_render_to_texture(context: MolehillContext, texture: MolehillTexture, enable_depth_and_stencil: MolehillBool, anti_alias: i32, surface_selector: i32, color_output_index: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetRenderToTexture { texture: a::object(texture.id)?, enable_depth_and_stencil: p::flag(enable_depth_and_stencil), anti_alias, surface_selector, color_output_index }) })
}

/// `Context3D.setRenderToBackBuffer`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_render_to_back_buffer(context: MolehillContext) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetRenderToBackBuffer {}) })
}

/// `Context3D.drawTriangles`; in ActionScript first_index = 0, num_triangles = - 1
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_draw_triangles(context: MolehillContext, index_buffer: MolehillIndexBuffer, first_index: i32, num_triangles: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::DrawTriangles { index_buffer: a::object(index_buffer.id)?, first_index, num_triangles }) })
}

/// `Context3D.drawTrianglesInstanced`; in ActionScript first_index = 0, num_triangles = - 1
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_draw_triangles_instanced(context: MolehillContext, index_buffer: MolehillIndexBuffer, num_instances: i32, first_index: i32, num_triangles: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::DrawTrianglesInstanced { index_buffer: a::object(index_buffer.id)?, num_instances, first_index, num_triangles }) })
}

/// `Context3D.drawToBitmapData`; in ActionScript source_rect = null, dest_point = null
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_draw_to_bitmap_data(context: MolehillContext, destination: *const MolehillBitmapTarget, source_rect: *const MolehillRectangle, dest_point: *const MolehillPoint) -> MolehillStatus {
    guard(|| unsafe { 
        let (destination, canvas) = a::bitmap_target(destination)?;
        execute(context, Out::Pixels(canvas), &Invocation::DrawToBitmapData { destination, source_rect: a::rectangle(source_rect)?, dest_point: a::point(dest_point)? })
    })
}

/// `Context3D.setFillMode`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_fill_mode(context: MolehillContext, fill_mode: *const c_char) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetFillMode { fill_mode: a::name(fill_mode) }) })
}

/// `Context3D.enableErrorChecking`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_error_checking(context: MolehillContext, value: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetErrorChecking { value: p::flag(value) }) })
}

/// `Context3D.maxBackBufferWidth`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_max_back_buffer_width(context: MolehillContext, value: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetMaxBackBufferWidth { value }) })
}

/// `Context3D.maxBackBufferHeight`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_max_back_buffer_height(context: MolehillContext, value: i32) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetMaxBackBufferHeight { value }) })
}

/// `Context3D.ignoreResourceLimits`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_context_set_ignore_resource_limits(context: MolehillContext, value: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute(context, Out::Nothing, &Invocation::SetIgnoreResourceLimits { value: p::flag(value) }) })
}

/// `VertexBuffer3D.uploadFromByteArray`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_vertex_buffer_upload_from_byte_array(buffer: MolehillVertexBuffer, data: *const c_void, data_length: usize, byte_array_offset: i32, start_vertex: i32, num_vertices: i32) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::Nothing, |buffer| Ok(Invocation::VertexBufferUploadFromByteArray { buffer, data: a::bytes(data, data_length)?, byte_array_offset, start_vertex, num_vertices })) })
}

/// `VertexBuffer3D.uploadFromVector`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_vertex_buffer_upload_from_vector(buffer: MolehillVertexBuffer, data: *const f64, data_length: usize, start_vertex: i32, num_vertices: i32) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::Nothing, |buffer| Ok(Invocation::VertexBufferUploadFromVector { buffer, data: p::slice(data, data_length)?, start_vertex, num_vertices })) })
}

/// `VertexBuffer3D.uploadFromFloatVector`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_vertex_buffer_upload_from_float_vector(buffer: MolehillVertexBuffer, data: *const f32, data_length: usize, start_vertex: i32, num_vertices: i32) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::Nothing, |buffer| Ok(Invocation::VertexBufferUploadFromFloatVector { buffer, data: p::slice(data, data_length)?, start_vertex, num_vertices })) })
}

/// `VertexBuffer3D.dispose`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_vertex_buffer_dispose(buffer: MolehillVertexBuffer) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::End(buffer.id), |buffer| Ok(Invocation::VertexBufferDispose { buffer })) })
}

/// `IndexBuffer3D.uploadFromByteArray`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_index_buffer_upload_from_byte_array(buffer: MolehillIndexBuffer, data: *const c_void, data_length: usize, byte_array_offset: i32, start_offset: i32, count: i32) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::Nothing, |buffer| Ok(Invocation::IndexBufferUploadFromByteArray { buffer, data: a::bytes(data, data_length)?, byte_array_offset, start_offset, count })) })
}

/// `IndexBuffer3D.uploadFromVector`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_index_buffer_upload_from_vector(buffer: MolehillIndexBuffer, data: *const u32, data_length: usize, start_offset: i32, count: i32) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::Nothing, |buffer| Ok(Invocation::IndexBufferUploadFromVector { buffer, data: p::slice(data, data_length)?, start_offset, count })) })
}

/// `IndexBuffer3D.dispose`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_index_buffer_dispose(buffer: MolehillIndexBuffer) -> MolehillStatus {
    guard(|| unsafe { execute_on(buffer.id, Out::End(buffer.id), |buffer| Ok(Invocation::IndexBufferDispose { buffer })) })
}

/// `Program3D.upload`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_program_upload(program: MolehillProgram, vertex_program: *const c_void, vertex_program_length: usize, vertex_program_big_endian: MolehillBool, fragment_program: *const c_void, fragment_program_length: usize, fragment_program_big_endian: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute_on(program.id, Out::Nothing, |program| Ok(Invocation::ProgramUpload { program, vertex_program: a::bytecode(vertex_program, vertex_program_length, vertex_program_big_endian)?, fragment_program: a::bytecode(fragment_program, fragment_program_length, fragment_program_big_endian)? })) })
}

/// `Program3D.dispose`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_program_dispose(program: MolehillProgram) -> MolehillStatus {
    guard(|| unsafe { execute_on(program.id, Out::End(program.id), |program| Ok(Invocation::ProgramDispose { program })) })
}

/// `Texture, RectangleTexture, CubeTexture.uploadFromBitmapData`; in ActionScript miplevel = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_from_bitmap_data(texture: MolehillTexture, source: *const MolehillBitmap, side: i64, miplevel: u32) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadFromBitmapData { texture, source: a::bitmap(source)?, side: a::side(side), miplevel })) })
}

/// `Texture, RectangleTexture, CubeTexture.uploadFromByteArray`; in ActionScript miplevel = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_from_byte_array(texture: MolehillTexture, data: *const c_void, data_length: usize, byte_array_offset: u32, side: i64, miplevel: u32) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadFromByteArray { texture, data: a::bytes(data, data_length)?, byte_array_offset, side: a::side(side), miplevel })) })
}

/// `Texture, RectangleTexture, CubeTexture.uploadFromBitmapDataAsync`; in ActionScript miplevel = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_from_bitmap_data_async(texture: MolehillTexture, source: *const MolehillBitmap, side: i64, miplevel: u32) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadFromBitmapDataAsync { texture, source: a::bitmap(source)?, side: a::side(side), miplevel })) })
}

/// `Texture, RectangleTexture, CubeTexture.uploadFromByteArrayAsync`; in ActionScript miplevel = 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_from_byte_array_async(texture: MolehillTexture, data: *const c_void, data_length: usize, byte_array_offset: u32, side: i64, miplevel: u32) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadFromByteArrayAsync { texture, data: a::bytes(data, data_length)?, byte_array_offset, side: a::side(side), miplevel })) })
}

/// `Texture, CubeTexture.uploadCompressedTextureFromByteArray`; in ActionScript is_async = false
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_compressed_from_byte_array(texture: MolehillTexture, data: *const c_void, data_length: usize, byte_array_offset: u32, is_async: MolehillBool) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadCompressedFromByteArray { texture, data: a::bytes(data, data_length)?, byte_array_offset, is_async: p::flag(is_async) })) })
}

/// `Texture, CubeTexture.uploadBlocks`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_upload_blocks(texture: MolehillTexture, data: *const c_void, data_length: usize, format: *const c_char, side: i64, miplevel: u32) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::TextureUploadBlocks { texture, data: a::bytes(data, data_length)?.or(Some(&[])), format: a::name(format), side: a::side(side), miplevel })) })
}

/// `Texture, RectangleTexture, CubeTexture, VideoTexture.dispose`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_texture_dispose(texture: MolehillTexture) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::End(texture.id), |texture| Ok(Invocation::TextureDispose { texture })) })
}

/// `VideoTexture.videoFrame`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_video_texture_frame(texture: MolehillTexture, source: *const MolehillBitmap) -> MolehillStatus {
    guard(|| unsafe { execute_on(texture.id, Out::Nothing, |texture| Ok(Invocation::VideoTextureFrame { texture, source: a::video_frame(source)? })) })
}

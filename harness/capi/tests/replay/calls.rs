//! A command as a call of its C function.
// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.

use std::ffi::{c_char, c_void};

use context3d::Invocation;
use molehill_c::*;

use super::arguments::{self as a, C};

/// A pointer to a function with the types of `molehill.h`.
macro_rules! F {
    ($($type:ty),*) => { unsafe extern "C" fn($($type),*) -> MolehillStatus };
}

pub(crate) fn call(c: &mut C, command: &Invocation<'_>) -> MolehillStatus {
    let created = &raw mut c.created;
    match *command {
        Invocation::ConfigureBackBuffer { width, height, anti_alias, enable_depth_and_stencil, wants_best_resolution, wants_best_resolution_on_browser_zoom } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_configure_back_buffer as F!(MolehillContext, i32, i32, i32, MolehillBool, MolehillBool, MolehillBool))(c.context, width, height, anti_alias, enable_depth_and_stencil.into(), wants_best_resolution.into(), wants_best_resolution_on_browser_zoom.into()) }
        }
        Invocation::Clear { red, green, blue, alpha, depth, stencil, mask } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_clear as F!(MolehillContext, f64, f64, f64, f64, f64, u32, u32))(c.context, red, green, blue, alpha, depth, stencil, mask) }
        }
        Invocation::Present {  } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_present as F!(MolehillContext))(c.context) }
        }
        Invocation::Dispose { recreate } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_dispose as F!(MolehillContext, MolehillBool))(c.context, recreate.into()) }
        }
        Invocation::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_vertex_buffer as F!(MolehillContext, i32, i32, *const c_char, *mut MolehillVertexBuffer))(c.context, num_vertices, data32_per_vertex, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, instances_per_element, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_vertex_buffer_for_instances as F!(MolehillContext, i32, i32, i32, *const c_char, *mut MolehillVertexBuffer))(c.context, num_vertices, data32_per_vertex, instances_per_element, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateIndexBuffer { num_indices, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_index_buffer as F!(MolehillContext, i32, *const c_char, *mut MolehillIndexBuffer))(c.context, num_indices, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateProgram {  } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_program as F!(MolehillContext, *mut MolehillProgram))(c.context, created.cast()) }
        }
        Invocation::CreateTexture { width, height, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_texture as F!(MolehillContext, i32, i32, *const c_char, MolehillBool, i32, *mut MolehillTexture))(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Invocation::CreateRectangleTexture { width, height, format, optimize_for_render_to_texture } => {
            let format = format.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_rectangle_texture as F!(MolehillContext, i32, i32, *const c_char, MolehillBool, *mut MolehillTexture))(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), created.cast()) }
        }
        Invocation::CreateCubeTexture { size, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_cube_texture as F!(MolehillContext, i32, *const c_char, MolehillBool, i32, *mut MolehillTexture))(c.context, size, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Invocation::CreateVideoTexture {  } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_create_video_texture as F!(MolehillContext, *mut MolehillTexture))(c.context, created.cast()) }
        }
        Invocation::SetProgram { program } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_program as F!(MolehillContext, MolehillProgram))(c.context, MolehillProgram { id: c.handle(program) }) }
        }
        Invocation::SetProgramConstantsFromMatrix { program_type, first_register, matrix, transposed_matrix } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_program_constants_from_matrix as F!(MolehillContext, *const c_char, i32, *const f64, MolehillBool))(c.context, a::text(&program_type), first_register, a::pointer(matrix.map(|it| it.as_slice())), transposed_matrix.into()) }
        }
        Invocation::SetProgramConstantsFromVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_program_constants_from_vector as F!(MolehillContext, *const c_char, i32, *const f64, usize, i32))(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Invocation::SetProgramConstantsFromFloatVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_program_constants_from_float_vector as F!(MolehillContext, *const c_char, i32, *const f32, usize, i32))(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Invocation::SetProgramConstantsFromByteArray { program_type, first_register, num_registers, data, byte_array_offset } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_program_constants_from_byte_array as F!(MolehillContext, *const c_char, i32, i32, *const c_void, usize, u32))(c.context, a::text(&program_type), first_register, num_registers, a::pointer(data).cast(), a::length(data), byte_array_offset) }
        }
        Invocation::SetVertexBufferAt { index, buffer, buffer_offset, format } => {
            let format = format.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_vertex_buffer_at as F!(MolehillContext, i32, MolehillVertexBuffer, i32, *const c_char))(c.context, index, MolehillVertexBuffer { id: c.handle(buffer) }, buffer_offset, a::text(&format)) }
        }
        Invocation::SetTextureAt { sampler, texture } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_texture_at as F!(MolehillContext, i32, MolehillTexture))(c.context, sampler, MolehillTexture { id: c.handle(texture) }) }
        }
        Invocation::SetSamplerStateAt { sampler, wrap, filter, mipfilter } => {
            let wrap = wrap.text().map(a::c_string);
            let filter = filter.text().map(a::c_string);
            let mipfilter = mipfilter.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_sampler_state_at as F!(MolehillContext, i32, *const c_char, *const c_char, *const c_char))(c.context, sampler, a::text(&wrap), a::text(&filter), a::text(&mipfilter)) }
        }
        Invocation::SetBlendFactors { source_factor, destination_factor } => {
            let source_factor = source_factor.text().map(a::c_string);
            let destination_factor = destination_factor.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_blend_factors as F!(MolehillContext, *const c_char, *const c_char))(c.context, a::text(&source_factor), a::text(&destination_factor)) }
        }
        Invocation::SetColorMask { red, green, blue, alpha } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_color_mask as F!(MolehillContext, MolehillBool, MolehillBool, MolehillBool, MolehillBool))(c.context, red.into(), green.into(), blue.into(), alpha.into()) }
        }
        Invocation::SetCulling { triangle_face_to_cull } => {
            let triangle_face_to_cull = triangle_face_to_cull.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_culling as F!(MolehillContext, *const c_char))(c.context, a::text(&triangle_face_to_cull)) }
        }
        Invocation::SetDepthTest { depth_mask, pass_compare_mode } => {
            let pass_compare_mode = pass_compare_mode.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_depth_test as F!(MolehillContext, MolehillBool, *const c_char))(c.context, depth_mask.into(), a::text(&pass_compare_mode)) }
        }
        Invocation::SetStencilActions { triangle_face, compare_mode, action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail } => {
            let triangle_face = triangle_face.text().map(a::c_string);
            let compare_mode = compare_mode.text().map(a::c_string);
            let action_on_both_pass = action_on_both_pass.text().map(a::c_string);
            let action_on_depth_fail = action_on_depth_fail.text().map(a::c_string);
            let action_on_depth_pass_stencil_fail = action_on_depth_pass_stencil_fail.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_stencil_actions as F!(MolehillContext, *const c_char, *const c_char, *const c_char, *const c_char, *const c_char))(c.context, a::text(&triangle_face), a::text(&compare_mode), a::text(&action_on_both_pass), a::text(&action_on_depth_fail), a::text(&action_on_depth_pass_stencil_fail)) }
        }
        Invocation::SetStencilReferenceValue { reference_value, read_mask, write_mask } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_stencil_reference_value as F!(MolehillContext, u32, u32, u32))(c.context, reference_value, read_mask, write_mask) }
        }
        Invocation::SetScissorRectangle { rectangle } => {
            let rectangle = rectangle.map(a::rectangle);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_scissor_rectangle as F!(MolehillContext, *const MolehillRectangle))(c.context, a::pointer_to(&rectangle)) }
        }
        Invocation::SetRenderToTexture { texture, enable_depth_and_stencil, anti_alias, surface_selector, color_output_index } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_render_to_texture as F!(MolehillContext, MolehillTexture, MolehillBool, i32, i32, i32))(c.context, MolehillTexture { id: c.handle(texture) }, enable_depth_and_stencil.into(), anti_alias, surface_selector, color_output_index) }
        }
        Invocation::SetRenderToBackBuffer {  } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_render_to_back_buffer as F!(MolehillContext))(c.context) }
        }
        Invocation::DrawTriangles { index_buffer, first_index, num_triangles } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_draw_triangles as F!(MolehillContext, MolehillIndexBuffer, i32, i32))(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, first_index, num_triangles) }
        }
        Invocation::DrawTrianglesInstanced { index_buffer, num_instances, first_index, num_triangles } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_draw_triangles_instanced as F!(MolehillContext, MolehillIndexBuffer, i32, i32, i32))(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, num_instances, first_index, num_triangles) }
        }
        Invocation::DrawToBitmapData { destination, source_rect, dest_point } => {
            let destination = destination.map(|it| c.target(it));
            let source_rect = source_rect.map(a::rectangle);
            let dest_point = dest_point.map(|[x, y]| MolehillPoint { x, y });
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_draw_to_bitmap_data as F!(MolehillContext, *const MolehillBitmapTarget, *const MolehillRectangle, *const MolehillPoint))(c.context, a::pointer_to(&destination), a::pointer_to(&source_rect), a::pointer_to(&dest_point)) }
        }
        Invocation::SetFillMode { fill_mode } => {
            let fill_mode = fill_mode.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_fill_mode as F!(MolehillContext, *const c_char))(c.context, a::text(&fill_mode)) }
        }
        Invocation::SetErrorChecking { value } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_error_checking as F!(MolehillContext, MolehillBool))(c.context, value.into()) }
        }
        Invocation::SetMaxBackBufferWidth { value } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_max_back_buffer_width as F!(MolehillContext, i32))(c.context, value) }
        }
        Invocation::SetMaxBackBufferHeight { value } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_max_back_buffer_height as F!(MolehillContext, i32))(c.context, value) }
        }
        Invocation::SetIgnoreResourceLimits { value } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_context_set_ignore_resource_limits as F!(MolehillContext, MolehillBool))(c.context, value.into()) }
        }
        Invocation::VertexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_vertex, num_vertices } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_vertex_buffer_upload_from_byte_array as F!(MolehillVertexBuffer, *const c_void, usize, i32, i32, i32))(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_vertex, num_vertices) }
        }
        Invocation::VertexBufferUploadFromVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_vertex_buffer_upload_from_vector as F!(MolehillVertexBuffer, *const f64, usize, i32, i32))(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Invocation::VertexBufferUploadFromFloatVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_vertex_buffer_upload_from_float_vector as F!(MolehillVertexBuffer, *const f32, usize, i32, i32))(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Invocation::VertexBufferDispose { buffer } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_vertex_buffer_dispose as F!(MolehillVertexBuffer))(MolehillVertexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Invocation::IndexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_offset, count } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_index_buffer_upload_from_byte_array as F!(MolehillIndexBuffer, *const c_void, usize, i32, i32, i32))(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_offset, count) }
        }
        Invocation::IndexBufferUploadFromVector { buffer, data, start_offset, count } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_index_buffer_upload_from_vector as F!(MolehillIndexBuffer, *const u32, usize, i32, i32))(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_offset, count) }
        }
        Invocation::IndexBufferDispose { buffer } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_index_buffer_dispose as F!(MolehillIndexBuffer))(MolehillIndexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Invocation::ProgramUpload { program, vertex_program, fragment_program } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_program_upload as F!(MolehillProgram, *const c_void, usize, MolehillBool, *const c_void, usize, MolehillBool))(MolehillProgram { id: c.handle(Some(program)) }, a::pointer(vertex_program.map(|it| it.bytes)).cast(), a::length(vertex_program.map(|it| it.bytes)), a::big_endian(vertex_program), a::pointer(fragment_program.map(|it| it.bytes)).cast(), a::length(fragment_program.map(|it| it.bytes)), a::big_endian(fragment_program)) }
        }
        Invocation::ProgramDispose { program } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_program_dispose as F!(MolehillProgram))(MolehillProgram { id: c.handle(Some(program)) }) }
        }
        Invocation::TextureUploadFromBitmapData { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_from_bitmap_data as F!(MolehillTexture, *const MolehillBitmap, i64, u32))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromByteArray { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_from_byte_array as F!(MolehillTexture, *const c_void, usize, u32, i64, u32))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromBitmapDataAsync { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_from_bitmap_data_async as F!(MolehillTexture, *const MolehillBitmap, i64, u32))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromByteArrayAsync { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_from_byte_array_async as F!(MolehillTexture, *const c_void, usize, u32, i64, u32))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadCompressedFromByteArray { texture, data, byte_array_offset, is_async } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_compressed_from_byte_array as F!(MolehillTexture, *const c_void, usize, u32, MolehillBool))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, is_async.into()) }
        }
        Invocation::TextureUploadBlocks { texture, data, format, side, miplevel } => {
            let format = format.text().map(a::c_string);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_upload_blocks as F!(MolehillTexture, *const c_void, usize, *const c_char, i64, u32))(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), a::text(&format), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureDispose { texture } => {
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_texture_dispose as F!(MolehillTexture))(MolehillTexture { id: c.handle(Some(texture)) }) }
        }
        Invocation::VideoTextureFrame { texture, source } => {
            let source = a::picture(source);
            // SAFETY: each pointer is null or points to a value that is borrowed here.
            unsafe { (molehill_video_texture_frame as F!(MolehillTexture, *const MolehillBitmap))(MolehillTexture { id: c.handle(Some(texture)) }, &raw const source) }
        }
        Invocation::RequestContext3D { .. }
        | Invocation::RequestContext3DMatchingProfiles { .. }
        | Invocation::SetX { .. }
        | Invocation::SetY { .. }
        | Invocation::SetVisible { .. } => panic!("a call on a Stage3D"),
    }
}

//! A command as a call of its C function.
// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.

use context3d::Command;
use molehill_c::*;

use super::arguments::{self as a, C};

pub(crate) fn call(c: &mut C, command: &Command<'_>) -> MolehillStatus {
    let created = &raw mut c.created;
    match *command {
        Command::ConfigureBackBuffer { width, height, anti_alias, enable_depth_and_stencil, wants_best_resolution, wants_best_resolution_on_browser_zoom } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_configure_back_buffer(c.context, width, height, anti_alias, enable_depth_and_stencil.into(), wants_best_resolution.into(), wants_best_resolution_on_browser_zoom.into()) }
        }
        Command::Clear { red, green, blue, alpha, depth, stencil, mask } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_clear(c.context, red, green, blue, alpha, depth, stencil, mask) }
        }
        Command::Present {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_present(c.context) }
        }
        Command::Dispose { recreate } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_dispose(c.context, recreate.into()) }
        }
        Command::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_vertex_buffer(c.context, num_vertices, data32_per_vertex, a::text(&buffer_usage), created.cast()) }
        }
        Command::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, instances_per_element, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_vertex_buffer_for_instances(c.context, num_vertices, data32_per_vertex, instances_per_element, a::text(&buffer_usage), created.cast()) }
        }
        Command::CreateIndexBuffer { num_indices, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_index_buffer(c.context, num_indices, a::text(&buffer_usage), created.cast()) }
        }
        Command::CreateProgram {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_program(c.context, created.cast()) }
        }
        Command::CreateTexture { width, height, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_texture(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Command::CreateRectangleTexture { width, height, format, optimize_for_render_to_texture } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_rectangle_texture(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), created.cast()) }
        }
        Command::CreateCubeTexture { size, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_cube_texture(c.context, size, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Command::CreateVideoTexture {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_video_texture(c.context, created.cast()) }
        }
        Command::SetProgram { program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program(c.context, MolehillProgram { id: c.handle(program) }) }
        }
        Command::SetProgramConstantsFromMatrix { program_type, first_register, matrix, transposed_matrix } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_matrix(c.context, a::text(&program_type), first_register, a::pointer(matrix.map(|it| it.as_slice())), transposed_matrix.into()) }
        }
        Command::SetProgramConstantsFromVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_vector(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Command::SetProgramConstantsFromFloatVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_float_vector(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Command::SetProgramConstantsFromByteArray { program_type, first_register, num_registers, data, byte_array_offset } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_byte_array(c.context, a::text(&program_type), first_register, num_registers, a::pointer(data).cast(), a::length(data), byte_array_offset) }
        }
        Command::SetVertexBufferAt { index, buffer, buffer_offset, format } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_vertex_buffer_at(c.context, index, MolehillVertexBuffer { id: c.handle(buffer) }, buffer_offset, a::text(&format)) }
        }
        Command::SetTextureAt { sampler, texture } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_texture_at(c.context, sampler, MolehillTexture { id: c.handle(texture) }) }
        }
        Command::SetSamplerStateAt { sampler, wrap, filter, mipfilter } => {
            let wrap = wrap.text().map(a::c_string);
            let filter = filter.text().map(a::c_string);
            let mipfilter = mipfilter.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_sampler_state_at(c.context, sampler, a::text(&wrap), a::text(&filter), a::text(&mipfilter)) }
        }
        Command::SetBlendFactors { source_factor, destination_factor } => {
            let source_factor = source_factor.text().map(a::c_string);
            let destination_factor = destination_factor.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_blend_factors(c.context, a::text(&source_factor), a::text(&destination_factor)) }
        }
        Command::SetColorMask { red, green, blue, alpha } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_color_mask(c.context, red.into(), green.into(), blue.into(), alpha.into()) }
        }
        Command::SetCulling { triangle_face_to_cull } => {
            let triangle_face_to_cull = triangle_face_to_cull.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_culling(c.context, a::text(&triangle_face_to_cull)) }
        }
        Command::SetDepthTest { depth_mask, pass_compare_mode } => {
            let pass_compare_mode = pass_compare_mode.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_depth_test(c.context, depth_mask.into(), a::text(&pass_compare_mode)) }
        }
        Command::SetStencilActions { triangle_face, compare_mode, action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail } => {
            let triangle_face = triangle_face.text().map(a::c_string);
            let compare_mode = compare_mode.text().map(a::c_string);
            let action_on_both_pass = action_on_both_pass.text().map(a::c_string);
            let action_on_depth_fail = action_on_depth_fail.text().map(a::c_string);
            let action_on_depth_pass_stencil_fail = action_on_depth_pass_stencil_fail.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_stencil_actions(c.context, a::text(&triangle_face), a::text(&compare_mode), a::text(&action_on_both_pass), a::text(&action_on_depth_fail), a::text(&action_on_depth_pass_stencil_fail)) }
        }
        Command::SetStencilReferenceValue { reference_value, read_mask, write_mask } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_stencil_reference_value(c.context, reference_value, read_mask, write_mask) }
        }
        Command::SetScissorRectangle { rectangle } => {
            let rectangle = rectangle.map(a::rectangle);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_scissor_rectangle(c.context, a::pointer_to(&rectangle)) }
        }
        Command::SetRenderToTexture { texture, enable_depth_and_stencil, anti_alias, surface_selector, color_output_index } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_render_to_texture(c.context, MolehillTexture { id: c.handle(texture) }, enable_depth_and_stencil.into(), anti_alias, surface_selector, color_output_index) }
        }
        Command::SetRenderToBackBuffer {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_render_to_back_buffer(c.context) }
        }
        Command::DrawTriangles { index_buffer, first_index, num_triangles } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_triangles(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, first_index, num_triangles) }
        }
        Command::DrawTrianglesInstanced { index_buffer, num_instances, first_index, num_triangles } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_triangles_instanced(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, num_instances, first_index, num_triangles) }
        }
        Command::DrawToBitmapData { destination, source_rect, dest_point } => {
            let destination = destination.map(|it| c.target(it));
            let source_rect = source_rect.map(a::rectangle);
            let dest_point = dest_point.map(|[x, y]| MolehillPoint { x, y });
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_to_bitmap_data(c.context, a::pointer_to(&destination), a::pointer_to(&source_rect), a::pointer_to(&dest_point)) }
        }
        Command::SetFillMode { fill_mode } => {
            let fill_mode = fill_mode.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_fill_mode(c.context, a::text(&fill_mode)) }
        }
        Command::SetErrorChecking { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_error_checking(c.context, value.into()) }
        }
        Command::SetMaxBackBufferWidth { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_max_back_buffer_width(c.context, value) }
        }
        Command::SetMaxBackBufferHeight { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_max_back_buffer_height(c.context, value) }
        }
        Command::SetIgnoreResourceLimits { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_ignore_resource_limits(c.context, value.into()) }
        }
        Command::VertexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_byte_array(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_vertex, num_vertices) }
        }
        Command::VertexBufferUploadFromVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_vector(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Command::VertexBufferUploadFromFloatVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_float_vector(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Command::VertexBufferDispose { buffer } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_dispose(MolehillVertexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Command::IndexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_offset, count } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_upload_from_byte_array(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_offset, count) }
        }
        Command::IndexBufferUploadFromVector { buffer, data, start_offset, count } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_upload_from_vector(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_offset, count) }
        }
        Command::IndexBufferDispose { buffer } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_dispose(MolehillIndexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Command::ProgramUpload { program, vertex_program, fragment_program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_program_upload(MolehillProgram { id: c.handle(Some(program)) }, a::pointer(vertex_program.map(|it| it.bytes)).cast(), a::length(vertex_program.map(|it| it.bytes)), a::big_endian(vertex_program), a::pointer(fragment_program.map(|it| it.bytes)).cast(), a::length(fragment_program.map(|it| it.bytes)), a::big_endian(fragment_program)) }
        }
        Command::ProgramDispose { program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_program_dispose(MolehillProgram { id: c.handle(Some(program)) }) }
        }
        Command::TextureUploadFromBitmapData { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_bitmap_data(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Command::TextureUploadFromByteArray { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_byte_array(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Command::TextureUploadFromBitmapDataAsync { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_bitmap_data_async(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Command::TextureUploadFromByteArrayAsync { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_byte_array_async(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Command::TextureUploadCompressedFromByteArray { texture, data, byte_array_offset, is_async } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_compressed_from_byte_array(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, is_async.into()) }
        }
        Command::TextureUploadBlocks { texture, data, format, side, miplevel } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_blocks(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), a::text(&format), side.map_or(-1, i64::from), miplevel) }
        }
        Command::TextureDispose { texture } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_dispose(MolehillTexture { id: c.handle(Some(texture)) }) }
        }
        Command::VideoTextureFrame { texture, source } => {
            let source = a::picture(source);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_video_texture_frame(MolehillTexture { id: c.handle(Some(texture)) }, &raw const source) }
        }
        Command::RequestContext3D { .. }
        | Command::RequestContext3DMatchingProfiles { .. }
        | Command::SetX { .. }
        | Command::SetY { .. }
        | Command::SetVisible { .. } => panic!("a call on a Stage3D"),
    }
}

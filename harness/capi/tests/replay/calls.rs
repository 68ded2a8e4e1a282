//! A command as a call of its C function.
// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.

use context3d::Invocation;
use molehill_c::*;

use super::arguments::{self as a, C};

pub(crate) fn call(c: &mut C, command: &Invocation<'_>) -> MolehillStatus {
    let created = &raw mut c.created;
    match *command {
        Invocation::ConfigureBackBuffer { width, height, anti_alias, enable_depth_and_stencil, wants_best_resolution, wants_best_resolution_on_browser_zoom } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_configure_back_buffer(c.context, width, height, anti_alias, enable_depth_and_stencil.into(), wants_best_resolution.into(), wants_best_resolution_on_browser_zoom.into()) }
        }
        Invocation::Clear { red, green, blue, alpha, depth, stencil, mask } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_clear(c.context, red, green, blue, alpha, depth, stencil, mask) }
        }
        Invocation::Present {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_present(c.context) }
        }
        Invocation::Dispose { recreate } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_dispose(c.context, recreate.into()) }
        }
        Invocation::CreateVertexBuffer { num_vertices, data32_per_vertex, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_vertex_buffer(c.context, num_vertices, data32_per_vertex, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, instances_per_element, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_vertex_buffer_for_instances(c.context, num_vertices, data32_per_vertex, instances_per_element, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateIndexBuffer { num_indices, buffer_usage } => {
            let buffer_usage = buffer_usage.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_index_buffer(c.context, num_indices, a::text(&buffer_usage), created.cast()) }
        }
        Invocation::CreateProgram {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_program(c.context, created.cast()) }
        }
        Invocation::CreateTexture { width, height, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_texture(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Invocation::CreateRectangleTexture { width, height, format, optimize_for_render_to_texture } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_rectangle_texture(c.context, width, height, a::text(&format), optimize_for_render_to_texture.into(), created.cast()) }
        }
        Invocation::CreateCubeTexture { size, format, optimize_for_render_to_texture, streaming_levels } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_cube_texture(c.context, size, a::text(&format), optimize_for_render_to_texture.into(), streaming_levels, created.cast()) }
        }
        Invocation::CreateVideoTexture {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_create_video_texture(c.context, created.cast()) }
        }
        Invocation::SetProgram { program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program(c.context, MolehillProgram { id: c.handle(program) }) }
        }
        Invocation::SetProgramConstantsFromMatrix { program_type, first_register, matrix, transposed_matrix } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_matrix(c.context, a::text(&program_type), first_register, a::pointer(matrix.map(|it| it.as_slice())), transposed_matrix.into()) }
        }
        Invocation::SetProgramConstantsFromVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_vector(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Invocation::SetProgramConstantsFromFloatVector { program_type, first_register, data, num_registers } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_float_vector(c.context, a::text(&program_type), first_register, a::pointer(data), a::length(data), num_registers) }
        }
        Invocation::SetProgramConstantsFromByteArray { program_type, first_register, num_registers, data, byte_array_offset } => {
            let program_type = program_type.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_program_constants_from_byte_array(c.context, a::text(&program_type), first_register, num_registers, a::pointer(data).cast(), a::length(data), byte_array_offset) }
        }
        Invocation::SetVertexBufferAt { index, buffer, buffer_offset, format } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_vertex_buffer_at(c.context, index, MolehillVertexBuffer { id: c.handle(buffer) }, buffer_offset, a::text(&format)) }
        }
        Invocation::SetTextureAt { sampler, texture } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_texture_at(c.context, sampler, MolehillTexture { id: c.handle(texture) }) }
        }
        Invocation::SetSamplerStateAt { sampler, wrap, filter, mipfilter } => {
            let wrap = wrap.text().map(a::c_string);
            let filter = filter.text().map(a::c_string);
            let mipfilter = mipfilter.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_sampler_state_at(c.context, sampler, a::text(&wrap), a::text(&filter), a::text(&mipfilter)) }
        }
        Invocation::SetBlendFactors { source_factor, destination_factor } => {
            let source_factor = source_factor.text().map(a::c_string);
            let destination_factor = destination_factor.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_blend_factors(c.context, a::text(&source_factor), a::text(&destination_factor)) }
        }
        Invocation::SetColorMask { red, green, blue, alpha } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_color_mask(c.context, red.into(), green.into(), blue.into(), alpha.into()) }
        }
        Invocation::SetCulling { triangle_face_to_cull } => {
            let triangle_face_to_cull = triangle_face_to_cull.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_culling(c.context, a::text(&triangle_face_to_cull)) }
        }
        Invocation::SetDepthTest { depth_mask, pass_compare_mode } => {
            let pass_compare_mode = pass_compare_mode.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_depth_test(c.context, depth_mask.into(), a::text(&pass_compare_mode)) }
        }
        Invocation::SetStencilActions { triangle_face, compare_mode, action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail } => {
            let triangle_face = triangle_face.text().map(a::c_string);
            let compare_mode = compare_mode.text().map(a::c_string);
            let action_on_both_pass = action_on_both_pass.text().map(a::c_string);
            let action_on_depth_fail = action_on_depth_fail.text().map(a::c_string);
            let action_on_depth_pass_stencil_fail = action_on_depth_pass_stencil_fail.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_stencil_actions(c.context, a::text(&triangle_face), a::text(&compare_mode), a::text(&action_on_both_pass), a::text(&action_on_depth_fail), a::text(&action_on_depth_pass_stencil_fail)) }
        }
        Invocation::SetStencilReferenceValue { reference_value, read_mask, write_mask } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_stencil_reference_value(c.context, reference_value, read_mask, write_mask) }
        }
        Invocation::SetScissorRectangle { rectangle } => {
            let rectangle = rectangle.map(a::rectangle);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_scissor_rectangle(c.context, a::pointer_to(&rectangle)) }
        }
        Invocation::SetRenderToTexture { texture, enable_depth_and_stencil, anti_alias, surface_selector, color_output_index } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_render_to_texture(c.context, MolehillTexture { id: c.handle(texture) }, enable_depth_and_stencil.into(), anti_alias, surface_selector, color_output_index) }
        }
        Invocation::SetRenderToBackBuffer {  } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_render_to_back_buffer(c.context) }
        }
        Invocation::DrawTriangles { index_buffer, first_index, num_triangles } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_triangles(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, first_index, num_triangles) }
        }
        Invocation::DrawTrianglesInstanced { index_buffer, num_instances, first_index, num_triangles } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_triangles_instanced(c.context, MolehillIndexBuffer { id: c.handle(index_buffer) }, num_instances, first_index, num_triangles) }
        }
        Invocation::DrawToBitmapData { destination, source_rect, dest_point } => {
            let destination = destination.map(|it| c.target(it));
            let source_rect = source_rect.map(a::rectangle);
            let dest_point = dest_point.map(|[x, y]| MolehillPoint { x, y });
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_draw_to_bitmap_data(c.context, a::pointer_to(&destination), a::pointer_to(&source_rect), a::pointer_to(&dest_point)) }
        }
        Invocation::SetFillMode { fill_mode } => {
            let fill_mode = fill_mode.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_fill_mode(c.context, a::text(&fill_mode)) }
        }
        Invocation::SetErrorChecking { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_error_checking(c.context, value.into()) }
        }
        Invocation::SetMaxBackBufferWidth { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_max_back_buffer_width(c.context, value) }
        }
        Invocation::SetMaxBackBufferHeight { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_max_back_buffer_height(c.context, value) }
        }
        Invocation::SetIgnoreResourceLimits { value } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_context_set_ignore_resource_limits(c.context, value.into()) }
        }
        Invocation::VertexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_byte_array(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_vertex, num_vertices) }
        }
        Invocation::VertexBufferUploadFromVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_vector(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Invocation::VertexBufferUploadFromFloatVector { buffer, data, start_vertex, num_vertices } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_upload_from_float_vector(MolehillVertexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_vertex, num_vertices) }
        }
        Invocation::VertexBufferDispose { buffer } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_vertex_buffer_dispose(MolehillVertexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Invocation::IndexBufferUploadFromByteArray { buffer, data, byte_array_offset, start_offset, count } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_upload_from_byte_array(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, start_offset, count) }
        }
        Invocation::IndexBufferUploadFromVector { buffer, data, start_offset, count } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_upload_from_vector(MolehillIndexBuffer { id: c.handle(Some(buffer)) }, a::pointer(data), a::length(data), start_offset, count) }
        }
        Invocation::IndexBufferDispose { buffer } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_index_buffer_dispose(MolehillIndexBuffer { id: c.handle(Some(buffer)) }) }
        }
        Invocation::ProgramUpload { program, vertex_program, fragment_program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_program_upload(MolehillProgram { id: c.handle(Some(program)) }, a::pointer(vertex_program.map(|it| it.bytes)).cast(), a::length(vertex_program.map(|it| it.bytes)), a::big_endian(vertex_program), a::pointer(fragment_program.map(|it| it.bytes)).cast(), a::length(fragment_program.map(|it| it.bytes)), a::big_endian(fragment_program)) }
        }
        Invocation::ProgramDispose { program } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_program_dispose(MolehillProgram { id: c.handle(Some(program)) }) }
        }
        Invocation::TextureUploadFromBitmapData { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_bitmap_data(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromByteArray { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_byte_array(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromBitmapDataAsync { texture, source, side, miplevel } => {
            let source = source.map(a::picture);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_bitmap_data_async(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer_to(&source), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadFromByteArrayAsync { texture, data, byte_array_offset, side, miplevel } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_from_byte_array_async(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureUploadCompressedFromByteArray { texture, data, byte_array_offset, is_async } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_compressed_from_byte_array(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), byte_array_offset, is_async.into()) }
        }
        Invocation::TextureUploadBlocks { texture, data, format, side, miplevel } => {
            let format = format.text().map(a::c_string);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_upload_blocks(MolehillTexture { id: c.handle(Some(texture)) }, a::pointer(data).cast(), a::length(data), a::text(&format), side.map_or(-1, i64::from), miplevel) }
        }
        Invocation::TextureDispose { texture } => {
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_texture_dispose(MolehillTexture { id: c.handle(Some(texture)) }) }
        }
        Invocation::VideoTextureFrame { texture, source } => {
            let source = a::picture(source);
            // SAFETY: all pointers are those of what is borrowed here, or null.
            unsafe { molehill_video_texture_frame(MolehillTexture { id: c.handle(Some(texture)) }, &raw const source) }
        }
        Invocation::RequestContext3D { .. }
        | Invocation::RequestContext3DMatchingProfiles { .. }
        | Invocation::SetX { .. }
        | Invocation::SetY { .. }
        | Invocation::SetVisible { .. } => panic!("a call on a Stage3D"),
    }
}

// The methods of Stage3D's classes, with ActionScript's defaults. Part of molehill.hpp.
// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.
// clang-format off
#ifndef MOLEHILL_CALLS_HPP
#define MOLEHILL_CALLS_HPP

namespace molehill {

// Released when it is destroyed; `dispose` frees it at once.
class VertexBuffer : public Object<MolehillVertexBuffer> {
public:
    using Object::Object;
    friend class Calls;
    // VertexBuffer3D.uploadFromByteArray
    MOLEHILL_CHECKED MolehillStatus upload_from_byte_array(const Bytes &data, int32_t byte_array_offset, int32_t start_vertex, int32_t num_vertices) const {
        return check(molehill_vertex_buffer_upload_from_byte_array(*this, data.data, data.length, byte_array_offset, start_vertex, num_vertices));
    }
    // VertexBuffer3D.uploadFromVector
    MOLEHILL_CHECKED MolehillStatus upload_from_vector(const View<double> &data, int32_t start_vertex, int32_t num_vertices) const {
        return check(molehill_vertex_buffer_upload_from_vector(*this, data.data, data.length, start_vertex, num_vertices));
    }
    // VertexBuffer3D.uploadFromFloatVector
    MOLEHILL_CHECKED MolehillStatus upload_from_float_vector(const View<float> &data, int32_t start_vertex, int32_t num_vertices) const {
        return check(molehill_vertex_buffer_upload_from_float_vector(*this, data.data, data.length, start_vertex, num_vertices));
    }
    // VertexBuffer3D.dispose
    MOLEHILL_CHECKED MolehillStatus dispose() const {
        return check(molehill_vertex_buffer_dispose(*this));
    }
};

// Released when it is destroyed; `dispose` frees it at once.
class IndexBuffer : public Object<MolehillIndexBuffer> {
public:
    using Object::Object;
    friend class Calls;
    // IndexBuffer3D.uploadFromByteArray
    MOLEHILL_CHECKED MolehillStatus upload_from_byte_array(const Bytes &data, int32_t byte_array_offset, int32_t start_offset, int32_t count) const {
        return check(molehill_index_buffer_upload_from_byte_array(*this, data.data, data.length, byte_array_offset, start_offset, count));
    }
    // IndexBuffer3D.uploadFromVector
    MOLEHILL_CHECKED MolehillStatus upload_from_vector(const View<uint32_t> &data, int32_t start_offset, int32_t count) const {
        return check(molehill_index_buffer_upload_from_vector(*this, data.data, data.length, start_offset, count));
    }
    // IndexBuffer3D.dispose
    MOLEHILL_CHECKED MolehillStatus dispose() const {
        return check(molehill_index_buffer_dispose(*this));
    }
};

// Released when it is destroyed; `dispose` frees it at once.
class Program : public Object<MolehillProgram> {
public:
    using Object::Object;
    friend class Calls;
    // Program3D.upload
    MOLEHILL_CHECKED MolehillStatus upload(const Bytecode &vertex_program, const Bytecode &fragment_program) const {
        return check(molehill_program_upload(*this, vertex_program.bytes.data, vertex_program.bytes.length, vertex_program.big_endian, fragment_program.bytes.data, fragment_program.bytes.length, fragment_program.big_endian));
    }
    // Program3D.dispose
    MOLEHILL_CHECKED MolehillStatus dispose() const {
        return check(molehill_program_dispose(*this));
    }
};

// Released when it is destroyed; `dispose` frees it at once.
class Texture : public Object<MolehillTexture> {
public:
    using Object::Object;
    friend class Calls;
    // Texture, RectangleTexture, CubeTexture.uploadFromBitmapData
    MOLEHILL_CHECKED MolehillStatus upload_from_bitmap_data(const MolehillBitmap *source, int64_t side = -1, uint32_t miplevel = 0) const {
        return check(molehill_texture_upload_from_bitmap_data(*this, source, side, miplevel));
    }
    // Texture, RectangleTexture, CubeTexture.uploadFromByteArray
    MOLEHILL_CHECKED MolehillStatus upload_from_byte_array(const Bytes &data, uint32_t byte_array_offset, int64_t side = -1, uint32_t miplevel = 0) const {
        return check(molehill_texture_upload_from_byte_array(*this, data.data, data.length, byte_array_offset, side, miplevel));
    }
    // Texture, RectangleTexture, CubeTexture.uploadFromBitmapDataAsync
    MOLEHILL_CHECKED MolehillStatus upload_from_bitmap_data_async(const MolehillBitmap *source, int64_t side = -1, uint32_t miplevel = 0) const {
        return check(molehill_texture_upload_from_bitmap_data_async(*this, source, side, miplevel));
    }
    // Texture, RectangleTexture, CubeTexture.uploadFromByteArrayAsync
    MOLEHILL_CHECKED MolehillStatus upload_from_byte_array_async(const Bytes &data, uint32_t byte_array_offset, int64_t side = -1, uint32_t miplevel = 0) const {
        return check(molehill_texture_upload_from_byte_array_async(*this, data.data, data.length, byte_array_offset, side, miplevel));
    }
    // Texture, CubeTexture.uploadCompressedTextureFromByteArray
    MOLEHILL_CHECKED MolehillStatus upload_compressed_from_byte_array(const Bytes &data, uint32_t byte_array_offset, bool is_async = false) const {
        return check(molehill_texture_upload_compressed_from_byte_array(*this, data.data, data.length, byte_array_offset, is_async));
    }
    // Texture, CubeTexture.uploadBlocks
    MOLEHILL_CHECKED MolehillStatus upload_blocks(const Bytes &data, const char *format, int64_t side, uint32_t miplevel) const {
        return check(molehill_texture_upload_blocks(*this, data.data, data.length, format, side, miplevel));
    }
    // Texture, RectangleTexture, CubeTexture, VideoTexture.dispose
    MOLEHILL_CHECKED MolehillStatus dispose() const {
        return check(molehill_texture_dispose(*this));
    }
    // VideoTexture.videoFrame
    MOLEHILL_CHECKED MolehillStatus video_texture_frame(const MolehillBitmap *source) const {
        return check(molehill_video_texture_frame(*this, source));
    }
};

// The calls of a Context3D.
class Calls : public Owner<MolehillContext, molehill_context_destroy> {
public:
    using Owner::Owner;
    // Context3D.configureBackBuffer
    MOLEHILL_CHECKED MolehillStatus configure_back_buffer(int32_t width, int32_t height, int32_t anti_alias, bool enable_depth_and_stencil = true, bool wants_best_resolution = false, bool wants_best_resolution_on_browser_zoom = false) const {
        return check(molehill_context_configure_back_buffer(*this, width, height, anti_alias, enable_depth_and_stencil, wants_best_resolution, wants_best_resolution_on_browser_zoom));
    }
    // Context3D.clear
    MOLEHILL_CHECKED MolehillStatus clear(double red = 0.0, double green = 0.0, double blue = 0.0, double alpha = 1.0, double depth = 1.0, uint32_t stencil = 0, uint32_t mask = 0xffffffff) const {
        return check(molehill_context_clear(*this, red, green, blue, alpha, depth, stencil, mask));
    }
    // Context3D.present
    MOLEHILL_CHECKED MolehillStatus present() const {
        return check(molehill_context_present(*this));
    }
    // Context3D.dispose
    MOLEHILL_CHECKED MolehillStatus dispose(bool recreate = true) const {
        return check(molehill_context_dispose(*this, recreate));
    }
    // Context3D.createVertexBuffer
    MOLEHILL_NODISCARD VertexBuffer create_vertex_buffer(int32_t num_vertices, int32_t data32_per_vertex, const char *buffer_usage = "staticDraw") const {
        VertexBuffer created;
        (void)check(molehill_context_create_vertex_buffer(*this, num_vertices, data32_per_vertex, buffer_usage, &created.handle_));
        return created;
    }
    // Context3D.createVertexBufferForInstances
    MOLEHILL_NODISCARD VertexBuffer create_vertex_buffer_for_instances(int32_t num_vertices, int32_t data32_per_vertex, int32_t instances_per_element, const char *buffer_usage = "staticDraw") const {
        VertexBuffer created;
        (void)check(molehill_context_create_vertex_buffer_for_instances(*this, num_vertices, data32_per_vertex, instances_per_element, buffer_usage, &created.handle_));
        return created;
    }
    // Context3D.createIndexBuffer
    MOLEHILL_NODISCARD IndexBuffer create_index_buffer(int32_t num_indices, const char *buffer_usage = "staticDraw") const {
        IndexBuffer created;
        (void)check(molehill_context_create_index_buffer(*this, num_indices, buffer_usage, &created.handle_));
        return created;
    }
    // Context3D.createProgram
    MOLEHILL_NODISCARD Program create_program() const {
        Program created;
        (void)check(molehill_context_create_program(*this, &created.handle_));
        return created;
    }
    // Context3D.createTexture
    MOLEHILL_NODISCARD Texture create_texture(int32_t width, int32_t height, const char *format, bool optimize_for_render_to_texture, int32_t streaming_levels = 0) const {
        Texture created;
        (void)check(molehill_context_create_texture(*this, width, height, format, optimize_for_render_to_texture, streaming_levels, &created.handle_));
        return created;
    }
    // Context3D.createRectangleTexture
    MOLEHILL_NODISCARD Texture create_rectangle_texture(int32_t width, int32_t height, const char *format, bool optimize_for_render_to_texture) const {
        Texture created;
        (void)check(molehill_context_create_rectangle_texture(*this, width, height, format, optimize_for_render_to_texture, &created.handle_));
        return created;
    }
    // Context3D.createCubeTexture
    MOLEHILL_NODISCARD Texture create_cube_texture(int32_t size, const char *format, bool optimize_for_render_to_texture, int32_t streaming_levels = 0) const {
        Texture created;
        (void)check(molehill_context_create_cube_texture(*this, size, format, optimize_for_render_to_texture, streaming_levels, &created.handle_));
        return created;
    }
    // Context3D.createVideoTexture
    MOLEHILL_NODISCARD Texture create_video_texture() const {
        Texture created;
        (void)check(molehill_context_create_video_texture(*this, &created.handle_));
        return created;
    }
    // Context3D.setProgram
    MOLEHILL_CHECKED MolehillStatus set_program(MolehillProgram program) const {
        return check(molehill_context_set_program(*this, program));
    }
    // Context3D.setProgramConstantsFromMatrix
    MOLEHILL_CHECKED MolehillStatus set_program_constants_from_matrix(const char *program_type, int32_t first_register, const double *matrix, bool transposed_matrix = false) const {
        return check(molehill_context_set_program_constants_from_matrix(*this, program_type, first_register, matrix, transposed_matrix));
    }
    // Context3D.setProgramConstantsFromVector
    MOLEHILL_CHECKED MolehillStatus set_program_constants_from_vector(const char *program_type, int32_t first_register, const View<double> &data, int32_t num_registers = - 1) const {
        return check(molehill_context_set_program_constants_from_vector(*this, program_type, first_register, data.data, data.length, num_registers));
    }
    // Context3D.setProgramConstantsFromFloatVector
    MOLEHILL_CHECKED MolehillStatus set_program_constants_from_float_vector(const char *program_type, int32_t first_register, const View<float> &data, int32_t num_registers = - 1) const {
        return check(molehill_context_set_program_constants_from_float_vector(*this, program_type, first_register, data.data, data.length, num_registers));
    }
    // Context3D.setProgramConstantsFromByteArray
    MOLEHILL_CHECKED MolehillStatus set_program_constants_from_byte_array(const char *program_type, int32_t first_register, int32_t num_registers, const Bytes &data, uint32_t byte_array_offset) const {
        return check(molehill_context_set_program_constants_from_byte_array(*this, program_type, first_register, num_registers, data.data, data.length, byte_array_offset));
    }
    // Context3D.setVertexBufferAt
    MOLEHILL_CHECKED MolehillStatus set_vertex_buffer_at(int32_t index, MolehillVertexBuffer buffer, int32_t buffer_offset = 0, const char *format = "float4") const {
        return check(molehill_context_set_vertex_buffer_at(*this, index, buffer, buffer_offset, format));
    }
    // Context3D.setTextureAt
    MOLEHILL_CHECKED MolehillStatus set_texture_at(int32_t sampler, MolehillTexture texture) const {
        return check(molehill_context_set_texture_at(*this, sampler, texture));
    }
    // Context3D.setSamplerStateAt
    MOLEHILL_CHECKED MolehillStatus set_sampler_state_at(int32_t sampler, const char *wrap, const char *filter, const char *mipfilter) const {
        return check(molehill_context_set_sampler_state_at(*this, sampler, wrap, filter, mipfilter));
    }
    // Context3D.setBlendFactors
    MOLEHILL_CHECKED MolehillStatus set_blend_factors(const char *source_factor, const char *destination_factor) const {
        return check(molehill_context_set_blend_factors(*this, source_factor, destination_factor));
    }
    // Context3D.setColorMask
    MOLEHILL_CHECKED MolehillStatus set_color_mask(bool red, bool green, bool blue, bool alpha) const {
        return check(molehill_context_set_color_mask(*this, red, green, blue, alpha));
    }
    // Context3D.setCulling
    MOLEHILL_CHECKED MolehillStatus set_culling(const char *triangle_face_to_cull) const {
        return check(molehill_context_set_culling(*this, triangle_face_to_cull));
    }
    // Context3D.setDepthTest
    MOLEHILL_CHECKED MolehillStatus set_depth_test(bool depth_mask, const char *pass_compare_mode) const {
        return check(molehill_context_set_depth_test(*this, depth_mask, pass_compare_mode));
    }
    // Context3D.setStencilActions
    MOLEHILL_CHECKED MolehillStatus set_stencil_actions(const char *triangle_face = "frontAndBack", const char *compare_mode = "always", const char *action_on_both_pass = "keep", const char *action_on_depth_fail = "keep", const char *action_on_depth_pass_stencil_fail = "keep") const {
        return check(molehill_context_set_stencil_actions(*this, triangle_face, compare_mode, action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail));
    }
    // Context3D.setStencilReferenceValue
    MOLEHILL_CHECKED MolehillStatus set_stencil_reference_value(uint32_t reference_value, uint32_t read_mask = 255, uint32_t write_mask = 255) const {
        return check(molehill_context_set_stencil_reference_value(*this, reference_value, read_mask, write_mask));
    }
    // Context3D.setScissorRectangle
    MOLEHILL_CHECKED MolehillStatus set_scissor_rectangle(const MolehillRectangle *rectangle) const {
        return check(molehill_context_set_scissor_rectangle(*this, rectangle));
    }
    // Context3D.setRenderToTexture
    MOLEHILL_CHECKED MolehillStatus set_render_to_texture(MolehillTexture texture, bool enable_depth_and_stencil = false, int32_t anti_alias = 0, int32_t surface_selector = 0, int32_t color_output_index = 0) const {
        return check(molehill_context_set_render_to_texture(*this, texture, enable_depth_and_stencil, anti_alias, surface_selector, color_output_index));
    }
    // Context3D.setRenderToBackBuffer
    MOLEHILL_CHECKED MolehillStatus set_render_to_back_buffer() const {
        return check(molehill_context_set_render_to_back_buffer(*this));
    }
    // Context3D.drawTriangles
    MOLEHILL_CHECKED MolehillStatus draw_triangles(MolehillIndexBuffer index_buffer, int32_t first_index = 0, int32_t num_triangles = - 1) const {
        return check(molehill_context_draw_triangles(*this, index_buffer, first_index, num_triangles));
    }
    // Context3D.drawTrianglesInstanced
    MOLEHILL_CHECKED MolehillStatus draw_triangles_instanced(MolehillIndexBuffer index_buffer, int32_t num_instances, int32_t first_index = 0, int32_t num_triangles = - 1) const {
        return check(molehill_context_draw_triangles_instanced(*this, index_buffer, num_instances, first_index, num_triangles));
    }
    // Context3D.drawToBitmapData
    MOLEHILL_CHECKED MolehillStatus draw_to_bitmap_data(const MolehillBitmapTarget *destination, const MolehillRectangle *source_rect = nullptr, const MolehillPoint *dest_point = nullptr) const {
        return check(molehill_context_draw_to_bitmap_data(*this, destination, source_rect, dest_point));
    }
    // Context3D.setFillMode
    MOLEHILL_CHECKED MolehillStatus set_fill_mode(const char *fill_mode) const {
        return check(molehill_context_set_fill_mode(*this, fill_mode));
    }
    // Context3D.enableErrorChecking
    MOLEHILL_CHECKED MolehillStatus set_error_checking(bool value) const {
        return check(molehill_context_set_error_checking(*this, value));
    }
    // Context3D.maxBackBufferWidth
    MOLEHILL_CHECKED MolehillStatus set_max_back_buffer_width(int32_t value) const {
        return check(molehill_context_set_max_back_buffer_width(*this, value));
    }
    // Context3D.maxBackBufferHeight
    MOLEHILL_CHECKED MolehillStatus set_max_back_buffer_height(int32_t value) const {
        return check(molehill_context_set_max_back_buffer_height(*this, value));
    }
    // Context3D.ignoreResourceLimits
    MOLEHILL_CHECKED MolehillStatus set_ignore_resource_limits(bool value) const {
        return check(molehill_context_set_ignore_resource_limits(*this, value));
    }
};

}  // namespace molehill

#endif

/* Stage3D for Flash emulators: the C interface of Molehill.

   HANDLES are structs with a number, one type for each kind of thing; {0} is null. They are never reused: a stale one, one
   that was invented or another kind's gives a typed error. Calls on an object that was disposed or released raise Flash's
   error 3694; draws with it fail.

   STRUCTS that begin with struct_size may grow. Set it to sizeof the struct, and what you don't use to 0, the default:
       MolehillPlacement place = {.struct_size = sizeof place, .width = 640, .height = 480};
   A program that was built with an older header of the same MOLEHILL_ABI_VERSION runs with this library.

   ARGUMENTS are those of the ActionScript method, in the same order. int, uint and Number are int32_t, uint32_t and double.
   Texts are UTF-8 and end with 0; a member of an enumeration is its name as Flash spells it, and null is null. A ByteArray or
   Vector is a pointer and a length in bytes or elements: null with length 0 is null, every other pointer with length 0 is
   empty; where ActionScript has no null, null with length 0 is empty too. `side` is -1 for textures that are not cubes,
   `miplevel` 0 for rectangle textures. A created object is returned through the last pointer.

   OWNERSHIP: what you pass (texts, data, structs) stays yours and is not used after the call, except the user_data of
   callbacks. What a molehill_*_create, _start or molehill_device_* returns is yours: destroy or release it once. Texts that
   are returned belong to the library, until the time that is stated. Callbacks must not throw or longjmp.

   THREADS: a device, its contexts with their objects, a Stage3D and a recording belong to the thread that made them: on
   another one, calls return MOLEHILL_STATUS_WRONG_THREAD. Functions whose comments say "Any thread" are the exception: among
   them all that destroy and release. What must run on the owner's thread is done at that thread's next call of any function;
   if it has ended, the memory is freed at once and the GL objects with their GL context.

   ERRORS are statuses below 0; molehill_last_error has the details, such as what ActionScript must throw. */

#ifndef MOLEHILL_H
#define MOLEHILL_H

/* Written by `UPDATE=1 cargo test -p molehill-c --test generated`. */

#include <stddef.h>
#include <stdint.h>

/* The version of this header; molehill_version() is that of the library. */
#define MOLEHILL_VERSION_MAJOR 0
#define MOLEHILL_VERSION_MINOR 2
#define MOLEHILL_VERSION_PATCH 0
#define MOLEHILL_VERSION "0.2.0"

/* A buffer, program or texture as a MolehillObject. */
#ifdef __cplusplus
#define MOLEHILL_OBJECT(handle) (MolehillObject{(handle).id})
#else
#define MOLEHILL_OBJECT(handle) ((MolehillObject){(handle).id})
#endif

#define MOLEHILL_ABI_VERSION 2

enum MolehillStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  MOLEHILL_STATUS_OK = 0,
  MOLEHILL_STATUS_SKIPPED = 1,
  MOLEHILL_STATUS_NOTHING = 2,
  MOLEHILL_STATUS_FLASH_ERROR = -1,
  MOLEHILL_STATUS_UNSUPPORTED = -2,
  MOLEHILL_STATUS_OUT_OF_MEMORY = -3,
  MOLEHILL_STATUS_DEVICE_LOST = -4,
  MOLEHILL_STATUS_DRIVER = -5,
  MOLEHILL_STATUS_BAD_HANDLE = -6,
  MOLEHILL_STATUS_BAD_ARGUMENT = -7,
  MOLEHILL_STATUS_WRONG_THREAD = -8,
  MOLEHILL_STATUS_BUSY = -9,
  MOLEHILL_STATUS_IO = -10,
  MOLEHILL_STATUS_INTERNAL = -11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillStatus MolehillStatus;
#else
typedef int32_t MolehillStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

enum MolehillErrorClass
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  MOLEHILL_ERROR_CLASS_NONE = 0,
  MOLEHILL_ERROR_CLASS_ERROR = 1,
  MOLEHILL_ERROR_CLASS_ARGUMENT_ERROR = 2,
  MOLEHILL_ERROR_CLASS_RANGE_ERROR = 3,
  MOLEHILL_ERROR_CLASS_TYPE_ERROR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillErrorClass MolehillErrorClass;
#else
typedef int32_t MolehillErrorClass;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

enum MolehillEnded
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  MOLEHILL_ENDED_ALIVE = 0,
  MOLEHILL_ENDED_DISPOSED = 1,
  MOLEHILL_ENDED_DISPOSED_TO_RECREATE = 2,
  MOLEHILL_ENDED_LOST = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillEnded MolehillEnded;
#else
typedef int32_t MolehillEnded;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

enum MolehillLogLevel
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  MOLEHILL_LOG_LEVEL_OFF = 0,
  MOLEHILL_LOG_LEVEL_ERROR = 1,
  MOLEHILL_LOG_LEVEL_WARN = 2,
  MOLEHILL_LOG_LEVEL_INFO = 3,
  MOLEHILL_LOG_LEVEL_DEBUG = 4,
  MOLEHILL_LOG_LEVEL_TRACE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillLogLevel MolehillLogLevel;
#else
typedef int32_t MolehillLogLevel;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

typedef struct {
  size_t struct_size;
  MolehillStatus status;
  uint32_t number;
  uint32_t token;
  MolehillErrorClass error_class;
  const char *class_name;
  const char *message;
  const char *as3_message;
} MolehillError;

typedef const void *(*MolehillLoader)(void *user_data, const char *name);

typedef int32_t MolehillBool;

typedef struct {
  size_t struct_size;
  MolehillBool (*make_current)(void *user_data);
  MolehillBool (*is_current)(void *user_data);
  void (*release)(void *user_data);
  void *user_data;
} MolehillMakeCurrent;

typedef struct {
  size_t struct_size;
  const char *workarounds;
  MolehillBool gles;
  MolehillBool debug;
  MolehillBool restore;
  uint32_t threads;
  void *share_context;
  void *share_display;
} MolehillDeviceOptions;

typedef struct {
  uint64_t id;
} MolehillDevice;

typedef struct {
  size_t struct_size;
  size_t (*load)(void *user_data, const char *name, void *bytes, size_t capacity);
  void (*store)(void *user_data, const char *name, const void *bytes, size_t length);
  void *user_data;
} MolehillProgramCache;

typedef struct {
  size_t struct_size;
  MolehillDevice (*open)(void *user_data);
  void *user_data;
  MolehillBool forget_rendered_textures;
  uint64_t frame_bytes;
} MolehillRecovery;

typedef struct {
  size_t struct_size;
  const char *profile;
  uint32_t swf_version;
  const MolehillRecovery *recovery;
} MolehillContextOptions;

typedef struct {
  uint64_t id;
} MolehillContext;

typedef struct {
  double x;
  double y;
  double width;
  double height;
} MolehillRectangle;

typedef struct {
  size_t struct_size;
  MolehillBool background;
  MolehillBool has_descriptor;
  MolehillBool descriptor_depth_and_stencil;
  MolehillBool has_placement;
  double x;
  double y;
  MolehillRectangle stage;
  MolehillBool no_runtime_compression;
  MolehillBool no_video_textures;
  MolehillBool software;
  uint64_t ignored_limits_memory;
  double contents_scale;
  double browser_zoom;
  MolehillBool ignore_resource_limits;
  uint32_t max_back_buffer;
  MolehillBool no_error_texts;
} MolehillHost;

typedef struct {
  uint64_t id;
} MolehillTexture;

typedef struct {
  uint32_t width;
  uint32_t height;
} MolehillSize;

typedef struct {
  size_t struct_size;
  MolehillEnded ended;
  MolehillBool error_checking;
  MolehillBool ignores_resource_limits;
  MolehillBool supports_video_texture;
  uint32_t back_buffer_width;
  uint32_t back_buffer_height;
  uint32_t back_buffer_pixels_width;
  uint32_t back_buffer_pixels_height;
  uint32_t max_back_buffer_width;
  uint32_t max_back_buffer_height;
  uint64_t total_gpu_memory;
  const char *profile;
  const char *driver_info;
  uint64_t restored;
} MolehillContextInfo;

typedef struct {
  uint64_t id;
} MolehillRecording;

typedef struct {
  uint64_t id;
} MolehillVertexBuffer;

typedef struct {
  uint64_t id;
} MolehillIndexBuffer;

typedef struct {
  uint64_t id;
} MolehillProgram;

typedef struct {
  size_t struct_size;
  uint32_t width;
  uint32_t height;
  uint8_t *pixels;
  size_t length;
  size_t stride;
  MolehillBool transparent;
  MolehillBool rgba;
  MolehillBool straight_alpha;
} MolehillBitmapTarget;

typedef struct {
  double x;
  double y;
} MolehillPoint;

typedef struct {
  size_t struct_size;
  uint32_t width;
  uint32_t height;
  const uint8_t *pixels;
  size_t length;
  size_t stride;
  MolehillBool transparent;
  MolehillBool rgba;
  MolehillBool straight_alpha;
} MolehillBitmap;

typedef struct {
  uint64_t id;
} MolehillObject;

typedef struct {
  size_t struct_size;
  MolehillTexture texture;
  uint64_t user_data;
  MolehillBool failed;
  uint32_t error_number;
  const char *message;
} MolehillTextureEvent;

typedef struct {
  size_t struct_size;
  uint32_t texture;
  uint32_t framebuffer;
  uint32_t width;
  uint32_t height;
} MolehillFront;

typedef struct {
  size_t struct_size;
  int32_t x;
  int32_t y;
  uint32_t width;
  uint32_t height;
  MolehillBool bottom_up;
  MolehillBool smooth;
} MolehillPlacement;

typedef struct {
  uint32_t x;
  uint32_t y;
  uint32_t width;
  uint32_t height;
} MolehillRegion;

typedef struct {
  size_t struct_size;
  uint8_t *pixels;
  size_t length;
  size_t stride;
  MolehillBool rgba;
  MolehillBool bottom_up;
} MolehillPixels;

typedef struct {
  uint64_t id;
} MolehillStage3D;

typedef struct {
  size_t struct_size;
  double x;
  double y;
  MolehillBool visible;
  MolehillBool requested;
} MolehillStage3DInfo;

typedef struct {
  size_t struct_size;
  const char *title;
  const char *generator;
  uint32_t swf_version;
  uint32_t stage_width;
  uint32_t stage_height;
  uint32_t stage_color;
  double frame_rate;
  uint64_t limit;
} MolehillRecordingOptions;

typedef void (*MolehillLog)(void *user_data, int32_t level, const char *target, const char *message);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

MolehillStatus molehill_last_error(MolehillError *error);

MolehillStatus molehill_flash_error(uint32_t number,
                                    const char *const *arguments,
                                    size_t count);

MolehillStatus molehill_device_from_loader(MolehillLoader loader,
                                           void *user_data,
                                           const MolehillMakeCurrent *current,
                                           const MolehillDeviceOptions *options,
                                           MolehillDevice *device);

MolehillStatus molehill_device_offscreen(const MolehillDeviceOptions *options, MolehillDevice *device);

MolehillStatus molehill_device_software(const MolehillDeviceOptions *options, MolehillDevice *device);

MolehillStatus molehill_device_invalidate_state(MolehillDevice device);

MolehillStatus molehill_device_reset_to_gl_defaults(MolehillDevice device);

MolehillStatus molehill_device_abandon(MolehillDevice device);

MolehillStatus molehill_device_make_current(MolehillDevice device);

MolehillStatus molehill_device_destroy(MolehillDevice device);

MolehillStatus molehill_device_set_program_cache(MolehillDevice device,
                                                 const MolehillProgramCache *cache);

MolehillStatus molehill_context_create(MolehillDevice device,
                                       const MolehillContextOptions *options,
                                       MolehillContext *context);

MolehillStatus molehill_context_destroy(MolehillContext context);

MolehillStatus molehill_context_set_options(MolehillContext context, const MolehillContextOptions *options);

MolehillStatus molehill_context_set_host(MolehillContext context, const MolehillHost *host);

MolehillStatus molehill_context_check_position(MolehillContext context,
                                               double x,
                                               double y);

MolehillStatus molehill_texture_video_size(MolehillTexture texture, MolehillSize *size);

MolehillStatus molehill_context_lose(MolehillContext context);

MolehillStatus molehill_context_info(MolehillContext context, MolehillContextInfo *info);

MolehillStatus molehill_context_record(MolehillContext context,
                                       MolehillRecording recording,
                                       uint32_t stage3d_index,
                                       const char *render_mode);

MolehillStatus molehill_context_configure_back_buffer(MolehillContext context,
                                                      int32_t width,
                                                      int32_t height,
                                                      int32_t anti_alias,
                                                      MolehillBool enable_depth_and_stencil,
                                                      MolehillBool wants_best_resolution,
                                                      MolehillBool wants_best_resolution_on_browser_zoom);

MolehillStatus molehill_context_clear(MolehillContext context,
                                      double red,
                                      double green,
                                      double blue,
                                      double alpha,
                                      double depth,
                                      uint32_t stencil,
                                      uint32_t mask);

MolehillStatus molehill_context_present(MolehillContext context);

MolehillStatus molehill_context_dispose(MolehillContext context, MolehillBool recreate);

MolehillStatus molehill_context_create_vertex_buffer(MolehillContext context,
                                                     int32_t num_vertices,
                                                     int32_t data32_per_vertex,
                                                     const char *buffer_usage,
                                                     MolehillVertexBuffer *created);

MolehillStatus molehill_context_create_vertex_buffer_for_instances(MolehillContext context,
                                                                   int32_t num_vertices,
                                                                   int32_t data32_per_vertex,
                                                                   int32_t instances_per_element,
                                                                   const char *buffer_usage,
                                                                   MolehillVertexBuffer *created);

MolehillStatus molehill_context_create_index_buffer(MolehillContext context,
                                                    int32_t num_indices,
                                                    const char *buffer_usage,
                                                    MolehillIndexBuffer *created);

MolehillStatus molehill_context_create_program(MolehillContext context, MolehillProgram *created);

MolehillStatus molehill_context_create_texture(MolehillContext context,
                                               int32_t width,
                                               int32_t height,
                                               const char *format,
                                               MolehillBool optimize_for_render_to_texture,
                                               int32_t streaming_levels,
                                               MolehillTexture *created);

MolehillStatus molehill_context_create_rectangle_texture(MolehillContext context,
                                                         int32_t width,
                                                         int32_t height,
                                                         const char *format,
                                                         MolehillBool optimize_for_render_to_texture,
                                                         MolehillTexture *created);

MolehillStatus molehill_context_create_cube_texture(MolehillContext context,
                                                    int32_t size,
                                                    const char *format,
                                                    MolehillBool optimize_for_render_to_texture,
                                                    int32_t streaming_levels,
                                                    MolehillTexture *created);

MolehillStatus molehill_context_create_video_texture(MolehillContext context, MolehillTexture *created);

MolehillStatus molehill_context_set_program(MolehillContext context, MolehillProgram program);

MolehillStatus molehill_context_set_program_constants_from_matrix(MolehillContext context,
                                                                  const char *program_type,
                                                                  int32_t first_register,
                                                                  const double *matrix,
                                                                  MolehillBool transposed_matrix);

MolehillStatus molehill_context_set_program_constants_from_vector(MolehillContext context,
                                                                  const char *program_type,
                                                                  int32_t first_register,
                                                                  const double *data,
                                                                  size_t data_length,
                                                                  int32_t num_registers);

MolehillStatus molehill_context_set_program_constants_from_float_vector(MolehillContext context,
                                                                        const char *program_type,
                                                                        int32_t first_register,
                                                                        const float *data,
                                                                        size_t data_length,
                                                                        int32_t num_registers);

MolehillStatus molehill_context_set_program_constants_from_byte_array(MolehillContext context,
                                                                      const char *program_type,
                                                                      int32_t first_register,
                                                                      int32_t num_registers,
                                                                      const void *data,
                                                                      size_t data_length,
                                                                      uint32_t byte_array_offset);

MolehillStatus molehill_context_set_vertex_buffer_at(MolehillContext context,
                                                     int32_t index,
                                                     MolehillVertexBuffer buffer,
                                                     int32_t buffer_offset,
                                                     const char *format);

MolehillStatus molehill_context_set_texture_at(MolehillContext context, int32_t sampler, MolehillTexture texture);

MolehillStatus molehill_context_set_sampler_state_at(MolehillContext context,
                                                     int32_t sampler,
                                                     const char *wrap,
                                                     const char *filter,
                                                     const char *mipfilter);

MolehillStatus molehill_context_set_blend_factors(MolehillContext context,
                                                  const char *source_factor,
                                                  const char *destination_factor);

MolehillStatus molehill_context_set_color_mask(MolehillContext context,
                                               MolehillBool red,
                                               MolehillBool green,
                                               MolehillBool blue,
                                               MolehillBool alpha);

MolehillStatus molehill_context_set_culling(MolehillContext context, const char *triangle_face_to_cull);

MolehillStatus molehill_context_set_depth_test(MolehillContext context,
                                               MolehillBool depth_mask,
                                               const char *pass_compare_mode);

MolehillStatus molehill_context_set_stencil_actions(MolehillContext context,
                                                    const char *triangle_face,
                                                    const char *compare_mode,
                                                    const char *action_on_both_pass,
                                                    const char *action_on_depth_fail,
                                                    const char *action_on_depth_pass_stencil_fail);

MolehillStatus molehill_context_set_stencil_reference_value(MolehillContext context,
                                                            uint32_t reference_value,
                                                            uint32_t read_mask,
                                                            uint32_t write_mask);

MolehillStatus molehill_context_set_scissor_rectangle(MolehillContext context, const MolehillRectangle *rectangle);

MolehillStatus molehill_context_set_render_to_texture(MolehillContext context,
                                                      MolehillTexture texture,
                                                      MolehillBool enable_depth_and_stencil,
                                                      int32_t anti_alias,
                                                      int32_t surface_selector,
                                                      int32_t color_output_index);

MolehillStatus molehill_context_set_render_to_back_buffer(MolehillContext context);

MolehillStatus molehill_context_draw_triangles(MolehillContext context,
                                               MolehillIndexBuffer index_buffer,
                                               int32_t first_index,
                                               int32_t num_triangles);

MolehillStatus molehill_context_draw_triangles_instanced(MolehillContext context,
                                                         MolehillIndexBuffer index_buffer,
                                                         int32_t num_instances,
                                                         int32_t first_index,
                                                         int32_t num_triangles);

MolehillStatus molehill_context_draw_to_bitmap_data(MolehillContext context,
                                                    const MolehillBitmapTarget *destination,
                                                    const MolehillRectangle *source_rect,
                                                    const MolehillPoint *dest_point);

MolehillStatus molehill_context_set_fill_mode(MolehillContext context, const char *fill_mode);

MolehillStatus molehill_context_set_error_checking(MolehillContext context, MolehillBool value);

MolehillStatus molehill_context_set_max_back_buffer_width(MolehillContext context, int32_t value);

MolehillStatus molehill_context_set_max_back_buffer_height(MolehillContext context, int32_t value);

MolehillStatus molehill_context_set_ignore_resource_limits(MolehillContext context, MolehillBool value);

MolehillStatus molehill_vertex_buffer_upload_from_byte_array(MolehillVertexBuffer buffer,
                                                             const void *data,
                                                             size_t data_length,
                                                             int32_t byte_array_offset,
                                                             int32_t start_vertex,
                                                             int32_t num_vertices);

MolehillStatus molehill_vertex_buffer_upload_from_vector(MolehillVertexBuffer buffer,
                                                         const double *data,
                                                         size_t data_length,
                                                         int32_t start_vertex,
                                                         int32_t num_vertices);

MolehillStatus molehill_vertex_buffer_upload_from_float_vector(MolehillVertexBuffer buffer,
                                                               const float *data,
                                                               size_t data_length,
                                                               int32_t start_vertex,
                                                               int32_t num_vertices);

MolehillStatus molehill_vertex_buffer_dispose(MolehillVertexBuffer buffer);

MolehillStatus molehill_index_buffer_upload_from_byte_array(MolehillIndexBuffer buffer,
                                                            const void *data,
                                                            size_t data_length,
                                                            int32_t byte_array_offset,
                                                            int32_t start_offset,
                                                            int32_t count);

MolehillStatus molehill_index_buffer_upload_from_vector(MolehillIndexBuffer buffer,
                                                        const uint32_t *data,
                                                        size_t data_length,
                                                        int32_t start_offset,
                                                        int32_t count);

MolehillStatus molehill_index_buffer_dispose(MolehillIndexBuffer buffer);

MolehillStatus molehill_program_upload(MolehillProgram program,
                                       const void *vertex_program,
                                       size_t vertex_program_length,
                                       MolehillBool vertex_program_big_endian,
                                       const void *fragment_program,
                                       size_t fragment_program_length,
                                       MolehillBool fragment_program_big_endian);

MolehillStatus molehill_program_dispose(MolehillProgram program);

MolehillStatus molehill_texture_upload_from_bitmap_data(MolehillTexture texture,
                                                        const MolehillBitmap *source,
                                                        int64_t side,
                                                        uint32_t miplevel);

MolehillStatus molehill_texture_upload_from_byte_array(MolehillTexture texture,
                                                       const void *data,
                                                       size_t data_length,
                                                       uint32_t byte_array_offset,
                                                       int64_t side,
                                                       uint32_t miplevel);

MolehillStatus molehill_texture_upload_from_bitmap_data_async(MolehillTexture texture,
                                                              const MolehillBitmap *source,
                                                              int64_t side,
                                                              uint32_t miplevel);

MolehillStatus molehill_texture_upload_from_byte_array_async(MolehillTexture texture,
                                                             const void *data,
                                                             size_t data_length,
                                                             uint32_t byte_array_offset,
                                                             int64_t side,
                                                             uint32_t miplevel);

MolehillStatus molehill_texture_upload_compressed_from_byte_array(MolehillTexture texture,
                                                                  const void *data,
                                                                  size_t data_length,
                                                                  uint32_t byte_array_offset,
                                                                  MolehillBool is_async);

MolehillStatus molehill_texture_upload_blocks(MolehillTexture texture,
                                              const void *data,
                                              size_t data_length,
                                              const char *format,
                                              int64_t side,
                                              uint32_t miplevel);

MolehillStatus molehill_texture_dispose(MolehillTexture texture);

MolehillStatus molehill_video_texture_frame(MolehillTexture texture, const MolehillBitmap *source);

MolehillStatus molehill_object_release(MolehillObject object);

MolehillStatus molehill_object_set_user_data(MolehillObject object, uint64_t user_data);

MolehillStatus molehill_object_user_data(MolehillObject object, uint64_t *user_data);

MolehillStatus molehill_context_collect_released(MolehillContext context);

MolehillStatus molehill_context_take_texture_event(MolehillContext context, MolehillTextureEvent *event);

MolehillStatus molehill_context_front(MolehillContext context, MolehillFront *front);

MolehillStatus molehill_context_present_into_framebuffer(MolehillContext context,
                                                         uint32_t framebuffer,
                                                         const MolehillPlacement *place);

MolehillStatus molehill_context_present_into_texture(MolehillContext context,
                                                     uint32_t texture,
                                                     const MolehillPlacement *place);

MolehillStatus molehill_context_read_front(MolehillContext context,
                                           const MolehillRegion *region,
                                           const MolehillPixels *pixels,
                                           MolehillSize *size);

MolehillStatus molehill_context_read_front_delayed(MolehillContext context,
                                                   const MolehillRegion *region,
                                                   const MolehillPixels *pixels,
                                                   MolehillSize *size);

MolehillStatus molehill_stage3d_create(MolehillStage3D *stage);

MolehillStatus molehill_stage3d_destroy(MolehillStage3D stage);

MolehillStatus molehill_stage3d_set_x(MolehillStage3D stage, double value);

MolehillStatus molehill_stage3d_set_y(MolehillStage3D stage, double value);

MolehillStatus molehill_stage3d_set_visible(MolehillStage3D stage, MolehillBool value);

MolehillStatus molehill_stage3d_info(MolehillStage3D stage, MolehillStage3DInfo *info);

MolehillStatus molehill_stage3d_request(MolehillStage3D stage,
                                        const char *render_mode,
                                        const char *profile,
                                        MolehillBool listens);

MolehillStatus molehill_stage3d_request_matching(MolehillStage3D stage,
                                                 const char *const *profiles,
                                                 size_t count,
                                                 MolehillBool listens);

MolehillStatus molehill_stage3d_answer(MolehillStage3D stage,
                                       MolehillDevice device,
                                       uint32_t swf_version,
                                       uint32_t others,
                                       MolehillContextOptions *options);

MolehillStatus molehill_stage3d_context_ended(MolehillStage3D stage, MolehillContext context);

MolehillStatus molehill_recording_start(const char *path,
                                        const MolehillRecordingOptions *options,
                                        MolehillRecording *recording);

MolehillStatus molehill_recording_end_frame(MolehillRecording recording);

MolehillStatus molehill_recording_set_x(MolehillRecording recording, uint32_t index, double value);

MolehillStatus molehill_recording_set_y(MolehillRecording recording, uint32_t index, double value);

MolehillStatus molehill_recording_set_visible(MolehillRecording recording, uint32_t index, MolehillBool value);

MolehillStatus molehill_recording_stop(MolehillRecording recording);

MolehillStatus molehill_set_log(MolehillLog log, void *user_data, int32_t level);

const char *molehill_version(void);

uint32_t molehill_abi_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MOLEHILL_H */

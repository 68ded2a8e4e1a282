/* Calls every function with null, stale, foreign and invented handles, wrong pointers that can be found out, wrong texts and
   numbers. Nothing may crash, and every failure must be a typed error with a text.
   cc hostile.c -o hostile $(pkg-config --cflags --libs molehill) -lm -lpthread */
#include <float.h>
#include <math.h>
#include <molehill.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define PICK(array) ((array)[next_random() % COUNT(array)])

struct hostile {
    int32_t i;
    uint32_t u;
    int64_t side;
    double number;
    MolehillBool flag;
    const void *data;
    size_t length;
    const char *text;
    const MolehillBitmap *bitmap;
    const MolehillBitmapTarget *target;
    const MolehillRectangle *rectangle;
    const MolehillPoint *point;
    uint64_t object;
    uint64_t context;
    uint64_t *created;
};

/* Handles of any kind, from numbers. */
#define DEVICE(id) ((MolehillDevice){id})
#define CONTEXT(id) ((MolehillContext){id})
#define STAGE(id) ((MolehillStage3D){id})
#define RECORDING(id) ((MolehillRecording){id})
#define OBJECT(id) ((MolehillObject){id})
#define TEXTURE(id) ((MolehillTexture){id})

static unsigned counts[16];

static uint32_t next_random(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void fail(const char *what, int status) {
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
}

static void seen(MolehillStatus status) {
    MolehillError error = {.struct_size = sizeof error};
    if (status < MOLEHILL_STATUS_THROWN || status > MOLEHILL_STATUS_ATTACH)
        fail("no such status", status);
    counts[status - MOLEHILL_STATUS_THROWN]++;
    if (status >= 0)
        return;
    if (molehill_last_error(&error) != MOLEHILL_STATUS_OK || error.status != status
        || !(*error.message || *error.as3_message))
        fail("an error without a text", status);
    if ((status == MOLEHILL_STATUS_FLASH_ERROR) != (error.number != 0) || !*error.class_name != !error.number
        || (error.error_class == MOLEHILL_ERROR_CLASS_NONE) != !error.number)
        fail("an error without number or class", status);
    if (status == MOLEHILL_STATUS_INTERNAL)
        fail(error.message, status);
}

#include "hostile_calls.h"

static double memory[64];
static uint8_t pixels[4 * 4 * 4];
static const MolehillRectangle rectangle = {-1, NAN, 4, INFINITY};
static const MolehillPoint point = {NAN, -3};
static const char *const texts[] = {
    NULL, "", "\xFF\xFE", "bgra", "compressed", "compressedAlpha", "rgbaHalfFloat", "staticDraw", "vertex", "fragment",
    "float3", "float4", "bytes4", "clamp", "linear", "mipnone", "one", "zero", "always", "never", "back", "none", "keep",
    "solid", "auto", "software", "baseline", "enhanced", "clip-depth-in-shader=on",
};
static const int32_t ints[] = {0, 1, 2, 3, 4, 7, 8, 16, 50, -1, 129, INT32_MAX, INT32_MIN};
static const uint32_t uints[] = {0, 1, 2, 3, 7, 255, 0x80000000u, UINT32_MAX};
static const int64_t sides[] = {-1, 0, 5, 6, INT64_MAX, INT64_MIN};
static const double numbers[] = {0, 1, -1, 0.5, NAN, INFINITY, -INFINITY, DBL_MAX, DBL_MIN, 8191, -1e300};
static const int32_t flags[] = {0, 1, -1, INT32_MIN};
static const size_t lengths[] = {0, 4, 8, 64, 128, sizeof memory - 8};

/* Handles: none, invented ones, and then those of created objects. */
static uint64_t handles[64] = {0, 0, 1, 2, UINT64_MAX, 0x100000001u, 0x300000001u, 1ull << 63};

static uint64_t owned[10000];
static size_t owned_count;

static void remember(uint64_t handle) {
    handles[8 + next_random() % (COUNT(handles) - 8)] = handle;
}

/* The objects to free at the end. */
static void own(uint64_t handle) {
    remember(handle);
    owned[owned_count++ % COUNT(owned)] = handle;
}

/* Values of struct_size: the size, less, or nonsense. */
static size_t size_of(size_t size) {
    const size_t sizes[] = {size, size, size, size, size - 4, sizeof(size_t), 0, sizeof(size_t) - 1, SIZE_MAX};
    return PICK(sizes);
}
#define SIZED(variable) ((variable).struct_size = size_of(sizeof(variable)))

static struct hostile choose(uint64_t *created) {
    const size_t bitmap = sizeof(MolehillBitmap), target = sizeof(MolehillBitmapTarget);
    static MolehillBitmap bitmaps[7];
    static MolehillBitmapTarget targets[6];
    const MolehillBitmap some[] = {
        {bitmap, 4, 4, pixels, sizeof pixels, 0, 1, 0, 0}, {bitmap, UINT32_MAX, UINT32_MAX, pixels, sizeof pixels, 0, 1, 0, 0},
        {bitmap, 4, 4, NULL, 0, 0, 1, 0, 0},               {bitmap, 4, 4, NULL, 64, 0, 1, 0, 0},
        {bitmap, 4, 4, pixels, sizeof pixels, 3, 7, 1, 1}, {bitmap, 0, 0, pixels, 0, SIZE_MAX, 0, 1, 0},
        {size_of(bitmap), 4, 4, pixels, SIZE_MAX, 0, 1, 0, 0},
    };
    const MolehillBitmapTarget others[] = {
        {target, 4, 4, pixels, sizeof pixels, 0, 1, 0, 0}, {target, UINT32_MAX, UINT32_MAX, pixels, sizeof pixels, 0, 1, 0, 0},
        {target, 4, 4, NULL, 0, 0, 1, 0, 0},               {target, 4, 4, NULL, 64, 0, 1, 0, 0},
        {target, 4, 4, pixels, sizeof pixels, 3, 7, 1, 1}, {size_of(target), 4, 4, pixels, sizeof pixels, 16, 0, 1, 1},
    };
    memcpy(bitmaps, some, sizeof some);
    memcpy(targets, others, sizeof others);
    uint8_t *bytes = (uint8_t *)memory;
    struct hostile h;
    h.i = PICK(ints);
    h.u = PICK(uints);
    h.side = PICK(sides);
    h.number = PICK(numbers);
    h.flag = PICK(flags);
    h.data = next_random() % 4 ? bytes : next_random() % 2 ? bytes + 1 : NULL;
    h.length = h.data ? PICK(lengths) : next_random() % 2 * 8;
    if (next_random() % 64 == 0)
        h.length = SIZE_MAX;
    h.text = PICK(texts);
    h.bitmap = next_random() % 4 ? &PICK(bitmaps) : NULL;
    h.target = next_random() % 4 ? &PICK(targets) : NULL;
    h.rectangle = next_random() % 2 ? &rectangle : NULL;
    h.point = next_random() % 2 ? &point : NULL;
    h.object = PICK(handles);
    h.created = next_random() % 8 ? created : next_random() % 2 ? NULL : (uint64_t *)((uint8_t *)created + 1);
    return h;
}

static const void *no_function(void *user_data, const char *name) {
    (void)name;
    ++*(int *)user_data;
    return NULL;
}

static MolehillBool never(void *user_data) {
    (void)user_data;
    return 0;
}

static size_t load_nothing(void *user_data, const char *name, void *bytes, size_t capacity) {
    (void)user_data, (void)name, (void)bytes, (void)capacity;
    return 0;
}

static void store_nothing(void *user_data, const char *name, const void *bytes, size_t length) {
    (void)user_data, (void)name, (void)bytes, (void)length;
}

static MolehillDevice no_device(void *user_data) {
    (void)user_data;
    return (MolehillDevice){0};
}

static void hear(void *user_data, int32_t level, const char *target, const char *message) {
    (void)level;
    *(size_t *)user_data += strlen(target) + strlen(message);
}

static void devices(const struct hostile *h) {
    int asked = 0;
    MolehillMakeCurrent current = {.make_current = h->flag ? never : NULL};
    MolehillDeviceOptions options = {
        .workarounds = h->text, .gles = h->flag, .debug = h->flag, .restore = h->flag, .threads = h->u % 4,
    };
    MolehillProgramCache cache = {.load = h->flag ? load_nothing : NULL, .store = store_nothing};
    MolehillDevice device = {0}, other = DEVICE(h->object);
    SIZED(current);
    SIZED(options);
    SIZED(cache);
    seen(molehill_device_from_loader(
        h->flag ? no_function : NULL, &asked, h->u ? &current : NULL, &options, (void *)h->created));
    seen(molehill_device_software(h->u ? &options : NULL, h->created ? &device : NULL));
    own(device.id);
    seen(molehill_device_invalidate_state(other));
    seen(molehill_device_reset_to_gl_defaults(other));
    seen(molehill_device_make_current(other));
    seen(molehill_device_set_program_cache(other, h->u ? &cache : NULL));
    seen(molehill_device_abandon(other));
    seen(molehill_device_destroy(h->u % 2 ? device : other));
}

static void stages(const struct hostile *h) {
    MolehillStage3D stage = {0};
    MolehillStage3DInfo info;
    MolehillContextOptions granted;
    MolehillStageEvent event = {0};
    MolehillHost host = {
        .has_placement = h->flag, .x = h->number, .stage = {0, 0, h->number, h->number}, .software = h->flag,
        .ignored_limits_memory = h->u, .contents_scale = h->number, .max_back_buffer = h->u, .no_error_texts = h->flag,
    };
    const char *profiles[] = {h->text, "baseline"};
    memset(&granted, 0, sizeof granted);
    SIZED(granted);
    SIZED(event);
    SIZED(host);
    SIZED(info);
    seen(molehill_stage3d_create(h->created ? &stage : NULL));
    for (int round = 0; round < 2; round++) {
        MolehillStage3D on = round ? STAGE(h->object) : stage;
        seen(molehill_stage3d_set_x(on, h->number));
        seen(molehill_stage3d_set_y(on, h->number));
        seen(molehill_stage3d_set_visible(on, h->flag));
        seen(molehill_stage3d_request(on, PICK(texts), h->text, h->flag));
        seen(molehill_stage3d_request_matching(on, h->u ? profiles : NULL, h->u ? 2 : h->length, h->flag));
        seen(molehill_stage3d_info(on, h->flag ? &info : NULL));
        seen(molehill_stage3d_answer(on, DEVICE(PICK(handles)), h->u, h->u, h->flag ? &granted : NULL));
        seen(molehill_stage3d_context_ended(on, CONTEXT(PICK(handles))));
        seen(molehill_stage3d_set_host(on, h->flag ? &host : NULL));
        seen(molehill_stage3d_record(on, RECORDING(PICK(handles)), h->u));
        event.context.id = 0;
        seen(molehill_stage3d_begin_frame(on, DEVICE(PICK(handles)), h->u, h->u, h->flag ? &event : NULL));
        own(event.context.id);
        event.context.id = 0;
        seen(molehill_stage3d_end_frame(on, DEVICE(PICK(handles)), h->u, h->u, h->flag ? &event : NULL));
        own(event.context.id);
    }
    own(stage.id);
    seen(molehill_stage3d_destroy(h->u % 2 ? stage : STAGE(h->object)));
}

/* AGAL without a context. */
static void shaders(const struct hostile *h) {
    static const uint8_t vertex[] = {160, 1, 0, 0, 0, 161, 0, 0, 0, 0, 0, 0, 0, 15, 3, 0, 0, 0, 228, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t fragment[] = {160, 1, 0, 0, 0, 161, 1, 0, 0, 0, 0, 0, 0, 15, 3, 0, 0, 0, 228, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const void *data = h->u % 2 ? vertex : h->data;
    MolehillBinding place = {h->u, h->u};
    MolehillGlslTarget glsl = {.dialect = h->u ? NULL : h->text, .position_bias = (float)h->number, .comments = h->flag};
    MolehillWgslTarget wgsl = {.binding_step = h->u, .vertex_constants = place, .vertex_entry = h->text, .comments = h->flag};
    MolehillAgal agal = {0}, other = {h->object};
    MolehillAgalInfo info;
    MolehillShaders out;
    SIZED(glsl), SIZED(wgsl), SIZED(info), SIZED(out);
    seen(molehill_agal_create(data, data == vertex ? sizeof vertex : h->length, h->i == 2, fragment, sizeof fragment, h->i == 3,
        h->u ? NULL : h->text, h->created ? &agal : NULL));
    seen(molehill_agal_info(h->u == 7 ? other : agal, h->i ? &info : NULL));
    seen(molehill_agal_glsl(h->u == 3 ? other : agal, h->flag ? &glsl : NULL, h->i ? &out : NULL));
    seen(molehill_agal_wgsl(agal, h->flag ? &wgsl : NULL, h->i ? &out : NULL));
    seen(molehill_agal_destroy(agal));
    seen(molehill_agal_destroy(other));
}

/* The arguments of a VM. */
#define TAKE(name, type, ...) \
    static int32_t take_##name(void *user_data, type *value) { \
        const struct hostile *h = user_data; \
        __VA_ARGS__; \
        return (int32_t)(next_random() % 16) - 1; \
    }
TAKE(int, int32_t, *value = h->i)
TAKE(uint, uint32_t, *value = h->u)
TAKE(number, double, *value = h->number)
TAKE(bool, MolehillBool, *value = h->flag)
TAKE(string, const char *, *value = PICK(texts); (void)h)
TAKE(bytes, MolehillBytes, value->data = h->data; value->length = h->length; value->big_endian = h->flag)
TAKE(numbers, MolehillNumbers, value->data = h->data; value->length = h->length / 8)
TAKE(floats, MolehillFloats, value->data = h->data; value->length = h->length / 4)
TAKE(uints, MolehillUints, value->data = h->data; value->length = h->length / 4)
TAKE(matrix, MolehillMatrix, value->raw_data[15] = h->number)
TAKE(rectangle, MolehillRectangle, value->x = value->width = h->number)
TAKE(point, MolehillPoint, value->x = value->y = h->number)
TAKE(bitmap, MolehillBitmap, if (h->bitmap) *value = *h->bitmap)
TAKE(target, MolehillBitmapTarget, if (h->target) *value = *h->target)
TAKE(object, MolehillObject, value->id = PICK(handles); (void)h)
TAKE(strings, MolehillTexts, value->data = h->u % 2 ? &h->text : NULL; value->length = value->data != NULL)

static MolehillBool is_left(void *user_data) {
    (void)user_data;
    return (MolehillBool)(next_random() % 8);
}

/* Every call and property by its name. */
static void by_name(struct hostile *h) {
    MolehillArguments table = {
        0, h, is_left, take_int, take_uint, take_number, take_bool, take_string, take_bytes, take_numbers, take_floats,
        take_uints, take_matrix, take_rectangle, take_point, take_bitmap, take_target, take_object, take_strings, is_left,
    };
    MolehillValue value;
    if (h->u == 3)
        table.next_object = NULL, table.next_int = NULL, table.is_left = NULL;
    SIZED(table);
    SIZED(value);
    const MolehillArguments *arguments = h->u == 7 ? NULL : &table;
    MolehillObject *created = (void *)h->created;
#define ON(class) OBJECT(strcmp(#class, "Context3D") || h->u == 255 ? PICK(handles) : h->context)
#define METHOD(class, name, needed, most, creates) \
    if (strcmp(#name, "dispose") || next_random() % 8 == 0) \
        seen(molehill_call(ON(class), #class, #name, arguments, created));
#define SETTER(class, name) seen(molehill_call(ON(class), #class, #name, arguments, created));
#define PROPERTY(class, name, type, is_static) \
    seen(molehill_property(ON(class), #class, #name, h->flag ? &value : NULL));
    MOLEHILL_METHODS(METHOD)
    MOLEHILL_SETTERS(SETTER)
    MOLEHILL_PROPERTIES(PROPERTY)
    seen(molehill_call(OBJECT(h->object), h->text, "clear", &table, created));
    seen(molehill_property(OBJECT(h->object), "Context3D", h->text, &value));
}

static void recordings(const struct hostile *h, MolehillContext context) {
    MolehillRecordingOptions options = {
        .title = h->text, .swf_version = h->u, .stage_width = h->u, .stage_height = 16, .stage_color = h->u,
        .frame_rate = h->number, .limit = h->length,
    };
    MolehillRecording recording = {0};
    if (next_random() % 2)
        options.swf_version = options.stage_width = 30;
    SIZED(options);
    const char *path = next_random() % 2 ? "/dev/null" : next_random() % 2 ? "/" : NULL;
    seen(molehill_recording_start(path, h->flag ? &options : NULL, h->created ? &recording : NULL));
    MolehillRecording on = h->u % 2 ? recording : RECORDING(h->object);
    seen(molehill_context_record(context, on, h->u, h->text));
    seen(molehill_recording_set_x(on, h->u, h->number));
    seen(molehill_recording_set_y(on, h->u, h->number));
    seen(molehill_recording_set_visible(on, h->u, h->flag));
    seen(molehill_recording_name(on, OBJECT(h->object), h->text));
    seen(molehill_object_set_name(OBJECT(h->object), h->text));
    seen(molehill_recording_marker(on, h->u % 3 ? h->text : NULL));
    seen(molehill_recording_stack(on, h->text));
    seen(molehill_recording_end_frame(on));
    seen(molehill_recording_stop(on));
    own(recording.id);
}

/* A context that would survive a loss. */
static void survivor(const struct hostile *h) {
    MolehillRecovery recovery = {.open = h->flag ? no_device : NULL, .frame_bytes = h->u};
    MolehillContextOptions options = {.swf_version = h->u, .recovery = &recovery};
    MolehillContext context = {0};
    SIZED(recovery);
    SIZED(options);
    seen(molehill_context_create(DEVICE(PICK(handles)), &options, &context));
    seen(molehill_context_configure_back_buffer(context, 50, 50, 0, 1, 0, 0));
    own(context.id);
}

static MolehillBool collect(void *data) {
    (void)data;
    return 1;
}

static void contexts(const struct hostile *h) {
    MolehillContext context = CONTEXT(h->context);
    MolehillContextOptions options = {.profile = h->text, .swf_version = h->u};
    /* Not more: the largest back buffer takes gigabytes. */
    double scale = h->number > 1 ? 2 : h->number;
    MolehillHost host = {
        .has_descriptor = h->flag, .descriptor_depth_and_stencil = h->flag, .has_placement = h->flag, .x = h->number,
        .y = h->number, .stage = rectangle, .no_runtime_compression = h->flag, .no_video_textures = h->flag,
        .software = h->flag, .ignored_limits_memory = h->u, .contents_scale = scale, .ignore_resource_limits = h->flag,
        .max_back_buffer = h->u, .no_error_texts = h->flag,
    };
    MolehillContextInfo info;
    MolehillTextureEvent event;
    MolehillFront front;
    MolehillPlacement place = {0, h->i, h->i, h->u, h->u, h->flag, h->flag};
    MolehillRegion region = {h->u % 5, 1, h->u, 2};
    MolehillPixels out = {0, pixels, sizeof pixels, h->length, h->flag, h->flag, h->u % 2};
    MolehillSize size;
    MolehillPlane plane = {pixels, sizeof pixels, h->length};
    MolehillYuvFrame yuv = {0, h->u % 9, h->u % 9, plane, plane, {NULL, 0, 0}, h->flag};
    uint64_t number;
    MolehillFrontExchange exchange = {h->u};
    const char *arguments[] = {h->text, NULL};
    if (h->u == 7)
        out.pixels = NULL, out.length = h->flag ? 0 : out.length;
    SIZED(options), SIZED(host), SIZED(info), SIZED(event), SIZED(front), SIZED(place), SIZED(out), SIZED(yuv);
    seen(molehill_context_set_options(context, h->flag ? &options : NULL));
    seen(molehill_context_set_host(context, h->flag ? &host : NULL));
    seen(molehill_context_check_position(context, h->number, h->number));
    seen(molehill_context_info(context, h->flag ? &info : NULL));
    seen(molehill_context_take_texture_event(context, h->flag ? &event : NULL));
    seen(molehill_context_collect_released(context));
    seen(molehill_context_set_collector(context, h->flag ? collect : NULL, NULL));
    seen(molehill_context_front(context, h->flag ? &front : NULL));
    seen(molehill_context_present_into_framebuffer(context, 0, h->flag ? &place : NULL));
    seen(molehill_context_present_into_texture(context, h->u, h->flag ? &place : NULL));
    seen(molehill_front_exchange_create(h->flag ? &exchange : NULL));
    seen(molehill_context_publish_front(context, exchange));
    seen(molehill_front_exchange_acquire(exchange, NULL, NULL, h->flag ? &front : NULL));
    seen(molehill_front_exchange_release(exchange));
    seen(molehill_front_exchange_destroy(exchange));
    seen(molehill_context_read_front(context, h->flag ? &region : NULL, h->u ? &out : NULL, h->flag ? &size : NULL));
    seen(molehill_context_read_front_delayed(context, NULL, h->u ? &out : NULL, NULL));
    seen(molehill_object_set_user_data(OBJECT(h->object), 7));
    seen(molehill_video_texture_yuv_frame(TEXTURE(h->object), h->flag ? &yuv : NULL));
    seen(molehill_texture_video_size(TEXTURE(h->object), h->flag ? &size : NULL));
    seen(molehill_object_user_data(OBJECT(h->object), h->flag ? &number : NULL));
    seen(molehill_flash_error(h->u % 2 ? 3600 + h->u % 200 : h->u, h->u ? arguments : NULL, h->u ? 2 : h->length));
    if (next_random() % 8 == 0)
        seen(molehill_object_release(OBJECT(h->object)));
}

/* The objects that later calls use. */
static void objects(MolehillContext context) {
    MolehillTexture texture = {0};
    MolehillVertexBuffer vertices = {0};
    MolehillIndexBuffer indices = {0};
    MolehillProgram program = {0};
    seen(molehill_context_create_texture(context, 8, 8, "bgra", 0, 0, &texture));
    seen(molehill_context_create_vertex_buffer(context, 4, 4, "staticDraw", &vertices));
    seen(molehill_context_create_index_buffer(context, 3, "staticDraw", &indices));
    seen(molehill_context_create_program(context, &program));
    seen(molehill_context_clear(context, NAN, 2, 0, 1, 1, 0, UINT32_MAX));
    seen(molehill_context_draw_triangles(context, indices, 0, 1));
    remember(texture.id);
    remember(vertices.id);
    remember(indices.id);
    remember(program.id);
}

static MolehillContext the_context;
static MolehillTexture the_texture;

static void *elsewhere(void *data) {
    (void)data;
    if (molehill_context_present(the_context) != MOLEHILL_STATUS_WRONG_THREAD)
        fail("a context is used on another thread", 0);
    seen(molehill_object_set_user_data(MOLEHILL_OBJECT(the_texture), 1));
    if (molehill_object_release(MOLEHILL_OBJECT(the_texture)) != MOLEHILL_STATUS_OK)
        fail("a finaliser can't release", 0);
    if (molehill_context_destroy(the_context) != MOLEHILL_STATUS_OK)
        fail("another thread can't destroy", 0);
    return NULL;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 100;
    size_t heard = 0;
    MolehillDevice device;
    MolehillDeviceOptions one_thread = {.struct_size = sizeof one_thread, .threads = 1};
    MolehillContextOptions options = {.struct_size = sizeof options, .profile = "enhanced", .swf_version = 50};
    if (molehill_abi_version() != MOLEHILL_ABI_VERSION)
        fail("another library", (int)molehill_abi_version());
    seen(molehill_set_log(hear, &heard, MOLEHILL_LOG_LEVEL_DEBUG));
    seen(molehill_last_error(NULL));
    seen(molehill_device_software(&one_thread, &device));
    remember(device.id);
    for (int round = 0; round < rounds; round++) {
        MolehillContext context;
        seen(molehill_context_create(device, &options, &context));
        seen(molehill_context_configure_back_buffer(context, 50, 50, 2, 1, 0, 0));
        objects(context);
        for (int turn = 0; turn < 4; turn++) {
            uint64_t created = 0;
            struct hostile h = choose(&created);
            h.context = turn ? context.id : PICK(handles);
            contexts(&h);
            by_name(&h);
            every_call(&h);
            remember(created);
            contexts(&h);
            objects(context);
            stages(&h);
            shaders(&h);
            devices(&h);
            recordings(&h, CONTEXT(h.context));
            survivor(&h);
            if (turn == 2)
                seen(molehill_context_lose(CONTEXT(h.context)));
            /* Out of reach: the device that is used here. */
            for (size_t n = 0; n < COUNT(handles); n++)
                if (handles[n] == device.id)
                    handles[n] = 0;
        }
        own(context.id);
        if (round % 3)
            seen(molehill_context_destroy(context));
    }
    seen(molehill_context_create(device, &options, &the_context));
    seen(molehill_context_create_texture(the_context, 8, 8, "bgra", 0, 0, &the_texture));
    pthread_t thread;
    pthread_create(&thread, NULL, elsewhere, NULL);
    pthread_join(thread, NULL);
    seen(molehill_device_offscreen(NULL, NULL));
    for (size_t n = 0; n < owned_count && n < COUNT(owned); n++) {
        molehill_context_destroy(CONTEXT(owned[n]));
        molehill_device_destroy(DEVICE(owned[n]));
        molehill_stage3d_destroy(STAGE(owned[n]));
        molehill_recording_stop(RECORDING(owned[n]));
    }
    seen(molehill_context_destroy(the_context));
    seen(molehill_device_destroy(device));
    seen(molehill_set_log(NULL, NULL, 0));
    printf("molehill %s: statuses -12 to 3:", molehill_version());
    for (size_t n = 0; n < COUNT(counts); n++)
        printf(" %u", counts[n]);
    printf("; %zu bytes of log\n", heard);
    /* Flash's errors, bad handles and arguments, files, skipped draws, nothing and success were all met. */
    const int met[] = {
        MOLEHILL_STATUS_FLASH_ERROR, MOLEHILL_STATUS_BAD_HANDLE, MOLEHILL_STATUS_BAD_ARGUMENT, MOLEHILL_STATUS_IO,
        MOLEHILL_STATUS_SKIPPED, MOLEHILL_STATUS_NOTHING, MOLEHILL_STATUS_OK, MOLEHILL_STATUS_DEVICE_LOST,
        MOLEHILL_STATUS_THROWN,
    };
    for (size_t n = 0; n < COUNT(met) && rounds >= 100; n++)
        if (!counts[met[n] - MOLEHILL_STATUS_THROWN])
            fail("never met", met[n]);
    return 0;
}

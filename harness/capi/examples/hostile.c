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
    uint64_t *created;
};

static unsigned counts[14];

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
    MolehillError error;
    if (status < MOLEHILL_STATUS_DRIVER - 6 || status > MOLEHILL_STATUS_NOTHING)
        fail("no such status", status);
    counts[status + 11]++;
    if (status >= 0)
        return;
    if (molehill_last_error(&error) != MOLEHILL_STATUS_OK || error.status != status
        || !(*error.message || *error.as3_message))
        fail("an error without a text", status);
    if ((status == MOLEHILL_STATUS_FLASH_ERROR) != (error.number != 0) || !*error.class_name != !error.number)
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

/* Handles: none, invented ones, and then what was made. */
static uint64_t handles[64] = {0, 0, 1, 2, UINT64_MAX, 0x100000001u, 0x300000001u, 1ull << 63};

static uint64_t owned[10000];
static size_t owned_count;

static void remember(uint64_t handle) {
    handles[8 + next_random() % (COUNT(handles) - 8)] = handle;
}

/* What must be freed at the end. */
static void own(uint64_t handle) {
    remember(handle);
    owned[owned_count++ % COUNT(owned)] = handle;
}

static struct hostile choose(uint64_t *created) {
    static const MolehillBitmap bitmaps[] = {
        {4, 4, 1, pixels, sizeof pixels, {0, 0, 0}}, {UINT32_MAX, UINT32_MAX, 1, pixels, sizeof pixels, {0, 0, 0}},
        {4, 4, 1, NULL, 0, {0, 0, 0}},               {4, 4, 1, NULL, 64, {0, 0, 0}},
        {4, 4, 7, pixels, sizeof pixels, {1, 1, 3}},    {0, 0, 0, pixels, 0, {1, 0, SIZE_MAX}},
        {4, 4, 1, pixels, SIZE_MAX, {0, 0, 0}},
    };
    static const MolehillBitmapTarget targets[] = {
        {4, 4, 1, pixels, sizeof pixels, {0, 0, 0}}, {UINT32_MAX, UINT32_MAX, 1, pixels, sizeof pixels, {0, 0, 0}},
        {4, 4, 1, NULL, 0, {0, 0, 0}},               {4, 4, 1, NULL, 64, {0, 0, 0}},
        {4, 4, 7, pixels, sizeof pixels, {1, 1, 3}},    {4, 4, 0, pixels, sizeof pixels, {1, 1, 16}},
    };
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

static void hear(void *user_data, int32_t level, const char *target, const char *message) {
    (void)level;
    *(size_t *)user_data += strlen(target) + strlen(message);
}

static void devices(const struct hostile *h) {
    int asked = 0;
    MolehillMakeCurrent current = {h->flag ? never : NULL, NULL, NULL, NULL};
    MolehillDeviceOptions options = {h->text, h->flag, h->flag, h->flag, h->u % 4};
    MolehillDevice device = 0;
    seen(molehill_device_from_loader(h->flag ? no_function : NULL, &asked, h->u ? &current : NULL, &options, h->created));
    seen(molehill_device_software(h->u ? &options : NULL, h->created ? &device : NULL));
    own(device);
    seen(molehill_device_invalidate_state(h->object));
    seen(molehill_device_reset_to_gl_defaults(h->object));
    seen(molehill_device_make_current(h->object));
    seen(molehill_device_abandon(h->object));
    seen(molehill_device_destroy(h->u % 2 ? device : h->object));
}

static void stages(const struct hostile *h) {
    MolehillStage3D stage = 0;
    MolehillStage3DInfo info;
    MolehillContextOptions granted;
    const char *profiles[] = {h->text, "baseline"};
    seen(molehill_stage3d_create(h->created ? &stage : NULL));
    for (int round = 0; round < 2; round++) {
        uint64_t on = round ? h->object : stage;
        seen(molehill_stage3d_set_x(on, h->number));
        seen(molehill_stage3d_set_y(on, h->number));
        seen(molehill_stage3d_set_visible(on, h->flag));
        seen(molehill_stage3d_request(on, PICK(texts), h->text, h->flag));
        seen(molehill_stage3d_request_matching(on, h->u ? profiles : NULL, h->u ? 2 : h->length, h->flag));
        seen(molehill_stage3d_info(on, h->flag ? &info : NULL));
        seen(molehill_stage3d_answer(on, PICK(handles), h->u, h->u, h->flag ? &granted : NULL));
        seen(molehill_stage3d_context_ended(on, PICK(handles)));
    }
    own(stage);
    seen(molehill_stage3d_destroy(h->u % 2 ? stage : h->object));
}

static void recordings(const struct hostile *h, MolehillContext context) {
    MolehillRecordingOptions options = {h->text, NULL, h->u, h->u, 16, h->u, h->number, h->length};
    MolehillRecording recording = 0;
    if (next_random() % 2)
        options.swf_version = options.stage_width = 30;
    const char *path = next_random() % 2 ? "/dev/null" : next_random() % 2 ? "/" : NULL;
    seen(molehill_recording_start(path, h->flag ? &options : NULL, h->created ? &recording : NULL));
    seen(molehill_context_record(context, h->u % 2 ? recording : h->object, h->u, h->text));
    uint64_t on = h->u % 2 ? recording : h->object;
    seen(molehill_recording_set_x(on, h->u, h->number));
    seen(molehill_recording_set_y(on, h->u, h->number));
    seen(molehill_recording_set_visible(on, h->u, h->flag));
    seen(molehill_recording_name(on, h->object, h->text));
    seen(molehill_recording_marker(on, h->u % 3 ? h->text : NULL));
    seen(molehill_recording_stack(on, h->text));
    seen(molehill_recording_end_frame(on));
    seen(molehill_recording_stop(on));
    own(recording);
}

static void contexts(const struct hostile *h, MolehillContext context) {
    MolehillContextOptions options = {h->text, h->u};
    /* Not more: the largest back buffer takes gigabytes. */
    double scale = h->number > 1 ? 2 : h->number;
    MolehillHost host = {
        0, h->flag, h->flag, h->flag, h->number, h->number, rectangle, h->flag, h->flag, h->flag, h->u, scale, 0,
        h->flag, h->u, h->flag,
    };
    MolehillContextInfo info;
    MolehillTextureEvent event;
    MolehillFront front;
    MolehillPlacement place = {h->i, h->i, h->u, h->u, h->flag, h->flag};
    MolehillRegion region = {h->u % 5, 1, h->u, 2};
    MolehillPixels out = {pixels, sizeof pixels, h->length, h->flag, h->flag};
    MolehillSize size;
    uint64_t number;
    if (h->u == 7)
        out.pixels = NULL;
    seen(molehill_context_set_options(context, h->flag ? &options : NULL));
    seen(molehill_context_set_host(context, h->flag ? &host : NULL));
    seen(molehill_context_check_position(context, h->number, h->number));
    seen(molehill_context_info(context, h->flag ? &info : NULL));
    seen(molehill_context_take_texture_event(context, h->flag ? &event : NULL));
    seen(molehill_context_collect_released(context));
    seen(molehill_context_front(context, h->flag ? &front : NULL));
    seen(molehill_context_present_into_framebuffer(context, 0, h->flag ? &place : NULL));
    seen(molehill_context_present_into_texture(context, h->u, h->flag ? &place : NULL));
    seen(molehill_context_read_front(context, h->flag ? &region : NULL, h->u ? &out : NULL, h->flag ? &size : NULL));
    seen(molehill_context_read_front_delayed(context, NULL, h->u ? &out : NULL, NULL));
    seen(molehill_object_set_user_data(h->object, 7));
    seen(molehill_texture_video_size(context, h->object, h->flag ? &size : NULL));
    seen(molehill_object_user_data(h->object, h->flag ? &number : NULL));
    if (next_random() % 8 == 0)
        seen(molehill_object_release(h->object));
}

/* What later calls find. */
static void objects(MolehillContext context) {
    uint64_t made[4] = {0, 0, 0, 0};
    seen(molehill_context_create_texture(context, 8, 8, "bgra", 0, 0, &made[0]));
    seen(molehill_context_create_vertex_buffer(context, 4, 4, "staticDraw", &made[1]));
    seen(molehill_context_create_index_buffer(context, 3, "staticDraw", &made[2]));
    seen(molehill_context_create_program(context, &made[3]));
    seen(molehill_context_clear(context, NAN, 2, 0, 1, 1, 0, UINT32_MAX));
    seen(molehill_context_draw_triangles(context, made[2], 0, 1));
    for (size_t n = 0; n < COUNT(made); n++)
        remember(made[n]);
}

static uint64_t the_context, the_texture;

static void *elsewhere(void *data) {
    (void)data;
    if (molehill_context_present(the_context) != MOLEHILL_STATUS_WRONG_THREAD)
        fail("a context is used on another thread", 0);
    seen(molehill_object_set_user_data(the_texture, 1));
    if (molehill_object_release(the_texture) != MOLEHILL_STATUS_OK)
        fail("a finaliser can't release", 0);
    return NULL;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 100;
    size_t heard = 0;
    MolehillDevice device;
    MolehillDeviceOptions one_thread = {NULL, 0, 0, 0, 1};
    MolehillContextOptions options = {"enhanced", 50};
    seen(molehill_set_log(hear, &heard, MOLEHILL_LOG_LEVEL_DEBUG));
    seen(molehill_last_error(NULL));
    seen(molehill_device_software(&one_thread, &device));
    remember(device);
    for (int round = 0; round < rounds; round++) {
        MolehillContext context;
        seen(molehill_context_create(device, &options, &context));
        seen(molehill_context_configure_back_buffer(context, 50, 50, 2, 1, 0, 0));
        objects(context);
        for (int turn = 0; turn < 4; turn++) {
            uint64_t created = 0;
            struct hostile h = choose(&created);
            MolehillContext on = turn ? context : PICK(handles);
            contexts(&h, on);
            every_call(on, &h);
            remember(created);
            contexts(&h, on);
            objects(context);
            stages(&h);
            devices(&h);
            recordings(&h, on);
            if (turn == 2)
                seen(molehill_context_lose(on));
            /* Out of reach: the device that is used here. */
            for (size_t n = 0; n < COUNT(handles); n++)
                if (handles[n] == device)
                    handles[n] = 0;
        }
        own(context);
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
        molehill_context_destroy(owned[n]);
        molehill_device_destroy(owned[n]);
        molehill_stage3d_destroy(owned[n]);
        molehill_recording_stop(owned[n]);
    }
    seen(molehill_context_destroy(the_context));
    seen(molehill_device_destroy(device));
    seen(molehill_set_log(NULL, NULL, 0));
    printf("molehill %s: statuses -11 to 2:", molehill_version());
    for (size_t n = 0; n < COUNT(counts); n++)
        printf(" %u", counts[n]);
    printf("; %zu bytes of log\n", heard);
    /* Flash's errors, bad handles and arguments, files, skipped draws, nothing and success were all met. */
    const int met[] = {
        MOLEHILL_STATUS_FLASH_ERROR, MOLEHILL_STATUS_BAD_HANDLE, MOLEHILL_STATUS_BAD_ARGUMENT, MOLEHILL_STATUS_IO,
        MOLEHILL_STATUS_SKIPPED, MOLEHILL_STATUS_NOTHING, MOLEHILL_STATUS_OK, MOLEHILL_STATUS_DEVICE_LOST,
    };
    for (size_t n = 0; n < COUNT(met) && rounds >= 100; n++)
        if (!counts[met[n] + 11])
            fail("never met", met[n]);
    return 0;
}

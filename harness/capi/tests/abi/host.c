/* A host that is built with the header of an earlier version and runs with this library: host VERSION. Uses what 0.2.0 has. */
#include <molehill.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define EXPECT(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *what) {
    fprintf(stderr, "abi/host.c:%d: %s\n", line, what);
    failures++;
}

/* A struct between bytes that nothing may change. */
#define GUARDED(type, name) \
    struct { \
        uint64_t before; \
        type it; \
        uint64_t after; \
    } name; \
    memset(&name, 0, sizeof name); \
    name.before = name.after = 0x5A5A5A5A5A5A5A5A; \
    name.it.struct_size = sizeof name.it
#define UNHURT(name) EXPECT(name.before == 0x5A5A5A5A5A5A5A5A && name.after == name.before && name.it.struct_size == sizeof name.it)

int main(int count, char **arguments) {
    static uint8_t rgba[64 * 64 * 4], bgra[8 * 8 * 4];
    MolehillDevice device = {0};
    MolehillContext context = {0};
    MolehillStage3D stage = {0};
    MolehillTexture texture = {0};
    MolehillSize size = {0, 0};
    GUARDED(MolehillDeviceOptions, device_options);
    GUARDED(MolehillContextOptions, options);
    GUARDED(MolehillContextInfo, info);
    GUARDED(MolehillError, error);
    GUARDED(MolehillHost, host);
    GUARDED(MolehillBitmap, bitmap);
    GUARDED(MolehillPixels, pixels);
    GUARDED(MolehillTextureEvent, event);
    GUARDED(MolehillStage3DInfo, place);
    EXPECT(count == 2 && strcmp(arguments[1], MOLEHILL_VERSION) == 0);
    EXPECT(molehill_abi_version() == MOLEHILL_ABI_VERSION);

    device_options.it.threads = 1;
    EXPECT(molehill_device_software(&device_options.it, &device) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_stage3d_create(&stage) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_stage3d_request(stage, "auto", "baseline", 1) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_stage3d_info(stage, &place.it) == MOLEHILL_STATUS_OK && place.it.requested);
    EXPECT(molehill_stage3d_answer(stage, device, 30, 0, &options.it) == MOLEHILL_STATUS_OK);
    EXPECT(strcmp(options.it.profile, "baseline") == 0 && options.it.swf_version == 30);
    EXPECT(molehill_context_create(device, &options.it, &context) == MOLEHILL_STATUS_OK);
    host.it.max_back_buffer = 100;
    EXPECT(molehill_context_set_host(context, &host.it) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_context_configure_back_buffer(context, 101, 64, 0, 1, 0, 0) == MOLEHILL_STATUS_FLASH_ERROR);
    EXPECT(molehill_last_error(&error.it) == MOLEHILL_STATUS_OK && error.it.number == 3780);
    EXPECT(error.it.error_class == MOLEHILL_ERROR_CLASS_ERROR && strncmp(error.it.as3_message, "Error #3780: ", 13) == 0);
    EXPECT(molehill_context_configure_back_buffer(context, 64, 64, 0, 1, 0, 0) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_context_create_texture(context, 8, 8, "bgra", 0, 0, &texture) == MOLEHILL_STATUS_OK);
    bitmap.it.width = bitmap.it.height = 8;
    bitmap.it.pixels = bgra;
    bitmap.it.length = sizeof bgra;
    EXPECT(molehill_texture_upload_from_bitmap_data_async(texture, &bitmap.it, -1, 0) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_context_take_texture_event(context, &event.it) == MOLEHILL_STATUS_OK);
    EXPECT(event.it.texture.id == texture.id && !event.it.failed && *event.it.message == 0);
    EXPECT(molehill_texture_video_size(texture, &size) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_context_clear(context, 1, 0, 0, 1, 1, 0, 0xFFFFFFFF) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_context_present(context) == MOLEHILL_STATUS_OK);
    pixels.it.pixels = rgba;
    pixels.it.length = sizeof rgba;
    pixels.it.rgba = 1;
    EXPECT(molehill_context_read_front(context, NULL, &pixels.it, &size) == MOLEHILL_STATUS_OK);
    EXPECT(size.width == 64 && rgba[0] == 255 && rgba[1] == 0 && rgba[3] == 255);
    EXPECT(molehill_context_info(context, &info.it) == MOLEHILL_STATUS_OK);
    EXPECT(info.it.back_buffer_width == 64 && info.it.ended == MOLEHILL_ENDED_ALIVE && *info.it.driver_info);
    EXPECT(molehill_object_release(MOLEHILL_OBJECT(texture)) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_texture_dispose(texture) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_flash_error(3694, NULL, 0) == MOLEHILL_STATUS_FLASH_ERROR);
    EXPECT(molehill_context_destroy(context) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_stage3d_destroy(stage) == MOLEHILL_STATUS_OK);
    EXPECT(molehill_device_destroy(device) == MOLEHILL_STATUS_OK);
    UNHURT(device_options), UNHURT(options), UNHURT(info), UNHURT(error), UNHURT(host);
    UNHURT(bitmap), UNHURT(pixels), UNHURT(event), UNHURT(place);
    return failures;
}

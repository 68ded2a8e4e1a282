/* Draws a frame of the demo into a PPM file: demo gl|software FRAME FILE. MOLEHILL_RECORD=FILE records its calls.
   cc demo.c -o demo $(pkg-config --cflags --libs molehill) -lm */
#include <stdio.h>

#include "demo_scene.h"

static int check(MolehillStatus status) {
    MolehillError error = {.struct_size = sizeof error};
    if (status < 0 && molehill_last_error(&error) == MOLEHILL_STATUS_OK)
        fprintf(stderr, "demo: %s\n", error.number ? error.as3_message : error.message);
    return status >= 0;
}

static void hear(void *user_data, int32_t level, const char *target, const char *message) {
    (void)user_data;
    fprintf(stderr, "%d %s: %s\n", (int)level, target, message);
}

/* The picture of the last present, with all its pixels: with MOLEHILL_SCALE, more than the back buffer's. */
static int write_ppm(MolehillContext context, const char *path) {
    MolehillPixels pixels = {.struct_size = sizeof pixels, .rgba = 1, .full_size = 1};
    MolehillSize size = {0};
    FILE *file = NULL;
    int done = check(molehill_context_read_front(context, NULL, &pixels, &size));
    pixels.length = (size_t)size.width * size.height * 4;
    pixels.pixels = malloc(pixels.length);
    done = done && pixels.pixels && check(molehill_context_read_front(context, NULL, &pixels, NULL))
        && (file = fopen(path, "wb"));
    if (done) {
        fprintf(file, "P6\n%u %u\n255\n", (unsigned)size.width, (unsigned)size.height);
        for (size_t at = 0; at < pixels.length; at += 4)
            fwrite(pixels.pixels + at, 1, 3, file);
        done = fclose(file) == 0;
    }
    free(pixels.pixels);
    return done;
}

static int draw_frame(MolehillDevice device, int frame, const char *path) {
    MolehillContextOptions options = {.struct_size = sizeof options, .profile = "baseline", .swf_version = 30};
    MolehillRecordingOptions header = {
        .struct_size = sizeof header, .title = "Molehill demo in C", .generator = "demo.c", .swf_version = 30,
        .stage_width = WIDTH, .stage_height = HEIGHT, .frame_rate = 24,
    };
    MolehillContext context = {0};
    MolehillRecording recording = {0};
    Scene scene;
    int done = check(molehill_context_create(device, &options, &context))
        && check(molehill_recording_start(NULL, &header, &recording))
        && check(molehill_context_record(context, recording, 0, "auto"))
        && check(scene_build(&scene, context))
        && check(scene_draw(&scene, (double)frame / FRAMES))
        && (!recording.id || check(molehill_recording_end_frame(recording)))
        && write_ppm(context, path);
    if (recording.id)
        done = check(molehill_recording_stop(recording)) && done;
    return check(molehill_context_destroy(context)) && done;
}

int main(int count, char **arguments) {
    MolehillDevice device = {0};
    if (count != 4) {
        fprintf(stderr, "demo gl|software FRAME FILE\n");
        return 2;
    }
    int gl = strcmp(arguments[1], "gl") == 0;
    int done = check(molehill_set_log(hear, NULL, MOLEHILL_LOG_LEVEL_WARN))
        && check(gl ? molehill_device_offscreen(NULL, &device) : molehill_device_software(NULL, &device))
        && draw_frame(device, atoi(arguments[2]), arguments[3]);
    check(molehill_device_destroy(device));
    return done ? 0 : 1;
}

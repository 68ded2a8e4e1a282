/* Draws a frame of the demo into a PPM file: demo gl|software FRAME FILE. MOLEHILL_RECORD=FILE records what it calls.
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

static int write_ppm(const char *path, const uint8_t *rgba) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int at = 0; at < WIDTH * HEIGHT; at++)
        fwrite(rgba + at * 4, 1, 3, file);
    return fclose(file) == 0;
}

static int draw_frame(MolehillDevice device, int frame, const char *path) {
    static uint8_t rgba[WIDTH * HEIGHT * 4];
    MolehillPixels pixels = {.struct_size = sizeof pixels, .pixels = rgba, .length = sizeof rgba, .rgba = 1};
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
        && check(molehill_context_read_front(context, NULL, &pixels, NULL))
        && write_ppm(path, rgba);
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

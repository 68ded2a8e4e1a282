/* The smallest host: a red picture, into memory.
   cc minimal.c -o minimal $(pkg-config --cflags --libs molehill) */
#include <molehill.h>
#include <stdio.h>

static int check(MolehillStatus status) {
    MolehillError error = {.struct_size = sizeof error};
    if (status < 0 && molehill_last_error(&error) == MOLEHILL_STATUS_OK)
        fprintf(stderr, "%s%s\n", error.as3_message, error.number ? "" : error.message);
    return status >= 0;
}

int main(void) {
    static uint8_t rgba[64 * 64 * 4];
    MolehillPixels pixels = {.struct_size = sizeof pixels, .pixels = rgba, .length = sizeof rgba, .rgba = 1};
    MolehillContextOptions options = {.struct_size = sizeof options, .profile = "baseline", .swf_version = 30};
    MolehillDevice device = {0};
    MolehillContext context = {0};
    int done = check(molehill_device_software(NULL, &device))
        && check(molehill_context_create(device, &options, &context))
        && check(molehill_context_configure_back_buffer(context, 64, 64, 0, 1, 0, 0))
        && check(molehill_context_clear(context, 1, 0, 0, 1, 1, 0, 0xFFFFFFFF))
        && check(molehill_context_present(context))
        && check(molehill_context_read_front(context, NULL, &pixels, NULL));
    molehill_context_destroy(context);
    molehill_device_destroy(device);
    return done && rgba[0] == 255 && rgba[1] == 0 ? 0 : 1;
}

/* AGAL without a context: prints the interface, the GLSL and the WGSL of a pair of programs, and why Flash refuses another.
   cc shaders.c -o shaders $(pkg-config --cflags --libs molehill) */
#include <molehill.h>
#include <stdio.h>
#include <string.h>

#include "demo_programs.h"

static int check(MolehillStatus status) {
    MolehillError error = {.struct_size = sizeof error};
    if (status < 0 && molehill_last_error(&error) == MOLEHILL_STATUS_OK)
        printf("%s: %s%s, token %u\n", error.class_name, error.as3_message, error.number ? "" : error.message, error.token);
    return status >= 0;
}

static void print_registers(const char *what, const char *name, const uint32_t *bits, unsigned count) {
    printf("%s:", what);
    for (unsigned n = 0; n < count; n++)
        if (bits[n / 32] >> n % 32 & 1)
            printf(" %s%u", name, n);
    printf("\n");
}

static void print_interface(const MolehillAgalInfo *info) {
    printf("AGAL %u%s%s\n", info->version, info->depth_output ? ", depth" : "", info->derivatives ? ", derivatives" : "");
    print_registers("attributes", "va", &info->attributes, 8);
    print_registers("vertex constants", "vc", info->vertex_constants_read, info->vertex_constants);
    print_registers("varyings", "v", &info->varyings, 10);
    print_registers("fragment constants", "fc", info->fragment_constants_read, info->fragment_constants);
    print_registers("outputs", "fo", &info->color_outputs, 4);
    for (unsigned n = 0; n < 16; n++) {
        const MolehillSampler *it = &info->fragment_samplers[n];
        if (it->used)
            printf("fs%u: %s, %s, %s, %s, %s\n", n, it->cube ? "cube" : "2d", it->format, it->wrap, it->filter, it->mip);
    }
}

int main(void) {
    uint8_t wrong[sizeof floor_vertex];
    MolehillAgalInfo info = {.struct_size = sizeof info};
    MolehillGlslTarget gles = {.struct_size = sizeof gles, .dialect = "300es"};
    MolehillShaders shaders = {.struct_size = sizeof shaders};
    MolehillAgal agal = {0}, none = {0};
    int done = check(molehill_agal_create(
            floor_vertex, sizeof floor_vertex, 0, floor_fragment, sizeof floor_fragment, 0, "baseline", &agal))
        && check(molehill_agal_info(agal, &info)) && check(molehill_agal_glsl(agal, &gles, &shaders));
    if (done) {
        print_interface(&info);
        printf("%s\n%s\n", shaders.vertex, shaders.fragment);
    }
    if (done && (done = check(molehill_agal_wgsl(agal, NULL, &shaders))))
        printf("%s\n%s\n", shaders.vertex, shaders.fragment);
    memcpy(wrong, floor_vertex, sizeof wrong);
    wrong[7 + 24] = 0xFF; /* the opcode of the second instruction */
    done &= !check(molehill_agal_create(wrong, sizeof wrong, 0, floor_fragment, sizeof floor_fragment, 0, NULL, &none));
    return check(molehill_agal_destroy(agal)) && done ? 0 : 1;
}

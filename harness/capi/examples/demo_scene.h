/* The demo's scene, as harness/examples/demo has it in Rust: a woven torus knot over a mirror floor. Everything is generated. */
#include <math.h>
#include <molehill.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demo_programs.h"

#ifndef WIDTH
#define WIDTH 640
#define HEIGHT 400
#define MIRROR_SIDE 512
#endif
#define FRAMES 48
#define TAU 6.28318530717958647692
#define SEGMENTS 168
#define SIDES 16
#define SPARKS 14

typedef struct {
    double x, y, z;
} Vec3;

typedef struct {
    double m[16];
} Mat4;

typedef struct {
    MolehillVertexBuffer vertices;
    MolehillIndexBuffer indices;
} Mesh;

typedef struct {
    MolehillContext context;
    /* The first status that was an error. */
    MolehillStatus status;
    MolehillProgram knot_program, floor_program, backdrop_program, sparks_program;
    Mesh knot, floor, backdrop, sparks;
    MolehillTexture metal, tiles, mirror;
} Scene;

static void did(Scene *scene, MolehillStatus status) {
    if (status < 0 && scene->status >= 0)
        scene->status = status;
}

static Vec3 vec3(double x, double y, double z) {
    Vec3 v = {x, y, z};
    return v;
}
static Vec3 add(Vec3 a, Vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static Vec3 sub(Vec3 a, Vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static Vec3 scale(Vec3 a, double by) { return vec3(a.x * by, a.y * by, a.z * by); }
static double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec3 normalize(Vec3 a) { return scale(a, 1.0 / sqrt(dot(a, a))); }
static Vec3 cross(Vec3 a, Vec3 b) { return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

static Mat4 columns(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    Mat4 m = {{a.x, a.y, a.z, 0, b.x, b.y, b.z, 0, c.x, c.y, c.z, 0, d.x, d.y, d.z, 1}};
    return m;
}

/* Applies b first. */
static Mat4 mul(Mat4 a, Mat4 b) {
    Mat4 m;
    for (int at = 0; at < 16; at++) {
        m.m[at] = 0;
        for (int k = 0; k < 4; k++)
            m.m[at] += a.m[k * 4 + at % 4] * b.m[at / 4 * 4 + k];
    }
    return m;
}

static Mat4 look_at(Vec3 eye, Vec3 target) {
    Vec3 f = normalize(sub(target, eye)), r = normalize(cross(vec3(0, 1, 0), f)), u = cross(f, r);
    return columns(vec3(r.x, u.x, f.x), vec3(r.y, u.y, f.y), vec3(r.z, u.z, f.z), vec3(-dot(r, eye), -dot(u, eye), -dot(f, eye)));
}

static Mat4 perspective(double angle, double aspect, double near_z, double far_z) {
    double y = 1.0 / tan(angle / 2.0), depth = far_z / (far_z - near_z);
    Mat4 m = {{y / aspect, 0, 0, 0, 0, y, 0, 0, 0, 0, depth, 1, 0, 0, -near_z * depth, 0}};
    return m;
}

static Mesh mesh(Scene *scene, const float *vertices, int count, int stride, const uint16_t *indices, int index_count) {
    Mesh made = {{0}, {0}};
    MolehillContext c = scene->context;
    did(scene, molehill_context_create_vertex_buffer(c, count, stride, "staticDraw", &made.vertices));
    did(scene, molehill_vertex_buffer_upload_from_byte_array(
        made.vertices, vertices, sizeof(float) * (size_t)count * (size_t)stride, 0, 0, count));
    did(scene, molehill_context_create_index_buffer(c, index_count, "staticDraw", &made.indices));
    did(scene, molehill_index_buffer_upload_from_byte_array(
        made.indices, indices, sizeof(uint16_t) * (size_t)index_count, 0, 0, index_count));
    return made;
}

/* The (2, 3) torus knot's centre line. */
static Vec3 knot_center(double turn) {
    double angle = turn * TAU, radius = 1.15 + 0.5 * cos(3 * angle);
    return vec3(radius * cos(2 * angle), 0.62 * sin(3 * angle), radius * sin(2 * angle));
}

static Mesh knot_mesh(Scene *scene) {
    static float vertices[(SEGMENTS + 1) * (SIDES + 1) * 8];
    static uint16_t indices[SEGMENTS * SIDES * 6];
    float *v = vertices;
    uint16_t *i = indices;
    for (int segment = 0; segment <= SEGMENTS; segment++) {
        double turn = (double)segment / SEGMENTS;
        Vec3 center = knot_center(turn);
        Vec3 tangent = normalize(sub(knot_center(turn + 1e-4), knot_center(turn - 1e-4)));
        Vec3 side = normalize(cross(tangent, center)), up = cross(side, tangent);
        for (int around = 0; around <= SIDES; around++) {
            double t = (double)around / SIDES;
            Vec3 n = add(scale(side, cos(t * TAU)), scale(up, sin(t * TAU))), p = add(center, scale(n, 0.34));
            double vertex[8] = {p.x, p.y, p.z, n.x, n.y, n.z, turn * 24.0, t * 3.0};
            for (int k = 0; k < 8; k++)
                *v++ = (float)vertex[k];
        }
    }
    for (int segment = 0; segment < SEGMENTS; segment++)
        for (int around = 0; around < SIDES; around++) {
            int a = segment * (SIDES + 1) + around, b = a + 1, c = a + SIDES + 1, d = c + 1;
            int corners[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; k++)
                *i++ = (uint16_t)corners[k];
        }
    return mesh(scene, vertices, (SEGMENTS + 1) * (SIDES + 1), 8, indices, SEGMENTS * SIDES * 6);
}

static Mesh sparks_mesh(Scene *scene) {
    static const float xs[4] = {-1, 1, 1, -1}, ys[4] = {1, 1, -1, -1};
    static const uint16_t corners[6] = {0, 1, 2, 0, 2, 3};
    static float vertices[SPARKS * 4 * 5];
    static uint16_t indices[SPARKS * 6];
    for (int spark = 0; spark < SPARKS; spark++) {
        for (int k = 0; k < 4; k++) {
            float vertex[5] = {xs[k], ys[k], xs[k] * 0.11f, ys[k] * 0.11f, (float)spark};
            memcpy(vertices + (spark * 4 + k) * 5, vertex, sizeof vertex);
        }
        for (int k = 0; k < 6; k++)
            indices[spark * 6 + k] = (uint16_t)(spark * 4 + corners[k]);
    }
    return mesh(scene, vertices, SPARKS * 4, 5, indices, SPARKS * 6);
}

static double wave(double t) { return sin(t * TAU); }

static double noise(double x, double y) {
    return (wave(x * 0.731 + y * 0.317) + wave(x * 1.913 - y * 1.271) + wave(x * 0.411 + y * 2.777)) / 3.0;
}

/* Bands of copper and verdigris, woven at an angle. */
static void metal(double u, double v, double *rgb) {
    static const double copper[3] = {0.86, 0.44, 0.2}, verdigris[3] = {0.16, 0.56, 0.5};
    double weave = fabs(wave(u * 4 + v * 2) * wave(v * 4 - u * 2)), grain = 0.06 * noise(u * 61, v * 7);
    double groove = fabs(wave(u * 8)) < 0.12 || fabs(wave(v * 8)) < 0.12 ? 0.55 : 1.0;
    for (int k = 0; k < 3; k++)
        rgb[k] = (copper[k] + (verdigris[k] - copper[k]) * weave + grain) * groove;
}

/* Two by two floor tiles with a bevelled joint. */
static void tiles(double u, double v, double *rgb) {
    static const double dark[3] = {0.17, 0.19, 0.24}, light[3] = {0.34, 0.36, 0.42};
    double eu = fabs(fmod(u * 2, 1) - 0.5), ev = fabs(fmod(v * 2, 1) - 0.5);
    const double *base = (u < 0.5) != (v < 0.5) ? dark : light;
    for (int k = 0; k < 3; k++)
        rgb[k] = (base[k] + 0.035 * noise(u * 23, v * 23)) * ((eu > ev ? eu : ev) > 0.47 ? 0.45 : 1.0);
}

/* A texture with all its levels, each the average of four texels of the one before. */
static MolehillTexture mipmapped(Scene *scene, int side, void (*color)(double, double, double *)) {
    static uint8_t bgra[128 * 128 * 4];
    MolehillTexture texture = {0};
    did(scene, molehill_context_create_texture(scene->context, side, side, "bgra", 0, 0, &texture));
    for (int at = 0; at < side * side; at++) {
        double rgb[3];
        color((at % side + 0.5) / side, (at / side + 0.5) / side, rgb);
        for (int k = 0; k < 3; k++)
            bgra[at * 4 + 2 - k] = (uint8_t)round(fmin(fmax(rgb[k], 0.0), 1.0) * 255.0);
        bgra[at * 4 + 3] = 255;
    }
    for (uint32_t level = 0;; level++, side /= 2) {
        MolehillBitmap bitmap;
        memset(&bitmap, 0, sizeof bitmap);
        bitmap.struct_size = sizeof bitmap;
        bitmap.width = bitmap.height = (uint32_t)side;
        bitmap.pixels = bgra;
        bitmap.length = (size_t)side * (size_t)side * 4;
        did(scene, molehill_texture_upload_from_bitmap_data(texture, &bitmap, -1, level));
        if (side == 1)
            return texture;
        /* In place: what is read lies behind what is written. */
        for (int at = 0; at < side * side; at++) {
            int row = side * 4, half = side / 2 * 4, from = at / half * 2 * row + at % half / 4 * 8 + at % 4;
            bgra[at] = (uint8_t)((bgra[from] + bgra[from + 4] + bgra[from + row] + bgra[from + row + 4] + 2) / 4);
        }
    }
}

static MolehillProgram program(Scene *scene, const uint8_t *vertex, size_t vertex_bytes, const uint8_t *fragment, size_t fragment_bytes) {
    MolehillProgram made = {0};
    did(scene, molehill_context_create_program(scene->context, &made));
    did(scene, molehill_program_upload(made, vertex, vertex_bytes, 0, fragment, fragment_bytes, 0));
    return made;
}

#define PROGRAM(scene, name) program(scene, name##_vertex, sizeof name##_vertex, name##_fragment, sizeof name##_fragment)

static MolehillStatus scene_build(Scene *scene, MolehillContext context) {
    static const float floor_vertices[] = {
        -9, 0, 9, -12, 12, 9, 0, 9, 12, 12, 9, 0, -9, 12, -12, -9, 0, -9, -12, -12,
    };
    static const float backdrop_vertices[] = {
        -1, 1, 0.02f, 0.03f, 0.07f, 1, 1, 0.02f, 0.03f, 0.07f, 1, -1, 0.16f, 0.2f, 0.3f, -1, -1, 0.16f, 0.2f, 0.3f,
    };
    static const uint16_t quad[] = {0, 1, 2, 0, 2, 3};
    memset(scene, 0, sizeof *scene);
    scene->context = context;
    did(scene, molehill_context_configure_back_buffer(context, WIDTH, HEIGHT, 4, 1, 0, 0));
    scene->knot_program = PROGRAM(scene, knot);
    scene->floor_program = PROGRAM(scene, floor);
    scene->backdrop_program = PROGRAM(scene, backdrop);
    scene->sparks_program = PROGRAM(scene, sparks);
    scene->knot = knot_mesh(scene);
    scene->floor = mesh(scene, floor_vertices, 4, 5, quad, 6);
    scene->backdrop = mesh(scene, backdrop_vertices, 4, 5, quad, 6);
    scene->sparks = sparks_mesh(scene);
    scene->metal = mipmapped(scene, 128, metal);
    scene->tiles = mipmapped(scene, 64, tiles);
    did(scene, molehill_context_create_texture(context, MIRROR_SIDE, MIRROR_SIDE, "bgra", 1, 0, &scene->mirror));
    return scene->status;
}

/* How something is drawn. */
typedef struct {
    MolehillProgram program;
    MolehillTexture texture, mirror;
    const char *cull;
    MolehillBool depth_mask;
    const char *compare, *source, *destination;
    const char *formats[3];
} Material;

static void draw(Scene *scene, Mesh mesh, Material it) {
    const MolehillVertexBuffer none = {0};
    const MolehillTexture no_texture = {0};
    MolehillContext c = scene->context;
    did(scene, molehill_context_set_program(c, it.program));
    did(scene, molehill_context_set_texture_at(c, 0, it.texture));
    did(scene, molehill_context_set_texture_at(c, 1, it.mirror));
    did(scene, molehill_context_set_culling(c, it.cull));
    did(scene, molehill_context_set_depth_test(c, it.depth_mask, it.compare));
    did(scene, molehill_context_set_blend_factors(c, it.source, it.destination));
    int offset = 0;
    for (int n = 0; n < 3; n++) {
        const char *format = it.formats[n] ? it.formats[n] : "float4";
        did(scene, molehill_context_set_vertex_buffer_at(c, n, it.formats[n] ? mesh.vertices : none, it.formats[n] ? offset : 0, format));
        offset += format[5] - '0';
    }
    did(scene, molehill_context_draw_triangles(c, mesh.indices, 0, -1));
    did(scene, molehill_context_set_texture_at(c, 1, no_texture));
}

static void matrix(Scene *scene, int32_t first, Mat4 m) {
    did(scene, molehill_context_set_program_constants_from_matrix(scene->context, "vertex", first, m.m, 1));
}

static void draw_knot(Scene *scene, Mat4 model, Mat4 view_projection, const char *cull) {
    Material it = {scene->knot_program, scene->metal, {0}, cull, 1, "less", "one", "zero", {"float3", "float3", "float2"}};
    matrix(scene, 0, model);
    matrix(scene, 4, view_projection);
    draw(scene, scene->knot, it);
}

static void draw_sparks(Scene *scene, Mat4 view, Mat4 projection, double turn) {
    Material it = {scene->sparks_program, {0}, {0}, "none", 0, "less", "one", "one", {"float2", "float3", NULL}};
    double places[SPARKS * 4];
    for (int spark = 0; spark < SPARKS; spark++) {
        double phase = (double)spark / SPARKS * TAU, angle = phase + turn;
        double height = 0.55 * sin(3 * phase + 2 * turn);
        double place[4] = {2.45 * cos(angle), 1.75 + (height - 0.35), 2.45 * sin(angle), 1};
        memcpy(places + spark * 4, place, sizeof place);
    }
    matrix(scene, 0, view);
    matrix(scene, 4, projection);
    did(scene, molehill_context_set_program_constants_from_vector(scene->context, "vertex", 8, places, SPARKS * 4, SPARKS));
    draw(scene, scene->sparks, it);
}

/* One frame; `time` from 0 to 1 is one loop. */
static MolehillStatus scene_draw(Scene *scene, double time) {
    MolehillContext c = scene->context;
    double turn = time * TAU, s = sin(0.5 + 0.2 * sin(turn)), k = cos(0.5 + 0.2 * sin(turn));
    Vec3 eye = vec3(1.5 * sin(turn), 2.9 + 0.35 * cos(turn), -5.9), light = normalize(vec3(0.45, 0.8, -0.55)), zero = vec3(0, 0, 0);
    Mat4 view = look_at(eye, vec3(0, 1.25, 0)), projection = perspective(0.82, (double)WIDTH / HEIGHT, 0.5, 40.0);
    Mat4 mirror = columns(vec3(1, 0, 0), vec3(0, -1, 0), vec3(0, 0, 1), zero);
    Mat4 place = columns(vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1), vec3(0, 1.75, 0));
    Mat4 around_y = columns(vec3(cos(turn / 2), 0, -sin(turn / 2)), vec3(0, 1, 0), vec3(sin(turn / 2), 0, cos(turn / 2)), zero);
    Mat4 around_x = columns(vec3(1, 0, 0), vec3(0, k, s), vec3(0, -s, k), zero);
    Mat4 model = mul(place, mul(around_y, around_x));
    const double constants[9 * 4] = {
        light.x, light.y, light.z, 0, eye.x, eye.y, eye.z, 42, 0.95, 0.9, 0.82, 1, 0.17, 0.19, 0.26, 0.75, 0.3, 0.42, 0.7, 0,
        0.5, -0.5, 0.5, 1.2 / MIRROR_SIDE, 0.11, 0.115, 0.125, 0, 1.0 / 46.0, 1, 0, 0, 1, 0.72, 0.35, 1,
    };
    Material backdrop = {scene->backdrop_program, {0}, {0}, "none", 0, "always", "one", "zero", {"float2", "float3", NULL}};
    Material ground = {
        scene->floor_program, scene->tiles, scene->mirror, "back", 1, "less", "sourceAlpha", "oneMinusSourceAlpha", {"float3", "float2", NULL},
    };
    did(scene, molehill_context_set_program_constants_from_vector(c, "fragment", 0, constants, 9 * 4, 9));
    did(scene, molehill_context_set_render_to_texture(c, scene->mirror, 1, 0, 0, 0));
    did(scene, molehill_context_clear(c, 0, 0, 0, 0, 1, 0, UINT32_MAX));
    /* Mirroring reverses the winding. */
    draw_knot(scene, mul(mirror, model), mul(projection, view), "front");
    draw_sparks(scene, mul(view, mirror), projection, turn);
    did(scene, molehill_context_set_render_to_back_buffer(c));
    did(scene, molehill_context_clear(c, 0, 0, 0, 1, 1, 0, UINT32_MAX));
    draw(scene, scene->backdrop, backdrop);
    matrix(scene, 4, mul(projection, view));
    draw(scene, scene->floor, ground);
    draw_knot(scene, model, mul(projection, view), "back");
    draw_sparks(scene, view, projection, turn);
    did(scene, molehill_context_present(c));
    return scene->status;
}

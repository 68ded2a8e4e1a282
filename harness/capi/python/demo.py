"""The demo in Python: demo.py gl|software FRAME FILE.png. MOLEHILL_LIBRARY is the library, if it is not installed."""

import math
import struct
import sys
import zlib
from ctypes import c_double, c_float, c_ubyte, c_uint16
from pathlib import Path

import molehill as m

WIDTH, HEIGHT, MIRROR_SIDE, FRAMES, TAU = 640, 400, 512, 48, math.tau
SEGMENTS, SIDES, SPARKS = 168, 16, 14


def programs(path):
    """AGAL of the demo, by name, from the header that the demo in C includes."""
    lines = path.read_text().replace("\n", "").split("static const uint8_t ")[1:]
    parts = (line.split("[] = {") for line in lines)
    return {name: bytes(int(byte) for byte in code.split("}")[0].split(",") if byte.strip()) for name, code in parts}


def add(*vectors): return [sum(parts) for parts in zip(*vectors)]
def scale(a, by): return [part * by for part in a]
def sub(a, b): return add(a, scale(b, -1))
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def normalize(a): return scale(a, 1 / math.sqrt(dot(a, a)))
def cross(a, b): return [a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3] for n in range(3)]
def columns(*vectors): return [n for vector, w in zip(vectors, (0, 0, 0, 1)) for n in (*vector, w)]
def mul(a, b): return [sum(a[k * 4 + at % 4] * b[at // 4 * 4 + k] for k in range(4)) for at in range(16)]
def wave(t): return math.sin(t * TAU)


def look_at(eye, target):
    f = normalize(sub(target, eye))
    r = normalize(cross([0, 1, 0], f))
    u = cross(f, r)
    return columns(*zip(r, u, f), [-dot(axis, eye) for axis in (r, u, f)])


def perspective(angle, aspect, near, far):
    y, depth = 1 / math.tan(angle / 2), far / (far - near)
    return [y / aspect, 0, 0, 0, 0, y, 0, 0, 0, 0, depth, 1, 0, 0, -near * depth, 0]


def noise(x, y):
    return (wave(x * 0.731 + y * 0.317) + wave(x * 1.913 - y * 1.271) + wave(x * 0.411 + y * 2.777)) / 3


def metal(u, v):
    """Bands of copper and verdigris, woven at an angle."""
    weave, grain = abs(wave(u * 4 + v * 2) * wave(v * 4 - u * 2)), 0.06 * noise(u * 61, v * 7)
    groove = 0.55 if abs(wave(u * 8)) < 0.12 or abs(wave(v * 8)) < 0.12 else 1
    return [(a + (b - a) * weave + grain) * groove for a, b in zip((0.86, 0.44, 0.2), (0.16, 0.56, 0.5))]


def tiles(u, v):
    """Two by two floor tiles with a bevelled joint."""
    edge = max(abs(math.fmod(t * 2, 1) - 0.5) for t in (u, v))
    base = (0.17, 0.19, 0.24) if (u < 0.5) != (v < 0.5) else (0.34, 0.36, 0.42)
    return [(part + 0.035 * noise(u * 23, v * 23)) * (0.45 if edge > 0.47 else 1) for part in base]


def knot_center(turn):
    angle = turn * TAU
    radius = 1.15 + 0.5 * math.cos(3 * angle)
    return [radius * math.cos(2 * angle), 0.62 * math.sin(3 * angle), radius * math.sin(2 * angle)]


def knot_mesh():
    vertices, indices = [], []
    for turn in (segment / SEGMENTS for segment in range(SEGMENTS + 1)):
        center = knot_center(turn)
        tangent = normalize(sub(knot_center(turn + 1e-4), knot_center(turn - 1e-4)))
        side = normalize(cross(tangent, center))
        up = cross(side, tangent)
        for t in (around / SIDES for around in range(SIDES + 1)):
            n = add(scale(side, math.cos(t * TAU)), scale(up, math.sin(t * TAU)))
            vertices += [*add(center, scale(n, 0.34)), *n, turn * 24, t * 3]
    for a in (segment * (SIDES + 1) + around for segment in range(SEGMENTS) for around in range(SIDES)):
        c = a + SIDES + 1
        indices += [a, c, a + 1, a + 1, c, c + 1]
    return vertices, 8, indices


def quads(corners, stride):
    indices = [quad + corner for quad in range(0, len(corners) // stride, 4) for corner in (0, 1, 2, 0, 2, 3)]
    return corners, stride, indices


class Scene:
    def __init__(self, context):
        self.context = context
        m.context_configure_back_buffer(context, WIDTH, HEIGHT, 4, 1, 0, 0)
        code = programs(Path(__file__).parent.parent / "examples" / "demo_programs.h")
        names = ("knot", "floor", "backdrop", "sparks")
        self.programs = {name: self.program(code[name + "_vertex"], code[name + "_fragment"]) for name in names}
        corner = ((-1, 1), (1, 1), (1, -1), (-1, -1))
        sparks = [n for at in range(SPARKS) for x, y in corner for n in (x, y, x * 0.11, y * 0.11, at)]
        meshes = (
            knot_mesh(),
            quads([-9, 0, 9, -12, 12, 9, 0, 9, 12, 12, 9, 0, -9, 12, -12, -9, 0, -9, -12, -12], 5),
            quads([-1, 1, 0.02, 0.03, 0.07, 1, 1, 0.02, 0.03, 0.07, 1, -1, 0.16, 0.2, 0.3, -1, -1, 0.16, 0.2, 0.3], 5),
            quads(sparks, 5),
        )
        self.meshes = {name: self.mesh(*mesh) for name, mesh in zip(names, meshes)}
        self.metal, self.tiles = self.mipmapped(128, metal), self.mipmapped(64, tiles)
        self.mirror = m.context_create_texture(context, MIRROR_SIDE, MIRROR_SIDE, "bgra", 1, 0)

    def program(self, vertex, fragment):
        program = m.context_create_program(self.context)
        m.program_upload(program, *m.data(vertex), 0, *m.data(fragment), 0)
        return program

    def mesh(self, vertices, stride, indices):
        count, floats = len(vertices) // stride, bytes((c_float * len(vertices))(*vertices))
        buffer = m.context_create_vertex_buffer(self.context, count, stride, "staticDraw")
        m.vertex_buffer_upload_from_byte_array(buffer, *m.data(floats), 0, 0, count)
        order = m.context_create_index_buffer(self.context, len(indices), "staticDraw")
        numbers = bytes((c_uint16 * len(indices))(*indices))
        m.index_buffer_upload_from_byte_array(order, *m.data(numbers), 0, 0, len(indices))
        return buffer, order

    def mipmapped(self, side, color):
        """A texture with all its levels, each the average of four texels of the one before."""
        texture = m.context_create_texture(self.context, side, side, "bgra", 0, 0)
        places = ((x, y) for y in range(side) for x in range(side))
        texels = [
            [math.floor(min(max(part, 0), 1) * 255 + 0.5) for part in reversed(color((x + 0.5) / side, (y + 0.5) / side))] + [255]
            for x, y in places
        ]
        level = 0
        while True:
            memory = (c_ubyte * (side * side * 4))(*(byte for texel in texels for byte in texel))
            address = m.cast(memory, m.c_void_p)
            bitmap = m.Bitmap(width=side, height=side, pixels=address, length=len(memory))
            m.texture_upload_from_bitmap_data(texture, m.byref(bitmap), -1, level)
            if side == 1:
                return texture
            corners = [y * side + x for y in range(0, side, 2) for x in range(0, side, 2)]
            fours = ((texels[at], texels[at + 1], texels[at + side], texels[at + side + 1]) for at in corners)
            texels = [[(sum(parts) + 2) // 4 for parts in zip(*four)] for four in fours]
            side, level = side // 2, level + 1

    def constants(self, stage, first, numbers):
        array = (c_double * len(numbers))(*numbers)
        m.context_set_program_constants_from_vector(self.context, stage, first, *m.data(array), len(numbers) // 4)

    def matrix(self, first, numbers):
        m.context_set_program_constants_from_matrix(self.context, "vertex", first, (c_double * 16)(*numbers), 1)

    def draw(self, name, textures, cull, depth_mask, compare, factors, formats):
        c, (vertices, indices), nothing = self.context, self.meshes[name], m.Texture()
        m.context_set_program(c, self.programs[name])
        for sampler, texture in enumerate((*textures, nothing, nothing)[:2]):
            m.context_set_texture_at(c, sampler, texture)
        m.context_set_culling(c, cull)
        m.context_set_depth_test(c, depth_mask, compare)
        m.context_set_blend_factors(c, *factors)
        offset = 0
        for n in range(3):
            used = n < len(formats)
            buffer = vertices if used else m.VertexBuffer()
            m.context_set_vertex_buffer_at(c, n, buffer, offset if used else 0, formats[n] if used else "float4")
            offset += int(formats[n][5]) if used else 0
        m.context_draw_triangles(c, indices, 0, -1)
        m.context_set_texture_at(c, 1, nothing)

    def draw_knot(self, model, view_projection, cull):
        self.matrix(0, model)
        self.matrix(4, view_projection)
        self.draw("knot", [self.metal], cull, 1, "less", ("one", "zero"), ("float3", "float3", "float2"))

    def draw_sparks(self, view, projection, turn):
        places = []
        for phase in (spark / SPARKS * TAU for spark in range(SPARKS)):
            height = 0.55 * math.sin(3 * phase + 2 * turn)
            places += [2.45 * math.cos(phase + turn), 1.75 + (height - 0.35), 2.45 * math.sin(phase + turn), 1]
        self.matrix(0, view)
        self.matrix(4, projection)
        self.constants("vertex", 8, places)
        self.draw("sparks", [], "none", 0, "less", ("one", "one"), ("float2", "float3"))

    def frame(self, time):
        """One frame; `time` from 0 to 1 is one loop."""
        c, turn = self.context, time * TAU
        tilt = 0.5 + 0.2 * math.sin(turn)
        s, k = math.sin(tilt), math.cos(tilt)
        eye, light = [1.5 * math.sin(turn), 2.9 + 0.35 * math.cos(turn), -5.9], normalize([0.45, 0.8, -0.55])
        view, projection = look_at(eye, [0, 1.25, 0]), perspective(0.82, WIDTH / HEIGHT, 0.5, 40)
        x, y, z, zero = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]
        half = [math.cos(turn / 2), math.sin(turn / 2)]
        around_y = columns([half[0], 0, -half[1]], y, [half[1], 0, half[0]], zero)
        around_x = columns(x, [0, k, s], [0, -s, k], zero)
        model = mul(columns(x, y, z, [0, 1.75, 0]), mul(around_y, around_x))
        mirror, view_projection = columns(x, [0, -1, 0], z, zero), mul(projection, view)
        colors = [0.95, 0.9, 0.82, 1, 0.17, 0.19, 0.26, 0.75, 0.3, 0.42, 0.7, 0, 0.5, -0.5, 0.5, 1.2 / MIRROR_SIDE]
        fog = [0.11, 0.115, 0.125, 0, 1 / 46, 1, 0, 0, 1, 0.72, 0.35, 1]
        self.constants("fragment", 0, [*light, 0, *eye, 42, *colors, *fog])
        m.context_set_render_to_texture(c, self.mirror, 1, 0, 0, 0)
        m.context_clear(c, 0, 0, 0, 0, 1, 0, 0xFFFFFFFF)
        self.draw_knot(mul(mirror, model), view_projection, "front")  # mirroring reverses the winding
        self.draw_sparks(mul(view, mirror), projection, turn)
        m.context_set_render_to_back_buffer(c)
        m.context_clear(c, 0, 0, 0, 1, 1, 0, 0xFFFFFFFF)
        self.draw("backdrop", [], "none", 0, "always", ("one", "zero"), ("float2", "float3"))
        self.matrix(4, view_projection)
        factors = ("sourceAlpha", "oneMinusSourceAlpha")
        self.draw("floor", [self.tiles, self.mirror], "back", 1, "less", factors, ("float3", "float2"))
        self.draw_knot(model, view_projection, "back")
        self.draw_sparks(view, projection, turn)
        m.context_present(c)


def write_png(path, rgb, width, height):
    """Writes the three components of each pixel, rows from the top."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + rgb[at : at + width * 3] for at in range(0, len(rgb), width * 3))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)


def main(kind, frame, path):
    device = m.device_offscreen(None) if kind == "gl" else m.device_software(None)
    context = m.context_create(device, m.byref(m.ContextOptions(profile=b"baseline", swf_version=30)))
    try:
        m.context_set_culling(context, "sideways")
    except m.MolehillException as error:
        assert (error.number, error.error_class) == (2008, "ArgumentError"), error
    else:
        raise AssertionError("an unknown name")
    Scene(context).frame(int(frame) / FRAMES)
    pixels, size = m.Pixels(rgba=1, full_size=1), m.Size()
    m.context_read_front(context, None, m.byref(pixels), m.byref(size))  # its size, because it has no memory yet
    width, height = size.width, size.height
    rgba = (c_ubyte * (width * height * 4))()
    pixels.pixels, pixels.length = m.cast(rgba, m.c_void_p), len(rgba)
    m.context_read_front(context, None, m.byref(pixels), None)
    rgb = bytearray(width * height * 3)
    for component in range(3):
        rgb[component::3] = bytes(rgba)[component::4]
    write_png(Path(path), bytes(rgb), width, height)
    if path.endswith(".png"):  # beside it, as the demo in C writes it
        Path(path[:-4] + ".ppm").write_bytes(b"P6\n%d %d\n255\n" % (width, height) + rgb)
    m.context_destroy(context)
    m.device_destroy(device)


if __name__ == "__main__":
    main(*sys.argv[1:])

// Owners: what they free and when, with and without exceptions.
#include <cstdio>
#include <cstring>
#include <molehill.hpp>
#include <utility>
#include <vector>

static int failures = 0;

static void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "owners: %s\n", what);
        failures++;
    }
}

static bool lives(MolehillStage3D stage) {
    MolehillStage3DInfo info = molehill::sized<MolehillStage3DInfo>();
    return molehill_stage3d_info(stage, &info) == MOLEHILL_STATUS_OK;
}

static void moves() {
    molehill::Stage3D one, other;
    const MolehillStage3D first = one, second = other;
    one = std::move(other);
    expect(!lives(first), "a move frees what was there");
    expect(lives(second) && one.get().id == second.id && !other, "a move passes the handle on");
    molehill::Stage3D &same = one;
    one = std::move(same);
    expect(lives(second) && one.get().id == second.id, "a move to itself");
    one = molehill::Stage3D(std::move(one));
    expect(lives(second) && one.get().id == second.id, "a move and back");
}

static const void *no_function(void *user_data, const char *name) {
    if (std::strcmp(name, "glGetString") == 0)
        ++*static_cast<int *>(user_data);
    return nullptr;
}

#if MOLEHILL_EXCEPTIONS
static const void *throwing(void *, const char *name) {
    throw std::string(name);
}

static void failing() {
    int asked = 0;
    try {
        (void)molehill::Device::from_loader(no_function, &asked);
        expect(false, "no function, but a device");
    } catch (const molehill::Error &error) {
        expect(error.status == MOLEHILL_STATUS_DRIVER && std::strstr(error.what(), "glGetString"), "the error of a device");
    }
    expect(asked > 0, "the loader gets its data");
    try {
        (void)molehill::Device::from_loader(throwing, nullptr);
        expect(false, "an exception of the loader is lost");
    } catch (const std::string &name) {
        expect(name == "glGetString", "the exception of the loader");
    }
    try {
        molehill::Context(MolehillDevice(), "baseline", 30);
        expect(false, "no device, but a context");
    } catch (const molehill::Error &error) {
        expect(error.status == MOLEHILL_STATUS_BAD_HANDLE, "the error of a context");
    }
}
#else
static void failing() {
    int asked = 0;
    MolehillError error = molehill::sized<MolehillError>();
    const molehill::Device device = molehill::Device::from_loader(no_function, &asked);
    expect(!device && asked > 0, "no function, no device");
    molehill_last_error(&error);
    expect(error.status == MOLEHILL_STATUS_DRIVER && std::strstr(error.message, "glGetString"), "the error of a device");
    const molehill::Context context(device, "baseline", 30);
    expect(!context, "no device, no context");
    expect(context.present() == MOLEHILL_STATUS_BAD_HANDLE, "a call returns the status");
}
#endif

// What MOLEHILL_NODISCARD warns of is looked at.
static void ok(MolehillStatus status) {
    expect(status == MOLEHILL_STATUS_OK, "a call");
}

static MolehillStatus status_of(MolehillObject object) {
    uint64_t data = 0;
    return molehill_object_user_data(object, &data);
}

// Objects are released with their owners; an empty vector is not null.
static void objects(const molehill::Context &context) {
    MolehillObject texture, buffer;
    {
        const molehill::Texture owned = context.create_texture(8, 8, "bgra", false, 0);
        molehill::VertexBuffer first = context.create_vertex_buffer(4, 2, "staticDraw");
        texture = MOLEHILL_OBJECT(owned.get());
        buffer = MOLEHILL_OBJECT(first.get());
        ok(owned.set_user_data(7));
        ok(owned.set_name("walls"));
        const float corners[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        ok(first.upload_from_float_vector(corners, 0, 4));
        const molehill::VertexBuffer moved = std::move(first);
        ok(context.set_vertex_buffer_at(0, moved, 0, "float2"));
        expect(!first && status_of(buffer) == MOLEHILL_STATUS_OK, "a buffer lives");
        ok(context.set_vertex_buffer_at(0, MolehillVertexBuffer(), 0, "float2"));
    }
    expect(status_of(texture) == MOLEHILL_STATUS_BAD_HANDLE, "a texture is released");
    expect(status_of(buffer) == MOLEHILL_STATUS_BAD_HANDLE, "a buffer is released");
    const molehill::View<double> empty = std::vector<double>(), null = nullptr;
    const molehill::Bytes no_bytes = std::vector<float>(), null_bytes = nullptr;
    expect(empty.data && !empty.length && !null.data, "an empty vector is not null");
    expect(no_bytes.data && !no_bytes.length && !null_bytes.data, "nor are empty bytes");
}

// AGAL without a context; an error has the number, class and place of Flash's.
static void shaders() {
    const uint8_t vertex[] = {160, 1, 0, 0, 0, 161, 0, 0, 0, 0, 0, 0, 0, 15, 3, 0, 0, 0, 228, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint8_t fragment[] = {160, 1, 0, 0, 0, 161, 1, 0, 0, 0, 0, 0, 0, 15, 3, 0, 0, 0, 228, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const molehill::Agal pair(vertex, fragment, "baseline");
    const MolehillAgalInfo info = pair.info();
    expect(pair && info.attributes == 1 && info.fragment_constants == 1 && info.color_outputs == 1, "the interface of AGAL");
    expect(std::strstr(pair.glsl().vertex, "in vec4 va0;") && std::strstr(pair.wgsl().fragment, "fn fragment_main("), "shaders");
    fragment[7] = 255;
    MolehillError error = molehill::sized<MolehillError>();
#if MOLEHILL_EXCEPTIONS
    try {
        (void)molehill::Agal(vertex, fragment);
        expect(false, "an error is no exception");
    } catch (const molehill::Error &thrown) {
        expect(thrown.number > 3600 && thrown.token == 1 && thrown.class_name == "Error", "an exception has the place");
    }
#else
    expect(!molehill::Agal(vertex, fragment), "an empty owner");
#endif
    molehill_last_error(&error);
    expect(error.status == MOLEHILL_STATUS_FLASH_ERROR && error.token == 1, "an error of AGAL");
}

int main() {
    moves();
    shaders();
    failing();
    const molehill::Device device = molehill::Device::software();
    const molehill::Context context(device, "baseline", 30);
    MolehillSize size = {8, 8};
    expect(device && context && context.read_front(8, 8).empty(), "nothing is presented yet");
    expect(context.read_front(size).empty() && size.width == 0, "nothing has a size yet");
    objects(context);
    const molehill::FrontExchange exchange;
    const MolehillStatus published = molehill_context_publish_front(context, exchange);
    expect(exchange && published != MOLEHILL_STATUS_BAD_HANDLE, "a front exchange");
    return failures;
}

// Calls by class and name: arguments of every type, defaults, errors, and what a VM throws.
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <molehill.hpp>
#include <string>
#include <vector>

static int failures = 0;

static void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "by_name: %s\n", what);
        failures++;
    }
}

// A value of ActionScript. Every number converts to every type of number.
struct Any {
    Any(int from) : number(from), is_null(false) {}
    Any(const char *from) : text(from), is_null(!from) {}
    Any(MolehillObject from) : object(from), is_null(!from.id) {}
    double number = 0;
    const char *text = nullptr;
    MolehillObject object = MolehillObject();
    bool is_null;
};

static uint8_t pixels[16 * 16 * 4];
static const uint32_t corners[] = {0, 1, 2};
static const double points[] = {-1, -1, 3, -1, -1, 3};

struct Vm : molehill::Arguments {
    Vm(std::initializer_list<Any> values) : left(values) {}
    std::vector<Any> left;
    bool is_left() override { return !left.empty(); }
    Any next() {
        if (left.empty())
            return Any(static_cast<const char *>(nullptr));
        const Any value = left.front();
        left.erase(left.begin());
        return value;
    }
    template <class T>
    int32_t number(T &value) {
        const Any any = next();
        if (any.text)
            return -1;  // this VM throws
        value = static_cast<T>(any.number);
        return !any.is_null;
    }
    int32_t next_int(int32_t &value) override { return number(value); }
    int32_t next_uint(uint32_t &value) override { return number(value); }
    int32_t next_number(double &value) override { return number(value); }
    int32_t next_bool(MolehillBool &value) override { return number(value); }
    int32_t next_string(const char *&value) override {
        const Any any = next();
        value = any.text;
        return !any.is_null;
    }
    int32_t next_bytes(MolehillBytes &value) override {
        value.data = pixels;
        value.length = sizeof pixels;
        return !next().is_null;
    }
    int32_t next_numbers(MolehillNumbers &value) override {
        value.data = points;
        value.length = 6;
        return !next().is_null;
    }
    int32_t next_uints(MolehillUints &value) override {
        value.data = corners;
        value.length = 3;
        return !next().is_null;
    }
    int32_t next_matrix(MolehillMatrix &value) override {
        value.raw_data[0] = 1;
        return !next().is_null;
    }
    int32_t next_rectangle(MolehillRectangle &value) override {
        value.width = value.height = 8;
        return !next().is_null;
    }
    int32_t next_bitmap(MolehillBitmap &value) override {
        value.width = value.height = 16;
        value.pixels = pixels;
        value.length = sizeof pixels;
        return !next().is_null;
    }
    int32_t next_bitmap_target(MolehillBitmapTarget &value) override {
        value.width = value.height = 16;
        value.pixels = pixels;
        value.length = sizeof pixels;
        value.transparent = 1;
        return !next().is_null;
    }
    int32_t next_object(MolehillObject &value) override {
#if MOLEHILL_EXCEPTIONS
        if (!left.empty() && left.front().text)
            throw std::string(left.front().text);
#endif
        const Any any = next();
        value = any.object;
        return !any.is_null;
    }
    int32_t next_strings(MolehillTexts &value) override {
        static const char *const profiles[] = {"standard", "enhanced"};
        value.data = profiles;
        value.length = 2;
        return !next().is_null;
    }
    bool has_listener = true;
    bool listens() override { return has_listener; }
};

static uint32_t number() {
    MolehillError error = molehill::sized<MolehillError>();
    molehill_last_error(&error);
    return error.number;
}

struct Program {
    MolehillObject context;
    MolehillStatus call(const char *method, std::initializer_list<Any> values) const {
        return on(context, "Context3D", method, values);
    }
    static MolehillStatus on(MolehillObject object, const char *name, const char *method, std::initializer_list<Any> values) {
        Vm vm(values);
        const MolehillStatus status = vm.call(object, name, method);
        expect(status < 0 || vm.left.empty(), method);
        return status;
    }
    MolehillObject create(const char *method, std::initializer_list<Any> values) const {
        MolehillObject created = MolehillObject();
        expect(Vm(values).call(context, "Context3D", method, &created) == MOLEHILL_STATUS_OK && created.id, method);
        return created;
    }
    MolehillValue property(const char *name) const {
        MolehillValue value = molehill::sized<MolehillValue>();
        expect(molehill_property(context, "Context3D", name, &value) == MOLEHILL_STATUS_OK, name);
        return value;
    }
};

static const Any null = static_cast<const char *>(nullptr);

static void calls(const Program &program) {
    const MolehillStatus ok = MOLEHILL_STATUS_OK;
    expect(program.call("configureBackBuffer", {64, 50, 0}) == ok, "the rest has defaults");
    expect(program.property("backBufferHeight").number == 50, "an int is converted");
    expect(program.property("enableErrorChecking").kind == MOLEHILL_VALUE_KIND_BOOLEAN, "a Boolean");
    expect(program.call("enableErrorChecking", {1}) == ok && program.property("enableErrorChecking").number == 1, "a setter");
    expect(!std::strcmp(program.property("profile").text, "baseline"), "a text");
    expect(program.call("clear", {0, 1, 0}) == ok, "numbers");
    const MolehillObject buffer = program.create("createVertexBuffer", {3, 2});
    expect(Program::on(buffer, "VertexBuffer3D", "uploadFromVector", {1, 0, 3}) == ok, "a vector of numbers");
    expect(Program::on(buffer, "VertexBuffer3D", "uploadFromVector", {null, 0, 3}) == MOLEHILL_STATUS_FLASH_ERROR
               && number() == 2007, "a null vector");
    expect(program.call("setVertexBufferAt", {0, buffer, 0, "float2"}) == ok, "an object and a text");
    expect(program.call("setVertexBufferAt", {0, null}) == ok, "no object");
    const MolehillObject indices = program.create("createIndexBuffer", {3});
    expect(Program::on(indices, "IndexBuffer3D", "uploadFromVector", {1, 0, 3}) == ok, "a vector of uint");
    expect(program.call("drawTriangles", {indices}) == MOLEHILL_STATUS_FLASH_ERROR, "there is no program");
    expect(program.call("setProgramConstantsFromMatrix", {"vertex", 0, 1}) == ok, "a matrix");
    expect(program.call("setScissorRectangle", {1}) == ok && program.call("setScissorRectangle", {null}) == ok, "a rectangle");
    std::memset(pixels, 7, sizeof pixels);
    const MolehillObject cube = program.create("createCubeTexture", {16, "bgra", 0});
    expect(Program::on(cube, "CubeTexture", "uploadFromByteArray", {1, 0, 5, 0}) == ok, "a cube has sides");
    expect(Program::on(cube, "CubeTexture", "uploadFromBitmapData", {1, 6}) == MOLEHILL_STATUS_FLASH_ERROR, "but six");
    const MolehillObject flat = program.create("createTexture", {16, 16, "bgra", 0});
    expect(Program::on(flat, "Texture", "uploadFromBitmapData", {1}) == ok, "a bitmap");
    expect(program.call("drawToBitmapData", {1}) == ok && pixels[0] == 0 && pixels[1] == 255 && pixels[3] == 255, "pixels");
    expect(program.call("setTextureAt", {0, buffer}) == MOLEHILL_STATUS_BAD_HANDLE, "an object of another class");
    expect(Program::on(flat, "Texture", "dispose", {}) == ok && Program::on(flat, "Texture", "dispose", {}) == ok, "dispose");
    expect(Program::on(flat, "Texture", "uploadFromBitmapData", {1}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 3694,
           "a disposed object");
    expect(program.call("setRenderToTexture", {flat}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 3694, "as an argument");
    expect(program.call("present", {}) == ok, "no arguments");
}

static void failing(const Program &program) {
    expect(program.call("clear", {"?"}) == MOLEHILL_STATUS_THROWN, "the VM throws");
    expect(program.call("clera", {}) == MOLEHILL_STATUS_BAD_ARGUMENT, "no such method");
    expect(Program::on(program.context, "Texture", "clear", {}) == MOLEHILL_STATUS_BAD_ARGUMENT, "another class");
    expect(Program::on(MolehillObject(), "Texture", "dispose", {}) == MOLEHILL_STATUS_BAD_HANDLE, "no object");
    expect(program.call("createProgram", {}) == MOLEHILL_STATUS_BAD_ARGUMENT, "nowhere to put it");
    MolehillValue value = molehill::sized<MolehillValue>();
    expect(molehill_property(program.context, "Context3D", "x", &value) == MOLEHILL_STATUS_BAD_ARGUMENT, "no property");
#if MOLEHILL_EXCEPTIONS
    try {
        (void)program.call("setProgram", {"thrown"});
        expect(false, "an exception is lost");
    } catch (const std::string &text) {
        expect(text == "thrown", "an exception of the VM");
    }
#endif
}

static MolehillValue read(MolehillStage3D stage, const char *name) {
    MolehillValue value = molehill::sized<MolehillValue>();
    expect(molehill_property(MOLEHILL_OBJECT(stage), "Stage3D", name, &value) == MOLEHILL_STATUS_OK, name);
    return value;
}

// A Stage3D by name: the request, the context, its end and the next one.
static void stages(MolehillDevice device) {
    const MolehillStatus ok = MOLEHILL_STATUS_OK;
    const molehill::Stage3D owner;
    const MolehillStage3D stage = owner.get();
    const auto call = [stage](const char *method, std::initializer_list<Any> values) {
        return Program::on(MOLEHILL_OBJECT(stage), "Stage3D", method, values);
    };
    expect(call("x", {12}) == ok && call("y", {-3}) == ok && call("visible", {0}) == ok, "setters");
    expect(read(stage, "x").number == 12 && read(stage, "y").number == -3 && read(stage, "visible").number == 0, "getters");
    expect(call("x", {9000}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 2006, "a position outside");
    expect(read(stage, "context3D").kind == MOLEHILL_VALUE_KIND_NULL, "no context yet");
    expect(call("requestContext3D", {"nothing"}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 2008, "an unknown mode");
    expect(call("requestContext3D", {}) == ok, "the rest has defaults");
    expect(call("dispose", {}) == MOLEHILL_STATUS_BAD_ARGUMENT && call("context3D", {1}) == MOLEHILL_STATUS_BAD_ARGUMENT, "no calls");
    Vm deaf({});
    deaf.has_listener = false;
    expect(deaf.call(MOLEHILL_OBJECT(stage), "Stage3D", "requestContext3D") == MOLEHILL_STATUS_FLASH_ERROR && number() == 3688,
           "nobody listens");

    MolehillStageEvent event = molehill::sized<MolehillStageEvent>();
    const auto next = [&] { return molehill_stage3d_end_frame(stage, device, 30, 0, &event); };
    expect(next() == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED && event.context.id, "a context");
    expect(next() == MOLEHILL_STATUS_NOTHING, "one event");
    const molehill::Context first(event.context);
    expect(read(stage, "context3D").kind == MOLEHILL_VALUE_KIND_CONTEXT, "the context");
    const Program program = {MOLEHILL_OBJECT(event.context)};
    expect(program.call("dispose", {}) == ok && read(stage, "context3D").kind == MOLEHILL_VALUE_KIND_NULL, "null at once");
    expect(next() == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED, "Flash makes another one");
    const molehill::Context second(event.context);
    expect(second.get().id != first.get().id, "of its own");
    expect(call("requestContext3DMatchingProfiles", {1}) == ok, "profiles");
    expect(molehill_stage3d_end_frame(stage, MolehillDevice(), 30, 0, &event) == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_ERROR
               && event.error_number == 3702 && std::strstr(event.message, "3702"), "no device");
}

int main() {
    const molehill::Device device = molehill::Device::software();
    MolehillObject texture;
    {
        const molehill::Context context(device, "baseline", 30);
        const Program program = {MOLEHILL_OBJECT(context.get())};
        calls(program);
        failing(program);
        texture = program.create("createRectangleTexture", {16, 16, "bgra", 0});
    }
    expect(Program::on(texture, "RectangleTexture", "uploadFromByteArray", {1, 0}) == MOLEHILL_STATUS_FLASH_ERROR
               && number() == 3694, "the context is gone");
    expect(Program::on(texture, "RectangleTexture", "dispose", {}) == MOLEHILL_STATUS_OK, "dispose after the context");
    stages(device.get());
    return failures;
}

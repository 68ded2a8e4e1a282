// Calls by class and name: arguments of every type, defaults, errors, and what a VM throws.
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <molehill_natives.hpp>
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

// The same by NativeCall. A text is no number and no object: this VM throws.
struct Native final : molehill::NativeCall<Any, Native> {
    Native(std::vector<Any> &values) : NativeCall(values.data(), values.size()) {}
    bool thrown = false;
    bool written = false;
    const Any &checked(const Any &value) {
        thrown |= value.text != nullptr;
        return value;
    }
    bool is_null(Any &value) override { return value.is_null; }
    bool has_thrown() override { return thrown; }
    int32_t to_int(Any &value) override { return static_cast<int32_t>(checked(value).number); }
    uint32_t to_uint(Any &value) override { return static_cast<uint32_t>(checked(value).number); }
    double to_number(Any &value) override { return checked(value).number; }
    bool to_bool(Any &value) override { return checked(value).number != 0; }
    std::string to_text(Any &value) override { return value.text; }
    // A number is a Vector of so many: 0, 1, 2, …, and a text one of itself and null.
    bool vector_length(Any &value, size_t &length) override {
        length = value.text ? 2 : static_cast<size_t>(value.number);
        return !value.object.id;
    }
    Any vector_element(Any &value, size_t index) override {
        if (value.text)
            return index ? Any(static_cast<const char *>(nullptr)) : value;
        return Any(static_cast<int>(index));
    }
    bool to_bytes(Any &value, MolehillBytes &to) override {
        to.data = pixels;
        to.length = sizeof pixels;
        return !value.text;
    }
    bool to_matrix(Any &value, MolehillMatrix &to) override {
        to.raw_data[0] = value.number;
        return !value.text;
    }
    bool to_rectangle(Any &value, MolehillRectangle &to) override {
        to.width = to.height = value.number;
        return !value.text;
    }
    bool to_bitmap(Any &value, MolehillBitmapTarget &to, bool is_written) override {
        written = is_written;
        to = molehill::bitmap_data(16, 16, pixels, sizeof pixels, true);
        to.rgba = 1;
        return !value.text;
    }
    bool to_object(Any &value, MolehillObject &to) override {
        to = value.object;
        return to.id != 0;
    }
};

static const molehill::Member &member(const char *class_name, const char *name, molehill::Member::Kind kind) {
    for (const molehill::Member &it : molehill::MEMBERS)
        if (it.kind == kind && !std::strcmp(it.class_name, class_name) && !std::strcmp(it.name, name))
            return it;
    expect(false, name);
    return molehill::MEMBERS[0];
}

struct Natives {
    MolehillObject object;
    const char *class_name;
    mutable molehill::Returned returned;
    MolehillStatus run(const char *name, std::vector<Any> values, molehill::Member::Kind kind) const {
        returned = molehill::Returned();
        return Native(values).run(member(class_name, name, kind), object, returned);
    }
    MolehillStatus call(const char *name, std::vector<Any> values) const { return run(name, values, molehill::Member::METHOD); }
    MolehillStatus set(const char *name, Any value) const { return run(name, {value}, molehill::Member::SETTER); }
    molehill::Returned get(const char *name) const {
        expect(run(name, {}, molehill::Member::GETTER) == MOLEHILL_STATUS_OK, name);
        return returned;
    }
    Natives create(const char *name, std::vector<Any> values) const {
        expect(call(name, values) == MOLEHILL_STATUS_OK && returned.kind == returned.OBJECT && returned.object.id, name);
        return {returned.object, returned.text, molehill::Returned()};
    }
};

static void natives(MolehillObject context) {
    const MolehillStatus ok = MOLEHILL_STATUS_OK;
    const Natives program = {context, "Context3D", molehill::Returned()};
    expect(program.call("configureBackBuffer", {64, 50, 0}) == ok && program.returned.kind == program.returned.UNDEFINED, "void");
    expect(program.get("backBufferHeight").kind == program.returned.INT && program.returned.number == 50, "an int");
    expect(program.set("enableErrorChecking", 1) == ok && program.get("enableErrorChecking").number == 1
               && program.returned.kind == program.returned.BOOLEAN, "a Boolean");
    expect(program.get("profile").kind == program.returned.STRING && !std::strcmp(program.returned.text, "baseline"), "a text");
    expect(program.get("totalGPUMemory").kind == program.returned.NUMBER, "a Number");
    expect(program.call("clear", {0, 1, 0}) == ok && program.call("clear", {"?"}) == MOLEHILL_STATUS_THROWN, "the VM throws");
    const Natives buffer = program.create("createVertexBuffer", {3, 2});
    expect(!std::strcmp(buffer.class_name, "VertexBuffer3D"), "the class of a new object");
    expect(buffer.call("uploadFromVector", {6, 0, 3}) == ok, "a vector");
    expect(buffer.call("uploadFromVector", {5, 0, 3}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 3669, "a short one");
    expect(buffer.call("uploadFromVector", {0, 0, 3}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 3669, "an empty one");
    expect(buffer.call("uploadFromVector", {null, 0, 3}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 2007, "a null vector");
    expect(buffer.call("uploadFromVector", {"?", 0, 3}) == MOLEHILL_STATUS_THROWN, "its elements throw");
    expect(buffer.call("uploadFromVector", {buffer.object, 0, 3}) == MOLEHILL_STATUS_THROWN, "no vector");
    expect(buffer.call("uploadFromFloatVector", {6, 0, 3}) == ok, "a vector of float");
    expect(buffer.call("uploadFromByteArray", {1, 0, 0, 3}) == ok, "bytes");
    expect(program.call("setVertexBufferAt", {0, buffer.object, 0, "float2"}) == ok, "an object and a text");
    expect(program.call("setVertexBufferAt", {0, null}) == ok, "no object");
    expect(program.call("setVertexBufferAt", {0, 1}) == MOLEHILL_STATUS_THROWN, "no object of Stage3D");
    expect(program.create("createIndexBuffer", {3}).call("uploadFromVector", {3, 0, 3}) == ok, "a vector of uint");
    expect(program.call("setProgramConstantsFromMatrix", {"vertex", 0, 1}) == ok, "a matrix");
    expect(program.call("setProgramConstantsFromMatrix", {null, 0, 1}) == MOLEHILL_STATUS_FLASH_ERROR && number() == 2007, "a null text");
    expect(program.call("setScissorRectangle", {1}) == ok && program.call("setScissorRectangle", {null}) == ok, "a rectangle");
    expect(program.create("createTexture", {16, 16, "bgra", 0}).call("uploadFromBitmapData", {1}) == ok, "a bitmap");
    std::vector<Any> target = {1};
    Native draw(target);
    expect(draw.run(member("Context3D", "drawToBitmapData", molehill::Member::METHOD), context, program.returned) == ok && draw.written
               && pixels[0] == 0 && pixels[1] == 255, "a bitmap that is written");
    MolehillHost without_video = molehill::sized<MolehillHost>();
    without_video.no_video_textures = 1;
    expect(molehill_context_set_host(MolehillContext{context.id}, &without_video) == ok, "facts of the host");
    expect(program.call("createVideoTexture", {}) == ok && program.returned.kind == program.returned.NOTHING, "null in place of an object");
    const molehill::Stage3D owner;
    const Natives stage = {MOLEHILL_OBJECT(owner.get()), "Stage3D", molehill::Returned()};
    expect(stage.set("x", 12) == ok && stage.get("x").number == 12, "a Stage3D");
    expect(stage.get("context3D").kind == stage.returned.NOTHING, "null");
    const bool is_null = stage.call("requestContext3DMatchingProfiles", {"standard"}) == MOLEHILL_STATUS_FLASH_ERROR;
    expect(is_null && number() == 2007, "texts and null");
}

static void tables() {
    std::vector<std::string> classes = {"Object", "EventDispatcher"};
    const auto known = [&classes](const std::string &name) {
        for (const std::string &it : classes)
            if (it == name)
                return true;
        return false;
    };
#define CLASS(name, base) \
    expect(known(#base), #name); \
    classes.push_back(#name);
    MOLEHILL_CLASSES(CLASS)
    classes.push_back("Stage3D");
    for (const molehill::Member &it : molehill::MEMBERS)
        expect(known(it.class_name) && it.needed <= it.most, it.name);
    int32_t numbers = 0;
    for (const molehill::Constant &it : molehill::CONSTANTS) {
        expect(known(it.class_name), it.name);
        numbers += it.text ? 0 : it.number;
    }
    expect(numbers == 1 + 2 + 4 + 7, "the bits of Context3DClearMask");
    std::string found;
    molehill::each_member("IndexBuffer3D", [&found](const molehill::Member &it, size_t n) {
        expect(&it == &molehill::MEMBERS[n], it.name);
        found += std::string(it.name) + " ";
    });
    molehill::each_constant("Context3DMipFilter", [&found](const molehill::Constant &it) { found += std::string(it.text) + " "; });
    expect(found == "uploadFromByteArray uploadFromVector dispose mipnone mipnearest miplinear ", "what a class declares");
    const std::string package = molehill::package_of("CubeTexture");
    expect(package == "flash.display3D.textures" && !std::strcmp(molehill::package_of("Context3DTextureFormat"), "flash.display3D"),
           "packages");
    std::string thrown;
    for (uint32_t number : {3694, 2008, 3669, 2007, 0}) {
        molehill_flash_error(number, nullptr, 0);
        thrown += molehill::of_class(molehill::last_error().error_class, 'E', 'A', 'R', 'T');
    }
    expect(thrown == "EARTE", "the class of an error");
}

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
    const auto alive = [stage] {
        MolehillStage3DInfo info = molehill::sized<MolehillStage3DInfo>();
        return molehill_stage3d_info(stage, &info) == MOLEHILL_STATUS_OK && info.alive;
    };
    expect(program.call("configureBackBuffer", {64, 50, 0}) == ok && alive(), "it works");
    const MolehillObject heard = program.create("createTexture", {16, 16, "bgra", 0});
    const MolehillObject gone = program.create("createTexture", {16, 16, "bgra", 0});
    for (const MolehillObject texture : {gone, heard})
        expect(Program::on(texture, "Texture", "uploadFromByteArrayAsync", {1, 0}) == ok, "an asynchronous upload");
    expect(molehill_object_set_user_data(heard, 7) == ok && molehill_object_release(gone) == ok, "one has no listeners any more");
    expect(next() == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_TEXTURE_READY && event.user_data == 7, "an event");
    expect(next() == MOLEHILL_STATUS_NOTHING, "and only one");
    expect(program.call("dispose", {}) == ok && read(stage, "context3D").kind == MOLEHILL_VALUE_KIND_NULL && !alive(), "null at once");
    expect(next() == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED, "Flash makes another one");
    const molehill::Context second(event.context);
    expect(second.get().id != first.get().id && next() == MOLEHILL_STATUS_NOTHING, "of its own");
    expect(call("requestContext3DMatchingProfiles", {1}) == ok, "profiles");
    expect(molehill_stage3d_end_frame(stage, MolehillDevice(), 30, 0, &event) == ok && event.kind == MOLEHILL_STAGE_EVENT_KIND_ERROR
               && event.error_number == 3702 && std::strstr(event.message, "3702"), "no device");
}

// A VM that collects the objects of a program that requests a thousand contexts, in timers' events.
static void collected(MolehillDevice device) {
    const MolehillStatus ok = MOLEHILL_STATUS_OK;
    const molehill::Stage3D owner;
    const MolehillObject stage = MOLEHILL_OBJECT(owner.get());
    MolehillStageEvent event = molehill::sized<MolehillStageEvent>();
    for (int n = 0; n < 1000; n++) {
        expect(Program::on(stage, "Stage3D", "requestContext3D", {}) == ok, "a request");
        expect(molehill_stage3d_begin_frame(owner.get(), device, 30, 0, &event) == ok && event.context.id, "before enterFrame");
        expect(molehill_stage3d_end_frame(owner.get(), device, 30, 0, &event) == MOLEHILL_STATUS_NOTHING, "no other event");
        expect(molehill_object_release(MOLEHILL_OBJECT(event.context)) == MOLEHILL_STATUS_BAD_HANDLE, "a context is no object");
        expect(molehill_context_destroy(event.context) == ok, "a context is collected");
        expect(molehill_context_present(event.context) == MOLEHILL_STATUS_BAD_HANDLE, "it is gone");
        expect(Program::on(stage, "Stage3D", "x", {n}) == ok && read(owner.get(), "x").number == n, "the Stage3D works");
        expect(read(owner.get(), "context3D").kind == MOLEHILL_VALUE_KIND_NULL, "without a context");
    }
}

int main() {
    tables();
    const molehill::Device device = molehill::Device::software();
    MolehillObject texture;
    {
        const molehill::Context context(device, "baseline", 30);
        const Program program = {MOLEHILL_OBJECT(context.get())};
        calls(program);
        natives(program.context);
        failing(program);
        texture = program.create("createRectangleTexture", {16, 16, "bgra", 0});
    }
    expect(Program::on(texture, "RectangleTexture", "uploadFromByteArray", {1, 0}) == MOLEHILL_STATUS_FLASH_ERROR
               && number() == 3694, "the context is gone");
    expect(Program::on(texture, "RectangleTexture", "dispose", {}) == MOLEHILL_STATUS_OK, "dispose after the context");
    stages(device.get());
    collected(device.get());
    return failures;
}

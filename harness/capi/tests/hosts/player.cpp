// The Stage3Ds of a player: player software|gl FOLDER. What a VM's thread and a render thread get, and a recording.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <molehill_player.hpp>
#include <string>
#include <thread>
#include <vector>

static int failures = 0;

static void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "player: %s: %s\n", what, molehill::last_error().message);
        failures++;
    }
}

static void ok(MolehillStatus status, const char *what) {
    expect(status == MOLEHILL_STATUS_OK, what);
}

// A Stage3D of a host that notes what it is told.
struct Stage final : molehill::PlayerStage {
    explicit Stage(molehill::Player &player) : PlayerStage(player) {}
    int described = 0;
    std::string events;
    std::vector<MolehillStatus> fails;
    uint64_t user_data = 0;
    bool requests_again = false;
    molehill::Context context;

    void describe(MolehillRecordingOptions &program, MolehillHost &host) override {
        described++;
        program.generator = "player.cpp";
        program.swf_version = 30;
        program.stage_width = program.stage_height = 64;
        host.max_back_buffer = 100;
    }
    void dispatch(const MolehillStageEvent &event, bool ends) override {
        events += ends ? "end" : "begin";
        events += std::to_string(event.kind) + " ";
        user_data = event.user_data;
        if (event.context.id)
            context = molehill::Context(event.context);
        if (requests_again)
            request("baseline");
        requests_again = false;
    }
    void fail(MolehillStatus status) override { fails.push_back(status); }

    MolehillStage3D handle() { return MolehillStage3D{object().id}; }
    void request(const char *profile) { ok(molehill_stage3d_request(handle(), "auto", profile, 1), "a request"); }
    // What was dispatched since the last call.
    std::string next() {
        std::string last;
        last.swap(events);
        return last;
    }
    bool shown_elsewhere() const {
        bool shown = false;
        std::thread([&] { shown = is_shown(); }).join();
        return shown;
    }
};

static const void *no_function(void *asked, const char *) {
    ++*static_cast<int *>(asked);
    return nullptr;
}

static const void *load(void *, const char *name) {
    using Load = const void *(*)(const char *);
    static const Load get = reinterpret_cast<Load>(dlsym(dlopen("libEGL.so.1", RTLD_NOW), "eglGetProcAddress"));
    return get(name);
}

// Nothing begins before the first call.
static void calls(molehill::Player &player, Stage &first, Stage &second) {
    player.frame(false);
    player.frame(true);
    expect(player.stages().size() == 3 && !player.is_called() && !first.is_called() && first.described == 0, "no call yet");
    expect(player.has_news() && player.has_news(), "a player without Stage3D always draws");
    const MolehillObject object = second.object();
    expect(object.id && second.object().id == object.id && second.described == 1, "it begins once");
    expect(player.is_called() && second.is_called() && !first.is_called() && second.fails.empty(), "one is called");
    second.request("baseline");
    player.frame(false);
    expect(second.next() == "begin1 ", "without a device, the request is refused");
    int asked = 0;
    player.frame(true, no_function, &asked);
    expect(asked && second.fails == std::vector<MolehillStatus>{MOLEHILL_STATUS_DRIVER} && !player.has_device(), "no device");
    expect(player.has_news() && !player.has_news(), "a frame has ended");
    player.frame(false);
    expect(!player.has_news(), "a frame begins");
}

static void draw(Stage &stage) {
    ok(molehill_context_configure_back_buffer(stage.context, 64, 50, 0, 1, 0, 0), "a back buffer");
    ok(molehill_context_clear(stage.context, 1, 0, 0, 1, 1, 0, 0xFFFFFFFF), "clear");
    ok(molehill_context_present(stage.context), "present");
}

static void contexts(molehill::Player &player, Stage &first, Stage &second, bool gl) {
    MolehillFront front = molehill::sized<MolehillFront>();
    MolehillStage3DInfo info;
    first.request("baseline");
    player.frame(false, gl ? load : nullptr);
    expect(player.has_device() && first.fails.empty() && first.next() == "begin0 " && first.context, "a context before enterFrame");
    const MolehillStatus large = molehill_context_configure_back_buffer(first.context, 101, 64, 0, 1, 0, 0);
    expect(large == MOLEHILL_STATUS_FLASH_ERROR && molehill::last_error().number == 3780, "the facts of the host");
    draw(first);
    ok(molehill_stage3d_set_x(first.handle(), 7), "x");
    expect(first.info().x == 0, "the render thread sees the last frame's position");
    player.frame(true);
    expect(first.info().x == 7 && first.is_shown() && first.shown_elsewhere() && !second.shown_elsewhere(), "one is shown");
    const bool acquired = first.acquire(load, nullptr, front, info);
    expect(info.x == 7 && acquired == gl, "acquire");
    expect(!gl || (front.texture && front.width == 64 && front.height == 50), "the picture");
    expect(!second.acquire(load, nullptr, front, info), "there is no other picture");
    ok(molehill_stage3d_set_visible(first.handle(), 0), "visible");
    expect(first.is_shown(), "until the frame ends");
    player.frame(true);
    expect(!first.is_shown() && !first.acquire(load, nullptr, front, info), "invisible");

    // This profile allows one context at a time.
    second.request("baselineConstrained");
    player.frame(true);
    expect(second.next() == "end1 " && !second.context, "the other Stage3D's context counts");
    ok(molehill_context_dispose(first.context, 0), "dispose");
    ok(molehill_stage3d_set_visible(first.handle(), 1), "visible");
    player.frame(true);
    expect(!first.is_shown() && !first.acquire(load, nullptr, front, info), "a context that has ended");
    second.request("baselineConstrained");
    player.frame(true);
    expect(second.next() == "end0 " && second.context && first.next().empty(), "no other context works");
    second.request("baselineConstrained");
    player.frame(true);
    expect(second.next() == "end0 ", "its own context doesn't count");

    MolehillTexture texture = MolehillTexture();
    static const uint8_t pixels[16 * 16 * 4] = {0};
    ok(molehill_context_create_texture(second.context, 16, 16, "bgra", 0, 0, &texture), "a texture");
    ok(molehill_object_set_user_data(MOLEHILL_OBJECT(texture), 11), "user data");
    ok(molehill_texture_upload_from_byte_array_async(texture, pixels, sizeof pixels, 0, -1, 0), "an upload");
    player.frame(false);
    expect(second.next().empty(), "no event of a texture before enterFrame");
    player.frame(true);
    expect(second.next() == "end2 " && second.user_data == 11, "the event of a texture");

    second.requests_again = true;
    second.request("baseline");
    player.frame(true);
    info = second.info();
    expect(second.next() == "end0 " && info.requested && !info.profiles && !info.profile_count, "a request for the next frame");
    player.frame(false);
    expect(second.next() == "begin0 " && !second.info().requested, "its answer");
}

static void ends(molehill::Player &player, Stage &last, bool gl) {
    MolehillFront front = molehill::sized<MolehillFront>();
    MolehillStage3DInfo info;
    const MolehillStage3D stage = last.handle();
    draw(last);
    player.frame(true);
    expect(last.is_shown() && last.acquire(load, nullptr, front, info) == gl, "a Stage3D");
    last.leave();
    expect(player.stages().size() == 2 && !last.is_called() && !last.is_shown(), "a Stage3D that left");
    expect(!last.acquire(load, nullptr, front, info), "its picture");
    expect(molehill_stage3d_set_x(stage, 1) == MOLEHILL_STATUS_BAD_HANDLE, "it is freed");
    std::unique_ptr<molehill::Player> gone(new molehill::Player);
    Stage late(*gone);
    gone.reset();
    expect(late.object().id == 0 && late.described == 0, "a Stage3D whose player is gone");
}

// Any object of ActionScript is destroyed by one function, and nothing else is.
static void any(molehill::Player &player, const molehill::Device &device) {
    MolehillTexture texture = MolehillTexture();
    {
        const molehill::Context context(device, "baseline", 30);
        ok(molehill_context_create_texture(context, 16, 16, "bgra", 0, 0, &texture), "a texture");
        ok(molehill::destroy_any(MOLEHILL_OBJECT(texture)), "a texture is destroyed");
        expect(molehill_object_set_user_data(MOLEHILL_OBJECT(texture), 1) == MOLEHILL_STATUS_BAD_HANDLE, "it is gone");
    }
    MolehillContext context = molehill::Context(device, "baseline", 30).release();
    ok(molehill::destroy_any(MOLEHILL_OBJECT(context)), "a context is destroyed");
    expect(molehill_context_present(context) == MOLEHILL_STATUS_BAD_HANDLE, "it is gone");
    {
        const molehill::Any stage(MOLEHILL_OBJECT(molehill::Stage3D().release()));
        ok(molehill_stage3d_set_x(MolehillStage3D{stage.get().id}, 1), "a Stage3D");
        context.id = stage.get().id;
    }
    expect(molehill_stage3d_set_x(MolehillStage3D{context.id}, 1) == MOLEHILL_STATUS_BAD_HANDLE, "it is destroyed");
    expect(molehill::destroy_any(MOLEHILL_OBJECT(device.get())) == MOLEHILL_STATUS_BAD_HANDLE && player.has_device(), "a device isn't");
}

static void recording(const std::string &path) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    expect(text.find("\"generator\":\"player.cpp\"") != text.npos, "the header of the recording");
    expect(text.find("\"stage3DIndex\":1") < text.find("\"stage3DIndex\":0") && text.find("\"stage3DIndex\":0") != text.npos, "the numbers");
    expect(text.find("{\"frame\":9}") != text.npos && text.find("{\"frame\":10}") == text.npos, "a line for each frame that ends");
}

int main(int count, char **arguments) {
    expect(count == 3, "player software|gl FOLDER");
    const bool gl = count > 1 && !std::strcmp(arguments[1], "gl");
    const std::string path = std::string(count > 2 ? arguments[2] : ".") + "/player-" + (gl ? "gl" : "software") + ".s3d.jsonl";
    std::remove(path.c_str());
    setenv("MOLEHILL_RECORD", path.c_str(), 1);
    // With GL, its context is the player's.
    molehill::Device device = gl ? molehill::Device::offscreen() : molehill::Device::software();
    molehill_device_make_current(device);
    {
        molehill::Player player;
        Stage first(player), second(player), third(player);
        calls(player, first, second);
        if (!gl)
            player.set_device(molehill::Device::software());
        contexts(player, first, second, gl);
        any(player, device);
        ends(player, second, gl);
        expect(third.described == 0 && third.events.empty(), "it was never called");
    }
    recording(path);
    // A file that can't be written.
    setenv("MOLEHILL_RECORD", "/nowhere/player.s3d", 1);
    molehill::Player player;
    Stage first(player), second(player);
    const std::vector<MolehillStatus> no_file = {MOLEHILL_STATUS_IO}, no_device = {MOLEHILL_STATUS_IO, MOLEHILL_STATUS_DRIVER};
    expect(first.object().id && second.object().id && first.fails == no_file && second.fails == no_file, "no recording, but Stage3Ds");
    int asked = 0;
    player.frame(true, no_function, &asked);
    expect(first.fails == no_device && second.fails == no_file, "the device fails once a frame");
    return failures;
}

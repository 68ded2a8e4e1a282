// Owners with static storage, which C++ destroys after the main thread's locals: statics gl|software FILE. Calls still work
// then, and the recording is complete. With a third argument nothing
// is destroyed, and the recording is complete all the same.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <molehill.hpp>

static void expect(bool condition, const char *what) {
    if (!condition) {
        MolehillError error = molehill::sized<MolehillError>();
        molehill_last_error(&error);
        std::fprintf(stderr, "statics: %s: %s\n", what, error.message);
        std::_Exit(1);
    }
}

static bool stays = false;
static molehill::Device device;
static molehill::Recording recording;
static molehill::Context context;

// Destroyed first: the last calls before the owners are destroyed.
struct Last {
    ~Last() {
        MolehillError error = molehill::sized<MolehillError>();
        expect(molehill_context_clear(context, 0, 0, 0, 1, 1, 0, 0xFFFFFFFF) == MOLEHILL_STATUS_OK, "clear");
        expect(molehill_context_clear(MolehillContext(), 0, 0, 0, 1, 1, 0, 0xFFFFFFFF) == MOLEHILL_STATUS_BAD_HANDLE, "no context");
        expect(molehill_last_error(&error) == MOLEHILL_STATUS_OK && *error.message, "the last error");
        const MolehillContext the_context = context.release();
        const MolehillRecording the_recording = recording.release();
        const MolehillDevice the_device = device.release();
        if (stays)
            return;
        expect(molehill_context_destroy(the_context) == MOLEHILL_STATUS_OK, "the context");
        expect(molehill_recording_stop(the_recording) == MOLEHILL_STATUS_OK, "the recording");
        expect(molehill_device_destroy(the_device) == MOLEHILL_STATUS_OK, "the device");
        std::puts("destroyed");
    }
};
static Last last;

int main(int count, char **arguments) {
    expect(count >= 3, "gl|software FILE [stay]");
    stays = count > 3;
    const bool gl = std::strcmp(arguments[1], "gl") == 0;
    device = gl ? molehill::Device::offscreen() : molehill::Device::software();
    MolehillRecordingOptions options = molehill::sized<MolehillRecordingOptions>();
    options.title = "statics";
    options.swf_version = options.stage_width = options.stage_height = 50;
    recording = molehill::Recording(arguments[2], options);
    context = molehill::Context(device, "baseline", 30);
    molehill::check(molehill_context_record(context, recording, 0, nullptr));
    context.configure_back_buffer(50, 50, 0, true, false, false);
    context.clear(1, 0, 0, 1, 1, 0, 0xFFFFFFFF);
    context.present();
    molehill::check(molehill_recording_end_frame(recording));
}

// Owners: what they free and when, with and without exceptions.
#include <cstdio>
#include <cstring>
#include <molehill.hpp>
#include <utility>

static int failures = 0;

static void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "owners: %s\n", what);
        failures++;
    }
}

static bool lives(uint64_t stage) {
    MolehillStage3DInfo info;
    return molehill_stage3d_info(stage, &info) == MOLEHILL_STATUS_OK;
}

static void moves() {
    molehill::Stage3D one, other;
    const uint64_t first = one, second = other;
    one = std::move(other);
    expect(!lives(first), "a move frees what was there");
    expect(lives(second) && one == second && !other, "a move passes the handle on");
    molehill::Stage3D &same = one;
    one = std::move(same);
    expect(lives(second) && one == second, "a move to itself");
    one = molehill::Stage3D(std::move(one));
    expect(lives(second) && one == second, "a move and back");
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
        molehill::Device::from_loader(no_function, &asked);
        expect(false, "no function, but a device");
    } catch (const molehill::Error &error) {
        expect(error.status == MOLEHILL_STATUS_DRIVER && std::strstr(error.what(), "glGetString"), "the error of a device");
    }
    expect(asked > 0, "the loader gets its data");
    try {
        molehill::Device::from_loader(throwing, nullptr);
        expect(false, "an exception of the loader is lost");
    } catch (const std::string &name) {
        expect(name == "glGetString", "the exception of the loader");
    }
    try {
        molehill::Context(0, "baseline", 30);
        expect(false, "no device, but a context");
    } catch (const molehill::Error &error) {
        expect(error.status == MOLEHILL_STATUS_BAD_HANDLE, "the error of a context");
    }
}
#else
static void failing() {
    int asked = 0;
    MolehillError error;
    const molehill::Device device = molehill::Device::from_loader(no_function, &asked);
    expect(!device && asked > 0, "no function, no device");
    molehill_last_error(&error);
    expect(error.status == MOLEHILL_STATUS_DRIVER && std::strstr(error.message, "glGetString"), "the error of a device");
    const molehill::Context context(device, "baseline", 30);
    expect(!context, "no device, no context");
    expect(molehill::check(molehill_context_present(context)) == MOLEHILL_STATUS_BAD_HANDLE, "check returns the status");
}
#endif

int main() {
    moves();
    failing();
    const molehill::Device device = molehill::Device::software();
    const molehill::Context context(device, "baseline", 30);
    expect(device && context && context.read_front(8, 8).empty(), "nothing is presented yet");
    return failures;
}

// Stage3D for emulators, in C++11: owners of molehill.h's handles, and optional exceptions for errors. An owner converts
// to its handle, so it can be passed to every function of molehill.h. Compiled without exceptions (-fno-exceptions), check
// returns errors too, and an owner whose creation failed is empty: its handle is 0, and molehill_last_error has the reason.
#ifndef MOLEHILL_HPP
#define MOLEHILL_HPP

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "molehill.h"

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define MOLEHILL_EXCEPTIONS 1
#else
#define MOLEHILL_EXCEPTIONS 0
#endif

namespace molehill {

// A call that failed. For an error of Flash, what() is ActionScript's `message`.
class Error : public std::runtime_error {
public:
    explicit Error(const MolehillError &error)
        : std::runtime_error(error.number ? error.as3_message : error.message), status(error.status),
          number(error.number), class_name(error.class_name) {}
    MolehillStatus status;
    uint32_t number;         // Flash's number; 0 if Flash has none
    std::string class_name;  // ActionScript's class; empty if Flash has none
};

// Throws an error as an exception; returns a status that is not an error.
inline MolehillStatus check(MolehillStatus status) {
#if MOLEHILL_EXCEPTIONS
    if (status < 0) {
        MolehillError error;
        molehill_last_error(&error);
        throw Error(error);
    }
#endif
    return status;
}

#if MOLEHILL_EXCEPTIONS
namespace detail {
// A loader whose exception waits until the call of C has returned.
struct GuardedLoader {
    MolehillLoader loader;
    void *user_data;
    std::exception_ptr thrown;
    static const void *load(void *user_data, const char *name) {
        GuardedLoader &guarded = *static_cast<GuardedLoader *>(user_data);
        if (guarded.thrown)
            return nullptr;
        try {
            return guarded.loader(guarded.user_data, name);
        } catch (...) {
            guarded.thrown = std::current_exception();
            return nullptr;
        }
    }
};
}  // namespace detail
#endif

// Owns a handle.
template <MolehillStatus (*destroy)(uint64_t)>
class Owner {
public:
    Owner() = default;
    explicit Owner(uint64_t handle) : handle_(handle) {}
    Owner(Owner &&other) noexcept : handle_(other.release()) {}
    Owner &operator=(Owner &&other) noexcept {
        const uint64_t handle = other.release();
        if (handle_)
            destroy(handle_);
        handle_ = handle;
        return *this;
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() {
        if (handle_)
            destroy(handle_);
    }
    operator uint64_t() const { return handle_; }
    // Gives up the handle: the caller must destroy it.
    uint64_t release() {
        const uint64_t handle = handle_;
        handle_ = 0;
        return handle;
    }

protected:
    uint64_t handle_ = 0;
};

// The renderer of contexts.
class Device : public Owner<molehill_device_destroy> {
public:
    using Owner::Owner;
    // In the host's GL context; see molehill_device_from_loader. The loader may throw; the functions in `current` must not.
    static Device from_loader(MolehillLoader loader, void *user_data, const MolehillMakeCurrent *current = nullptr,
                              const MolehillDeviceOptions *options = nullptr) {
        Device device;
#if MOLEHILL_EXCEPTIONS
        detail::GuardedLoader guarded = {loader, user_data, nullptr};
        const MolehillStatus status = molehill_device_from_loader(loader ? detail::GuardedLoader::load : nullptr,
                                                                  &guarded, current, options, &device.handle_);
        if (guarded.thrown)
            std::rethrow_exception(guarded.thrown);
        check(status);
#else
        molehill_device_from_loader(loader, user_data, current, options, &device.handle_);
#endif
        return device;
    }
    static Device offscreen(const MolehillDeviceOptions *options = nullptr) {
        Device device;
        check(molehill_device_offscreen(options, &device.handle_));
        return device;
    }
    static Device software(const MolehillDeviceOptions *options = nullptr) {
        Device device;
        check(molehill_device_software(options, &device.handle_));
        return device;
    }
};

// A Context3D, with all its objects.
class Context : public Owner<molehill_context_destroy> {
public:
    using Owner::Owner;
    Context() = default;
    Context(MolehillDevice device, const char *profile, uint32_t swf_version)
        : Context(device, MolehillContextOptions{profile, swf_version}) {}
    Context(MolehillDevice device, const MolehillContextOptions &options) {
        check(molehill_context_create(device, &options, &handle_));
    }
    // The picture of the last present: R, G, B, A, top row first; empty before the first one.
    std::vector<uint8_t> read_front(uint32_t width, uint32_t height) const {
        std::vector<uint8_t> rgba(size_t(width) * height * 4);
        const MolehillPixels pixels = {rgba.data(), rgba.size(), size_t(width) * 4, 0, 0};
        if (check(molehill_context_read_front(handle_, nullptr, &pixels, nullptr)) != MOLEHILL_STATUS_OK)
            rgba.clear();
        return rgba;
    }
};

// A Stage3D: its position, and requests for contexts.
class Stage3D : public Owner<molehill_stage3d_destroy> {
public:
    Stage3D() { check(molehill_stage3d_create(&handle_)); }
};

// A capture that is being written.
class Recording : public Owner<molehill_recording_stop> {
public:
    using Owner::Owner;
    Recording() = default;
    Recording(const char *path, const MolehillRecordingOptions &options) {
        check(molehill_recording_start(path, &options, &handle_));
    }
};

}  // namespace molehill

#endif

// Stage3D for emulators, in C++11 and later: owners of molehill.h's handles, methods with ActionScript's defaults, and
// exceptions for errors. An owner converts to its handle, so it can be passed to every function of molehill.h. Compiled
// without exceptions (-fno-exceptions), calls return errors too, and an owner whose creation failed is empty:
// molehill_last_error has the reason. RTTI is not needed.
#ifndef MOLEHILL_HPP
#define MOLEHILL_HPP

#include <cstddef>
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
#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#define MOLEHILL_NODISCARD [[nodiscard]]
#else
#define MOLEHILL_NODISCARD
#endif
// Marks a status that the caller must check, because nothing is thrown.
#if MOLEHILL_EXCEPTIONS
#define MOLEHILL_CHECKED
#else
#define MOLEHILL_CHECKED MOLEHILL_NODISCARD
#endif

namespace molehill {

// A struct that may grow, with its size and otherwise 0, the default.
template <class T>
MOLEHILL_NODISCARD T sized() {
    T value = T();
    value.struct_size = sizeof(T);
    return value;
}

// Returns the error of the thread's last call that failed. Its texts are valid until the thread's next error is read.
MOLEHILL_NODISCARD inline MolehillError last_error() {
    MolehillError error = sized<MolehillError>();
    molehill_last_error(&error);
    return error;
}

// Returns the argument for an error's class, such as a function that throws it; the first for an error that is not Flash's.
template <class T>
MOLEHILL_NODISCARD T of_class(MolehillErrorClass error_class, T error, T argument_error, T range_error, T type_error) {
    switch (error_class) {
        case MOLEHILL_ERROR_CLASS_NONE:
        case MOLEHILL_ERROR_CLASS_ERROR: return error;
        case MOLEHILL_ERROR_CLASS_ARGUMENT_ERROR: return argument_error;
        case MOLEHILL_ERROR_CLASS_RANGE_ERROR: return range_error;
        case MOLEHILL_ERROR_CLASS_TYPE_ERROR: return type_error;
    }
    return error;
}

// A call that failed. For an error of Flash, what() is ActionScript's `message`.
class Error : public std::runtime_error {
public:
    explicit Error(const MolehillError &error)
        : std::runtime_error(error.number ? error.as3_message : error.message), status(error.status),
          number(error.number), token(error.token), error_class(error.error_class), class_name(error.class_name) {}
    MolehillStatus status;
    uint32_t number;                 // Flash's number; 0 if Flash has none
    uint32_t token;                  // for an AGAL error: the token, counted from 1; else 0
    MolehillErrorClass error_class;  // ActionScript's class
    std::string class_name;          // its name; empty if Flash has none
};

// Throws a status that is an error as an exception; returns other statuses.
MOLEHILL_CHECKED inline MolehillStatus check(MolehillStatus status) {
#if MOLEHILL_EXCEPTIONS
    if (status < 0)
        throw Error(last_error());
#endif
    return status;
}

// A Vector or an array; only nullptr is null, an empty array is not.
template <class T>
struct View {
    View(std::nullptr_t) {}
    View(const T *values, size_t count) : data(values), length(count) {}
    View(const std::vector<T> &values) : data(values.empty() ? &none() : values.data()), length(values.size()) {}
    template <size_t N>
    View(const T (&values)[N]) : data(values), length(N) {}
    const T *data = nullptr;
    size_t length = 0;

private:
    static const T &none() {
        static const T value = T();
        return value;
    }
};

// A ByteArray: the bytes of any array.
struct Bytes {
    Bytes(std::nullptr_t) {}
    Bytes(const void *bytes, size_t count) : data(bytes), length(count) {}
    template <class T>
    Bytes(const std::vector<T> &values) : data(View<T>(values).data), length(values.size() * sizeof(T)) {}
    template <class T, size_t N>
    Bytes(const T (&values)[N]) : data(values), length(sizeof values) {}
    const void *data = nullptr;
    size_t length = 0;
};

// A ByteArray with AGAL.
struct Bytecode {
    template <class T>
    Bytecode(const T &from, bool is_big_endian = false) : bytes(from), big_endian(is_big_endian) {}
    Bytes bytes;
    bool big_endian;
};

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
template <class Handle, MolehillStatus (*destroy)(Handle)>
class Owner {
public:
    Owner() = default;
    explicit Owner(Handle handle) : handle_(handle) {}
    Owner(Owner &&other) noexcept : handle_(other.release()) {}
    Owner &operator=(Owner &&other) noexcept {
        const Handle handle = other.release();
        if (handle_.id)
            destroy(handle_);
        handle_ = handle;
        return *this;
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() {
        if (handle_.id)
            destroy(handle_);
    }
    operator Handle() const { return handle_; }
    explicit operator bool() const { return handle_.id != 0; }
    MOLEHILL_NODISCARD Handle get() const { return handle_; }
    // Gives up the handle: the caller must destroy it.
    MOLEHILL_NODISCARD Handle release() {
        const Handle handle = handle_;
        handle_ = Handle();
        return handle;
    }

protected:
    Handle handle_ = Handle();
};

template <class Handle>
MolehillStatus release_object(Handle handle) {
    return molehill_object_release(MOLEHILL_OBJECT(handle));
}

// Destroys a Stage3D, a context, or an object of a context.
inline MolehillStatus destroy_any(MolehillObject handle) {
    MolehillStatus status = molehill_object_release(handle);
    if (status == MOLEHILL_STATUS_BAD_HANDLE)
        status = molehill_context_destroy(MolehillContext{handle.id});
    return status == MOLEHILL_STATUS_BAD_HANDLE ? molehill_stage3d_destroy(MolehillStage3D{handle.id}) : status;
}

// Owns the handle of any object of ActionScript: a Stage3D, a context, or an object of one.
using Any = Owner<MolehillObject, destroy_any>;

// Owns a buffer, program or texture: any thread may destroy it, also after its context.
template <class Handle>
class Object : public Owner<Handle, release_object<Handle>> {
public:
    using Owner<Handle, release_object<Handle>>::Owner;
    MOLEHILL_CHECKED MolehillStatus set_user_data(uint64_t data) const {
        return check(molehill_object_set_user_data(MOLEHILL_OBJECT(this->handle_), data));
    }
    // In recordings and debuggers.
    MOLEHILL_CHECKED MolehillStatus set_name(const char *name) const {
        return check(molehill_object_set_name(MOLEHILL_OBJECT(this->handle_), name));
    }
};

}  // namespace molehill

#include "molehill_calls.hpp"

namespace molehill {

// The renderer of contexts.
class Device : public Owner<MolehillDevice, molehill_device_destroy> {
public:
    using Owner::Owner;
    // Creates a device in the host's GL context; see molehill_device_from_loader. The loader may throw; the functions in
    // `current` must not.
    MOLEHILL_NODISCARD static Device from_loader(MolehillLoader loader, void *user_data,
                                                 const MolehillMakeCurrent *current = nullptr,
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
    MOLEHILL_NODISCARD static Device offscreen(const MolehillDeviceOptions *options = nullptr) {
        Device device;
        (void)check(molehill_device_offscreen(options, &device.handle_));
        return device;
    }
    MOLEHILL_NODISCARD static Device software(const MolehillDeviceOptions *options = nullptr) {
        Device device;
        (void)check(molehill_device_software(options, &device.handle_));
        return device;
    }
};

// A Context3D.
class Context : public Calls {
public:
    using Calls::Calls;
    Context() = default;
    Context(MolehillDevice device, const char *profile, uint32_t swf_version) {
        MolehillContextOptions options = sized<MolehillContextOptions>();
        options.profile = profile;
        options.swf_version = swf_version;
        (void)check(molehill_context_create(device, &options, &handle_));
    }
    Context(MolehillDevice device, const MolehillContextOptions &options) {
        (void)check(molehill_context_create(device, &options, &handle_));
    }
    // Reads the picture of the last present: R, G, B, A, top row first; empty before the first one. The size is that of
    // the program's back buffer.
    MOLEHILL_NODISCARD std::vector<uint8_t> read_front(uint32_t width, uint32_t height) const {
        MolehillSize size = {width, height};
        return read_front(size, sized<MolehillPixels>());
    }
    // Reads all pixels of the picture, and their size: with MOLEHILL_SCALE, more than the back buffer's.
    MOLEHILL_NODISCARD std::vector<uint8_t> read_front(MolehillSize &size) const {
        MolehillPixels pixels = sized<MolehillPixels>();
        pixels.full_size = 1;
        size = MolehillSize();
        (void)check(molehill_context_read_front(handle_, nullptr, &pixels, &size));
        return read_front(size, pixels);
    }

private:
    std::vector<uint8_t> read_front(MolehillSize size, MolehillPixels pixels) const {
        std::vector<uint8_t> rgba(size_t(size.width) * size.height * 4);
        pixels.pixels = rgba.data();
        pixels.length = rgba.size();
        pixels.rgba = 1;
        if (check(molehill_context_read_front(handle_, nullptr, &pixels, nullptr)) != MOLEHILL_STATUS_OK)
            rgba.clear();
        return rgba;
    }
};

// Owns a Stage3D: its position, and requests for contexts.
class Stage3D : public Owner<MolehillStage3D, molehill_stage3d_destroy> {
public:
    using Owner::Owner;
    Stage3D() { (void)check(molehill_stage3d_create(&handle_)); }
};

// Passes pictures to the thread that shows them: molehill_context_publish_front, molehill_front_exchange_acquire.
class FrontExchange : public Owner<MolehillFrontExchange, molehill_front_exchange_destroy> {
public:
    using Owner::Owner;
    FrontExchange() { (void)check(molehill_front_exchange_create(&handle_)); }
};

// Owns a checked pair of AGAL programs, without a context: its interface and shaders.
class Agal : public Owner<MolehillAgal, molehill_agal_destroy> {
public:
    using Owner::Owner;
    Agal(const Bytecode &vertex, const Bytecode &fragment, const char *profile = nullptr) {
        (void)check(molehill_agal_create(vertex.bytes.data, vertex.bytes.length, vertex.big_endian, fragment.bytes.data,
                                         fragment.bytes.length, fragment.big_endian, profile, &handle_));
    }
    MOLEHILL_NODISCARD MolehillAgalInfo info() const {
        MolehillAgalInfo info = sized<MolehillAgalInfo>();
        (void)check(molehill_agal_info(handle_, &info));
        return info;
    }
    // Returns GLSL, which is valid until the next call of glsl or wgsl.
    MOLEHILL_NODISCARD MolehillShaders glsl(const MolehillGlslTarget *target = nullptr) const {
        MolehillShaders shaders = sized<MolehillShaders>();
        (void)check(molehill_agal_glsl(handle_, target, &shaders));
        return shaders;
    }
    MOLEHILL_NODISCARD MolehillShaders wgsl(const MolehillWgslTarget *target = nullptr) const {
        MolehillShaders shaders = sized<MolehillShaders>();
        (void)check(molehill_agal_wgsl(handle_, target, &shaders));
        return shaders;
    }
};

// The arguments of a native call in a VM; see MolehillArguments. A function returns 1 with the value, 0 for null, or -1 if
// the VM throws. `call` throws its C++ exceptions again.
class Arguments {
public:
    virtual ~Arguments() {}
    virtual bool is_left() { return true; }
    virtual int32_t next_int(int32_t &value) = 0;
    virtual int32_t next_uint(uint32_t &value) = 0;
    virtual int32_t next_number(double &value) = 0;
    virtual int32_t next_bool(MolehillBool &value) = 0;
    virtual int32_t next_string(const char *&value) = 0;
    virtual int32_t next_bytes(MolehillBytes &value) = 0;
    virtual int32_t next_numbers(MolehillNumbers &value) = 0;
    virtual int32_t next_floats(MolehillFloats &) { return 0; }
    virtual int32_t next_uints(MolehillUints &value) = 0;
    virtual int32_t next_matrix(MolehillMatrix &value) = 0;
    virtual int32_t next_rectangle(MolehillRectangle &value) = 0;
    virtual int32_t next_point(MolehillPoint &) { return 0; }
    virtual int32_t next_bitmap(MolehillBitmap &value) = 0;
    virtual int32_t next_bitmap_target(MolehillBitmapTarget &value) = 0;
    virtual int32_t next_object(MolehillObject &value) = 0;
    virtual int32_t next_strings(MolehillTexts &value) = 0;
    virtual bool listens() { return true; }

    // molehill_call with these arguments. Errors are not thrown: what ActionScript gets is in molehill_last_error.
    MOLEHILL_NODISCARD MolehillStatus call(MolehillObject on, const char *class_name, const char *method,
                                           MolehillObject *created = nullptr) {
        MolehillArguments table = sized<MolehillArguments>();
        table.user_data = this;
        table.is_left = [](void *self) -> MolehillBool { return static_cast<Arguments *>(self)->is_left(); };
        table.next_int = take<int32_t, &Arguments::next_int>;
        table.next_uint = take<uint32_t, &Arguments::next_uint>;
        table.next_number = take<double, &Arguments::next_number>;
        table.next_bool = take<MolehillBool, &Arguments::next_bool>;
        table.next_string = take<const char *, &Arguments::next_string>;
        table.next_bytes = take<MolehillBytes, &Arguments::next_bytes>;
        table.next_numbers = take<MolehillNumbers, &Arguments::next_numbers>;
        table.next_floats = take<MolehillFloats, &Arguments::next_floats>;
        table.next_uints = take<MolehillUints, &Arguments::next_uints>;
        table.next_matrix = take<MolehillMatrix, &Arguments::next_matrix>;
        table.next_rectangle = take<MolehillRectangle, &Arguments::next_rectangle>;
        table.next_point = take<MolehillPoint, &Arguments::next_point>;
        table.next_bitmap = take<MolehillBitmap, &Arguments::next_bitmap>;
        table.next_bitmap_target = take<MolehillBitmapTarget, &Arguments::next_bitmap_target>;
        table.next_object = take<MolehillObject, &Arguments::next_object>;
        table.next_strings = take<MolehillTexts, &Arguments::next_strings>;
        table.listens = [](void *self) -> MolehillBool { return static_cast<Arguments *>(self)->listens(); };
        const MolehillStatus status = molehill_call(on, class_name, method, &table, created);
#if MOLEHILL_EXCEPTIONS
        if (thrown_)
            std::rethrow_exception(std::move(thrown_));
#endif
        return status;
    }

private:
    template <class T, int32_t (Arguments::*next)(T &)>
    static int32_t take(void *user_data, T *value) {
        Arguments &self = *static_cast<Arguments *>(user_data);
#if MOLEHILL_EXCEPTIONS
        try {
            return (self.*next)(*value);
        } catch (...) {
            self.thrown_ = std::current_exception();
            return -1;
        }
    }
    std::exception_ptr thrown_;
#else
        return (self.*next)(*value);
    }
#endif
};

// A capture that is being written.
class Recording : public Owner<MolehillRecording, molehill_recording_stop> {
public:
    using Owner::Owner;
    Recording() = default;
    Recording(const char *path, const MolehillRecordingOptions &options) {
        (void)check(molehill_recording_start(path, &options, &handle_));
    }
};

}  // namespace molehill

#endif

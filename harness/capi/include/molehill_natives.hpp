// For VMs in C++: tables of the members that they declare, and natives whose arguments are an array of the VM's values. C++11
// and later, also without exceptions and RTTI.
#ifndef MOLEHILL_NATIVES_HPP
#define MOLEHILL_NATIVES_HPP

#include <cstring>
#include <forward_list>
#include <type_traits>

#include "molehill.hpp"

namespace molehill {

// A method, setter or getter of a class.
struct Member {
    enum Kind { METHOD, SETTER, GETTER };
    const char *class_name;
    const char *name;
    Kind kind;
    unsigned needed;   // number of arguments without a default
    unsigned most;     // number of arguments with a default or without
    const char *type;  // of a getter's value, or the class of the object that a method creates, or "void"
    bool is_static;
};

// A constant of a class: `text`, or `number` if that is null.
struct Constant {
    const char *class_name;
    const char *name;
    const char *text;
    int32_t number;
};

#define MOLEHILL_METHOD_ROW(cls, name, needed, most, creates) {#cls, #name, Member::METHOD, needed, most, #creates, false},
#define MOLEHILL_SETTER_ROW(cls, name) {#cls, #name, Member::SETTER, 1, 1, "void", false},
#define MOLEHILL_GETTER_ROW(cls, name, type, is_static) {#cls, #name, Member::GETTER, 0, 0, #type, is_static != 0},
#define MOLEHILL_TEXT_ROW(cls, name, text) {#cls, #name, text, 0},
#define MOLEHILL_NUMBER_ROW(cls, name, number) {#cls, #name, nullptr, number},
constexpr Member MEMBERS[] = {
    MOLEHILL_METHODS(MOLEHILL_METHOD_ROW) MOLEHILL_SETTERS(MOLEHILL_SETTER_ROW) MOLEHILL_PROPERTIES(MOLEHILL_GETTER_ROW)
};
constexpr size_t MEMBER_COUNT = sizeof MEMBERS / sizeof *MEMBERS;
constexpr Constant CONSTANTS[] = {
    MOLEHILL_CONSTANTS(MOLEHILL_TEXT_ROW) MOLEHILL_INT_CONSTANTS(MOLEHILL_NUMBER_ROW)
};

// Calls a function with each member of a class, and its index in MEMBERS.
template <class Function>
void each_member(const char *class_name, Function function) {
    for (size_t n = 0; n < MEMBER_COUNT; n++)
        if (!std::strcmp(MEMBERS[n].class_name, class_name))
            function(MEMBERS[n], n);
}

// Calls a function with each constant of a class.
template <class Function>
void each_constant(const char *class_name, Function function) {
    for (const Constant &constant : CONSTANTS)
        if (!std::strcmp(constant.class_name, class_name))
            function(constant);
}

// Returns the package of a class of MOLEHILL_CLASSES.
inline const char *package_of(const char *class_name) {
    static const char *const textures[] = {"TextureBase", "Texture", "RectangleTexture", "CubeTexture", "VideoTexture"};
    for (const char *texture : textures)
        if (!std::strcmp(texture, class_name))
            return "flash.display3D.textures";
    return "flash.display3D";
}

#undef MOLEHILL_METHOD_ROW
#undef MOLEHILL_SETTER_ROW
#undef MOLEHILL_GETTER_ROW
#undef MOLEHILL_TEXT_ROW
#undef MOLEHILL_NUMBER_ROW

// The result of a native in ActionScript.
struct Returned {
    enum Kind { UNDEFINED, NOTHING, BOOLEAN, INT, NUMBER, STRING, CONTEXT, OBJECT };  // NOTHING: null
    Kind kind = UNDEFINED;
    double number = 0;                         // BOOLEAN, INT, NUMBER
    const char *text = nullptr;                // STRING, and the class of OBJECT; until the context's next native
    MolehillObject object = MolehillObject();  // OBJECT: a new one
};

// Returns the pixels of Flash's own BitmapData: B, G, R, A, premultiplied, rows without padding.
inline MolehillBitmapTarget bitmap_data(uint32_t width, uint32_t height, uint8_t *pixels, size_t length, bool transparent) {
    MolehillBitmapTarget target = sized<MolehillBitmapTarget>();
    target.width = width;
    target.height = height;
    target.pixels = pixels;
    target.length = length;
    target.transparent = transparent;
    return target;
}

// The call of a native whose arguments are an array of the VM's values. The VM converts one value at a time. This class takes the
// values in their order, handles null and missing arguments, and owns converted vectors and strings until the end of the call. `Vm`
// is the class that derives from this one. If it is final, the compiler inlines the conversion of a vector's elements into one loop.
template <class Value, class Vm = void>
class NativeCall : private Arguments {
public:
    NativeCall(Value *arguments, size_t count) : next_(arguments), end_(arguments + count) {}
    // Calls the method, sets or gets the property; `on` is the object, or its Stage3D or context. Errors are returned, not thrown.
    MOLEHILL_NODISCARD MolehillStatus run(const Member &member, MolehillObject on, Returned &returned) {
        if (member.kind == Member::GETTER)
            return read(member, on, returned);
        const MolehillStatus status = call(on, member.class_name, member.name, &returned.object);
        if (status >= 0 && std::strcmp(member.type, "void")) {
            returned.kind = returned.object.id ? Returned::OBJECT : Returned::NOTHING;
            returned.text = member.type;
        }
        return status;
    }

protected:
    virtual bool is_null(Value &value) = 0;
    virtual bool has_thrown() { return false; }  // the VM, while it converted a value
    virtual int32_t to_int(Value &value) = 0;
    virtual uint32_t to_uint(Value &value) = 0;
    virtual double to_number(Value &value) = 0;
    virtual bool to_bool(Value &value) = 0;
    virtual std::string to_text(Value &value) = 0;
    // Convert objects, which are never null. False: the VM has thrown, such as 1034 for an object of another class.
    virtual bool vector_length(Value &value, size_t &length) = 0;
    virtual Value vector_element(Value &value, size_t index) = 0;
    virtual bool to_bytes(Value &value, MolehillBytes &to) = 0;
    virtual bool to_matrix(Value &value, MolehillMatrix &to) = 0;
    virtual bool to_rectangle(Value &value, MolehillRectangle &to) = 0;
    virtual bool to_point(Value &, MolehillPoint &) { return true; }
    // With `written`, the call changes the pixels.
    virtual bool to_bitmap(Value &value, MolehillBitmapTarget &to, bool written) = 0;
    virtual bool to_object(Value &value, MolehillObject &to) = 0;
    bool listens() override { return true; }

private:
    using Self = NativeCall;
    using Host = typename std::conditional<std::is_void<Vm>::value, NativeCall, Vm>::type;

    // Returns the elements of a vector, in memory that later calls of the thread reuse.
    template <class E>
    class Kept {
    public:
        ~Kept() {
            if (memory_.size() > spare().size() && memory_.size() <= (1 << 20))
                memory_.swap(spare());
        }
        E *take(size_t length) {
            memory_.swap(spare());
            if (memory_.size() < length)
                memory_.resize(length);
            return memory_.data();
        }

    private:
        static std::vector<E> &spare() {
            static thread_local std::vector<E> spare;
            return spare;
        }
        std::vector<E> memory_;
    };

    static MolehillStatus read(const Member &member, MolehillObject on, Returned &returned) {
        MolehillValue value = sized<MolehillValue>();
        const MolehillStatus status = molehill_property(on, member.class_name, member.name, &value);
        if (status < 0)
            return status;
        const bool is_int = !std::strcmp(member.type, "int");
        returned.number = value.number;
        returned.text = value.text;
        switch (value.kind) {
            case MOLEHILL_VALUE_KIND_NULL: returned.kind = Returned::NOTHING; break;
            case MOLEHILL_VALUE_KIND_BOOLEAN: returned.kind = Returned::BOOLEAN; break;
            case MOLEHILL_VALUE_KIND_NUMBER: returned.kind = is_int ? Returned::INT : Returned::NUMBER; break;
            case MOLEHILL_VALUE_KIND_TEXT: returned.kind = Returned::STRING; break;
            case MOLEHILL_VALUE_KIND_CONTEXT: returned.kind = Returned::CONTEXT; break;
        }
        return status;
    }
    // Returns the next argument; null if there is none, or if it is null.
    Value *next() {
        Value *const value = next_ == end_ ? nullptr : next_++;
        return value && is_null(*value) ? nullptr : value;
    }
    // Returns 1 unless the VM has thrown.
    int32_t done() { return has_thrown() ? -1 : 1; }
    template <class T, class C>
    int32_t primitive(T &value, C (Self::*convert)(Value &)) {
        if (next_ != end_)
            value = (this->*convert)(*next_++);
        return done();
    }
    template <class T>
    int32_t object(T &value, bool (Self::*convert)(Value &, T &)) {
        Value *const from = next();
        if (!from)
            return 0;
        return (this->*convert)(*from, value) ? done() : -1;
    }
    template <class E, E (*convert)(Host &, Value &), class T>
    int32_t vector(T &value, Kept<E> &kept) {
        Value *const from = next();
        if (!from)
            return 0;
        if (!vector_length(*from, value.length))
            return -1;
        E *const to = kept.take(value.length + 1);  // an empty one is not null
        value.data = to;
        Host &host = static_cast<Host &>(*this);
        for (size_t index = 0; index < value.length; index++) {
            Value element = host.vector_element(*from, index);
            to[index] = convert(host, element);
        }
        return done();
    }
    static double number_of(Host &host, Value &value) { return host.to_number(value); }
    static float float_of(Host &host, Value &value) { return static_cast<float>(host.to_number(value)); }
    static uint32_t uint_of(Host &host, Value &value) { return host.to_uint(value); }
    static const char *text_of(Host &host, Value &value) { return static_cast<Self &>(host).to_c_text(value); }
    const char *to_c_text(Value &value) {
        if (is_null(value))
            return nullptr;
        texts_.push_front(to_text(value));
        return texts_.front().c_str();
    }
    bool to_read_bitmap(Value &value, MolehillBitmap &to) {
        MolehillBitmapTarget from = sized<MolehillBitmapTarget>();
        const bool converted = to_bitmap(value, from, false);
        to.width = from.width;
        to.height = from.height;
        to.pixels = from.pixels;
        to.length = from.length;
        to.stride = from.stride;
        to.transparent = from.transparent;
        to.rgba = from.rgba;
        to.straight_alpha = from.straight_alpha;
        return converted;
    }
    bool to_written_bitmap(Value &value, MolehillBitmapTarget &to) { return to_bitmap(value, to, true); }

    bool is_left() override { return next_ != end_; }
    int32_t next_int(int32_t &value) override { return primitive(value, &Self::to_int); }
    int32_t next_uint(uint32_t &value) override { return primitive(value, &Self::to_uint); }
    int32_t next_number(double &value) override { return primitive(value, &Self::to_number); }
    int32_t next_bool(MolehillBool &value) override { return primitive(value, &Self::to_bool); }
    int32_t next_string(const char *&value) override {
        const int32_t done = primitive(value, &Self::to_c_text);
        return value ? done : 0;
    }
    int32_t next_bytes(MolehillBytes &value) override { return object(value, &Self::to_bytes); }
    int32_t next_numbers(MolehillNumbers &value) override { return vector<double, &Self::number_of>(value, numbers_); }
    int32_t next_floats(MolehillFloats &value) override { return vector<float, &Self::float_of>(value, floats_); }
    int32_t next_uints(MolehillUints &value) override { return vector<uint32_t, &Self::uint_of>(value, uints_); }
    int32_t next_strings(MolehillTexts &value) override { return vector<const char *, &Self::text_of>(value, pointers_); }
    int32_t next_matrix(MolehillMatrix &value) override { return object(value, &Self::to_matrix); }
    int32_t next_rectangle(MolehillRectangle &value) override { return object(value, &Self::to_rectangle); }
    int32_t next_point(MolehillPoint &value) override { return object(value, &Self::to_point); }
    int32_t next_bitmap(MolehillBitmap &value) override { return object(value, &Self::to_read_bitmap); }
    int32_t next_bitmap_target(MolehillBitmapTarget &value) override { return object(value, &Self::to_written_bitmap); }
    int32_t next_object(MolehillObject &value) override { return object(value, &Self::to_object); }

    Value *next_;
    Value *end_;
    std::forward_list<std::string> texts_;
    Kept<double> numbers_;
    Kept<float> floats_;
    Kept<uint32_t> uints_;
    Kept<const char *> pointers_;
};

}  // namespace molehill

#endif

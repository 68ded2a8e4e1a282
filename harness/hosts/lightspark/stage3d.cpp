// Stage3D by Molehill: natives, events, recordings and the picture. The VM's thread has a GL context that shares objects with
// the render thread's, and publishes pictures for it.
#include "stage3d.h"

#include <SDL.h>
#include <algorithm>
#include <list>
#include "../../capi/include/molehill.hpp"
#include "backends/lsopengl.h"
#include "platforms/engineutils.h"
#include "scripting/abc.h"
#include "scripting/argconv.h"
#include "scripting/flash/display/BitmapData.h"
#include "scripting/flash/display/RootMovieClip.h"
#include "scripting/flash/display/Stage.h"
#include "scripting/flash/geom/Matrix3D.h"
#include "scripting/flash/geom/Rectangle.h"
#include "scripting/flash/utils/ByteArray.h"
#include "scripting/toplevel/Integer.h"
#include "scripting/toplevel/Vector.h"
#include "backends/rendering.h"

namespace lightspark {

static struct {
    SDL_Window *window;
    SDL_GLContext gl;
    MolehillDevice device;
    MolehillRecording recording;
    std::vector<Stage3D *> stages;
} host;

// Throws Flash's error in the VM, and logs every other.
static void raise(ASWorker *wrk, MolehillStatus status) {
    MolehillError error = molehill::sized<MolehillError>();
    molehill_last_error(&error);
    if (status == MOLEHILL_STATUS_FLASH_ERROR) {
        const auto create = error.error_class == MOLEHILL_ERROR_CLASS_ARGUMENT_ERROR ? createErrorWithMessage<ArgumentError>
            : error.error_class == MOLEHILL_ERROR_CLASS_RANGE_ERROR                  ? createErrorWithMessage<RangeError>
            : error.error_class == MOLEHILL_ERROR_CLASS_TYPE_ERROR                   ? createErrorWithMessage<TypeError>
                                                                                     : createErrorWithMessage<ASError>;
        create(wrk, error.number, error.as3_message);
    } else if (status < 0 && status != MOLEHILL_STATUS_THROWN)
        LOG(LOG_ERROR, "Molehill: " << error.message);
}

static Native *native_of(asAtom a) {
    return dynamic_cast<Native *>(asAtomHandler::getObject(a));
}

void Native::release() {
    if (handle && molehill_object_release(MolehillObject{handle}) < 0)
        molehill_context_destroy(MolehillContext{handle});
    handle = 0;
}

// The arguments of a native call.
struct Vm : molehill::Arguments {
    Vm(ASWorker *worker, asAtom receiver, asAtom *arguments, unsigned count)
        : wrk(worker), obj(receiver), args(arguments), left(count) {}
    ASWorker *wrk;
    asAtom obj;
    asAtom *args;
    unsigned left;
    std::list<tiny_string> texts;
    std::vector<double> numbers;
    std::vector<uint32_t> uints;
    std::vector<const char *> strings;

    asAtom &next() {
        static asAtom none = asAtomHandler::nullAtom;
        return left ? (left--, *args++) : none;
    }
    static bool is_null(asAtom a) { return asAtomHandler::isNull(a) || asAtomHandler::isUndefined(a); }
    int32_t done() { return wrk->currentCallContext && wrk->currentCallContext->exceptionthrown ? -1 : 1; }
    int32_t mismatch(asAtom a, const char *wanted) {
        createError<TypeError>(wrk, kCheckTypeFailedError, asAtomHandler::toObject(a, wrk)->getClassName(), wanted);
        return -1;
    }
    template <class T, class F>
    int32_t take(F fill) {
        asAtom &a = next();
        if (is_null(a))
            return 0;
        if (!asAtomHandler::is<T>(a))
            return mismatch(a, ClassName<T>::name);
        fill(asAtomHandler::as<T>(a));
        return done();
    }
    bool is_left() override { return left > 0; }
    int32_t next_int(int32_t &value) override { return value = asAtomHandler::toInt(next()), done(); }
    int32_t next_uint(uint32_t &value) override { return value = asAtomHandler::getUInt(wrk, next()), done(); }
    int32_t next_number(double &value) override { return value = asAtomHandler::toNumber(next()), done(); }
    int32_t next_bool(MolehillBool &value) override { return value = asAtomHandler::Boolean_concrete(next()), done(); }
    const char *text(asAtom a) {
        if (is_null(a))
            return nullptr;
        texts.push_back(asAtomHandler::toString(a, wrk));
        return texts.back().raw_buf();
    }
    int32_t next_string(const char *&value) override {
        value = text(next());
        return value ? done() : 0;
    }
    int32_t next_bytes(MolehillBytes &value) override {
        return take<ByteArray>([&](ByteArray *from) {
            value = {from->getLength() ? from->getBufferNoCheck() : (uint8_t *)"", from->getLength(), !from->getLittleEndian()};
        });
    }
    template <class T, class V, class F>
    int32_t vector(V &value, std::vector<T> &to, F convert) {
        return take<Vector>([&](Vector *from) {
            to.resize(from->size() + 1);  // never null
            for (uint32_t i = 0; i < from->size(); i++)
                to[i] = convert(from->at(i));
            value = {to.data(), from->size()};
        });
    }
    int32_t next_numbers(MolehillNumbers &value) override { return vector(value, numbers, asAtomHandler::toNumber); }
    int32_t next_uints(MolehillUints &value) override { return vector(value, uints, asAtomHandler::toNumber); }
    int32_t next_strings(MolehillTexts &value) override {
        return vector(value, strings, [this](asAtom a) { return text(a); });
    }
    bool listens() override { return asAtomHandler::as<EventDispatcher>(obj)->hasEventListener("context3DCreate"); }
    int32_t next_matrix(MolehillMatrix &value) override {
        return take<Matrix3D>([&](Matrix3D *from) {
            float raw[16];
            from->getRawDataAsFloat(raw);
            std::copy(raw, raw + 16, value.raw_data);
        });
    }
    int32_t next_rectangle(MolehillRectangle &value) override {
        return take<Rectangle>([&](Rectangle *from) { value = {from->x, from->y, from->width, from->height}; });
    }
    template <class B>
    int32_t bitmap(B &value, bool written) {
        return take<BitmapData>([&](BitmapData *from) {
            asAtom a = asAtomHandler::fromObject(from), flag = asAtomHandler::falseAtom, nothing;
            BitmapContainer *pixels = from->getBitmapContainer().getPtr();
            if (!pixels)
                return;
            BitmapData::_getTransparent(flag, wrk, a, nullptr, 0);
            value.width = pixels->getWidth();
            value.height = pixels->getHeight();
            value.pixels = pixels->getData();
            value.length = pixels->getDataSize();
            value.transparent = asAtomHandler::Boolean_concrete(flag);
            if (!written)
                return;
            pixels->setModifiedTexture(false);
            pixels->setModifiedData(true);
            BitmapData::lock(nothing, wrk, a, nullptr, 0);
            BitmapData::unlock(nothing, wrk, a, nullptr, 0);  // shows it
        });
    }
    int32_t next_bitmap(MolehillBitmap &value) override { return bitmap(value, false); }
    int32_t next_bitmap_target(MolehillBitmapTarget &value) override { return bitmap(value, true); }
    int32_t next_object(MolehillObject &value) override {
        asAtom &a = next();
        if (is_null(a))
            return 0;
        const Native *native = native_of(a);
        value.id = native ? native->handle : 0;
        return native ? 1 : mismatch(a, "flash.display3D object");
    }
};

// A method, setter or getter.
struct Member {
    const char *cls, *name;
    METHOD_TYPE type;
    bool of_objects, is_int;
    unsigned needed, most;
    ASObject *(*create)(ASWorker *wrk);  // for the object that it returns
};
template <class T>
static ASObject *create(ASWorker *wrk) {
    return Class<T>::getInstanceS(wrk);
}
template <>
ASObject *create<void>(ASWorker *) {
    return nullptr;
}
#define METHOD(cls, name, needed, most, creates) {#cls, #name, NORMAL_METHOD, true, false, needed, most, create<creates>},
#define SETTER(cls, name) {#cls, #name, SETTER_METHOD, true, false, 1, 1, create<void>},
#define GETTER(cls, name, as3_type, is_static) {#cls, #name, GETTER_METHOD, !is_static, !strcmp(#as3_type, "int"), 0, 0, nullptr},
static const Member members[] = {MOLEHILL_METHODS(METHOD) MOLEHILL_SETTERS(SETTER) MOLEHILL_PROPERTIES(GETTER)};
static const size_t MEMBERS = sizeof members / sizeof *members;

static void call(asAtom &ret, Vm &vm, MolehillObject on, const Member &member) {
    if (vm.left < member.needed || vm.left > member.most)
        return createError<ArgumentError>(vm.wrk, kWrongArgumentCountError, member.name, Integer::toString(member.needed),
                                          Integer::toString(vm.left));
    MolehillObject created = {0};
    const MolehillStatus status = vm.call(on, member.cls, member.name, &created);
    if (status < 0)
        return raise(vm.wrk, status);
    if (!created.id)
        return asAtomHandler::setUndefined(ret);
    ASObject *object = member.create(vm.wrk);
    dynamic_cast<Native *>(object)->handle = created.id;
    molehill_object_set_user_data(created, (uintptr_t)object);
    ret = asAtomHandler::fromObject(object);
}

static void get(asAtom &ret, Vm &vm, MolehillObject on, const Member &member) {
    MolehillValue value = molehill::sized<MolehillValue>();
    const MolehillStatus status = molehill_property(on, member.cls, member.name, &value);
    if (status < 0)
        return raise(vm.wrk, status);
    switch (value.kind) {
        case MOLEHILL_VALUE_KIND_NULL: return asAtomHandler::setNull(ret);
        case MOLEHILL_VALUE_KIND_BOOLEAN: return asAtomHandler::setBool(ret, value.number != 0);
        case MOLEHILL_VALUE_KIND_NUMBER:
            return member.is_int ? asAtomHandler::setInt(ret, value.number) : asAtomHandler::setNumber(ret, value.number);
        case MOLEHILL_VALUE_KIND_TEXT: ret = asAtomHandler::fromString(vm.wrk->getSystemState(), value.text); return;
        case MOLEHILL_VALUE_KIND_CONTEXT:
            return ArgumentConversionAtom<_NR<Context3D>>::toAbstract(ret, vm.wrk, asAtomHandler::as<Stage3D>(vm.obj)->context);
    }
}

template <size_t n>
static void native(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned count) {
    if (!members[n].of_objects)  // the class's own property has no context to ask
        return asAtomHandler::setBool(ret, false);
    if (asAtomHandler::is<Stage3D>(obj))
        asAtomHandler::as<Stage3D>(obj)->begin();
    const Native *receiver = native_of(obj);
    Vm vm(wrk, obj, args, count);
    (members[n].create ? call : get)(ret, vm, MolehillObject{receiver ? receiver->handle : 0}, members[n]);
}
template <size_t... n>
static std::vector<as_atom_function> natives(std::index_sequence<n...>) {
    return {native<n>...};
}

static void declare(Class_base *c, const char *name) {
    static const std::vector<as_atom_function> functions = natives(std::make_index_sequence<MEMBERS>());
    SystemState *sys = c->getSystemState();
    for (size_t n = 0; n < MEMBERS; n++)
        if (!strcmp(members[n].cls, name))
            c->setDeclaredMethodByQName(members[n].name, "", sys->getBuiltinFunction(functions[n]), members[n].type, members[n].of_objects);
    const auto constant = [&](const char *cls, const char *constant, asAtom value) {
        if (!strcmp(cls, name))
            c->setVariableAtomByQName(constant, nsNameAndKind(), value, CONSTANT_TRAIT);
    };
#define CONSTANT(cls, name, value) constant(#cls, #name, asAtomHandler::fromString(sys, value));
    MOLEHILL_CONSTANTS(CONSTANT)
    for (const auto &bit : {std::make_pair("COLOR", 1), {"DEPTH", 2}, {"STENCIL", 4}, {"ALL", 7}})
        constant("Context3DClearMask", bit.first, asAtomHandler::fromUInt(bit.second));
}

#define CLASS_INIT(name, base, number) \
    void name::sinit(Class_base *c) { \
        CLASS_SETUP_NO_CONSTRUCTOR(c, base, CLASS_SEALED); \
        declare(c, #name); \
    }
STAGE3D_CLASSES(CLASS_INIT)
CLASS_INIT(Stage3D, EventDispatcher, )

Stage3D::Stage3D(ASWorker *wrk, Class_base *c) : EventDispatcher(wrk, c) {
    subtype = SUBTYPE_STAGE3D;
    host.stages.push_back(this);
    molehill_front_exchange_create(&exchange);
}

Stage3D::~Stage3D() {
    host.stages.erase(std::remove(host.stages.begin(), host.stages.end(), this), host.stages.end());
    molehill_front_exchange_destroy(exchange);
    molehill_stage3d_destroy(MolehillStage3D{handle});
    handle = 0;
}

bool Stage3D::destruct() {
    context.reset();
    return EventDispatcher::destruct();
}

void Stage3D::begin() {
    if (handle)
        return;
    SystemState *sys = getSystemState();
    MolehillStage3D made = {0};
    molehill_stage3d_create(&made);
    handle = made.id;
    MolehillRecordingOptions header = molehill::sized<MolehillRecordingOptions>();
    const RGB color = sys->mainClip->getBackground();
    header.generator = "Lightspark";
    header.swf_version = sys->getSwfVersion();
    header.stage_width = sys->stage->internalGetWidth();
    header.stage_height = sys->stage->internalGetHeight();
    header.stage_color = color.Red << 16 | color.Green << 8 | color.Blue;
    header.frame_rate = sys->mainClip->applicationDomain->getFrameRate();
    if (!host.recording.id)
        raise(getInstanceWorker(), molehill_recording_start(nullptr, &header, &host.recording));
    const uint32_t index = std::find(host.stages.begin(), host.stages.end(), this) - host.stages.begin();
    molehill_stage3d_record(made, host.recording, index);
}

// Ends the frame of a Stage3D that was called.
void Stage3D::frame() {
    ASWorker *wrk = getInstanceWorker();
    const auto others = std::count_if(host.stages.begin(), host.stages.end(), [this](Stage3D *it) { return it != this && it->alive; });
    MolehillStageEvent event = molehill::sized<MolehillStageEvent>();
    const MolehillStage3D stage = {handle};
    while (molehill_stage3d_end_frame(stage, host.device, getSystemState()->getSwfVersion(), others, &event) == MOLEHILL_STATUS_OK) {
        EventDispatcher *target = this;
        if (event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED) {
            MolehillHost facts = molehill::sized<MolehillHost>();
            facts.no_video_textures = 1;
            molehill_context_set_host(event.context, &facts);
            context = _MR(Class<Context3D>::getInstanceS(wrk));
            context->handle = event.context.id;
        } else if (event.kind != MOLEHILL_STAGE_EVENT_KIND_ERROR)
            target = event.user_data ? reinterpret_cast<ASObject *>(event.user_data)->as<EventDispatcher>() : nullptr;
        if (!target)
            continue;
        Event *dispatched = event.error_number ? Class<ErrorEvent>::getInstanceS(wrk, "error", event.message, event.error_number)
                                               : Class<Event>::getInstanceS(wrk, target == this ? "context3DCreate" : "textureReady");
        target->incRef();
        getVm(getSystemState())->addEvent(_MR(target), _MR(dispatched));
    }
    MolehillContextInfo info = molehill::sized<MolehillContextInfo>();
    const MolehillContext now = {context ? context->handle : 0};
    alive = molehill_context_info(now, &info) == MOLEHILL_STATUS_OK && info.ended == MOLEHILL_ENDED_ALIVE;
    context3D.backBufferWidth = alive ? info.back_buffer_width : 0;
    molehill_context_publish_front(now, exchange);
    MolehillStage3DInfo place = molehill::sized<MolehillStage3DInfo>();
    molehill_stage3d_info(stage, &place);
    x = place.x;
    y = place.y;
    visible = place.visible;
}

static const void *load(void *, const char *name) {
    return SDL_GL_GetProcAddress(name);
}

void Stage3D::endFrame(SystemState *) {
    if (!host.gl || std::none_of(host.stages.begin(), host.stages.end(), [](Stage3D *it) { return it->handle != 0; }))
        return;
    if (!host.device.id) {
        SDL_GL_MakeCurrent(host.window, host.gl);
        raise(nullptr, molehill_device_from_loader(load, nullptr, nullptr, nullptr, &host.device));
    }
    for (Stage3D *it : host.stages)
        if (it->handle)
            it->frame();
    molehill_recording_end_frame(host.recording);
}

void Stage3D::shareContext(SDL_Window *window) {
    const SDL_GLContext own = SDL_GL_GetCurrentContext();
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 1);
    host.window = window;
    host.gl = SDL_GL_CreateContext(window);
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 0);
    SDL_GL_MakeCurrent(window, own);
}

bool Stage3D::renderImpl(RenderContext &ctxt) const {
    MolehillFront front = molehill::sized<MolehillFront>();
    if (context3D.isNull() || !visible || molehill_front_exchange_acquire(exchange, load, nullptr, &front) != MOLEHILL_STATUS_OK)
        return false;
    RenderThread &thread = static_cast<RenderThread &>(ctxt);
    EngineData *engine = getSystemState()->getEngineData();
    engine->exec_glActiveTexture_GL_TEXTURE0(SAMPLEPOSITION::SAMPLEPOS_STANDARD);
    engine->exec_glBlendFunc(BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA);
    engine->exec_glUseProgram(thread.gpu_program);
    engine->exec_glViewport(0, 0, thread.windowWidth, thread.windowHeight);
    const Vector2f scale = thread.getScale();
    thread.lsglLoadIdentity();
    thread.lsglTranslatef(x * scale.x - thread.getOffset().x, y * scale.y - thread.getOffset().y, 0);
    thread.setMatrixUniform(GLRenderContext::LSGL_MODELVIEW);
    thread.renderTextureToFrameBuffer(front.texture, front.width * scale.x, front.height * scale.y, nullptr, nullptr, nullptr, true, false,
                                      true, true);
    return true;
}

}  // namespace lightspark

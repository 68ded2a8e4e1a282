// Stage3D by Molehill: natives, events, recordings and the picture. The VM's thread has a GL context that shares objects with
// the render thread's, and sends each presented texture there.
#include "stage3d.h"

#include <SDL.h>
#include <algorithm>
#include <list>
#include "../../capi/include/molehill.hpp"
#include "backends/lsopengl.h"
#include "scripting/abc.h"
#include "scripting/argconv.h"
#include "scripting/class.h"
#include "scripting/flash/display/BitmapContainer.h"
#include "scripting/flash/display/BitmapData.h"
#include "scripting/flash/display/RootMovieClip.h"
#include "scripting/flash/display/Stage.h"
#include "scripting/flash/system/flashsystem.h"
#include "scripting/flash/geom/Matrix3D.h"
#include "scripting/flash/geom/Rectangle.h"
#include "scripting/flash/utils/ByteArray.h"
#include "scripting/toplevel/Integer.h"
#include "scripting/toplevel/Number.h"
#include "scripting/toplevel/Vector.h"
#include "backends/rendering.h"
#include "platforms/engineutils.h"

namespace lightspark {

static struct {
    SDL_Window *window;
    SDL_GLContext gl;
    MolehillDevice device;
    MolehillRecording recording;
    std::vector<Stage3D *> stages;
} host;

static MolehillError last_error() {
    MolehillError error = molehill::sized<MolehillError>();
    molehill_last_error(&error);
    return error;
}

// Throws Flash's error in the VM, and logs every other.
static void raise(ASWorker *wrk, MolehillStatus status) {
    const MolehillError error = last_error();
    if (status == MOLEHILL_STATUS_FLASH_ERROR) {
        switch (error.error_class) {
            case MOLEHILL_ERROR_CLASS_ARGUMENT_ERROR: return createErrorWithMessage<ArgumentError>(wrk, error.number, error.as3_message);
            case MOLEHILL_ERROR_CLASS_RANGE_ERROR: return createErrorWithMessage<RangeError>(wrk, error.number, error.as3_message);
            case MOLEHILL_ERROR_CLASS_TYPE_ERROR: return createErrorWithMessage<TypeError>(wrk, error.number, error.as3_message);
            default: return createErrorWithMessage<ASError>(wrk, error.number, error.as3_message);
        }
    }
    if (status < 0 && status != MOLEHILL_STATUS_THROWN)
        LOG(LOG_ERROR, "Molehill: " << error.message);
}

static Handle *handle_of(asAtom a) {
    if (asAtomHandler::is<VertexBuffer3D>(a))
        return asAtomHandler::as<VertexBuffer3D>(a);
    if (asAtomHandler::is<IndexBuffer3D>(a))
        return asAtomHandler::as<IndexBuffer3D>(a);
    if (asAtomHandler::is<Program3D>(a))
        return asAtomHandler::as<Program3D>(a);
    return asAtomHandler::is<TextureBase>(a) ? asAtomHandler::as<TextureBase>(a) : nullptr;
}

void Handle::release() {
    if (handle)
        molehill_object_release(MolehillObject{handle});
    handle = 0;
}

// The arguments of a native call.
struct Vm : molehill::Arguments {
    Vm(ASWorker *worker, asAtom *arguments, unsigned count) : wrk(worker), args(arguments), left(count) {}
    ASWorker *wrk;
    asAtom *args;
    unsigned left;
    std::list<tiny_string> texts;
    std::vector<double> numbers;
    std::vector<uint32_t> uints;

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
    template <class T>
    int32_t object(T *&value) {
        asAtom &a = next();
        if (is_null(a))
            return 0;
        if (!asAtomHandler::is<T>(a))
            return mismatch(a, ClassName<T>::name);
        value = asAtomHandler::as<T>(a);
        return 1;
    }
    bool is_left() override { return left > 0; }
    int32_t next_int(int32_t &value) override { return value = asAtomHandler::toInt(next()), done(); }
    int32_t next_uint(uint32_t &value) override { return value = asAtomHandler::getUInt(wrk, next()), done(); }
    int32_t next_number(double &value) override { return value = asAtomHandler::toNumber(next()), done(); }
    int32_t next_bool(MolehillBool &value) override { return value = asAtomHandler::Boolean_concrete(next()), done(); }
    int32_t next_string(const char *&value) override {
        asAtom &a = next();
        if (is_null(a))
            return 0;
        texts.push_back(asAtomHandler::toString(a, wrk));
        value = texts.back().raw_buf();
        return done();
    }
    int32_t next_bytes(MolehillBytes &value) override {
        ByteArray *bytes;
        const int32_t taken = object(bytes);
        if (taken == 1)
            value = {bytes->getLength() ? bytes->getBufferNoCheck() : (uint8_t *)"", bytes->getLength(), !bytes->getLittleEndian()};
        return taken;
    }
    template <class T, class V>
    int32_t vector(V &value, std::vector<T> &to) {
        Vector *from;
        const int32_t taken = object(from);
        if (taken != 1)
            return taken;
        to.resize(from->size() + 1);  // never null
        for (uint32_t i = 0; i < from->size(); i++)
            to[i] = asAtomHandler::toNumber(from->at(i));
        value = {to.data(), from->size()};
        return done();
    }
    int32_t next_numbers(MolehillNumbers &value) override { return vector(value, numbers); }
    int32_t next_uints(MolehillUints &value) override { return vector(value, uints); }
    int32_t next_matrix(MolehillMatrix &value) override {
        Matrix3D *matrix;
        float raw[16];
        const int32_t taken = object(matrix);
        if (taken == 1) {
            matrix->getRawDataAsFloat(raw);
            std::copy(raw, raw + 16, value.raw_data);
        }
        return taken;
    }
    int32_t next_rectangle(MolehillRectangle &value) override {
        Rectangle *rectangle;
        const int32_t taken = object(rectangle);
        if (taken == 1)
            value = {rectangle->x, rectangle->y, rectangle->width, rectangle->height};
        return taken;
    }
    template <class B>
    int32_t bitmap(B &value, bool written) {
        asAtom a = left ? *args : asAtomHandler::nullAtom, flag = asAtomHandler::falseAtom, nothing;
        BitmapData *data;
        const int32_t taken = object(data);
        if (taken != 1 || data->getBitmapContainer().isNull())
            return taken;
        BitmapContainer *pixels = data->getBitmapContainer().getPtr();
        BitmapData::_getTransparent(flag, wrk, a, nullptr, 0);
        value.width = pixels->getWidth();
        value.height = pixels->getHeight();
        value.pixels = pixels->getData();
        value.length = pixels->getDataSize();
        value.transparent = asAtomHandler::Boolean_concrete(flag);
        if (written) {
            pixels->setModifiedTexture(false);
            pixels->setModifiedData(true);
            BitmapData::lock(nothing, wrk, a, nullptr, 0);
            BitmapData::unlock(nothing, wrk, a, nullptr, 0);  // shows it
        }
        return taken;
    }
    int32_t next_bitmap(MolehillBitmap &value) override { return bitmap(value, false); }
    int32_t next_bitmap_target(MolehillBitmapTarget &value) override { return bitmap(value, true); }
    int32_t next_object(MolehillObject &value) override {
        asAtom &a = next();
        if (is_null(a))
            return 0;
        const Handle *object = handle_of(a);
        if (!object)
            return mismatch(a, "flash.display3D object");
        value.id = object->handle;
        return 1;
    }
};

template <class T>
static void made(asAtom &ret, ASWorker *wrk, MolehillObject created) {
    asAtomHandler::setNull(ret);
    if (!created.id)
        return;
    T *object = Class<T>::getInstanceS(wrk);
    object->handle = created.id;
    molehill_object_set_user_data(created, (uintptr_t) static_cast<ASObject *>(object));
    ret = asAtomHandler::fromObject(object);
}
template <>
void made<void>(asAtom &ret, ASWorker *, MolehillObject) {
    asAtomHandler::setUndefined(ret);
}

static MolehillObject receiver(asAtom obj) {
    const Handle *object = handle_of(obj);
    return MolehillObject{object ? object->handle : asAtomHandler::is<Context3D>(obj) ? asAtomHandler::as<Context3D>(obj)->handle : 0};
}

template <class T>
static void call(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *args, unsigned count, const char *name, const char *method,
                 unsigned needed, unsigned most) {
    if (count < needed || count > most)
        return createError<ArgumentError>(wrk, kWrongArgumentCountError, method, Integer::toString(needed), Integer::toString(count));
    MolehillObject created = MolehillObject();
    const MolehillStatus status = Vm(wrk, args, count).call(receiver(obj), name, method, &created);
    if (status < 0)
        return raise(wrk, status);
    made<T>(ret, wrk, created);
    if (!asAtomHandler::is<Context3D>(obj))
        return;
    Context3D *context = asAtomHandler::as<Context3D>(obj);
    if (!strcmp(method, "present"))
        context->presented();
    if (!strcmp(method, "configureBackBuffer")) {
        context->backBufferWidth = asAtomHandler::toInt(args[0]);
        context->backBufferHeight = asAtomHandler::toInt(args[1]);
    }
}

static void property(asAtom &ret, ASWorker *wrk, asAtom &obj, const char *name, const char *property, bool is_int) {
    MolehillValue value = molehill::sized<MolehillValue>();
    const MolehillStatus status = molehill_property(receiver(obj), name, property, &value);
    if (status < 0)
        return raise(wrk, status);
    switch (value.kind) {
        case MOLEHILL_VALUE_KIND_BOOLEAN: return asAtomHandler::setBool(ret, value.number != 0);
        case MOLEHILL_VALUE_KIND_NUMBER:
            return is_int ? asAtomHandler::setInt(ret, value.number) : asAtomHandler::setNumber(ret, value.number);
        case MOLEHILL_VALUE_KIND_TEXT: ret = asAtomHandler::fromString(wrk->getSystemState(), value.text); return;
        default: return asAtomHandler::setNull(ret);
    }
}

#define NATIVE(function, body) \
    static void function(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned int count) { body; }
#define METHOD(cls, name, needed, most, creates) NATIVE(cls##_##name, call<creates>(ret, wrk, obj, args, count, #cls, #name, needed, most))
#define SETTER(cls, name) NATIVE(cls##_set_##name, call<void>(ret, wrk, obj, args, count, #cls, #name, 1, 1))
// The class's own property has no context to ask.
#define PROPERTY(cls, name, type, is_static) \
    NATIVE(cls##_get_##name, is_static ? asAtomHandler::setBool(ret, false) : property(ret, wrk, obj, #cls, #name, !strcmp(#type, "int")))
MOLEHILL_METHODS(METHOD)
MOLEHILL_SETTERS(SETTER)
MOLEHILL_PROPERTIES(PROPERTY)
#define METHOD_ROW(cls, name, ...) {#cls, #name, NORMAL_METHOD, true, cls##_##name},
#define SETTER_ROW(cls, name) {#cls, #name, SETTER_METHOD, true, cls##_set_##name},
#define PROPERTY_ROW(cls, name, type, is_static) {#cls, #name, GETTER_METHOD, !is_static, cls##_get_##name},
#define CONSTANT_ROW(cls, name, value) {#cls, #name, value},

static void declare(Class_base *c, const char *name) {
    static const struct {
        const char *cls, *name;
        METHOD_TYPE type;
        bool of_objects;
        as_atom_function function;
    } natives[] = {MOLEHILL_METHODS(METHOD_ROW) MOLEHILL_SETTERS(SETTER_ROW) MOLEHILL_PROPERTIES(PROPERTY_ROW)};
    for (const auto &row : natives)
        if (!strcmp(row.cls, name))
            c->setDeclaredMethodByQName(row.name, "", c->getSystemState()->getBuiltinFunction(row.function), row.type, row.of_objects);
    static const struct {
        const char *cls, *name, *value;
    } constants[] = {MOLEHILL_CONSTANTS(CONSTANT_ROW)};
    for (const auto &row : constants)
        if (!strcmp(row.cls, name))
            c->setVariableAtomByQName(row.name, nsNameAndKind(), asAtomHandler::fromString(c->getSystemState(), row.value), CONSTANT_TRAIT);
}

#define OBJECT_INIT(name, base, number) \
    void name::sinit(Class_base *c) { \
        CLASS_SETUP_NO_CONSTRUCTOR(c, base, CLASS_SEALED); \
        declare(c, #name); \
    }
STAGE3D_OBJECTS(OBJECT_INIT)
OBJECT_INIT(Context3D, EventDispatcher, )
#define ENUMERATION_INIT(name) \
    void Context3D##name::sinit(Class_base *c) { \
        CLASS_SETUP_NO_CONSTRUCTOR(c, ASObject, CLASS_SEALED | CLASS_FINAL); \
        declare(c, "Context3D" #name); \
        static const std::pair<const char *, uint32_t> bits[] = {{"COLOR", 1}, {"DEPTH", 2}, {"STENCIL", 4}, {"ALL", 7}}; \
        for (const auto &bit : bits) \
            if (!strcmp(#name, "ClearMask")) \
                c->setVariableAtomByQName(bit.first, nsNameAndKind(), asAtomHandler::fromUInt(bit.second), CONSTANT_TRAIT); \
    }
STAGE3D_ENUMERATIONS(ENUMERATION_INIT)

// GL's functions for fences.
template <class F>
static F gl(const char *name) {
    return reinterpret_cast<F>(SDL_GL_GetProcAddress(name));
}
static void delete_sync(void *sync) {
    gl<PFNGLDELETESYNCPROC>("glDeleteSync")(static_cast<GLsync>(sync));
}

void Context3D::presented() {
    MolehillFront front = molehill::sized<MolehillFront>();
    if (molehill_context_acquire_front(MolehillContext{handle}, &front) != MOLEHILL_STATUS_OK)
        return;
    Locker lock(mutex);
    if (next.texture) {
        delete_sync(next.sync);
        molehill_context_release_front(MolehillContext{handle}, next.texture, nullptr);
    }
    next.texture = front.texture;
    next.sync = front.sync;
}

uint32_t Context3D::take_picture() {
    Locker lock(mutex);
    if (!next.texture)
        return shown.texture;
    gl<PFNGLWAITSYNCPROC>("glWaitSync")(static_cast<GLsync>(next.sync), 0, GL_TIMEOUT_IGNORED);
    delete_sync(next.sync);
    if (shown.texture) {
        const GLsync sync = gl<PFNGLFENCESYNCPROC>("glFenceSync")(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        gl<PFNGLFLUSHPROC>("glFlush")();
        molehill_context_release_front(MolehillContext{handle}, shown.texture, sync);
    }
    shown = next;
    next = Picture();
    return shown.texture;
}

bool Context3D::ended() const {
    MolehillContextInfo info = molehill::sized<MolehillContextInfo>();
    return molehill_context_info(MolehillContext{handle}, &info) != MOLEHILL_STATUS_OK || info.ended != MOLEHILL_ENDED_ALIVE;
}

void Context3D::end() {
    if (handle)
        molehill_context_destroy(MolehillContext{handle});
    handle = 0;
}

bool Context3D::destruct() {
    end();
    return EventDispatcher::destruct();
}

Stage3D::Stage3D(ASWorker *wrk, Class_base *c) : EventDispatcher(wrk, c), x(0), y(0), visible(true) {
    subtype = SUBTYPE_STAGE3D;
    host.stages.push_back(this);
}

Stage3D::~Stage3D() {
    host.stages.erase(std::remove(host.stages.begin(), host.stages.end(), this), host.stages.end());
    if (stageHandle)
        molehill_stage3d_destroy(MolehillStage3D{stageHandle});
}

bool Stage3D::destruct() {
    context3D.reset();
    former.clear();
    return EventDispatcher::destruct();
}

void Stage3D::sinit(Class_base *c) {
    CLASS_SETUP_NO_CONSTRUCTOR(c, EventDispatcher, CLASS_SEALED);
    const auto method = [c](const char *name, as_atom_function function) {
        c->setDeclaredMethodByQName(name, "", c->getSystemState()->getBuiltinFunction(function), NORMAL_METHOD, true);
    };
    method("requestContext3D", requestContext3D);
    method("requestContext3DMatchingProfiles", requestContext3DMatchingProfiles);
    REGISTER_GETTER_SETTER_RESULTTYPE(c, x, Number);
    REGISTER_GETTER_SETTER_RESULTTYPE(c, y, Number);
    REGISTER_GETTER_SETTER_RESULTTYPE(c, visible, Boolean);
    REGISTER_GETTER_RESULTTYPE(c, context3D, Context3D);
}
ASFUNCTIONBODY_GETTER_SETTER_CB(Stage3D, x, moved)
ASFUNCTIONBODY_GETTER_SETTER_CB(Stage3D, y, moved)
ASFUNCTIONBODY_GETTER_SETTER_CB(Stage3D, visible, moved)

void Stage3D::_getter_context3D(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *, const unsigned int) {
    const _NR<Context3D> &context = asAtomHandler::as<Stage3D>(obj)->context3D;
    ArgumentConversionAtom<_NR<Context3D>>::toAbstract(ret, wrk, context && !context->ended() ? context : NullRef);
}

uint64_t Stage3D::stage() {
    MolehillStage3D made = {stageHandle};
    if (!stageHandle)
        molehill_stage3d_create(&made);
    return stageHandle = made.id;
}

uint32_t Stage3D::index() const {
    return std::find(host.stages.begin(), host.stages.end(), this) - host.stages.begin();
}

template <class T>
void Stage3D::moved(T) {
    const MolehillStage3D stage = {this->stage()};
    MolehillStatus status = context3D ? molehill_context_check_position(MolehillContext{context3D->handle}, x, y) : MOLEHILL_STATUS_OK;
    for (const MolehillStatus next : {molehill_stage3d_set_x(stage, x), molehill_stage3d_set_y(stage, y)})
        status = next < 0 ? next : status;
    raise(getInstanceWorker(), status);
    molehill_stage3d_set_visible(stage, visible);
    MolehillStage3DInfo info = molehill::sized<MolehillStage3DInfo>();
    molehill_stage3d_info(stage, &info);
    x = info.x;
    y = info.y;
    molehill_recording_set_x(host.recording, index(), x);
    molehill_recording_set_y(host.recording, index(), y);
    molehill_recording_set_visible(host.recording, index(), visible);
}

void Stage3D::requestContext3D(asAtom &, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned int count) {
    Stage3D *th = asAtomHandler::as<Stage3D>(obj);
    Vm vm(wrk, args, count);
    const char *mode = "auto", *profile = "baseline";
    if ((count > 0 && vm.next_string(mode) < 0) || (count > 1 && vm.next_string(profile) < 0))
        return;
    th->renderMode = mode ? mode : "auto";
    raise(wrk, molehill_stage3d_request(MolehillStage3D{th->stage()}, mode, profile, th->hasEventListener("context3DCreate")));
}

void Stage3D::requestContext3DMatchingProfiles(asAtom &, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned int count) {
    Stage3D *th = asAtomHandler::as<Stage3D>(obj);
    Vm vm(wrk, args, count);
    Vector *from = nullptr;
    if (vm.object(from) < 0)
        return;
    std::vector<const char *> names(from ? from->size() : 0);
    for (uint32_t i = 0; i < names.size(); i++) {
        asAtom name = from->at(i);
        vm.args = &name;
        vm.left = 1;
        vm.next_string(names[i]);
    }
    names.push_back("");  // never null
    raise(wrk, molehill_stage3d_request_matching(MolehillStage3D{th->stage()}, from ? names.data() : nullptr, names.size() - 1,
                                                 th->hasEventListener("context3DCreate")));
}

void Stage3D::dispatch(EventDispatcher *target, Event *event) {
    target->incRef();
    getVm(getSystemState())->addEvent(_MR(target), _MR(event));
}

void Stage3D::create(const void *options) {
    SystemState *sys = getSystemState();
    MolehillContext context;
    if (molehill_context_create(host.device, static_cast<const MolehillContextOptions *>(options), &context) < 0)
        return raise(getInstanceWorker(), MOLEHILL_STATUS_DRIVER);
    MolehillHost facts = molehill::sized<MolehillHost>();
    facts.no_video_textures = 1;
    molehill_context_set_host(context, &facts);
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
    molehill_context_record(context, host.recording, index(), renderMode.raw_buf());
    Context3D *made = Class<Context3D>::getInstanceS(getInstanceWorker());
    made->handle = context.id;
    former.push_back(context3D);
    context3D = _MR(made);
    dispatch(this, Class<Event>::getInstanceS(getInstanceWorker(), "context3DCreate"));
}

// Events of textures, the end of the context, and the answer to the request.
void Stage3D::answer() {
    if (context3D) {
        const MolehillContext context = {context3D->handle};
        MolehillTextureEvent event = molehill::sized<MolehillTextureEvent>();
        while (molehill_context_take_texture_event(context, &event) == MOLEHILL_STATUS_OK)
            if (event.user_data)
                dispatch(reinterpret_cast<ASObject *>(event.user_data)->as<EventDispatcher>(), event.failed
                    ? Class<ErrorEvent>::getInstanceS(getInstanceWorker(), "error", event.message, event.error_number)
                    : Class<Event>::getInstanceS(getInstanceWorker(), "textureReady"));
        molehill_stage3d_context_ended(MolehillStage3D{stageHandle}, context);
    }
    const auto others = std::count_if(host.stages.begin(), host.stages.end(),
        [this](Stage3D *it) { return it != this && it->context3D && !it->context3D->ended(); });
    MolehillContextOptions options = molehill::sized<MolehillContextOptions>();
    const MolehillStatus status = molehill_stage3d_answer(
        MolehillStage3D{stageHandle}, host.device, getSystemState()->getSwfVersion(), others, &options);
    if (status == MOLEHILL_STATUS_OK)
        create(&options);
    else if (status == MOLEHILL_STATUS_FLASH_ERROR) {
        const MolehillError error = last_error();
        dispatch(this, Class<ErrorEvent>::getInstanceS(getInstanceWorker(), "error", error.as3_message, error.number));
    }
}

void Stage3D::endFrame(SystemState *) {
    if (!host.gl || std::none_of(host.stages.begin(), host.stages.end(), [](Stage3D *it) { return it->stageHandle != 0; }))
        return;
    if (!host.device.id) {
        const auto load = [](void *, const char *name) -> const void * { return SDL_GL_GetProcAddress(name); };
        SDL_GL_MakeCurrent(host.window, host.gl);
        if (molehill_device_from_loader(load, nullptr, nullptr, nullptr, &host.device) < 0)
            LOG(LOG_ERROR, "Molehill: " << last_error().message);
    }
    for (Stage3D *it : host.stages)
        if (it->stageHandle)
            it->answer();
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
    const uint32_t picture = context3D && visible ? context3D->take_picture() : 0;
    if (!picture)
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
    thread.renderTextureToFrameBuffer(picture, context3D->backBufferWidth * scale.x, context3D->backBufferHeight * scale.y, nullptr,
                                      nullptr, nullptr, true, false, true, true);
    return true;
}

}  // namespace lightspark

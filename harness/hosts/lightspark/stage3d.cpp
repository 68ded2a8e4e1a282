// Stage3D by Molehill. The VM's thread has a GL context that shares objects with the render thread's, and publishes pictures.
#include "stage3d.h"

#include <SDL.h>
#include <algorithm>
#include "platforms/engineutils.h"
#include "scripting/abc.h"
#include "scripting/argconv.h"
#include "scripting/flash/display/BitmapData.h"
#include "scripting/flash/display/RootMovieClip.h"
#include "scripting/flash/display/Stage.h"
#include "scripting/flash/geom/Matrix3D.h"
#include "scripting/flash/geom/Rectangle.h"
#include "scripting/flash/utils/ByteArray.h"
#include "scripting/toplevel/Vector.h"
#include "backends/rendering.h"

namespace lightspark {

static struct {
    SDL_Window *window;
    std::atomic<SDL_GLContext> gl;  // set last, by the render thread
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
    // A function refuses handles of other kinds.
    if (handle && molehill_object_release({handle}) < 0 && molehill_context_destroy({handle}) < 0)
        molehill_stage3d_destroy({handle});
    handle = 0;
}

struct Vm final : molehill::NativeCall<asAtom, Vm> {  // the call of a native
    Vm(ASWorker *worker, asAtom receiver, asAtom *arguments, unsigned count)
        : NativeCall(arguments, count), wrk(worker), obj(receiver) {}
    ASWorker *wrk;
    asAtom obj;

    bool mismatch(asAtom &a, const char *wanted) {
        createError<TypeError>(wrk, kCheckTypeFailedError, asAtomHandler::toObject(a, wrk)->getClassName(), wanted);
        return false;
    }
    template <class T, class F>
    bool take(asAtom &a, F fill) {
        if (!asAtomHandler::is<T>(a))
            return mismatch(a, ClassName<T>::name);
        fill(asAtomHandler::as<T>(a));
        return true;
    }
    bool is_null(asAtom &a) override { return asAtomHandler::isNullOrUndefined(a); }
    bool has_thrown() override { return wrk->currentCallContext && wrk->currentCallContext->exceptionthrown; }
    bool listens() override { return asAtomHandler::as<EventDispatcher>(obj)->hasEventListener("context3DCreate"); }
    int32_t to_int(asAtom &a) override { return asAtomHandler::toInt(a); }
    uint32_t to_uint(asAtom &a) override { return asAtomHandler::getUInt(wrk, a); }
    double to_number(asAtom &a) override { return asAtomHandler::toNumber(a); }
    bool to_bool(asAtom &a) override { return asAtomHandler::Boolean_concrete(a); }
    std::string to_text(asAtom &a) override { return asAtomHandler::toString(a, wrk); }
    bool vector_length(asAtom &a, size_t &length) override {
        return take<Vector>(a, [&](Vector *from) { length = from->size(); });
    }
    asAtom vector_element(asAtom &a, size_t index) override { return asAtomHandler::as<Vector>(a)->at(index); }
    bool to_bytes(asAtom &a, MolehillBytes &to) override {
        return take<ByteArray>(a, [&](ByteArray *from) {
            to = {from->getLength() ? from->getBufferNoCheck() : (uint8_t *)"", from->getLength(), !from->getLittleEndian()};
        });
    }
    bool to_matrix(asAtom &a, MolehillMatrix &to) override {
        return take<Matrix3D>(a, [&](Matrix3D *from) {
            float raw[16];
            from->getRawDataAsFloat(raw);
            std::copy(raw, raw + 16, to.raw_data);
        });
    }
    bool to_rectangle(asAtom &a, MolehillRectangle &to) override {
        return take<Rectangle>(a, [&](Rectangle *from) { to = {from->x, from->y, from->width, from->height}; });
    }
    bool to_bitmap(asAtom &a, MolehillBitmapTarget &to, bool written) override {
        return take<BitmapData>(a, [&](BitmapData *from) {
            asAtom flag = asAtomHandler::falseAtom, nothing;
            BitmapContainer *pixels = from->getBitmapContainer().getPtr();
            if (!pixels)
                return;
            pixels->flushRenderCalls(wrk->getSystemState()->getRenderThread());  // what fillRect and draw have queued
            BitmapData::_getTransparent(flag, wrk, a, nullptr, 0);
            to.width = pixels->getWidth();
            to.height = pixels->getHeight();
            to.pixels = pixels->getData();
            to.length = pixels->getDataSize();
            to.transparent = asAtomHandler::Boolean_concrete(flag);
            if (!written)
                return;
            pixels->setModifiedTexture(false);
            pixels->setModifiedData(true);
            BitmapData::lock(nothing, wrk, a, nullptr, 0);
            BitmapData::unlock(nothing, wrk, a, nullptr, 0);  // shows it
        });
    }
    bool to_object(asAtom &a, MolehillObject &to) override {
        const Native *from = native_of(a);
        to.id = from ? from->handle : 0;
        return from || mismatch(a, "flash.display3D object");
    }
};

static void create(asAtom &ret, ASWorker *wrk, const std::string &name, MolehillObject made) {
    const std::string package = name.find("Texture") == name.npos ? "flash.display3D." : "flash.display3D.textures.";
    wrk->getSystemState()->getClassInstanceByName(wrk, ret, package + name);
    native_of(ret)->handle = made.id;
    molehill_object_set_user_data(made, (uintptr_t)asAtomHandler::getObject(ret));
}

template <size_t n>
static void native(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned count) {
    const molehill::Member &member = molehill::MEMBERS[n];
    if (count < member.needed || count > member.most)
        return createError<ArgumentError>(wrk, kWrongArgumentCountError, member.name, std::to_string(member.needed), std::to_string(count));
    // The static members are those of the first Stage3D.
    Native *receiver = member.is_static ? host.stages.at(0) : native_of(obj);
    Stage3D *stage = dynamic_cast<Stage3D *>(receiver);
    if (stage)
        stage->begin();
    using molehill::Returned;
    Returned it;
    Vm vm(wrk, obj, args, count);
    const MolehillStatus status = vm.run(member, MolehillObject{receiver ? receiver->handle : 0}, it);
    if (status < 0)
        return raise(wrk, status);
    switch (it.kind) {
        case Returned::UNDEFINED: return asAtomHandler::setUndefined(ret);
        case Returned::NOTHING: return asAtomHandler::setNull(ret);
        case Returned::BOOLEAN: return asAtomHandler::setBool(ret, it.number != 0);
        case Returned::INT: return asAtomHandler::setInt(ret, it.number);
        case Returned::NUMBER: return asAtomHandler::setNumber(ret, it.number);
        case Returned::STRING: ret = asAtomHandler::fromString(wrk->getSystemState(), it.text); return;
        case Returned::CONTEXT: return ArgumentConversionAtom<_NR<Context3D>>::toAbstract(ret, wrk, stage->context);
        case Returned::OBJECT: return create(ret, wrk, it.text, it.object);
    }
}
template <size_t... n>
static std::vector<as_atom_function> natives(std::index_sequence<n...>) {
    return {native<n>...};
}

static void declare(Class_base *c, const char *name) {
    static const std::vector<as_atom_function> functions = natives(std::make_index_sequence<molehill::MEMBER_COUNT>());
    static const METHOD_TYPE types[] = {NORMAL_METHOD, SETTER_METHOD, GETTER_METHOD};
    SystemState *sys = c->getSystemState();
    for (size_t n = 0; n < molehill::MEMBER_COUNT; n++) {
        const molehill::Member &it = molehill::MEMBERS[n];
        if (!strcmp(it.class_name, name))
            c->setDeclaredMethodByQName(it.name, "", sys->getBuiltinFunction(functions[n]), types[it.kind], !it.is_static);
    }
    for (const molehill::Constant &it : molehill::CONSTANTS) {
        const asAtom value = it.text ? asAtomHandler::fromString(sys, it.text) : asAtomHandler::fromInt(it.number);
        if (!strcmp(it.class_name, name))
            c->setVariableAtomByQName(it.name, nsNameAndKind(), value, CONSTANT_TRAIT);
    }
}

#define CLASS_INIT(name, base) \
    void name::sinit(Class_base *c) { \
        CLASS_SETUP_NO_CONSTRUCTOR(c, base, CLASS_SEALED); \
        declare(c, #name); \
    }
MOLEHILL_CLASSES(CLASS_INIT)
CLASS_INIT(Stage3D, EventDispatcher)

Stage3D::Stage3D(ASWorker *wrk, Class_base *c) : EventDispatcher(wrk, c) {
    subtype = SUBTYPE_STAGE3D;
    host.stages.push_back(this);
    molehill_front_exchange_create(&exchange);
}

bool Stage3D::destruct() {
    host.stages.erase(std::remove(host.stages.begin(), host.stages.end(), this), host.stages.end());
    molehill_front_exchange_destroy(exchange);
    release();
    context.reset();
    return EventDispatcher::destruct();
}

void Stage3D::begin() {
    if (handle)
        return;
    SystemState *sys = getSystemState();
    handle = molehill::Stage3D().release().id;
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
    molehill_stage3d_record({handle}, host.recording, std::find(host.stages.begin(), host.stages.end(), this) - host.stages.begin());
    MolehillHost facts = molehill::sized<MolehillHost>();
    facts.no_video_textures = 1;
    molehill_stage3d_set_host({handle}, &facts);
}

// Dispatches the events of a Stage3D that was called: before the frame's own events, or after them.
void Stage3D::frame(bool ends) {
    ASWorker *wrk = getInstanceWorker();
    const auto next = ends ? molehill_stage3d_end_frame : molehill_stage3d_begin_frame;
    auto others = std::count_if(host.stages.begin(), host.stages.end(), [this](Stage3D *it) { return it != this && it->shown.alive; });
    MolehillStageEvent event = molehill::sized<MolehillStageEvent>();
    while (next({handle}, host.device, getSystemState()->getSwfVersion(), others, &event) == MOLEHILL_STATUS_OK) {
        ASObject *target = event.user_data ? reinterpret_cast<ASObject *>(event.user_data) : this;
        if (event.kind == MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED) {
            context = _MR(Class<Context3D>::getInstanceS(wrk));
            context->handle = event.context.id;
        }
        Event *dispatched = event.error_number ? Class<ErrorEvent>::getInstanceS(wrk, "error", event.message, event.error_number)
                                               : Class<Event>::getInstanceS(wrk, target == this ? "context3DCreate" : "textureReady");
        target->incRef();
        ends ? getVm(getSystemState())->addEvent(_MR(target->as<EventDispatcher>()), _MR(dispatched))
             : getVm(getSystemState())->prependEvent(_MR(target->as<EventDispatcher>()), _MR(dispatched), true);
    }
    molehill_context_publish_front(MolehillContext{context ? context->handle : 0}, exchange);
    Locker lock(mutex);
    molehill_stage3d_info({handle}, &shown);
}

static const MolehillLoader load = [](void *, const char *name) -> const void * { return SDL_GL_GetProcAddress(name); };

std::atomic<bool> Stage3D::used, Stage3D::news;
void Stage3D::frames(bool ends) {
    if (!host.gl || std::none_of(host.stages.begin(), host.stages.end(), [](Stage3D *it) { return it->handle != 0; }))
        return;
    // With EGL, two threads can't draw to one window, and a context needs none; with others, a context needs a window.
    if (!host.device.id && SDL_GL_MakeCurrent(nullptr, host.gl) && SDL_GL_MakeCurrent(host.window, host.gl))
        LOG(LOG_ERROR, "Stage3D has no GL context: " << SDL_GetError());
    else if (!host.device.id)
        raise(nullptr, molehill_device_from_loader(load, nullptr, nullptr, nullptr, &host.device));
    for (Stage3D *it : host.stages)
        if (it->handle)
            it->frame(ends);
    if (!ends)
        return;
    molehill_recording_end_frame(host.recording);
    used = news = true;
}

void Stage3D::shareContext(SDL_Window *window) {
    const SDL_GLContext own = SDL_GL_GetCurrentContext();
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 1);
    host.window = window;
    const SDL_GLContext gl = SDL_GL_CreateContext(window);
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 0);
    SDL_GL_MakeCurrent(window, own);
    host.gl = gl;
}

bool Stage3D::renderImpl(RenderContext &ctxt) const {
    const MolehillStage3DInfo at = info();
    MolehillFront front = molehill::sized<MolehillFront>();
    if (!at.alive || !at.visible || molehill_front_exchange_acquire(exchange, load, nullptr, &front) != MOLEHILL_STATUS_OK)
        return false;
    RenderThread &thread = static_cast<RenderThread &>(ctxt);
    const Vector2f scale = thread.getScale();
    getSystemState()->getEngineData()->exec_glBlendFunc(BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA);
    thread.lsglLoadIdentity();
    thread.lsglTranslatef(at.x * scale.x - thread.getOffset().x, at.y * scale.y - thread.getOffset().y, 0);
    thread.setMatrixUniform(GLRenderContext::LSGL_MODELVIEW);
    thread.renderTextureToFrameBuffer(front.texture, front.width * scale.x, front.height * scale.y, nullptr, nullptr, nullptr, true, false,
                                      true, true);
    return true;
}

}  // namespace lightspark

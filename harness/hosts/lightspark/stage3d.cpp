// Stage3D by Molehill. The VM's thread draws with a GL context that shares objects with that of the render thread.
#include "stage3d.h"

#include <SDL.h>
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

// State of the VM's thread; the render thread sets the window before the context.
static SDL_Window *the_window;
static std::atomic<SDL_GLContext> vm_gl;
molehill::Player Stage3D::player;

// Throws a Flash error in the VM; logs any other error.
static void raise(ASWorker *wrk, MolehillStatus status) {
    const MolehillError error = molehill::last_error();
    if (status == MOLEHILL_STATUS_FLASH_ERROR)
        molehill::of_class(error.error_class, createErrorWithMessage<ASError>, createErrorWithMessage<ArgumentError>,
                           createErrorWithMessage<RangeError>, createErrorWithMessage<TypeError>)(wrk, error.number, error.as3_message);
    else if (status < 0 && status != MOLEHILL_STATUS_THROWN)
        LOG(LOG_ERROR, "Molehill: " << error.message);
}

static Native *native_of(asAtom a) {
    return dynamic_cast<Native *>(asAtomHandler::getObject(a));
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
            to = molehill::bitmap_data(pixels->getWidth(), pixels->getHeight(), pixels->getData(), pixels->getDataSize(),
                                       asAtomHandler::Boolean_concrete(flag));
            if (!written)
                return;
            pixels->setModifiedTexture(false);
            pixels->setModifiedData(true);
            BitmapData::lock(nothing, wrk, a, nullptr, 0);
            BitmapData::unlock(nothing, wrk, a, nullptr, 0);  // shows it
        });
    }
    bool to_object(asAtom &a, MolehillObject &to) override {
        Native *from = native_of(a);
        to = from ? from->object() : MolehillObject();
        return from || mismatch(a, "flash.display3D object");
    }
};

static void create(asAtom &ret, ASWorker *wrk, const std::string &name, MolehillObject made) {
    wrk->getSystemState()->getClassInstanceByName(wrk, ret, molehill::package_of(name.c_str()) + ("." + name));
    native_of(ret)->handle = molehill::Any(made);
    molehill_object_set_user_data(made, (uintptr_t)asAtomHandler::getObject(ret));
}

template <size_t n>
static void native(asAtom &ret, ASWorker *wrk, asAtom &obj, asAtom *args, const unsigned count) {
    const molehill::Member &member = molehill::MEMBERS[n];
    if (count < member.needed || count > member.most)
        return createError<ArgumentError>(wrk, kWrongArgumentCountError, member.name, std::to_string(member.needed), std::to_string(count));
    // Static members are called on the first Stage3D.
    Native *receiver = native_of(obj);
    using molehill::Returned;
    Returned it;
    Vm vm(wrk, obj, args, count);
    const MolehillObject on = member.is_static ? Stage3D::player.stages().at(0)->object()
        : receiver                             ? receiver->object()
                                               : MolehillObject();
    const MolehillStatus status = vm.run(member, on, it);
    if (status < 0)
        return raise(wrk, status);
    switch (it.kind) {
        case Returned::UNDEFINED: return asAtomHandler::setUndefined(ret);
        case Returned::NOTHING: return asAtomHandler::setNull(ret);
        case Returned::BOOLEAN: return asAtomHandler::setBool(ret, it.number != 0);
        case Returned::INT: return asAtomHandler::setInt(ret, it.number);
        case Returned::NUMBER: return asAtomHandler::setNumber(ret, it.number);
        case Returned::STRING: ret = asAtomHandler::fromString(wrk->getSystemState(), it.text); return;
        case Returned::CONTEXT:
            return ArgumentConversionAtom<_NR<Context3D>>::toAbstract(ret, wrk, asAtomHandler::as<Stage3D>(obj)->context);
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
    molehill::each_member(name, [&](const molehill::Member &it, size_t n) {
        c->setDeclaredMethodByQName(it.name, "", sys->getBuiltinFunction(functions[n]), types[it.kind], !it.is_static);
    });
    molehill::each_constant(name, [&](const molehill::Constant &it) {
        const asAtom value = it.text ? asAtomHandler::fromString(sys, it.text) : asAtomHandler::fromInt(it.number);
        c->setVariableAtomByQName(it.name, nsNameAndKind(), value, CONSTANT_TRAIT);
    });
}

#define CLASS_INIT(name, base) \
    void name::sinit(Class_base *c) { \
        CLASS_SETUP_NO_CONSTRUCTOR(c, base, CLASS_SEALED); \
        declare(c, #name); \
    }
MOLEHILL_CLASSES(CLASS_INIT)
CLASS_INIT(Stage3D, EventDispatcher)

Stage3D::Stage3D(ASWorker *wrk, Class_base *c) : EventDispatcher(wrk, c), PlayerStage(player) {
    subtype = SUBTYPE_STAGE3D;
}

bool Stage3D::destruct() {
    leave();
    context.reset();
    return EventDispatcher::destruct();
}

void Stage3D::describe(MolehillRecordingOptions &program, MolehillHost &host) {
    SystemState *sys = getSystemState();
    const RGB color = sys->mainClip->getBackground();
    program.generator = "Lightspark";
    program.swf_version = sys->getSwfVersion();
    program.stage_width = sys->stage->internalGetWidth();
    program.stage_height = sys->stage->internalGetHeight();
    program.stage_color = color.Red << 16 | color.Green << 8 | color.Blue;
    program.frame_rate = sys->mainClip->applicationDomain->getFrameRate();
    host.no_video_textures = 1;
}

void Stage3D::fail(MolehillStatus status) {
    raise(getInstanceWorker(), status);
}

void Stage3D::dispatch(const MolehillStageEvent &event, bool ends) {
    ASWorker *wrk = getInstanceWorker();
    ASObject *target = event.user_data ? reinterpret_cast<ASObject *>(event.user_data) : this;
    if (event.context.id) {
        context = _MR(Class<Context3D>::getInstanceS(wrk));
        context->handle = molehill::Any(MOLEHILL_OBJECT(event.context));
    }
    Event *dispatched = event.error_number ? Class<ErrorEvent>::getInstanceS(wrk, "error", event.message, event.error_number)
                                           : Class<Event>::getInstanceS(wrk, target == this ? "context3DCreate" : "textureReady");
    target->incRef();
    ends ? getVm(getSystemState())->addEvent(_MR(target->as<EventDispatcher>()), _MR(dispatched))
         : getVm(getSystemState())->prependEvent(_MR(target->as<EventDispatcher>()), _MR(dispatched), true);
}

static const MolehillLoader load = [](void *, const char *name) -> const void * { return SDL_GL_GetProcAddress(name); };

void Stage3D::frames(bool ends) {
    if (!vm_gl || !player.is_called())
        return;
    // Tries without a window first: EGL needs none, and allows one thread per window. Other systems need a window.
    const bool fails = !player.has_device() && SDL_GL_MakeCurrent(nullptr, vm_gl) && SDL_GL_MakeCurrent(the_window, vm_gl);
    if (fails)
        LOG(LOG_ERROR, "Stage3D has no GL context: " << SDL_GetError());
    player.frame(ends, fails ? nullptr : load);
}

void Stage3D::shareContext(SDL_Window *window) {
    const SDL_GLContext own = SDL_GL_GetCurrentContext();
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 1);
    the_window = window;
    const SDL_GLContext gl = SDL_GL_CreateContext(window);
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, 0);
    SDL_GL_MakeCurrent(window, own);
    vm_gl = gl;
}

bool Stage3D::renderImpl(RenderContext &ctxt) const {
    MolehillStage3DInfo at;
    MolehillFront front = molehill::sized<MolehillFront>();
    if (!acquire(load, nullptr, front, at))
        return false;
    RenderThread &thread = static_cast<RenderThread &>(ctxt);
    const Vector2f scale = thread.getScale();
    getSystemState()->getEngineData()->exec_glBlendFunc(BLEND_ONE, BLEND_ONE_MINUS_SRC_ALPHA);
    thread.lsglLoadIdentity();
    thread.lsglTranslatef(at.x * scale.x - thread.getOffset().x, at.y * scale.y - thread.getOffset().y, 0);
    thread.setMatrixUniform(GLRenderContext::LSGL_MODELVIEW);
    thread.renderTextureToFrameBuffer(front.texture, at.width * scale.x, at.height * scale.y, nullptr, nullptr, nullptr, true, false,
                                      true, true);
    return true;
}

}  // namespace lightspark

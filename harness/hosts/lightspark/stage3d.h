// Stage3D by Molehill: the classes of flash.display3D and Stage3D for Lightspark. build.sh puts it in place of its own headers.
#pragma once
#include <atomic>
#include "../../capi/include/molehill_natives.hpp"
#include "backends/rendering_context.h"
#include "scripting/flash/events/flashevents.h"

struct SDL_Window;

namespace lightspark {

// The native part of an object: Molehill's handle.
struct Native {
    uint64_t handle = 0;
    void release();
    virtual ~Native() { release(); }
};

// Classes without members of their own.
using Object = ASObject;
#define STAGE3D_CLASS(name, base) \
    class name : public base, public virtual Native { \
    public: \
        using base::base; \
        bool destruct() override { \
            release(); \
            return base::destruct(); \
        } \
        static void sinit(Class_base *c); \
    };
MOLEHILL_CLASSES(STAGE3D_CLASS)

class Stage3D : public EventDispatcher, public virtual Native {
public:
    Stage3D(ASWorker *wrk, Class_base *c);
    bool destruct() override;
    static void sinit(Class_base *c);
    // Makes a GL context for the VM's thread, on the render thread whose context is current.
    static void shareContext(SDL_Window *window);
    static void frames(bool ends);  // on the VM's thread, before each frame and after
    void begin();                   // before the first call
    // On the render thread.
    MolehillStage3DInfo info() const { Locker lock(mutex); return shown; }
    bool isShown() const { const auto it = info(); return it.alive && it.visible; }
    bool renderImpl(RenderContext &ctxt) const;
    static bool hasNews() { return !used || news.exchange(false); }  // a frame since the last call
    _NR<Context3D> context;

private:
    static std::atomic<bool> used, news;
    void frame(bool ends);
    mutable Mutex mutex;  // of `shown`, which only the VM's thread changes
    MolehillStage3DInfo shown = molehill::sized<MolehillStage3DInfo>();
    MolehillFrontExchange exchange = {0};
};

}  // namespace lightspark

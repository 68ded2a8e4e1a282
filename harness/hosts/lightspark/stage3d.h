// Stage3D by Molehill: Lightspark's Stage3D and classes of flash.display3D. build.sh replaces the original headers.
#pragma once
#include "../../capi/include/molehill_natives.hpp"
#include "../../capi/include/molehill_player.hpp"
#include "backends/rendering_context.h"
#include "scripting/flash/events/flashevents.h"

struct SDL_Window;

namespace lightspark {

// The native part of an object: Molehill's C handle.
struct Native {
    molehill::Any handle;
    virtual MolehillObject object() { return handle; }
    virtual ~Native() = default;
};

// Classes without members of their own.
using Object = ASObject;
#define STAGE3D_CLASS(name, base) \
    class name : public base, public virtual Native { \
    public: \
        using base::base; \
        bool destruct() override { \
            handle = molehill::Any(); \
            return base::destruct(); \
        } \
        static void sinit(Class_base *c); \
    };
MOLEHILL_CLASSES(STAGE3D_CLASS)

class Stage3D : public EventDispatcher, public Native, public molehill::PlayerStage {
public:
    Stage3D(ASWorker *wrk, Class_base *c);
    bool destruct() override;
    static void sinit(Class_base *c);
    MolehillObject object() override { return PlayerStage::object(); }
    // Creates a GL context for the VM's thread. Call it on the render thread, whose context is current.
    static void shareContext(SDL_Window *window);
    static void frames(bool ends);  // on the VM's thread, before each frame and after
    // Returns whether this Stage3D is displayed. Call it on the render thread.
    bool isShown() const { return is_shown(); }
    bool renderImpl(RenderContext &ctxt) const;
    static bool hasNews() { return player.has_news(); }
    static molehill::Player player;
    _NR<Context3D> context;

private:
    void describe(MolehillRecordingOptions &program, MolehillHost &host) override;
    void dispatch(const MolehillStageEvent &event, bool ends) override;
    void fail(MolehillStatus status) override;
};

}  // namespace lightspark

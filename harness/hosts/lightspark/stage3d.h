// Stage3D by Molehill: the classes of flash.display3D and Stage3D for Lightspark. build.sh puts it in place of its own headers.
#ifndef MOLEHILL_LIGHTSPARK_H
#define MOLEHILL_LIGHTSPARK_H 1

#include "../../capi/include/molehill.h"
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

// Classes without members of their own: class, superclass, its number in Lightspark.
#define STAGE3D_CLASSES(m) \
    m(Context3D, EventDispatcher, SUBTYPE_CONTEXT3D) m(VertexBuffer3D, ASObject, SUBTYPE_VERTEXBUFFER3D) \
    m(IndexBuffer3D, ASObject, SUBTYPE_INDEXBUFFER3D) m(Program3D, ASObject, SUBTYPE_PROGRAM3D) \
    m(TextureBase, EventDispatcher, SUBTYPE_TEXTUREBASE) m(Texture, TextureBase, SUBTYPE_TEXTURE) \
    m(CubeTexture, TextureBase, SUBTYPE_CUBETEXTURE) m(RectangleTexture, TextureBase, SUBTYPE_RECTANGLETEXTURE) \
    m(VideoTexture, TextureBase, SUBTYPE_VIDEOTEXTURE) \
    STAGE3D_CONSTANTS(m, BlendFactor) STAGE3D_CONSTANTS(m, BufferUsage) STAGE3D_CONSTANTS(m, ClearMask) \
    STAGE3D_CONSTANTS(m, CompareMode) STAGE3D_CONSTANTS(m, MipFilter) STAGE3D_CONSTANTS(m, Profile) \
    STAGE3D_CONSTANTS(m, ProgramType) STAGE3D_CONSTANTS(m, RenderMode) STAGE3D_CONSTANTS(m, StencilAction) \
    STAGE3D_CONSTANTS(m, TextureFilter) STAGE3D_CONSTANTS(m, TextureFormat) STAGE3D_CONSTANTS(m, TriangleFace) \
    STAGE3D_CONSTANTS(m, VertexBufferFormat) STAGE3D_CONSTANTS(m, WrapMode)
#define STAGE3D_CONSTANTS(m, name) m(Context3D##name, ASObject, SUBTYPE_NOT_SET)
#define STAGE3D_CLASS(name, base, number) \
    class name : public base, public virtual Native { \
    public: \
        name(ASWorker *wrk, Class_base *c) : base(wrk, c) { subtype = number; } \
        bool destruct() override { \
            release(); \
            return base::destruct(); \
        } \
        static void sinit(Class_base *c); \
    };
STAGE3D_CLASSES(STAGE3D_CLASS)

class Stage3D : public EventDispatcher, public virtual Native {
    friend class Stage;
    bool renderImpl(RenderContext &ctxt) const;

public:
    Stage3D(ASWorker *wrk, Class_base *c);
    ~Stage3D();
    bool destruct() override;
    static void sinit(Class_base *c);
    // Makes a GL context for the VM's thread, on the render thread whose context is current.
    static void shareContext(SDL_Window *window);
    // After each frame, on the VM's thread.
    static void endFrame(SystemState *sys);
    // Before the first call.
    void begin();
    _NR<Context3D> context;

private:
    void frame();
    bool alive = false;  // its context
    // What the render thread reads, partly in Stage.
    struct {
        int backBufferWidth = 0, backBufferHeight = 1;
        bool isNull() const { return backBufferWidth == 0; }
        const auto *operator->() const { return this; }
    } context3D;
    double x = 0, y = 0;
    bool visible = true;
    MolehillFrontExchange exchange = {0};
};

}  // namespace lightspark

#endif

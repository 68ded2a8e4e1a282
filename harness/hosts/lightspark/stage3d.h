// Stage3D by Molehill: the classes of flash.display3D and Stage3D for Lightspark. build.sh puts it in place of its own headers.
#ifndef MOLEHILL_LIGHTSPARK_H
#define MOLEHILL_LIGHTSPARK_H 1

#include <vector>
#include "backends/rendering_context.h"
#include "scripting/flash/events/flashevents.h"
#include "threading.h"

struct SDL_Window;

namespace lightspark {

// The classes of constants that Lightspark registers.
#define STAGE3D_ENUMERATIONS(m) \
    m(BlendFactor) m(BufferUsage) m(ClearMask) m(CompareMode) m(MipFilter) m(Profile) m(ProgramType) m(RenderMode) \
    m(StencilAction) m(TextureFilter) m(TextureFormat) m(TriangleFace) m(VertexBufferFormat) m(WrapMode)
#define STAGE3D_ENUMERATION(name) \
    class Context3D##name : public ASObject { \
    public: \
        Context3D##name(ASWorker *wrk, Class_base *c) : ASObject(wrk, c) {} \
        static void sinit(Class_base *c); \
    };
STAGE3D_ENUMERATIONS(STAGE3D_ENUMERATION)

// Buffers, programs and textures: class, superclass, its number in Lightspark. `handle` is a MolehillObject's.
#define STAGE3D_OBJECTS(m) \
    m(VertexBuffer3D, ASObject, SUBTYPE_VERTEXBUFFER3D) m(IndexBuffer3D, ASObject, SUBTYPE_INDEXBUFFER3D) \
    m(Program3D, ASObject, SUBTYPE_PROGRAM3D) m(TextureBase, EventDispatcher, SUBTYPE_TEXTUREBASE) \
    m(Texture, TextureBase, SUBTYPE_TEXTURE) m(CubeTexture, TextureBase, SUBTYPE_CUBETEXTURE) \
    m(RectangleTexture, TextureBase, SUBTYPE_RECTANGLETEXTURE) m(VideoTexture, TextureBase, SUBTYPE_VIDEOTEXTURE)
struct Handle {
    uint64_t handle = 0;
    void release();
};
#define STAGE3D_OBJECT(name, base, number) \
    class name : public base, public Has##base##Handle { \
    public: \
        name(ASWorker *wrk, Class_base *c) : base(wrk, c) { subtype = number; } \
        bool destruct() override { \
            release(); \
            return base::destruct(); \
        } \
        static void sinit(Class_base *c); \
    };
using HasASObjectHandle = Handle;
using HasEventDispatcherHandle = Handle;
struct HasTextureBaseHandle {};  // TextureBase has it
STAGE3D_OBJECTS(STAGE3D_OBJECT)

class Context3D : public EventDispatcher {
public:
    Context3D(ASWorker *wrk, Class_base *c) : EventDispatcher(wrk, c) { subtype = SUBTYPE_CONTEXT3D; }
    ~Context3D() { end(); }
    bool destruct() override;
    static void sinit(Class_base *c);
    bool ended() const;
    void end();
    void presented();          // on the VM's thread
    uint32_t take_picture();   // on the render thread: a texture, or 0
    uint64_t handle = 0;       // a MolehillContext's
    int backBufferWidth = 0, backBufferHeight = 0;

private:
    Mutex mutex;
    struct Picture {
        uint32_t texture = 0;
        void *sync = nullptr;
    } next, shown;
};

class Stage3D : public EventDispatcher {
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
    uint64_t stage();  // a MolehillStage3D's
    uint32_t index() const;
    ASFUNCTION_ATOM(requestContext3D);
    ASFUNCTION_ATOM(requestContext3DMatchingProfiles);
    ASPROPERTY_GETTER_SETTER(number_t, x);
    ASPROPERTY_GETTER_SETTER(number_t, y);
    ASPROPERTY_GETTER_SETTER(bool, visible);
    ASPROPERTY_GETTER(_NR<Context3D>, context3D);

private:
    template <class T>
    void moved(T old);
    void answer();
    void create(const void *options);
    void dispatch(EventDispatcher *target, Event *event);
    uint64_t stageHandle = 0;
    tiny_string renderMode = "auto";
    std::vector<_NR<Context3D>> former;  // the render thread may still read them
};

}  // namespace lightspark

#endif

//! Molehill as Ruffle's Stage3D: objects, events, pictures, and the recording of MOLEHILL_RECORD. `build.sh` puts it into
//! `core/src/avm2/object`.

pub mod natives;

use crate::avm2::object::{
    ClassObject, EventObject, Object, TObject, script_object::ScriptObjectData,
};
use crate::avm2::{Activation, Avm2};
use crate::context::{RenderContext, UpdateContext};
use crate::string::AvmString;
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::{Backend as _, Surface};
use context3d::enums::FlashName as _;
use context3d::{Answer, AnyHandle, Context3D, FlashError, Stage3D};
use gc_arena::{Collect, Gc, GcWeak, barrier::unlock, lock::Lock, lock::RefLock};
use molehill_capture::{Header, RecordedContext, Recorder};
use ruffle_common::utils::HasPrefixField;
use ruffle_render::bitmap::{Bitmap, BitmapFormat, BitmapHandle, PixelRegion};
use ruffle_render::{commands::CommandHandler, matrix::Matrix};
use std::cell::{Cell, RefCell};
use std::{fs::File, io::BufWriter, rc::Rc};
use swf::Twips;

thread_local! {
    /// One device for all contexts, outside Ruffle's renderer, which may draw with anything.
    static DEVICE: Option<&'static GlDevice> = Offscreen::open(Api::OpenGl)
        .inspect_err(|error| tracing::error!("Stage3D: {error}"))
        .ok().and_then(|offscreen| offscreen.device().ok()).map(|device| &*Box::leak(Box::new(device)));
    static RECORDER: RefCell<Option<Recorder<BufWriter<File>>>> = const { RefCell::new(None) };
    static STAGES: Cell<u32> = const { Cell::new(0) };
}

fn record(what: impl FnOnce(&mut Recorder<BufWriter<File>>)) {
    RECORDER.with_borrow_mut(|recorder| recorder.as_mut().map(what));
}

/// A context with what is shown of it, shared by its object and all that it created.
struct Shared {
    context: RefCell<Context3D<GlBackend>>,
    recorded: Option<RecordedContext>,
    /// The number of the present, the size, and the renderer's copy.
    picture: RefCell<Option<(u64, (u32, u32), BitmapHandle)>>,
}

struct Native {
    shared: Rc<Shared>,
    /// `None`: the context itself.
    handle: Option<AnyHandle>,
}

impl Drop for Native {
    fn drop(&mut self) {
        if let (Some(handle), Ok(context)) = (self.handle, self.shared.context.try_borrow()) {
            context.release_queue().push(handle);
        }
    }
}

/// Ruffle's form of an object with a native part.
macro_rules! object {
    ($object:ident $weak:ident $data:ident { $($field:tt)* }) => {
        #[derive(Clone, Collect, Copy)]
        #[collect(no_drop)]
        pub struct $object<'gc>(pub Gc<'gc, $data<'gc>>);
        #[derive(Clone, Collect, Copy, Debug)]
        #[collect(no_drop)]
        pub struct $weak<'gc>(pub GcWeak<'gc, $data<'gc>>);
        #[derive(Collect, HasPrefixField)]
        #[collect(no_drop)]
        #[repr(C, align(8))]
        pub struct $data<'gc> { base: ScriptObjectData<'gc>, $($field)* }
        impl<'gc> TObject<'gc> for $object<'gc> {
            fn gc_base(&self) -> Gc<'gc, ScriptObjectData<'gc>> { HasPrefixField::as_prefix_gc(self.0) }
        }
        impl std::fmt::Debug for $object<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(stringify!($object)) }
        }
    };
}

// A `Context3D`, or an object that one created; a `Stage3D`, with the textures whose uploads are under way: the events
// carry their indices.
object!(Context3DObject Context3DObjectWeak ContextData {
    stage: Stage3DObject<'gc>,
    #[collect(require_static)] native: Native,
});
object!(Stage3DObject Stage3DObjectWeak StageData {
    #[collect(require_static)] stage: RefCell<Stage3D>,
    index: u32,
    context: Lock<Option<Context3DObject<'gc>>>,
    textures: RefLock<Vec<Object<'gc>>>,
});

impl<'gc> Context3DObject<'gc> {
    fn new(
        context: &UpdateContext<'gc>,
        class: ClassObject<'gc>,
        stage: Stage3DObject<'gc>,
        native: Native,
    ) -> Self {
        let base = ScriptObjectData::new(class);
        Context3DObject(Gc::new(context.gc(), ContextData { base, stage, native }))
    }

    /// Shows what was presented last.
    pub fn render(self, context: &mut RenderContext<'_, 'gc>) {
        let Native { shared, .. } = &self.0.native;
        let mut api = shared.context.borrow_mut();
        let Some(front) = api.backend().front() else { return };
        let mut picture = shared.picture.borrow_mut();
        if picture.as_ref().is_none_or(|(presents, ..)| *presents != front.presents) {
            let mut rgba = Vec::new();
            let Ok(size) = api.backend_mut().read_pixels(Surface::Front, &mut rgba) else { return };
            let bitmap = Bitmap::new(size.0, size.1, BitmapFormat::Rgba, rgba);
            let handle = match picture.take().filter(|(_, before, _)| *before == size) {
                Some((.., handle)) => {
                    let region = PixelRegion::for_whole_size(size.0, size.1);
                    context.renderer.update_texture(&handle, bitmap, region).map(|()| handle)
                }
                None => context.renderer.register_bitmap(bitmap),
            };
            *picture = handle.ok().map(|handle| (front.presents, size, handle));
        }
        if let Some((.., handle)) = &*picture {
            let stage = self.0.stage.0.stage.borrow();
            let mut transform = context.transform_stack.transform();
            transform.matrix *=
                Matrix::translate(Twips::from_pixels(stage.x()), Twips::from_pixels(stage.y()));
            context.commands.render_stage3d(handle.clone(), transform);
        }
    }
}

impl<'gc> Stage3DObject<'gc> {
    pub fn new(context: &mut UpdateContext<'gc>) -> Self {
        let (base, stage) =
            (ScriptObjectData::new(context.avm2.classes().stage3d), RefCell::default());
        let index = STAGES.replace(STAGES.get() + 1) % 4;
        let data = StageData {
            base,
            stage,
            index,
            context: Lock::new(None),
            textures: RefLock::default(),
        };
        Stage3DObject(Gc::new(context.gc(), data))
    }

    pub fn visible(self) -> bool {
        self.0.stage.borrow().visible()
    }

    pub fn context3d(self) -> Option<Context3DObject<'gc>> {
        self.0
            .context
            .get()
            .filter(|object| object.0.native.shared.context.borrow().ended().is_none())
    }

    /// After each frame: events of uploads, contexts that ended, requests.
    pub fn update_context3d_status(self, context: &mut UpdateContext<'gc>) {
        if let Some(object) = self.0.context.get() {
            let api = &object.0.native.shared.context;
            let next = || api.borrow_mut().take_texture_event();
            while let Some(event) = next() {
                let texture = self.0.textures.borrow().get(event.user_data as usize).copied();
                texture.map(|texture| {
                    dispatch(context, texture, "textureReady", event.error.as_ref())
                });
            }
            let ended = api.borrow().ended();
            if let Some(ended) = ended {
                self.0.stage.borrow_mut().context_ended(ended);
                unlock!(Gc::write(context.gc(), self.0), StageData, context).set(None);
            }
        }
        let requested = self.0.stage.borrow().pending_request().is_some();
        let device = DEVICE.with(|device| device.filter(|_| requested));
        let caps = device.and_then(|device| device.caps().ok());
        let answer =
            self.0.stage.borrow_mut().answer(caps.as_ref(), context.root_swf.version().into());
        match (answer, device.map(|device| device.backend())) {
            (Some(Answer::Create(options, request)), Some(Ok(backend))) => {
                let mut recorded = None;
                record(|to| {
                    recorded = Some(to.context(self.0.index, request.mode.name(), options.profile))
                });
                let api = RefCell::new(Context3D::new(backend, options));
                let shared =
                    Rc::new(Shared { context: api, recorded, picture: RefCell::default() });
                let native = Native { shared, handle: None };
                let object =
                    Context3DObject::new(context, context.avm2.classes().context3d, self, native);
                unlock!(Gc::write(context.gc(), self.0), StageData, context).set(Some(object));
                unlock!(Gc::write(context.gc(), self.0), StageData, textures).borrow_mut().clear();
                dispatch(context, self.into(), "context3DCreate", None);
            }
            (Some(Answer::Refuse(error)), _) => {
                dispatch(context, self.into(), "error", Some(&error))
            }
            (Some(Answer::Create(..)), backend) => {
                tracing::error!("Stage3D: {:?}", backend.and_then(Result::err))
            }
            (None, _) => {}
        }
        if self.0.index == 3 {
            record(Recorder::end_frame);
        }
    }
}

/// An event, or an `ErrorEvent`.
fn dispatch<'gc>(
    context: &mut UpdateContext<'gc>,
    target: Object<'gc>,
    name: &str,
    error: Option<&FlashError>,
) {
    let event = match error {
        None => EventObject::bare_default_event(context, name),
        Some(error) => {
            let [name, text] = ["error", &error.as3_message()]
                .map(|text| AvmString::new_utf8(context.gc(), text).into());
            let arguments =
                [name, false.into(), false.into(), text, i32::from(error.number()).into()];
            let mut activation = Activation::from_nothing(context);
            let class = activation.avm2().classes().errorevent;
            EventObject::from_class_and_args(&mut activation, class, &arguments)
        }
    };
    Avm2::dispatch_event(context, event, target);
}

/// Before the first call on a `Stage3D`: its position counts, too.
fn begin_recording(context: &UpdateContext<'_>) {
    if RECORDER.with_borrow(|recorder| recorder.is_some()) {
        return;
    }
    let (movie, stage) = (&context.root_swf, context.stage);
    let color = stage.background_color().unwrap_or(swf::Color::WHITE);
    let header = Header {
        title: movie.url().rsplit('/').next().unwrap_or_default().to_owned(),
        swf_version: movie.version().into(),
        stage_width: movie.width().to_pixels() as u32,
        stage_height: movie.height().to_pixels() as u32,
        stage_color: [color.r, color.g, color.b],
        frame_rate: Some(movie.frame_rate().to_f64()),
        generator: Some("Ruffle with Molehill".to_owned()),
    };
    let recorder = Recorder::from_env(&header, 1 << 32);
    let recorder = recorder.inspect_err(|error| tracing::error!("MOLEHILL_RECORD: {error}"));
    RECORDER.set(recorder.ok().flatten());
}

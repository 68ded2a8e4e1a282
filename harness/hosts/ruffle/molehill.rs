//! Molehill as Ruffle's Stage3D: the natives of `flash.display3D` and of `Stage3D`, events, pictures, and the recording of
//! MOLEHILL_RECORD. `build.sh` puts it into `core/src/avm2/object`.

use crate::avm2::globals::flash::events::event_dispatcher::has_event_listener;
use crate::avm2::globals::slots::{flash_geom_matrix_3d, flash_geom_point, flash_geom_rectangle};
use crate::avm2::object::{
    ClassObject, EventObject, Object, TObject, script_object::ScriptObjectData,
};
use crate::avm2::{Activation, Avm2, Error, Value, bytearray};
use crate::bitmap::bitmap_data::Color;
use crate::context::{RenderContext, UpdateContext};
use crate::string::AvmString;
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::{GlBackend, GlDevice};
use context3d::arguments::{ByteOrder, PixelLayout, Rectangle};
use context3d::backend::{Backend as _, Surface};
use context3d::calls::{Arguments, CALLS, Call, HeldBitmap, PROPERTIES, Property, Value as Got};
use context3d::enums::{FlashName as _, Name};
use context3d::{
    Answer, AnyHandle, Context3D, Error as ApiError, FlashError, Reply, Stage3D, agal::Endian,
};
use gc_arena::{Collect, Gc, GcWeak, barrier::unlock, lock::Lock, lock::RefLock};
use molehill_capture::{Header, RecordedContext, Recorder};
use ruffle_common::utils::HasPrefixField;
use ruffle_render::bitmap::{Bitmap, BitmapFormat, BitmapHandle, PixelRegion};
use ruffle_render::{commands::CommandHandler, matrix::Matrix};
use std::cell::{Cell, Ref, RefCell};
use std::{fs::File, io::BufWriter, rc::Rc, sync::OnceLock};
use swf::Twips;

type Act<'a, 'gc> = Activation<'a, 'gc>;
type Outcome<'gc> = Result<Value<'gc>, Error<'gc>>;

/// Ruffle's bitmaps: R, G, B, A, premultiplied.
const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

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
                begin_recording(context);
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

fn begin_recording(context: &UpdateContext<'_>) {
    let (movie, color) =
        (&context.root_swf, context.stage.background_color().unwrap_or(swf::Color::WHITE));
    let header = Header {
        title: movie.url().rsplit('/').next().unwrap_or_default().to_owned(),
        swf_version: movie.version().into(),
        stage_width: movie.width().to_pixels() as u32,
        stage_height: movie.height().to_pixels() as u32,
        stage_color: [color.r, color.g, color.b],
        frame_rate: Some(movie.frame_rate().to_f64()),
        generator: Some("Ruffle with Molehill".to_owned()),
    };
    RECORDER.with_borrow_mut(|recorder| {
        if recorder.is_none() {
            let opened = Recorder::from_env(&header, 1 << 32);
            *recorder = opened
                .inspect_err(|error| tracing::error!("MOLEHILL_RECORD: {error}"))
                .ok()
                .flatten();
        }
    });
}

/// A result of the API: undefined, or what ActionScript throws.
fn done<'gc, T>(activation: &mut Act<'_, 'gc>, result: Result<T, ApiError>) -> Outcome<'gc> {
    let error = match result {
        Ok(_) => return Ok(Value::Undefined),
        Err(ApiError::Flash(error)) => error,
        Err(error @ (ApiError::Unsupported(_) | ApiError::Backend(_))) => {
            tracing::error!("Stage3D: {error}");
            return Ok(Value::Undefined);
        }
    };
    let classes = activation.avm2().classes();
    let class = match error.class().name() {
        "ArgumentError" => classes.argumenterror,
        "RangeError" => classes.rangeerror,
        "TypeError" => classes.typeerror,
        _ => classes.error,
    };
    let text = AvmString::new_utf8(activation.gc(), error.as3_message());
    let error = class.construct(activation, &[text.into(), i32::from(error.number()).into()])?;
    Err(Error::from_value(activation, error))
}

/// The arguments of a native, which Ruffle has converted by the declaration, defaults included.
struct Values<'a, 'b, 'gc> {
    activation: &'a mut Act<'b, 'gc>,
    this: Context3DObject<'gc>,
    values: std::slice::Iter<'a, Value<'gc>>,
}

impl<'gc> Values<'_, '_, 'gc> {
    fn next(&mut self) -> Value<'gc> {
        *self.values.next().unwrap_or(&Value::Null)
    }

    fn object<T>(&mut self, get: impl FnOnce(Object<'gc>) -> Option<T>) -> Option<T> {
        self.next().as_object().and_then(get)
    }

    fn numbers<T, C: FromIterator<T>>(&mut self, number: fn(Value<'gc>) -> T) -> Option<C> {
        self.object(|object| {
            Some(object.as_vector_object()?.storage().iter().map(number).collect())
        })
    }
}

fn text(value: Value<'_>) -> Option<String> {
    if let Value::String(text) = value { Some(text.to_string()) } else { None }
}

fn bytes<'gc>(object: Object<'gc>) -> Option<(Ref<'gc, [u8]>, Endian)> {
    let bytes = object.as_bytearray_object()?.storage();
    let big = matches!(bytes.endian(), bytearray::Endian::Big);
    Some((Ref::map(bytes, |bytes| bytes.bytes()), if big { Endian::Big } else { Endian::Little }))
}

fn matrix(object: Object<'_>) -> Option<[f64; 16]> {
    let data =
        object.get_slot(flash_geom_matrix_3d::_RAW_DATA).as_object()?.as_vector_object()?.storage();
    data.iter().map(|value| value.as_f64()).collect::<Vec<_>>().try_into().ok()
}

fn slots<const N: usize>(object: Object<'_>, slots: [usize; N]) -> [f64; N] {
    slots.map(|slot| object.get_slot(slot).as_f64())
}

macro_rules! take {
    ($($name:ident -> $type:ty: |$this:ident| $get:expr;)+) => {$(
        fn $name(&mut self) -> Result<$type, Error<'gc>> {
            let $this = self;
            Ok($get)
        }
    )+};
}

impl<'gc> Arguments for Values<'_, '_, 'gc> {
    type Error = Error<'gc>;
    type Bytes = Ref<'gc, [u8]>;
    type Numbers = Vec<f64>;
    type Floats = Vec<f32>;
    type Uints = Vec<u32>;
    type Text = String;
    type Pixels = Ref<'gc, [u8]>;

    fn receiver(&mut self) -> Result<AnyHandle, Error<'gc>> {
        self.this.0.native.handle.ok_or_else(|| self.mismatch())
    }

    /// Ruffle has checked the classes.
    fn mismatch(&mut self) -> Error<'gc> {
        Error::rust_error("an object of another class".into())
    }

    take! {
        next_int -> i32: |this| this.next().as_i32();
        next_number -> f64: |this| this.next().as_f64();
        next_bool -> bool: |this| this.next().coerce_to_boolean();
        next_string -> Option<String>: |this| text(this.next());
        next_bytes -> Option<(Self::Bytes, Endian)>: |this| this.object(bytes);
        next_numbers -> Option<Vec<f64>>: |this| this.numbers(|value| value.as_f64());
        next_floats -> Option<Vec<f32>>: |this| this.numbers(|value| value.as_f64() as f32);
        next_uints -> Option<Vec<u32>>: |this| this.numbers(|value| value.as_u32());
        next_matrix -> Option<[f64; 16]>: |this| this.object(matrix);
        next_point -> Option<[f64; 2]>: |this| this.object(|point| {
            Some(slots(point, [flash_geom_point::X, flash_geom_point::Y]))
        });
        next_rectangle -> Option<Rectangle>: |this| this.object(|object| {
            use flash_geom_rectangle::{HEIGHT, WIDTH, X, Y};
            let [x, y, width, height] = slots(object, [X, Y, WIDTH, HEIGHT]);
            Some(Rectangle { x, y, width, height })
        });
        next_bitmap -> Option<HeldBitmap<Self::Pixels>>: |this| {
            let bitmap = this.object(|object| object.as_bitmap_data());
            bitmap.map(|bitmap| {
                let raw = Gc::as_ref(bitmap.sync(this.activation.context.renderer)).borrow();
                let (width, height, transparent) = (raw.width(), raw.height(), raw.transparency());
                let pixels = (!bitmap.disposed()).then(|| Ref::map(raw, |raw| raw.pixels_rgba()));
                HeldBitmap { width, height, transparent, pixels, layout: LAYOUT }
            })
        };
        next_object -> Option<AnyHandle>: |this| this.object(|object| object.as_context_3d()?.0.native.handle);
    }
}

/// A method or setter of the context or of one of its objects.
fn call<'gc>(
    row: &'static Call,
    activation: &mut Act<'_, 'gc>,
    class: &str,
    this: Context3DObject<'gc>,
    values: &[Value<'gc>],
) -> Outcome<'gc> {
    let Native { shared, handle } = &Gc::as_ref(this.0).native;
    let mut arguments = Values { activation, this, values: values.iter() };
    let result = row.with(class, &mut arguments, |command| {
        let result = shared.context.borrow_mut().execute(command);
        shared.recorded.map(|recorded| record(|to| to.call(recorded, command, &result)));
        result
    })?;
    let Ok(reply) = &result else { return done(activation, result) };
    if let (Reply::Bitmap(patch), Some(bitmap)) =
        (reply, values[0].as_object().and_then(|object| object.as_bitmap_data()))
    {
        let raw = bitmap.sync(activation.context.renderer);
        let mut raw = raw.borrow_mut(activation.gc());
        let (width, height, mut pixels) = (raw.width(), raw.height(), raw.pixels_rgba().to_vec());
        patch.write_to(&mut pixels, width, LAYOUT);
        for (at, &[r, g, b, a]) in (0..).zip(pixels.as_chunks::<4>().0) {
            raw.set_pixel32_raw(at % width, at / width, Color::rgba(r, g, b, a));
        }
        raw.set_cpu_dirty(activation.gc(), PixelRegion::for_whole_size(width, height));
    }
    if let (true, Some(handle)) = (row.raises(context3d::ErrorCode::UploadFailed), handle) {
        let mut textures =
            unlock!(Gc::write(activation.gc(), this.0.stage.0), StageData, textures).borrow_mut();
        shared.context.borrow_mut().set_user_data(*handle, textures.len() as u64);
        textures.push(this.into());
    }
    let classes = activation.avm2().classes();
    let class = match row.creates {
        Some("VertexBuffer3D") => classes.vertexbuffer3d,
        Some("IndexBuffer3D") => classes.indexbuffer3d,
        Some("Program3D") => classes.program3d,
        Some("Texture") => classes.texture,
        Some("CubeTexture") => classes.cubetexture,
        Some("RectangleTexture") => classes.rectangletexture,
        Some(_) => return Ok(Value::Null), // this host has no video
        None => return Ok(Value::Undefined),
    };
    let native = Native { shared: shared.clone(), handle: reply.handle() };
    Ok(Object::from(Context3DObject::new(activation.context, class, this.0.stage, native)).into())
}

fn get<'gc>(
    row: &'static Property,
    activation: &mut Act<'_, 'gc>,
    this: Context3DObject<'gc>,
) -> Outcome<'gc> {
    let Native { shared, handle } = &this.0.native;
    let value = shared.context.borrow().property(row.class, row.name, *handle);
    match value {
        Ok(Some(Got::Text(Some(text)))) => Ok(AvmString::new_utf8(activation.gc(), text).into()),
        Ok(Some(Got::Number(number))) => Ok(number.into()),
        Ok(Some(Got::Boolean(value))) => Ok(value.into()),
        Ok(Some(Got::Text(None)) | None) => Ok(Value::Null),
        Err(error) => done(activation, Err::<(), _>(error)),
    }
}

/// What a native does.
enum Row {
    Call(&'static Call),
    Property(&'static Property),
}

/// The row of a native by Ruffle's name for it: `set_culling`, `set_enable_error_checking`, `get_profile`.
fn row(class: &str, function: &str) -> Row {
    let plain = function.replace('_', "");
    let is = |name: &str, prefix| {
        plain.strip_prefix(prefix).is_some_and(|plain| name.eq_ignore_ascii_case(plain))
    };
    let property = PROPERTIES.iter().find(|row| row.class == class && is(row.name, "get"));
    let mut calls = CALLS.iter().filter(|call| call.classes.contains(&class));
    let call = calls.find(|call| is(call.name, "") || is(call.name, "set"));
    property.map(Row::Property).or(call.map(Row::Call)).expect("a row of the table")
}

macro_rules! natives {
    ($($module:ident $class:literal: $($function:ident)+;)+) => {$(
        pub mod $module {
            use crate::avm2::object::molehill::*;
            $(pub fn $function<'gc>(activation: &mut Act<'_, 'gc>, this: Value<'gc>, args: &[Value<'gc>]) -> Outcome<'gc> {
                static ROW: OnceLock<Row> = OnceLock::new();
                match (ROW.get_or_init(|| row($class, stringify!($function))), this.as_object().and_then(|this| this.as_context_3d())) {
                    (Row::Call(row), Some(this)) => call(row, activation, $class, this, args),
                    (Row::Property(row), Some(this)) => get(row, activation, this),
                    (_, None) => Ok(false.into()), // Context3D.supportsVideoTexture
                }
            })+
        }
    )+};
}

pub mod natives {
    natives! {
        context_3d "Context3D": configure_back_buffer clear present dispose create_vertex_buffer create_index_buffer
            create_vertex_buffer_for_instances create_program create_texture create_rectangle_texture create_cube_texture
            create_video_texture set_program set_program_constants_from_matrix set_program_constants_from_vector
            set_program_constants_from_byte_array set_vertex_buffer_at set_texture_at set_sampler_state_at set_blend_factors
            set_color_mask set_culling set_depth_test set_stencil_actions set_stencil_reference_value set_scissor_rectangle
            set_render_to_texture set_render_to_back_buffer draw_triangles draw_triangles_instanced draw_to_bitmap_data
            set_fill_mode set_enable_error_checking set_max_back_buffer_width set_max_back_buffer_height
            set_ignore_resource_limits get_driver_info get_enable_error_checking get_profile get_back_buffer_width
            get_back_buffer_height get_max_back_buffer_width get_max_back_buffer_height get_supports_video_texture
            get_total_gpu_memory get_ignore_resource_limits;
        vertex_buffer_3d "VertexBuffer3D": upload_from_byte_array upload_from_vector dispose;
        index_buffer_3d "IndexBuffer3D": upload_from_byte_array upload_from_vector dispose;
        program_3d "Program3D": upload dispose;
    }

    pub mod textures {
        natives! {
            texture_base "Texture": dispose;
            texture "Texture": upload_from_bitmap_data upload_from_byte_array upload_from_bitmap_data_async
                upload_from_byte_array_async upload_compressed_texture_from_byte_array;
            cube_texture "CubeTexture": upload_from_bitmap_data upload_from_byte_array upload_from_bitmap_data_async
                upload_from_byte_array_async upload_compressed_texture_from_byte_array;
            rectangle_texture "RectangleTexture": upload_from_bitmap_data upload_from_byte_array
                upload_from_bitmap_data_async upload_from_byte_array_async;
            video_texture "VideoTexture": get_video_width get_video_height;
        }
    }
}

/// Natives of `Stage3D`.
pub mod stage {
    use super::*;

    macro_rules! natives {
        ($($function:ident |$activation:ident, $stage:ident, $args:ident| $body:expr;)+) => {
            $(pub fn $function<'gc>($activation: &mut Act<'_, 'gc>, this: Value<'gc>, $args: &[Value<'gc>]) -> Outcome<'gc> {
                let $stage = this.as_object().and_then(|this| this.as_stage_3d()).expect("a Stage3D");
                $body
            })+
        };
    }

    /// A setter, which is recorded too.
    macro_rules! set {
        ($activation:ident $stage:ident $set:ident $value:expr) => {{
            record(|to| to.$set($stage.0.index, $value));
            let result = $stage.0.stage.borrow_mut().$set($value);
            done($activation, result)
        }};
    }

    natives! {
        get_context_3d |_activation, stage, _args| Ok(stage.context3d().map_or(Value::Null, |object| Object::from(object).into()));
        get_x |_activation, stage, _args| Ok(stage.0.stage.borrow().x().into());
        get_y |_activation, stage, _args| Ok(stage.0.stage.borrow().y().into());
        get_visible |_activation, stage, _args| Ok(stage.visible().into());
        set_x |activation, stage, args| set!(activation stage set_x args[0].as_f64());
        set_y |activation, stage, args| set!(activation stage set_y args[0].as_f64());
        set_visible |_activation, stage, args| {
            record(|to| to.set_visible(stage.0.index, args[0].coerce_to_boolean()));
            stage.0.stage.borrow_mut().set_visible(args[0].coerce_to_boolean());
            Ok(Value::Undefined)
        };
        request_context_3d |activation, stage, args| request(activation, stage, |api, listens| {
            let [mode, profile] = [0, 1].map(|at| text(args[at]));
            api.request(Name::parse(mode.as_deref()), profile.as_deref(), listens)
        });
        request_context3d_matching_profiles |activation, stage, args| request(activation, stage, |api, listens| {
            let vector = args[0].as_object().and_then(|object| object.as_vector_object());
            let names = vector.map(|vector| vector.storage().iter().map(text).collect::<Vec<_>>());
            let names = names.as_ref().map(|names| names.iter().map(Option::as_deref).collect::<Vec<_>>());
            api.request_matching(names.as_deref(), listens)
        });
    }

    fn request<'gc>(
        activation: &mut Act<'_, 'gc>,
        stage: Stage3DObject<'gc>,
        ask: impl FnOnce(&mut Stage3D, bool) -> Result<(), ApiError>,
    ) -> Outcome<'gc> {
        let event = AvmString::new_utf8(activation.gc(), "context3DCreate");
        let listens = has_event_listener(activation, Object::from(stage).into(), &[event.into()])?;
        let result = ask(&mut stage.0.stage.borrow_mut(), listens.coerce_to_boolean());
        done(activation, result)
    }
}

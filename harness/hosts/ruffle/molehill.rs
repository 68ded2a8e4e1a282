//! Molehill as Ruffle's Stage3D: the natives of `flash.display3D` and of `Stage3D`, events, pictures, and the recording of
//! MOLEHILL_RECORD. `build.sh` puts it into `core/src/avm2/object`.

use crate::avm2::globals::slots::{flash_geom_matrix_3d, flash_geom_point, flash_geom_rectangle};
use crate::avm2::object::script_object::ScriptObjectData;
use crate::avm2::object::{ClassObject, EventObject, Object, TObject};
use crate::avm2::{Activation, Avm2, Error, Value};
use crate::bitmap::bitmap_data::{BitmapData, Color};
use crate::context::{RenderContext, UpdateContext};
use crate::string::AvmString;
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::{GlBackend, GlDevice};
use context3d::agal::Endian;
use context3d::arguments::{ByteOrder, PixelLayout, Rectangle};
use context3d::backend::{Backend as _, Surface};
use context3d::calls::{
    Arguments, CALLS, Call, HeldBitmap, PROPERTIES, Property as PropertyRow, Value as Property,
};
use context3d::enums::{FlashName as _, Name};
use context3d::{Answer, AnyHandle, Context3D, Error as ApiError, FlashError, Reply, Stage3D};
use gc_arena::barrier::unlock;
use gc_arena::lock::{Lock, RefLock};
use gc_arena::{Collect, Gc, GcWeak};
use molehill_capture::{Header, RecordedContext, Recorder};
use ruffle_common::utils::HasPrefixField;
use ruffle_render::bitmap::{Bitmap, BitmapFormat, BitmapHandle, PixelRegion};
use ruffle_render::commands::CommandHandler;
use ruffle_render::matrix::Matrix;
use std::cell::{Cell, Ref, RefCell};
use std::fs::File;
use std::io::BufWriter;
use std::rc::Rc;
use std::sync::OnceLock;
use swf::Twips;

type Outcome<'gc> = Result<Value<'gc>, Error<'gc>>;

/// Ruffle's bitmaps: R, G, B, A, premultiplied.
const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

thread_local! {
    /// One device for all contexts, outside Ruffle's renderer: it may draw with anything.
    static DEVICE: Option<&'static GlDevice> = {
        let offscreen = Offscreen::open(Api::OpenGl).inspect_err(|error| tracing::error!("Stage3D: {error}"));
        let device = offscreen.ok().and_then(|offscreen| offscreen.device().ok());
        device.map(|device| &*Box::leak(Box::new(device)))
    };
    static RECORDER: RefCell<Option<Recorder<BufWriter<File>>>> = const { RefCell::new(None) };
    static STAGES: Cell<u32> = const { Cell::new(0) };
}

fn record(what: impl FnOnce(&mut Recorder<BufWriter<File>>)) {
    RECORDER.with_borrow_mut(|recorder| recorder.as_mut().map(what));
}

/// A context with what is shown of it, shared by its object and all that it created.
struct Shared {
    context: RefCell<Context3D<GlBackend>>,
    recorded: Cell<Option<RecordedContext>>,
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

/// A `Context3D`, or an object that one created.
#[derive(Clone, Collect, Copy)]
#[collect(no_drop)]
pub struct Context3DObject<'gc>(pub Gc<'gc, Context3DData<'gc>>);

#[derive(Clone, Collect, Copy, Debug)]
#[collect(no_drop)]
pub struct Context3DObjectWeak<'gc>(pub GcWeak<'gc, Context3DData<'gc>>);

#[derive(Collect, HasPrefixField)]
#[collect(no_drop)]
#[repr(C, align(8))]
pub struct Context3DData<'gc> {
    base: ScriptObjectData<'gc>,
    stage: Stage3DObject<'gc>,
    #[collect(require_static)]
    native: Native,
}

#[derive(Clone, Collect, Copy)]
#[collect(no_drop)]
pub struct Stage3DObject<'gc>(pub Gc<'gc, Stage3DData<'gc>>);

#[derive(Clone, Collect, Copy, Debug)]
#[collect(no_drop)]
pub struct Stage3DObjectWeak<'gc>(pub GcWeak<'gc, Stage3DData<'gc>>);

#[derive(Collect, HasPrefixField)]
#[collect(no_drop)]
#[repr(C, align(8))]
pub struct Stage3DData<'gc> {
    base: ScriptObjectData<'gc>,
    #[collect(require_static)]
    stage: RefCell<Stage3D>,
    index: u32,
    context: Lock<Option<Context3DObject<'gc>>>,
    /// Textures with uploads under way. Their events carry the index.
    textures: RefLock<Vec<Object<'gc>>>,
}

macro_rules! objects {
    ($($object:ident)+) => {$(
        impl<'gc> TObject<'gc> for $object<'gc> {
            fn gc_base(&self) -> Gc<'gc, ScriptObjectData<'gc>> {
                HasPrefixField::as_prefix_gc(self.0)
            }
        }

        impl std::fmt::Debug for $object<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($object))
            }
        }
    )+};
}

objects!(Context3DObject Stage3DObject);

impl<'gc> Context3DObject<'gc> {
    fn new(
        context: &UpdateContext<'gc>,
        class: ClassObject<'gc>,
        stage: Stage3DObject<'gc>,
        native: Native,
    ) -> Self {
        Context3DObject(Gc::new(
            context.gc(),
            Context3DData { base: ScriptObjectData::new(class), stage, native },
        ))
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
            let old =
                picture.take().filter(|(_, before, _)| *before == size).map(|(.., handle)| handle);
            let handle = match old {
                Some(handle) => {
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
        Stage3DObject(Gc::new(
            context.gc(),
            Stage3DData {
                base: ScriptObjectData::new(context.avm2.classes().stage3d),
                stage: RefCell::default(),
                index: STAGES.replace(STAGES.get() + 1) % 4,
                context: Lock::new(None),
                textures: RefLock::default(),
            },
        ))
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
        if let Some(shared) = self.0.context.get().map(|object| object.0.native.shared.clone()) {
            while let Some(event) = {
                let event = shared.context.borrow_mut().take_texture_event();
                event
            } {
                let texture = self.0.textures.borrow().get(event.user_data as usize).copied();
                if let Some(texture) = texture {
                    dispatch(context, texture, "textureReady", event.error.as_ref());
                }
            }
            if let Some(ended) = {
                let ended = shared.context.borrow().ended();
                ended
            } {
                self.0.stage.borrow_mut().context_ended(ended);
                unlock!(Gc::write(context.gc(), self.0), Stage3DData, context).set(None);
            }
        }
        let device = DEVICE
            .with(|device| *device)
            .filter(|_| self.0.stage.borrow().pending_request().is_some());
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
                let shared = Shared {
                    context: api,
                    recorded: Cell::new(recorded),
                    picture: RefCell::default(),
                };
                let native = Native { shared: Rc::new(shared), handle: None };
                let object =
                    Context3DObject::new(context, context.avm2.classes().context3d, self, native);
                let stage = Gc::write(context.gc(), self.0);
                unlock!(stage, Stage3DData, context).set(Some(object));
                unlock!(stage, Stage3DData, textures).borrow_mut().clear();
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
            let text = AvmString::new_utf8(context.gc(), error.as3_message()).into();
            let name = AvmString::new_utf8(context.gc(), "error").into();
            let mut activation = Activation::from_nothing(context);
            let class = activation.avm2().classes().errorevent;
            let arguments =
                [name, false.into(), false.into(), text, i32::from(error.number()).into()];
            EventObject::from_class_and_args(&mut activation, class, &arguments)
        }
    };
    Avm2::dispatch_event(context, event, target);
}

fn begin_recording(context: &UpdateContext<'_>) {
    let movie = &context.root_swf;
    let color = context.stage.background_color().unwrap_or(swf::Color::WHITE);
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
            *recorder = opened.unwrap_or_else(|error| {
                tracing::error!("MOLEHILL_RECORD: {error}");
                None
            });
        }
    });
}

fn throw<'gc>(activation: &mut Activation<'_, 'gc>, error: ApiError) -> Outcome<'gc> {
    let ApiError::Flash(error) = error else {
        tracing::error!("Stage3D: {error}");
        return Ok(Value::Undefined);
    };
    let classes = activation.avm2().classes();
    let class = match error.class().name() {
        "ArgumentError" => classes.argumenterror,
        "RangeError" => classes.rangeerror,
        "TypeError" => classes.typeerror,
        _ => classes.error,
    };
    // The class puts the number in front.
    let text = AvmString::new_utf8(activation.gc(), error.as3_message());
    let error = class.construct(activation, &[text.into(), i32::from(error.number()).into()])?;
    Err(Error::from_value(activation, error))
}

fn text(value: Value<'_>) -> Option<String> {
    if let Value::String(text) = value { Some(text.to_string()) } else { None }
}

/// The arguments of a native, which Ruffle has converted by the declaration, defaults included.
struct Values<'a, 'b, 'gc> {
    activation: &'a mut Activation<'b, 'gc>,
    this: Context3DObject<'gc>,
    values: &'a [Value<'gc>],
    next: usize,
}

impl<'gc> Values<'_, '_, 'gc> {
    fn next(&mut self) -> Value<'gc> {
        self.next += 1;
        self.values[self.next - 1]
    }

    fn object(&mut self) -> Option<Object<'gc>> {
        self.next().as_object()
    }

    fn bitmap_data(&mut self) -> Option<BitmapData<'gc>> {
        self.object().and_then(|object| object.as_bitmap_data())
    }

    fn numbers<T, C: FromIterator<T>>(&mut self, as_number: fn(Value<'gc>) -> T) -> Option<C> {
        let vector = self.object()?.as_vector_object()?.storage();
        Some(vector.iter().map(as_number).collect())
    }
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
        Error::rust_error("another class".into())
    }

    fn next_int(&mut self) -> Result<i32, Error<'gc>> {
        Ok(self.next().as_i32())
    }

    fn next_number(&mut self) -> Result<f64, Error<'gc>> {
        Ok(self.next().as_f64())
    }

    fn next_bool(&mut self) -> Result<bool, Error<'gc>> {
        Ok(self.next().coerce_to_boolean())
    }

    fn next_string(&mut self) -> Result<Option<String>, Error<'gc>> {
        Ok(text(self.next()))
    }

    fn next_bytes(&mut self) -> Result<Option<(Ref<'gc, [u8]>, Endian)>, Error<'gc>> {
        let bytes = self.object().and_then(|object| object.as_bytearray_object());
        Ok(bytes.map(|object| {
            let bytes = object.storage();
            let endian = match bytes.endian() {
                crate::avm2::bytearray::Endian::Big => Endian::Big,
                crate::avm2::bytearray::Endian::Little => Endian::Little,
            };
            (Ref::map(bytes, |bytes| bytes.bytes()), endian)
        }))
    }

    fn next_numbers(&mut self) -> Result<Option<Vec<f64>>, Error<'gc>> {
        Ok(self.numbers(|value| value.as_f64()))
    }

    fn next_floats(&mut self) -> Result<Option<Vec<f32>>, Error<'gc>> {
        Ok(self.numbers(|value| value.as_f64() as f32))
    }

    fn next_uints(&mut self) -> Result<Option<Vec<u32>>, Error<'gc>> {
        Ok(self.numbers(|value| value.as_u32()))
    }

    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, Error<'gc>> {
        let data = self.object().map(|matrix| matrix.get_slot(flash_geom_matrix_3d::_RAW_DATA));
        let data = data.and_then(|data| data.as_object()?.as_vector_object());
        let data =
            data.map(|data| data.storage().iter().map(|value| value.as_f64()).collect::<Vec<_>>());
        Ok(data.and_then(|data| data.try_into().ok()))
    }

    fn next_rectangle(&mut self) -> Result<Option<Rectangle>, Error<'gc>> {
        use flash_geom_rectangle::{HEIGHT, WIDTH, X, Y};
        Ok(self.object().map(|object| {
            let [x, y, width, height] =
                [X, Y, WIDTH, HEIGHT].map(|slot| object.get_slot(slot).as_f64());
            Rectangle { x, y, width, height }
        }))
    }

    fn next_point(&mut self) -> Result<Option<[f64; 2]>, Error<'gc>> {
        use flash_geom_point::{X, Y};
        Ok(self.object().map(|object| [X, Y].map(|slot| object.get_slot(slot).as_f64())))
    }

    fn next_bitmap(&mut self) -> Result<Option<HeldBitmap<Ref<'gc, [u8]>>>, Error<'gc>> {
        let bitmap = self.bitmap_data();
        Ok(bitmap.map(|bitmap| {
            let (width, height, transparent) =
                (bitmap.width(), bitmap.height(), bitmap.transparency());
            let pixels = Gc::as_ref(bitmap.sync(self.activation.context.renderer)).borrow();
            let pixels = (!bitmap.disposed()).then(|| Ref::map(pixels, |raw| raw.pixels_rgba()));
            HeldBitmap { width, height, transparent, pixels, layout: LAYOUT }
        }))
    }

    fn next_object(&mut self) -> Result<Option<AnyHandle>, Error<'gc>> {
        Ok(self.object().and_then(|object| object.as_context_3d()?.0.native.handle))
    }
}

/// A method or setter of the context or of one of its objects.
fn call<'gc>(
    call: &'static Call,
    class: &str,
    activation: &mut Activation<'_, 'gc>,
    this: Context3DObject<'gc>,
    values: &[Value<'gc>],
) -> Outcome<'gc> {
    let shared = this.0.native.shared.clone();
    let mut arguments = Values { activation, this, values, next: 0 };
    let result = call.with(class, &mut arguments, |command| {
        let result = shared.context.borrow_mut().execute(command);
        if let Some(recorded) = shared.recorded.get() {
            record(|to| to.call(recorded, command, &result));
        }
        result
    })?;
    let reply = match result {
        Ok(reply) => reply,
        Err(error) => return throw(activation, error),
    };
    if let Reply::Bitmap(patch) = &reply
        && let Some(bitmap) = values[0].as_object().and_then(|object| object.as_bitmap_data())
    {
        let raw = bitmap.sync(activation.context.renderer);
        let mut raw = raw.borrow_mut(activation.gc());
        let (width, height) = (raw.width(), raw.height());
        let mut pixels = raw.pixels_rgba().to_vec();
        patch.write_to(&mut pixels, width, LAYOUT);
        for (at, &[r, g, b, a]) in (0..).zip(pixels.as_chunks::<4>().0) {
            raw.set_pixel32_raw(at % width, at / width, Color::rgba(r, g, b, a));
        }
        raw.set_cpu_dirty(activation.gc(), PixelRegion::for_whole_size(width, height));
    }
    if call.name.ends_with("Async") || call.variant == "TextureUploadCompressedFromByteArray" {
        let stage = Gc::write(activation.gc(), this.0.stage.0);
        let mut textures = unlock!(stage, Stage3DData, textures).borrow_mut();
        if let Some(handle) = this.0.native.handle {
            shared.context.borrow_mut().set_user_data(handle, textures.len() as u64);
        }
        textures.push(this.into());
    }
    let classes = activation.avm2().classes();
    let class = match call.creates {
        Some("VertexBuffer3D") => classes.vertexbuffer3d,
        Some("IndexBuffer3D") => classes.indexbuffer3d,
        Some("Program3D") => classes.program3d,
        Some("Texture") => classes.texture,
        Some("CubeTexture") => classes.cubetexture,
        Some("RectangleTexture") => classes.rectangletexture,
        Some(_) => return Ok(Value::Null), // this host has no video
        None => return Ok(Value::Undefined),
    };
    let native = Native { shared, handle: reply.handle() };
    Ok(Object::from(Context3DObject::new(activation.context, class, this.0.stage, native)).into())
}

fn property<'gc>(
    activation: &mut Activation<'_, 'gc>,
    class: &str,
    this: Context3DObject<'gc>,
    name: &str,
) -> Outcome<'gc> {
    let Native { shared, handle } = &this.0.native;
    let value = shared.context.borrow().property(class, name, *handle);
    Ok(match value {
        Ok(Some(Property::Text(Some(text)))) => AvmString::new_utf8(activation.gc(), text).into(),
        Ok(Some(Property::Text(None)) | None) => Value::Null,
        Ok(Some(Property::Number(number))) => number.into(),
        Ok(Some(Property::Boolean(value))) => value.into(),
        Err(error) => return throw(activation, error),
    })
}

/// The name of a function here, without underscores; case doesn't matter.
fn is_named(name: &str, function: &str) -> bool {
    name.eq_ignore_ascii_case(&function.replace('_', ""))
}

/// A function for each native, with Ruffle's names for them.
macro_rules! natives {
    ($($module:ident $class:literal: $($function:ident)+ $(, get $($getter:ident)+)?;)+) => {$(
        pub mod $module {
            use crate::avm2::object::molehill::*;
            $(pub fn $function<'gc>(activation: &mut Activation<'_, 'gc>, this: Value<'gc>, args: &[Value<'gc>]) -> Outcome<'gc> {
                static ROW: OnceLock<&Call> = OnceLock::new();
                let row = ROW.get_or_init(|| {
                    let function = stringify!($function);
                    let property = function.strip_prefix("set_").unwrap_or(function);
                    let is = |call: &&Call| is_named(call.name, function) || is_named(call.name, property);
                    let mut rows = CALLS.iter().filter(|call| call.classes.contains(&$class));
                    rows.find(is).expect("a row of the table")
                });
                let this = this.as_object().and_then(|this| this.as_context_3d());
                this.map_or(Ok(Value::Undefined), |this| call(row, $class, activation, this, args))
            })+
            $($(pub fn $getter<'gc>(activation: &mut Activation<'_, 'gc>, this: Value<'gc>, _: &[Value<'gc>]) -> Outcome<'gc> {
                let is = |property: &&PropertyRow| is_named(property.name, &stringify!($getter)[4..]);
                let name = PROPERTIES.iter().find(is).map_or("", |property| property.name);
                let this = this.as_object().and_then(|this| this.as_context_3d());
                // Without an object it is a property of the class.
                this.map_or(Ok(false.into()), |this| property(activation, $class, this, name))
            })+)?
        }
    )+};
}

pub mod natives {
    natives! {
        context_3d "Context3D": configure_back_buffer clear present dispose create_vertex_buffer
            create_vertex_buffer_for_instances create_index_buffer create_program create_texture create_rectangle_texture
            create_cube_texture create_video_texture set_program set_program_constants_from_matrix
            set_program_constants_from_vector set_program_constants_from_byte_array set_vertex_buffer_at set_texture_at
            set_sampler_state_at set_blend_factors set_color_mask set_culling set_depth_test set_stencil_actions
            set_stencil_reference_value set_scissor_rectangle set_render_to_texture set_render_to_back_buffer draw_triangles
            draw_triangles_instanced draw_to_bitmap_data set_fill_mode set_enable_error_checking set_max_back_buffer_width
            set_max_back_buffer_height set_ignore_resource_limits,
            get get_driver_info get_enable_error_checking get_profile get_back_buffer_width get_back_buffer_height
            get_max_back_buffer_width get_max_back_buffer_height get_supports_video_texture get_total_gpu_memory
            get_ignore_resource_limits;
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
            video_texture "VideoTexture": dispose, get get_video_width get_video_height;
        }
    }
}

/// Natives of `Stage3D`.
pub mod stage {
    use super::*;
    use crate::avm2::globals::flash::events::event_dispatcher::has_event_listener;

    macro_rules! natives {
        ($($function:ident |$activation:ident, $stage:ident, $args:ident| $body:expr;)+) => {
            $(pub fn $function<'gc>($activation: &mut Activation<'_, 'gc>, this: Value<'gc>, $args: &[Value<'gc>]) -> Outcome<'gc> {
                let Some($stage) = this.as_object().and_then(|this| this.as_stage_3d()) else { return Ok(Value::Undefined) };
                $body
            })+
        };
    }

    natives! {
        get_context_3d |_activation, stage, _args| Ok(stage.context3d().map_or(Value::Null, |context| Object::from(context).into()));
        get_x |_activation, stage, _args| Ok(stage.0.stage.borrow().x().into());
        get_y |_activation, stage, _args| Ok(stage.0.stage.borrow().y().into());
        get_visible |_activation, stage, _args| Ok(stage.visible().into());
        set_x |activation, stage, args| {
            record(|to| to.set_x(stage.0.index, args[0].as_f64()));
            let done = stage.0.stage.borrow_mut().set_x(args[0].as_f64());
            done.map_or_else(|error| throw(activation, error), |()| Ok(Value::Undefined))
        };
        set_y |activation, stage, args| {
            record(|to| to.set_y(stage.0.index, args[0].as_f64()));
            let done = stage.0.stage.borrow_mut().set_y(args[0].as_f64());
            done.map_or_else(|error| throw(activation, error), |()| Ok(Value::Undefined))
        };
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
        activation: &mut Activation<'_, 'gc>,
        stage: Stage3DObject<'gc>,
        ask: impl FnOnce(&mut Stage3D, bool) -> Result<(), ApiError>,
    ) -> Outcome<'gc> {
        let event = AvmString::new_utf8(activation.gc(), "context3DCreate");
        let listens = has_event_listener(activation, Object::from(stage).into(), &[event.into()])?;
        let done = ask(&mut stage.0.stage.borrow_mut(), listens.coerce_to_boolean());
        done.map_or_else(|error| throw(activation, error), |()| Ok(Value::Undefined))
    }
}

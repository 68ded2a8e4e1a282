//! Molehill as Ruffle's Stage3D: all its objects, natives, events and pictures. `build.sh` puts it in the place of
//! `core/src/avm2/object/stage3d_object.rs`.

use crate::avm2::globals::flash::events::event_dispatcher::has_event_listener;
use crate::avm2::globals::slots::{flash_geom_matrix_3d, flash_geom_point, flash_geom_rectangle};
use crate::avm2::object::{
    ClassObject, EventObject, Object, TObject, script_object::ScriptObjectData,
};
use crate::avm2::{Avm2, Error, Value, activation::Activation, bytearray};
use crate::bitmap::bitmap_data::Color;
use crate::context::{RenderContext, UpdateContext};
use crate::string::AvmString;
use backend_gl::GlBackend;
use backend_gl::offscreen::{Offscreen, Share};
use backend_gl::present::{FrontExchange, FrontReader};
use context3d::arguments::{ByteOrder, PixelLayout};
use context3d::backend::BackendError;
use context3d::calls::{Arguments, HeldBitmap, Member};
use context3d::native::{Event, Native, Returned};
use context3d::{AnyHandle, FlashError, agal::Endian};
use gc_arena::{Collect, Gc, GcWeak, barrier::unlock, lock::RefLock};
use molehill_capture::{Header, record_from_env};
use ruffle_common::utils::HasPrefixField;
use ruffle_render::backend::RenderBackend;
use ruffle_render::bitmap::{Bitmap, BitmapFormat, BitmapHandle, PixelRegion};
use ruffle_render::{commands::CommandHandler, matrix::Matrix};
use std::cell::{Cell, Ref, RefCell};
use std::ffi::c_void;
use swf::Twips;

thread_local! {
    /// All contexts draw with it. It shares its pictures with Ruffle's renderer if that draws with OpenGL.
    static OFFSCREEN: Cell<Option<&'static Offscreen>> = const { Cell::new(None) };
}

type Act<'a, 'gc> = Activation<'a, 'gc>;

/// What is shown of a context.
#[derive(Default)]
struct Picture {
    shown: Option<BitmapHandle>,
    /// The way of textures to a renderer that shares them.
    exchange: FrontExchange,
    reader: Option<FrontReader>,
}

/// A `Stage3D`, a `Context3D`, or an object that one created.
#[derive(Clone, Collect, Copy)]
#[collect(no_drop)]
pub struct Stage3DObject<'gc>(pub Gc<'gc, Data<'gc>>);

#[derive(Clone, Collect, Copy, Debug)]
#[collect(no_drop)]
pub struct Stage3DObjectWeak<'gc>(pub GcWeak<'gc, Data<'gc>>);

#[derive(Collect, HasPrefixField)]
#[collect(no_drop)]
#[repr(C, align(8))]
pub struct Data<'gc> {
    base: ScriptObjectData<'gc>,
    #[collect(require_static)]
    native: Native<GlBackend>,
    /// A `Stage3D`'s picture; its context, and the textures whose events are to come.
    #[collect(require_static)]
    picture: RefCell<Picture>,
    held: RefLock<Vec<Stage3DObject<'gc>>>,
}

impl<'gc> TObject<'gc> for Stage3DObject<'gc> {
    fn gc_base(&self) -> Gc<'gc, ScriptObjectData<'gc>> {
        HasPrefixField::as_prefix_gc(self.0)
    }
}

impl std::fmt::Debug for Stage3DObject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.native.fmt(f)
    }
}

/// A class of ActionScript's.
fn class<'gc>(activation: &mut Act<'_, 'gc>, name: &str) -> ClassObject<'gc> {
    let classes = activation.avm2().playerglobals_domain();
    let packages = ["flash.display3D::", "flash.display3D.textures::", ""].iter();
    let mut found = packages.filter_map(|package| {
        let name = AvmString::new_utf8(activation.gc(), format!("{package}{name}"));
        let class = classes.get_defined_value_handling_vector(activation, name).ok()?;
        class.as_object()?.as_class_object()
    });
    found.next().expect("a class of Ruffle's")
}

impl<'gc> Stage3DObject<'gc> {
    /// The four of a player.
    pub fn all(context: &UpdateContext<'gc>) -> [Self; 4] {
        let class = context.avm2.classes().stage3d;
        Native::stage3ds().map(|native| Self::new(context, class, native))
    }

    fn new(
        context: &UpdateContext<'gc>,
        class: ClassObject<'gc>,
        native: Native<GlBackend>,
    ) -> Self {
        let (base, picture) = (ScriptObjectData::new(class), RefCell::default());
        Self(Gc::new(context.gc(), Data { base, native, picture, held: RefLock::default() }))
    }

    pub fn visible(self) -> bool {
        self.0.native.stage3d().visible()
    }

    /// This object, if it has a context.
    pub fn context3d(self) -> Option<Self> {
        self.0.native.is_alive().then_some(self)
    }

    /// Shows what was presented last.
    pub fn render(self, context: &mut RenderContext<'_, 'gc>) {
        let mut picture = self.0.picture.borrow_mut();
        self.0.native.with_context(|api| picture.update(api.backend_mut(), context.renderer));
        if let Some(bitmap) = &picture.shown {
            let stage = self.0.native.stage3d();
            let mut transform = context.transform_stack.transform();
            transform.matrix *=
                Matrix::translate(Twips::from_pixels(stage.x()), Twips::from_pixels(stage.y()));
            context.commands.render_stage3d(bitmap.clone(), transform);
        }
    }

    /// After each frame.
    pub fn update_context3d_status(self, context: &mut UpdateContext<'gc>) {
        let (version, host) = (context.root_swf.version().into(), context.renderer.gl_context());
        self.0.native.end_frame(version, || backend(host), |event| self.dispatch(context, event));
    }

    fn dispatch(self, context: &mut UpdateContext<'gc>, event: Event<GlBackend>) {
        let activation = &mut Activation::from_nothing(context);
        let mut held = unlock!(Gc::write(activation.gc(), self.0), Data, held).borrow_mut();
        let (target, name, error) = match event {
            Event::Created(native) => {
                let class = activation.avm2().classes().context3d;
                *held = vec![Self::new(activation.context, class, native)];
                self.0.picture.borrow_mut().shown = None;
                (self, "context3DCreate", None)
            }
            Event::Refused(error) => (self, "error", Some(error)),
            Event::Texture(event) => {
                let at = held.iter().position(|it| it.0.native.number() == event.user_data);
                let Some(at) = at else { return };
                (held.remove(at), "textureReady", event.error)
            }
        };
        drop(held);
        let event = match error {
            None => EventObject::bare_default_event(activation.context, name),
            Some(error) => {
                let [name, text] = ["error", &error.as3_message()]
                    .map(|text| AvmString::new_utf8(activation.gc(), text).into());
                let number = i32::from(error.number()).into();
                let class = activation.avm2().classes().errorevent;
                let arguments = [name, false.into(), false.into(), text, number];
                EventObject::from_class_and_args(activation, class, &arguments)
            }
        };
        Avm2::dispatch_event(activation.context, event, target.into());
    }

    /// A method, getter or setter of any class.
    pub fn native(
        member: Option<Member>,
        activation: &mut Act<'_, 'gc>,
        this: Value<'gc>,
        values: &[Value<'gc>],
    ) -> Result<Value<'gc>, Error<'gc>> {
        let this = this.as_object().and_then(|this| this.as_stage_3d());
        let Some((member, this)) = member.zip(this) else {
            return Ok(false.into()); // Context3D.supportsVideoTexture
        };
        let stage = activation.context.stage.stage3ds()[this.0.native.index() as usize];
        if Gc::ptr_eq(stage.0, this.0) {
            record_from_env(&this.0.native, 1 << 32, || header(activation.context));
        }
        let held = unlock!(Gc::write(activation.gc(), stage.0), Data, held);
        let arguments = &mut Values { activation, this, values: values.iter() };
        Ok(match this.0.native.call(member, arguments)? {
            Returned::Undefined => Value::Undefined,
            Returned::Null => Value::Null,
            Returned::Boolean(value) => value.into(),
            Returned::Number(value) => value.into(),
            Returned::Text(text) => AvmString::new_utf8(activation.gc(), text).into(),
            Returned::Context3D => {
                held.borrow().first().map_or(Value::Null, |it| Object::from(*it).into())
            }
            Returned::Created(name, native) => {
                let class = class(activation, name);
                Object::from(Self::new(activation.context, class, native)).into()
            }
            Returned::Pending => {
                held.borrow_mut().push(this);
                Value::Undefined
            }
            Returned::Bitmap(patch) => {
                let target = values[0].as_object().and_then(|target| target.as_bitmap_data());
                let raw = target.expect("it was an argument").sync(activation.context.renderer);
                let mut raw = raw.borrow_mut(activation.gc());
                let mut rgba = raw.pixels_rgba().to_vec();
                patch.write_to(&mut rgba, raw.width(), LAYOUT);
                let colors = rgba.as_chunks().0.iter().map(|&[r, g, b, a]| Color::rgba(r, g, b, a));
                *raw.raw_pixels_mut() = colors.collect();
                let region = PixelRegion::for_whole_size(raw.width(), raw.height());
                raw.set_cpu_dirty(activation.gc(), region);
                Value::Undefined
            }
        })
    }
}

/// The header of a recording.
fn header(context: &UpdateContext<'_>) -> Header {
    let movie = &context.root_swf;
    let color = context.stage.background_color().unwrap_or(swf::Color::WHITE);
    Header {
        title: movie.url().rsplit('/').next().unwrap_or_default().to_owned(),
        swf_version: movie.version().into(),
        stage_width: movie.width().to_pixels() as u32,
        stage_height: movie.height().to_pixels() as u32,
        stage_color: [color.r, color.g, color.b],
        frame_rate: Some(movie.frame_rate().to_f64()),
        generator: Some("Ruffle with Molehill".to_owned()),
    }
}

fn backend(host: Option<[*mut c_void; 2]>) -> Result<GlBackend, BackendError> {
    if OFFSCREEN.get().is_none() {
        // SAFETY: they are the renderer's.
        let host = host.map(|[display, context]| unsafe { Share::new(display, context) });
        let opened = Offscreen::open_beside(host);
        OFFSCREEN.set(opened.ok().map(|opened| &*Box::leak(Box::new(opened))));
    }
    OFFSCREEN.get().ok_or(BackendError::Lost)?.backend()
}

impl Picture {
    /// Takes over a new picture: its texture if the renderer shares it, or else its pixels.
    fn update(&mut self, backend: &mut GlBackend, renderer: &mut dyn RenderBackend) -> Option<()> {
        let Picture { shown, exchange, reader } = self;
        if OFFSCREEN.get()?.is_shared() {
            backend.publish_front(exchange).ok().filter(|published| *published)?;
            *shown = renderer.gl_texture(&mut |loader| {
                // SAFETY: the renderer's context is current, which shares objects with the device's.
                let load = || unsafe { FrontReader::from_loader(loader, exchange) }.ok();
                *reader = reader.take().or_else(load);
                let front = reader.as_mut()?.acquire()?;
                Some((front.texture, [front.width, front.height]))
            });
        } else {
            let mut rgba = Vec::new();
            let (width, height) = backend.take_front(&mut rgba).ok()??;
            let bitmap = Bitmap::new(width, height, BitmapFormat::Rgba, rgba);
            *shown = renderer.register_bitmap(bitmap).ok();
        }
        None
    }
}

/// Ruffle's bitmaps: R, G, B, A, premultiplied.
const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

/// The arguments of a native, which Ruffle has converted by the declaration, defaults included.
struct Values<'a, 'b, 'gc> {
    activation: &'a mut Act<'b, 'gc>,
    this: Stage3DObject<'gc>,
    values: std::slice::Iter<'a, Value<'gc>>,
}

impl<'gc> Values<'_, '_, 'gc> {
    fn next(&mut self) -> Value<'gc> {
        *self.values.next().unwrap_or(&Value::Null)
    }

    fn object<T>(&mut self, get: impl FnOnce(Object<'gc>) -> Option<T>) -> Option<T> {
        self.next().as_object().and_then(get)
    }

    fn vector<T>(&mut self, get: fn(Value<'gc>) -> T) -> Option<Vec<T>> {
        self.object(|it| Some(it.as_vector_object()?.storage().iter().map(get).collect()))
    }

    fn slots<const N: usize>(&mut self, slots: [usize; N]) -> Option<[f64; N]> {
        self.object(|object| Some(slots.map(|slot| object.get_slot(slot).as_f64())))
    }
}

fn text(value: Value<'_>) -> Option<String> {
    if let Value::String(text) = value { Some(text.to_string()) } else { None }
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

    /// Ruffle has checked the classes.
    fn mismatch(&mut self) -> Error<'gc> {
        Error::rust_error("an object of another class".into())
    }

    fn throw(&mut self, error: &FlashError) -> Error<'gc> {
        let text = AvmString::new_utf8(self.activation.gc(), error.as3_message()).into();
        let class = class(self.activation, error.class().name());
        let thrown = class.construct(self.activation, &[text, i32::from(error.number()).into()]);
        thrown.map_or_else(|error| error, |thrown| Error::from_value(self.activation, thrown))
    }

    take! {
        listens -> bool: |this| {
            let event = [AvmString::new_utf8(this.activation.gc(), "context3DCreate").into()];
            let target = Object::from(this.this).into();
            has_event_listener(this.activation, target, &event)?.coerce_to_boolean()
        };
        next_int -> i32: |this| this.next().as_i32();
        next_number -> f64: |this| this.next().as_f64();
        next_bool -> bool: |this| this.next().coerce_to_boolean();
        next_string -> Option<String>: |this| text(this.next());
        next_strings -> Option<Vec<Option<String>>>: |this| this.vector(text);
        next_numbers -> Option<Vec<f64>>: |this| this.vector(|value| value.as_f64());
        next_uints -> Option<Vec<u32>>: |this| this.vector(|value| value.as_u32());
        next_bytes -> Option<(Self::Bytes, Endian)>: |this| this.object(|object| {
            let bytes = object.as_bytearray_object()?.storage();
            let big = matches!(bytes.endian(), bytearray::Endian::Big);
            let endian = if big { Endian::Big } else { Endian::Little };
            Some((Ref::map(bytes, |bytes| bytes.bytes()), endian))
        });
        next_matrix -> Option<[f64; 16]>: |this| this.object(|matrix| {
            let data = matrix.get_slot(flash_geom_matrix_3d::_RAW_DATA).as_object()?;
            let data = data.as_vector_object()?.storage();
            Vec::from_iter(data.iter().map(|value| value.as_f64())).try_into().ok()
        });
        next_point -> Option<[f64; 2]>: |this| this.slots([flash_geom_point::X, flash_geom_point::Y]);
        next_rectangle -> Option<[f64; 4]>: |this| {
            use flash_geom_rectangle::{HEIGHT, WIDTH, X, Y};
            this.slots([X, Y, WIDTH, HEIGHT])
        };
        next_bitmap -> Option<HeldBitmap<Self::Pixels>>: |this| {
            this.object(|object| object.as_bitmap_data()).map(|bitmap| {
                let raw = Gc::as_ref(bitmap.sync(this.activation.context.renderer)).borrow();
                let (width, height, transparent) = (raw.width(), raw.height(), raw.transparency());
                let pixels = (!bitmap.disposed()).then(|| Ref::map(raw, |raw| raw.pixels_rgba()));
                HeldBitmap { width, height, transparent, pixels, layout: LAYOUT }
            })
        };
        next_object -> Option<AnyHandle>: |this| this.object(|it| it.as_stage_3d()?.0.native.object());
    }
}

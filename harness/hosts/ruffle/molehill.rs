//! Molehill as Stage3D, instead of `core/src/avm2/object/stage3d_object.rs`: objects, native methods, events, images.

use crate::avm2::globals::{flash::events::event_dispatcher::has_event_listener, slots::flash_geom_matrix_3d};
use crate::avm2::object::{ClassObject, EventObject, Object, TObject, script_object::ScriptObjectData};
use crate::avm2::{Avm2, Error, Namespace, QName, Value, activation::Activation, api_version::ApiVersion, bytearray};
use crate::{bitmap::bitmap_data::Color, context::RenderContext, context::UpdateContext, string::AvmString};
use backend_gl::{GlBackend as Backend, PictureSource as Frames, offscreen::Offscreen as Opener};
use context3d::native::{
    ArgumentSlice, BitmapSource, Endian, FlashError, HostEvent, Method, Native, NativeResult, Vm, VmArgument,
};
use context3d::{Host, backend::TakenFrame, native::VectorCopy};
use gc_arena::{Collect, Gc, GcWeak, barrier::unlock, lock::RefLock};
use molehill_capture::{CaptureHeader, EnhancedBackend, enhanced_from_env, record_from_env};
use ruffle_common::utils::HasPrefixField;
use ruffle_render::bitmap::{Bitmap, BitmapFormat::Rgba, BitmapHandle, PixelRegion};
use ruffle_render::{commands::CommandHandler, matrix::Matrix};
use std::{borrow::Cow, cell::Ref, cell::RefCell};

/// A `Stage3D`, a `Context3D`, or an object that a context created.
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
    native: Native<EnhancedBackend<Backend>>,
    /// For a `Stage3D`: the frames to present, and the texture that Ruffle displays.
    #[collect(require_static)]
    picture: RefCell<(Frames, Option<BitmapHandle>)>,
    /// For a `Stage3D`: its context, followed by the textures with pending events.
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

/// Returns an ActionScript class by package and name.
fn class<'gc>(activation: &mut Activation<'_, 'gc>, class: [&str; 2]) -> ClassObject<'gc> {
    let [package, name] = class.map(|text| AvmString::new_utf8(activation.gc(), text));
    let package = Namespace::package(package, ApiVersion::VM_INTERNAL, activation.strings());
    let class = activation.avm2().playerglobals_domain().get_defined_value(activation, QName::new(package, name));
    class.ok().and_then(|class| class.as_object()?.as_class_object()).expect("a class of Ruffle's")
}

impl<'gc> Stage3DObject<'gc> {
    /// Creates the four `Stage3D` objects of a player.
    pub fn all(context: &mut UpdateContext<'gc>) -> [Self; 4] {
        let natives = Native::stage3ds();
        natives[0].set_host(Host { video_textures: false, ..Host::default() });
        natives.map(|native| Self::new(&mut Activation::from_nothing(context), native))
    }

    fn new(activation: &mut Activation<'_, 'gc>, native: Native<EnhancedBackend<Backend>>) -> Self {
        let base = ScriptObjectData::new(class(activation, native.class()));
        Self(Gc::new(activation.gc(), Data { base, native, picture: RefCell::default(), held: RefLock::default() }))
    }

    /// Draws the last presented frame: its texture if the renderer shares objects, or else its pixels.
    pub fn render(self, context: &mut RenderContext<'_, 'gc>) {
        let Some(at) = self.0.native.shown_at() else { return };
        let (frames, shown) = &mut *self.0.picture.borrow_mut();
        *shown = match self.0.native.take_frame(frames) {
            Some(TakenFrame::Handle) => context.renderer.stage3d_texture(frames),
            Some(TakenFrame::Pixels(w, h, rgba)) => {
                context.renderer.register_bitmap(Bitmap::new(w, h, Rgba, rgba)).ok()
            }
            None => shown.take(),
        };
        let Some(bitmap) = shown.clone() else { return };
        let mut transform = context.transform_stack.transform();
        let ([x, y], [across, down]) = (at.map(swf::Twips::from_pixels), self.0.native.shown_scale());
        transform.matrix *= Matrix::create_box(across as f32, down as f32, x, y);
        context.commands.render_stage3d(bitmap, transform);
    }

    /// Dispatches the events after a frame. Ruffle's stage calls this to query the status of contexts.
    pub fn update_context3d_status(self, context: &mut UpdateContext<'gc>) {
        let (movie, host, stage) = (&context.root_swf, context.renderer.stage3d_share(), context.stage);
        record_from_env(&self.0.native, 1 << 32, || {
            let size = [movie.width(), movie.height()].map(|side| side.to_pixels());
            let swf::Color { r, g, b, .. } = stage.background_color().unwrap_or(swf::Color::WHITE);
            CaptureHeader::new(
                "Ruffle",
                movie.url(),
                movie.version().into(),
                size,
                movie.frame_rate().to_f64(),
                [r, g, b],
            )
        });
        let (version, backend) = (movie.version().into(), |_: &_| Opener::backend_shared(host).map(enhanced_from_env));
        let activation = &mut Activation::from_nothing(context);
        let held = unlock!(Gc::write(activation.gc(), self.0), Data, held);
        let dispatch = |event: HostEvent<EnhancedBackend<Backend>>| {
            if let Some(native) = event.context3d {
                held.replace(vec![Self::new(activation, native)]);
                self.0.picture.borrow_mut().1 = None;
            }
            let target = held.borrow_mut().extract_if(.., |it| Some(it.0.native.number()) == event.target).next();
            let text = |text: &str| AvmString::new_utf8(activation.gc(), text).into();
            let of = |error: FlashError| [false.into(), text(&error.as3_message()), error.number().into()];
            let (name, error) = (text(event.name), event.error.map(of));
            let class = class(activation, ["flash.events", if error.is_some() { "ErrorEvent" } else { "Event" }]);
            let values: Vec<_> = [name, false.into()].into_iter().chain(error.into_iter().flatten()).collect();
            let event = EventObject::from_class_and_args(activation, class, &values);
            Avm2::dispatch_event(activation.context, event, target.unwrap_or(self).into());
        };
        self.0.native.end_frame(version, backend, dispatch);
    }

    /// Runs a method, getter or setter of any class. Static members use the first `Stage3D`.
    pub fn native(
        method: Option<Method>,
        activation: &mut Activation<'_, 'gc>,
        this: Value<'gc>,
        values: &[Value<'gc>],
    ) -> Result<Value<'gc>, Error<'gc>> {
        let Some(method) = method else { return Ok(Value::Undefined) };
        let stage3d = |index: u32| activation.context.stage.stage3ds()[index as usize];
        let object = this.as_object().and_then(|this| this.as_stage_3d()).unwrap_or_else(|| stage3d(0));
        let held = unlock!(Gc::write(activation.gc(), stage3d(object.0.native.index()).0), Data, held);
        Ok(match object.0.native.call(method, &mut ArgumentSlice::new(activation, &this, values))? {
            NativeResult::Undefined | NativeResult::Skipped(_) | NativeResult::Attach => Value::Undefined,
            NativeResult::Null => Value::Null,
            NativeResult::Boolean(value) => value.into(),
            NativeResult::Number(value) => value.into(),
            NativeResult::Text(text) => AvmString::new_utf8(activation.gc(), text).into(),
            NativeResult::Context3D => held.borrow().first().map_or(Value::Null, |it| (*it).into()),
            NativeResult::Created(native) => Self::new(activation, native).into(),
            NativeResult::Pending => {
                held.borrow_mut().push(object);
                Value::Undefined
            }
            NativeResult::Bitmap(patch) => {
                let bitmap = values[0].as_object().and_then(|it| it.as_bitmap_data()).expect("the first argument");
                let mut raw = bitmap.sync(activation.context.renderer).borrow_mut(activation.gc());
                patch.pixels().for_each(|(x, y, bgra)| raw.set_pixel32_raw(x, y, Color::bgra_u32(bgra)));
                let region = PixelRegion::for_region(patch.x, patch.y, patch.width, patch.height);
                raw.set_cpu_dirty(activation.gc(), region);
                Value::Undefined
            }
        })
    }
}

/// Ruffle has already converted arguments to the declared types, and filled in defaults.
impl<'gc> Vm for Activation<'_, 'gc> {
    type Value = Value<'gc>;
    type Error = Error<'gc>;
    type Bytes = Ref<'gc, [u8]>;
    type Text = Cow<'gc, str>;
    type Numbers = VectorCopy<f64>;
    type Floats = VectorCopy<f32>;
    type Uints = VectorCopy<u32>;

    fn argument(&mut self, value: &Value<'gc>) -> VmArgument<Self> {
        let (number, uint) = (self.avm2().class_defs().number, self.avm2().class_defs().uint);
        match *value {
            Value::Undefined | Value::Null => VmArgument::Null,
            Value::Bool(value) => VmArgument::Boolean(value),
            Value::Number(_) | Value::Integer(_) => VmArgument::Number(value.as_f64()),
            Value::String(text) => VmArgument::Text(text.as_wstr().to_utf8_lossy()),
            Value::Object(Object::Stage3DObject(it)) => VmArgument::Object(it.0.native.object()),
            Value::Object(Object::VectorObject(it)) => match it.storage().value_type() {
                Some(of) if of == number => VmArgument::Numbers(VectorCopy::new(it.storage().storage(), Value::as_f64)),
                Some(of) if of == uint => VmArgument::Uints(VectorCopy::new(it.storage().storage(), Value::as_u32)),
                _ => VmArgument::Vector(it.storage().length()),
            },
            Value::Object(Object::ByteArrayObject(it)) => {
                let is_big = matches!(it.storage().endian(), bytearray::Endian::Big);
                VmArgument::Bytes(Ref::map(it.storage(), |bytes| bytes.bytes()), Endian::from_big(is_big))
            }
            Value::Object(object) => object.as_bitmap_data().map_or(VmArgument::Other, |bitmap| {
                let raw = Gc::as_ref(bitmap.sync(self.context.renderer)).borrow();
                let pixels = (!bitmap.disposed()).then(|| Ref::map(raw, |raw| raw.pixels_rgba()));
                VmArgument::Bitmap(BitmapSource::rgba(bitmap.width(), bitmap.height(), bitmap.transparency(), pixels))
            }),
        }
    }

    fn element(&mut self, vector: &Value<'gc>, index: usize) -> VmArgument<Self> {
        let element = vector.as_object().and_then(|it| it.as_vector_storage()?.get_optional(index));
        element.map_or(VmArgument::Null, |element| self.argument(&element))
    }

    fn property(&mut self, object: &Value<'gc>, name: &'static str) -> Result<Value<'gc>, Error<'gc>> {
        match object {
            Value::Object(matrix) if name == "rawData" => Ok(matrix.get_slot(flash_geom_matrix_3d::_RAW_DATA)), // no copy
            _ => object.get_public_property(AvmString::new_utf8(self.gc(), name), self),
        }
    }

    fn throw(&mut self, error: &FlashError) -> Error<'gc> {
        let text = AvmString::new_utf8(self.gc(), error.as3_message()).into();
        let thrown = class(self, ["", error.class().name()]).construct(self, &[text, error.number().into()]);
        thrown.map_or_else(|error| error, |thrown| Error::from_value(self, thrown))
    }

    fn has_create_listener(&mut self, stage3d: &Value<'gc>) -> Result<bool, Error<'gc>> {
        let event = AvmString::new_utf8(self.gc(), "context3DCreate").into();
        Ok(has_event_listener(self, *stage3d, &[event])?.coerce_to_boolean())
    }
}

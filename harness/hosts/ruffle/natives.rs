//! The natives of `flash.display3D` and of `Stage3D`. `build.sh` puts it into `core/src/avm2/object/molehill`.

use super::*;
use crate::avm2::globals::flash::events::event_dispatcher::has_event_listener;
use crate::avm2::globals::slots::{flash_geom_matrix_3d, flash_geom_point, flash_geom_rectangle};
use crate::avm2::{Error, Value, bytearray};
use crate::bitmap::bitmap_data::Color;
use context3d::arguments::{ByteOrder, PixelLayout, Rectangle};
use context3d::calls::{Arguments, CALLS, Call, HeldBitmap, PROPERTIES, Property, Value as Got};
use context3d::enums::Name;
use context3d::{Error as ApiError, Reply, agal::Endian};
use std::{cell::Ref, sync::OnceLock};

type Act<'a, 'gc> = Activation<'a, 'gc>;
type Outcome<'gc> = Result<Value<'gc>, Error<'gc>>;

/// Ruffle's bitmaps: R, G, B, A, premultiplied.
const LAYOUT: PixelLayout =
    PixelLayout { order: ByteOrder::Rgba, straight_alpha: false, stride: None };

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
    if let Reply::Bitmap(patch) = reply
        && let Some(bitmap) = values[0].as_object().and_then(|object| object.as_bitmap_data())
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
            use crate::avm2::object::molehill::natives::*;
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

pub mod classes {
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
                begin_recording($activation.context);
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
        get_context_3d |activation, stage, _args| Ok(stage.context3d().map_or(Value::Null, |object| Object::from(object).into()));
        get_x |activation, stage, _args| Ok(stage.0.stage.borrow().x().into());
        get_y |activation, stage, _args| Ok(stage.0.stage.borrow().y().into());
        get_visible |activation, stage, _args| Ok(stage.visible().into());
        set_x |activation, stage, args| set!(activation stage set_x args[0].as_f64());
        set_y |activation, stage, args| set!(activation stage set_y args[0].as_f64());
        set_visible |activation, stage, args| {
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

//! A host with a window. Background, Molehill's image and a bar share one OpenGL context without disturbing each
//! other's state.
//!
//!     cargo run -p molehill-inspector --example own_window
//!
//! `--frames N --picture FILE` resizes the window halfway, writes its content to a file after N frames, and exits.
#![allow(unsafe_code, reason = "the host's own OpenGL calls")]

use std::error::Error;
use std::ffi::CString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use backend_gl::glow::{self, HasContext as _};
use backend_gl::present::{FrameDestination, PresentRect};
use backend_gl::{GlBackend, GlDevice};
use context3d::agal::{Stage, asm};
use context3d::enums::{BufferUsage, ProgramType, VertexFormat};
use context3d::keys::IndexBufferKey;
use context3d::{Context3D, ContextOptions, ObjectHandle, Profile};
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{ContextApi, ContextAttributesBuilder, PossiblyCurrentContext, Version};
use glutin::display::GetGlDisplay as _;
use glutin::prelude::*;
use glutin::surface::{Surface, SwapInterval, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow as _};
use molehill_replay::image::{RgbaImage, write_png};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::raw_window_handle::HasWindowHandle as _;
use winit::window::{Window, WindowId};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The shader of the host's background, a gradient from blue to green that needs no vertex buffer.
const BACKGROUND: (&str, &str) = (
    "#version 330\nout float y;\nvoid main() {\n\
     gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1);\n y = gl_Position.y; }",
    "#version 330\nin float y;\nout vec4 color;\nvoid main() { color = y > 0 ? vec4(0, 0, 0.5, 1) : vec4(0, 0.5, 0, 1); }",
);
/// Width of the background around Molehill's image, in pixels.
const MARGIN: u32 = 40;
/// Height of the bar at the bottom, in pixels.
const BAR: i32 = 20;
/// The window's initial size, and its size after half the frames if an image is written.
pub(crate) const SIZES: [(u32, u32); 2] = [(320, 240), (480, 320)];

/// The objects that need the window. Fields are dropped in order: Molehill's objects before the OpenGL context.
struct Shown {
    context3d: Context3D<GlBackend>,
    indices: ObjectHandle<IndexBufferKey>,
    device: GlDevice,
    program: glow::Program,
    vertex_array: glow::VertexArray,
    gl: Rc<glow::Context>,
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
}

impl Shown {
    fn open(event_loop: &ActiveEventLoop) -> Outcome<Self> {
        let [(width, height), _] = SIZES;
        let attributes = Window::default_attributes()
            .with_title("Molehill in a window")
            .with_inner_size(PhysicalSize::new(width, height));
        let (window, config) = DisplayBuilder::new()
            .with_window_attributes(Some(attributes))
            .build(event_loop, ConfigTemplateBuilder::new(), |mut configs| {
                configs.next().expect("every display has a config")
            })?;
        let window = window.ok_or("no window")?;
        let handle = window.window_handle()?.as_raw();
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .build(Some(handle));
        let display = config.display();
        let surface_attributes = window.build_surface_attributes(Default::default())?;
        // SAFETY: the window outlives the context and the surface.
        let (context, surface) = unsafe {
            (
                display.create_context(&config, &attributes)?,
                display.create_window_surface(&config, &surface_attributes)?,
            )
        };
        let context = context.make_current(&surface)?;
        // Ignores the error, because some displays don't support vertical synchronization.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        let loader = |name: &str| {
            let name = CString::new(name).unwrap_or_default();
            display.get_proc_address(&name)
        };
        // SAFETY: the context is current, and stays current on this thread while these objects exist.
        let (gl, device) = unsafe {
            let gl = Rc::new(glow::Context::from_loader_function(loader));
            (Rc::clone(&gl), GlDevice::new(gl, &loader)?)
        };
        // SAFETY: the context is current.
        let (program, vertex_array) = unsafe { (compile(&gl)?, gl.create_vertex_array()?) };
        // The host has changed OpenGL state since the device was created.
        device.invalidate_state();
        let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
        let mut context3d = Context3D::new(device.backend()?, options);
        let indices = scene(&mut context3d)?;
        let shown = Shown {
            context3d,
            indices,
            device,
            program,
            vertex_array,
            gl,
            surface,
            context,
            window,
        };
        Ok(shown)
    }

    /// Resizes the stage to the window's size minus the margins.
    fn resize(&mut self, size: PhysicalSize<u32>) -> Outcome<()> {
        if let (Some(width), Some(height)) =
            (NonZeroU32::new(size.width), NonZeroU32::new(size.height))
        {
            self.surface.resize(&self.context, width, height);
        }
        let [width, height] = stage(size).map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        Ok(self.context3d.configure_back_buffer(width, height, 4, false, false, false)?)
    }

    fn frame(&mut self, frame: u32) -> Outcome<()> {
        let size = self.window.inner_size();
        let [window_width, window_height] = sides(size);
        // SAFETY: the context is current.
        unsafe {
            self.gl.viewport(0, 0, window_width, window_height);
            self.gl.use_program(Some(self.program));
            self.gl.bind_vertex_array(Some(self.vertex_array));
            self.gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        // The host has changed OpenGL state since the last frame.
        self.device.invalidate_state();
        self.draw(frame)?;
        let [width, height] = stage(size);
        let place = PresentRect {
            x: MARGIN.cast_signed(),
            y: MARGIN.cast_signed(),
            width,
            height,
            bottom_up: true,
            smooth: false,
        };
        let backend = self.context3d.backend_mut();
        backend.present_into(FrameDestination::Framebuffer(None), &place)?;
        // The host expects default OpenGL state: no scissor test, no program, and the window's framebuffer.
        self.device.reset_to_gl_defaults()?;
        // SAFETY: the context is current.
        unsafe {
            self.gl.enable(glow::SCISSOR_TEST);
            self.gl.scissor(0, 0, window_width, BAR);
            self.gl.clear_color(1.0, 0.5, 0.0, 1.0);
            self.gl.clear(glow::COLOR_BUFFER_BIT);
            self.gl.disable(glow::SCISSOR_TEST);
        }
        Ok(())
    }

    /// Draws the content of the ActionScript application: a rotating triangle on violet.
    fn draw(&mut self, frame: u32) -> Outcome<()> {
        let context = &mut self.context3d;
        context.clear(0.4, 0.0, 0.4, 1.0, 1.0, 0, u32::MAX)?;
        let (sin, cos) = (f64::from(frame) * 0.1).sin_cos();
        let turn = [cos, -sin, 0.0, 0.0, sin, cos, 0.0, 0.0];
        context.set_program_constants_from_vector(ProgramType::Vertex, 0, Some(&turn), 2)?;
        context.draw_triangles(Some(self.indices), 0, -1)?;
        context.present()?;
        Ok(())
    }

    /// Reads the back buffer before it is presented.
    fn picture(&self) -> Outcome<RgbaImage> {
        let [width, height] = sides(self.window.inner_size());
        let row = usize::try_from(width)? * 4;
        let mut pixels = vec![0; row * usize::try_from(height)?];
        let into = glow::PixelPackData::Slice(Some(&mut pixels));
        // SAFETY: the context is current, and the buffer has space for all pixels.
        unsafe { self.gl.read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, into) };
        // Flips the image, because OpenGL returns the bottom row first.
        let rgba = pixels.chunks(row).rev().flatten().copied().collect();
        let image = RgbaImage::from_rgba(width.unsigned_abs(), height.unsigned_abs(), rgba);
        Ok(image.ok_or("the image has another size")?)
    }
}

fn sides(size: PhysicalSize<u32>) -> [i32; 2] {
    [size.width, size.height].map(|side| i32::try_from(side).unwrap_or(i32::MAX))
}

fn stage(size: PhysicalSize<u32>) -> [u32; 2] {
    // Stage3D's `baseline` profile needs a back buffer of at least 32×32 pixels.
    [size.width, size.height].map(|side| side.saturating_sub(2 * MARGIN).max(32))
}

/// Creates the objects of the ActionScript application.
fn scene(context: &mut Context3D<GlBackend>) -> Outcome<ObjectHandle<IndexBufferKey>> {
    let vertices = context.create_vertex_buffer(3, 2, BufferUsage::StaticDraw)?;
    let corners = [0.0, 0.8, 0.7, -0.5, -0.7, -0.5];
    context.vertex_buffer_upload_from_vector(vertices, Some(&corners), 0, 3)?;
    let indices = context.create_index_buffer(3, BufferUsage::StaticDraw)?;
    context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2]), 0, 3)?;
    let vertex = "mov vt0, va0\ndp3 vt0.x, va0, vc0\ndp3 vt0.y, va0, vc1\nmov op, vt0";
    let vertex = asm::assemble(vertex, Stage::Vertex, 1)?.encode();
    let fragment = asm::assemble("mov oc, fc0", Stage::Fragment, 1)?.encode();
    let program = context.create_program()?;
    context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
    context.set_program(Some(program))?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    let yellow = [1.0, 1.0, 0.0, 1.0];
    context.set_program_constants_from_vector(ProgramType::Fragment, 0, Some(&yellow), 1)?;
    Ok(indices)
}

/// # Safety
/// The context must be current.
unsafe fn compile(gl: &glow::Context) -> Outcome<glow::Program> {
    // SAFETY: the caller guarantees that the context is current.
    unsafe {
        let program = gl.create_program()?;
        for (kind, source) in
            [(glow::VERTEX_SHADER, BACKGROUND.0), (glow::FRAGMENT_SHADER, BACKGROUND.1)]
        {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        match gl.get_program_link_status(program) {
            true => Ok(program),
            false => Err(gl.get_program_info_log(program).into()),
        }
    }
}

/// The application's state, with or without an open window.
#[derive(Default)]
struct App {
    shown: Option<Shown>,
    frame: u32,
    /// The number of frames after which the application exits; `None` runs until the window is closed.
    frames: Option<u32>,
    picture: Option<PathBuf>,
    failed: Option<Box<dyn Error>>,
}

impl App {
    fn redraw(&mut self, event_loop: &ActiveEventLoop) -> Outcome<()> {
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        shown.frame(self.frame)?;
        self.frame += 1;
        if self.frames == Some(self.frame) {
            if let Some(path) = &self.picture {
                write_png(path, &shown.picture()?)?;
            }
            event_loop.exit();
        }
        if self.frames == Some(self.frame * 2) {
            let [_, (width, height)] = SIZES;
            // Some window systems resize immediately, others send an event later.
            if let Some(size) = shown.window.request_inner_size(PhysicalSize::new(width, height)) {
                shown.resize(size)?;
            }
        }
        shown.surface.swap_buffers(&shown.context)?;
        shown.window.request_redraw();
        Ok(())
    }

    fn attempt(&mut self, event_loop: &ActiveEventLoop, done: Outcome<()>) {
        if let Err(error) = done {
            self.failed = Some(error);
            event_loop.exit();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let opened = Shown::open(event_loop).and_then(|mut shown| {
            shown.resize(shown.window.inner_size())?;
            shown.window.request_redraw();
            self.shown = Some(shown);
            Ok(())
        });
        self.attempt(event_loop, opened);
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let done = match (event, &mut self.shown) {
            (WindowEvent::CloseRequested, _) => {
                event_loop.exit();
                Ok(())
            }
            (WindowEvent::Resized(size), Some(shown)) => shown.resize(size),
            (WindowEvent::RedrawRequested, _) => self.redraw(event_loop),
            _ => Ok(()),
        };
        self.attempt(event_loop, done);
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // Drops the window while the connection to the display still exists.
        self.shown = None;
    }
}

/// Runs the application. With `frames`, exits after that many frames and writes the last frame to `picture`.
pub(crate) fn run(frames: Option<u32>, picture: Option<&Path>) -> Outcome<()> {
    let mut app = App { frames, picture: picture.map(Path::to_owned), ..App::default() };
    EventLoop::new()?.run_app(&mut app)?;
    app.failed.map_or(Ok(()), Err)
}

fn main() -> Outcome<()> {
    let (mut frames, mut picture) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or("an option has no value")?;
        match &*option {
            "--frames" => frames = Some(value.parse()?),
            "--picture" => picture = Some(PathBuf::from(value)),
            _ => return Err(format!("{option}: not an option").into()),
        }
    }
    run(frames, picture.as_deref())
}

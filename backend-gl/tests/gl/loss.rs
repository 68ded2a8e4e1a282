//! Tests the loss of a device that several contexts share (context3d/PLUGIN.md, "A lost device").

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::common::{APIS, open};
use backend_gl::offscreen::Api;
use backend_gl::{GlBackend, GlDevice};
use context3d::agal::{Stage, asm};
use context3d::backend::{Backend as _, BackendError, ReadSurface};
use context3d::enums::{BufferUsage, ProgramType, VertexFormat};
use context3d::keys::IndexBufferKey;
use context3d::{Context3D, ContextOptions, ObjectHandle, Profile};
use context3d_layers::{RecoverableBackend, RecoveryOptions};

type Open = Box<dyn FnMut() -> Result<GlBackend, BackendError>>;
type Context = Context3D<RecoverableBackend<GlBackend, Open>>;

/// The type `Devices` of the example in PLUGIN.md.
struct Devices {
    api: Api,
    current: RefCell<Option<GlDevice>>,
    made: Cell<u32>,
}

impl Devices {
    fn backend(&self) -> Result<GlBackend, BackendError> {
        let mut current = self.current.borrow_mut();
        if let Some(device) = &*current {
            match device.backend() {
                Err(BackendError::Lost) => {}
                backend => return backend,
            }
        }
        self.made.set(self.made.get() + 1);
        current.insert(open(self.api).device()?).backend()
    }
}

/// Creates a context that fills the target with the colour `fc0`.
fn context(devices: &Rc<Devices>) -> (Context, ObjectHandle<IndexBufferKey>) {
    let devices = Rc::clone(devices);
    let open: Open = Box::new(move || devices.backend());
    let backend = RecoverableBackend::new(open, RecoveryOptions::default()).expect("a device");
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(backend, options);
    let make = || {
        context.configure_back_buffer(32, 32, 0, false, false, false)?;
        let vertices = context.create_vertex_buffer(3, 2, BufferUsage::StaticDraw)?;
        let corners = [-1.0, -1.0, 3.0, -1.0, -1.0, 3.0];
        context.vertex_buffer_upload_from_vector(vertices, Some(&corners), 0, 3)?;
        let indices = context.create_index_buffer(3, BufferUsage::StaticDraw)?;
        context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2]), 0, 3)?;
        let code = |text, stage| asm::assemble(text, stage, 1).expect("AGAL").encode();
        let vertex = code("mov op, va0", Stage::Vertex);
        let fragment = code("mov oc, fc0", Stage::Fragment);
        let program = context.create_program()?;
        context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
        context.set_program(Some(program))?;
        context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
        context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX)?;
        Ok::<_, context3d::Error>(indices)
    };
    let indices = { make }().expect("legal calls");
    (context, indices)
}

#[test]
fn all_contexts_of_a_lost_device_go_on_with_one_new_device() {
    for api in APIS {
        let devices = Rc::new(Devices { api, current: RefCell::new(None), made: Cell::new(0) });
        let mut contexts = [context(&devices), context(&devices)];
        assert_eq!(devices.made.get(), 1, "{api}");
        let colors = [[255, 0, 0, 255], [0, 0, 255, 255]];
        let mut frame = |lose: Option<usize>, colors: [[u8; 4]; 2]| {
            for (n, (context, indices)) in contexts.iter_mut().enumerate() {
                let color = colors[n].map(|byte| f64::from(byte) / 255.0);
                let stage = ProgramType::Fragment;
                let set = context.set_program_constants_from_vector(stage, 0, Some(&color), 1);
                set.expect("a legal call");
                if lose == Some(n) {
                    let device = devices.current.borrow().clone();
                    device.expect("there is one").abandon();
                }
                let drawn = context.draw_triangles(Some(*indices), 0, -1);
                drawn.expect("a legal call");
                context.present().expect("a legal call");
            }
            contexts.each_mut().map(|(context, _)| {
                let mut pixels = Vec::new();
                let read = context.backend_mut().read_pixels(ReadSurface::Front, &mut pixels);
                assert_eq!(read, Ok((32, 32)));
                (pixels[..4].to_vec(), context.backend().restored())
            })
        };
        for (lose, made, restored) in [
            (None, 1, [0, 0]),
            // The device is lost before the first context draws, or between the two contexts' draws.
            (Some(0), 2, [1, 1]),
            (Some(1), 3, [2, 2]),
            (None, 3, [2, 2]),
        ] {
            let shown = frame(lose, colors);
            for n in 0..2 {
                assert_eq!(shown[n], (colors[n].to_vec(), restored[n]), "{api}, {lose:?}");
            }
            assert_eq!(devices.made.get(), made, "{api}, {lose:?}");
        }
    }
}

//! Tests packets that a backend rejects, and the reported limits.

use context3d::keys::{IndexBufferKey, VertexBufferKey};

use super::*;

#[test]
fn broken_promises_are_errors_not_crashes() {
    let mut backend = backend(Api::OpenGl);
    configure(&mut backend, 32, 32, 0);
    let mut vertex: SlotMap<VertexBufferKey, ()> = SlotMap::with_key();
    let mut index: SlotMap<IndexBufferKey, ()> = SlotMap::with_key();
    let (vertex, index) = (vertex.insert(()), index.insert(()));
    let key = texture_keys(1)[0];
    let driver = |result: Result<(), BackendError>| matches!(result, Err(BackendError::Driver(_)));
    let data = || Cow::Borrowed(&[0u8; 8][..]);
    let bad_upload =
        |layout| Packet::UploadTexture { key, side: 0, level: 0, layout, data: data() };
    assert!(driver(backend.execute(bad_upload(TexelLayout::Bgra8))), "no texture");
    texture(&mut backend, key, desc(TextureKind::TwoD, TextureFormat::Bgra, 4, 3));
    assert!(driver(backend.execute(bad_upload(TexelLayout::Bgra8))), "too short");
    assert!(driver(backend.execute(bad_upload(TexelLayout::Bgr565))), "wrong layout");
    let packet = Packet::CreateVertexBuffer { key: vertex, bytes: 12, dynamic: false };
    run(&mut backend, packet);
    for offset in [5, u32::MAX] {
        let upload = Packet::UploadVertexBuffer { key: vertex, offset, data: data() };
        assert!(driver(backend.execute(upload)));
    }
    let upload = Packet::UploadIndexBuffer { key: index, offset: 0, data: data() };
    assert!(driver(backend.execute(upload)));
    let clear = Clear { color: Some(RED), depth: None, stencil: None };
    let pass =
        PassStart { target: target(texture_keys(9)[8], 0, 4, 0), load_samples: false, clear };
    assert!(driver(backend.execute(Packet::BeginPass(pass))));
    assert_eq!(backend.debug_errors(), 0, "none of it reached GL");
}

#[test]
fn more_than_the_device_has_is_out_of_memory() {
    let mut backend = backend(Api::OpenGl);
    let packet = Packet::CreateVertexBuffer {
        key: SlotMap::with_key().insert(()),
        bytes: u32::MAX,
        dynamic: false,
    };
    assert_eq!(backend.execute(packet), Err(BackendError::OutOfMemory));
    // The backend remains usable.
    configure(&mut backend, 32, 32, 0);
    clear(&mut backend, RED);
    assert_eq!(read(&mut backend, ReadSurface::BackBuffer).2[..2], [255, 0]);
}

#[test]
fn caps_are_plausible() {
    for api in APIS {
        let backend = backend(api);
        let caps = backend.caps();
        assert!(caps.driver_info.starts_with("OpenGL"), "{}", caps.driver_info);
        assert!(caps.max_texture_size >= 2048 && caps.max_target_size >= 2048);
        assert!(caps.max_samplers == 16 && caps.max_streams == 16 && caps.max_color_outputs == 4);
        assert_eq!(caps.wireframe, api == Api::OpenGl);
    }
}

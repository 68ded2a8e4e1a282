//! Counts GL queries that synchronize with the driver, per created object.

use std::borrow::Cow;

use backend_gl::GlBackend;
use context3d::backend::Backend as _;
use context3d::enums::TextureFormat;
use context3d::keys::{TextureKey, VertexBufferKey};
use context3d::packets::{Packet, TexelLayout, TextureDesc, TextureKind};
use molehill_testing::trace::{calls, failing_devices, inject};
use slotmap::SlotMap;

/// Number of the texture's mip levels.
const LEVELS: u8 = 12;
/// GL functions whose results require that the driver finishes earlier calls.
const QUESTIONS: [&str; 3] = ["glGetError", "glCheckFramebufferStatus", "glGetString"];

fn run(backend: &mut GlBackend, packet: Packet<'_>) {
    assert_eq!(backend.execute(packet), Ok(()));
}

fn upload(key: TextureKey, level: u8) -> Packet<'static> {
    let side = 1 << (LEVELS - 1 - level);
    let layout = TexelLayout::Bgra8;
    let data = Cow::Owned(vec![7; layout.bytes(side, side)]);
    Packet::UploadTexture { key, side: 0, level, layout, data }
}

/// A step of the test, and the range of its calls in the trace.
type Part = (&'static str, std::ops::Range<usize>);

/// Uploads a texture, generates its levels twice, and creates buffers.
fn play() -> Vec<Part> {
    let device = failing_devices()().expect("a device");
    let mut backend = device.backend().expect("a backend");
    let key = SlotMap::<TextureKey, ()>::with_key().insert(());
    let desc = TextureDesc {
        kind: TextureKind::TwoD,
        format: TextureFormat::Bgra,
        width: 1 << (LEVELS - 1),
        height: 1 << (LEVELS - 1),
        levels: LEVELS,
        render_target: false,
    };
    run(&mut backend, Packet::CreateTexture { key, desc });
    let mut keys = SlotMap::<VertexBufferKey, ()>::with_key();
    let mips = Packet::GenerateMips { key, side: 0, levels: (1 << LEVELS) - 2 };
    let buffers = [(); 10].map(|()| Packet::CreateVertexBuffer {
        key: keys.insert(()),
        bytes: 64,
        dynamic: false,
    });
    let mut parts = Vec::new();
    let mut part = |what, packets: Vec<Packet<'_>>| {
        let first = calls();
        packets.into_iter().for_each(|packet| run(&mut backend, packet));
        parts.push((what, first..calls()));
    };
    part("twelve levels", (0..LEVELS).map(|level| upload(key, level)).collect());
    part("their replacement", (0..LEVELS).map(|level| upload(key, level)).collect());
    part("mip levels", vec![mips.borrowed()]);
    part("mip levels again", vec![mips.borrowed()]);
    part("ten buffers", buffers.to_vec());
    parts
}

#[test]
fn objects_ask_for_errors_once() {
    let (parts, functions) = inject(None, play);
    for (what, range) in parts {
        let asked = |name| functions[range.clone()].iter().filter(|it| **it == name).count();
        let asked = QUESTIONS.map(asked);
        let expected = match what {
            "twelve levels" => [2, 0, 2],
            "their replacement" | "mip levels again" => [0, 0, 0],
            // One query for each level's framebuffer, and one for errors of earlier calls.
            "mip levels" => [25, 12, 25],
            _ => [11, 0, 11],
        };
        assert_eq!(asked, expected, "{what}");
    }
}

//! Arbitrary sequences of calls on devices that are lost: the program doesn't notice the recovery.

use std::borrow::Cow;
use std::cell::Cell;

use context3d::backend::{Backend, BackendError, NullBackend};
use context3d::enums::{ProgramType, TextureFormat};
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Clear, ColorAttachment, Packet, PassStart, RenderTarget, TexelLayout,
    TextureDesc, TextureKind, TextureTarget,
};
use context3d_layers::{RecoverableBackend, RecoveryOptions};
use molehill_testing::{TestContext, ValidatingBackend};
use proptest::prelude::*;
use slotmap::SlotMap;

use crate::sequences::{options, steps};

/// Opens devices that are lost after these numbers of packets. The last device is not lost.
fn mortal(lives: Vec<u32>) -> impl FnMut() -> Result<ValidatingBackend, BackendError> {
    let mut lives = lives.into_iter();
    move || {
        let mut device = ValidatingBackend::new();
        device.failure = lives.next().map(|packets| (packets, BackendError::Lost));
        Ok(device)
    }
}

fn keep() -> impl Strategy<Value = RecoveryOptions> {
    (any::<bool>(), prop::sample::select(vec![0, 5000, 1 << 20])).prop_map(
        |(rendered_textures, frame_bytes)| RecoveryOptions { rendered_textures, frame_bytes },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Replies are the same as without losses, and a new device receives valid packets and the old content.
    #[test]
    fn losses_are_not_noticed(
        options in options(),
        steps in steps(80),
        lives in prop::collection::vec(0u32..120, 0..3),
        keep in keep(),
    ) {
        let backend = RecoverableBackend::new(mortal(lives), keep);
        let mut test = TestContext::over(backend.expect("opens"), options);
        let mut twin = test.twin(ValidatingBackend::new());
        for step in &steps {
            for command in twin.objects.commands(step) {
                prop_assert_eq!(test.execute(&command), twin.execute(&command), "{:?}", command);
            }
        }
        let restoring = test.context.backend();
        restoring.backend().holds_the_same(twin.context.backend());
    }
}

#[test]
fn a_device_that_stays_away_is_lost() {
    let asked = Cell::new(0);
    let open = || {
        asked.set(asked.get() + 1);
        match asked.get() {
            1 => mortal(vec![3])(),
            _ => Err(BackendError::Lost),
        }
    };
    let restoring = RecoverableBackend::new(open, RecoveryOptions::default()).expect("opens");
    let options =
        context3d::ContextOptions { profile: context3d::Profile::Standard, swf_version: 50 };
    // The first device is lost after three packets, and no other device can be opened.
    let test = TestContext::over(restoring, options);
    assert!(test.context.is_disposed());
    assert_eq!(asked.get(), 4);
}

/// A device whose textures can't be read back.
struct Unreadable(NullBackend);

impl Backend for Unreadable {
    context3d::forward_backend!(self => self.0; caps execute read_region);

    fn read_texels(
        &mut self,
        _: TextureKey,
        _: u8,
        _: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        Err(BackendError::OutOfMemory)
    }
}

/// If a texture's read-back fails, the preceding packet succeeds. A recovery presents the frame with a blank texture.
#[test]
fn packets_that_were_executed_do_not_fail() {
    let key = texture_key();
    let frame = [pass_into(key, WHITE), END, Packet::Present];
    for frame_bytes in [0, 1 << 20] {
        let keep = RecoveryOptions { frame_bytes, ..RecoveryOptions::default() };
        let open = || Ok(Unreadable(NullBackend::new()));
        let mut restoring = RecoverableBackend::new(open, keep).expect("opens");
        for packet in [created(key), zeroed(key, 0)].iter().chain(&frame) {
            assert_eq!(restoring.execute(packet.borrowed()), Ok(()), "{packet:?}");
        }
        restoring.backend_mut().0.fail_next(BackendError::Lost);
        assert_eq!(restoring.execute(Packet::Present), Ok(()));
        let packets = restoring.backend_mut().0.take_packets();
        let shown = packets.iter().filter(|packet| **packet == Packet::Present).count();
        assert_eq!(shown, 2, "{packets:?}");
    }
}

/// If a new device can't create the old device's objects, the device counts as lost.
#[test]
fn a_device_that_cannot_be_restored_is_lost() {
    for error in [BackendError::OutOfMemory, BackendError::Driver("no".to_owned())] {
        let opened = Cell::new(0);
        let open = || {
            opened.set(opened.get() + 1);
            let mut device = ValidatingBackend::new();
            device.failure = Some(match opened.get() {
                1 => (3, BackendError::Lost),
                _ => (1, error.clone()),
            });
            Ok(device)
        };
        let restoring = RecoverableBackend::new(open, RecoveryOptions::default()).expect("opens");
        let options =
            context3d::ContextOptions { profile: context3d::Profile::Standard, swf_version: 50 };
        let test = TestContext::over(restoring, options);
        assert!(test.context.is_disposed(), "{error}");
        assert_eq!(opened.get(), 4, "{error}");
    }
}

#[test]
fn a_lesser_device_is_refused() {
    let mut first = true;
    let open = || {
        let mut device = ValidatingBackend::new();
        if std::mem::take(&mut first) {
            device.failure = Some((3, BackendError::Lost));
        } else {
            device.caps.max_texture_size = 16;
        }
        Ok(device)
    };
    let restoring = RecoverableBackend::new(open, RecoveryOptions::default()).expect("opens");
    let options =
        context3d::ContextOptions { profile: context3d::Profile::Standard, swf_version: 50 };
    assert!(TestContext::over(restoring, options).context.is_disposed());
}

/// Returns the packets that a new device receives after a loss.
fn everything_replayed(keep: RecoveryOptions, packets: &[Packet<'static>]) -> Vec<Packet<'static>> {
    let mut restoring = RecoverableBackend::new(|| Ok(NullBackend::new()), keep).expect("opens");
    for packet in packets {
        assert_eq!(restoring.execute(packet.borrowed()), Ok(()));
    }
    restoring.backend_mut().fail_next(BackendError::Lost);
    assert_eq!(restoring.execute(Packet::Present), Ok(()));
    assert_eq!(restoring.restored(), 1);
    restoring.backend_mut().take_packets()
}

/// Returns the packets that restore a texture of 2×2 texels, some frames after the loss.
fn replayed(packets: &[Packet<'static>]) -> Vec<Packet<'static>> {
    let of_textures = |packet: &Packet<'_>| {
        matches!(packet, Packet::UploadTexture { .. } | Packet::GenerateMips { .. })
    };
    let keep = RecoveryOptions { rendered_textures: false, ..RecoveryOptions::default() };
    let frames = [Packet::Present, Packet::Present];
    let mut packets = everything_replayed(keep, &[packets, &frames].concat());
    packets.retain(of_textures);
    packets
}

fn texture_key() -> TextureKey {
    let mut keys: SlotMap<TextureKey, ()> = SlotMap::with_key();
    keys.insert(())
}

fn made(key: TextureKey, levels: u16) -> Packet<'static> {
    let side = 0;
    Packet::GenerateMips { key, side, levels }
}

fn created(key: TextureKey) -> Packet<'static> {
    created_with(key, 2)
}

fn created_with(key: TextureKey, levels: u8) -> Packet<'static> {
    Packet::CreateTexture {
        key,
        desc: TextureDesc {
            kind: TextureKind::TwoD,
            format: TextureFormat::Bgra,
            width: 1 << (levels - 1),
            height: 1 << (levels - 1),
            levels,
            render_target: true,
        },
    }
}

fn uploaded(key: TextureKey, level: u8, value: u8) -> Packet<'static> {
    Packet::UploadTexture {
        key,
        side: 0,
        level,
        layout: TexelLayout::Bgra8,
        data: Cow::Owned(vec![value; 16 >> (2 * level)]),
    }
}

fn zeroed(key: TextureKey, level: u8) -> Packet<'static> {
    Packet::ZeroLevel { key, side: 0, level }
}

const WHITE: Clear = Clear { color: Some([1.0; 4]), depth: None, stencil: None };
const END: Packet<'static> = Packet::EndPass { resolve: false };

fn pass_into(texture: TextureKey, clear: Clear) -> Packet<'static> {
    let attachment = ColorAttachment { texture, side: 0 };
    let target = RenderTarget::Textures(TextureTarget {
        color: [Some(attachment), None, None, None],
        width: 2,
        height: 2,
        samples: 1,
        depth_stencil: false,
    });
    Packet::BeginPass(PassStart { target, load_samples: false, clear })
}

/// A mip level was generated from a replaced level 0. Uploads that no later operation can read are not replayed.
#[test]
fn levels_come_back_in_their_order() {
    let key = texture_key();
    let upload = |level, value| uploaded(key, level, value);
    let first = [upload(0, 1), made(key, 0b10), upload(0, 2)];
    let told = [vec![created(key)], first.to_vec()].concat();
    assert_eq!(replayed(&told), first);
    // Only the source of the generated level 1 and the last content of level 0 are uploaded.
    let [source, mips, _] = first;
    let told = [told, vec![upload(0, 4)]].concat();
    assert_eq!(replayed(&told), [source, mips, upload(0, 4)]);
    let told = [told, vec![upload(1, 5)]].concat();
    assert_eq!(replayed(&told), [upload(0, 4), upload(1, 5)]);
}

/// A smaller mip level is generated from an uploaded level, which is replaced later.
#[test]
fn levels_beside_made_ones_come_back_in_their_order() {
    let key = texture_key();
    let upload = |level, value| uploaded(key, level, value);
    let told = [created_with(key, 3), upload(0, 1), upload(1, 2)];
    let told = [&told[..], &[made(key, 0b100), upload(1, 3), upload(1, 4)]].concat();
    let expected = [upload(0, 1), upload(1, 2), made(key, 0b100), upload(1, 4)];
    assert_eq!(replayed(&told), expected);
    // Level 1 is generated from level 0, then uploaded, so that its earlier uploads are not replayed.
    let told = [told, vec![made(key, 0b110), upload(1, 5)]].concat();
    let expected = [upload(0, 1), made(key, 0b110), upload(1, 5)];
    assert_eq!(replayed(&told), expected);
}

/// Found by fuzzing: mip levels were generated from a level without content.
#[test]
fn what_is_not_kept_is_transparent_black() {
    let key = texture_key();
    for before in [zeroed(key, 0), uploaded(key, 0, 7)] {
        let rendered = [pass_into(key, WHITE), END, zeroed(key, 1), made(key, 0b10)];
        let told = [vec![created(key), before], rendered.to_vec()].concat();
        let blank = [uploaded(key, 0, 0), made(key, 0b10)];
        assert_eq!(replayed(&told), blank);
    }
}

/// Found by fuzzing: a restored device had to draw to a missing texture.
#[test]
fn a_target_without_its_texture_is_not_set_again() {
    let key = texture_key();
    // With `frame_bytes: 0`, no packets of a frame are recorded.
    let keep = RecoveryOptions { frame_bytes: 0, ..RecoveryOptions::default() };
    let more = Packet::Constants {
        stage: ProgramType::Vertex,
        first: 0,
        values: Cow::Owned(vec![[1.0; 4]]),
    };
    let sets_target = |packets: &[Packet<'static>]| {
        let told = everything_replayed(keep, &[packets, &[more.clone(), more.clone()]].concat());
        told.iter().any(|packet| matches!(packet, Packet::BeginPass(_)))
    };
    let mut packets = vec![created(key), pass_into(key, Clear::default()), END];
    assert!(sets_target(&packets));
    packets.push(Packet::DisposeTexture(key));
    assert!(!sets_target(&packets));
}

/// Found by random calls: after a clear of depth only, a target's colour was not restored.
#[test]
fn clears_without_a_color_leave_textures_alone() {
    let key = texture_key();
    let depth = Clear { color: None, depth: Some(1.0), stencil: None };
    let told = [created(key), uploaded(key, 0, 7), pass_into(key, depth), END];
    assert_eq!(replayed(&told), [uploaded(key, 0, 7)]);
}

/// A new device restores a render target only if none of its textures was disposed.
#[test]
fn a_target_without_its_texture_counts_for_nothing() {
    let key = texture_key();
    let keep = RecoveryOptions { rendered_textures: false, frame_bytes: 0 };
    let restored = |lives: u32, packets: &[Packet<'static>]| {
        let mut restoring = RecoverableBackend::new(mortal(vec![lives]), keep).expect("opens");
        let mut twin = ValidatingBackend::new();
        for packet in packets {
            assert_eq!(restoring.execute(packet.borrowed()), Ok(()));
            assert_eq!(twin.execute(packet.borrowed()), Ok(()));
        }
        assert_eq!(restoring.restored(), 1);
        restoring.backend().holds_the_same(&twin);
        restoring
    };
    let constants = Packet::Constants {
        stage: ProgramType::Vertex,
        first: 0,
        values: Cow::Owned(vec![[1.0; 4]]),
    };
    let back_buffer = BackBufferDesc { width: 64, height: 64, ..BackBufferDesc::default() };
    let made = [Packet::ConfigureBackBuffer(back_buffer), created(key), zeroed(key, 0)];
    let begun = [&made[..], &[pass_into(key, Clear::default())]].concat();
    let gone = [&begun[..], &[END, Packet::DisposeTexture(key), constants.clone()]].concat();
    restored(6, &gone);
    let targeted = restored(4, &[&begun[..], &[constants]].concat());
    let (target, clear) = (RenderTarget::BackBuffer, Clear::default());
    let elsewhere = Packet::BeginPass(PassStart { target, load_samples: false, clear });
    let mut other = ValidatingBackend::new();
    for packet in made.into_iter().chain([elsewhere]) {
        assert_eq!(other.execute(packet), Ok(()));
    }
    let compared = std::panic::AssertUnwindSafe(|| targeted.backend().holds_the_same(&other));
    assert!(std::panic::catch_unwind(compared).is_err());
}

/// After a pass was resolved, its texture contains the image on a new device, too.
#[test]
fn a_resolved_pass_is_resolved_again() {
    let key = texture_key();
    let mut samples = pass_into(key, WHITE);
    if let Packet::BeginPass(PassStart { target: RenderTarget::Textures(target), .. }) =
        &mut samples
    {
        target.samples = 4;
    }
    let mut lives = vec![None, Some(5)].into_iter();
    let open = || {
        let mut device = ValidatingBackend::new();
        device.failure = lives.next_back().flatten().map(|packets| (packets, BackendError::Lost));
        Ok(device)
    };
    let keep = RecoveryOptions { rendered_textures: false, frame_bytes: 0 };
    let mut restoring = RecoverableBackend::new(open, keep).expect("opens");
    let resolved = Packet::EndPass { resolve: true };
    let levels = [zeroed(key, 0), zeroed(key, 1)];
    let pass = [samples, resolved, made(key, 0b10)];
    for packet in [created(key)].iter().chain(&levels).chain(&pass) {
        assert_eq!(restoring.execute(packet.borrowed()), Ok(()), "{packet:?}");
    }
}

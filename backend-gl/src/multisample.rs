//! Multisampled render buffers. Targets borrow them while they are drawn to; afterwards the content is in the textures,
//! so that targets of the same size can share one set.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::MAX_COLOR_OUTPUTS;

use crate::gl::{Gl, Rect, Texels};
use crate::shadow::Shadow;
use crate::target::{self, Buffers};

/// Below so many bytes each target has a set of its own, from which samples need not be brought back when it is entered
/// again. Beyond, targets take turns.
const KEPT_BYTES: u64 = 256 << 20;
/// All sets together are never larger: what a target of 4096² (context3d.md section 1) with 16 samples takes. More is
/// [`BackendError::OutOfMemory`].
const MOST_BYTES: u64 = 2 << 30;
/// Bytes of a sample's depth and stencil.
const DEPTH_STENCIL_BYTES: u64 = 4;

/// Targets for which this is the same can use the same set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) size: Rect,
    pub(crate) samples: i32,
    /// By colour output, what the texture is.
    pub(crate) texels: [Option<Texels>; MAX_COLOR_OUTPUTS],
    pub(crate) depth_stencil: bool,
}

impl Shape {
    /// Samples can't be resolved straight into the textures.
    fn indirect(&self) -> bool {
        let mut texels = self.texels.iter().flatten();
        texels.any(|texels| texels.render_buffer != texels.internal)
    }

    fn bytes(&self) -> u64 {
        let texel = |texels: &Texels| u64::try_from(texels.bytes).unwrap_or(u64::MAX).max(4);
        let color: u64 = self.texels.iter().flatten().map(texel).sum();
        let depth = u64::from(self.depth_stencil) * DEPTH_STENCIL_BYTES;
        let samples = u64::from(self.samples.unsigned_abs()).max(1);
        let pixel = samples * (color + depth) + u64::from(self.indirect()) * color;
        let pixels = self.size.bytes(1).and_then(|area| u64::try_from(area).ok());
        pixels.unwrap_or(u64::MAX).saturating_mul(pixel)
    }
}

/// Render buffers of one shape.
pub(crate) struct Set {
    /// What is drawn to.
    pub(crate) samples: Buffers,
    /// Where samples are resolved on their way to textures of another internal format.
    pub(crate) resolved: Option<Buffers>,
}

impl Set {
    fn create(gl: &Rc<Gl>, shadow: &mut Shadow, shape: &Shape) -> Result<Self, BackendError> {
        let Shape { size, samples, .. } = *shape;
        let formats = shape
            .texels
            .map(|texels| texels.map(|texels| texels.render_buffer));
        let depth = shape
            .depth_stencil
            .then(|| target::depth_stencil(gl, samples, size))
            .transpose()?;
        let drawn = Buffers::create(gl, shadow, samples, size, formats, depth)?;
        let resolved = shape
            .indirect()
            .then(|| Buffers::create(gl, shadow, 0, size, formats, None))
            .transpose()?;
        Ok(Self {
            samples: drawn,
            resolved,
        })
    }

    /// The shadow must not take a later framebuffer of the same name for one of these.
    fn forget(&self, shadow: &mut Shadow) {
        shadow.framebuffer_deleted(self.samples.framebuffer());
        if let Some(resolved) = &self.resolved {
            shadow.framebuffer_deleted(resolved.framebuffer());
        }
    }
}

/// Names a borrower for as long as the pool lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder(u64);

/// A set, and whose content it has.
struct Slot {
    set: Set,
    shape: Shape,
    holder: Holder,
    /// It is a backend's target now.
    in_use: bool,
    last_use: u64,
}

/// All sets of a device.
pub(crate) struct Pool {
    slots: Vec<Slot>,
    kept: u64,
    most: u64,
    holders: u64,
    clock: u64,
}

impl Pool {
    /// No sets yet.
    pub(crate) fn new() -> Self {
        Self {
            slots: Vec::new(),
            kept: KEPT_BYTES,
            most: MOST_BYTES,
            holders: 0,
            clock: 0,
        }
    }

    /// A new borrower.
    pub(crate) fn holder(&mut self) -> Holder {
        self.holders = self.holders.saturating_add(1);
        Holder(self.holders)
    }

    /// Lends a set until it is [released](Pool::release). True: it has what the holder left in it.
    pub(crate) fn take(
        &mut self,
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        holder: Holder,
        shape: &Shape,
    ) -> Result<bool, BackendError> {
        self.clock = self.clock.saturating_add(1);
        let mut slots = self.slots.iter_mut();
        if let Some(slot) = slots.find(|slot| slot.holder == holder) {
            (slot.in_use, slot.last_use) = (true, self.clock);
            return Ok(true);
        }
        let bytes = shape.bytes();
        if self.bytes_with(bytes) > self.kept {
            let slots = self.slots.iter_mut();
            let idle = slots.filter(|slot| !slot.in_use && slot.shape == *shape);
            if let Some(slot) = idle.min_by_key(|slot| slot.last_use) {
                (slot.holder, slot.in_use, slot.last_use) = (holder, true, self.clock);
                return Ok(false);
            }
            while self.bytes_with(bytes) > self.kept && self.drop_oldest(shadow) {}
        }
        if self.bytes_with(bytes) > self.most {
            return Err(BackendError::OutOfMemory);
        }
        let set = match Set::create(gl, shadow, shape) {
            Err(BackendError::OutOfMemory) => {
                while self.drop_oldest(shadow) {}
                Set::create(gl, shadow, shape)?
            }
            made => made?,
        };
        self.slots.push(Slot {
            set,
            shape: *shape,
            holder,
            in_use: true,
            last_use: self.clock,
        });
        Ok(false)
    }

    /// The set that a holder has, or left content in that nobody has drawn over.
    pub(crate) fn get(&self, holder: Holder) -> Option<&Set> {
        let slot = self.slots.iter().find(|slot| slot.holder == holder);
        slot.map(|slot| &slot.set)
    }

    /// Gives a set back. Its samples have been resolved; its depth is worth nothing, because `Context3D` clears it whenever
    /// a target is set ("cleared by force at the first draw", context3d.md section 7).
    pub(crate) fn release(&mut self, holder: Holder) {
        let mut slots = self.slots.iter_mut();
        if let Some(slot) = slots.find(|slot| slot.holder == holder) {
            slot.in_use = false;
        }
    }

    /// The holder is gone.
    pub(crate) fn remove(&mut self, shadow: &mut Shadow, holder: Holder) {
        if let Some(index) = self.slots.iter().position(|slot| slot.holder == holder) {
            self.slots.swap_remove(index).set.forget(shadow);
        }
    }

    fn bytes_with(&self, more: u64) -> u64 {
        let bytes = self.slots.iter().map(|slot| slot.shape.bytes());
        bytes.fold(more, u64::saturating_add)
    }

    /// False when all that are left are in use.
    fn drop_oldest(&mut self, shadow: &mut Shadow) -> bool {
        let idle = (0..).zip(&self.slots).filter(|(_, slot)| !slot.in_use);
        let oldest = idle.min_by_key(|(_, slot)| slot.last_use);
        let Some((index, _)) = oldest else {
            return false;
        };
        self.slots.swap_remove(index).set.forget(shadow);
        true
    }
}

#[cfg(all(test, feature = "offscreen"))]
mod tests {
    use context3d::backend::{Backend as _, BackendError, Surface};
    use context3d::enums::TextureFormat;
    use context3d::keys::TextureKey;
    use context3d::packets::{
        Clear, ColorAttachment, Packet, Target, TextureDesc, TextureKind, TextureTarget,
    };
    use slotmap::SlotMap;

    use crate::GlBackend;
    use crate::offscreen::{Api, Offscreen, Options};

    const SIDE: u32 = 16;
    /// Four samples of a target: colour and depth.
    const SET: u64 = 16 * 16 * 4 * 8;

    fn backends<const N: usize>(api: Api, kept: u64, most: u64) -> [GlBackend; N] {
        let mut options = Options::new(api);
        options.debug = true;
        let offscreen = Offscreen::open_with(&options);
        let offscreen = offscreen.expect("an EGL; harness/setup.sh installs one");
        let device = offscreen.device().expect("a device");
        if let Ok(mut device) = device.borrow() {
            (device.pool.kept, device.pool.most) = (kept, most);
        }
        [(); N].map(|()| device.backend().expect("a backend"))
    }

    fn sets(backend: &GlBackend) -> usize {
        let device = backend.device().borrow().expect("not in use");
        device.pool.slots.len()
    }

    fn texture(backend: &mut GlBackend, key: TextureKey, side: u32) {
        let desc = TextureDesc {
            kind: TextureKind::TwoD,
            format: TextureFormat::Bgra,
            width: side,
            height: side,
            levels: 1,
            render_target: true,
        };
        let created = backend.execute(Packet::CreateTexture { key, desc });
        assert_eq!(created, Ok(()));
    }

    fn target(backend: &mut GlBackend, texture: TextureKey, side: u32) {
        let attachment = ColorAttachment { texture, side: 0 };
        let target = Target::Textures(TextureTarget {
            color: [Some(attachment), None, None, None],
            width: side,
            height: side,
            samples: 4,
            depth_stencil: true,
        });
        assert_eq!(backend.execute(Packet::SetTarget(target)), Ok(()));
    }

    /// With no colour it enters the target, which brings the texture in.
    fn clear(backend: &mut GlBackend, color: Option<[f32; 4]>) -> Result<(), BackendError> {
        backend.execute(Packet::Clear(Clear {
            color,
            depth: Some(1.0),
            stencil: Some(0),
        }))
    }

    fn color(n: u8) -> [f32; 4] {
        [f32::from(n) / 255.0, 0.0, 1.0, 1.0]
    }

    fn expect(backend: &mut GlBackend, texture: TextureKey, n: u8) {
        let (side, level) = (0, 0);
        let surface = Surface::Texture {
            texture,
            side,
            level,
        };
        let mut pixels = Vec::new();
        assert!(backend.read_pixels(surface, &mut pixels).is_ok());
        let all = pixels.chunks(4).all(|pixel| pixel == [n, 0, 255, 255]);
        assert!(all, "{n}: {:?}", &pixels[..4]);
    }

    /// Many targets, few sets: each keeps its colour, also when it is entered again without a clear.
    #[test]
    fn targets_take_turns() {
        for api in [Api::OpenGl, Api::Gles] {
            for (kept, most_sets) in [(0, 1), (5 * SET / 2, 2), (u64::MAX, 6)] {
                let [mut backend] = backends(api, kept, u64::MAX);
                let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
                let keys = [(); 6].map(|()| map.insert(()));
                for (n, key) in (0..).zip(keys) {
                    texture(&mut backend, key, SIDE);
                    target(&mut backend, key, SIDE);
                    assert_eq!(clear(&mut backend, Some(color(n))), Ok(()));
                }
                assert_eq!(sets(&backend), most_sets, "{api}");
                for round in 0..2 {
                    for (n, key) in (0..).zip(keys) {
                        target(&mut backend, key, SIDE);
                        assert_eq!(clear(&mut backend, None), Ok(()));
                        if round == 1 {
                            expect(&mut backend, key, n);
                        }
                    }
                }
                for (n, key) in (0..).zip(keys) {
                    expect(&mut backend, key, n);
                    assert_eq!(backend.execute(Packet::DisposeTexture(key)), Ok(()));
                }
                assert_eq!(sets(&backend), 0, "{api}");
                assert_eq!(backend.debug_errors(), 0);
            }
        }
    }

    #[test]
    fn sets_of_another_size_make_room() {
        let [mut backend] = backends(Api::OpenGl, SET, 4 * SET);
        let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
        let [small, large, huge] = [(); 3].map(|()| map.insert(()));
        for (key, side) in [(small, SIDE), (large, 2 * SIDE), (huge, 4 * SIDE)] {
            texture(&mut backend, key, side);
        }
        for _ in 0..2 {
            for (key, side) in [(small, SIDE), (large, 2 * SIDE)] {
                target(&mut backend, key, side);
                assert_eq!(clear(&mut backend, Some(color(7))), Ok(()));
                assert_eq!(sets(&backend), 1);
            }
        }
        // More than there may be at all; what others have is as before.
        target(&mut backend, huge, 4 * SIDE);
        let refused = clear(&mut backend, Some(color(7)));
        assert_eq!(refused, Err(BackendError::OutOfMemory));
        expect(&mut backend, small, 7);
        expect(&mut backend, large, 7);
        assert_eq!(backend.debug_errors(), 0);
    }

    /// Another backend's target is not taken from it, however little is left.
    #[test]
    fn a_set_in_use_stays() {
        let [mut first, mut second] = backends(Api::OpenGl, 0, 2 * SET);
        let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
        let key = map.insert(());
        for (n, backend) in [(1, &mut first), (2, &mut second)] {
            texture(backend, key, SIDE);
            target(backend, key, SIDE);
            assert_eq!(clear(backend, Some(color(n))), Ok(()));
        }
        assert_eq!(sets(&first), 2);
        expect(&mut first, key, 1);
        expect(&mut second, key, 2);
        drop(second);
        assert_eq!(sets(&first), 1);
        assert_eq!(clear(&mut first, Some(color(3))), Ok(()));
        expect(&mut first, key, 3);
        assert_eq!(first.debug_errors(), 0);
    }
}

//! Multisampled render buffers. Targets borrow them while they are drawn to; afterwards the content is in the textures,
//! so that targets of the same shape can share one set.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::MAX_COLOR_OUTPUTS;

use crate::framebuffer::{self, Buffers};
use crate::gl::{Attempt, Gl, Rect, Texels};
use crate::shadow::Shadow;

/// Up to this total size in bytes, each target has its own set, whose samples need not be loaded again when the target
/// is bound again. Beyond it, targets share sets.
const KEPT_BYTES: u64 = 256 << 20;
/// Maximum total size of all sets: enough for a target of 4096² (context3d.md section 1) with 16 samples. Beyond it,
/// [`BackendError::OutOfMemory`] is returned.
const MAX_BYTES: u64 = 2 << 30;
/// Bytes of depth and stencil per sample.
const DEPTH_STENCIL_BYTES: u64 = 4;

/// Targets with the same shape can use the same set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) size: Rect,
    pub(crate) samples: i32,
    /// The GL formats of the textures, by colour output.
    pub(crate) texels: [Option<Texels>; MAX_COLOR_OUTPUTS],
    pub(crate) depth_stencil: bool,
}

impl Shape {
    /// Whether samples can't be resolved directly into the textures.
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

/// The render buffers for a shape.
pub(crate) struct SampleBuffers {
    /// The multisampled buffers that are drawn to.
    pub(crate) samples: Buffers,
    /// Single-sampled buffers into which samples are resolved before they are copied to textures with another internal
    /// format.
    pub(crate) resolved: Option<Buffers>,
}

impl SampleBuffers {
    fn create(gl: &Attempt<'_>, shadow: &mut Shadow, shape: &Shape) -> Result<Self, BackendError> {
        let Shape { size, samples, .. } = *shape;
        let formats = shape.texels.map(|texels| texels.map(|texels| texels.render_buffer));
        let depth = shape
            .depth_stencil
            .then(|| framebuffer::depth_stencil(gl, samples, size))
            .transpose()?;
        let drawn = Buffers::create(gl, shadow, samples, size, formats, depth)?;
        let resolved = shape
            .indirect()
            .then(|| Buffers::create(gl, shadow, 0, size, formats, None))
            .transpose()?;
        Ok(Self { samples: drawn, resolved })
    }
}

/// Identifies a borrower, unique within the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u64);

/// A set with its last borrower.
struct Slot {
    set: SampleBuffers,
    shape: Shape,
    owner: Owner,
    /// Whether it belongs to a backend's current target.
    in_use: bool,
    last_use: u64,
}

/// All sets of a device.
pub(crate) struct Pool {
    slots: Vec<Slot>,
    kept: u64,
    most: u64,
    owners: u64,
    clock: u64,
}

impl Pool {
    /// An empty pool.
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new(), kept: KEPT_BYTES, most: MAX_BYTES, owners: 0, clock: 0 }
    }

    /// A new borrower.
    pub(crate) fn owner(&mut self) -> Owner {
        self.owners = self.owners.saturating_add(1);
        Owner(self.owners)
    }

    /// Borrows a set until it is [released](Pool::release). Returns whether it still has the owner's content.
    pub(crate) fn take(
        &mut self,
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        owner: Owner,
        shape: &Shape,
    ) -> Result<bool, BackendError> {
        self.clock = self.clock.saturating_add(1);
        let mut slots = self.slots.iter_mut();
        if let Some(slot) = slots.find(|slot| slot.owner == owner) {
            (slot.in_use, slot.last_use) = (true, self.clock);
            return Ok(true);
        }
        let bytes = shape.bytes();
        if self.bytes_with(bytes) > self.kept {
            let slots = self.slots.iter_mut();
            let idle = slots.filter(|slot| !slot.in_use && slot.shape == *shape);
            if let Some(slot) = idle.min_by_key(|slot| slot.last_use) {
                (slot.owner, slot.in_use, slot.last_use) = (owner, true, self.clock);
                return Ok(false);
            }
            while self.bytes_with(bytes) > self.kept && self.drop_oldest() {}
        }
        if self.bytes_with(bytes) > self.most {
            return Err(BackendError::OutOfMemory);
        }
        let gl = &gl.attempt()?;
        let set = match SampleBuffers::create(gl, shadow, shape) {
            Err(BackendError::OutOfMemory) => {
                while self.drop_oldest() {}
                SampleBuffers::create(gl, shadow, shape)?
            }
            made => made?,
        };
        self.slots.push(Slot { set, shape: *shape, owner, in_use: true, last_use: self.clock });
        Ok(false)
    }

    /// The set that an owner has borrowed, or whose content is still the owner's.
    pub(crate) fn get(&self, owner: Owner) -> Option<&SampleBuffers> {
        let slot = self.slots.iter().find(|slot| slot.owner == owner);
        slot.map(|slot| &slot.set)
    }

    /// Returns a set to the pool. Its samples have been resolved; its depth is not needed any more, because `Context3D`
    /// clears depth after each change of targets ("cleared by force at the first draw", context3d.md section 7).
    pub(crate) fn release(&mut self, owner: Owner) {
        let mut slots = self.slots.iter_mut();
        if let Some(slot) = slots.find(|slot| slot.owner == owner) {
            slot.in_use = false;
        }
    }

    /// Deletes the set of an owner that no longer exists.
    pub(crate) fn remove(&mut self, owner: Owner) {
        if let Some(index) = self.slots.iter().position(|slot| slot.owner == owner) {
            self.slots.swap_remove(index);
        }
    }

    fn bytes_with(&self, more: u64) -> u64 {
        let bytes = self.slots.iter().map(|slot| slot.shape.bytes());
        bytes.fold(more, u64::saturating_add)
    }

    /// Deletes the least recently used set; false if all remaining ones are in use.
    fn drop_oldest(&mut self) -> bool {
        let idle = (0..).zip(&self.slots).filter(|(_, slot)| !slot.in_use);
        let oldest = idle.min_by_key(|(_, slot)| slot.last_use);
        let Some((index, _)) = oldest else {
            return false;
        };
        self.slots.swap_remove(index);
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
    /// Bytes of a 16×16 target with four samples: colour and depth.
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

    /// Without a colour, it binds the target, which loads the textures' content.
    fn clear(backend: &mut GlBackend, color: Option<[f32; 4]>) -> Result<(), BackendError> {
        backend.execute(Packet::Clear(Clear { color, depth: Some(1.0), stencil: Some(0) }))
    }

    fn color(n: u8) -> [f32; 4] {
        [f32::from(n) / 255.0, 0.0, 1.0, 1.0]
    }

    fn expect(backend: &mut GlBackend, texture: TextureKey, n: u8) {
        let (side, level) = (0, 0);
        let surface = Surface::Texture { texture, side, level };
        let mut pixels = Vec::new();
        assert!(backend.read_pixels(surface, &mut pixels).is_ok());
        let all = pixels.chunks(4).all(|pixel| pixel == [n, 0, 255, 255]);
        assert!(all, "{n}: {:?}", &pixels[..4]);
    }

    /// With many targets and few sets, each target keeps its colour, even if it is bound again without a clear.
    #[test]
    fn targets_take_turns() {
        for api in [Api::OpenGl, Api::Gles] {
            for (kept, max_sets) in [(0, 1), (5 * SET / 2, 2), (u64::MAX, 6)] {
                let [mut backend] = backends(api, kept, u64::MAX);
                let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
                let keys = [(); 6].map(|()| map.insert(()));
                for (n, key) in (0..).zip(keys) {
                    texture(&mut backend, key, SIDE);
                    target(&mut backend, key, SIDE);
                    assert_eq!(clear(&mut backend, Some(color(n))), Ok(()));
                }
                assert_eq!(sets(&backend), max_sets, "{api}");
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
        // Larger than the maximum; the content of other targets is unchanged.
        target(&mut backend, huge, 4 * SIDE);
        let refused = clear(&mut backend, Some(color(7)));
        assert_eq!(refused, Err(BackendError::OutOfMemory));
        expect(&mut backend, small, 7);
        expect(&mut backend, large, 7);
        assert_eq!(backend.debug_errors(), 0);
    }

    /// A set that another backend uses is never taken away, even if memory is exhausted.
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

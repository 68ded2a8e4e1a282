//! The registers of one run.

use super::{LANES, Register};
use crate::register::{FLOATS, File, INPUTS, Register as Place};

/// All registers except constants, for four invocations. Created by [`Kernel::state`](super::Kernel::state). Inputs are
/// kept between runs.
#[derive(Clone, Debug)]
pub struct State {
    slots: Box<[Register; FLOATS]>,
    /// Texels in `t#`, for ps_1_1 to ps_1_3; the coordinates are in the slots.
    texels: Option<[Register; 8]>,
    pub(super) address: [[i32; LANES]; 4],
    pub(super) predicate: [[bool; LANES]; 4],
    pub(super) alive: [bool; LANES],
}

impl State {
    pub(super) fn new(texels: bool) -> State {
        State {
            slots: Box::new([Register::default(); FLOATS]),
            texels: texels.then(Default::default),
            address: [[0; LANES]; 4],
            predicate: [[false; LANES]; 4],
            alive: [true; LANES],
        }
    }

    /// Resets all registers except inputs to zero.
    pub(super) fn clear(&mut self) {
        let kept = self.slots.iter_mut().skip(INPUTS);
        let texels = self.texels.iter_mut().flatten();
        kept.chain(texels).for_each(|slot| *slot = Register::default());
        self.address = [[0; LANES]; 4];
        self.predicate = [[false; LANES]; 4];
        self.alive = [true; LANES];
    }

    /// A register in all lanes; zero if it doesn't exist.
    pub fn register(&self, place: Place) -> Register {
        let slot = match &self.texels {
            Some(texels) if place.file == File::Texture => texels.get(usize::from(place.number)),
            _ => place.slot().and_then(|slot| self.slots.get(slot)),
        };
        slot.copied().unwrap_or_default()
    }

    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Register> {
        match &mut self.texels {
            Some(texels) if place.file == File::Texture => {
                texels.get_mut(usize::from(place.number))
            }
            _ => self.slots.get_mut(place.slot()?),
        }
    }

    /// Interpolated coordinates, also in ps_1_1 to ps_1_3, where `t#` holds a texel.
    pub(super) fn coordinates(&self, number: u16) -> Register {
        let slot = Place::new(File::Texture, number).slot();
        let register = slot.and_then(|slot| self.slots.get(slot));
        register.copied().unwrap_or_default()
    }

    fn set(&mut self, place: Place, lane: usize, value: [f32; 4]) {
        if let Some(register) = place.slot().and_then(|slot| self.slots.get_mut(slot)) {
            register.set_lane(lane, value);
        }
    }

    /// Sets `v<number>` of one lane: a vertex attribute or an interpolated input. Inputs that are never set are zero.
    pub fn set_input(&mut self, number: u16, lane: usize, value: [f32; 4]) {
        self.set(Place::new(File::Input, number), lane, value);
    }
    /// Sets the interpolated `t<number>` of one lane.
    pub fn set_texcoord(&mut self, number: u16, lane: usize, value: [f32; 4]) {
        self.set(Place::new(File::Texture, number), lane, value);
    }
    /// Sets `vPos` of one lane, in whole pixels from the top left.
    pub fn set_pixel_position(&mut self, lane: usize, value: [f32; 2]) {
        let [x, y] = value;
        self.set(Place::new(File::PixelPosition, 0), lane, [x, y, 0.0, 0.0]);
    }
    /// Sets `vFace` of one lane; `front` for a front face.
    pub fn set_front_face(&mut self, lane: usize, front: bool) {
        let sign = if front { 1.0 } else { -1.0 };
        self.set(Place::new(File::Face, 0), lane, [sign; 4]);
    }

    /// The position of a vertex shader below 3_0, `oPos`.
    pub fn position(&self, lane: usize) -> [f32; 4] {
        self.register(Place::new(File::Position, 0)).lane(lane)
    }
    /// `oT<number>`; in 3_0 `o<number>`.
    pub fn output(&self, file: File, number: u16, lane: usize) -> [f32; 4] {
        self.register(Place::new(file, number)).lane(lane)
    }
    /// `oC<number>`; in ps_1_x the clamped `r0`.
    pub fn color(&self, number: u16, lane: usize) -> [f32; 4] {
        self.register(Place::new(File::Color, number)).lane(lane)
    }
    /// `oDepth`.
    pub fn depth(&self, lane: usize) -> f32 {
        let [x, ..] = self.register(Place::new(File::Depth, 0)).lane(lane);
        x
    }
    /// Lanes that weren't discarded.
    pub fn alive(&self) -> [bool; LANES] {
        self.alive
    }
}

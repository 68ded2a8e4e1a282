//! Operations on arrays of four: the pixels of a quad, or the channels of a colour. The functions of this module are
//! always inlined, unlike the standard library's, so that the compiler vectorizes them.

use crate::operand::{Component, Swizzle};

/// Returns the values of a function for 0, 1, 2 and 3.
#[inline(always)]
pub fn each<T>(mut value: impl FnMut(usize) -> T) -> [T; 4] {
    [value(0), value(1), value(2), value(3)]
}

/// Returns the values of `f` for four items.
#[inline(always)]
pub fn map<A, B>([a, b, c, d]: [A; 4], mut f: impl FnMut(A) -> B) -> [B; 4] {
    [f(a), f(b), f(c), f(d)]
}

/// Returns the values of `f` for four pairs of items.
#[inline(always)]
pub fn zip<A, B, C>(
    [a0, a1, a2, a3]: [A; 4],
    [b0, b1, b2, b3]: [B; 4],
    mut f: impl FnMut(A, B) -> C,
) -> [C; 4] {
    [f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3)]
}

/// Separates four pairs into two arrays.
pub fn unzip<A, B>([(a0, b0), (a1, b1), (a2, b2), (a3, b3)]: [(A, B); 4]) -> ([A; 4], [B; 4]) {
    ([a0, a1, a2, a3], [b0, b1, b2, b3])
}

/// The number of invocations that an interpreter runs together.
pub const LANES: usize = 4;

/// One float for each lane.
pub type LaneValues = [f32; LANES];
type LaneMask = [bool; LANES];

/// A register in every lane: by component (x, y, z, w), then by lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneRegister(pub [LaneValues; 4]);

impl LaneRegister {
    /// Returns a register with the same value in every lane.
    pub fn splat(value: [f32; 4]) -> LaneRegister {
        LaneRegister(map(value, |component| [component; LANES]))
    }

    /// Returns the four components of a register in one lane.
    pub fn lane(&self, lane: usize) -> [f32; 4] {
        map(self.0, |component| component.get(lane).copied().unwrap_or(0.0))
    }

    /// Sets the four components of a register in one lane.
    pub fn set_lane(&mut self, lane: usize, value: [f32; 4]) {
        for (component, value) in self.0.iter_mut().zip(value) {
            if let Some(slot) = component.get_mut(lane) {
                *slot = value;
            }
        }
    }

    /// Returns one component of a register in every lane.
    #[inline(always)]
    pub fn get(&self, component: Component) -> LaneValues {
        self.0.get(usize::from(component.bits())).copied().unwrap_or_default()
    }

    /// Returns the register after a swizzle.
    #[inline(always)]
    pub fn swizzled(&self, swizzle: Swizzle) -> LaneRegister {
        LaneRegister(map(swizzle.lanes(), |component| self.get(component)))
    }

    /// Applies `f` to every component in every lane.
    #[inline(always)]
    pub fn map(&self, f: impl Fn(f32) -> f32) -> LaneRegister {
        LaneRegister(map(self.0, |lanes| map(lanes, &f)))
    }
}

/// Adds the floats of each lane.
#[inline(always)]
pub fn add(a: LaneValues, b: LaneValues) -> LaneValues {
    zip(a, b, |a, b| a + b)
}

/// Subtracts the second float of each lane from the first.
#[inline(always)]
pub fn sub(a: LaneValues, b: LaneValues) -> LaneValues {
    zip(a, b, |a, b| a - b)
}

/// Multiplies the floats of each lane.
#[inline(always)]
pub fn mul(a: LaneValues, b: LaneValues) -> LaneValues {
    zip(a, b, |a, b| a * b)
}

/// Returns the lanes that are in both masks.
#[inline(always)]
pub fn and(a: LaneMask, b: LaneMask) -> LaneMask {
    zip(a, b, |a, b| a && b)
}

/// Returns the new items in the selected lanes, and the old items in all other lanes.
#[inline(always)]
pub fn select<T>(lanes: LaneMask, new: [T; 4], old: [T; 4]) -> [T; 4] {
    zip(lanes, zip(new, old, |new, old| (new, old)), |on, (new, old)| if on { new } else { old })
}

/// Returns the cross product of the first three components; w is 0.
#[inline(always)]
pub fn cross(
    [ax, ay, az, _]: [LaneValues; 4],
    [bx, by, bz, _]: [LaneValues; 4],
) -> [LaneValues; 4] {
    let minor = |i, j, k, l| sub(mul(i, j), mul(k, l));
    [minor(ay, bz, az, by), minor(az, bx, ax, bz), minor(ax, by, ay, bx), [0.0; 4]]
}

/// Returns the differences between the pixels of a quad: horizontal ones, or `vertical` ones.
#[inline(always)]
pub fn derivative(vertical: bool, [l0, l1, l2, l3]: LaneValues) -> LaneValues {
    if vertical {
        [l2 - l0, l3 - l1, l2 - l0, l3 - l1]
    } else {
        [l1 - l0, l1 - l0, l3 - l2, l3 - l2]
    }
}

/// Clamps to 0..1; NaN becomes 0.
#[inline(always)]
pub fn saturate(a: f32) -> f32 {
    if a >= 1.0 {
        1.0
    } else if a > 0.0 {
        a
    } else {
        0.0
    }
}

/// Returns 1 for true, 0 for false.
#[inline(always)]
pub fn flag(truth: bool) -> f32 {
    f32::from(u8::from(truth))
}

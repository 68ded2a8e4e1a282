//! Groups of four: the pixels of a quad, or the channels of a colour. Unlike the library's functions for arrays, these
//! are always inlined, so that the processor computes four values at once.

use crate::operand::{Component, Swizzle};

/// Returns the results for 0, 1, 2 and 3.
#[inline(always)]
pub fn each<T>(mut value: impl FnMut(usize) -> T) -> [T; 4] {
    [value(0), value(1), value(2), value(3)]
}

/// Applies `f` to each item.
#[inline(always)]
pub fn map<A, B>([a, b, c, d]: [A; 4], mut f: impl FnMut(A) -> B) -> [B; 4] {
    [f(a), f(b), f(c), f(d)]
}

/// Applies `f` to each pair.
#[inline(always)]
pub fn zip<A, B, C>(
    [a0, a1, a2, a3]: [A; 4],
    [b0, b1, b2, b3]: [B; 4],
    mut f: impl FnMut(A, B) -> C,
) -> [C; 4] {
    [f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3)]
}

/// Separates pairs.
pub fn unzip<A, B>([(a0, b0), (a1, b1), (a2, b2), (a3, b3)]: [(A, B); 4]) -> ([A; 4], [B; 4]) {
    ([a0, a1, a2, a3], [b0, b1, b2, b3])
}

/// Invocations that run at once.
pub const LANES: usize = 4;

/// One number for each invocation.
pub type Lanes = [f32; LANES];
type Mask = [bool; LANES];

/// A register in every lane: by component (x, y, z, w), then by lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Register(pub [Lanes; 4]);

impl Register {
    /// Returns a register that is the same in every lane.
    pub fn splat(value: [f32; 4]) -> Register {
        Register(map(value, |component| [component; LANES]))
    }

    /// Returns the register of one lane.
    pub fn lane(&self, lane: usize) -> [f32; 4] {
        map(self.0, |component| component.get(lane).copied().unwrap_or(0.0))
    }

    /// Sets the register of one lane.
    pub fn set_lane(&mut self, lane: usize, value: [f32; 4]) {
        for (component, value) in self.0.iter_mut().zip(value) {
            if let Some(slot) = component.get_mut(lane) {
                *slot = value;
            }
        }
    }

    /// Returns a component in every lane.
    #[inline(always)]
    pub fn get(&self, component: Component) -> Lanes {
        self.0.get(usize::from(component.bits())).copied().unwrap_or_default()
    }

    /// Returns the components that a swizzle selects.
    #[inline(always)]
    pub fn swizzled(&self, swizzle: Swizzle) -> Register {
        Register(map(swizzle.lanes(), |component| self.get(component)))
    }

    /// Applies `f` to every component in every lane.
    #[inline(always)]
    pub fn map(&self, f: impl Fn(f32) -> f32) -> Register {
        Register(map(self.0, |lanes| map(lanes, &f)))
    }
}

/// Adds the numbers of each lane.
#[inline(always)]
pub fn add(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a + b)
}

/// Subtracts the second number of each lane from the first.
#[inline(always)]
pub fn sub(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a - b)
}

/// Multiplies the numbers of each lane.
#[inline(always)]
pub fn mul(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a * b)
}

/// Returns the lanes that are in both masks.
#[inline(always)]
pub fn and(a: Mask, b: Mask) -> Mask {
    zip(a, b, |a, b| a && b)
}

/// Returns the new items in some lanes, and the old items in all other lanes.
#[inline(always)]
pub fn select<T>(lanes: Mask, new: [T; 4], old: [T; 4]) -> [T; 4] {
    zip(lanes, zip(new, old, |new, old| (new, old)), |on, (new, old)| if on { new } else { old })
}

/// Returns the cross product of the first three components; w is 0.
#[inline(always)]
pub fn cross([ax, ay, az, _]: [Lanes; 4], [bx, by, bz, _]: [Lanes; 4]) -> [Lanes; 4] {
    let minor = |i, j, k, l| sub(mul(i, j), mul(k, l));
    [minor(ay, bz, az, by), minor(az, bx, ax, bz), minor(ax, by, ay, bx), [0.0; 4]]
}

/// Returns the differences between the pixels of a quad: in each row, or in each column.
#[inline(always)]
pub fn derivative(vertical: bool, [l0, l1, l2, l3]: Lanes) -> Lanes {
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

/// Returns 1 for true, and 0 for false.
#[inline(always)]
pub fn flag(truth: bool) -> f32 {
    f32::from(u8::from(truth))
}

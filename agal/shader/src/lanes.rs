//! Groups of four: the pixels of a quad, or the channels of a colour. Unlike the library's functions for arrays, these
//! are always inlined, so that the processor computes four values at once.

/// The results for 0, 1, 2 and 3.
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

//! [`Step`]: what is called, out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};

/// A call before it is known which objects there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub(super) call: u8,
    pub(super) ints: [i32; 6],
    pub(super) numbers: [f64; 4],
    pub(super) flag: bool,
}

/// What breaks sums, products and limits.
const EDGES: [i32; 10] = [
    i32::MIN,
    i32::MAX,
    i32::MAX - 2,
    0x10000,
    0x10001,
    0xEFFFF,
    0xF0000,
    2048,
    4096,
    16384,
];

/// Small numbers mostly, sizes, and edges.
fn int(u: &mut Unstructured<'_>) -> Result<i32> {
    match u.int_in_range(0..=18u8)? {
        0..12 => u.int_in_range(0..=8),
        12..16 => Ok(*u.choose(&[3, 4, 6, 8, 12, 16, 32, 64, 128, 256])?),
        16 => u.int_in_range(-3..=-1),
        17 => Ok(*u.choose(&EDGES)?),
        _ => u.arbitrary(),
    }
}

/// Numbers that are none, or hardly any.
const SPECIAL: [f64; 6] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -0.0,
    1e-320,
];

fn number(u: &mut Unstructured<'_>) -> Result<f64> {
    let choice = u.int_in_range(0..=10u8)?;
    let unit = |u: &mut Unstructured<'_>| -> Result<f64> {
        Ok(f64::from(u.arbitrary::<u16>()?) / f64::from(u16::MAX))
    };
    match choice {
        0..6 => unit(u),
        6..10 => Ok(unit(u)? * 220.0 - 20.0),
        _ => Ok(*u.choose(&SPECIAL)?),
    }
}

/// Each call as often as its weight.
const CALLS: &[(u8, u8)] = &[
    (0, 1),
    (1, 4),
    (2, 3),
    (4, 3),
    (5, 1),
    (6, 2),
    (7, 1),
    (8, 3),
    (9, 2),
    (10, 2),
    (11, 4),
    (12, 2),
    (13, 2),
    (14, 2),
    (15, 5),
    (16, 6),
    (17, 4),
    (18, 5),
    (19, 3),
    (20, 4),
    (21, 5),
    (22, 3),
    (23, 30),
    (24, 8),
    (25, 1),
    (26, 2),
    (27, 3),
    (28, 2),
    (29, 1),
    (30, 5),
    (31, 3),
    (32, 1),
    (33, 5),
    (34, 1),
    (35, 4),
    (36, 6),
    (37, 1),
    (38, 1),
    (39, 60),
    (DRESSED, 6),
    (40, 1),
    (41, 4),
    (42, 3),
    (43, 1),
];

/// `Context3D.dispose`: rare, because nothing happens after it.
pub(super) const DISPOSE: u8 = 3;

/// A draw with a generated program and everything that it reads.
pub(super) const DRESSED: u8 = 99;

/// Bytes that one [`Step`] takes at most.
pub const STEP_BYTES: usize = 48;

/// How much [`DISPOSE`] weighs against one of [`CALLS`].
const WEIGHT: u32 = 2;

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let weights = CALLS.iter().map(|(_, weight)| u32::from(*weight) * WEIGHT);
        let mut place = u.int_in_range(0..=weights.sum::<u32>())?;
        let mut call = DISPOSE;
        for (number, weight) in CALLS {
            let weight = u32::from(*weight) * WEIGHT;
            if place < weight {
                call = *number;
                break;
            }
            place -= weight;
        }
        Ok(Step {
            call,
            ints: array(u, int)?,
            numbers: array(u, number)?,
            flag: u.arbitrary()?,
        })
    }
}

impl Step {
    /// A draw with a generated program, which is otherwise one step of many.
    ///
    /// # Errors
    /// None of its own, as [`Step::arbitrary`].
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let call = DRESSED;
        Ok(Step {
            call,
            ..Step::arbitrary(u)?
        })
    }
}

fn array<T: Copy + Default, const N: usize>(
    u: &mut Unstructured<'_>,
    one: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<[T; N]> {
    let mut all = [T::default(); N];
    for place in &mut all {
        *place = one(u)?;
    }
    Ok(all)
}

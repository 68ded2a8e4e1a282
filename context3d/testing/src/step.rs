//! [`Step`]: a call generated from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};

/// A call, independent of the existing objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub(super) call: Call,
    pub(super) ints: [i32; 6],
    pub(super) numbers: [f64; 4],
    pub(super) flag: bool,
}

/// Edge cases for sums, products and limits.
const EDGES: [i32; 10] =
    [i32::MIN, i32::MAX, i32::MAX - 2, 0x10000, 0x10001, 0xEFFFF, 0xF0000, 2048, 4096, 16384];

/// Mostly small numbers, sizes, and edge cases.
fn int(u: &mut Unstructured<'_>) -> Result<i32> {
    match u.int_in_range(0..=18u8)? {
        0..12 => u.int_in_range(0..=8),
        12..16 => Ok(*u.choose(&[3, 4, 6, 8, 12, 16, 32, 64, 128, 256])?),
        16 => u.int_in_range(-3..=-1),
        17 => Ok(*u.choose(&EDGES)?),
        _ => u.arbitrary(),
    }
}

/// Non-finite and extreme numbers.
const SPECIAL: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 1e-320];

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

macro_rules! calls {
    ($($(#[$doc:meta])* $group:ident $kind:ident { $($call:ident $weight:literal)+ })+) => {
        /// The call of a step, by part of the API.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Call {
            /// `Context3D.dispose`: rare, because later calls have no effect.
            Dispose,
            /// One of the calls that prepare a draw.
            Repair,
            /// A draw with a generated program and all its inputs.
            GeneratedDraw,
            $($(#[$doc])* $group($kind),)+
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub(super) enum $kind { $($call,)+ }
        )+

        const CALLS: &[(Call, u8)] = &[
            (Call::Repair, 60),
            (Call::GeneratedDraw, 6),
            $($((Call::$group($kind::$call), $weight),)+)+
        ];
    };
}

calls! {
    Frame FrameCall {
        ConfigureBackBuffer 1
        Clear 4
        Present 3
        Blend 3
        ColorMask 1
        Depth 2
        Stencil 1
        Scissor 3
    }
    Create CreateCall {
        VertexBuffer 2
        IndexBuffer 2
        Texture 4
        RectangleTexture 2
        CubeTexture 2
        ProgramOrInstances 2
    }
    Bind BindCall {
        Program 5
        Stream 6
        AnyTexture 4
        FirstTexture 5
        Sampler 3
        Constants 4
        RenderToTexture 5
        RenderToBackBuffer 3
    }
    Draw DrawCall {
        Triangles 30
        Instances 8
        ToBitmap 1
        FillMode 2
        ErrorChecking 3
        Culling 2
        StencilReference 1
    }
    Upload UploadCall {
        Vertices 5
        Indices 3
        DisposeBuffer 1
        Program 5
        DisposeProgram 1
        Bitmap 4
        Texels 6
        Atf 1
        DisposeTextureOrIndices 1
    }
    /// Calls added in later players.
    Late LateCall {
        CreateVideo 1
        VideoFrame 4
        Async 3
        Property 1
    }
}

/// Maximum number of bytes for one [`Step`].
pub const STEP_BYTES: usize = 48;

/// Weight of [`Call::Dispose`] against one of [`CALLS`].
const WEIGHT: u32 = 2;

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let weights = CALLS.iter().map(|(_, weight)| u32::from(*weight) * WEIGHT);
        let mut place = u.int_in_range(0..=weights.sum::<u32>())?;
        let mut call = Call::Dispose;
        for (next, weight) in CALLS {
            let weight = u32::from(*weight) * WEIGHT;
            if place < weight {
                call = *next;
                break;
            }
            place -= weight;
        }
        Ok(Step { call, ints: array(u, int)?, numbers: array(u, number)?, flag: u.arbitrary()? })
    }
}

impl Step {
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        let call = Call::GeneratedDraw;
        Ok(Step { call, ..Step::arbitrary(u)? })
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

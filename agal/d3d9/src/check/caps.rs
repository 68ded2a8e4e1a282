//! What a device may have beyond a version (d3d9-shaders.md sections 3.1 and 3.4).

/// A device's caps, where versions leave them open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Float constants of vertex shaders: 96 at least in vs_1_1, 256 above.
    pub vertex_constants: u16,
    /// Slots of vs_3_0 and ps_3_0: 512 to 32768.
    pub slots_3_0: u32,
    /// vs_2_x.
    pub vertex: Caps2x,
    /// ps_2_x.
    pub pixel: Caps2x,
}

/// Caps of 2_x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps2x {
    /// Temporaries, 12 to 32.
    pub temporaries: u16,
    /// Slots: 96 to 512 of a pixel shader, 256 of a vertex shader.
    pub slots: u32,
    /// Predicates.
    pub predication: bool,
    /// Depth of dynamic flow control: 0 or 24.
    pub dynamic_depth: u32,
    /// Depth of loops, calls and (pixel shaders) static conditionals: 0 means that there are none.
    pub static_depth: u32,
    /// Any swizzle, in pixel shaders.
    pub arbitrary_swizzle: bool,
    /// `dsx`, `dsy`, `texldd`.
    pub gradients: bool,
    /// No limit of dependent texture reads.
    pub no_dependent_limit: bool,
    /// No limit of texture instructions.
    pub no_texture_limit: bool,
}

impl Caps2x {
    const MOST: Caps2x = Caps2x {
        temporaries: 32,
        slots: 512,
        predication: true,
        dynamic_depth: 24,
        static_depth: 4,
        arbitrary_swizzle: true,
        gradients: true,
        no_dependent_limit: true,
        no_texture_limit: true,
    };
}

impl Caps {
    /// All that any device had.
    pub const MOST: Caps = Caps {
        vertex_constants: 256,
        slots_3_0: 32768,
        vertex: Caps2x {
            slots: 256,
            ..Caps2x::MOST
        },
        pixel: Caps2x::MOST,
    };

    /// The compiler's profiles vs_2_a and ps_2_a.
    pub const PROFILE_2_A: Caps = Caps {
        vertex: Caps2x {
            temporaries: 13,
            ..Caps::MOST.vertex
        },
        pixel: Caps2x {
            temporaries: 22,
            dynamic_depth: 0,
            static_depth: 0,
            ..Caps2x::MOST
        },
        ..Caps::MOST
    };

    /// The compiler's profile ps_2_b: 32 temporaries and no limit of texture instructions, nothing else.
    pub const PROFILE_2_B: Caps = Caps {
        pixel: Caps2x {
            predication: false,
            dynamic_depth: 0,
            static_depth: 0,
            arbitrary_swizzle: false,
            gradients: false,
            no_dependent_limit: false,
            ..Caps2x::MOST
        },
        ..Caps::MOST
    };

    /// Names on command lines.
    pub const NAMES: [(&'static str, Caps); 3] = [
        ("most", Caps::MOST),
        ("2_a", Caps::PROFILE_2_A),
        ("2_b", Caps::PROFILE_2_B),
    ];

    /// The caps that a name means.
    pub fn from_name(name: &str) -> Option<Caps> {
        let mut all = Caps::NAMES.into_iter();
        all.find_map(|(known, caps)| (known == name).then_some(caps))
    }
}

//! Device capabilities that the shader version leaves open ([d3d9.slots.version] [d3d9.depth.blocks]).

/// The device capabilities that a shader version leaves open. The limits of instruction slots and of vertex constants
/// are not included: the checker assumes the largest of any device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The capabilities for vertex shaders.
    pub vertex: Caps2x,
    /// The capabilities for pixel shaders.
    pub pixel: Caps2x,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps2x {
    /// Temporary registers: 12 to 32.
    pub temporaries: u16,
    pub predication: bool,
    /// Nesting depth of dynamic flow control: 0 or 24.
    pub dynamic_depth: u32,
    /// Nesting depth of loops, calls and, in pixel shaders, static conditionals; 0 if unsupported.
    pub static_depth: u32,
    pub arbitrary_swizzle: bool,
    /// True if the device supports `dsx`, `dsy` and `texldd`.
    pub gradients: bool,
    pub no_dependent_limit: bool,
}

impl Caps2x {
    const MAX: Caps2x = Caps2x {
        temporaries: 32,
        predication: true,
        dynamic_depth: 24,
        static_depth: 4,
        arbitrary_swizzle: true,
        gradients: true,
        no_dependent_limit: true,
    };
}

impl Caps {
    /// All optional capabilities, at their maximum.
    pub const MAX: Caps = Caps { vertex: Caps2x::MAX, pixel: Caps2x::MAX };

    /// The capabilities of the compiler profiles vs_2_a and ps_2_a.
    pub const PROFILE_2_A: Caps = Caps {
        vertex: Caps2x { temporaries: 13, ..Caps2x::MAX },
        pixel: Caps2x { temporaries: 22, dynamic_depth: 0, static_depth: 0, ..Caps2x::MAX },
    };

    /// The capabilities of the compiler profile ps_2_b: 32 temporaries and unlimited texture instructions.
    pub const PROFILE_2_B: Caps = Caps {
        pixel: Caps2x {
            predication: false,
            dynamic_depth: 0,
            static_depth: 0,
            arbitrary_swizzle: false,
            gradients: false,
            no_dependent_limit: false,
            ..Caps2x::MAX
        },
        ..Caps::MAX
    };

    /// The named capability sets, each with its name.
    pub const NAMES: [(&'static str, Caps); 3] =
        [("most", Caps::MAX), ("2_a", Caps::PROFILE_2_A), ("2_b", Caps::PROFILE_2_B)];

    /// Returns the capability set with this name.
    pub fn from_name(name: &str) -> Option<Caps> {
        let mut all = Caps::NAMES.into_iter();
        all.find_map(|(known, caps)| (known == name).then_some(caps))
    }
}

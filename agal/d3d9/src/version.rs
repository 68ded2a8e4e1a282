//! THE version table: which shader model a stream of tokens begins with (d3d9-shaders.md section 1.1).

use std::fmt;

pub use agal::Stage;

macro_rules! versions {
    ($($version:ident $word:literal $name:literal $dotted:literal $stage:ident $major:literal $software:literal;)*) => {
        /// A shader version. Of one stage, later ones are greater. `2_x` stands for `2_a` and `2_b` too, which differ by
        /// the device's caps only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Version {
            $(#[doc = concat!("`", $name, "`")] $version,)*
        }

        impl Version {
            /// Every version.
            pub const ALL: &'static [Version] = &[$(Version::$version,)*];

            /// The first word of a stream.
            pub const fn word(self) -> u32 {
                match self {
                    $(Version::$version => $word,)*
                }
            }
            /// The version that a first word names.
            pub const fn from_word(word: u32) -> Option<Version> {
                match word {
                    $($word => Some(Version::$version),)*
                    _ => None,
                }
            }
            /// `ps_2_0`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Version::$version => $name,)*
                }
            }
            /// The version that a name means: `ps_2_0` or `ps.2.0`; `2_a` and `2_b` are `2_x` in the tokens.
            pub fn from_name(name: &str) -> Option<Version> {
                match name {
                    $($name | $dotted => Some(Version::$version),)*
                    "vs_2_a" | "vs.2.a" => Some(Version::Vs2x),
                    "ps_2_a" | "ps_2_b" | "ps.2.a" | "ps.2.b" => Some(Version::Ps2x),
                    _ => None,
                }
            }
            /// Vertex or pixel (here called fragment) shader.
            pub const fn stage(self) -> Stage {
                match self {
                    $(Version::$version => Stage::$stage,)*
                }
            }
            /// Shader model 1, 2 or 3.
            pub const fn major(self) -> u8 {
                match self {
                    $(Version::$version => $major,)*
                }
            }
            /// A version for software processing, which has next to no limits.
            pub const fn is_software(self) -> bool {
                match self {
                    $(Version::$version => $software,)*
                }
            }
        }
    };
}

versions! {
    Vs11  0xfffe_0101 "vs_1_1"  "vs.1.1"  Vertex   1 false;
    Vs20  0xfffe_0200 "vs_2_0"  "vs.2.0"  Vertex   2 false;
    Vs2x  0xfffe_0201 "vs_2_x"  "vs.2.x"  Vertex   2 false;
    Vs2sw 0xfffe_02ff "vs_2_sw" "vs.2.sw" Vertex   2 true;
    Vs30  0xfffe_0300 "vs_3_0"  "vs.3.0"  Vertex   3 false;
    Vs3sw 0xfffe_03ff "vs_3_sw" "vs.3.sw" Vertex   3 true;
    Ps11  0xffff_0101 "ps_1_1"  "ps.1.1"  Fragment 1 false;
    Ps12  0xffff_0102 "ps_1_2"  "ps.1.2"  Fragment 1 false;
    Ps13  0xffff_0103 "ps_1_3"  "ps.1.3"  Fragment 1 false;
    Ps14  0xffff_0104 "ps_1_4"  "ps.1.4"  Fragment 1 false;
    Ps20  0xffff_0200 "ps_2_0"  "ps.2.0"  Fragment 2 false;
    Ps2x  0xffff_0201 "ps_2_x"  "ps.2.x"  Fragment 2 false;
    Ps2sw 0xffff_02ff "ps_2_sw" "ps.2.sw" Fragment 2 true;
    Ps30  0xffff_0300 "ps_3_0"  "ps.3.0"  Fragment 3 false;
    Ps3sw 0xffff_03ff "ps_3_sw" "ps.3.sw" Fragment 3 true;
}

impl Version {
    /// Is it a vertex shader's?
    pub const fn is_vertex(self) -> bool {
        matches!(self.stage(), Stage::Vertex)
    }
    /// `ps_1_1`, `ps_1_2`, `ps_1_3`: fixed texture stages and no `phase`.
    pub const fn is_ps_1_1_to_1_3(self) -> bool {
        matches!(self, Version::Ps11 | Version::Ps12 | Version::Ps13)
    }
    /// Is it a pixel shader's of model 1?
    pub const fn is_ps_1(self) -> bool {
        self.is_ps_1_1_to_1_3() || matches!(self, Version::Ps14)
    }
    /// Do instructions say how long they are? In model 1 the table does.
    pub const fn has_lengths(self) -> bool {
        self.major() > 1
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_names_are_keys() {
        for version in Version::ALL {
            assert_eq!(Version::from_word(version.word()), Some(*version));
            assert_eq!(Version::from_name(version.name()), Some(*version));
            let dotted = version.name().replace('_', ".");
            assert_eq!(Version::from_name(&dotted), Some(*version));
        }
        // vs_1_0 and an effect (d3d9-shaders.md section 1.1).
        assert_eq!(Version::from_word(0xfffe_0100), None);
        assert_eq!(Version::from_word(0xfeff_0901), None);
    }
}

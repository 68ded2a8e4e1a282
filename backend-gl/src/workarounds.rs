//! Shortcomings of drivers and APIs, with their workarounds, in one table.

use crate::caps::GlCaps;

macro_rules! workarounds {
    ($($name:ident { $id:literal, affected: $affected:literal, symptom: $symptom:literal, remedy: $remedy:literal,
        applies: $applies:expr })+) => {
        /// A row of [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Workaround {$(
            #[doc = concat!($symptom, " Instead: ", $remedy)]
            $name,
        )+}

        /// Every workaround there is.
        pub(crate) const TABLE: &[Row] = &[$(Row {
            workaround: Workaround::$name,
            id: $id,
            affected: $affected,
            symptom: $symptom,
            remedy: $remedy,
            applies: $applies,
        }),+];
    };
}

/// One known shortcoming.
pub(crate) struct Row {
    pub(crate) workaround: Workaround,
    /// Short name for logs.
    pub(crate) id: &'static str,
    /// Drivers and versions.
    pub(crate) affected: &'static str,
    /// What goes wrong without it.
    pub(crate) symptom: &'static str,
    /// What is done.
    pub(crate) remedy: &'static str,
    /// Whether this context is affected.
    pub(crate) applies: fn(&GlCaps) -> bool,
}

workarounds! {
    ClipDepthInShader {
        "clip-depth-in-shader",
        affected: "OpenGL below 4.5 without ARB_clip_control, OpenGL ES without EXT_clip_control",
        symptom: "Clip space can't be 0..w deep.",
        remedy: "the vertex shader ends with z = 2z - w, which costs depth precision near 0.",
        applies: |caps| !caps.clip_control
    }
    SwapBgraOnCpu {
        "swap-bgra-on-cpu",
        affected: "OpenGL ES where EXT_texture_format_BGRA8888 is missing, or its textures can't be rendered to or mip-mapped",
        symptom: "Texels can't be given as B, G, R, A.",
        remedy: "red and blue are swapped before the upload.",
        applies: |caps| !caps.bgra_data
    }
    Expand4444OnCpu {
        "expand-4444-on-cpu",
        affected: "OpenGL ES, all versions",
        symptom: "GL_UNSIGNED_SHORT_4_4_4_4_REV with GL_BGRA isn't there.",
        remedy: "texels are expanded to four bytes before the upload.",
        applies: |caps| caps.es
    }
    Rgb8For565 {
        "rgb8-for-565",
        affected: "OpenGL below 4.1 without ARB_ES2_compatibility",
        symptom: "GL_RGB565 isn't a storage format.",
        remedy: "GL_RGB8, which loses nothing.",
        applies: |caps| !caps.rgb565
    }
    FillSamplesByDrawing {
        "fill-samples-by-drawing",
        affected: "OpenGL ES, all versions",
        symptom: "A blit into a multisampled framebuffer is an error.",
        remedy: "a triangle over all of the target brings a texture's content in.",
        applies: |caps| caps.es
    }
    ReadHalfAsFloat {
        "read-half-as-float",
        affected: "OpenGL ES, all versions",
        symptom: "glReadPixels refuses GL_UNSIGNED_BYTE for half-float surfaces.",
        remedy: "floats are read and converted.",
        applies: |caps| caps.es
    }
    DecodeBlocksOnCpu {
        "decode-blocks-on-cpu",
        affected: "OpenGL and OpenGL ES without EXT_texture_compression_s3tc or the extensions that have its parts",
        symptom: "DXT1 and DXT5 blocks aren't taken.",
        remedy: "`BackendCaps::s3tc` is false, so context3d takes ETC2 blocks if it can, else decodes blocks once, at upload.",
        applies: |caps| !caps.public.s3tc
    }
}

/// Which rows apply to a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkaroundSet(u32);

impl WorkaroundSet {
    /// As if the worst of all drivers were at hand.
    #[cfg(test)]
    pub(crate) const ALL: Self = Self(u32::MAX);

    /// Whether this one applies.
    pub(crate) fn contains(self, workaround: Workaround) -> bool {
        self.0 & bit(workaround) != 0
    }
}

fn bit(workaround: Workaround) -> u32 {
    1 << (workaround as u32)
}

/// The rows that apply, each logged once.
pub(crate) fn select(caps: &GlCaps) -> WorkaroundSet {
    let rows = TABLE.iter().filter(|row| (row.applies)(caps));
    WorkaroundSet(rows.fold(0, |set, row| {
        log::debug!(
            "workaround {}: {} Affected: {}. Done: {}",
            row.id,
            row.symptom,
            row.affected,
            row.remedy
        );
        set | bit(row.workaround)
    }))
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn ids_are_unique_and_fit_the_set() {
        let mut ids: Vec<_> = TABLE.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), TABLE.len());
        assert!(TABLE.len() <= 32);
    }
}

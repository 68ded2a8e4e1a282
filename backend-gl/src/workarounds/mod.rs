//! Workarounds for drivers: features that they lack (`missing.rs`), and bugs (`bugs.rs`). Each row of both tables has
//! one of the remedies.

mod bugs;
mod driver;
mod missing;

use std::fmt;
use std::str::FromStr;

use crate::caps::GlCaps;
use driver::Affected;
pub use driver::{Driver, Family, Release};

macro_rules! remedies {
    ($($name:ident: $text:literal;)+) => {
        /// What is done about a missing feature or a bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Remedy {$(#[doc = $text] $name,)+}

        impl Remedy {
            fn text(self) -> &'static str {
                match self { $(Remedy::$name => $text,)+ }
            }
        }
    };
}

remedies! {
    ClipDepthInShader: "the vertex shader ends with z = 2z - w, which costs depth precision near 0";
    SwapBgraOnCpu: "red and blue are swapped before the upload";
    Expand4444OnCpu: "texels are expanded to four bytes before the upload";
    Rgb8For565: "GL_RGB8, which loses nothing";
    Rgb8ForOpaque: "GL_RGB8; alpha is dropped before the upload";
    NarrowStrides: "such vertices are read from a copy with less between them";
    BindIndicesFirst: "index buffers are bound there when they are made";
    WideIndices: "an index buffer has 32 bits an index from the upload of 65535 on";
    FillSamplesByDrawing: "a triangle over all of the target brings a texture's content in";
    ReadHalfAsFloat: "floats are read and converted";
    DecodeDxtOnCpu: "BackendCaps::s3tc is false: context3d takes ETC2 blocks if it can, else decodes blocks once, at upload";
    DecodeEtc2OnCpu: "BackendCaps::etc2 is false: context3d takes DXT blocks if it can, else decodes blocks once, at upload";
    ShareUploadUnit: "textures are edited on the last sampler's unit, whose binding is set again for the next draw";
    NoAnisotropy: "anisotropic filters are linear";
    OneSample: "nothing is antialiased";
    NoHalfFloatTargets: "BackendCaps::half_float_targets is false: setRenderToTexture refuses such textures";
    AttributePointers: "glVertexAttribPointer for each attribute when its buffer changes, not glBindVertexBuffer for all";
    NoWireframes: "BackendCaps::wireframe is false: setFillMode refuses wireframes";
    DrawFacesApart: "front faces are drawn first, then back faces, each with its own stencil state for both";
}

/// When a row is active.
enum When {
    /// The context lacks a feature.
    Lacks(fn(&GlCaps) -> bool),
    /// The driver is one of these.
    Driver(Affected),
}

/// A feature that a context may lack, or a driver's bug, with its remedy.
pub struct Workaround {
    name: &'static str,
    what: &'static str,
    source: &'static str,
    remedy: Remedy,
    when: When,
}

impl fmt::Debug for Workaround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Workaround {
    /// All rows: missing features, then drivers' bugs.
    pub fn all() -> impl Iterator<Item = &'static Workaround> {
        missing::MISSING.iter().chain(bugs::BUGS)
    }

    /// Its name for logs and [`Workarounds`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What is missing or wrong, as a sentence.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// The source of the fact.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The remedy, as a phrase.
    pub fn remedy(&self) -> &'static str {
        self.remedy.text()
    }

    /// Whether it is a driver's bug, or a missing feature.
    pub fn is_bug(&self) -> bool {
        matches!(self.when, When::Driver(_))
    }

    fn applies(&self, caps: &GlCaps) -> bool {
        match &self.when {
            When::Lacks(lacks) => lacks(caps),
            When::Driver(affected) => affected.includes(&caps.driver),
        }
    }
}

/// Forced rows: on or off regardless of the driver. The driver decides about all others.
///
/// As text: `NAME=on` or `NAME=off`, separated by commas. Forcing a row off that the driver needs leads to GL errors or
/// wrong pictures, but nothing worse.
///
/// ```
/// let forced: backend_gl::workarounds::Workarounds = "clip-depth-in-shader=on,rgb8-for-565=off".parse()?;
/// assert_eq!(forced.to_string(), "clip-depth-in-shader=on,rgb8-for-565=off");
/// # Ok::<(), backend_gl::workarounds::UnknownWorkaround>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Workarounds {
    /// Bit n: row n.
    on: u64,
    off: u64,
}

impl Workarounds {
    /// Forces a row on or off.
    ///
    /// # Errors
    /// [`UnknownWorkaround`] if no row has this name; it lists the names.
    pub fn force(self, name: &str, on: bool) -> Result<Self, UnknownWorkaround> {
        let row = Workaround::all().position(|row| row.name == name);
        let row = row.ok_or_else(|| UnknownWorkaround(name.to_owned()))?;
        Ok(self.with(Self { on: u64::from(on) << row, off: u64::from(!on) << row }))
    }

    /// The forced rows of both; `later` wins where they differ.
    #[must_use]
    pub fn with(self, later: Self) -> Self {
        Self { on: self.on & !later.off | later.on, off: self.off & !later.on | later.off }
    }

    /// Disables compressed texture formats: every texture is stored decoded.
    pub fn without_blocks() -> Self {
        Self::default().with_remedies(|remedy| {
            matches!(remedy, Remedy::DecodeDxtOnCpu | Remedy::DecodeEtc2OnCpu)
        })
    }

    /// Forces the rows of these remedies on.
    fn with_remedies(self, which: impl Fn(Remedy) -> bool) -> Self {
        let rows = (0u32..).zip(Workaround::all());
        let on = rows.filter(|(_, row)| which(row.remedy));
        self.with(Self { on: on.fold(0, |set, (row, _)| set | 1 << row), off: 0 })
    }

    /// Nothing is forced.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn forced(self, row: u32) -> Option<bool> {
        match (self.on >> row & 1, self.off >> row & 1) {
            (1, _) => Some(true),
            (_, 1) => Some(false),
            _ => None,
        }
    }
}

impl FromStr for Workarounds {
    type Err = UnknownWorkaround;

    fn from_str(text: &str) -> Result<Self, UnknownWorkaround> {
        let parts = text.split(',').filter(|part| !part.is_empty());
        parts.into_iter().try_fold(Self::default(), |forced, part| match part.split_once('=') {
            Some((name, "on")) => forced.force(name, true),
            Some((name, "off")) => forced.force(name, false),
            _ => Err(UnknownWorkaround(part.to_owned())),
        })
    }
}

impl fmt::Display for Workarounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for (row, workaround) in (0u32..).zip(Workaround::all()) {
            if let Some(on) = self.forced(row) {
                let on = if on { "on" } else { "off" };
                write!(f, "{comma}{}={on}", workaround.name)?;
                comma = ",";
            }
        }
        Ok(())
    }
}

/// No row has this name, or it is not followed by `=on` or `=off`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWorkaround(String);

impl fmt::Display for UnknownWorkaround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = Workaround::all().map(|row| row.name.len()).max();
        let width = width.unwrap_or(0);
        write!(f, "{:?}: must be NAME=on or NAME=off; the names are:", self.0)?;
        for row in Workaround::all() {
            write!(f, "\n  {:width$}  {} Instead: {}.", row.name, row.what, row.remedy())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownWorkaround {}

/// Which rows apply to a context, and what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Active {
    rows: u64,
    remedies: u32,
}

impl Active {
    /// The rows that apply, each logged once.
    pub(crate) fn select(caps: &GlCaps, forced: Workarounds) -> Self {
        let mut active = Self::default();
        for (row, workaround) in (0u32..).zip(Workaround::all()) {
            let force = forced.forced(row);
            let on = force.unwrap_or_else(|| workaround.applies(caps));
            if on {
                active.rows |= 1 << row;
                active.remedies |= 1 << (workaround.remedy as u32);
            }
            if on || force.is_some() {
                let forced = if force.is_some() { ", forced" } else { "" };
                let on = if on { "on" } else { "off" };
                let Workaround { name, what, .. } = workaround;
                let remedy = workaround.remedy();
                log::info!("workaround {name} ({on}{forced}): {what} Instead: {remedy}.");
            }
        }
        active
    }

    /// Whether this remedy is active.
    #[inline]
    pub(crate) fn contains(self, remedy: Remedy) -> bool {
        self.remedies & 1 << (remedy as u32) != 0
    }

    /// The rows.
    pub fn rows(self) -> impl Iterator<Item = &'static Workaround> {
        let rows = (0u32..).zip(Workaround::all());
        rows.filter_map(move |(row, workaround)| (self.rows >> row & 1 != 0).then_some(workaround))
    }
}

#[cfg(test)]
mod tests {
    use super::{Workaround, Workarounds, bugs, missing};

    #[test]
    fn rows_are_in_their_table_and_have_names_of_their_own() {
        let mut names: Vec<_> = Workaround::all().map(Workaround::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Workaround::all().count());
        assert!(names.len() <= 64);
        assert!(missing::MISSING.iter().all(|row| !row.is_bug()));
        assert!(bugs::BUGS.iter().all(Workaround::is_bug));
        for row in Workaround::all() {
            let text = [row.what, row.source, row.remedy()];
            assert!(text.iter().all(|text| !text.is_empty()), "{row:?}");
            assert!(!row.name.contains([',', '=', ' ']), "{row:?}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        let parse = |text: &str| text.parse::<Workarounds>();
        let forced = parse("rgb8-for-565=on,one-sample=off").expect("known names");
        let later = parse("rgb8-for-565=off").expect("a known name");
        assert_eq!(forced.with(later).to_string(), "rgb8-for-565=off,one-sample=off");
        assert!(parse("").expect("nothing").is_empty());
        for wrong in ["x=on", "rgb8-for-565", "rgb8-for-565=yes"] {
            let error = parse(wrong).expect_err(wrong).to_string();
            assert!(error.contains("clip-depth-in-shader"), "{error}");
        }
    }
}

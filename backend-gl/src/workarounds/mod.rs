//! Workarounds for missing features and for bugs of drivers.

mod table;

use std::fmt;
use std::str::FromStr;

use crate::detect::DetectedFeatures;
pub use crate::driver::{DriverFamily, DriverInfo, Release};
pub(crate) use table::Remedy;

/// The condition under which a workaround is active.
enum Condition {
    /// The workaround is active if the context lacks this feature.
    Lacks(fn(&DetectedFeatures) -> bool),
    /// The workaround is active on the drivers of these families, which have this bug.
    Driver(&'static [DriverFamily]),
}

/// A feature that a context may lack, or a driver's bug, with its remedy.
pub struct Workaround {
    name: &'static str,
    what: &'static str,
    source: &'static str,
    remedy: &'static str,
    when: Condition,
}

impl fmt::Debug for Workaround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Workaround {
    /// Returns all workarounds: those for missing features, then those for bugs of drivers.
    pub fn all() -> impl Iterator<Item = &'static Workaround> {
        table::ROWS.iter()
    }

    /// Returns the name, for logs and [`Workarounds`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description of the missing feature or the bug, as a sentence.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// Returns the source that documents the missing feature or the bug.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the change of behaviour that avoids the problem, as a phrase.
    pub fn remedy(&self) -> &'static str {
        self.remedy
    }

    /// Returns true for a driver's bug, false for a missing feature.
    pub fn is_bug(&self) -> bool {
        matches!(self.when, Condition::Driver(_))
    }

    fn applies(&self, caps: &DetectedFeatures) -> bool {
        match &self.when {
            Condition::Lacks(lacks) => lacks(caps),
            Condition::Driver(families) => families.contains(&caps.driver.family),
        }
    }
}

/// Workarounds that are forced on or off, regardless of the driver.
///
/// The text form is a list of `NAME=on` or `NAME=off`, separated by commas. Without a workaround that the driver needs,
/// GL errors or wrong images follow, but nothing worse.
///
/// ```
/// let forced: backend_gl::workarounds::Workarounds = "clip-depth-in-shader=on,rgb8-for-565=off".parse()?;
/// assert_eq!(forced.to_string(), "clip-depth-in-shader=on,rgb8-for-565=off");
/// # Ok::<(), backend_gl::workarounds::UnknownWorkaround>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Workarounds {
    /// Bit n: the nth workaround of the table is forced on.
    on: u64,
    off: u64,
}

impl Workarounds {
    /// Forces a workaround on or off.
    ///
    /// # Errors
    /// [`UnknownWorkaround`] if no workaround has this name; the error lists the valid names.
    pub fn force(self, name: &str, on: bool) -> Result<Self, UnknownWorkaround> {
        let row = Workaround::all().position(|row| row.name == name);
        let row = row.ok_or_else(|| UnknownWorkaround(name.to_owned()))?;
        Ok(self.with(Self { on: u64::from(on) << row, off: u64::from(!on) << row }))
    }

    /// Combines the forced workarounds of both values; `later` takes precedence.
    #[must_use]
    pub fn with(self, later: Self) -> Self {
        Self { on: self.on & !later.off | later.on, off: self.off & !later.on | later.off }
    }

    /// Forces the workarounds that disable compressed texture formats, so that every texture is stored decoded.
    pub fn without_blocks() -> Self {
        let decoded = [Remedy::DecodeDxtOnCpu, Remedy::DecodeEtc2OnCpu];
        Self { on: decoded.into_iter().fold(0, |set, remedy| set | bit(remedy)), off: 0 }
    }

    /// Returns whether no workaround is forced.
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

/// The error for an unknown name of a workaround, or for a name without `=on` or `=off`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWorkaround(String);

impl fmt::Display for UnknownWorkaround {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = Workaround::all().map(|row| row.name.len()).max();
        let width = width.unwrap_or(0);
        write!(f, "{:?}: must be NAME=on or NAME=off; the names are:", self.0)?;
        for row in Workaround::all() {
            write!(f, "\n  {:width$}  {} Instead: {}.", row.name, row.what, row.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownWorkaround {}

/// The active workarounds of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActiveWorkarounds(u64);

/// Returns the bit of the workaround with this remedy.
fn bit(remedy: Remedy) -> u64 {
    1 << (remedy as u32)
}

impl ActiveWorkarounds {
    /// Selects and logs the active workarounds.
    pub(crate) fn select(caps: &DetectedFeatures, forced: Workarounds) -> Self {
        let mut active = 0;
        for (row, workaround) in (0u32..).zip(Workaround::all()) {
            let force = forced.forced(row);
            let on = force.unwrap_or_else(|| workaround.applies(caps));
            active |= u64::from(on) << row;
            if on || force.is_some() {
                let forced = if force.is_some() { ", forced" } else { "" };
                let on = if on { "on" } else { "off" };
                let Workaround { name, what, remedy, .. } = workaround;
                log::info!("workaround {name} ({on}{forced}): {what} Instead: {remedy}.");
            }
        }
        Self(active)
    }

    /// Returns whether this remedy is active.
    #[inline]
    pub(crate) fn contains(self, remedy: Remedy) -> bool {
        self.0 & bit(remedy) != 0
    }

    /// Returns the active workarounds.
    pub fn rows(self) -> impl Iterator<Item = &'static Workaround> {
        let rows = (0u32..).zip(Workaround::all());
        rows.filter_map(move |(row, workaround)| (self.0 >> row & 1 != 0).then_some(workaround))
    }
}

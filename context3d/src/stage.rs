//! A Stage3D slot: where it shows, and asking for a context (`context3d.md` section 1).

use agal::Profile;

use crate::error::{Error, ErrorClass, ErrorCode, Fault};
use crate::names::{Name, RenderMode};

/// Range of `x` and `y` in player output; the reference says ±8191.
const POSITIONS: std::ops::RangeInclusive<f64> = -8192.0..=8191.0;

/// A `Stage3D`, without rendering: the host shows the context's front buffer at `x`, `y` where it is visible.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage3D {
    x: f64,
    y: f64,
    visible: bool,
}

impl Default for Stage3D {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage3D {
    /// At 0, 0 and visible.
    pub fn new() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            visible: true,
        }
    }

    /// Stage pixels; fractions are kept.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// Stage pixels; fractions are kept.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// Whether it shows.
    pub fn visible(&self) -> bool {
        self.visible
    }

    /// Moves it.
    ///
    /// # Errors
    /// ArgumentError 2006 outside -8192..=8191 and for NaN; the old value stays (player output).
    pub fn set_x(&mut self, x: f64) -> Result<(), Error> {
        self.x = position(x)?;
        Ok(())
    }

    /// Moves it.
    ///
    /// # Errors
    /// As [`Stage3D::set_x`].
    pub fn set_y(&mut self, y: f64) -> Result<(), Error> {
        self.y = position(y)?;
        Ok(())
    }

    /// Shows or hides it.
    pub fn set_visible(&mut self, visible: bool) {
        self.visible = visible;
    }

    /// Checks the arguments of `requestContext3D`. Whether a device can be had is the host's to find out.
    ///
    /// # Errors
    /// ArgumentError 2008 (2007 for null) naming `context3DRenderMode` (unverified) or `profile`.
    pub fn request_context3d(
        mode: Name<RenderMode>,
        profile: Option<&str>,
    ) -> Result<(RenderMode, Profile), Error> {
        let mode = match mode {
            Name::Is(mode) => mode,
            Name::Null => {
                return Err(Fault::named(ErrorCode::NullParameter, "context3DRenderMode").into());
            }
            Name::Unknown => {
                return Err(Fault::named(ErrorCode::NotAccepted, "context3DRenderMode").into());
            }
        };
        Ok((mode, profile_named(profile)?))
    }

    /// The profile that `requestContext3DMatchingProfiles` grants: the highest of the list that the device supports,
    /// whatever the order; `None` if it supports none, which the program learns by an `error` event with 3702.
    ///
    /// # Errors
    /// ArgumentError 2008 naming `profiles` for an empty list, `profile` for an entry that is none.
    pub fn matching_profile(
        profiles: &[Option<&str>],
        highest: Profile,
    ) -> Result<Option<Profile>, Error> {
        if profiles.is_empty() {
            return Err(Fault::named(ErrorCode::NotAccepted, "profiles").into());
        }
        let profiles: Vec<Profile> = profiles
            .iter()
            .map(|name| profile_named(*name))
            .collect::<Result<_, _>>()?;
        Ok(profiles
            .into_iter()
            .filter(|profile| *profile <= highest)
            .max())
    }
}

fn position(value: f64) -> Result<f64, Error> {
    if POSITIONS.contains(&value) {
        return Ok(value);
    }
    // A RangeError elsewhere.
    Err(Fault::new(ErrorCode::IndexOutOfBounds)
        .as_class(ErrorClass::ArgumentError)
        .into())
}

fn profile_named(name: Option<&str>) -> Result<Profile, Fault> {
    let profile = name.and_then(Profile::from_name);
    let code = if name.is_none() {
        ErrorCode::NullParameter
    } else {
        ErrorCode::NotAccepted
    };
    profile.ok_or(Fault::named(code, "profile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_out_of_range_leave_the_old_one() {
        let mut stage = Stage3D::new();
        stage.set_x(-8192.0).unwrap();
        stage.set_y(12.75).unwrap();
        for wrong in [-8193.0, 8191.5, f64::NAN, f64::INFINITY] {
            let Err(Error::Flash(error)) = stage.set_x(wrong) else {
                panic!("{wrong} was taken")
            };
            assert_eq!(
                (error.number(), error.class()),
                (2006, ErrorClass::ArgumentError)
            );
        }
        assert_eq!((stage.x(), stage.y()), (-8192.0, 12.75));
    }

    #[test]
    fn the_highest_supported_profile_wins() {
        let best =
            |names: &[Option<&str>]| Stage3D::matching_profile(names, Profile::StandardExtended);
        assert_eq!(
            best(&[Some("standard"), Some("baseline")]),
            Ok(Some(Profile::Standard))
        );
        assert_eq!(
            best(&[Some("enhanced"), Some("baseline")]),
            Ok(Some(Profile::Baseline))
        );
        assert_eq!(best(&[Some("enhanced")]), Ok(None));
        let message = |names| best(names).unwrap_err().to_string();
        assert!(message(&[]).contains("#2008: Parameter profiles "));
        assert!(message(&[Some("baseline"), Some("best")]).contains("#2008: Parameter profile "));
    }
}

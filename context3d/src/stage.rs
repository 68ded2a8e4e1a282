//! A Stage3D slot: its position, and requests for a context (`context3d.md` section 1).

use agal::Profile;

use crate::backend::BackendCaps;
use crate::context::{ContextOptions, Ended};
use crate::enums::{Name, RenderMode};
use crate::error::{CheckError, Error, ErrorClass, ErrorCode, FlashError};
use crate::limits::{Limits, device_runs};

/// Range of `x` and `y` in player output; the reference says ±8191.
const POSITIONS: std::ops::RangeInclusive<f64> = -8192.0..=8191.0;

/// The default profile argument of `requestContext3D`.
const DEFAULT_PROFILE: Profile = Profile::Baseline;

/// A program's request for a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `auto` or `software`. `requestContext3DMatchingProfiles` is never answered in software.
    pub mode: RenderMode,
    /// Acceptable profiles.
    pub profiles: Vec<Profile>,
}

/// The result of a request. The event is dispatched with an empty script stack, after the frame's `exitFrame` (player
/// output), never inside the request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Make a [`Context3D`](crate::Context3D) and dispatch `context3DCreate`.
    Create(ContextOptions),
    /// Dispatch `error` with this number (3702). If nobody listens, Flash reports 2044.
    Refuse(FlashError),
}

/// A `Stage3D`, without rendering: the host shows the context's front buffer at `x`, `y` if it is visible.
///
/// It also keeps the program's request until the host can answer:
///
/// ```
/// use context3d::{Answer, Context3D, Stage3D, backend::{Backend as _, NullBackend}, enums::{Name, RenderMode}};
///
/// let mut stage = Stage3D::new();
/// stage.request(Name::Is(RenderMode::Auto), Some("baselineExtended"), true)?;
/// // Later, after the frame:
/// let backend = NullBackend::new();
/// let Some(Answer::Create(options)) = stage.answer(Some(backend.caps()), 30) else { panic!() };
/// let mut context = Context3D::new(backend, options); // then dispatch context3DCreate
///
/// context.dispose(true)?;
/// if let Some(ended) = context.ended() {
///     stage.context_ended(ended);
/// }
/// assert!(stage.pending_request().is_some());
/// # Ok::<(), context3d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stage3D {
    x: f64,
    y: f64,
    visible: bool,
    pending: Option<Request>,
    /// The request that the current context answers, for when that context is lost.
    granted: Option<Request>,
}

impl Default for Stage3D {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage3D {
    /// At 0, 0 and visible.
    pub fn new() -> Self {
        Self { x: 0.0, y: 0.0, visible: true, pending: None, granted: None }
    }

    /// Stage pixels; fractions are kept.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// Stage pixels; fractions are kept.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// Whether it is visible.
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

    /// `requestContext3D`. `listens`: there is a listener for `context3DCreate`.
    ///
    /// # Errors
    /// Those of [`Stage3D::request_context3d`]; 3688 without a listener; ArgumentError 2004 (the number is unverified)
    /// while a request with another mode is pending. The order of these is unverified.
    pub fn request(
        &mut self,
        mode: Name<'_, RenderMode>,
        profile: Option<&str>,
        listens: bool,
    ) -> Result<(), Error> {
        let (mode, profile) = Self::request_context3d(mode, profile)?;
        self.ask(mode, vec![profile], listens)
    }

    /// `requestContext3DMatchingProfiles`.
    ///
    /// # Errors
    /// 2008 as [`Stage3D::matching_profile`], and as [`Stage3D::request`].
    pub fn request_matching(
        &mut self,
        profiles: &[Option<&str>],
        listens: bool,
    ) -> Result<(), Error> {
        let profiles = profiles_named(profiles)?;
        self.ask(RenderMode::Auto, profiles, listens)
    }

    fn ask(
        &mut self,
        mode: RenderMode,
        profiles: Vec<Profile>,
        listens: bool,
    ) -> Result<(), Error> {
        if !listens {
            return Err(ErrorCode::NoCreateListener.into());
        }
        if self.pending.as_ref().is_some_and(|old| old.mode != mode) {
            return Err(ErrorCode::InvalidParameter.into());
        }
        self.pending = Some(Request { mode, profiles });
        Ok(())
    }

    /// The pending request.
    pub fn pending_request(&self) -> Option<&Request> {
        self.pending.as_ref()
    }

    /// Answers the pending request with the highest of its profiles that the device and the SWF version allow, or
    /// refuses it. `None` without a request. `device` is `None` if there is none that can render in the request's mode.
    ///
    /// A profile newer than the SWF counts as unsupported by the device (unverified). So does a profile without a
    /// software renderer if the request is for one.
    pub fn answer(&mut self, device: Option<&BackendCaps>, swf_version: u32) -> Option<Answer> {
        self.answer_beside(device, swf_version, 0)
    }

    /// As [`Stage3D::answer`] while other stages have `others` contexts: a profile that allows no more contexts at the
    /// same time counts as unsupported by the device (unverified).
    pub fn answer_beside(
        &mut self,
        device: Option<&BackendCaps>,
        swf_version: u32,
        others: usize,
    ) -> Option<Answer> {
        let request = self.pending.take()?;
        let runs = |profile: &Profile| {
            let limits = Limits::of(*profile);
            let known = limits.min_swf <= swf_version || *profile == DEFAULT_PROFILE;
            let allowed = others < limits.simultaneous_contexts
                && (request.mode != RenderMode::Software || limits.software_renderer);
            known && allowed && device.is_some_and(|caps| device_runs(caps, *profile))
        };
        let profile = request.profiles.iter().copied().filter(runs).max();
        let Some(profile) = profile else {
            let refused = CheckError::new(ErrorCode::NotAvailable);
            return Some(Answer::Refuse(refused.into()));
        };
        self.granted = Some(request);
        Some(Answer::Create(ContextOptions { profile, swf_version }))
    }

    /// Call this when the context has ended. If Flash makes another one, the request is pending again.
    pub fn context_ended(&mut self, ended: Ended) {
        let granted = self.granted.take();
        if ended.recreates() && self.pending.is_none() {
            self.pending = granted;
        }
    }

    /// Checks the arguments of `requestContext3D`. The host finds out whether there is a device.
    ///
    /// # Errors
    /// ArgumentError 2008 (2007 for null) naming `context3DRenderMode` (unverified) or `profile`.
    pub fn request_context3d(
        mode: Name<'_, RenderMode>,
        profile: Option<&str>,
    ) -> Result<(RenderMode, Profile), Error> {
        let mode = match mode {
            Name::Is(mode) => mode,
            Name::Null => {
                return Err(
                    CheckError::named(ErrorCode::NullParameter, "context3DRenderMode").into()
                );
            }
            Name::Unknown(_) => {
                return Err(CheckError::named(ErrorCode::NotAccepted, "context3DRenderMode").into());
            }
        };
        Ok((mode, profile_named(profile)?))
    }

    /// The profile that `requestContext3DMatchingProfiles` grants: the highest of the list that the device supports, in
    /// any order; `None` if it supports none, which the program learns by an `error` event with 3702.
    ///
    /// # Errors
    /// ArgumentError 2008 naming `profiles` for an empty list, `profile` for an unknown entry.
    pub fn matching_profile(
        profiles: &[Option<&str>],
        highest: Profile,
    ) -> Result<Option<Profile>, Error> {
        let profiles = profiles_named(profiles)?;
        Ok(profiles.into_iter().filter(|profile| *profile <= highest).max())
    }
}

fn position(value: f64) -> Result<f64, Error> {
    if POSITIONS.contains(&value) {
        return Ok(value);
    }
    // RangeError in other places.
    Err(CheckError::new(ErrorCode::IndexOutOfBounds).as_class(ErrorClass::ArgumentError).into())
}

fn profiles_named(profiles: &[Option<&str>]) -> Result<Vec<Profile>, CheckError> {
    if profiles.is_empty() {
        return Err(CheckError::named(ErrorCode::NotAccepted, "profiles"));
    }
    profiles.iter().map(|name| profile_named(*name)).collect()
}

fn profile_named(name: Option<&str>) -> Result<Profile, CheckError> {
    let profile = name.and_then(Profile::from_name);
    let code = if name.is_none() { ErrorCode::NullParameter } else { ErrorCode::NotAccepted };
    profile.ok_or(CheckError::named(code, "profile"))
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
            let Err(Error::Flash(error)) = stage.set_x(wrong) else { panic!("{wrong} was taken") };
            assert_eq!((error.number(), error.class()), (2006, ErrorClass::ArgumentError));
        }
        assert_eq!((stage.x(), stage.y()), (-8192.0, 12.75));
    }

    #[test]
    fn the_highest_supported_profile_wins() {
        let best =
            |names: &[Option<&str>]| Stage3D::matching_profile(names, Profile::StandardExtended);
        assert_eq!(best(&[Some("standard"), Some("baseline")]), Ok(Some(Profile::Standard)));
        assert_eq!(best(&[Some("enhanced"), Some("baseline")]), Ok(Some(Profile::Baseline)));
        assert_eq!(best(&[Some("enhanced")]), Ok(None));
        let message = |names| best(names).unwrap_err().to_string();
        assert!(message(&[]).contains("#2008: Parameter profiles "));
        assert!(message(&[Some("baseline"), Some("best")]).contains("#2008: Parameter profile "));
    }

    fn options(answer: Option<Answer>) -> Option<Profile> {
        match answer? {
            Answer::Create(options) => Some(options.profile),
            Answer::Refuse(error) => {
                assert_eq!(error.number(), 3702);
                None
            }
        }
    }

    #[test]
    fn requests_are_answered_once_and_again_after_a_loss() {
        let caps = crate::backend::Backend::caps(&crate::backend::NullBackend::new()).clone();
        let mut stage = Stage3D::new();
        let auto = Name::Is(RenderMode::Auto);
        let number = |result: Result<(), Error>| match result {
            Err(Error::Flash(error)) => error.number(),
            other => panic!("{other:?}"),
        };
        assert_eq!(number(stage.request(auto, Some("baseline"), false)), 3688);
        assert_eq!(stage.answer(Some(&caps), 30), None);
        stage.request(auto, Some("standard"), true).unwrap();
        let software = Name::Is(RenderMode::Software);
        assert_eq!(number(stage.request(software, Some("baseline"), true)), 2004);
        assert_eq!(options(stage.answer(Some(&caps), 30)), Some(Profile::Standard));
        assert_eq!(stage.answer(Some(&caps), 30), None);
        stage.context_ended(Ended::Lost);
        assert_eq!(options(stage.answer(Some(&caps), 30)), Some(Profile::Standard));
        stage.context_ended(Ended::Disposed);
        assert_eq!(stage.answer(Some(&caps), 30), None);
    }

    #[test]
    fn device_and_swf_version_have_a_say() {
        let caps = crate::backend::Backend::caps(&crate::backend::NullBackend::new()).clone();
        let all: Vec<_> = Profile::ALL.iter().map(|p| Some(p.name())).collect();
        let best = |change: fn(&mut BackendCaps), swf_version| {
            let mut caps = caps.clone();
            change(&mut caps);
            let mut stage = Stage3D::new();
            stage.request_matching(&all, true).unwrap();
            options(stage.answer(Some(&caps), swf_version))
        };
        assert_eq!(best(|_| {}, 50), Some(Profile::Enhanced));
        assert_eq!(best(|_| {}, 28), Some(Profile::StandardExtended));
        assert_eq!(best(|_| {}, 26), Some(Profile::Standard));
        assert_eq!(best(|_| {}, 13), Some(Profile::Baseline));
        assert_eq!(best(|caps| caps.max_streams = 8, 50), Some(Profile::Standard));
        let eight = |caps: &mut BackendCaps| caps.max_samplers = 8;
        assert_eq!(best(eight, 50), Some(Profile::StandardConstrained));
        let small = |caps: &mut BackendCaps| caps.max_texture_size = 2048;
        assert_eq!(best(small, 50), Some(Profile::Baseline));
        assert_eq!(best(|caps| caps.max_texture_size = 1024, 50), None);
        let mut stage = Stage3D::new();
        stage.request_matching(&all, true).unwrap();
        assert_eq!(options(stage.answer(None, 50)), None);
    }
}

//! `Stage3D`: position, visibility, and requests for a context [context3d.stage3d.position].

use agal::Profile;

use crate::backend::{Backend, BackendCaps, NullBackend};
use crate::command::Invocation;
use crate::context::{Context3D, ContextOptions, EndReason};
use crate::entry::accepted;
use crate::enums::{EnumArg, RenderMode};
use crate::error::{CheckError, Error, ErrorClass, ErrorCode, FlashError};
use crate::host::Host;
use crate::limits::{ProfileLimits, shortage};

/// Allowed range of `x` and `y` [context3d.stage3d.position].
const POSITIONS: std::ops::RangeInclusive<f64> = -8192.0..=8191.0;

/// A program's request for a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The requested render mode; always `auto` for `requestContext3DMatchingProfiles`.
    pub mode: RenderMode,
    /// The profiles that the program accepts.
    pub profiles: Vec<Profile>,
}

/// The decision of a request. The host dispatches the event with an empty script stack, after the frame's `exitFrame`
/// [context3d.request.later], never inside the request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestResult {
    /// The request is granted. Create a context with these options by [`Stage3D::create`], end the `Stage3D`'s former
    /// context by `dispose(false)` [context3d.request.again], and dispatch `context3DCreate`.
    Create(ContextOptions, Request),
    /// The request is rejected. Dispatch `error` with this number (3702); without a listener, Flash reports 2044. The
    /// reason for the rejection is also logged.
    Refuse(FlashError, RequestRefusal),
}

/// The reason for a rejected request. If the request lists several profiles, the reason belongs to the weakest profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefusal {
    /// The host has no device for the requested render mode.
    #[error("the host has no device for the requested render mode")]
    NoDevice,
    /// `software` was requested, but the profile has no software renderer.
    #[error("{0} has no software renderer")]
    NotInSoftware(Profile),
    /// Other `Stage3D`s have as many contexts as the profile allows.
    #[error("{0} allows no more contexts than the {1} of other Stage3Ds")]
    OtherContexts(Profile, usize),
    /// The device doesn't support a limit of the profile.
    #[error("{profile} needs {needed} {limit}, and the device has {has}")]
    Device {
        /// The requested profile.
        profile: Profile,
        /// The limit's name, with its unit.
        limit: &'static str,
        /// The profile's value.
        needed: u32,
        /// The device's value.
        has: u32,
    },
}

/// The state of a `Stage3D`. The host shows the context's front buffer at `x`, `y` if the `Stage3D` is visible.
///
/// A `Stage3D` also stores the program's request until the host can decide it:
///
/// ```
/// use context3d::{RequestResult, Stage3D, backend::{Backend as _, NullBackend}, enums::{EnumArg, RenderMode}};
///
/// let mut stage = Stage3D::new();
/// stage.request(EnumArg::Is(RenderMode::Auto), Some("baselineExtended"), true)?;
/// // Later, after the frame:
/// let backend = NullBackend::new();
/// let Some(RequestResult::Create(options, _)) = stage.answer(Some(backend.caps()), 30, 0) else { panic!() };
/// let mut context = stage.create(backend, options); // then dispatch context3DCreate
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
    host: Host,
    pending: Option<Request>,
    /// The request that led to the current context. The `Stage3D` repeats the request if the context is lost.
    granted: Option<Request>,
}

impl Default for Stage3D {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage3D {
    /// Creates a visible `Stage3D` at 0, 0.
    pub fn new() -> Self {
        let host = Host::default();
        Self { x: 0.0, y: 0.0, visible: true, host, pending: None, granted: None }
    }

    /// Returns the [`Host`] values for new contexts.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Sets the [`Host`] values for contexts that [`Stage3D::create`] creates later. For existing contexts, call
    /// [`Context3D::set_host`].
    pub fn set_host(&mut self, host: Host) {
        self.host = host;
    }

    /// Creates the context of a [`RequestResult::Create`], with the [`Host`] values and the position of this `Stage3D`.
    pub fn create<B: Backend>(&self, backend: B, options: ContextOptions) -> Context3D<B> {
        let mut context = Context3D::new(backend, options);
        context.host = self.host;
        context.position = [self.x, self.y];
        context.software =
            self.granted.as_ref().is_some_and(|request| request.mode == RenderMode::Software);
        context
    }

    /// Returns `x` in stage pixels; fractions are kept.
    pub fn x(&self) -> f64 {
        self.x
    }

    /// Returns `y` in stage pixels; fractions are kept.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// Returns whether the `Stage3D` is visible.
    pub fn visible(&self) -> bool {
        self.visible
    }

    /// Sets the horizontal position.
    ///
    /// # Errors
    /// ArgumentError 2006 outside -8192..=8191 and for NaN; the position stays unchanged (player output).
    pub fn set_x(&mut self, x: f64) -> Result<(), Error> {
        self.move_to(x, self.y, None::<&mut Context3D<NullBackend>>)
    }

    /// Sets the vertical position.
    ///
    /// # Errors
    /// Those of [`Stage3D::set_x`].
    pub fn set_y(&mut self, y: f64) -> Result<(), Error> {
        self.move_to(self.x, y, None::<&mut Context3D<NullBackend>>)
    }

    fn move_to<B: Backend>(
        &mut self,
        x: f64,
        y: f64,
        context: Option<&mut Context3D<B>>,
    ) -> Result<(), Error> {
        if !(POSITIONS.contains(&x) && POSITIONS.contains(&y)) {
            // Calls other than the setters of x and y raise 2006 as `RangeError` [context3d.error.2006.position].
            let error = CheckError::new(ErrorCode::IndexOutOfBounds);
            return Err(self.host.with_host_wording(error.as_class(ErrorClass::ArgumentError)));
        }
        context.map_or(Ok(()), |context| context.set_position(x, y))?;
        (self.x, self.y) = (x, y);
        Ok(())
    }

    /// Shows or hides the `Stage3D`.
    pub fn set_visible(&mut self, visible: bool) {
        self.visible = visible;
    }

    /// Returns the calls that set this position and visibility on a new `Stage3D`.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Invocation<'static>> {
        let sets = [
            (self.x != 0.0, Invocation::SetX { value: self.x }),
            (self.y != 0.0, Invocation::SetY { value: self.y }),
            (!self.visible, Invocation::SetVisible { value: false }),
        ];
        sets.into_iter().filter(|(differs, _)| *differs).map(|(_, set)| set)
    }

    /// Executes a call. `context` is the `Stage3D`'s context, which checks a new position (3723).
    ///
    /// # Errors
    /// The errors of the method and of [`Context3D::set_position`]; [`Error::Unsupported`] for a call on another
    /// object.
    pub fn execute<B: Backend>(
        &mut self,
        invocation: &Invocation<'_>,
        context: Option<&mut Context3D<B>>,
    ) -> Result<(), Error> {
        if let Invocation::SetX { value } = *invocation {
            self.move_to(value, self.y, context)
        } else if let Invocation::SetY { value } = *invocation {
            self.move_to(self.x, value, context)
        } else if let Invocation::SetVisible { value } = *invocation {
            self.set_visible(value);
            Ok(())
        } else if let Invocation::RequestContext3D { mode, profile, listens } = *invocation {
            self.request(mode, profile, listens)
        } else if let Invocation::RequestContext3DMatchingProfiles { profiles, listens } =
            *invocation
        {
            self.request_matching(profiles, listens)
        } else {
            Err(Error::Unsupported("a call on a Context3D, made on a Stage3D".to_owned()))
        }
    }

    /// Implements `requestContext3D`. `listens` tells whether a listener for `context3DCreate` exists.
    ///
    /// # Errors
    /// ArgumentError 2008 (2007 for null) naming `context3DRenderMode` [context3d.name.others] or `profile`; 3688
    /// without a listener; ArgumentError 2004 [context3d.error.2004.request] while a request with another mode is
    /// pending. No source shows the order of the checks for 2008, 3688 and 2004 [context3d.order.request].
    pub fn request(
        &mut self,
        mode: EnumArg<'_, RenderMode>,
        profile: Option<&str>,
        listens: bool,
    ) -> Result<(), Error> {
        let mode = accepted(mode, &"context3DRenderMode").map_err(Error::from);
        self.ask(mode.and_then(|mode| Ok((mode, vec![profile_named(profile)?]))), listens)
    }

    /// Implements `requestContext3DMatchingProfiles`.
    ///
    /// # Errors
    /// Those of [`Stage3D::request`]; 2007 for null and 2008 for an empty list, naming `profiles`.
    pub fn request_matching(
        &mut self,
        profiles: Option<&[Option<&str>]>,
        listens: bool,
    ) -> Result<(), Error> {
        let names = profiles_named(profiles).map(|profiles| (RenderMode::Auto, profiles));
        self.ask(names.map_err(Error::from), listens)
    }

    fn ask(
        &mut self,
        names: Result<(RenderMode, Vec<Profile>), Error>,
        listens: bool,
    ) -> Result<(), Error> {
        let (mode, profiles) = names.map_err(|error| self.host.with_host_wording(error))?;
        if !listens {
            return Err(self.host.with_host_wording(ErrorCode::NoCreateListener));
        }
        if self.pending.as_ref().is_some_and(|old| old.mode != mode) {
            return Err(self.host.with_host_wording(ErrorCode::InvalidParameter));
        }
        self.pending = Some(Request { mode, profiles });
        Ok(())
    }

    /// Returns the pending request.
    pub fn pending_request(&self) -> Option<&Request> {
        self.pending.as_ref()
    }

    /// Grants the pending request with the highest of its profiles that the device supports, or rejects it. Returns
    /// `None` without a request. Pass `None` as `device` if the host has no device. While a device is temporarily
    /// unavailable, as after a loss, don't call this; the request stays pending.
    ///
    /// The SWF version doesn't affect whether a request is granted [context3d.request.swf]. In `software` mode, a
    /// profile without a software renderer counts as unsupported, and a device that renders on a GPU supports no
    /// profile [context3d.request.mode]. A profile whose context limit is reached counts as
    /// unsupported, too: `others` is the number of contexts that other `Stage3D`s own [context3d.request.others].
    pub fn answer(
        &mut self,
        device: Option<&BackendCaps>,
        swf_version: u32,
        others: usize,
    ) -> Option<RequestResult> {
        let request = self.pending.take()?;
        let software = request.mode == RenderMode::Software;
        let refusal = |profile: Profile| {
            let limits = ProfileLimits::of(profile);
            if software && !limits.software_renderer {
                return Some(RequestRefusal::NotInSoftware(profile));
            }
            let Some(caps) = device.filter(|caps| caps.software || !software) else {
                return Some(RequestRefusal::NoDevice);
            };
            if others >= limits.simultaneous_contexts {
                return Some(RequestRefusal::OtherContexts(profile, others));
            }
            let (limit, needed, has) = shortage(caps, profile)?;
            Some(RequestRefusal::Device { profile, limit, needed, has })
        };
        let profiles = request.profiles.iter().copied();
        let granted = profiles.clone().filter(|profile| refusal(*profile).is_none()).max();
        let Some(profile) = granted else {
            let reason = profiles.min().and_then(refusal).unwrap_or(RequestRefusal::NoDevice);
            log::warn!("Stage3D: the context request is rejected: {reason}");
            let mut error = CheckError::new(ErrorCode::NotAvailable).into();
            self.host.apply_wording(&mut error);
            return Some(RequestResult::Refuse(error, reason));
        };
        self.granted = Some(request.clone());
        Some(RequestResult::Create(ContextOptions { profile, swf_version }, request))
    }

    /// Notifies the `Stage3D` of the end of its context. If Flash creates a new context, the request is pending again.
    pub fn context_ended(&mut self, ended: EndReason) {
        let granted = self.granted.take();
        if ended.recreates() && self.pending.is_none() {
            self.pending = granted;
        }
    }
}

fn profiles_named(profiles: Option<&[Option<&str>]>) -> Result<Vec<Profile>, CheckError> {
    let profiles = profiles.ok_or(CheckError::named(ErrorCode::NullParameter, "profiles"))?;
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

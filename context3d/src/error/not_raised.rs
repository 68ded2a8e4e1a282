//! Errors of the reference that no call of this crate raises, and why.
//!
//! Source: `context3d-errors.md`.

/// An error number of Flash that this crate never raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRaised {
    /// Flash's error number.
    pub number: u16,
    /// Flash's message; `%1`, … stand for arguments.
    pub template: &'static str,
    /// The error that is raised instead, or why none is.
    pub why: &'static str,
}

macro_rules! not_raised {
    ($($number:literal $message:literal $why:literal;)+) => {
        /// Every error of the API that is not in [`ErrorCode`](crate::ErrorCode), by number.
        ///
        /// | Error | Message | Why it is not raised |
        /// |---|---|---|
        $(#[doc = concat!("| ", $number, " | ", $message, " | ", $why, " |")])+
        pub const NOT_RAISED: &[NotRaised] = &[$(NotRaised {
            number: $number,
            template: $message,
            why: $why,
        }),+];
    };
}

not_raised! {
    1508 "The value specified for argument %1 is invalid." "no verified use by these classes";
    2044 "Unhandled %1:. text=%2" "reported by the host's event dispatcher if the `error` event of 3702 has no listener";
    3606 "Sampler %1 format does not match texture format." "older players' number for 3754";
    3676 "Platform does not support desired texture format." "a backend stores every format, uncompressed if necessary";
    3680 "Depth texture not implemented yet." "no format string for depth textures: 2008";
    3685 "Could not create renderer." "a `Stage3D` without a device raises 3702";
    3686 "'disabled' format only valid with a null vertex buffer." "historic: current players reject the string with 2008";
    3687 "Null vertex buffers require the 'disabled' format." "historic: current players ignore the format of a null buffer";
    3699 "Requested Operation failed to complete" "no known trigger; device errors are `Error::Backend`";
    3707 "Property can not be set in non full screen mode." "no property of these classes is known to need full screen";
    3724 "This call requires a Context3D that is created with the standard profile." "older players' number: 3779 for colour outputs, 3759 for formats";
    3765 "This call requires a Context3D that is created with the baseline or baselineExtended profile." "no call is known to need them";
}

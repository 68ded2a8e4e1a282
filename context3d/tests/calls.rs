//! The table of calls lists every call and every error of the reference, and no others.

use std::collections::BTreeSet;

use context3d::ErrorCode;
use context3d::calls::METHODS;

/// The numbers of all errors with a fact `context3d.error.N`.
const REFERENCE: &[u16] = &[
    1508, 2004, 2006, 2007, 2008, 2015, 2044, 3600, 3601, 3602, 3603, 3604, 3605, 3606, 3607, 3608,
    3609, 3610, 3611, 3663, 3669, 3670, 3671, 3672, 3673, 3674, 3675, 3676, 3677, 3678, 3679, 3680,
    3681, 3682, 3683, 3684, 3685, 3686, 3687, 3688, 3690, 3691, 3692, 3694, 3695, 3697, 3698, 3699,
    3700, 3702, 3705, 3706, 3707, 3708, 3709, 3710, 3711, 3712, 3713, 3723, 3724, 3728, 3729, 3730,
    3745, 3746, 3753, 3754, 3755, 3759, 3761, 3762, 3763, 3765, 3766, 3768, 3770, 3771, 3772, 3773,
    3774, 3776, 3777, 3778, 3779, 3780, 3781, 3782, 3784, 3785, 3787, 3790, 3791, 3792, 3802,
];

/// The errors in the table of `context3d::errors`, which no call raises. [context3d.error.1508] [context3d.error.2044]
/// [context3d.error.3606] [context3d.error.3676] [context3d.error.3680] [context3d.error.3685] [context3d.error.3686]
/// [context3d.error.3687] [context3d.error.3699] [context3d.error.3707] [context3d.error.3724] [context3d.error.3765]
const NOT_RAISED: [u16; 12] =
    [1508, 2044, 3606, 3676, 3680, 3685, 3686, 3687, 3699, 3707, 3724, 3765];

#[test]
fn every_error_is_raised_by_some_call() {
    use ErrorCode::{Disposed, InBackground, NoCreateListener, NotAvailable};
    // Errors that every call or every request for a context can raise.
    let elsewhere = [Disposed, InBackground, NoCreateListener, NotAvailable];
    let mut named = BTreeSet::from(elsewhere.map(|code| code.number()));
    let codes = METHODS.iter().flat_map(|call| call.errors);
    named.extend(codes.map(|code| code.number()));
    for code in ErrorCode::ALL {
        assert!(named.contains(&code.number()), "{code:?} is on no row");
    }
}

#[test]
fn the_reference_is_raised_or_said_not_to_be() {
    let mut numbers: Vec<u16> = ErrorCode::ALL.iter().map(|code| code.number()).collect();
    numbers.extend(NOT_RAISED);
    numbers.sort_unstable();
    assert_eq!(numbers, REFERENCE);
}

#[test]
fn rows_are_complete() {
    for call in METHODS {
        let codes: BTreeSet<u16> = call.errors.iter().map(|code| code.number()).collect();
        assert_eq!(codes.len(), call.errors.len(), "{call:?}");
        for like in call.as_well_as {
            let other = METHODS.iter().find(|other| other.variant == *like);
            let other = other.unwrap_or_else(|| panic!("{like} is no row"));
            assert!(other.errors.iter().all(|code| !codes.contains(&code.number())));
        }
    }
    let raises = |variant, code| {
        let call = METHODS.iter().find(|call| call.variant == variant);
        call.is_some_and(|call| call.raises(code))
    };
    use ErrorCode::{Disposed, InBackground, StreamMissing};
    let agal = ErrorCode::Agal(context3d::agal::errors::ErrorKind::NativeCompilationOpenGl);
    assert!(raises("DrawTrianglesInstanced", StreamMissing) && !raises("Present", StreamMissing));
    assert!(raises("SetCulling", Disposed) && !raises("Dispose", Disposed));
    assert!(raises("Present", InBackground) && !raises("SetCulling", InBackground));
    assert!(raises("ProgramUpload", agal) && !raises("CreateProgram", agal));
}

#[path = "../examples/declarations.rs"]
#[allow(dead_code, reason = "its `main`")]
mod declarations;

/// The declarations import every type that they use.
#[test]
fn declared_types_are_imported() {
    let built_in = ["Array", "Boolean", "Number", "String", "float", "int", "uint", "void"];
    let files = declarations::declarations(true, "");
    let ends = |letter: char| !letter.is_alphanumeric();
    for (path, text) in &files {
        let members = text.lines().filter(|line| line.contains(" public "));
        let types = members.flat_map(|line| line.split(':').skip(1)).filter_map(|text| {
            text.trim_start_matches("Vector.<").split(ends).next().filter(|name| !name.is_empty())
        });
        for name in types {
            let is_declared = files.keys().any(|file| file.ends_with(&format!("/{name}.as")));
            let is_imported = text.contains(&format!(".{name};\n"));
            assert!(built_in.contains(&name) || is_declared || is_imported, "{path}: {name}");
        }
    }
}

//! The test cases of the suite.

use std::sync::Arc;

use context3d::Profile;
use context3d::backend::BackendCaps;
use context3d::errors::ErrorClass;

use super::scene_builder::{SceneBuilder, SceneResult, Setup};
use super::tolerance::Tolerance;
use super::verdict::{CaseOutcome, Verdict};
use crate::attachments::Attachments;
use crate::capture_case::CaptureCase;
use crate::expected;
use crate::facts;
use crate::mutations::Mutation;
use crate::mutations::api::{ApiChange, ApiMutation};

pub use super::hull::HullCase;
pub use super::program::ProgramCase;
use molehill_replay::evidence::Party;
use molehill_replay::image::RgbaImage;

/// The SWF version of test cases. Every Stage3D call is available in this SWF version.
pub const SWF_VERSION: u32 = 50;

pub type Pictures = Arc<dyn Fn() -> Vec<RgbaImage> + Send + Sync>;

pub type Recipe = Arc<dyn Fn(&mut SceneBuilder) -> SceneResult + Send + Sync>;

agal_core::table! {
    pub enum CaseFeature {
        /// The name of this feature in the option `needs` of a script.
        word: &'static str => from_word(&str),
        name: &'static str,
        is_in: fn(&BackendCaps) -> bool,
    }
    /// Support for `setFillMode("wireframe")`, which only desktop players have [context3d.fill.mode].
    Wireframe "wireframe", "wireframe", |caps| caps.wireframe;
    Multisampling "multisampling", "multisampling", |caps| caps.max_samples > 1;
    HalfFloatTargets "half_float_targets", "half-float targets", |caps| caps.half_float_targets;
}

/// A scene whose images are compared: each presented frame, and each bitmap of `drawToBitmapData`, in order.
#[derive(Clone)]
pub struct SceneCase {
    pub recipe: Recipe,
    /// Expected images that need no renderer, with their source. If `None`, the oracle draws the expected images.
    pub expected_pictures: Option<(Party, Pictures)>,
    pub tolerance: Tolerance,
    pub needs: Vec<CaseFeature>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallExpectation {
    Allowed,
    /// The step after [`SceneBuilder::expect`] raises this error.
    Raises {
        number: u16,
        class: ErrorClass,
        /// The error message of Flash. The placeholders `%1` to `%4` stand for any text.
        message: String,
    },
    /// The step after [`SceneBuilder::expect`] is a draw that Flash silently drops because of this error.
    Skips(u16),
}

#[derive(Clone)]
pub struct CallCase {
    pub recipe: Recipe,
    pub expected: CallExpectation,
    /// True if the case runs on the null backend, because it never reaches the device or is too large for a device.
    pub on_null_backend: bool,
    pub without_back_buffer: bool,
}

/// The content of a case, which determines its type and its oracle.
#[derive(Clone)]
pub enum CaseBody {
    /// AGAL programs. The AGAL interpreter computes the programs' expected results.
    Program(ProgramCase),
    /// A scene, which draws images. The scene's expected images are stored or computed, or another renderer draws them.
    Scene(SceneCase),
    /// Stage3D calls, which succeed or raise an error. The expected errors are listed in `expected/*.tsv`.
    Calls(CallCase),
    /// Direct3D 11 hull shaders, run on the driver as GLSL. The oracles are the interpreter and the reference.
    Hull(HullCase),
    /// A capture of a Flash program. The replayed images and errors must equal those of Flash Player.
    Capture(Box<CaptureCase>),
    /// A deliberate error in the backend or the API, which another test case must detect.
    Mutant(Mutant),
}

#[derive(Clone, Copy, Debug)]
pub enum Mutant {
    Device(&'static Mutation),
    Api(&'static ApiMutation),
}

impl Mutant {
    /// Returns the order in which cases are tried against this mutant (0 first), or `None` if the case can't detect it.
    pub(crate) fn rank(self, case: &Case) -> Option<usize> {
        let (reached, areas) = match self {
            Mutant::Device(mutation) => (
                matches!(case.body, CaseBody::Scene(_) | CaseBody::Program(_)),
                mutation.areas.to_vec(),
            ),
            Mutant::Api(ApiMutation { change, areas, .. }) => {
                (may_show_in(change, &case.body), areas.iter().map(String::as_str).collect())
            }
        };
        let position = areas.iter().position(|area| case.name.starts_with(area));
        reached.then(|| position.unwrap_or(areas.len()))
    }
}

fn may_show_in(change: &ApiChange, body: &CaseBody) -> bool {
    match body {
        CaseBody::Calls(calls) => match change {
            // A mutation of one error can be detected only by test cases that expect this error.
            ApiChange::Unchecked(_, number) | ApiChange::Error(number) => {
                calls.expected.number() == Some(*number)
            }
            ApiChange::Refused(_) | ApiChange::Limit(..) => true,
            ApiChange::Applied(_)
            | ApiChange::Member { .. }
            | ApiChange::Default(_)
            | ApiChange::Glsl(..) => false,
        },
        CaseBody::Scene(_) => {
            !matches!(change, ApiChange::Unchecked(..) | ApiChange::Error(_) | ApiChange::Limit(..))
        }
        CaseBody::Program(_) | CaseBody::Hull(_) | CaseBody::Capture(_) | CaseBody::Mutant(_) => {
            false
        }
    }
}

impl CaseBody {
    pub fn kind(&self) -> &'static str {
        match self {
            CaseBody::Program(_) => "program",
            CaseBody::Scene(_) => "scene",
            CaseBody::Calls(_) => "calls",
            CaseBody::Hull(_) => "hull",
            CaseBody::Capture(_) => "capture",
            CaseBody::Mutant(_) => "mutant",
        }
    }

    /// Returns the estimated run time of the case on a software renderer, in seconds.
    pub fn estimate(&self) -> f64 {
        match self {
            CaseBody::Program(_) => 0.2,
            CaseBody::Scene(_) => 0.1,
            CaseBody::Calls(case) if case.on_null_backend => 0.02,
            CaseBody::Calls(_) => 0.03,
            CaseBody::Hull(_) => 0.4,
            CaseBody::Capture(_) | CaseBody::Mutant(_) => 5.0,
        }
    }
}

#[derive(Clone)]
pub struct Case {
    pub name: String,
    /// The SWF version of the case, and the profile of its contexts or the lowest possible profile.
    pub setup: Setup,
    pub exact_profile: bool,
    /// The source of the expected result: facts of the reference, a table, or a capture.
    pub source: String,
    pub body: CaseBody,
}

impl Case {
    /// Creates a test case that runs in the profile `baseline`.
    pub fn new(name: String, source: &str, body: CaseBody) -> Case {
        let setup = Setup { profile: Profile::Baseline, swf_version: SWF_VERSION };
        Case { name, setup, exact_profile: false, source: source.to_owned(), body }
    }

    pub fn outcome(&self, verdict: Verdict, reasons: Vec<String>) -> CaseOutcome {
        CaseOutcome {
            name: self.name.clone(),
            kind: self.body.kind().to_owned(),
            profile: self.setup.profile.name().to_owned(),
            source: self.source.clone(),
            verdict,
            seconds: 0.0,
            reasons,
            evidence: None,
            hash: None,
            capture: None,
            attachments: Attachments::default(),
        }
    }

    /// Returns whether another renderer draws the expected images of this case.
    pub fn uses_oracle(&self) -> bool {
        matches!(&self.body, CaseBody::Scene(scene) if scene.expected_pictures.is_none())
    }

    pub fn area(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }

    /// Returns the setup of the case in the given profile, or `None` if the case requires another profile.
    pub fn in_profile(&self, profile: Option<Profile>) -> Option<Setup> {
        match profile {
            None => Some(self.setup),
            Some(profile) if profile == self.setup.profile => Some(self.setup),
            Some(profile) => (!self.exact_profile && profile > self.setup.profile)
                .then_some(Setup { profile, ..self.setup }),
        }
    }

    pub fn profile(&mut self, profile: Profile) -> &mut Case {
        self.setup.profile = profile;
        self
    }

    pub fn exactly(&mut self, profile: Profile) -> &mut Case {
        self.exact_profile = true;
        self.profile(profile)
    }

    pub fn swf(&mut self, version: u32) -> &mut Case {
        self.setup.swf_version = version;
        self
    }

    pub fn needs(&mut self, feature: CaseFeature) -> &mut Case {
        if let CaseBody::Scene(scene) = &mut self.body {
            scene.needs.push(feature);
        }
        self
    }

    /// Sets the expected images, in order, of frames and bitmaps, so that no oracle draws them.
    pub fn expects_pictures(
        &mut self,
        pictures: impl Fn() -> Vec<RgbaImage> + Send + Sync + 'static,
    ) -> &mut Case {
        if let CaseBody::Scene(scene) = &mut self.body {
            scene.expected_pictures = Some((Party::Formula, Arc::new(pictures)));
        }
        self
    }

    pub fn on_null_backend(&mut self) -> &mut Case {
        if let CaseBody::Calls(calls) = &mut self.body {
            calls.on_null_backend = true;
        }
        self
    }

    pub(crate) fn cite_error(&mut self) {
        if let CaseBody::Calls(calls) = &self.body
            && let Some(row) = calls.expected.number().and_then(expected::error)
        {
            self.source = facts::joined(&self.source, row.source);
        }
    }
}

#[derive(Default)]
pub struct Cases(Vec<Case>);

impl Cases {
    pub fn finish(self) -> Vec<Case> {
        self.0
    }

    pub fn add(&mut self, case: Case) -> &mut Case {
        self.0.push_mut(case)
    }

    pub fn scene(
        &mut self,
        name: impl Into<String>,
        source: &str,
        tolerance: Tolerance,
        recipe: impl Fn(&mut SceneBuilder) -> SceneResult + Send + Sync + 'static,
    ) -> &mut Case {
        let recipe = Arc::new(recipe);
        let scene = SceneCase { recipe, expected_pictures: None, tolerance, needs: Vec::new() };
        self.add(Case::new(name.into(), source, CaseBody::Scene(scene)))
    }

    pub fn calls(
        &mut self,
        name: impl Into<String>,
        source: &str,
        expected: CallExpectation,
        recipe: impl Fn(&mut SceneBuilder) -> SceneResult + Send + Sync + 'static,
    ) -> &mut Case {
        let (recipe, on_null_backend) = (Arc::new(recipe), false);
        let calls = CallCase { recipe, expected, on_null_backend, without_back_buffer: false };
        self.add(Case::new(name.into(), source, CaseBody::Calls(calls)))
    }
}

impl CallExpectation {
    pub(crate) fn number(&self) -> Option<u16> {
        match self {
            CallExpectation::Allowed => None,
            CallExpectation::Raises { number, .. } | CallExpectation::Skips(number) => {
                Some(*number)
            }
        }
    }

    /// Returns an error from `expected/errors.tsv`, with the placeholders filled in.
    pub fn raises(number: u16, arguments: &[&str]) -> CallExpectation {
        let Some(row) = expected::error(number) else {
            let message = "expected/errors.tsv has no such error".to_owned();
            return CallExpectation::Raises { number, class: ErrorClass::Error, message };
        };
        let mut message = row.message.replace("\\n", "\n");
        for (argument, number) in arguments.iter().zip(1..) {
            message = message.replace(&format!("%{number}"), argument);
        }
        CallExpectation::Raises { number, class: row.class, message }
    }
}

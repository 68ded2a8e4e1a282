//! Cases of the suite.

use std::sync::Arc;

use context3d::Profile;
use context3d::backend::BackendCaps;
use context3d::errors::ErrorClass;

use super::scene_builder::{Done, SceneBuilder, Setup};
use super::tolerance::Tolerance;
use super::verdict::{Outcome, Verdict};
use crate::attachments::Attachments;
use crate::capture_case::CaptureCase;
use crate::expected;
use crate::facts;
use crate::mutations::Mutation;
use crate::mutations::front::{Change as FrontChange, FrontMutation};

pub use super::hull::HullCase;
pub use super::program::ProgramCase;
use molehill_replay::evidence::Party;
use molehill_replay::image::Image;

/// SWF version of cases, so that every call is available.
pub const SWF_VERSION: u32 = 50;

pub type Pictures = Arc<dyn Fn() -> Vec<Image> + Send + Sync>;

pub type Recipe = Arc<dyn Fn(&mut SceneBuilder) -> Done + Send + Sync>;

agal_core::table! {
    pub enum Feature {
        /// The value of the option `needs` of a script.
        word: &'static str => from_word(&str),
        name: &'static str,
        is_in: fn(&BackendCaps) -> bool,
    }
    /// `setFillMode("wireframe")`, which is only available on desktops [context3d.fill.mode].
    Wireframe "wireframe", "wireframe", |caps| caps.wireframe;
    Multisampling "multisampling", "multisampling", |caps| caps.max_samples > 1;
    HalfFloatTargets "half_float_targets", "half-float targets", |caps| caps.half_float_targets;
}

/// A scene whose pictures are compared: each presented frame, and each bitmap written by `drawToBitmapData`, in order.
#[derive(Clone)]
pub struct SceneCase {
    pub recipe: Recipe,
    /// The source of its expected pictures, if they are known without a renderer; otherwise the oracle draws them.
    pub expected_pictures: Option<(Party, Pictures)>,
    pub tolerance: Tolerance,
    pub needs: Vec<Feature>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    Allowed,
    /// The step after [`SceneBuilder::expect`] raises this.
    Raises {
        number: u16,
        class: ErrorClass,
        /// Flash's message. Placeholders that are left, `%1` to `%4`, stand for any text.
        message: String,
    },
    /// The step after [`SceneBuilder::expect`] is a draw that Flash silently drops for this error.
    Skips(u16),
}

#[derive(Clone)]
pub struct CallCase {
    pub recipe: Recipe,
    pub expected: Expected,
    /// Runs on the null backend, because it never reaches the device or is too large for it.
    pub on_null_backend: bool,
    pub without_back_buffer: bool,
}

/// The content of a case, and the way it is checked.
#[derive(Clone)]
pub enum Body {
    /// Programs, checked against the interpreter.
    Program(ProgramCase),
    /// Pictures, checked against the reference renderer's or known ones.
    Scene(SceneCase),
    /// Errors, checked against `expected/*.tsv`.
    Calls(CallCase),
    /// Hull shaders on the driver's tessellation against the interpreter and the reference.
    Hull(HullCase),
    /// A recorded program against what Flash Player made of it.
    Capture(Box<CaptureCase>),
    /// A deliberate error, which some case must detect.
    Mutant(Mutant),
}

#[derive(Clone, Copy, Debug)]
pub enum Mutant {
    Device(&'static Mutation),
    Front(&'static FrontMutation),
}

impl Mutant {
    /// Whether a case may detect it, and how likely: 0 is the most.
    pub(crate) fn rank(self, case: &Case) -> Option<usize> {
        let (reached, areas) = match self {
            Mutant::Device(mutation) => {
                (matches!(case.body, Body::Scene(_) | Body::Program(_)), mutation.areas.to_vec())
            }
            Mutant::Front(FrontMutation { change, areas, .. }) => {
                (may_show_in(change, &case.body), areas.iter().map(String::as_str).collect())
            }
        };
        let position = areas.iter().position(|area| case.name.starts_with(area));
        reached.then(|| position.unwrap_or(areas.len()))
    }
}

/// Returns whether a case may show the error of a front-end mutation.
fn may_show_in(change: &FrontChange, body: &Body) -> bool {
    match body {
        Body::Calls(calls) => match change {
            // An error in the row of one error shows only where that error is expected.
            FrontChange::Unchecked(_, number) | FrontChange::Error(number) => {
                calls.expected.number() == Some(*number)
            }
            FrontChange::Refused(_) | FrontChange::Limit(..) => true,
            FrontChange::Applied(_)
            | FrontChange::Member { .. }
            | FrontChange::Default(_)
            | FrontChange::Glsl(..) => false,
        },
        Body::Scene(_) => !matches!(
            change,
            FrontChange::Unchecked(..) | FrontChange::Error(_) | FrontChange::Limit(..)
        ),
        Body::Program(_) | Body::Hull(_) | Body::Capture(_) | Body::Mutant(_) => false,
    }
}

impl Body {
    pub fn kind(&self) -> &'static str {
        match self {
            Body::Program(_) => "program",
            Body::Scene(_) => "scene",
            Body::Calls(_) => "calls",
            Body::Hull(_) => "hull",
            Body::Capture(_) => "capture",
            Body::Mutant(_) => "mutant",
        }
    }

    /// Approximate seconds of such a case on a software renderer: used to balance shards without recorded times.
    pub fn estimate(&self) -> f64 {
        match self {
            Body::Program(_) => 0.2,
            Body::Scene(_) => 0.1,
            Body::Calls(case) if case.on_null_backend => 0.02,
            Body::Calls(_) => 0.03,
            Body::Hull(_) => 0.4,
            Body::Capture(_) | Body::Mutant(_) => 5.0,
        }
    }
}

#[derive(Clone)]
pub struct Case {
    pub name: String,
    /// The context's profile, or the smallest one.
    pub setup: Setup,
    pub exact_profile: bool,
    /// The source of its expected result: a page of the reference, a table, a capture.
    pub source: String,
    pub body: Body,
}

impl Case {
    /// A case for the baseline profile.
    pub fn new(name: String, source: &str, body: Body) -> Case {
        let setup = Setup { profile: Profile::Baseline, swf_version: SWF_VERSION };
        Case { name, setup, exact_profile: false, source: source.to_owned(), body }
    }

    /// An outcome without time and attachments.
    pub fn outcome(&self, verdict: Verdict, reasons: Vec<String>) -> Outcome {
        Outcome {
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

    /// Returns whether another renderer draws its expected pictures.
    pub fn uses_oracle(&self) -> bool {
        matches!(&self.body, Body::Scene(scene) if scene.expected_pictures.is_none())
    }

    pub fn area(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }

    /// The setup for contexts of a given profile; `None` if the case needs another one.
    pub fn in_profile(&self, profile: Option<Profile>) -> Option<Setup> {
        match profile {
            None => Some(self.setup),
            Some(profile) if profile == self.setup.profile => Some(self.setup),
            Some(profile) => (!self.exact_profile && profile > self.setup.profile)
                .then_some(Setup { profile, ..self.setup }),
        }
    }

    /// Requires at least another profile.
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

    pub fn needs(&mut self, feature: Feature) -> &mut Case {
        if let Body::Scene(scene) = &mut self.body {
            scene.needs.push(feature);
        }
        self
    }

    /// Sets the expected pictures: frames and bitmaps, in order. Known without any renderer.
    pub fn expects_pictures(
        &mut self,
        pictures: impl Fn() -> Vec<Image> + Send + Sync + 'static,
    ) -> &mut Case {
        if let Body::Scene(scene) = &mut self.body {
            scene.expected_pictures = Some((Party::Formula, Arc::new(pictures)));
        }
        self
    }

    pub fn on_null_backend(&mut self) -> &mut Case {
        if let Body::Calls(calls) = &mut self.body {
            calls.on_null_backend = true;
        }
        self
    }

    /// Cites the facts of the error that it expects, too.
    pub(crate) fn cite_error(&mut self) {
        if let Body::Calls(calls) = &self.body
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

    /// Adds a case and returns it for changes.
    pub fn add(&mut self, case: Case) -> &mut Case {
        self.0.push_mut(case)
    }

    /// Adds a scene in the baseline profile.
    pub fn scene(
        &mut self,
        name: impl Into<String>,
        source: &str,
        tolerance: Tolerance,
        recipe: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) -> &mut Case {
        let recipe = Arc::new(recipe);
        let scene = SceneCase { recipe, expected_pictures: None, tolerance, needs: Vec::new() };
        self.add(Case::new(name.into(), source, Body::Scene(scene)))
    }

    /// Adds calls in the baseline profile.
    pub fn calls(
        &mut self,
        name: impl Into<String>,
        source: &str,
        expected: Expected,
        recipe: impl Fn(&mut SceneBuilder) -> Done + Send + Sync + 'static,
    ) -> &mut Case {
        let (recipe, on_null_backend) = (Arc::new(recipe), false);
        let calls = CallCase { recipe, expected, on_null_backend, without_back_buffer: false };
        self.add(Case::new(name.into(), source, Body::Calls(calls)))
    }
}

impl Expected {
    pub(crate) fn number(&self) -> Option<u16> {
        match self {
            Expected::Allowed => None,
            Expected::Raises { number, .. } | Expected::Skips(number) => Some(*number),
        }
    }

    /// The error with a number, as `expected/errors.tsv` has it, with its placeholders filled in.
    pub fn raises(number: u16, arguments: &[&str]) -> Expected {
        let Some(row) = expected::error(number) else {
            let message = "no row in expected/errors.tsv".to_owned();
            return Expected::Raises { number, class: ErrorClass::Error, message };
        };
        let mut message = row.message.replace("\\n", "\n");
        for (argument, number) in arguments.iter().zip(1..) {
            message = message.replace(&format!("%{number}"), argument);
        }
        Expected::Raises { number, class: row.class, message }
    }
}

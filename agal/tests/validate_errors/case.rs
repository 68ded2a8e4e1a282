//! A pair of programs with a single error.

use agal::asm::AssembleOptions;
use agal::errors::ErrorClass;
use agal::operand::SourceOperand;
use agal::sampler::SamplerOperand;
use agal::{AgalError, AgalInstruction, Endian, LinkedPair, Profile, Rules, Stage, upload};

pub(crate) const VERTEX: &str = "mov op, va0\nmov v0, va1";
pub(crate) const FRAGMENT: &str = "mov oc, v0";

pub(crate) type Edit = Box<dyn Fn(&mut [AgalInstruction])>;

/// A pair of programs with a single error.
pub(crate) struct Case {
    pub(crate) version: u32,
    pub(crate) profile: Profile,
    pub(crate) vertex: String,
    pub(crate) fragment: String,
    pub(crate) edit: Option<(Stage, Edit)>,
}

impl Case {
    pub(crate) fn new(version: u32, vertex: &str, fragment: &str) -> Case {
        Case {
            version,
            profile: Profile::Enhanced,
            vertex: vertex.to_owned(),
            fragment: fragment.to_owned(),
            edit: None,
        }
    }

    pub(crate) fn on(self, profile: Profile) -> Case {
        Case { profile, ..self }
    }

    pub(crate) fn edit(
        mut self,
        stage: Stage,
        edit: impl Fn(&mut [AgalInstruction]) + 'static,
    ) -> Case {
        self.edit = Some((stage, Box::new(edit)));
        self
    }

    pub(crate) fn program(&self, stage: Stage) -> Vec<u8> {
        let text = match stage {
            Stage::Vertex => &self.vertex,
            Stage::Fragment => &self.fragment,
        };
        let options =
            AssembleOptions { stage: Some(stage), version: self.version, ignore_limits: true };
        let mut program = options.assemble(text).unwrap_or_else(|error| panic!("{error}"));
        if let Some((edited, edit)) = &self.edit
            && *edited == stage
        {
            edit(program.instructions_mut());
        }
        program.encode()
    }

    pub(crate) fn upload(&self) -> Result<LinkedPair, AgalError> {
        let rules = Rules { profile: self.profile };
        let (vertex, fragment) = (self.program(Stage::Vertex), self.program(Stage::Fragment));
        upload((&vertex, Endian::Little), (&fragment, Endian::Little), &rules)
    }

    #[track_caller]
    pub(crate) fn raises(self, number: u16, token: u32) -> AgalError {
        let error = match self.upload() {
            Ok(_) => panic!("#{number} is not raised:\n{}\n--\n{}", self.vertex, self.fragment),
            Err(error) => error,
        };
        assert_eq!(error.number(), number, "{error}");
        assert_eq!(error.token().unwrap_or(0), token, "{error}");
        assert_eq!(error.class(), ErrorClass::Error);
        assert!(!error.message().contains('%'), "{error}");
        error
    }
}

/// Returns a pair of this fragment program and a simple vertex program.
pub(crate) fn fragment(version: u32, text: &str) -> Case {
    Case::new(version, "mov op, va0\nmov v0, va1\nmov v1, va2", text)
}

/// Returns a pair of this vertex program and a simple fragment program.
pub(crate) fn vertex(version: u32, text: &str) -> Case {
    Case::new(version, text, "mov oc, fc0")
}

/// Returns a fragment program with a conditional around `inside`. The first token of `inside` is token 3.
pub(crate) fn within(inside: &str) -> Case {
    let text = format!("mov ft0, v0\nife v0.x, v1.x\n{inside}\neif\nmov oc, ft0");
    fragment(2, &text)
}

/// Returns the pair of `VERTEX` and `FRAGMENT` with a change to the program of one stage.
pub(crate) fn edited(stage: Stage, edit: impl Fn(&mut [AgalInstruction]) + 'static) -> Case {
    Case::new(1, VERTEX, FRAGMENT).edit(stage, edit)
}

/// Returns a fragment program with one texture read, whose sampler `edit` changes.
pub(crate) fn sampled(edit: impl Fn(&mut SamplerOperand) + 'static) -> Case {
    let case = fragment(1, "tex oc, v0, fs0 <2d>");
    case.edit(Stage::Fragment, move |code| {
        edit(code[0].sampler_mut().expect("a sampler"));
    })
}

pub(crate) fn source2(instructions: &mut [AgalInstruction]) -> &mut SourceOperand {
    instructions[0].source2_mut().expect("no sampler")
}

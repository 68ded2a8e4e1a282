//! What registers are called in GLSL.

use super::Emitter;
use super::dialect::Outputs;
use crate::glsl::text::Word;
use crate::isa::register::RegisterFile;
use crate::isa::version::Stage;

/// The local that gathers the position before it is handed to GL.
pub(super) const POSITION: &str = "op";
/// The local that notes that the fragment is to be discarded.
pub(super) const KILLED: &str = "killed";
/// The local that holds a texture read of a conditional; the token's number follows.
pub(super) const HOISTED: &str = "tex";

/// What the registers of one file are called.
#[derive(Clone, Copy)]
struct Name {
    before: Word,
    numbered: bool,
    after: Word,
}

impl Name {
    const fn single(name: &'static str) -> Name {
        Name {
            before: Word::new(name),
            numbered: false,
            after: Word::EMPTY,
        }
    }
    const fn numbered(name: &'static str) -> Name {
        Name {
            numbered: true,
            ..Name::single(name)
        }
    }
    const fn element(array: &'static str) -> Name {
        Name {
            before: Word::new(array).then(Word::new("[")),
            numbered: true,
            after: Word::new("]"),
        }
    }

    const fn of(file: RegisterFile, stage: Stage) -> Name {
        // A validated program uses only files that have a name in its stage.
        let name = match file.name(stage) {
            Some(name) => name,
            None => "",
        };
        match file {
            RegisterFile::Attribute
            | RegisterFile::Temporary
            | RegisterFile::Varying
            | RegisterFile::Sampler => Name::numbered(name),
            RegisterFile::Constant => Name::element(name),
            RegisterFile::Output => Name::single(POSITION),
            RegisterFile::DepthOutput | RegisterFile::InstanceId => Name::single(name),
        }
    }
}

/// The names of a shader's registers, whatever its dialect: all but a fragment shader's outputs.
pub(super) struct Names([Name; RegisterFile::ALL.len()]);

impl Names {
    pub(super) fn of(stage: Stage) -> &'static Names {
        static VERTEX: Names = Names::new(Stage::Vertex);
        static FRAGMENT: Names = Names::new(Stage::Fragment);
        match stage {
            Stage::Vertex => &VERTEX,
            Stage::Fragment => &FRAGMENT,
        }
    }

    const fn new(stage: Stage) -> Names {
        let mut names = [Name::single(""); _];
        let (mut rest, mut files): (&mut [Name], &[RegisterFile]) =
            (&mut names, &RegisterFile::ALL);
        while let ([name, names @ ..], [file, others @ ..]) = (rest, files) {
            *name = Name::of(*file, stage);
            (rest, files) = (names, others);
        }
        Names(names)
    }

    /// The name of a register that the stage may use.
    pub(super) fn register(&self, file: RegisterFile, number: u16) -> Word {
        let Some(name) = self.0.get(file.index()) else {
            return Word::EMPTY;
        };
        let number = if name.numbered {
            Word::number(number.into())
        } else {
            Word::EMPTY
        };
        name.before.then(number).then(name.after)
    }
}

impl Emitter<'_> {
    /// Appends the name of a register that the stage may use.
    pub(super) fn register(&mut self, file: RegisterFile, number: u16) {
        match (file, self.stage) {
            (RegisterFile::Output, Stage::Fragment) => self.color(number),
            (RegisterFile::DepthOutput, _) => {
                self.out.push_str(self.dialect.features.depth_output.word);
            }
            _ => self.out.word(self.names.register(file, number)),
        }
    }

    /// One output is Flash's `oc`, several are `fo0`, `fo1`, …
    fn color(&mut self, number: u16) {
        let single = self.pair.interface().color_outputs == 1;
        match (self.dialect.outputs, single) {
            (Outputs::BuiltIn, true) => self.out.push_str("gl_FragColor"),
            (Outputs::BuiltIn, false) => {
                self.numbered("gl_FragData[", number.into());
                self.out.push_str("]");
            }
            (Outputs::Located | Outputs::Bound, true) => {
                let name = RegisterFile::Output.name(self.stage);
                self.out.push_str(name.unwrap_or_default());
            }
            (Outputs::Located | Outputs::Bound, false) => self.numbered("fo", number.into()),
        }
    }

    pub(super) fn numbered(&mut self, name: &str, number: u32) {
        self.out.push_str(name);
        self.out.word(Word::number(number));
    }
}
